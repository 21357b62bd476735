"""Ranks with intervals that follow from verdicts: who is shown to be better."""

import itertools
import json

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.aggregates import find_ranks

LEADS = {"a": 0.0, "b": 0.05, "c": 0.5, "d": 0.45, "e": 1.0}


def draw(leads=LEADS, sizes=(4,) * 6, seed=0):
    rng = np.random.default_rng(seed)
    return {
        f"t{k}": {x: np.round(y + 0.2 * rng.normal(size=n), 3) for x, y in by}
        for k, n in enumerate(sizes)
        for by in [leads.items()]
    }


def compare(scores, statistic="mean", **options):
    options = {"test": "t", "unit": "run"} | options
    return compare_models(scores, statistic=statistic, **options)


def list_by_permutations(names, wins):
    """Return the first and the last place of each model in all orders of the wins."""
    orders = [
        order
        for order in itertools.permutations(names)
        if all(order.index(a) < order.index(b) for a, b in wins)
    ]
    places = {x: [order.index(x) + 1 for order in orders] for x in names}
    return {x: (min(of), max(of)) for x, of in places.items()}


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("paired", [False, True])
def test_intervals_are_the_places_that_verdicts_leave(higher_is_better, paired):
    options = {"higher_is_better": higher_is_better, "paired": paired}
    x = compare(draw(), **options).over_these_tasks
    assert 0 < len(x.wins) < len(x.pairs)
    found = {name: (of.low, of.high) for name, of in x.ranks.items()}
    assert found == list_by_permutations(list(LEADS), x.wins)
    sign = 1 if higher_is_better else -1
    in_order = sorted(LEADS, key=lambda name: -sign * x.values[name])
    assert [x.ranks[name].rank for name in in_order] == [1, 2, 3, 4, 5]
    assert all(of.low <= of.rank <= of.high for of in x.ranks.values())


def test_a_chain_that_is_not_decided_throughout():
    """A is better than c alone: b may be first, second or last."""
    values = {"a": 2.0, "b": 1.5, "c": 1.0}
    ranks = find_ranks(
        values, dict.fromkeys(values, 0.0), [("a", "c")], higher_is_better=True
    )
    assert ranks == {"a": (1, 1, 2), "b": (2, 1, 3), "c": (3, 2, 3)}


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.filterwarnings("ignore:statistic=.median. of 15 runs")
def test_models_that_differ_by_rounding_share_the_first_of_their_ranks(statistic):
    x = np.asarray([0.1, 0.2, 0.3, 0.7, 0.35])
    of_models = {"a": x, "b": np.roll(x, 2), "c": x - 0.05, "d": x + 0.001}
    scores = {
        f"t{k}": {name: y + 0.1 * k for name, y in of_models.items()} for k in range(3)
    }
    options = {} if statistic == "mean" else {"n_resamples": 99, "rng": 0}
    ranks = compare(scores, statistic, **options).over_these_tasks.ranks
    assert {name: of.rank for name, of in ranks.items()} == {
        "d": 1,
        "a": 2,
        "b": 2,
        "c": 4,
    }


def test_each_output_has_them():
    result = compare(draw())
    ranks = result.over_these_tasks.ranks
    table = result.tables[1]
    assert table.title.endswith("each; ranks, 95 % confidence for all 5 together")
    place = table.header.index("rank, interval")
    shown = {row[0]: row[place] for row in table.rows}
    assert shown == {x: f"{r} [{low}, {high}]" for x, (r, low, high) in ranks.items()}
    assert "group" not in table.header
    said = "Intervals of ranks follow from the verdicts over these 6 tasks"
    assert said in " ".join(str(result).split())
    models = json.loads(result.to_json())["over_these_tasks"]["models"]
    for name, rank in ranks.items():
        fields = ("rank", "rank_low", "rank_high")
        assert tuple(models[name][x] for x in fields) == rank
        cell = "{}\\ [{}, {}]".format(*rank)
        assert f"{name} & " in result.to_latex()
        assert cell in result.to_latex()
        assert shown[name] in result._repr_html_()
    frame = result.to_frame()
    these = frame[frame["task"] == "these tasks"]
    for row in these.itertuples():
        assert (row.rank_a, row.rank_low_a, row.rank_high_a) == ranks[row.model_a]
        assert (row.rank_b, row.rank_low_b, row.rank_high_b) == ranks[row.model_b]
    assert frame[frame["task"] == "t0"]["rank_a"].isna().all()


@pytest.mark.parametrize(
    ("models", "options"),
    [("abc", {"baseline": "a"}), ("abc", {"corrected": False}), ("ab", {})],
)
def test_there_are_none_without_a_verdict_on_each_of_several_pairs(models, options):
    scores = draw({name: LEADS[name] for name in models})
    result = compare(scores, **options)
    assert result.over_these_tasks.ranks == {}
    assert "rank, interval" not in str(result)
    assert "ranks, 95" not in str(result)
    models = json.loads(result.to_json())["over_these_tasks"]["models"]
    assert all("rank" not in x for x in models.values())
    assert result.to_frame()["rank_a"].isna().all()


@pytest.mark.filterwarnings("ignore:statistic=.median. of 12 runs")
def test_of_one_task():
    (scores,) = draw({"a": 0.0, "b": 0.1, "c": 2.0}, sizes=(12,)).values()
    result = compare(scores, "median", n_resamples=999, rng=0)
    assert result.over_these_tasks.ranks["c"] == (1, 1, 1)
    assert "ranks follow from the verdicts: a" in " ".join(result.sentences)
