"""The method line of a test of every two models."""

from collections.abc import Sequence
from typing import Any

from sigarray._resampling.draws import count_permutations
from sigarray._verdicts.comparison import UNPAIRED, pairs_of
from sigarray._verdicts.exact_ranks import has_exact_ranks
from sigarray._verdicts.pair_options import (
    EXACT_METHODS,
    FEW_SCORES,
    SCORED,
    PairOptions,
    choose_method,
    choose_statistic,
    is_bounded_by_welch,
)
from sigarray.read._wide import Scores

# The scores of two models, of each pair.
Pairs = Sequence[tuple[Any, Any]]

# The lines of tests that have no options.
_DESCRIPTIONS = {
    "mann-whitney": f"Mann-Whitney's U {UNPAIRED}, two-sided, of the null hypothesis "
    "that both distributions are the same",
    "brunner-munzel": f"Brunner and Munzel's test {UNPAIRED}, two-sided, of the null "
    "hypothesis P(A > B) + P(A = B) / 2 = 1/2",
}
# What is said of items in clusters.
_OF_CLUSTERS = {
    "t": "with the errors of whole clusters (CR2)",
    "bootstrap": "by drawing whole clusters",
    "permutation": "by exchanges of whole clusters",
}
# What is said of items in several runs, both of which were drawn.
OF_RUNS = "with the errors of runs and of items (crossed analysis of variance)"

# How margins are tested.
_OF_MARGINS = {
    "t": "t-tests",
    "bootstrap": "bootstrap tests",
    "permutation": "permutation tests of scores that are shifted by it",
}
_BY_SCORE = "score tests of proportions"


def list_pairs(scores: Scores, options: PairOptions) -> Pairs:
    """Return the scores of every two models, or of each one and the baseline."""
    return [(scores[a], scores[b]) for a, b in pairs_of(scores, options.baseline)]


def name_test(pairs: Pairs, options: PairOptions, unit: str = "run") -> str:
    """Name a test and its null hypothesis."""
    if options.test in _DESCRIPTIONS:
        return _DESCRIPTIONS[options.test]
    by = "" if unit == "run" else f" by {unit}"
    mean = "mean over items" if unit == "cluster" else "mean"
    if options.has_runs:
        return f"t-test of the mean, {OF_RUNS}, two-sided"
    if options.test == "t":
        name = f"paired t-test{by}" if options.is_paired else "Welch's t-test"
        name += f" of the {mean}" if unit == "cluster" else ""
        if options.statistic != "mean":
            name += f" of {options.statistic}, by the influence of each item"
        name += f", {_OF_CLUSTERS['t']}" if options.has_clusters else ""
        name += "" if options.is_paired else f" {UNPAIRED}"
        if options.test_share is not None:
            name += f" of splits with a test share of {options.test_share:.10g}"
            name += ", corrected as by Nadeau and Bengio (2003)"
        return f"{name}, two-sided"
    what, kind = f"the {mean}", f" {UNPAIRED}"
    if options.statistic != "mean":
        what = options.statistic
    if any(choose_statistic(x, y, options) == "t" for x, y in pairs):
        what += " by its t" if options.is_paired else " by Welch's t"
    if options.is_paired:
        kind = f", paired by {unit}"
    if options.has_clusters:
        kind += f", {_OF_CLUSTERS[options.test]}"
    return f"{options.test} test of {what}{kind}, two-sided"


def describe_test(pairs: Pairs, options: PairOptions, unit: str = "run") -> str:
    """Name the test and its methods; those of pairs differ with their sizes."""
    how = ""
    if options.test in _DESCRIPTIONS:
        how = _describe_ranks(pairs, options)
    elif options.test != "t":
        how = _describe_resampling(pairs, options)
    return ". ".join(filter(None, [name_test(pairs, options, unit), how]))


def describe_margins(
    pairs: Pairs, options: PairOptions, *, is_plain: bool, n: int
) -> str:
    """Say how margins are tested, of `n` pairs in all.

    `is_plain` if scores are not of clusters, of runs and items, or of sums.
    """
    chosen = {choose_method(x, y, options) for x, y in pairs} if is_plain else {""}
    names = [_OF_MARGINS[options.test]] if chosen - {SCORED} else []
    names += [_BY_SCORE] if SCORED in chosen else []
    said = f"One-sided tests of a margin of {options.margin:.10g}: "
    said += f"{' or, for scores of 0 and 1, '.join(names)}"
    if n == 1:
        return said
    said += f", Holm's correction for {n} comparisons"
    if options.baseline is None:
        said += ", in each of which one model at most is worse by the margin "
        said += "(Shaffer 1986)"
    return said


def _describe_resampling(pairs: Pairs, options: PairOptions) -> str:
    """Say of what p-values are: all exchanges, an approximation, or resamples."""
    chosen = [choose_method(x, y, options) for x, y in pairs]
    resampled = [p for p, x in zip(pairs, chosen, strict=True) if x == "resampling"]
    drawn, is_drawn = _describe_draws(resampled, options)
    said = {
        "exact": "exact over all exchanges",
        "saddlepoint": "by saddlepoint approximation",
        "resampling": drawn,
    }
    methods = {"exact" if x in EXACT_METHODS else x for x in chosen}
    which = "By the scores of a pair, p-values" if len(methods) > 1 else "P-values"
    told = [f"{which} are {' or '.join(said[x] for x in said if x in methods)}"]
    more = options.more_draws
    if more is not None and is_drawn:
        other = ", or by the saddlepoint approximation"
        told.append(
            f"Where random ones give p of at most {more.limit:.2g}, too near the least "
            f"that they can give for {options.n_comparisons} comparisons, p is of "
            f"{more.number} of them{other if options.is_of_plain_mean else ''}"
        )
    are_bounded = [is_bounded_by_welch(x, y, options) for x, y in pairs]
    if any(are_bounded):
        told.append("Welch's own p counts where it is larger")
        if not all(are_bounded):
            told[-1] += f", for fewer than {FEW_SCORES} scores or unequal sizes"
    return ". ".join(told)


def _describe_draws(pairs: Pairs, options: PairOptions) -> tuple[str, bool]:
    """Say of which resamples p-values are, and whether some of these are random."""
    n, seed = options.n_resamples or 0, options.seed
    said = f"of {n} resamples (seed {seed})"
    if options.test == "permutation":
        what = "exchanges" if options.is_paired else "permutations"
        counts = sorted(
            count_permutations(len(x), len(y), paired=options.is_paired)
            for x, y in pairs
        )
        if counts and counts[-1] <= n:
            least, most = counts[0], counts[-1]
            count = f"{least}" if least == most else f"{least} to {most}"
            return f"of all {count} {what}", False
        said = f"of {n} random {what} (seed {seed})"
        if counts and counts[0] <= n:
            said = f"of all {what}, or of {n} random ones where there are more (seed "
            said += f"{seed})"
    if options.draws_on:
        said += ", and of more where p is near a level"
    return said, bool(pairs)


def _describe_ranks(pairs: Pairs, options: PairOptions) -> str:
    """Say where p-values of ranks are exact, or no smaller than exact ones."""
    are_exact = {has_exact_ranks(len(x), len(y)) for x, y in pairs}
    if options.test == "mann-whitney":
        said = {True: "exact given the ties", False: "by the normal approximation"}
        which = "By the sizes of a pair, p-values" if len(are_exact) > 1 else "P-values"
        return f"{which} are {' or '.join(said[x] for x in said if x in are_exact)}"
    if True not in are_exact:
        return ""
    which = ", for few scores" if len(are_exact) > 1 else ""
    return f"The exact p of Mann-Whitney's U counts where it is larger{which}"
