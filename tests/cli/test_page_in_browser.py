"""The page of `--report` in Chromium: at two widths, light and dark, and on paper."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from sigarray._cli.main import main
from tests.backends import whole_suite

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
# What the page itself does not have: a script, to measure it.
MEASURE = """<script>
const body = getComputedStyle(document.body);
const places = [...document.querySelectorAll("[tabindex]")];
const pictures = [...document.querySelectorAll("figure svg")];
document.title += "|" + JSON.stringify({
  width: innerWidth,
  overflow: document.documentElement.scrollWidth - innerWidth,
  background: body.backgroundColor, color: body.color,
  focused: places.map(x => { x.focus(); return document.activeElement === x; }),
  pictures: pictures.map(x => [x.clientWidth, x.querySelectorAll("text").length]),
  wide: places.map(x => x.scrollWidth - x.clientWidth),
  lines: [...document.querySelectorAll(".cards td")].map(x => x.clientHeight / 24),
});
</script>"""
# No window is narrower than 500, but a frame is.
FRAME = '<iframe src="{}" width={} height=900 style="border:0"></iframe>'


WIDTHS = (390, 1280)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    names = ["a_model_with_a_long_name_" * 3, *"bcdefgh"]
    rows = [
        f"{m},{t},{k},{i + rng.normal():.4f}"
        for i, m in enumerate(names)
        for t in ("first_task", "second_task", "third_task")
        for k in range(5)
    ]
    folder = tmp_path_factory.mktemp("page")
    source, path = folder / "scores.csv", folder / "out.html"
    source.write_text("\n".join(["model,task,seed,score", *rows, ""]))
    assert main(["compare", str(source), "--report", str(path)]) == 0
    return path


def start_chromium(folder, *options):
    return subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu"),
            *("--disable-background-networking", "--disable-sync", "--no-first-run"),
            *("--allow-file-access-from-files", "--virtual-time-budget=5000"),
            f"--user-data-dir={folder / 'profile'}",
            *options,
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout


@pytest.mark.long
@whole_suite
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page(page, tmp_path, scheme):
    """Both widths are two frames of one page, which write into its title."""
    copy = tmp_path / "measured.html"
    text = page.read_text("utf-8").replace("</body>", f"{MEASURE}</body>")
    text = text.replace("third_task", "third_task_that_has_a_name_as_long_as_this")
    title = "document.title"
    copy.write_text(text.replace(title, f"top.{title}", 1))
    frame = tmp_path / "frame.html"
    frames = "".join(FRAME.format(copy.as_uri(), width) for width in WIDTHS)
    frame.write_text(f'<title></title><body style="margin:0">{frames}')
    dark = ["--force-dark-mode"] if scheme == "dark" else []
    options = ["--hide-scrollbars", "--window-size=1300,900", "--dump-dom", *dark]
    out = start_chromium(tmp_path, *options, frame.as_uri())
    (title,) = re.findall(r"<title>(.*?)</title>", out)
    _, *all_found = map(html.unescape, title.split("|"))
    all_found = [json.loads(found) for found in all_found]
    assert sorted(found["width"] for found in all_found) == list(WIDTHS)
    for found in all_found:
        check_page(found, scheme)


def check_page(found, scheme):
    assert found["overflow"] <= 0
    # Rows are cards on a telephone, so that no table scrolls sideways.
    assert max(found["wide"]) <= 0
    # Nor does a long name leave a number the room of one letter.
    assert max(found["lines"]) < 6
    # A keyboard gets to tables.
    assert found["focused"]
    assert all(found["focused"])
    assert found["pictures"]
    assert all(200 < size <= found["width"] and n > 5 for size, n in found["pictures"])
    dark, light = "rgb(20, 23, 27)", "rgb(255, 255, 255)"
    assert found["background"] == (dark if scheme == "dark" else light)
    assert found["color"] != found["background"]


@pytest.mark.long
@whole_suite
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.skipif(not shutil.which("pdftotext"), reason="there is no pdftotext here")
def test_page_on_paper(page, tmp_path):
    """Every column of every table is on the paper, and pages are few."""
    text = print_on_paper(page, tmp_path)
    assert text.count("\f") <= 5
    tables = text.partition("Pictures")[0]
    for task in ("first_task", "second_task", "third_task"):
        assert task in tables.replace("\n", "")
    assert len(re.findall(r"\d\.\d+ \(\d\.\d+\)", tables)) >= 8 * 2
    assert "Every verdict in a sentence" not in text


def print_on_paper(page, folder, size="Letter"):
    """Return the text of the pages, each of which ends with a form feed."""
    copy, path = folder / f"{size}.html", folder / f"{size}.pdf"
    text = page.read_text("utf-8")
    assert "@page { margin" in text
    copy.write_text(text.replace("@page { margin", f"@page {{ size: {size}; margin"))
    start_chromium(folder, f"--print-to-pdf={path}", copy.as_uri())
    command = ["pdftotext", "-layout", str(path), "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
@whole_suite
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.skipif(not shutil.which("pdftotext"), reason="there is no pdftotext here")
@pytest.mark.parametrize("size", ["A4", "Letter"])
@pytest.mark.parametrize("n_models", [3, 12])
def test_pages_are_few(n_models, size, tmp_path):
    """Of eight tasks, or twelve models, with no line to copy on two of them."""
    pytest.importorskip("matplotlib")
    source, path = "docs/examples/games.csv", tmp_path / "out.html"
    if n_models == 12:
        source = tmp_path / "scores.csv"
        scores = np.random.default_rng(0).normal(np.arange(12.0), 1.0, (10, 12))
        lines = [",".join(f"m{k}" for k in range(12))]
        lines += [",".join(f"{x:.3f}" for x in row) for row in scores]
        source.write_text("\n".join([*lines, ""]))
    command = ["compare", str(source), "--unit", "run", "--report", str(path)]
    assert main(command) == 0
    pages = print_on_paper(path, tmp_path, size).split("\f")
    assert len(pages) - 1 <= 4
    (signed,) = (x for x in pages if "|test:aso|" in x)
    (line,) = re.findall(r"'sigarray:.*?'", re.sub(r"\s+", "", signed))
    assert line in html.unescape(path.read_text("utf-8"))
    # No page has a heading alone, between the lines that the browser adds.
    assert min(sum(1 for y in x.split("\n") if y.strip()) for x in pages[:-1]) > 4
