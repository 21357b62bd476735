"""Whether a model is no worse than another one by a margin: p-values and words."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._difference.bootstrap import bootstrap_test
from sigarray._difference.location import t_test
from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.asked import PairOptions
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.decisions import (
    Decision,
    Judged,
    MarginTest,
    PairTest,
    name_number,
)
from sigarray._verdicts.pairwise_tests import find_tests, guess_seconds
from sigarray._verdicts.ranking import sort_pairs
from sigarray._verdicts.sampled import Pairs, Sampled
from sigarray._verdicts.sampled_tests import guess_seconds as guess_of_sampled
from sigarray.read._messages import announce
from sigarray.read._wide import Scores
from sigarray.report._layout import Table, equate, show_p_value

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
    pairs = [test.margins for by in tests.values() for test in by]
    p_values = np.asarray([[x.p_value for x in margins] for margins in pairs])
    every = iter(adjust_claims(p_values) if is_corrected else p_values)
    return {
        task: [
            replace(
                test,
                margins=tuple(
                    replace(x, adjusted=p)
                    for x, p in zip(test.margins, next(every).tolist(), strict=True)
                ),
            )
            for test in by
        ]
        for task, by in tests.items()
    }


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


def add_claims(
    better: set[tuple[str, str]],
    claims: Sequence[tuple[str, str]],
    p_values: np.ndarray,
    level: float,
    *,
    is_corrected: bool,
) -> set[tuple[str, str]]:
    """Return who is better, of pairs of claims, or claimed to be no worse.

    P-values (P, 1 or 2) of other pairs are behind those of the claims.
    """
    adjusted = adjust_claims(p_values) if is_corrected else p_values
    each = zip(claims, adjusted.reshape(-1), strict=False)
    of_claims = better & {*claims}  # of a baseline nothing is claimed
    return of_claims | {claim for claim, p in each if p <= level}


# More pairs are counted, not named.
_MOST_NAMED = 6


def show_margin(comparison: Comparison) -> str:
    return f"{comparison.margin or 0.0:.10g}"


def say_worse(comparison: Comparison) -> str:
    return f"worse by {show_margin(comparison)} or more"


def order_pair(x: Judged, a: str, b: str) -> tuple[str, str]:
    """Return two models, that first which alone is not worse, if one is."""
    if x.verdict == "not worse" and x.not_worse == (b,):
        return b, a
    return a, b


def say_not_worse(comparison: Comparison, x: Decision, a: str, b: str) -> str:
    first, second, margin = quote(a), quote(b), show_margin(comparison)
    if len(x.not_worse) > 1:
        said = f"{first} and {second} are equivalent, apart by less than {margin}"
    else:
        said = f"{first} is not worse than {second} by {margin} or more"
    return end_not_worse(said, x, x.shown, name_number(comparison), comparison.alpha)


def end_not_worse(said: str, x: Judged, shown: str, number: str, level: float) -> str:
    """Say by which p-value that is, and that of the test for a better model."""
    # That of equivalence is the larger one of both sides.
    p_value = max(y.adjusted for y in x.margins if y.model in x.not_worse)
    p = equate(show_p_value(p_value, level))
    return (
        f"{said}: {number} {p} <= {level:.10g}; neither is shown to be better "
        f"({number} {equate(shown)})"
    )


def say_others(comparison: Comparison, x: Decision) -> str:
    """Say of a pair what is not said by its verdict: p of each model but the better."""
    worse = say_worse(comparison)
    number, said = name_number(comparison), ""
    for y in x.margins:
        p = f"{number} {equate(show_p_value(y.adjusted, comparison.alpha))}"
        if y.model in x.not_worse and y.model != x.better:
            said += f"; {quote(y.model)} is not {worse} ({p})"
        elif y.model != x.better:
            said += f"; that {quote(y.model)} is {worse}: {p}"
    return said


def explain_margin(
    compared: Mapping[str, Comparison],
    decisions: Mapping[str, Sequence[Decision]],
    where: str = "",
) -> list[str]:
    first = next(iter(compared.values()))
    if first.margin is None:
        return []
    a = "a" if where else "A"
    said = (
        f"{where}{a} model is not worse than another by {show_margin(first)} or more "
        f"if the one-sided {name_number(first)} of the margin is at most "
        f"{first.alpha:.10g}"
    )
    if first.baseline is None:
        said += "; two are equivalent if neither is worse"
    told = [f"{said}."]
    if any(
        _reaches_beyond(compared[task], x, model)
        for task, by in decisions.items()
        for x in by
        for model in x.not_worse
    ):
        told.append(
            "Tests of the margin are one-sided, and intervals two-sided and so wider: "
            "a model may be no worse though its interval reaches beyond the margin."
        )
    return told


def explain_over_tasks(comparison: Comparison) -> list[str]:
    if comparison.margin is None:
        return []
    return ["Margins are asked on each task; over tasks like these none is."]


def _reaches_beyond(comparison: Comparison, x: Decision, model: str) -> bool:
    other = x.b if model == x.a else x.a
    interval, margin = comparison.find_interval(model, other), comparison.margin or 0.0
    if comparison.higher_is_better:
        return interval.low <= -margin
    return interval.high >= margin


def say_answer(comparison: Comparison, decisions: Sequence[Judged]) -> list[str]:
    if comparison.margin is None or len(decisions) < 2:
        return []
    margin, baseline = show_margin(comparison), comparison.baseline
    if baseline is not None:
        names = [quote(y) for x in decisions for y in x.not_worse]
        who = ", ".join(names) or "none"
        return [f"Not worse than {quote(baseline)} by {margin} or more: {who}."]
    equal = [
        f"{quote(x.a)} and {quote(x.b)}" for x in decisions if len(x.not_worse) > 1
    ]
    others = [
        f"{quote(x.not_worse[0])} than {quote(x.b if x.not_worse[0] == x.a else x.a)}"
        for x in decisions
        if x.verdict == "not worse"
    ]
    told = f"Equivalent, apart by less than {margin}: {_list(equal)}."
    if others:
        told += f" Not worse by {margin} or more: {_list(others)}."
    return [told]


def _list(pairs: Sequence[str]) -> str:
    if len(pairs) > _MOST_NAMED:
        return f"{len(pairs)} pairs"
    return ", ".join(pairs) or "none"


def name_columns(comparison: Comparison) -> list[str]:
    if comparison.margin is None:
        return []
    sign, back = comparison.sign, "-" if comparison.higher_is_better else "+"
    pairs = [("A", "B"), ("B", "A")][: 1 if comparison.baseline is not None else 2]
    margin = show_margin(comparison)
    return [f"p({a}{sign}{b}{back}{margin})" for a, b in pairs]


def say_columns(comparison: Comparison, number: str) -> str:
    columns = name_columns(comparison)
    if not columns:
        return ""
    return f"; {list_in_words(columns)}: one-sided {number} of the margin"


def show_columns(comparison: Comparison, x: Judged, a: str, b: str) -> list[str]:
    by_model = {y.model: y.adjusted for y in x.margins}
    models = [name for name in (a, b) if name in by_model]
    return [show_p_value(by_model[name], comparison.alpha) for name in models]


def say_margin_of(comparison: Comparison) -> str:
    if comparison.margin is None:
        return ""
    whose = "" if comparison.baseline is not None else " for either model"
    return f", and that of the margin{whose}"


def show_claims(comparison: Comparison, x: Judged, a: str, b: str) -> list[str]:
    """Show the p-values of the margin of A and of B, as far as they were asked for."""
    shown = show_columns(comparison, x, a, b)
    if not shown:
        return []
    first, *others = shown
    whose = "" if others else f" of {quote(x.margins[0].model)}"
    return [f"margin{whose}: p {' and '.join([equate(first), *others])}"]


def show_verdict(x: Judged) -> str:
    if x.verdict == "not worse":
        return f"{x.not_worse[0]} not worse"
    return x.better or x.verdict


def say_on_tasks(comparison: Comparison, by: Mapping[str, Decision]) -> str:
    counts: dict[str, int] = {}
    for x in by.values():
        for y in x.margins:
            counts[y.model] = counts.get(y.model, 0) + (y.model in x.not_worse)
    if not counts:
        return ""
    said = list_in_words([f"{quote(name)} on {n}" for name, n in counts.items()])
    return f" Not {say_worse(comparison)}: {said} of {len(by)}."


def table_of_tasks(
    compared: Mapping[str, Comparison],
    decisions: Mapping[str, Sequence[Decision]],
    order: Sequence[str],
) -> list[Table]:
    first = next(iter(compared.values()))
    if first.margin is None:
        return []
    found: dict[tuple[str, str], list[str]] = {}
    asked: dict[tuple[str, str], int] = {}
    for task, by in decisions.items():
        for a, b, x in sort_pairs(order, by):
            for y in x.margins:
                claim = (a, b) if y.model == a else (b, a)
                asked[claim] = asked.get(claim, 0) + 1
                found.setdefault(claim, [])
                found[claim] += [task] * (y.model in x.not_worse)
    rows = [
        [*claim, f"{len(tasks)} of {asked[claim]}", ", ".join(tasks) or "-"]
        for claim, tasks in found.items()
    ]
    title = f"Tasks on which a model is not worse by {show_margin(first)} or more"
    header = ["model", "than", "tasks", "which"]
    return [Table(title, header, rows, name_columns=2)]
