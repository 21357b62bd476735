"""Pictures of `sigarray compare`, in files of every kind."""

import pytest

from sigarray._cli import picture_files as picture_room

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("options", [[], ["--test", "t"], ["--columns", "a,c"]])
@pytest.mark.parametrize(
    ("end", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_pictures(wide, run, tmp_path, options, end, start):
    path = tmp_path / f"out.{end}"
    code, out, _ = run("compare", wide, *options, "--plot", str(path))
    assert code == 0
    assert "Method: " in out
    assert path.read_bytes().startswith(start)
    assert sorted(x.name for x in tmp_path.iterdir()) == [path.name, "scores.csv"]


def test_what_is_drawn(wide, long, run, monkeypatch):
    captions = []
    save = picture_room.save_pictures

    def note(pictures, path):
        captions.append([picture.caption for picture in pictures])
        save(pictures, path)

    monkeypatch.setattr("sigarray._cli.compare.save_pictures", note)
    monkeypatch.setattr(picture_room, "write_file", lambda path, data: None)
    for options in (
        [wide],
        [wide, "--columns", "a,b"],
        [wide, "--test", "t"],
        [wide, "--test", "t", "--columns", "b,c"],
        [long],
    ):
        assert run("compare", *options, "--plot", "x.pdf")[0] == 0
    all_pairs, scores = "Differences of the means of every two models", "Scores"
    starts = [
        [all_pairs, "Bounds eps_min of every", "Models by their mean", scores],
        ["Differences of the means of a and b", "b and a: all scores", scores],
        [all_pairs, scores],
        ["Differences of the means of b and c", scores],
        ["Differences of the means of a and b", scores, scores],
    ]
    for found, expected in zip(captions, starts, strict=True):
        assert len(found) == len(expected)
        for caption, start in zip(found, expected, strict=True):
            assert caption.startswith(start)
    assert captions[0][0].endswith(
        "Welch's intervals of differences, 95 % confidence for all 3 together."
    )
    assert "Welch's interval of the difference, 95 % confidence" in captions[3][0]
    assert "Student's intervals" in captions[4][0]


def test_the_picture_of_two_models_has_the_verdict_of_the_table(
    write, run, monkeypatch
):
    """Where one-sided p is 0.048, and two-sided 0.095."""
    drawn = []
    save = "sigarray._cli.compare.save_pictures"
    monkeypatch.setattr(save, lambda pictures, _: drawn.extend(pictures))
    rows = zip([0.5, 10, 11, 12, 13], [0, 0.6, 1, 2, 3], strict=True)
    path = write("a,b\n" + "".join(f"{x},{y}\n" for x, y in rows))
    _, out, _ = run("compare", path, "--plot", "x.svg")
    assert "a vs. b: inconclusive" in out
    assert "no verdict for a" in drawn[-2].figure.axes[1].texts[0].get_text()
    _, out, _ = run("compare", path, "--confidence-level", "0.9", "--plot", "x.svg")
    assert "a is better than b: eps_min = 0.031" in " ".join(out.split())
    assert drawn[-2].figure.axes[1].texts[0].get_text().endswith("a is better")
