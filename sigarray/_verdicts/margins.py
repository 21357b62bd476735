"""Whether a model is no worse than another one by a margin: p-values of every pair.

With a baseline each other model is asked for, else both models of each pair. At most
one of two models can be worse than the other by a margin, so no more of these null
hypotheses hold than there are pairs.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._difference.bootstrap import bootstrap_test
from sigarray._difference.location import t_test
from sigarray._verdicts.asked import PairOptions
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.decisions import MarginTest, PairTest
from sigarray._verdicts.notes import announce
from sigarray._verdicts.pairwise_tests import find_tests, guess_seconds
from sigarray._verdicts.sampled import Pairs, Sampled
from sigarray._verdicts.sampled_tests import guess_seconds as guess_of_sampled
from sigarray.read._wide import Scores

# Scores in one call.
_MOST_HELD = 2**20


def add_margins(
    tests: Sequence[PairTest], scores: Scores, options: PairOptions, x: Comparison
) -> list[PairTest]:
    pairs = pairs_of(scores, options.baseline)
    claims = list_claims(pairs, options.baseline)
    seconds = 2.0 * guess_seconds(scores, options)
    if x.sampled is not None:
        seconds = len(claims) * guess_of_sampled(options, x.sampled)
    announce(
        f"the margin of {len(claims)} comparisons by {options.test}",
        seconds,
        "Faster: --test t, or --baseline.",
    )
    if x.sampled is None:
        found = [
            MarginTest(model, test.p_value, test.n_drawn)
            for (model, _), test in zip(
                claims,
                find_tests(
                    scores, options, higher_is_better=x.higher_is_better, pairs=claims
                ),
                strict=True,
            )
        ]
    else:
        alternative = "greater" if x.higher_is_better else "less"
        found = _test_sampled(scores, options, x.sampled, claims, alternative)
    by_pair: dict[frozenset[str], list[MarginTest]] = {}
    for claim, test in zip(claims, found, strict=True):
        by_pair.setdefault(frozenset(claim), []).append(test)
    return [
        replace(test, margins=tuple(by_pair[frozenset(pair)]))
        for pair, test in zip(pairs, tests, strict=True)
    ]


def _test_sampled(
    scores: Scores,
    options: PairOptions,
    sampled: Sampled,
    claims: Pairs,
    alternative: str,
) -> list[MarginTest]:
    """Test claims by what was sampled: clusters, runs and items, or sums."""
    given: Mapping[str, Any] = scores
    function: Callable[..., Any] = t_test
    by: dict[str, Any] = {"alternative": alternative, "margin": options.margin}
    if options.test == "t":
        by |= sampled.options
    else:
        function = bootstrap_test
        given = dict(sampled.sums) or scores
        by |= {"n_resamples": options.n_resamples, "rng": options.seed}
        by |= {"paired": True, "clusters": sampled.codes}
        if sampled.statistic is not None:
            by["statistic"] = sampled.statistic
    tests = [MarginTest("", 1.0)] * len(claims)
    for places, a, b in sampled.list_batches(given, claims, _MOST_HELD):
        p_values = np.atleast_1d(np.asarray(function(a, b, **by).pvalue)).tolist()
        for k, p in zip(places, p_values, strict=True):
            tests[k] = MarginTest(
                claims[k][0], 1.0 if math.isnan(p) else p, options.n_resamples or 0
            )
    return tests


def test_margins(
    pairs: Sequence[tuple[str, str]],
    test: Callable[[str, str], float],
    *,
    baseline: str | None,
    is_corrected: bool,
) -> list[tuple[MarginTest, ...]]:
    """Test each pair by p-values of (model, other), and adjust these for all pairs."""
    claims = list_claims(pairs, baseline)
    models = np.reshape([model for model, _ in claims], (len(pairs), -1)).tolist()
    p_values = np.reshape([test(*claim) for claim in claims], (len(pairs), -1))
    adjusted = adjust_claims(p_values) if is_corrected else p_values
    return [
        tuple(
            MarginTest(model, float(p), adjusted=float(q))
            for model, p, q in zip(*of_pair, strict=True)
        )
        for of_pair in zip(models, p_values, adjusted, strict=True)
    ]


def list_claims(
    pairs: Iterable[tuple[str, str]], baseline: str | None
) -> list[tuple[str, str]]:
    """List who may be no worse than whom: both models of each pair, or the new one."""
    every = (x for pair in pairs for x in (pair, pair[::-1]))
    return [(model, other) for model, other in every if model != baseline]


def adjust_margins(
    tests: Mapping[str, Sequence[PairTest]], *, is_corrected: bool
) -> dict[str, list[PairTest]]:
    """Adjust the p-values of the margins of all pairs of all tasks."""
    pairs = [test.margins for by in tests.values() for test in by]
    p_values = np.asarray([[x.p_value for x in margins] for margins in pairs])
    every = iter(adjust_claims(p_values) if is_corrected else p_values)
    return {
        task: [_with_adjusted(test, next(every).tolist()) for test in by]
        for task, by in tests.items()
    }


def _with_adjusted(test: PairTest, adjusted: Sequence[float]) -> PairTest:
    margins = zip(test.margins, adjusted, strict=True)
    return replace(test, margins=tuple(replace(x, adjusted=p) for x, p in margins))


def adjust_claims(p_values: np.ndarray) -> np.ndarray:
    """Adjust p-values (P, 1 or 2) of pairs for their number: Holm's correction.

    Of two null hypotheses of a pair at most one holds. So the number of those that may
    all hold, once some are rejected, is that of the pairs with one that is not
    (Shaffer 1986), and not that of the hypotheses.
    """
    n_open = [p_values.shape[1]] * len(p_values)
    n_pairs, reached = len(p_values), 0.0
    adjusted = np.ones(p_values.shape)
    for place in np.argsort(p_values, axis=None, kind="stable"):
        pair, claim = divmod(int(place), p_values.shape[1])
        reached = max(reached, min(1.0, n_pairs * float(p_values[pair, claim])))
        adjusted[pair, claim] = reached
        n_open[pair] -= 1
        n_pairs -= not n_open[pair]
    return adjusted
