"""Permutations of many pairs at once: the p-values of each by itself."""

import itertools
import json

import numpy as np
import pytest

from sigarray import permutation_test
from sigarray._verdicts.asked import PairOptions
from sigarray._verdicts.floors import find_p_values
from sigarray._verdicts.pairwise_tests import find_tests


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    ("n", "decimals", "shift"),
    [(12, 1, 0.0), (20, 0, 1e6), (31, 6, 0.0), (64, 2, 99.3)],
)
def test_p_values_are_those_of_each_pair(n, decimals, shift, paired):
    rng = np.random.default_rng(n)
    scores = {
        f"m{k}": rng.normal(0.2 * k, 1.0, n).round(decimals) + shift for k in range(6)
    }
    pairs = list(itertools.combinations(scores, 2))
    found = find_p_values(scores, pairs, paired=paired, n_resamples=999, seed=3)
    assert list(found) == pairs
    for a, b in pairs:
        expected = permutation_test(
            scores[a], scores[b], paired=paired, n_resamples=999, rng=3
        )
        assert found[a, b] == float(expected.pvalue)


def test_pairs_that_others_would_round_are_left_out():
    rng = np.random.default_rng(0)
    scores = {f"m{k}": rng.normal(size=20) for k in range(3)}
    scores["far"] = scores["m0"] + 1e12
    pairs = list(itertools.combinations(scores, 2))
    found = find_p_values(scores, pairs, paired=False, n_resamples=99, seed=0)
    assert set(found) == {x for x in pairs if "far" in x}
    scores = {name: 1e200 * x for name, x in scores.items()}
    assert not find_p_values(scores, pairs, paired=False, n_resamples=99, seed=0)


@pytest.mark.long
def test_the_command_takes_them_where_p_is_small(write, run, monkeypatch):
    """12 models: 66 comparisons need p below 8e-4, for which draws are many."""
    rng = np.random.default_rng(0)
    # On a lattice, for which no approximation is taken.
    scores = rng.normal(np.arange(12) * 0.5, 1.0, (20, 12)).round(0) / 7.0
    header = ",".join(f"m{k:02}" for k in range(12))
    rows = "\n".join(",".join(map(repr, row)) for row in scores.tolist())
    path = write(f"{header}\n{rows}\n")
    arguments = ["compare", path, "--test", "permutation", "--format", "json"]
    arguments += ["--alpha", "0.005"]
    called = []

    def spy(scores, pairs, **options):
        called.append(len(pairs))
        return find_p_values(scores, pairs, **options)

    monkeypatch.setattr("sigarray._verdicts.pairwise_tests.find_p_values", spy)
    together = json.loads(run(*arguments)[1])["pairs"]
    assert sum(called) > 4
    options = PairOptions(
        "permutation", False, 9999, seed=0, alpha=0.005, n_comparisons=66
    )
    by_name = dict(zip(header.split(","), scores.T, strict=True))
    for pair in together:
        names = pair["model_a"], pair["model_b"]
        (alone,) = find_tests(by_name, options, higher_is_better=True, pairs=[names])
        assert (alone.statistic, alone.p_value) == (pair["statistic"], pair["pvalue"])
    assert len(called) == 1
