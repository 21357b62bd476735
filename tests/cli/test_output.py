"""What the command prints of many models, of strange names, and while one waits."""

import contextlib
import csv
import io
import itertools
import json
import signal
import subprocess
import sys
import unicodedata

import numpy as np
import pytest

from sigarray import aso
from sigarray._cli import messages, progress
from sigarray._verdicts import notes
from sigarray._verdicts.comparison import Comparison
from sigarray.report._rendering import STYLES

NAMES = [f"m{k}" for k in range(13)]
COMMAND = [sys.executable, "-m", "sigarray"]


@pytest.fixture
def many(write):
    """Thirteen models: m12 is the best by far, and m0 the worst."""
    scores = np.random.default_rng(0).normal(np.arange(13) * 0.5, 1.0, (20, 13))
    rows = "\n".join(",".join(f"{x:.3f}" for x in row) for row in scores)
    return write(f"{','.join(NAMES)}\n{rows}\n")


class TestManyModels:
    @pytest.mark.parametrize("test", ["aso", "t"])
    def test_readers_get_a_ranking(self, many, run, test):
        _, out, _ = run("compare", many, "--test", test)
        pairs = json.loads(run("compare", many, "--test", test, "--format", "json")[1])[
            "pairs"
        ]
        wins = [
            (x["better"], x["model_b" if x["better"] == x["model_a"] else "model_a"])
            for x in pairs
            if x["better"]
        ]
        rows = [line.split() for line in out.splitlines()]
        ranking = {
            r[0]: (int(r[-2]), int(r[-1])) for r in rows if r[:1] and r[0] in NAMES
        }
        assert len(ranking) == 13
        for name, counts in ranking.items():
            beaten = sum(better == name for better, _ in wins)
            assert counts == (beaten, sum(worse == name for _, worse in wins))
        assert list(ranking.values()) == sorted(
            ranking.values(), key=lambda x: (-x[0], x[1])
        )
        text = " ".join(out.split())
        assert f"In {len(wins)} of 78 pairs of 13 models, one model is better: " in text
        assert "With --baseline MODEL or --columns A,B,... there are fewer" in text
        assert "better than m" not in text

    def test_losses_are_ranked_the_other_way(self, many, run):
        for options, first in (([], "m12"), (["--lower-is-better"], "m0")):
            _, out, _ = run("compare", many, "--test", "t", *options)
            ranked = [x.split()[0] for x in out.splitlines() if x.strip()[:1] == "m"]
            assert ranked[1] == first

    def test_programs_get_every_pair(self, many, run):
        document = json.loads(run("compare", many, "--format", "json")[1])
        assert (len(document["pairs"]), len(document["verdicts"])) == (78, 78)
        _, out, _ = run("compare", many, "--format", "csv")
        assert len(list(csv.DictReader(io.StringIO(out)))) == 78

    def test_twelve_models_are_all_shown(self, many, run, monkeypatch):
        monkeypatch.setenv("COLUMNS", "100")
        _, out, _ = run("compare", many, "--columns", ",".join(NAMES[:12]))
        assert "eps_min: the row is better than the column" in out
        assert "the means differ" not in out
        rows = [line.split() for line in out.splitlines()]
        matrix = [row[0] for row in rows if len(row) == 12 and row[0] in NAMES]
        assert len(matrix) == 1 + 12  # its header, and a row for each
        _, out, _ = run(
            "compare", many, "--columns", ",".join(NAMES[:12]), "--format", "sentences"
        )
        assert out.count(", eps_min ") == 66
        assert out.count("comparisons together") == 1

    def test_pairs_are_not_listed_for_each_sentence(self, many, run, monkeypatch):
        counts = []
        pairs = Comparison.pairs
        counted = property(lambda x: counts.append(1) or pairs.fget(x))
        monkeypatch.setattr(Comparison, "pairs", counted)
        run("compare", many, "--test", "t")
        run("compare", many)
        assert len(counts) <= 8


def say(name, shown, mark='"'):
    """Return a name as sentences have it: quoted, if it has a sign of sentences."""
    return f"{mark}{shown}{mark}" if set(name) & set(',>()"; \xa0') else shown


EVIL = [
    "\x1b[2Jevil",
    "\u202eright",
    "line\u2028two",
    "=1+1",
    "@SUM(A1)",
    "-2x",
    "\x9b1m",
]


@pytest.fixture
def evil(write):
    rows = "\n".join(",".join(str((7 * k + j) % 5) for j in range(7)) for k in range(4))
    return write(f"{','.join(EVIL)}\n{rows}\n")


class TestStrangeNames:
    @pytest.mark.parametrize("style", STYLES)
    @pytest.mark.parametrize("printer", ["rich", "plain"])
    def test_no_control_reaches_the_output(
        self, evil, run, style, printer, monkeypatch
    ):
        if printer == "plain":
            monkeypatch.setitem(sys.modules, "rich", None)
        _, out, _ = run("compare", evil, "--test", "t", "--format", style)
        assert "evil" in out
        found = {unicodedata.category(x) for x in out.replace("\n", "")}
        assert not found & {"Cc", "Cf", "Zl", "Zp", "Cs"}

    def test_text_shows_them_by_escapes(self, evil, run):
        _, out, _ = run("compare", evil, "--test", "t")
        assert r"\x1b[2Jevil" in out
        assert r"\u202eright" in out

    def test_json_keeps_them(self, evil, run):
        _, out, _ = run("compare", evil, "--test", "t", "--format", "json")
        names = [name.replace("\u2028", " ") for name in EVIL]
        assert list(json.loads(out)["models"]) == names

    def test_csv_has_no_formulas(self, evil, run):
        options = ["--test", "t", "--lower-is-better", "--format", "csv"]
        _, out, _ = run("compare", evil, *options)
        rows = list(csv.DictReader(io.StringIO(out)))
        names = {row[key] for row in rows for key in ("model_a", "model_b")}
        assert {"'=1+1", "'@SUM(A1)", "'-2x"} <= names
        assert any(row["mean_difference"].startswith("-") for row in rows)

    def test_labels_that_are_numbers_are_no_formulas(self, write, run):
        _, out, _ = run("correct", write("-5,0.1\n-x,0.2\n"), "--format", "csv")
        assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["-5", "'-x"]

    def test_messages_and_errors_of_options(self, run, capsys):
        err = run("compare", "no\x1b[31m\u202efile.csv")[2]
        assert r"no\x1b[31m\u202efile.csv cannot be read" in err
        for arguments in (["power", "--test", "\x1b[31m"], ["compare", "--x\x1b[31m"]):
            with pytest.raises(SystemExit):
                run(*arguments)
            err = capsys.readouterr().err
            assert "\x1b" not in err
            assert r"\x1b[31m" in err

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("a|b", r"a\|b"),
            ("<b>x</b>", r"\<b>x\</b>"),
            ("x &lt; y", r"x \&lt; y"),
            ("[x](http://y)", r"\[x\](http\://y)"),
            ("![x](y)", r"!\[x\](y)"),
            ("www.x.org", r"www\.x.org"),
            ("$x$", r"\$x\$"),
            ("`x`", r"\`x\`"),
            ("#x", r"\#x"),
            ("-x", r"\-x"),
            ("1.x", r"1\.x"),
            ("# x", "# x"),  # in quotes
        ],
    )
    def test_markdown(self, write, run, name, shown):
        path = write(f'"{name}",other\n3,0\n3.1,0.1\n3.2,0\n')
        _, out, _ = run("compare", path, "--test", "t", "--format", "markdown")
        assert f"\n{say(name, shown)} is better than other: p \\< 0.0001" in out
        if name[0] not in "#-1":  # which mean nothing within a table
            assert f"| {shown} | 3 |" in out

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ('say "x"', r"say \symbol{34}x\symbol{34}"),
            ("[x]", "[x]"),
            ("a--b", "a-{}-b"),
            ("a~b^c\\d", r"a\textasciitilde{}b\textasciicircum{}c\textbackslash{}d"),
            ("100%_#&${}", r"100\%\_\#\&\$\{\}"),
            ("``x''", r"\textasciigrave{}\textasciigrave{}x'{}'"),
            ("a\u00a0b", "a b"),
        ],
    )
    def test_latex(self, write, run, name, shown):
        header = name.replace('"', '""')
        path = write(f'"{header}",other\n3,0\n3.1,0.1\n3.2,0\n')
        _, out, _ = run("compare", path, "--test", "t", "--format", "latex")
        assert f"\n{{}} {shown} & $3$ &" in out
        said = say(name, shown, r"\symbol{34}")
        if '"' not in name and said != shown:
            said = f"``{shown}''"
        assert f"\n{said} is better than other: $p < 0.0001 \\leq 0.05$; " in out
        assert r"if $p \leq 0.05$, for one comparison" in out

    def test_a_comment_of_latex_stays_one(self, tmp_path, run):
        path = tmp_path / "a\n\\input{x}.csv"
        path.write_text("a,b\n1,2\n2,3\n")
        _, out, _ = run("compare", str(path), "--test", "t", "--format", "latex")
        assert "\n\\input" not in out


class TestWaiting:
    @pytest.mark.long
    def test_what_takes_long_is_said_beforehand(self, write, run, monkeypatch):
        path = write("a,b\n1,2\n3,4\n2,2\n")
        for arguments, task in (
            (["compare", path], "almost stochastic order of 2 models"),
            (["compare", path, "--test", "t"], "t for 1 pair takes"),
            (["compare", path, "--test", "permutation"], "fewer --n-resamples"),
            (["responses", "--n-resamples", "9"], "wins_mae of 9 resamples takes"),
            (
                ["study", "--n-sets", "2", "--n-items", "2", "--n-resamples", "2"],
                "a study of 24 p-values takes",
            ),
            (["power", path], "power of aso for 2 models and 1 pair"),
        ):
            with monkeypatch.context() as patch:
                # A machine with other work takes its time.
                patch.setattr(notes, "_LONG", 60.0)
                assert "Faster" not in run(*arguments)[2]
                patch.setattr(notes, "_LONG", 0.0)
                _, out, err = run(*arguments)
            assert task in err
            assert "Faster: " in err
            assert "note" not in out

    def test_what_takes_long_is_told_who_listens(self, capsys):
        said = []
        notes.announce("Nothing", 4000.0, "Nobody listens.")
        with notes.heard_by(notes.Listener(said.append, lambda steps, _: iter(steps))):
            notes.announce("This", 0.9, "")
            notes.announce("That", 42.0, "Do less.")
            notes.announce("All", 4000.0, "Do less.")
            notes.announce("It", 1e5, "Do less.")
        assert said == [
            "That takes about 40 seconds. Do less.",
            "All takes about 70 minutes. Do less.",
            "It takes about 30 hours. Do less.",
        ]
        assert capsys.readouterr().err == ""

    def test_progress_is_for_terminals(self, monkeypatch, capsys):
        assert list(progress.track("abc", "Pair")) == ["a", "b", "c"]
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        # Not before a second has passed.
        assert list(progress.track("abc", "Pair")) == ["a", "b", "c"]
        assert capsys.readouterr().err == ""
        monkeypatch.setitem(sys.modules, "rich.progress", None)
        times = itertools.count(0, 10)
        monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(times)))
        steps = progress.track("abc", "Pair")
        assert list(steps) == ["a", "b", "c"]
        shown = capsys.readouterr().err
        assert "Pair 1 of 3, about 40 seconds left" in shown
        assert shown.endswith("\r\x1b[K")
        steps = progress.track("abc", "Pair")
        next(steps)
        steps.close()
        assert capsys.readouterr().err.endswith("\r\x1b[K")
        with messages.quiet(True):
            assert list(progress.track("abc", "Pair")) == ["a", "b", "c"]
        assert capsys.readouterr().err == ""

    def test_progress_of_a_single_computation(self, monkeypatch, capsys):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        # Ten seconds pass between any two looks.
        times = itertools.count(0, 10)
        monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(times)))
        for name, shown in (("rich.progress", "of 10000"), ("nothing", "/10000")):
            with monkeypatch.context() as patch:
                patch.setitem(sys.modules, name, None)
                if name == "nothing":
                    pytest.importorskip("rich")
                    patch.setenv("TERM", "xterm")
                a, b = np.random.default_rng(0).normal(size=(2, 3000))
                with progress.watch():
                    aso(a, b, rng=0, n_resamples=10_000)
            assert shown in capsys.readouterr().err

    def test_an_interrupt_is_one_line(self, monkeypatch, run):
        def interrupt(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("sigarray._cli.inputs.read_sources", interrupt)
        assert run("compare", "x.csv") == (130, "", "sigarray: interrupted\n")

    @pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
    def test_control_c_at_a_waiting_process(self):
        # Jobs in the background would ignore the signal.
        script = (
            "import signal, sys; from sigarray._cli.main import main; "
            "signal.signal(signal.SIGINT, signal.default_int_handler); "
            "options = ['--test', 'aso', '--lift', '1.01', '--n-samples', '1000']; "
            "sys.exit(main(['power', *options]))"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert "no FILE given" in process.stderr.readline()
        assert "power of aso" in process.stderr.readline()
        # Python loses a signal that comes while it frees an object, now and then.
        for _ in range(6):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                _, err = process.communicate(timeout=10)
                break
        assert process.returncode == 130
        assert err.endswith("sigarray: interrupted\n"), err

    @pytest.mark.parametrize("style", STYLES)
    def test_a_closed_output_is_one_line(self, style):
        process = subprocess.run(
            f"{' '.join(COMMAND)} correct --format {style} >&-",
            shell=True,
            check=False,
            capture_output=True,
            text=True,
            input="0.1\n",
        )
        assert process.returncode == 1
        (line,) = process.stderr.splitlines()
        assert line.endswith("cannot be written: standard output is closed.")

    def test_warnings_do_not_go_to_the_output(self):
        process = subprocess.run(
            f"{' '.join(COMMAND)} compare - 2>&-",
            shell=True,
            check=True,
            capture_output=True,
            text=True,
            input="a,b\n1,2\n2,3\n",
        )
        assert "too few" not in process.stdout

    def test_one_run_is_one_warning(self, write, run):
        _, _, err = run("compare", write("a,b,c\n1,2,3\n2,,\n"))
        note, warning = err.splitlines()
        assert note.endswith("left out: 1 of 'b', 1 of 'c'.")
        assert warning.startswith("sigarray: warning: 1 to 2 scores of each of 3 mod")


def test_models_without_a_difference_are_not_helped_by_more_items(write, run):
    rows = "".join(f"q{k},{k % 2},{(k + k // 20) % 2}\n" for k in range(40))
    _, out, _ = run("compare", write(f"item,a,b\n{rows}"), "--item", "item")
    said = " ".join(out.split())
    assert "No difference was seen between a and b." in said
    assert "--margin asks" in said
    assert "would decide more" not in said


def test_missing_answers_are_offered_what_items_take(write, run):
    rows = "".join(f"{m},q{k},{k % 2}\n" for m in "ab" for k in range(40))
    path = write("model,item,score\n" + rows.replace("a,q3,1", "a,q3,NaN"))
    code, _, err = run("compare", path)
    assert code == 2
    assert "worst" not in err
    assert "--missing drop" in err
    assert run("compare", path, "--missing", "drop")[0] == 0


def test_tasks_without_a_better_model_are_one_row(write, run):
    rng = np.random.default_rng(0)
    rows = [
        f"t{t},q{k},{rng.integers(2)},{1 if t < 2 else rng.integers(2)}"
        for t in range(8)
        for k in range(40)
    ]
    path = write("\n".join(["task,item,a,b", *rows, ""]))
    _, out, _ = run("compare", path, "--item", "item", "--task", "task")
    said = " ".join(out.split())
    assert "On 2 of 8 single tasks, b is better than a." in said
    others = "each of the other 6 tasks no model is shown to be better"
    assert f"t0 b > a t1 b > a {others}" in said


def test_what_would_decide_more(write, run):
    more = "More runs would decide more: sigarray power estimates how many."
    fewer = (
        "So would fewer comparisons, with one model alone, which has to be chosen "
        "before the scores are seen: --baseline MODEL."
    )

    def compare(path, *options):
        return " ".join(run("compare", path, *options)[1].split())

    rows = "".join(f"{k},{k + 3},{k + 1.5}\n" for k in (0.1, 1.2, 2.3, 3.1))
    path = write(f"a,b,c\n{rows}")
    assert f"{more} {fewer}" in compare(path, "--test", "t")
    with_b = compare(path, "--test", "t", "--baseline", "b")
    assert "Better than b: none. Worse: a." in with_b
    for option in (["--baseline", "a"], ["--no-correction"], ["--columns", "a,c"]):
        assert f"{more} Method" in compare(path, "--test", "t", *option)
    # No baseline decides a pair of these, though p alone is at most 0.05.
    two = "".join(f"{k},{k + 2.8},{k + 0.01}\n" for k in (0.1, 1.3, 2.4, 3.6))
    undecided = write(f"a,b,c\n{two}", "undecided.csv")
    assert f"{more} Method" in compare(undecided, "--test", "t")
    # Nor is it known of one by almost stochastic order.
    assert f"{more} Method" in compare(path)
    assert more not in compare(write("a,b\n1,5\n2,6\n3,7\n4,8\n", "clear.csv"))
    # No p-value of three runs is small enough for a single comparison.
    few = write("a,b,c\n1.5,5.5,9.1\n2.5,6,8\n3,7,9.5\n", "few.csv")
    assert f"{more} Method" in compare(few, "--test", "permutation")
