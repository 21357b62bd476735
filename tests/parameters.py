"""What docstrings say of the parameters that several public functions share.

A description begins with the text that is here; paragraphs after it are the function's
own. `python -m tests.docstrings` writes a changed text into all docstrings.
"""

from typing import NamedTuple

# Of functions that no group below names.
EVERYWHERE = {
    "a, b": """
        Scores of the two models, one for each run or item. Leading axes are batches,
        and broadcast.""",
    "alternative": """
        The alternative hypothesis: A differs from B ("two-sided"), is higher
        ("greater") or is lower ("less").""",
    "ax": "Where to draw; by default on a new figure, one column of a paper wide.",
    "axis": "The axis of the scores; the others are batches.",
    "b": "Scores of a second model. Leading axes broadcast.",
    "batch": """
        Replicates to compute at a time; by default what suits the device. Memory grows
        with it; the result does not depend on it.""",
    "count": """
        How many replicates, static under `jit`. `start` + `count` is at most 2^31.""",
    "dt": """
        Compare quantiles on the grid dt, 2 dt, ... < 1, as the papers do with dt =
        0.005; by default all of them, exactly.""",
    "higher_is_better": "False for losses and error rates: lower scores are better.",
    "n_comparisons": """
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).""",
    "n_resamples": """
        Number of bootstrap replicates. The more there are, the less the result depends
        on the seed.""",
    "progress": """
        Called as ``progress(done, total)`` whenever some more replicates are computed;
        or a bar of tqdm, ``progress=tqdm()``. JAX, whose loops are compiled, does not
        call it.""",
    "rng": """
        Source of the random numbers: a seed, which is an int in [0, 2^64) and gives
        the same numbers on every backend and device; a generator of NumPy or of the
        arrays' library; or a key of JAX. By default fresh entropy, so that each call
        draws others; JAX needs a seed or a key.""",
    "start": "The first replicate. It may be traced under `jit`, as a shard's index.",
    "workers": """
        Who computes the replicates: a number of threads for NumPy arrays (-1: all
        cores); a function called as ``map(function, tasks)``, as an executor has; a
        process group of PyTorch; or the name of a mesh axis in `jax.shard_map`. By
        default this thread. The result does not depend on it.""",
}


class Group(NamedTuple):
    """Functions, by their public names, and the texts of their parameters."""

    functions: str
    texts: dict[str, str]


_SAMPLES = """
    Scores of the two models, one for each run or item{}. Leading axes are batches, and
    broadcast; all of them see the same resamples."""
_PAIRS = """
    Whether the scores are pairs in the same order, as those of two models on one test
    set (n = m)."""
_STATISTIC = """
    A callable, called as f(x, axis=-1), returns the statistic along that axis, in
    array-API code."""

# The first group that has the function and the parameter counts.
GROUPS = (
    Group(
        "aso_replicates bootstrap_replicates permutation_replicates "
        "responses.response_replicates responses.true_replicates",
        {
            "rng": EVERYWHERE["rng"]
            + " For a split over several calls, pass a seed or one and the same key: a "
            "generator moves on with every call."
        },
    ),
    Group(
        "aso aso_replicates compare permutation_test permutation_replicates",
        {"a, b": _SAMPLES.format("")},
    ),
    Group(
        "aso bootstrap_test",
        {
            "batch": EVERYWHERE["batch"]
            + " A replicate takes about 40 bytes in float64 for each score of every "
            "batch entry."
        },
    ),
    Group(
        "bootstrap_test required_sample_size",
        {"a, b": _SAMPLES.format(", two or more of each")},
    ),
    Group(
        "brunner_munzel t_test",
        {
            "a, b": """
                Scores of the two models, one for each run or item, two or more of each.
                Leading axes are batches, and broadcast."""
        },
    ),
    Group(
        "bootstrap_ci bootstrap_replicates",
        {
            "a": """
                Scores, one for each run or item, two or more. Leading axes are batches;
                all of them see the same resamples."""
        },
    ),
    Group(
        "aso aso_from_chunks compare multi_aso plot.dominance",
        {"confidence_level": "Confidence of the bound, in (0, 1): 0.95 for 95 %."},
    ),
    Group(
        "bootstrap_ci proportion_ci plot.scores",
        {"confidence_level": "Confidence of the interval, in (0, 1): 0.95 for 95 %."},
    ),
    Group(
        "aso compare multi_aso plot.dominance",
        {
            "method": """
                How to find the standard error: from random resamples ("bootstrap"),
                from all distinct ones ("exact"), or by the normal limit of many scores
                ("asymptotic"). "auto" is "exact" where there are few distinct ones, as
                of five scores a side, else "bootstrap"."""
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
    Group("proportion_ci t_test", {"paired": _PAIRS}),
    Group(
        "bootstrap_test bootstrap_replicates permutation_test permutation_replicates",
        {
            "statistic": """
                What to compare: means, medians, or means in units of their standard
                error ("t")."""
            + _STATISTIC
        },
    ),
    Group(
        "bootstrap_ci",
        {"statistic": "What to estimate: the mean or the median." + _STATISTIC},
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
    # Of responses.
    Group(
        "compare responses.power responses.response_test responses.study "
        "responses.true_p_value",
        {
            "alternative": """
                The alternative hypothesis: A differs from B ("two-sided"), is better
                ("greater") or is worse ("less")."""
        },
    ),
    Group(
        "responses.response_test responses.response_replicates responses.resample",
        {
            "gold, a, b": """
                Gold judgments, and the responses of systems A and B to the same items,
                k to each; k may differ, and NaN is a missing one. A vector is one
                response to each item. Leading axes are batches, and broadcast; all of
                them see the same resamples."""
        },
    ),
    Group(
        "responses.power responses.response_test "
        "responses.response_replicates responses.true_p_value "
        "responses.true_replicates",
        {
            "metric": """
                What to compare: the name of a metric, such as "mae", "wins_mae" or
                "f1", or one of `responses.metrics`. A callable f(gold, system) returns
                an array of shape (...) for responses of shape (..., n_items, k), higher
                for a better system."""
        },
    ),
    Group(
        "responses.power responses.response_test "
        "responses.response_replicates responses.resample",
        {
            "items": """
                The items of a resample: as many, drawn with replacement ("bootstrap"),
                as if the test set might have had others; or "all" of them.""",
            "responses": """
                The responses of a resample to each item: "all" of them; as many, drawn
                with replacement ("bootstrap"); all in random order
                ("without_replacement"); "one" at random; or the "first".""",
        },
    ),
    Group(
        "responses.true_p_value responses.true_replicates",
        {
            "responses": """
                Take all responses to each item, or one of them: which one makes no
                difference, because they are drawn independently."""
        },
    ),
    Group(
        "responses.simulate responses.resample",
        {
            "start": """
                The first test set, to draw some now and more later, or on another
                machine, with the same `rng`. It may be traced under `jit`."""
        },
    ),
    Group(
        "responses.power responses.simulate responses.study "
        "responses.true_p_value responses.true_replicates",
        {
            "n_items": "Items of a test set.",
            "n_responses": "Responses to each item, of gold and of each system.",
            "perturbation_a": """
                How far A is from gold: the mean of each item is moved by a uniform
                number in [-perturbation, perturbation], and clamped to the range of the
                model. May be traced under `jit`.""",
            "perturbation_b": "How far B is from gold, likewise.",
            "model": """
                How items and responses vary: a model by its name, or with parameters,
                which may be traced under `jit`.""",
            "response": """
                Makes responses of another distribution: f(mean, sd, uniform), in
                array-API code, returns them for the means and standard deviations of
                items and uniform numbers in (0, 1); the three broadcast.""",
            "xp": """
                The array library of the responses: `numpy`, the default, `torch`,
                `jax.numpy` or `cupy`.""",
            "device, dtype": """
                The device and a real float dtype of the responses; by default those of
                the library.""",
        },
    ),
    # Of results.
    Group(
        "plot.study responses.study_records",
        {
            "metrics, items, responses, perturbations": """
                What was passed to `responses.study`, or its defaults: the result does
                not keep them."""
        },
    ),
    Group(
        "ranking plot.pairwise plot.ranking",
        {
            "result": """
                The result of `multi_aso` for K models, with arrays of shape (K, K) of
                any library. They are copied to the host, which waits for the
                device.""",
            "names": """
                Names of the models, such as the mapping that was passed to `multi_aso`;
                by default their places, 0 to K - 1.""",
        },
    ),
    Group(
        "ranking plot.dominance plot.pairwise plot.ranking plot.replicates",
        {
            "threshold": """
                One model is better than another where its bound eps_min is below this;
                above 0 and at most 0.5."""
        },
    ),
    Group("plot.scores report.describe", {"unit": "What a score stands for."}),
    Group("plot.differences plot.dominance", {"names": "Names of the two models."}),
    Group(
        "plot.ranking plot.scores",
        {"ax": EVERYWHERE["ax"][:-1] + " and as high as there are models."},
    ),
    Group(
        "report.to_frame report.to_json report.to_latex report.to_markdown",
        {
            "result": """
                What any function returned, or a mapping of labels to such results.
                Arrays of any library and device are copied to the host, which waits for
                the device.""",
            "names": """
                Names of the models, for the result of `multi_aso` and a `Ranking`; for
                others, of the batch entries, which are on one axis. By default their
                places, or the labels of a mapping.""",
        },
    ),
    Group(
        "report.to_latex report.to_markdown",
        {"threshold": "Bounds of `multi_aso` below this are bold."},
    ),
    # Of the drop-in for deep-significance.
    Group(
        "deepsig.aso",
        {
            "scores_a, scores_b": """
                Scores of the two models: a list, tuple, set or array of any library."""
        },
    ),
    Group(
        "deepsig.bootstrap_test deepsig.permutation_test",
        {"scores_a, scores_b": "Scores of the two models, in pairs."},
    ),
    Group(
        "deepsig.aso deepsig.bootstrap_power_analysis "
        "deepsig.bootstrap_test deepsig.multi_aso deepsig.permutation_test",
        {
            "confidence_level": "Confidence of the bound, in (0, 1): 0.95 for 95 %.",
            "dt": "Compare quantiles on the grid dt, 2 dt, ... < 1.",
            "num_jobs": "Accepted, and without effect.",
            "seed": "Fixes the random numbers; by default each call draws others.",
            "show_progress": "Show a progress bar, where tqdm is installed.",
        },
    ),
    Group(
        "deepsig.aso deepsig.multi_aso",
        {
            "num_bootstrap_iterations": "Bootstrap replicates, if some are drawn.",
            "num_samples": "Accepted, and without effect.",
        },
    ),
)

# Parameters of EVERYWHERE that are something else in a function, which describes them.
OF_THEIR_OWN = {
    "aso_from_chunks": {"rng"},
    "compare_models": {"dt", "higher_is_better", "n_resamples", "rng"},
    "gather_scores": {"axis"},
    "multi_aso": {"axis"},
    "bootstrap_power_analysis": {"n_resamples"},
    "permutation_test": {"n_resamples"},
    "plot.dominance": {"a, b", "ax"},
    "plot.looks": {"n_resamples", "rng"},
    "plot.study": {"ax"},
    "required_sample_size": {"n_resamples"},
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
