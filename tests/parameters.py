"""What docstrings say of the parameters that several public functions share.

A description begins with the text that is here; paragraphs after it are the function's
own. `python -m tests.docstrings` writes a changed text into all docstrings.
"""

from tests.parameters_of_rooms import GROUPS as OF_ROOMS
from tests.parameters_of_rooms import Group

# Of functions that no group below names.
EVERYWHERE = {
    "a, b": """
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast.""",
    "alternative": """
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").""",
    "ax": "Where to draw; by default on a new figure, one column of a paper wide.",
    "axis": "The axis of the scores; the others are batches.",
    "b": "Scores of a second model. Leading axes broadcast.",
    "batch": """
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.""",
    "count": """
        How many replicates, static under `jit`. `start` + `count` is at most 2^31.""",
    "dt": """
        Compare quantiles at dt, 2 dt, ... < 1, as the papers do with 0.005; by default
        all of them, exactly.""",
    "higher_is_better": "False if lower scores are better, as for losses.",
    "margin": """
        By how much A may be worse, 0 or more (non-inferiority). With "greater" the null
        hypothesis is A - B <= -`margin`, and a small p-value says that A is better, or
        worse by less; with "less", for losses, A - B >= `margin`. Not "two-sided".""",
    "n_comparisons": """
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).""",
    "n_resamples": """
        Number of bootstrap replicates: with more, the result depends less on the
        seed.""",
    "progress": """
        Called as ``progress(done, total)`` after each batch, not by JAX; or
        ``tqdm()``.""",
    "rng": """
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.""",
    "start": "The first replicate. It may be traced under `jit`, as a shard's index.",
    "workers": """
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the
        same.""",
}


_SAMPLES = """
    Scores of the two models, one for each run or item{}. Leading axes are batches,
    which broadcast and see the same resamples."""
_PAIRS = """
    Whether the scores are pairs in one order, as of two models on one test set
    (n = m)."""
_STATISTIC = """
    A callable f(x, axis=-1), in array-API code, returns the statistic along that axis;
    `of_sums` of a function is a metric of the sums of d numbers of each item: a sample
    is then a tuple of d arrays (..., n), or one (..., d, n). Resamples where it is NaN,
    such as 0 / 0, are extreme for a test, and make limits NaN."""

_TWO_AXES = (
    " A pair of axes, (seeds, items), if each seed has a score for each item and both "
    "were sampled: the models then share items and, with `paired`, seeds."
)

# The first group that has the function and the parameter counts.
GROUPS = (
    Group(
        "aso_replicates bootstrap_replicates permutation_replicates "
        "responses.response_replicates responses.true_replicates",
        {
            "rng": EVERYWHERE["rng"]
            + " To split them over calls, pass a seed or one key: a generator moves on."
        },
    ),
    Group(
        "aso aso_replicates compare permutation_test permutation_replicates",
        {"a, b": _SAMPLES.format("")},
    ),
    Group(
        "aso aso_replicates",
        {
            "axis": EVERYWHERE["axis"]
            + " A pair of axes, (seeds, items), if each seed has a score for each item "
            "and both were sampled: the models then share items, each has seeds of its "
            "own, and the scores are means over items."
        },
    ),
    Group(
        "aso bootstrap_test",
        {
            "batch": EVERYWHERE["batch"]
            + " In float64 a replicate takes about 40 bytes for each score."
        },
    ),
    Group(
        "bootstrap_test required_sample_size",
        {"a, b": _SAMPLES.format(", two or more of each")},
    ),
    Group(
        "brunner_munzel equivalence_test t_test",
        {
            "a, b": """
                Scores of the two models, one for each run or item, two or more of each.
                Leading axes are batches, which broadcast."""
        },
    ),
    Group(
        "bootstrap_ci bootstrap_replicates",
        {
            "a": """
                Scores, one for each run or item, two or more. Leading axes are batches,
                which see the same resamples."""
        },
    ),
    Group(
        "aso aso_from_chunks compare multi_aso plot.dominance",
        {"confidence_level": "Confidence of the bound, in (0, 1): 0.95 for 95 %."},
    ),
    Group(
        "bootstrap_ci proportion_ci t_ci plot.contingency plot.learning_curves "
        "plot.scores",
        {"confidence_level": "Confidence of the interval, in (0, 1): 0.95 for 95 %."},
    ),
    Group(
        "aso compare multi_aso plot.dominance",
        {
            "method": """
                How to find the standard error: from random resamples ("bootstrap"), all
                distinct ones ("exact"), or the normal limit of many scores
                ("asymptotic"). "auto" is "exact" if there are few distinct ones, as for
                five scores a side, else "bootstrap"."""
        },
    ),
    Group(
        "aso_from_chunks violation_ratio_from_chunks order_statistics",
        {
            "a, b": """
                Scores of the two models, each as a NumPy array of one axis, such as a
                `numpy.memmap`; the path of a file .npy, .parquet or .arrow, or (path,
                column) where a table has several columns; or a function without
                parameters, which returns the same iterable of arrays at each call.""",
            "dt": """
                Compare quantiles on the grid dt, 2 dt, ... < 1, such as 0.005, the one
                of the papers.""",
            "workers": """
                Who reads the parts of 2^26 scores, or the row groups of a table: a
                number of threads (-1: all cores), or a function called as
                ``map(function, tasks)``, as an executor has. By default this thread.
                Process groups and mesh axes are refused.""",
            "progress": """
                Called as ``progress(n_read, n)`` for every part, with the number of
                scores that a pass through one sample has read, and of all, which is
                None in the first pass; or a bar of tqdm, ``progress=tqdm()``.""",
        },
    ),
    Group(
        "benjamini_hochberg benjamini_yekutieli bonferroni holm",
        {"pvalues": "P-values in [0, 1]. NaN stays where it is, and is left out of N."},
    ),
    Group(
        "benjamini_hochberg benjamini_yekutieli bonferroni count_significant holm",
        {"axis": "The axis of the N p-values; the others are batches."},
    ),
    Group(
        "bootstrap_test bootstrap_replicates bootstrap_ci",
        {"paired": _PAIRS + " Pairs are drawn together, else each sample separately."},
    ),
    Group(
        "permutation_test permutation_replicates",
        {
            "paired": _PAIRS + " The scores of a pair are exchanged; else all scores "
            "are dealt out anew to two samples of n and m."
        },
    ),
    Group(
        "equivalence_test proportion_ci proportion_test t_ci t_test", {"paired": _PAIRS}
    ),
    Group(
        "bootstrap_test bootstrap_replicates permutation_test permutation_replicates",
        {
            "statistic": """
                What to compare: means, medians, interquartile means ("iqm", without
                n // 4 scores at each end), or means divided by their standard
                error ("t")."""
            + _STATISTIC
        },
    ),
    Group(
        "bootstrap_ci",
        {
            "statistic": """
                What to estimate: the mean, the median or the interquartile mean ("iqm",
                without n // 4 scores at each end)."""
            + _STATISTIC
        },
    ),
    Group(
        "bootstrap_test bootstrap_replicates bootstrap_ci equivalence_test",
        {"axis": EVERYWHERE["axis"] + _TWO_AXES},
    ),
    Group(
        "t_ci t_test",
        {"axis": EVERYWHERE["axis"] + _TWO_AXES + " Items may be in `clusters`."},
    ),
    Group(
        "t_ci t_test bootstrap_test bootstrap_replicates bootstrap_ci "
        "equivalence_test permutation_test permutation_replicates",
        {
            "clusters": """
                A label for each item, text or number (3, 3.0 and "3 " are one), if
                whole clusters were sampled, such as documents; a pair of arrays if
                samples are not pairs. An index is aligned with that of the samples.
                See :doc:`/clusters`."""
        },
    ),
    Group(
        "performance_profile",
        {
            "strata": """
                The axis of strata, which are fixed and each sampled by itself, such as
                tasks with several runs; or a label for each score, text or
                number, for strata of unlike sizes. Labels on a device are integers; a
                stratum of one score makes the result NaN there."""
        },
    ),
    Group(
        "t_ci t_test bootstrap_test bootstrap_replicates bootstrap_ci "
        "permutation_test permutation_replicates equivalence_test",
        {
            "strata": """
                The axis of strata, which are fixed and each sampled by itself: for
                scores (runs, tasks), ``axis=0, strata=1``; exchanged, these ask about
                other tasks. Or a label for each score, as in `clusters`, for strata of
                unlike sizes; with `clusters`, whole clusters of each stratum were
                sampled. A stratum of one score is an error, or NaN if labels are
                integers on a device, which are not read. Each score counts the same;
                for strata that do, see :doc:`/aggregates`."""
        },
    ),
    Group(
        "bootstrap_test bootstrap_replicates bootstrap_ci permutation_test "
        "permutation_replicates",
        {
            "n_clusters": """
                The number of clusters or more (see :doc:`/clusters`), or a pair for a
                pair of labels, static under `jit`, for labels on a device, which are
                not read; by default that of items. A label that is not below it makes
                the result NaN."""
        },
    ),
    Group(
        "t_ci t_test",
        {
            "n_clusters": """
                The number of clusters, or a pair for a pair of labels, static under
                `jit`, for labels on a device, which are not read: by default that of
                items. One that is not below it makes the result NaN. Without
                `strata` it may be more.""",
            "statistic": """
                The mean; or `of_sums` of a function, a metric of the sums of d numbers
                of each item: a sample is then a tuple of d arrays (..., n), or one
                (..., d, n). Its error is that of the mean of the items' influences.""",
        },
    ),
    Group(
        "bootstrap_power_analysis required_sample_size responses.power",
        {"alpha": "The difference is seen where the p-value is at most this."},
    ),
    Group(
        "bootstrap_power_analysis required_sample_size",
        {
            "test": """
                The one-sided test. "aso" sees a difference where eps_min < 0.2 at
                confidence 1 - `alpha`. A callable, called as f(a, b, axis=-1), returns
                the p-values of batches, in array-API code, small where A is higher."""
        },
    ),
    Group(
        "plot.replicates report.describe",
        {"alternative": "The alternative that was passed to the test."},
    ),
    Group(
        "report.describe",
        {
            "margin": """
                The margin that was passed to the test: the sentence then says whether A
                is no worse than B."""
        },
    ),
    *OF_ROOMS,
)

# Parameters of EVERYWHERE that are something else in a function, which describes them.
OF_THEIR_OWN = {
    "aso_from_chunks": {"rng"},
    "compare_models": {"dt", "higher_is_better", "margin", "n_resamples", "rng"},
    "gather_scores": {"axis"},
    "multi_aso": {"axis"},
    "rank_ci": {"axis", "clusters", "n_clusters", "paired", "strata"},
    "bootstrap_power_analysis": {"n_resamples"},
    "permutation_test": {"n_resamples"},
    "plot.contingency": {"a, b", "ax"},
    "plot.dominance": {"a, b", "ax"},
    "plot.looks": {"n_resamples", "rng"},
    "plot.study": {"ax"},
    "required_sample_size": {"n_resamples"},
    "wilcoxon_test": {"a, b", "axis"},
    "responses.power": {"n_items", "n_resamples", "n_responses"},
    "responses.resample": {"n_resamples"},
    "responses.response_test": {"n_resamples"},
    "responses.study": {"items", "n_resamples", "responses"},
}


def find_text(function: str, names: str) -> str | None:
    """Return the text of a parameter of a function in one line, or None."""
    if names in OF_THEIR_OWN.get(function, ()):
        return None
    for group in GROUPS:
        if function in group.functions.split() and names in group.texts:
            return " ".join(group.texts[names].split())
    text = EVERYWHERE.get(names)
    return text and " ".join(text.split())
