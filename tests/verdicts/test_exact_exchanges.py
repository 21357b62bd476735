"""Exact p-values of pairs whose scores have few decimals, in `sigarray compare`."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest

from sigarray._verdicts.floors import compare_by_exchanges, has_exact_exchanges

THIRDS = np.array([0.0, 0.33, 0.67, 1.0])


def p_value_of_all(x, y):
    """Twice the smaller share of all exchanges, of fractions as they are written."""
    differences = [
        Fraction(str(a)) - Fraction(str(b))
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ]
    observed = sum(differences)
    sums = [
        sum(sign * d for sign, d in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    above = sum(s >= observed for s in sums)
    below = sum(s <= observed for s in sums)
    return min(1.0, 2.0 * min(above, below) / len(sums))


@pytest.mark.parametrize("n", [1, 2, 7, 11])
@pytest.mark.parametrize("decimals", [0, 1, 2, 4])
def test_all_exchanges_are_counted(n, decimals):
    rng = np.random.default_rng(n)
    for shift in (0.0, 0.3):
        x, y = (rng.normal(z, 1.0, n).round(decimals) for z in (shift, 0.0))
        assert has_exact_exchanges(x, y)
        result = compare_by_exchanges(x, y)
        assert result.pvalue == pytest.approx(p_value_of_all(x, y), rel=1e-12)
        assert result.statistic == x.mean() - y.mean()
        turned = compare_by_exchanges(y, x)
        assert turned.pvalue == result.pvalue


def test_rounded_thirds_are_exact():
    """Ties by rounding: 0.33 + 0.33 is not 0.67."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        x, y = THIRDS[rng.integers(0, 4, (2, 10))]
        found = compare_by_exchanges(x, y).pvalue
        assert found == pytest.approx(p_value_of_all(x, y), rel=1e-12)
    same = compare_by_exchanges(x, x)
    assert same.pvalue == 1.0
    assert same.statistic == 0.0


def test_small_p_values_keep_their_digits():
    """1000 items, all better by 0.07 or 0.11: one exchange of 2^1000 is as extreme."""
    x = np.where(np.arange(1000) % 2 == 0, 0.07, 0.11) + 0.5
    result = compare_by_exchanges(x.round(2), np.full(1000, 0.5))
    assert result.pvalue == 2.0**-999


def test_other_scores_have_no_exact_exchanges():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 20))
    assert not has_exact_exchanges(x, y)
    with pytest.raises(ValueError, match="Expected scores of at most 4 decimals"):
        compare_by_exchanges(x, y)
    assert not has_exact_exchanges(x.round(5), y.round(5))
    assert not has_exact_exchanges(x.round(2) + 1e300, y)
    assert not has_exact_exchanges(np.array([np.nan]), np.array([1.0]))
    x, y = rng.integers(0, 100, (2, 100_000)) / 100.0
    assert not has_exact_exchanges(x, y)  # too many


def test_no_seed_moves_p_of_decimals(write, run):
    rng = np.random.default_rng(3)
    scores = THIRDS[rng.integers(0, 4, (2, 60))]
    scores[0, :20] = np.maximum(*scores[:, :20])
    rows = [
        f"{m},{k},{x}"
        for m, y in zip("ab", scores, strict=True)
        for k, x in enumerate(y)
    ]
    path = write("\n".join(["model,item,score", *rows, ""]))
    found = set()
    for seed in ("0", "1"):
        code, out, err = run("compare", path, "--format", "json", "--seed", seed)
        assert code == 0, err
        document = json.loads(out)
        assert "exact over all exchanges" in document["method"]
        found.add(document["pairs"][0]["pvalue"])
    assert found == {compare_by_exchanges(*scores).pvalue}
