"""`sigarray profile`: the share of scores above each threshold."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from sigarray import performance_profile

N_RUNS, N_TASKS = 5, 4


def draw(seed=0):
    """Return scores (runs, tasks) of two models."""
    rng = np.random.default_rng(seed)
    level = np.linspace(0.5, 1.5, N_TASKS)
    return {
        m: (level + rng.normal(g, 0.3, (N_RUNS, N_TASKS))).round(4)
        for m, g in (("ours", 0.3), ("dqn", 0.0))
    }


@pytest.fixture
def games(write):
    rows = [
        f"{m},t{t},{k},{x[k, t]}"
        for m, x in draw().items()
        for t in range(N_TASKS)
        for k in range(N_RUNS)
    ]
    return write("\n".join(["model,game,seed,score", *rows, ""]))


def profile(run, *arguments):
    code, out, err = run("profile", *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


OPTIONS = ("--task", "game", "--n-resamples", "199")


@pytest.mark.parametrize("more", [(), ("--thresholds", "1.5,0.5,1")])
@pytest.mark.parametrize("is_lower", [False, True])
def test_it_is_the_function_of_arrays(games, run, more, is_lower):
    direction = ("--lower-is-better",) if is_lower else ()
    document = profile(run, games, *OPTIONS, *more, *direction)
    at = np.asarray(document["thresholds"])
    scores = draw()
    if more:
        assert at.tolist() == [0.5, 1.0, 1.5]
    else:
        every = np.concatenate([x.ravel() for x in scores.values()])
        assert {*every.tolist()} < {*at.tolist()}
    sign = -1.0 if is_lower else 1.0
    labels = np.repeat(np.arange(N_TASKS), N_RUNS)
    for name, x in scores.items():
        ordered = np.concatenate([np.sort(x[:, t]) for t in range(N_TASKS)])
        expected = performance_profile(
            sign * ordered, sign * at, strata=labels, n_resamples=199, rng=0
        )
        found = document["models"][name]
        assert found["share"] == pytest.approx(expected.statistic)
        low, high = expected.confidence_interval
        assert (found["low"], found["high"]) == (
            pytest.approx(low),
            pytest.approx(high),
        )
        beyond = np.mean(sign * x.ravel()[:, None] > sign * at, axis=0)
        assert found["share"] == pytest.approx(beyond)


def test_the_design_and_the_width_are_said(games, run):
    _, out, _ = run("profile", games, *OPTIONS)
    text = " ".join(out.split())
    assert "Share of runs above a threshold over these 4 tasks" in text
    assert "at all thresholds at once, 95 % confidence for each model" in text
    assert "of 5 runs of each model on each of 4 tasks" in text
    assert "Bands that overlap are no test" in text
    _, out, _ = run("profile", games, *OPTIONS, "--alpha", "0.1", "--thresholds", "1")
    assert "at these thresholds at once, 90 % confidence" in " ".join(out.split())


def test_orders_of_rows_change_no_number(games, run, write):
    lines = Path(games).read_text("utf-8").splitlines()
    other = write("\n".join([lines[0], *reversed(lines[1:]), ""]), "other.csv")
    found, expected = (profile(run, x, *OPTIONS)["models"] for x in (other, games))
    assert found == expected


def test_csv_has_a_row_for_each_threshold(games, run):
    more = ("--thresholds", "0.5,1", "--format", "csv")
    _, out, _ = run("profile", games, *OPTIONS, *more)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(x["model"], x["threshold"]) for x in rows] == [
        (m, x) for m in ("ours", "dqn") for x in ("0.5", "1.0")
    ]
    assert all(x["low"] < x["share"] < x["high"] for x in rows)


def test_one_model_of_one_task_is_enough(run, write):
    path = write("a\n0.1\n0.2\n0.3\n0.4\n")
    document = profile(run, path, "--thresholds", "0.25", "--n-resamples", "99")
    assert document["models"]["a"]["share"] == [0.5]
    assert document["design"] == "4 runs of the model"


def test_of_many_scores_some_are_thresholds(run, write):
    x = np.random.default_rng(0).normal(size=500).round(6)
    path = write("\n".join(["a", *map(str, x), ""]))
    document = profile(run, path, "--unit", "run", "--n-resamples", "19")
    assert 200 <= len(document["thresholds"]) <= 210
    _, out, _ = run("profile", path, "--unit", "run", "--n-resamples", "19")
    assert "at all thresholds" not in " ".join(out.split())


def test_pictures_are_written(games, run, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "profile.svg"
    more = ("--thresholds", "0.5,1", "--plot", str(path))
    assert run("profile", games, *OPTIONS, *more)[0] == 0
    text = path.read_text()
    assert "share of scores above it" in text
    assert "hold at all thresholds" not in text
    assert "hold at these thresholds at once" in text


def test_a_picture_of_few_thresholds_has_the_profile_between_them(
    games, run, tmp_path, monkeypatch
):
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(
        "sigarray._cli.profile.save_pictures",
        lambda pictures, _: drawn.extend(pictures),
    )
    for direction in ((), ("--lower-is-better",)):
        more = ("--thresholds", "0.5,1", "--plot", str(tmp_path / "a.png"))
        assert run("profile", games, *OPTIONS, *more, *direction)[0] == 0
        (ax,) = drawn.pop().figure.axes
        is_lower = bool(direction)
        lines = [x for x in ax.lines if x.get_drawstyle() != "default"]
        kind = "steps-pre" if is_lower else "steps-post"
        assert [x.get_drawstyle() for x in lines] == [kind] * 2
        order = ["dqn", "ours"] if is_lower else ["ours", "dqn"]
        for line, name in zip(lines, order, strict=True):
            x, y = line.get_xydata().T
            every, sign = draw()[name].ravel(), -1.0 if is_lower else 1.0
            assert {*every} < {*x}
            assert np.allclose(y, np.mean(sign * every[:, None] > sign * x, axis=0))
        assert len(ax.containers) == 2


@pytest.mark.filterwarnings("error")
def test_no_band_is_a_point(run, write):
    path = write("a,b\n1.5,2.1\n2.1,3.2\n3.7,4.1\n2.2,5.3\n")
    more = ("--thresholds", "0.5", "--n-resamples", "99")
    model = profile(run, path, *more)["models"]["a"]
    assert model["share"] == [1.0]
    assert model["low"][0] == pytest.approx(0.025**0.25)  # of 4 scores
    assert " 0.60" in run("profile", path, *more)[1]


@pytest.mark.filterwarnings("error")
def test_unlike_tasks_are_doubted(games, run, write):
    lines = Path(games).read_text("utf-8").splitlines()
    fewer = write("\n".join([x for x in lines if x[:9] != "ours,t1,2"]), "fewer.csv")
    _, _, err = run("profile", fewer, *OPTIONS)
    assert "Models have unlike shares of their runs on tasks" in err
    scaled = [
        f"{x.rsplit(',', 1)[0]},{1e4 * float(x.rsplit(',', 1)[1])}"
        if ",t1," in x
        else x
        for x in lines
    ]
    _, _, err = run("profile", write("\n".join(scaled), "scaled.csv"), *OPTIONS)
    assert "a threshold is one for all of them, so that tables and pictures" in err
    assert "largest scores. Normalize the scores" in err
    lacking = write("\n".join([x for x in lines if x[:7] != "ours,t1"]), "lacking.csv")
    _, _, err = run("profile", lacking, *OPTIONS)
    assert (
        "Profiles are over the 3 tasks that all models have: left out is 't1'." in err
    )


def test_what_it_is_not_for_raises_an_error(run, write):
    rows = [f"{m},{r},q{k},{k % 5}" for m in "ab" for r in "123" for k in range(6)]
    path = write("\n".join(["model,run,item,score", *rows, ""]))
    code, _, err = run("profile", path)
    assert code == 2
    assert "got items in several runs, for which the band would be too narrow" in err
    assert run("profile", path, "--unit", "run", "--n-resamples", "19")[0] == 0
    path = write("model,task,score\na,x,1\na,x,2\nb,x,1\n", "single.csv")
    code, _, err = run("profile", path)
    assert code == 2
    assert "got one of 'b'" in err
    with pytest.raises(SystemExit):
        run("profile", path, "--thresholds", "1,nan")


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_the_thresholds_of_tables_are_among_scores_with_long_tails(write, run, scale):
    """As many scores are between two of them, but for rounding."""
    x = scale * np.exp(np.random.default_rng(0).normal(scale=3.0, size=60))
    path = write("\n".join(["a", *map(str, x), ""]))
    _, out, _ = run("profile", path, "--unit", "run", "--n-resamples", "19")
    (row,) = (y.split() for y in out.splitlines() if y.startswith("a "))
    assert np.allclose([float(y) for y in row[1:-1]], np.arange(5, 0, -1) / 6, atol=0.1)
    assert "one run fewer than there are (Rao" in out
