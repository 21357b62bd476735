"""Which pictures a comparison has, and what they show."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from sigarray import compare_models, read
from sigarray._verdicts.pictures import say_metric
from tests.plot.conftest import find_lines, read_legend, read_ticks

pytest.importorskip("matplotlib")


def make_tasks(n_tasks, n_models, scale=1.0):
    """Make up scores of 6 runs, of tasks whose scales grow by a factor."""
    rng = np.random.default_rng(0)
    return {
        f"t{t}": {
            f"m{k}": scale**t * (rng.normal(size=6) - 2.0 * k) for k in range(n_models)
        }
        for t in range(n_tasks)
    }


def compare(scores, **options):
    return compare_models(scores, **{"test": "t", "unit": "run"} | options)


def find_panels(result):
    """Return the picture of differences on each task, or, of one, the first."""
    pictures = result.list_pictures()
    return next((x for x in pictures if _EACH in x.caption.lower()), pictures[0])


_EACH = "differences of the means"


def list_captions(result):
    return [picture.caption.partition(":")[0] for picture in result.list_pictures()]


def list_panels(figure):
    """Return {task: axes}, and nothing above them."""
    named = {ax.get_title(): ax for ax in figure.axes}
    return {task: ax for task, ax in named.items() if " over " not in task}


def test_tasks_have_a_panel_each_in_the_first_picture():
    scores = make_tasks(5, 3, scale=10.0)
    result = compare(scores)
    first, board, *rest = result.list_pictures()
    panels = list_panels(first.figure)
    assert list(panels) == list(scores)
    for task, ax in panels.items():
        verdicts = {
            (x.model_a, x.model_b): x.better for x in result.verdicts if x.task == task
        }
        records = [x for x in result.records if x["task"] == task]
        marks = find_lines(ax, "difference")
        bars = find_lines(ax, "interval")
        assert len(records) == len(marks) == 3
        for mark, bar, record in zip(marks, bars, records, strict=True):
            # The intervals of the table, for all 15 together.
            assert mark.get_xdata()[0] == record["mean_difference"]
            low, high = record["difference_low"], record["difference_high"]
            assert tuple(bar.get_xdata()) == (low, high)
            better = verdicts[record["model_a"], record["model_b"]]
            shape = {record["model_a"]: ">", record["model_b"]: "<", None: "o"}[better]
            assert mark.get_marker() == shape
    assert read_ticks(panels["t0"].yaxis) == ["m0 vs. m1", "m0 vs. m2", "m1 vs. m2"]
    assert read_ticks(panels["t1"].yaxis) == [""] * 3
    assert "95 % confidence for all 15 together" in first.caption
    assert "m0 minus m2 on t3: +" in first.description
    assert board.caption.startswith("Mean scores on 5 tasks")
    assert rest.pop(0).caption.startswith(
        "Models by their mean rank over tasks like these 5"
    )
    assert [x.caption.partition(",")[0] for x in rest] == [
        f"Scores on {x}" for x in scores
    ]


def test_models_have_one_order_on_all_tasks_and_may_lack_some():
    scores = make_tasks(3, 3)
    del scores["t1"]["m1"]
    scores["t2"] = dict(
        zip(scores["t2"], list(scores["t2"].values())[::-1], strict=True)
    )
    panels = list_panels(find_panels(compare(scores)).figure)
    # By the means over the two tasks that all have.
    every = ["m1 vs. m0", "m1 vs. m2", "m0 vs. m2"]
    labels = [read_ticks(ax.yaxis) for ax in panels.values()]
    assert labels == [every, ["m0 vs. m2"], every]
    (mark,) = (
        x for x in find_lines(panels["t2"], "difference") if x.get_ydata()[0] == 1
    )
    assert mark.get_marker() == "<"


@pytest.mark.parametrize(
    ("n_tasks", "n_models", "scale", "expected"),
    [
        # Over few tasks; rows of one picture, or a panel each where scales differ.
        (
            *(4, 2, 1.0),
            [
                ("Differences of the means, m0 minus m1", 1),
                ("Mean scores", 1),
            ],
        ),
        (4, 2, 9.0, [("Differences of the means, m0 minus m1", 4), ("Mean scores", 1)]),
        (8, 3, 1.0, [("Differences of means over tasks like", 9), ("Mean scores", 1)]),
        # Too many tasks, or models, for panels.
        (13, 3, 1.0, [("Differences of means over", 1), ("Mean scores on 13", 1)]),
        (
            *(2, 17, 1.0),
            [("Differences of the means, m0 minus each", 2), ("Mean scores on 2", 1)],
        ),
        pytest.param(
            *(2, 42, 1.0, [("Mean scores on 2 tasks", 1)]), marks=pytest.mark.long
        ),
        (2, 7, 1.0, [("Differences of means over", 3), ("Models by their mean", 1)]),
        (1, 3, 1.0, [("Differences of", 1), ("Models by their mean score", 1)]),
        (
            *(1, 7, 1.0),
            [
                ("Differences of the means, m0 minus each other model", 1),
                ("Models by their mean score", 1),
                ("Scores on t0", 1),
            ],
        ),
        (1, 42, 1.0, [("Models by their mean score", 1), ("Scores on t0", 1)]),
    ],
)
def test_the_first_pictures_are_those_that_decide(n_tasks, n_models, scale, expected):
    pictures = compare(make_tasks(n_tasks, n_models, scale)).list_pictures()
    for picture, (start, n_axes) in zip(pictures, expected, strict=False):
        assert picture.caption.startswith(start)
        assert len(picture.figure.axes) == n_axes
        assert picture.description.endswith(".")
    assert len(pictures) >= len(expected)


def test_names_with_commas_are_whole_above_the_picture():
    tasks = make_tasks(13, 7, 1.0)
    named = {t: {f"{m}, large": x for m, x in by.items()} for t, by in tasks.items()}
    result = compare_models(named, statistic="improvement", unit="run")
    (ax,) = result.list_pictures()[0].figure.axes
    best = result.over_these_tasks.order.names[0]
    said = [ax.get_xlabel(), *(x.get_text() for x in ax.figure.texts)]
    assert any(f"P({best} is better) over these 13 tasks" in x for x in said), said


@pytest.mark.parametrize("statistic", [None, "mean"])
@pytest.mark.parametrize("baseline", [None, "m3"])
def test_means_on_tasks_are_in_the_order_of_the_tables(statistic, baseline):
    rng = np.random.default_rng(0)
    scores = {
        f"t{t}": {f"m{k}": 0.2 * k + rng.normal(size=5) for k in range(4)}
        for t in range(6)
    }
    result = compare_models(scores, statistic=statistic, baseline=baseline)
    (ax,) = next(
        x.figure.axes for x in result.list_pictures() if "Mean scores" in x.caption
    )
    names = [x.get_text() for x in ax.get_yticklabels()]
    these, over = result.over_these_tasks, result.over_tasks
    assert names == (over if these is None else these).order.names


@pytest.mark.parametrize("n_runs", [5, 12])
def test_a_picture_says_that_runs_are_too_few(n_runs):
    rng = np.random.default_rng(0)
    scores = {f"m{k}": rng.normal(size=n_runs) for k in range(16)}
    with warnings.catch_warnings(action="ignore"):
        result = compare_models(scores)
    (picture,) = (x for x in result.list_pictures() if "Models by" in x.caption)
    (key,) = picture.figure.axes[0].get_legend().get_texts()
    assert (key.get_text() == "too few runs for any verdict") == (n_runs == 5)


def test_models_by_their_mean_are_joined_where_none_is_better():
    rng = np.random.default_rng(0)
    scores = {f"m{k}": rng.normal(size=8) + 0.9 * k for k in range(8)}
    result = compare(scores)
    (picture,) = (x for x in result.list_pictures() if "Models by" in x.caption)
    (ax,) = picture.figure.axes
    stems = [x.get_xdata()[0] for x in find_lines(ax, "stem")]
    names = [x.get_text() for x in ax.texts if x.get_label() == "model"]
    means = {name: x.mean() for name, x in scores.items()}
    assert names == sorted(means, key=lambda name: -means[name])
    np.testing.assert_allclose(stems, [means[name] for name in names])
    left, right = ax.get_xlim()
    assert left > right  # the best on the left
    at = dict(zip(stems, names, strict=True))
    joined = [[at[x] for x in bar.get_xdata()] for bar in find_lines(ax, "bar")]
    together = {frozenset((a, b)) for bar in joined for a in bar for b in bar if a != b}
    undecided = {
        frozenset((x.model_a, x.model_b)) for x in result.verdicts if x.better is None
    }
    assert together == undecided
    assert 0 < len(undecided) < 28


def test_two_models_on_items_have_their_table_and_its_simultaneous_interval():
    a, b = (np.arange(60) % 10 < k for k in (8, 5))
    scores = {"a": a * 1.0, "b": b * 1.0}
    result = compare(scores, test="permutation", unit="item", paired=True)
    first, *rest = result.list_pictures()
    table, lower = first.figure.axes
    assert [x.get_text().splitlines()[0] for x in table.texts] == [
        "both",
        "a alone",
        "b alone",
        "neither",
    ]
    (record,) = result.records
    (bar,) = find_lines(lower, "interval")
    limits = record["difference_low"], record["difference_high"]
    assert tuple(bar.get_xdata()) == limits
    assert read_legend(lower) == ["a is better"]
    assert "Newcombe's interval" in first.caption
    assert first.description.startswith("both: 30 (50 %); a alone: 18")
    assert [x.caption[:6] for x in rest] == ["Scores"]


def test_a_baseline_is_compared_with_each_other_one():
    rng = np.random.default_rng(0)
    scores = {f"m{k}": rng.normal(size=6) - 0.3 * k for k in range(45)}
    result = compare(scores, baseline="m7")
    first, *rest = result.list_pictures()
    (ax,) = first.figure.axes
    names = read_ticks(ax.yaxis)
    assert len(names) == 40
    assert all(name.endswith(" vs. m7") for name in names)
    assert ax.get_xlabel().endswith("not drawn: 4 pairs after these")
    assert not any("Models by" in x.caption for x in rest)


def test_unequal_models_have_a_mark_of_their_own():
    rng = np.random.default_rng(3)
    levels = np.repeat([1.0, -4.0], (32, 8))  # mostly ahead, or far behind
    noise = rng.normal(0.0, 0.1, (2, 40))
    scores = {"a": noise[0] + levels, "b": noise[1]}
    result = compare(scores, test="aso")
    (ax,) = result.list_pictures()[0].figure.axes
    said = read_legend(ax)
    (mark,) = find_lines(ax, "difference")
    assert "not equal, but neither is shown to be better" in result.sentences[0]
    assert said == ["unequal"]
    assert mark.get_fillstyle() == "bottom"


def test_two_models_have_their_mean_over_tasks_below_the_tasks():
    result = compare(make_tasks(6, 2))
    picture = result.list_pictures()[0]
    (ax,) = picture.figure.axes
    assert read_ticks(ax.yaxis) == [*(f"t{k}" for k in range(6)), "overall"]
    mark, bar = (find_lines(ax, label)[-1] for label in ("difference", "interval"))
    (pair,) = result.over_tasks.pairs
    assert mark.get_xdata()[0] == pair.difference
    assert tuple(bar.get_xdata()) == tuple(pair.interval)
    assert pair.better == "m0"
    assert mark.get_marker() == ">"
    overall = "Overall, Student's interval of the mean over tasks like these, 95 % "
    overall += "confidence by itself; its verdict is by ranks, and may be inconclusive "
    overall += "though the interval excludes 0."
    assert picture.caption.endswith(overall)
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told[-1] == "mean over tasks like these"


def test_the_answer_over_tasks_is_the_first_picture():
    """It is that of the headline, and not of single tasks."""
    result = compare(make_tasks(12, 3, scale=10.0))
    picture, *_ = result.list_pictures()
    assert picture.caption.startswith("Differences of means over tasks like these 12")
    ax, *panels = picture.figure.axes
    assert [x.get_title() for x in panels] == [f"t{k}" for k in range(12)]
    assert ax.get_title().startswith("means over tasks like these 12, 95 % confidence")
    marks, bars = (find_lines(ax, label) for label in ("difference", "interval"))
    pairs = result.over_tasks.pairs
    assert [x.better for x in pairs] == ["m0", "m0", "m1"]
    for pair, mark, bar in zip(pairs, marks, bars, strict=True):
        assert mark.get_xdata()[0] == pair.difference
        assert tuple(bar.get_xdata()) == tuple(pair.interval)
        assert mark.get_marker() == ">"
        assert f"{pair.better} is better" in picture.description


def test_of_many_models_the_best_is_compared_with_each_other_one():
    """By the intervals that hold for all pairs together, as in the table."""
    scores = make_tasks(3, 8)
    scores["t1"] = {name: -x for name, x in scores["t1"].items()}
    for picked in (scores, {"t0": scores["t0"]}):
        result = compare(picked, statistic="mean" if len(picked) > 1 else None)
        picture = result.list_pictures()[0]
        assert "m0 minus each other model" in picture.caption
        every = len(result.verdicts)
        assert f"95 % confidence for all {every} together" in picture.caption
        axes = picture.figure.axes[-len(picked) :]
        for (task, by), ax in zip(picked.items(), axes, strict=True):
            limits = {
                x["model_b"]: (x["difference_low"], x["difference_high"])
                for x in result.records
                if x["model_a"] == "m0" and x["task"] in (task, "")
            }
            bars = [tuple(x.get_xdata()) for x in find_lines(ax, "interval")]
            assert bars == [limits[name] for name in list(by)[1:]]


def test_models_of_many_tasks_are_at_their_mean_ranks():
    result = compare(make_tasks(13, 4))
    over = result.over_tasks
    _, board, by_rank = result.list_pictures()
    order = sorted(over.mean_ranks, key=over.mean_ranks.get)
    assert read_ticks(board.figure.axes[0].yaxis) == order
    (ax,) = by_rank.figure.axes
    stems = [x.get_xdata()[0] for x in find_lines(ax, "stem")]
    assert stems == sorted(over.mean_ranks.values())
    at = dict(zip(stems, order, strict=True))
    joined = {
        frozenset((at[x], at[y]))
        for bar in find_lines(ax, "bar")
        for x in bar.get_xdata()
        for y in bar.get_xdata()
        if x != y
    }
    assert joined == {frozenset((x.a, x.b)) for x in over.pairs if x.better is None}


LONG = [
    "resnet, wide, lr=0.1, augmented with mixup",
    "resnet, wide, lr=0.01, augmented with mixup",
    "resnet, deep, lr=0.1, augmented with cutmix",
]


@pytest.mark.parametrize("n_tasks", [1, 2, 3, 5])
def test_pairs_with_long_names_are_read_as_two(n_tasks):
    """With as many words of each as there is room for, and none cut in between."""
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(k, 0.1, 6) for k, name in enumerate(LONG)}
    result = compare({f"t{k}": scores for k in range(n_tasks)})
    figure = result.list_pictures()[0].figure
    labels = read_ticks(figure.axes[0].yaxis)
    assert len({*labels}) == 3
    names = {name for label in labels for name in label.split(" vs. ")}
    assert len(names) == 3
    assert all(label.count(" vs. ") == 1 for label in labels)
    assert max(map(len, labels)) <= 52
    assert min(map(len, names)) >= (16 if n_tasks <= 3 else 13)
    if n_tasks <= 3:  # whole words
        assert {x.strip("…, ") for x in names} == {
            x[8:].partition(", a")[0] for x in LONG
        }
    assert figure.get_figwidth() == pytest.approx(7.0)
    # They are within the picture, and leave room for what is drawn.
    figure.draw_without_rendering()
    (first, *_) = figure.axes
    assert all(x.get_window_extent().x0 >= 0.0 for x in first.get_yticklabels())
    assert first.get_position().width * 7.0 > 1.0


def test_pairs_with_short_names_take_one_column():
    figure = compare(make_tasks(1, 3)["t0"]).list_pictures()[0].figure
    assert figure.get_figwidth() < 3.5


def test_a_verdict_that_differs_from_its_interval_is_explained_once():
    """Beside the marks, and in the caption; not where both say the same."""
    noise = np.random.default_rng(1).normal(size=(3, 12))
    noise -= noise.mean(axis=1, keepdims=True)
    # Holm's correction decides the last pair at 0.05, and its interval is at 0.05 / 3.
    for lead, is_said in ((0.0, False), (6.0, False), (0.7, True)):
        leads = [0.0, lead, 9.0 if is_said else 2.0 * lead]
        scores = {f"m{k}": x + leads[k] for k, x in enumerate(noise)}
        result = compare(scores, test="permutation", unit="item")
        picture = result.list_pictures()[0]
        differ = [
            (x["difference_low"] <= 0.0 <= x["difference_high"])
            == (x["better"] is not None)
            for x in result.records
        ]
        assert any(differ) == is_said
        said = "by the test, some models are called better though 0 is in the interval"
        assert read_foot(picture.figure).count(said) == is_said
        assert picture.caption.count("one may be clear where the other is") == is_said


def test_kinds_of_intervals_are_named_once():
    """Though sizes differ on some tasks only, which the clause says itself."""
    rng = np.random.default_rng(2)
    scores = {
        f"t{k}": {"a": rng.normal(size=5), "b": rng.normal(size=5 + k % 2)}
        for k in range(4)
    }
    caption = find_panels(compare(scores, test="permutation")).caption
    assert caption.count("Welch's") == 1
    assert "with fewer degrees of freedom where sizes differ" in caption


def read_foot(figure):
    """Return what small letters say below all axes."""
    foot = min(figure.texts, key=lambda x: x.get_position()[1])
    return " ".join(foot.get_text().split())


def test_the_axis_of_wins_says_that_they_are_shares():
    assert say_metric(["win", "win"]) == "difference in share of wins"
    assert say_metric(["win_rate"]) == "difference in win_rate"
    assert say_metric(["win", "acc"]) == "difference in score"


def test_the_axis_says_of_what_differences_are_and_how_sure_intervals_are():
    """And nothing there, nor above the axes, is beyond the edge of the picture."""
    names = ["meta-llama__Llama-3.1-8B-Base", "meta-llama__Llama-3.1-8B-Instruct"]
    noise = np.random.default_rng(3).normal(size=(2, 3, 6))
    scores = {
        f"t{t}": {f"m{k}": by[k] - 9.0 * k for k in range(3)}
        for t, by in enumerate(noise)
    }
    short = compare(scores["t0"]).list_pictures()[0].figure
    assert short.axes[0].get_xlabel() == "difference in score"
    assert read_foot(short) == "95 % confidence for all 3 together"
    panels = find_panels(compare(scores)).figure
    assert panels.get_supxlabel() == "difference in score"
    said = "right of 0, first is ahead; on each task, 95 % confidence for all 6 "
    assert read_foot(panels) == f"{said}together"
    of_two = {
        t: dict(zip(names, by.values(), strict=False)) for t, by in scores.items()
    }
    long = find_panels(compare(of_two)).figure
    texts = [x.get_text().strip() for x in long.axes[0].texts]
    assert texts == [
        "\u2190 better: Llama-3.1-8B-Instruct",
        "better: Llama-3.1-8B-Base \u2192",
    ]
    scores |= {f"u{k}": scores["t0"] for k in range(11)}  # too many for panels
    over = compare(scores, statistic="mean").list_pictures()
    over = next(x.figure for x in over if "over these 13 tasks" in x.caption)
    assert over.axes[0].get_xlabel() == "difference in score"
    assert read_foot(over).startswith("means over these 13 tasks, 95 %")
    for figure in (short, panels, long, over):
        figure.draw_without_rendering()
        boxes = [x.get_window_extent() for x in figure.texts]
        foot, *others = sorted(boxes, key=lambda x: x.y0)
        assert all(x.y0 >= foot.y1 for x in others)
        assert 0.0 <= foot.y0 < foot.y1 < 0.2 * figure.bbox.height
        assert foot.x1 <= figure.bbox.width
        for ax in figure.axes:
            box = ax.get_tightbbox()
            assert min(box.x0, figure.bbox.width - box.x1) >= -1.0
            assert box.y0 >= max(x.y1 for x in boxes if x.y0 < 0.2 * box.y1) - 1.0


def test_pictures_have_long_names_and_the_metric():
    """Of tasks with several metrics, they say none."""
    names = [f"meta-llama/Meta-Llama-3.1-{x}B-Instruct" for x in (8, 70, 405)]
    draw = np.random.default_rng(0)
    rows = [
        (name, task, metric, draw.normal(k))
        for k, name in enumerate(names)
        for task, metric in (("t", "test/acc"), ("u", "f1"))
        for _ in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["model", "task", "metric", "value"])
    first = frame[frame["task"] == "t"].drop(columns="task")
    of_three = compare(read.scores(first)).list_pictures()
    of_two = compare(read.scores(first[first["model"] != names[0]])).list_pictures()
    (models,) = (x.figure.axes[0] for x in of_three if "Models by" in x.caption)
    texts = {x.get_text() for x in models.texts}
    assert {x.removeprefix("meta-llama/") for x in names} <= texts
    assert "mean test/acc (best on the left)" in texts
    assert of_three[-1].figure.axes[0].get_xlabel() == "test/acc (higher is better)"
    legend = read_legend(of_two[0].figure.axes[0])
    assert "Meta-Llama-3.1-405B-Instruct is better" in legend
    of_tasks = compare(read.scores(frame, metric=["test/acc", "f1"])).list_pictures()
    assert of_tasks[0].figure.get_supxlabel() == "difference"


def test_the_baseline_has_its_name_on_its_side():
    scores = make_tasks(2, 3)
    figure = compare(scores["t0"], baseline="m1").list_pictures()[0].figure
    texts = [x.get_text() for x in figure.axes[0].texts]
    assert texts == ["\u2190 better: m1", "better: the other model \u2192"]
    assert "m1 is better" in read_legend(figure.axes[0])
    panels = find_panels(compare(scores, baseline="m1")).figure
    assert "right of 0, the other model is ahead" in read_foot(panels)


@pytest.mark.parametrize("n_items", [None, 3])
def test_bounds_are_those_of_pairs_with_the_baseline(n_items):
    """Of runs, and of items in several runs: others were not compared."""
    scores = make_tasks(1, 4)["t0"]
    options = {"test": "aso", "n_resamples": 50}
    if n_items is not None:
        rows = [
            {"model": name, "run": r, "item": i, "score": x + 0.1 * i}
            for name, xs in scores.items()
            for r, x in enumerate(xs)
            for i in range(n_items)
        ]
        scores = pytest.importorskip("pandas").DataFrame(rows)
        options["unit"] = "run,item"
    result = compare(scores, baseline="m1", **options)
    bounds = json.loads(result.to_json())["eps_min"]
    known = [[x is not None for x in row] for row in bounds]
    names = ["m0", "m1", "m2", "m3"]
    assert known == [[a == b or "m1" in (a, b) for b in names] for a in names]
    (caption,) = (x for x in list_captions(result) if "eps_min" in x)
    assert caption == (
        "Bounds eps_min of each other model and the baseline m1. Blank cells"
    )
    every = compare(scores, **options)
    assert not any(None in row for row in json.loads(every.to_json())["eps_min"])
    assert "Bounds eps_min of every two models." in list_captions(every)


def test_panels_have_the_answer_over_tasks_above():
    rng = np.random.default_rng(0)
    scores = {
        f"t{k}": {m: rng.normal(1.2 * i, 0.5, 5) for i, m in enumerate("abc")}
        for k in range(9)
    }
    result = compare_models(scores, unit="run", test="aso")
    pictures = result.list_pictures()
    (figure,) = (x.figure for x in pictures if "on each task" in x.caption)
    answer = "Ranking over tasks like these 9: c > b > a"
    assert " ".join(figure.get_suptitle().split()) == answer
    told = read_foot(figure)
    of_marks = "some models are called better though 0 is in the interval"
    assert f"; by almost stochastic order, {of_marks}" in told
    # Intervals are seen beside each other: tasks have one scale.
    top, *panels = figure.axes
    assert len({ax.get_xlim() for ax in panels}) == 1
    assert top.get_xlim() != panels[0].get_xlim()
    wide = {
        t: {m: 99.0 * (t == "t0") * x + x for m, x in y.items()}
        for t, y in scores.items()
    }
    (figure,) = (
        x.figure
        for x in compare(wide, test="aso").list_pictures()
        if "on each task" in x.caption
    )
    assert len({ax.get_xlim() for ax in figure.axes[1:]}) > 1
    of_losses = compare({"t": {"a": [1.0, 2, 3, 4], "b": [-9.0, -8, -7, -6]}}, test="t")
    assert "though" not in read_foot(of_losses.list_pictures()[0].figure)
    figure = pictures[0].figure
    figure.draw_without_rendering()
    (legend,) = figure.legends
    boxes = [x.get_window_extent() for x in (legend, figure._suptitle)]
    assert not boxes[0].overlaps(boxes[1])
