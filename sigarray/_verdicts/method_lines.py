"""The method line of a test of every two models."""

from typing import Any

from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.exact_ranks import has_exact_ranks
from sigarray._verdicts.pair_options import (
    EXACT_METHODS,
    FEW_SCORES,
    PairOptions,
    choose_method,
    choose_statistic,
    is_bounded_by_welch,
)
from sigarray.read._wide import Scores

# The lines of tests that have no options.
_DESCRIPTIONS = {
    "mann-whitney": "Mann-Whitney's U, two-sided, of the null hypothesis that both "
    "distributions are the same",
    "brunner-munzel": "Brunner and Munzel's test, two-sided, of the null hypothesis "
    "P(A > B) + P(A = B) / 2 = 1/2",
}


def name_test(scores: Scores, options: PairOptions, unit: str = "run") -> str:
    """Name a test and its null hypothesis."""
    if options.test in _DESCRIPTIONS:
        return _DESCRIPTIONS[options.test]
    by = "" if unit == "run" else f" by {unit}"
    mean = "mean over items" if unit == "cluster" else "mean"
    if options.test == "t":
        name = f"paired t-test{by}" if options.is_paired else "Welch's t-test"
        name += f" of the {mean}" if unit == "cluster" else ""
        if options.test_share is not None:
            name += f" of splits with a test share of {options.test_share:.10g}"
            name += ", corrected as by Nadeau and Bengio (2003)"
        return f"{name}, two-sided"
    what, kind = f"the {mean}", " of independent samples"
    if any(choose_statistic(x, y, options) == "t" for x, y in _pairs(scores, options)):
        what += " by its t" if options.is_paired else " by Welch's t"
    if options.is_paired:
        kind = f", paired by {unit}"
    return f"{options.test} test of {what}{kind}, two-sided"


def describe_test(scores: Scores, options: PairOptions, unit: str = "run") -> str:
    """Name the test and its methods; those of pairs differ with their sizes."""
    how = ""
    if options.test in _DESCRIPTIONS:
        how = _describe_ranks(scores, options)
    elif options.test != "t":
        how = _describe_resampling(scores, options)
    return ". ".join(filter(None, [name_test(scores, options, unit), how]))


def _describe_resampling(scores: Scores, options: PairOptions) -> str:
    """Say of what p-values are: all exchanges, an approximation, or resamples."""
    n, seed = options.n_resamples, options.seed
    drawn = f"of {n} resamples (seed {seed})"
    if options.test == "permutation":
        drawn = (
            f"of all permutations, or of {n} random ones where there are more (seed "
            f"{seed})"
        )
    if options.draws_on:
        drawn += ", and of more where p is near a level"
    said = {
        "exact": "exact over all exchanges",
        "saddlepoint": "by saddlepoint approximation",
        "resampling": drawn,
    }
    pairs = _pairs(scores, options)
    chosen = {choose_method(x, y, options) for x, y in pairs}
    methods = {"exact" if x in EXACT_METHODS else x for x in chosen}
    which = "By the scores of a pair, p-values" if len(methods) > 1 else "P-values"
    told = [f"{which} are {' or '.join(said[x] for x in said if x in methods)}"]
    more = options.more_draws
    if more is not None and "resampling" in methods:
        told.append(
            f"Where random ones give p of at most {more.limit:.2g}, too near the least "
            f"that they can give for {options.n_comparisons} comparisons, p is of "
            f"{more.number} of them, or by the saddlepoint approximation"
        )
    are_bounded = [is_bounded_by_welch(x, y, options) for x, y in pairs]
    if any(are_bounded):
        told.append("Welch's own p counts where it is larger")
        if not all(are_bounded):
            told[-1] += f", for fewer than {FEW_SCORES} scores or unequal sizes"
    return ". ".join(told)


def _describe_ranks(scores: Scores, options: PairOptions) -> str:
    """Say where p-values of ranks are exact, or no smaller than exact ones."""
    are_exact = {
        has_exact_ranks(len(scores[a]), len(scores[b]))
        for a, b in pairs_of(scores, options.baseline)
    }
    if options.test == "mann-whitney":
        said = {True: "exact given the ties", False: "by the normal approximation"}
        which = "By the sizes of a pair, p-values" if len(are_exact) > 1 else "P-values"
        return f"{which} are {' or '.join(said[x] for x in said if x in are_exact)}"
    if True not in are_exact:
        return ""
    which = ", for few scores" if len(are_exact) > 1 else ""
    return f"The exact p of Mann-Whitney's U counts where it is larger{which}"


def _pairs(scores: Scores, options: PairOptions) -> list[tuple[Any, Any]]:
    named = pairs_of(scores, options.baseline)
    return [(scores[a], scores[b]) for a, b in named]
