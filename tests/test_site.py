"""The site: it builds, each picture has a line that draws it, search finds words."""

import ast
import importlib.util
import inspect
import json
import re
import shlex
import subprocess
import sys
import tomllib
import zlib

import numpy as np
import pytest

from sigarray import aso, compare_models, multi_aso
from tests.backends import whole_suite
from tests.docstrings import list_public
from tests.test_docs import DOCS, PAGES, anchors_of


def in_docs(module):
    """Import a module of the site."""
    location = DOCS / f"{module}.py"
    spec = importlib.util.spec_from_file_location(module, location)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


class TestPictures:
    """Each has a line that makes it, and a page says the same of it."""

    ENTRIES = tomllib.loads((DOCS / "gallery" / "pictures.toml").read_text("utf-8"))

    def test_each_has_an_entry(self):
        files = {path.stem for path in (DOCS / "gallery").glob("*.png")}
        assert files == set(self.ENTRIES)

    def test_each_function_has_a_picture(self):
        shown = {entry["function"] for entry in self.ENTRIES.values()}
        public = set(list_functions_and_classes())
        assert shown <= public
        drawn = {name for name in public if name.startswith("sigarray.plot.")}
        assert drawn <= shown

    @pytest.mark.parametrize("name", ENTRIES)
    def test_the_line_can_be_typed(self, name):
        from sigarray._cli.main import _build_parser

        entry = self.ENTRIES[name]
        if entry["code"].startswith("sigarray "):
            options = shlex.split(entry["code"])[1:]
            assert _build_parser(options).parse_args(options).plot
        else:
            calls = [x for x in ast.walk(ast.parse(entry["code"])) if is_call(x)]
            named = {ast.unparse(x.func) for x in calls}
            assert entry["function"].removeprefix("sigarray.") in named
        assert 40 < len(entry["alt"]) < 300

    def test_a_command_draws_the_picture_above_it(self, monkeypatch):
        """Of the example, or of a file of docs/examples."""
        pytest.importorskip("matplotlib")
        from sigarray._cli import compare
        from sigarray._cli.main import main

        monkeypatch.syspath_prepend(str(DOCS))
        gallery = in_docs("gallery")
        shown = dict(gallery.draw_as_commands(gallery.read_digits()))
        by_name = {name: x["code"] for name, x in self.ENTRIES.items()}
        commands = {x: y for x, y in by_name.items() if y.startswith("sigarray ")}
        assert set(commands) == set(shown)
        monkeypatch.chdir(DOCS / "examples")
        for name, code in commands.items():
            drawn = []
            monkeypatch.setattr(
                compare, "save_pictures", lambda x, _, y=drawn: y.extend(x)
            )
            assert main(shlex.split(code)[1:]) == 0
            figure = drawn[0].figure
            assert list_drawn(figure) == list_drawn(shown[name].figure), name
            size = (200 * figure.get_size_inches()).astype(int).tolist()
            data = (DOCS / "gallery" / f"{name}.png").read_bytes()
            assert [int.from_bytes(data[k : k + 4], "big") for k in (16, 20)] == size

    def test_notes_say_how_large_bounds_are(self, monkeypatch):
        """One pair has other bounds by itself, among others, and by other resamples."""
        pytest.importorskip("matplotlib")
        monkeypatch.syspath_prepend(str(DOCS))
        digits = in_docs("gallery").read_digits()
        wide, close = ("wide_network", "forest"), ("linear", "network")
        by_pair = {
            (x["model_a"], x["model_b"]): x["eps_min_a_over_b"]
            for x in compare_models(digits, unit="run").records
        }
        every = multi_aso(digits, rng=0).eps_min
        places = list(digits)
        for name, entry in self.ENTRIES.items():
            if "note" not in entry:
                continue
            pair = close if "without" in name else wide
            first, second = (digits[x] for x in pair)
            here = aso(first, second, rng=0).eps_min
            if name == "pairwise":
                here = every[places.index(pair[0]), places.index(pair[1])]
            elif name == "aso_bound":
                here = multi_aso({x: digits[x] for x in pair}, rng=0).eps_min[0, 1]
            said = re.findall(r"0\.\d+", entry["note"])
            assert said == [f"{x:.2f}" for x in (here, by_pair[pair])], name

    def test_pages_say_what_is_to_be_seen(self):
        for page, text in PAGES.items():
            for alt, name in re.findall(r"!\[(.*?)\]\(gallery/(\w+)\.png\)", text):
                assert len(alt) > 40, (page, name)


def list_drawn(figure):
    """Return the words and lines of each panel."""
    return [
        (
            ax.get_title(),
            [x.get_text() for x in ax.get_yticklabels()],
            [x.get_xydata().tolist() for x in ax.lines],
        )
        for ax in figure.axes
    ]


def is_call(node):
    return isinstance(node, ast.Call)


class TestAsoInPictures:
    """The page, its pictures and the library say the same numbers."""

    TEXT = PAGES["what_aso_is"]
    ALT = TestPictures.ENTRIES["aso_runs"]["alt"]

    def test_experiments(self):
        pytest.importorskip("matplotlib")
        line = r"^(\d+) runs: better in (\d+)%, if equal in (\d+)%$"
        rows = re.findall(line, self.TEXT, re.MULTILINE)
        sizes, better, equal = zip(*rows, strict=True)
        drawing = in_docs("aso_in_pictures")
        assert tuple(map(str, drawing.SIZES)) == ("3", *sizes)
        assert (
            f"better in 0, {', '.join(better[:-1])} and {better[-1]} perc" in self.ALT
        )
        assert f"at most {max(equal, key=int)} percent" in self.ALT
        assert f"![{self.ALT}]" in self.TEXT
        five, ten, twenty, _ = better
        said = (
            f"show it in {five} % of experiments, ten in {ten} %, twenty in {twenty} %"
        )
        assert said in " ".join(self.TEXT.split())
        for lead, share in zip(drawing.LEADS.values(), (five, equal[0]), strict=True):
            is_better = drawing.simulate(lead, 5) < drawing.THRESHOLD
            assert f"{100 * np.mean(is_better):.0f}" == share
        assert not (drawing.simulate(1.0, 3) < drawing.THRESHOLD).any()

    def test_verdicts_are_drawn(self):
        pytest.importorskip("matplotlib")
        rng = np.random.default_rng(0)
        scores = {"low": rng.normal(size=9), "high": rng.normal(3.0, size=9)}
        axes = in_docs("aso_in_pictures").draw_verdicts(scores)
        assert [x.get_text() for x in axes.get_yticklabels()] == ["high over low"]
        assert "0.00" in [x.get_text() for x in axes.texts]

    def test_the_example(self):
        """Numbers in sentences, but for thresholds, are in outputs of programs."""
        outputs = " ".join(re.findall(r"```text\n(.*?)```", self.TEXT, re.DOTALL))
        shown = set(re.findall(r"\d\.\d+", outputs))
        hidden = r"```.*?```|!\[.*?\]\(.*?\)"
        prose = re.sub(hidden, "", self.TEXT, flags=re.DOTALL)
        assert "the share of this area" in prose
        (share,) = re.findall(r"(\d+\.\d) %", prose)
        assert f"{float(share) / 100:.3f}" in shown
        typed = set(re.findall(r"\b\d\.\d+", prose))
        assert typed - {"0.2", "0.5"} <= shown


class TestSearch:
    """Words lead to a place that there is."""

    WORDS = tomllib.loads((DOCS / "search_words.toml").read_text("utf-8"))

    @pytest.mark.parametrize("place", WORDS)
    def test_places(self, place):
        page, _, anchor = place.partition("#")
        path = DOCS / f"{page}.md"
        assert path.is_file()
        assert not anchor or anchor in anchors_of(path)

    def test_words_lead_to_one_place(self):
        words = [x.lower() for own in self.WORDS.values() for x in own]
        assert len(set(words)) == len(words)
        assert {"w&b", "how many seeds", "paired", "eps_min"} <= set(words)


@pytest.mark.parametrize("page", PAGES)
def test_fractions_have_braces(page):
    r"""Docutils reads \frac12 as twelve over what follows, without a warning."""
    formulas = re.findall(r"\\[dt]?frac\s*[^{\s].*", PAGES[page])
    assert formulas == []


@whole_suite
def test_the_site_builds_without_a_warning(tmp_path):
    """And with a place for every public name, nothing to fetch, no raw markup."""
    for name in ("myst_parser", "numpydoc", "pydata_sphinx_theme", "sphinx"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    options = ["-q", "-W", "-n", "--keep-going", "-d", str(tmp_path / "trees")]
    command = [sys.executable, "-m", "sphinx", *options]
    process = subprocess.run(
        [*command, str(DOCS), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert process.returncode == 0, process.stdout + process.stderr

    index = (tmp_path / "site" / "searchindex.js").read_text("utf-8")
    index = json.loads(index.partition("(")[2].rpartition(")")[0])
    for place, words in TestSearch.WORDS.items():
        for word in words:
            found = index["indexentries"][word.lower()]
            names = {index["docnames"][page] for page, *_ in found}
            assert place.partition("#")[0] in names

    packed = (tmp_path / "site" / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(packed).decode().splitlines()
    assert set(list_functions_and_classes()) <= {line.split(" ")[0] for line in lines}

    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > len(PAGES) - 4
    for page in pages:
        text = page.read_text("utf-8")
        for tag in re.findall(r"<(?:script|img|iframe|link)\b[^>]*>", text):
            is_loaded = "<link" not in tag or 'rel="stylesheet"' in tag
            assert not is_loaded or not re.search(r"(src|href)=\"(\w+:)?//", tag), tag
        text = text.partition("<article")[2].partition("</article>")[0]
        text = re.sub(r"<(pre|code|math)\b.*?</\1>", "", text, flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", "", text)
        for markup in (":doi:", "{doi}", "{math}", "{py:", "``", "\n.. ", "]("):
            assert markup not in text, (page.name, markup)


def list_functions_and_classes():
    """Yield the names of all public functions and classes."""
    for name, member in list_public():
        if inspect.isfunction(member) or inspect.isclass(member):
            yield f"sigarray.{name}"
