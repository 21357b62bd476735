"""Margins over these tasks: which models are no worse."""

import itertools
import json

import numpy as np
import pytest

from sigarray import bootstrap_test, t_test
from sigarray._verdicts.margins import adjust_claims
from tests.verdicts.test_aggregates import (
    N_RUNS,
    N_TASKS,
    NAMES,
    as_tables,
    compare,
    draw,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*another seed may decide otherwise")


def test_it_is_said_of_what_margins_are():
    told = "Margins are asked on each task; over tasks like these none is."
    result = compare(draw(), None, margin=0.3)
    assert " ".join(str(result).split()).count(told) == 1
    assert result.sentences.count(told) == 1
    assert told not in str(compare(draw(), None))
    # One that is over these tasks has them.
    assert told not in str(compare(draw(), "mean", margin=0.3))
    (one,) = draw(sizes=(8,)).values()
    assert told not in str(compare(one, None, margin=0.3))


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("statistic", ["mean", "iqm"])
def test_margins_over_these_tasks(statistic, higher_is_better):
    """One-sided tests of both models of each pair, with tasks as strata."""
    scores, margin = draw(leads=(0.02, 0.0, 0.3)), 0.12
    options = {} if statistic == "mean" else {"n_resamples": 199}
    by = {"margin": margin, "higher_is_better": higher_is_better}
    result = compare(scores, statistic, **by, **options)
    strata = np.repeat(np.arange(N_TASKS), N_RUNS)
    side = {"alternative": "greater" if higher_is_better else "less", "margin": margin}
    side |= {"strata": (strata, strata)}
    p_values = {}
    for model, other in itertools.permutations(NAMES, 2):
        tables = as_tables(scores)
        a, b = (np.sort(tables[x], axis=0).T.reshape(-1) for x in (model, other))
        if statistic == "mean":
            p_values[model, other] = float(t_test(a, b, **side).pvalue)
        else:
            more = {"statistic": "iqm", "rng": 0, **options}
            p_values[model, other] = float(bootstrap_test(a, b, **side, **more).pvalue)
    pairs = result.over_these_tasks.pairs
    adjusted = adjust_claims(
        np.asarray([[p_values[x.a, x.b], p_values[x.b, x.a]] for x in pairs])
    )
    for x, both in zip(pairs, adjusted, strict=True):
        found = {y.model: (y.p_value, y.adjusted) for y in x.margins}
        for model, other, q in ((x.a, x.b, both[0]), (x.b, x.a, both[1])):
            assert found[model] == pytest.approx((p_values[model, other], q), rel=1e-9)
            is_not_worse = q <= 0.05 or x.better == model
            assert result.not_worse(model, other) == is_not_worse
            assert (model in x.not_worse) == is_not_worse
    said = "are equivalent over these 6 tasks, apart by less than 0.12: adjusted p = "
    assert any(said in x for x in result.sentences)
    said = "Over these 6 tasks: equivalent, apart by less than 0.12: "
    assert any(x.startswith(said) for x in result.content.headline)
    (row,) = [x for x in result.tables[0].rows if {x[0], x[1]} == {"ours", "dqn"}]
    assert row[-1] == "equivalent"
    assert len(result.tables[0].header) == 7
    (record,) = [
        x
        for x in result.records
        if x["task"] == "these tasks"
        and {x["model_a"], x["model_b"]} == {"ours", "dqn"}
    ]
    assert record["verdict"] == "equivalent"
    assert record["margin"] == margin
    assert record["adjusted_margin_pvalue_a"] <= 0.05
    document = json.loads(result.to_json())["over_these_tasks"]["pairs"]
    assert all("margin_pvalue_b" in x for x in document)
    assert "one-sided tests of a margin of 0.12 by the same" in result.method


def test_a_margin_of_two_models_and_of_a_baseline():
    scores = draw(leads=(0.02, 0.0, 0.3))
    two = {x: {m: by[m] for m in ("ours", "dqn")} for x, by in scores.items()}
    result = compare(two, "mean", margin=0.12)
    assert (
        "equivalent over these 6 tasks, apart by less th" in result.content.headline[2]
    )
    result = compare(scores, "mean", margin=0.12, baseline="dqn")
    assert "Over these 6 tasks: not worse than dqn by 0.12 or more: rainbow, ours." in (
        result.content.headline
    )
    assert [len(x.margins) for x in result.over_these_tasks.pairs] == [1, 1]
    with pytest.raises(KeyError, match="Compare without baseline"):
        result.not_worse("dqn", "ours")
