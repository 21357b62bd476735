"""The method line of a test of every two models."""

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


def describe_test(scores: Scores, options: PairOptions, unit: str = "run") -> str:
    """Name the test and its methods; those of pairs differ with their sizes."""
    if options.test in _DESCRIPTIONS:
        return _DESCRIPTIONS[options.test] + _describe_ranks(scores, options)
    by = "" if unit == "run" else f" by {unit}"
    mean = "mean over items" if unit == "cluster" else "mean"
    if options.test == "t":
        name = f"paired t-test{by}" if options.is_paired else "Welch's t-test"
        name += f" of the {mean}" if unit == "cluster" else ""
        if options.test_share is not None:
            name += f" of splits with a test share of {options.test_share:.10g}"
            name += ", corrected as by Nadeau and Bengio (2003)"
        return f"{name}, two-sided"
    kind = f"of pairs{by}" if options.is_paired else "of independent samples"
    drawn = f"{options.n_resamples} resamples, seed {options.seed}"
    if options.test == "permutation":
        drawn = (
            f"exact, or where there are more than {options.n_resamples} permutations, "
            f"as many random ones, seed {options.seed}"
        )
    if options.draws_on:
        drawn += ", and more where p is near a level"
    more = options.more_draws
    if more is not None:
        drawn += (
            f"; where these give p of at most {more.limit:.2g}, which for "
            f"{options.n_comparisons} comparisons is too near to the least that they "
            f"can give, {more.number} of them, or the saddlepoint approximation"
        )
    said = {
        "exact": "exact over all exchanges",
        "saddlepoint": "by saddlepoint approximation",
        "resampling": drawn,
    }
    chosen = {
        choose_method(scores[a], scores[b], options)
        for a, b in pairs_of(scores, options.baseline)
    }
    methods = {"exact" if x in EXACT_METHODS else x for x in chosen}
    which = "by the scores of a pair " if len(methods) > 1 else ""
    how = " or ".join(said[method] for method in said if method in methods)
    named = pairs_of(scores, options.baseline)
    pairs = [(scores[a], scores[b]) for a, b in named]
    what = f"the {mean}"
    if any(choose_statistic(x, y, options) == "t" for x, y in pairs):
        what += " by its t" if options.is_paired else " by Welch's t"
    if any(is_bounded_by_welch(x, y, options) for x, y in pairs):
        how += "; or Welch's own p, where that is larger"
        if not all(is_bounded_by_welch(x, y, options) for x, y in pairs):
            how += f", of fewer than {FEW_SCORES} scores or of unequal sizes"
    return f"{options.test} test of {what} {kind}, two-sided, {which}{how}"


def _describe_ranks(scores: Scores, options: PairOptions) -> str:
    """Say where p-values of ranks are exact, or no smaller than exact ones."""
    are_exact = {
        has_exact_ranks(len(scores[a]), len(scores[b]))
        for a, b in pairs_of(scores, options.baseline)
    }
    if options.test == "mann-whitney":
        said = {True: "exact given the ties", False: "by the normal approximation"}
        which = "; by the sizes of a pair " if len(are_exact) > 1 else ", "
        return which + " or ".join(said[x] for x in said if x in are_exact)
    if True not in are_exact:
        return ""
    which = "of few scores, " if len(are_exact) > 1 else ""
    return f"; {which}or the exact p of Mann-Whitney's U where that is larger"
