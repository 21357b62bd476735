"""The method line of a test of every two models, and the papers behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

from sigarray._order.comparison import needs_means
from sigarray._plain_text import quote, show_range
from sigarray._resampling.draws import count_permutations
from sigarray._verdicts.asked import (
    EXACT_METHODS,
    FEW_SCORES,
    SCORED,
    OrderOptions,
    PairOptions,
    choose_method,
    choose_statistic,
    is_bounded_by_welch,
)
from sigarray._verdicts.comparison import UNPAIRED, pairs_of
from sigarray._verdicts.floors import has_exact_ranks
from sigarray._verdicts.intervals import FEWER_DEGREES
from sigarray._verdicts.orders import Samples, plan_errors
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
_OF_RUNS_AND_CLUSTERS = OF_RUNS.replace("items", "whole clusters")

# How margins are tested.
_OF_MARGINS = {
    "t": "t-tests",
    "bootstrap": "bootstrap tests",
    "permutation": "permutation tests of scores that are shifted by it",
}
_BY_SCORE = "score tests of proportions"


def list_pairs(scores: Scores, options: PairOptions) -> Pairs:
    return [(scores[a], scores[b]) for a, b in pairs_of(scores, options.baseline)]


def name_test(pairs: Pairs, options: PairOptions, unit: str = "run") -> str:
    if options.test in _DESCRIPTIONS:
        return _DESCRIPTIONS[options.test]
    by = "" if unit == "run" else f" by {unit}"
    mean = "mean over items" if unit == "cluster" else "mean"
    if options.has_runs:
        by = _OF_RUNS_AND_CLUSTERS if options.has_clusters else OF_RUNS
        return f"t-test of the mean, {by}, two-sided"
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
    how = ""
    if options.test in _DESCRIPTIONS:
        how = _describe_ranks(pairs, options)
    elif options.test != "t":
        how = _describe_resampling(pairs, options)
    return ". ".join(filter(None, [name_test(pairs, options, unit), how]))


def describe_margins(
    pairs: Pairs, options: PairOptions, *, is_plain: bool, n: int
) -> str:
    """`is_plain` if scores are not of clusters, of runs and items, or of sums."""
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
    n, seed = options.n_resamples or 0, options.seed
    said = f"of {n} resamples (seed {seed})"
    if options.test == "permutation":
        what = "exchanges" if options.is_paired else "permutations"
        counts = sorted(
            count_permutations(len(x), len(y), paired=options.is_paired)
            for x, y in pairs
        )
        if counts and counts[-1] <= n:
            return f"of all {show_range(counts)} {what}", False
        said = f"of {n} random {what} (seed {seed})"
        if counts and counts[0] <= n:
            said = f"of all {what}, or of {n} random ones where there are more (seed "
            said += f"{seed})"
    if options.draws_on:
        said += ", and of more where p is near a level"
    return said, bool(pairs)


def _describe_ranks(pairs: Pairs, options: PairOptions) -> str:
    are_exact = {has_exact_ranks(len(x), len(y)) for x, y in pairs}
    if options.test == "mann-whitney":
        said = {True: "exact given the ties", False: "by the normal approximation"}
        which = "By the sizes of a pair, p-values" if len(are_exact) > 1 else "P-values"
        return f"{which} are {' or '.join(said[x] for x in said if x in are_exact)}"
    if True not in are_exact:
        return ""
    which = ", for few scores" if len(are_exact) > 1 else ""
    return f"The exact p of Mann-Whitney's U counts where it is larger{which}"


EPS_MIN = "eps_min of A over B and, separately, of B over A"


def say_draws(seed: int) -> str:
    return (
        f"(drawn by seed {seed} and the names of models, and more where it is near the "
        "threshold)"
    )


def describe_orders(scores: Samples, options: OrderOptions, *, is_closed: bool) -> str:
    """`is_closed` if a closed test tests all models of a task at one level."""
    drawn = f"{options.n_resamples} bootstrap resamples"
    more = say_draws(options.seed)
    said = []
    for method, grid in plan_errors(scores, options):
        if method == "exact":
            said.append("enumeration of all resamples")
        elif method == "asymptotic":
            said.append("an asymptotic standard error")
        elif grid is None:
            said.append(f"{drawn} {more}")
        else:
            said.append(f"{drawn} of {grid.size:,} quantiles {more}")
    which = " by the sizes of a pair," if len(said) > 1 else ""
    of = f"almost stochastic order {UNPAIRED}, with {EPS_MIN}"
    first = f"{of},{which} from {' or '.join(said)}"
    what = "Mann and Whitney's U"
    if is_closed and len(scores) > 2:
        what = "a closed test of ranks"
        if options.baseline is not None:
            what += f", all models with {quote(options.baseline)}"
    how = f"Equality of distributions is tested by {what}, two-sided"
    pairs = pairs_of(scores, options.baseline)
    sizes = {(len(scores[a]), len(scores[b])) for a, b in pairs}
    tested = [pair for pair in sizes if needs_means(*pair)]
    if tested:
        how += ", and equality of means, for fewer than 20 runs, by Welch's t"
    if any(n != m for n, m in tested):
        how += f", {FEWER_DEGREES}"
    return f"{first}. {how}"


_REFERENCES = {
    "aso": [
        "E. del Barrio, J. A. Cuesta-Albertos, C. Matrán (2018). An optimal "
        "transportation approach for assessing almost stochastic order. "
        "doi:10.1007/978-3-319-73848-2_3",
        "R. Dror, S. Shlomov, R. Reichart (2019). Deep dominance: how to properly "
        "compare deep neural models. doi:10.18653/v1/P19-1266",
    ],
    "permutation": [
        "B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. "
        "doi:10.2202/1544-6115.1585"
    ],
    "bootstrap": [
        "B. Efron, R. J. Tibshirani (1993). An introduction to the bootstrap. "
        "doi:10.1201/9780429246593"
    ],
    "mann-whitney": [
        "H. B. Mann, D. R. Whitney (1947). On a test of whether one of two random "
        "variables is stochastically larger than the other. "
        "doi:10.1214/aoms/1177730491"
    ],
    "brunner-munzel": [
        "E. Brunner, U. Munzel (2000). The nonparametric Behrens-Fisher problem: "
        "asymptotic theory and a small-sample approximation. "
        "doi:10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U"
    ],
    "t": [
        "B. L. Welch (1947). The generalization of “Student's” problem when several "
        "different population variances are involved. doi:10.1093/biomet/34.1-2.28"
    ],
    "wilcoxon": [
        "F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics "
        "Bulletin 1, 80-83. doi:10.2307/3001968",
        "J. Demšar (2006). Statistical comparisons of classifiers over multiple data "
        "sets. Journal of Machine Learning Research 7, 1-30.",
    ],
    "margin": [
        "D. J. Schuirmann (1987). A comparison of the two one-sided tests procedure "
        "and the power approach for assessing the equivalence of average "
        "bioavailability. doi:10.1007/BF01068419",
        "J. P. Shaffer (1986). Modified sequentially rejective multiple test "
        "procedures. Journal of the American Statistical Association 81, 826-831.",
    ],
    "score": [
        "T. Tango (1998). Equivalence test and confidence interval for the difference "
        "in proportions for the paired-sample design. "
        "doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B",
        "C. P. Farrington, G. Manning (1990). Test statistics and sample size formulae "
        "for comparative binomial trials with null hypothesis of non-zero risk "
        "difference or non-unity relative risk. doi:10.1002/sim.4780091208",
    ],
    "holm": [
        "S. Holm (1979). A simple sequentially rejective multiple test procedure. "
        "Scandinavian Journal of Statistics 6, 65-70."
    ],
    "benjamini_hochberg": [
        "Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate: a "
        "practical and powerful approach to multiple testing. "
        "doi:10.1111/j.2517-6161.1995.tb02031.x"
    ],
}


def list_references(document: Mapping[str, object]) -> list[str]:
    keys = [str(document["test"]), str(document.get("correction"))]
    if document.get("over_tasks"):
        keys.append("wilcoxon")
    if "margin" in document:
        by_score = ["score"] * ("score tests" in str(document["method"]))
        keys = [*keys[:1], *by_score, "margin", *keys[1:]]
    return [line for key in keys for line in _REFERENCES.get(key, ())]
