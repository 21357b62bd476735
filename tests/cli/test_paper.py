"""`sigarray compare` for the paper: pictures, pages, signatures, exit codes."""

import base64
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
EVIL = ["<script>alert(1)</script>", "\x1b[31m\u202eevil", "\"&'", "a_b$c$", "B"]


class Page(HTMLParser):
    """What a page has: its tags, links and ids, and its text without markup."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.links, self.ids = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        by = dict(attrs)
        self.links += [by[key] for key in ("src", "href") if key in by]
        self.ids += [by["id"]] if "id" in by else []

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.long
def test_wrong_pictures(wide, run, tmp_path):
    code, out, err = run("compare", wide, "--plot", str(tmp_path / "x.doc"))
    assert (code, out) == (2, "")
    assert "Expected --plot to end in .pdf, .svg" in err
    code, _, err = run("compare", wide, "--plot", str(tmp_path / "no" / "x.pdf"))
    assert code == 2
    assert "x.pdf cannot be written: No such file or directory" in err


def test_what_is_read_is_not_written_to(wide, run, tmp_path):
    before = Path(wide).read_bytes()
    for option in ("--report", "--plot"):
        code, out, err = run("compare", wide, option, wide)
        assert (code, out) == (2, "")
        assert f"Expected {option} to end in ." in err
    page = tmp_path / "scores.html"
    page.write_bytes(before)
    code, _, err = run("compare", str(page), "--report", str(page))
    assert code == 2
    assert "to be another file than" in err
    assert page.read_bytes() == before


def test_pictures_of_tasks_say_which(write, run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{m},{t},{k},{rng.normal():.4f}"
        for m in "abc"
        for t in ("first", "second")
        for k in range(5)
    ]
    source = write("\n".join(["model,task,seed,f1", *rows, ""]), "t.csv")
    path = tmp_path / "out.svg"
    _, _, err = run("compare", source, "--plot", str(path))
    assert "out.svg: Differences of means over these 2 tasks, first minus" in err
    assert "a .pdf has 6 more pictures" in err
    _, _, err = run("compare", source, "--plot", str(tmp_path / "out.pdf"))
    every = "differences of the means, first minus second model, on each task: Welch"
    assert f" Below: {every}" in err
    assert "out.pdf, page 7: Scores on second" in err


def test_the_page_has_notes_and_warnings(write, run, tmp_path):
    path = tmp_path / "out.html"
    rows = ["a,q1,1", "a,q2,0", "a,q3,1", "b,q1,0", "b,q2,1"]
    source = write("\n".join(["model,item,acc", *rows, ""]), "t.csv")
    options = [
        "--drop-unmatched",
        "--quiet",
        "--report",
        str(path),
        "--test",
        "bootstrap",
    ]
    code, _, err = run("compare", source, *options)
    assert code == 0
    assert "note" not in err
    words = " ".join(" ".join(Page(path.read_text("utf-8")).text).split())
    assert "'b' lacks 1 ('q3'); left out" in words
    doubts = words.split(" Doubts ")[1]
    assert "'b' lacks 1 ('q3'); left out" in doubts
    assert "The p-values of the bootstrap are too small for few sco" in doubts


def test_an_interrupt_leaves_nothing(wide, run, tmp_path, monkeypatch):
    def interrupt(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupt)
    code, out, err = run("compare", wide, "--report", str(tmp_path / "out.html"))
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "sigarray: interrupted"
    assert [x.name for x in tmp_path.iterdir()] == ["scores.csv"]


@pytest.mark.long
@pytest.mark.parametrize("which", ["wide", "long"])
def test_the_page(which, request, run, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    path = tmp_path / "out.html"
    source = request.getfixturevalue(which)
    _, shown, _ = run("compare", source, "--report", str(path))
    text = path.read_text("utf-8")
    page = Page(text)
    words = " ".join(" ".join(page.text).split())
    document = json.loads(run("compare", source, "--format", "json")[1])
    for sentence in document["verdicts"]:
        assert sentence in words
    assert document["signature"] in words
    assert f"sigarray compare {source} --report {path}" in words
    # One page: nothing is loaded, and nothing runs; papers and scores are links.
    kinds = ("https://doi.org/10.", "data:text/csv;base64,", "#")
    assert all(link.startswith(kinds) for link in page.links)
    assert {kind for kind in kinds if any(x.startswith(kind) for x in page.links)} == {
        *kinds
    }
    assert not {"script", "img", "iframe", "link"} & set(page.tags)
    assert len(page.ids) == len(set(page.ids))
    assert {x[1:] for x in page.links if x[0] == "#"} <= set(page.ids)
    assert (
        page.tags.count("svg") == page.tags.count("desc") == page.tags.count("figure")
    )
    # Letters of pictures are text.
    assert "difference in " in words
    assert re.search(r"\d{4}-\d\d-\d\d; sigarray \d", words)
    # The scores can be saved, and give the same signature.
    (data,) = (x for x in page.links if x.startswith("data:"))
    saved = tmp_path / "saved.csv"
    saved.write_bytes(base64.b64decode(data.partition(",")[2]))
    again = json.loads(run("compare", str(saved), "--format", "json")[1])
    assert again["signature"] == document["signature"]
    # The same bytes again, for the same command.
    run("compare", source, "--report", str(path))
    assert path.read_text("utf-8") == text
    assert "Signature: " in shown


@pytest.mark.long
def test_names_are_text(write, run, tmp_path):
    rows = [",".join(str(0.5 + 0.01 * (k + j)) for j in range(5)) for k in range(4)]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in EVIL)
    path = tmp_path / "out.html"
    code, _, err = run(
        "compare", write("\n".join([header, *rows])), "--report", str(path)
    )
    assert code == 0, err
    page = Page(path.read_text("utf-8"))
    assert "script" not in page.tags
    words = " ".join(page.text)
    assert EVIL[0] in words
    assert "\\x1b[31m\\u202eevil" in words
    assert not set(words) & {"\x1b", "\u202e"}


def test_without_matplotlib(wide, run, monkeypatch, tmp_path):
    for name in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, name, None)
    code, _, err = run("compare", wide, "--plot", str(tmp_path / "x.pdf"))
    assert code == 2
    assert 'pip install "sigarray[plot]"' in err


class TestSignatures:
    def sign(self, run, *arguments):
        _, out, _ = run("compare", *arguments, "--format", "json")
        return json.loads(out)["signature"]

    @pytest.mark.parametrize(
        "options",
        [
            [],
            ["--test", "t"],
            ["--test", "t", "--paired"],
            ["--test", "permutation", "--n-resamples", "99", "--seed", "4"],
            ["--test", "mann-whitney", "--alpha", "0.01", "--lower-is-better"],
            ["--threshold", "0.3", "--confidence-level", "0.9", "--no-correction"],
            ["--dt", "0.05", "--method", "bootstrap"],
        ],
    )
    def test_it_tells_the_options(self, wide, run, options):
        line = self.sign(run, wide, *options)
        code, out, _ = run("compare", wide, "--verify", line)
        assert code == 0
        assert "repeats it: the same scores give the same numbers" in " ".join(
            out.split()
        )

    @pytest.mark.parametrize("options", [[], ["--test", "t"]])
    def test_a_baseline(self, wide, run, write, options):
        line = self.sign(run, wide, "--baseline", "a", *options)
        assert "|baseline:a|" in line
        code, out, _ = run("compare", wide, "--verify", line)
        assert (code, "repeats it: the same" in " ".join(out.split())) == (0, True)
        plain = self.sign(run, wide, *options)
        assert "baseline" not in plain
        for more in (("--fail-unless-better", "c"), ("--plot", "x.png")):
            code, _, err = run("compare", wide, "--verify", plain, *more)
            assert code == 2
            assert f"Expected --verify without {more[0]}; got both." in err
        code, _, err = run("compare", wide, "--verify", plain, "--baseline", "a")
        assert code == 2
        said = "Expected --baseline as in the signature, which is without it; got anot"
        assert said in err
        assert run("compare", wide, "--baseline", "a", "--verify", line)[0] == 0
        with open(wide, encoding="utf-8") as file:
            other = write(file.read().replace("a,", "z,", 1), "other.csv")
        code, out, _ = run("compare", other, "--verify", line)
        assert code == 1
        assert "scores or names are others" in " ".join(out.split())

    def test_tasks_and_items(self, long, run):
        line = self.sign(run, long)
        assert "tasks:2" in line
        assert "unit:item" in line
        assert run("compare", long, "--verify", line)[0] == 0

    def test_order_of_rows_and_columns(self, wide, run, write):
        line = self.sign(run, wide)
        with open(wide, encoding="utf-8") as file:
            header, *rows = file.read().splitlines()
        turned = [",".join(x.split(",")[::-1]) for x in (header, *rows[::-1])]
        other = write("\n".join(turned), "turned.csv")
        assert run("compare", other, "--verify", line)[0] == 0

    def test_other_scores_and_other_numbers(self, wide, run, write):
        line = self.sign(run, wide)
        code, out, _ = run("compare", wide, "--columns", "a,b", "--verify", line)
        assert code == 1
        assert "scores or names are others (models was 3, is 2)" in " ".join(
            out.split()
        )
        other = re.sub(r"seed:0", "seed:1", line)
        code, out, _ = run("compare", wide, "--verify", other)
        assert code in (0, 1)
        wrong = re.sub(r"result:\w+", "result:000000000000", line)
        code, out, _ = run("compare", wide, "--verify", wrong, "--format", "json")
        assert code == 1
        assert json.loads(out)["same_scores"] is True
        assert json.loads(out)["same_numbers"] is False
        old = line.replace("sigarray:0.", "sigarray:9.")
        _, out, _ = run("compare", wide, "--verify", old)
        assert "It is of sigarray 9." in " ".join(out.split())

    def test_wrong_ones(self, wide, run):
        line = self.sign(run, wide)
        code, _, err = run("compare", wide, "--verify", line, "--test", "t")
        assert code == 2
        assert "Expected --test as in the signature, which has aso; got another" in err
        for option in (["--seed", "1"], ["--lower-is-better"], ["--no-correction"]):
            code, _, err = run("compare", wide, "--verify", line, *option)
            assert code == 2
            assert f"Expected {option[0]} as in the signature" in err
        code, _, err = run("compare", wide, "--verify", line[:-3])
        assert code == 2
        assert f"to its end; got one with {line[-19:-3]!r} in it" in err
        code, _, err = run("compare", wide, "--verify", line.replace("seed:", "seed"))
        assert (code, "got one with 'seed0' in it" in err) == (2, True)
        code, _, err = run("compare", wide, "--verify", line.replace("seed:", "seed:x"))
        assert (code, "a number for 'seed' of the signature; got 'x0'" in err) == (2, 1)
        code, _, err = run("compare", wide, "--verify", "sigarray:0.1.0")
        assert code == 2
        assert "Expected a signature, such as sigarray:0.1.0|test:aso" in err
        code, _, err = run(
            "compare",
            wide,
            "--verify",
            "sigarray:1|scores:123456789abc|result:123456789abc",
        )
        assert code == 2
        assert "Expected the signature of a comparison; got one without 'test'" in err


class TestExitCodes:
    def test_unless_better(self, wide, run):
        assert run("compare", wide, "--fail-unless-better", "c")[0] == 0
        code, out, err = run("compare", wide, "--fail-unless-better", "b")
        assert code == 1
        assert "Method: " in out
        assert "b is not better than c" in err
        assert "b is not better than a" not in err
        options = ["--lower-is-better", "--fail-unless-better", "a"]
        assert run("compare", wide, *options)[0] == 0
        code, _, err = run("compare", wide, "--fail-unless-better", "x")
        assert code == 2
        assert "got 'x'. Those in it: 'a', 'b', 'c'" in err

    def test_on_every_task(self, long, run):
        assert run("compare", long, "--fail-unless-better", "b")[0] == 0
        code, _, err = run("compare", long, "--fail-unless-better", "a")
        assert code == 1
        assert "a is not better than b on x" in err

    def test_names_are_quoted_as_elsewhere(self, write, run):
        models = ("a", "b, c", "d")
        rows = [
            f'"{model}",my task,{k},{i}{k}'
            for i, model in enumerate(models)
            for k in range(1, 6)
        ]
        rows += [f"{model},x,{k},{k}" for model in "ad" for k in range(1, 6)]
        path = write("\n".join(["model,task,run,score", *rows, ""]))
        _, _, err = run("compare", path, "--fail-unless-better", "a")
        assert '\nsigarray: a is not better than "b, c" on "my task"\n' in f"\n{err}"
        _, _, err = run("compare", path, "--fail-unless-better", "b, c")
        assert '"b, c" is not compared with a on x, where "b, c" has no scores\n' in err

    def test_a_task_that_a_model_lacks(self, write, run):
        rows = [f"{m},x,{k},{i}{k}" for i, m in enumerate("abc") for k in range(1, 6)]
        rows += [f"{m},y,{k},{i}{k}" for i, m in enumerate("ab") for k in range(1, 6)]
        path = write("\n".join(["model,task,seed,f1", *rows, ""]), "t.csv")
        code, _, err = run("compare", path, "--fail-unless-better", "c")
        assert code == 1
        assert "c is not compared with a on y, where c has no scores" in err
        code, _, err = run("compare", path, "--fail-unless-better", "b", "--test", "t")
        assert code == 1
        assert "b is not compared with c on y, where c has no scores" in err
        assert "b is not compared with a" not in err
        rows += [f"a,z,{k},{k}" for k in range(1, 6)]
        path = write("\n".join(["model,task,seed,f1", *rows, ""]), "t.csv")
        options = ["--columns", "a,b", "--fail-unless-better", "b"]
        code, _, err = run("compare", path, *options)
        assert code == 1
        assert "b is compared with no model on z" in err
        code, _, err = run("compare", path, "--columns", "a,b", *options[2:-1], "a")
        assert code == 1
        assert "a is compared with no model on z" in err
        assert "a has no scores" not in err


def test_quiet(run):
    assert "no FILE given" in run("compare")[2]
    options = ["--columns", "linear,forest"]
    assert run("compare", "--quiet", *options)[2] == ""


@pytest.mark.parametrize("has_rich", [True, False])
def test_quiet_prints_the_answer_alone(run, has_rich, monkeypatch):
    """The ranking, and tables of differences; other formats are whole."""
    if not has_rich:
        monkeypatch.setitem(sys.modules, "rich", None)
    games = ["compare", "docs/examples/games.csv", "--task", "game", "--seed", "0"]
    whole = run(*games, "--statistic", "iqm")[1]
    short = run(*games, "--statistic", "iqm", "--quiet")[1]
    blocks = whole.rstrip().split("\n\n")
    assert short.rstrip().split("\n\n") == blocks[:3]
    assert blocks[1].startswith("Differences of interquartile means over these 8")
    assert blocks[5].startswith("Means and standard deviations of 5 runs on each")
    assert short == f"{short.rstrip()}\n"
    assert len(run("compare", "--quiet")[1].split("\n\n")) == 3
    latex = [*games, "--format", "latex"]
    assert run(*latex, "--quiet")[1] == run(*latex)[1]


@pytest.mark.parametrize("test", ["aso", "t", "mann-whitney"])
def test_sentences(wide, run, test):
    _, out, _ = run("compare", wide, "--test", test, "--format", "sentences")
    summary, results, method = out.rstrip("\n").split("\n\n")
    assert "\n" not in summary + results + method
    what = "3 models were compared (8 runs each; higher is better)"
    assert summary.startswith(f"{what} by ")
    assert summary.count(". ") == 0  # one sentence
    assert results.startswith("3 models were compared (8 runs each; higher is better)")
    number = "eps_min" if test == "aso" else "adjusted p"
    share = r", P\(A>B\) = [\d.]+ \[[\d.]+, [\d.]+\]"
    share = share if test == "mann-whitney" else ""
    shown = r"(?:= [\d.]+|< 0.0001)"
    pair = rf"\(\S+ \[\S+, \S+\](?:, though \D+ 0)?{share}, {number} {shown}\)"
    assert len(re.findall(pair, results)) == 3
    assert re.search(rf"c is better than (b {pair} and )?a {pair}", results)
    assert out.count("A model is better than another if") == 1
    for x in (summary, results):
        assert x.count("correction for 3 comparisons") == (test != "aso")
    # Every difference is as in the table.
    _, text, _ = run("compare", wide, "--test", test)
    differences = re.findall(r"[-+][\d.]+ \[[-+][\d.]+, [-+][\d.]+\]", text)
    assert len(differences) == 3
    assert all(x in results for x in differences)
    assert method.startswith("Method: ")
    assert "sigarray power" not in out


@pytest.mark.parametrize(
    ("start", "unwanted"),
    [
        ("main(['compare', '--quiet'])", ["matplotlib", "pandas", "narwhals", "scipy"]),
        ("main(['compare', '--quiet'])", ["pyarrow", "torch", "jax"]),
        ("main([])", ["numpy", "rich", "sigarray._verdicts"]),
    ],
)
def test_it_starts_in_a_moment(start, unwanted):
    """To say who is better takes no library but NumPy, and to help not even that."""
    code = (
        f"import sys; from sigarray._cli.main import main\n"
        f"try: {start}\nexcept SystemExit: pass\n"
        f"print([x for x in {unwanted} if x in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.splitlines()[-1] == "[]"
