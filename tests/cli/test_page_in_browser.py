"""The page of `--report` in Chromium: at two widths, light and dark, by keyboard."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from tests.backends import whole_suite

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
# What the page itself does not have: a script, to measure it.
MEASURE = """<script>
const body = getComputedStyle(document.body);
const places = [...document.querySelectorAll("[tabindex]")];
document.title = JSON.stringify({
  overflow: document.documentElement.scrollWidth - innerWidth,
  background: body.backgroundColor, color: body.color,
  focused: places.map(x => { x.focus(); return document.activeElement === x; }),
  pictures: [...document.images].map(x => [x.complete, x.naturalWidth, x.clientWidth]),
  wide: places.map(x => x.scrollWidth > x.clientWidth),
});
</script>"""


@pytest.fixture
def page(write, run, tmp_path):
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    names = ["a_model_with_a_long_name_" * 3, *"bcdefgh"]
    rows = [
        f"{m},{t},{k},{i + rng.normal():.4f}"
        for i, m in enumerate(names)
        for t in ("first_task", "second_task", "third_task")
        for k in range(5)
    ]
    path = tmp_path / "out.html"
    source = write("\n".join(["model,task,seed,score", *rows, ""]))
    assert run("compare", source, "--report", str(path))[0] == 0
    return path


@whole_suite
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.parametrize("width", [420, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page(page, tmp_path, width, scheme):
    copy = tmp_path / "measured.html"
    copy.write_text(page.read_text("utf-8").replace("</body>", f"{MEASURE}</body>"))
    process = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--disable-background-networking", "--disable-sync", "--no-first-run"),
            *("--hide-scrollbars", f"--window-size={width},900"),
            *(["--force-dark-mode"] if scheme == "dark" else []),
            f"--user-data-dir={tmp_path / 'profile'}",
            copy.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    (title,) = re.findall(r"<title>(\{.*?\})</title>", process.stdout)
    found = json.loads(title.replace("&quot;", '"'))
    # Tables that are too wide scroll by themselves, and a keyboard gets to them.
    assert found["overflow"] <= 0
    assert found["focused"]
    assert all(found["focused"])
    assert any(found["wide"])
    assert all(done and size and shown for done, size, shown in found["pictures"])
    dark, light = "rgb(20, 23, 27)", "rgb(255, 255, 255)"
    assert found["background"] == (dark if scheme == "dark" else light)
    assert found["color"] != found["background"]
