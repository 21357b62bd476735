"""What docstrings say of parameters that functions of one room share."""

from typing import NamedTuple


class Group(NamedTuple):
    """Functions, by their public names, and the texts of their parameters."""

    functions: str
    texts: dict[str, str]


GROUPS = (
    # Of responses.
    Group(
        "compare responses.power responses.response_test responses.study "
        "responses.true_p_value",
        {
            "alternative": """
                A differs from B ("two-sided"), is better ("greater") or worse
                ("less")."""
        },
    ),
    Group(
        "responses.response_test responses.response_replicates responses.resample",
        {
            "gold, a, b": """
                Gold judgments, and the responses of systems A and B to the same items,
                k to each; k may differ, and NaN is a missing one. A vector is one
                response to each item. Leading axes are batches, which broadcast and see
                the same resamples."""
        },
    ),
    Group(
        "responses.power responses.response_test "
        "responses.response_replicates responses.true_p_value "
        "responses.true_replicates",
        {
            "metric": """
                What to compare: the name of a metric, such as "mae", "wins_mae" or
                "f1", or one of `responses.metrics`. A callable f(gold, system)
                returns an array (...) for responses (..., n_items, k), higher for a
                better system."""
        },
    ),
    Group(
        "responses.power responses.response_test "
        "responses.response_replicates responses.resample",
        {
            "items": """
                The items of a resample: as many, drawn with replacement ("bootstrap"),
                if the test set might have had others; or "all" of them.""",
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
                How far A is from gold: means of items are moved by uniform numbers in
                [-p, p], and clamped to the model's range. May be traced under
                `jit`.""",
            "perturbation_b": "How far B is from gold, likewise.",
            "model": """
                How items and responses vary: a model by its name, or with parameters,
                which may be traced under `jit`.""",
            "response": """
                Another distribution: f(mean, sd, uniform), in array-API code, makes
                responses of items' means, deviations and uniform numbers in (0, 1),
                which broadcast.""",
            "xp": """
                The array library: `numpy`, the default, `torch`, `jax.numpy` or
                `cupy`.""",
            "device, dtype": """
                Of the responses, the dtype a real float; by default those of `xp`.""",
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
                A model is better where its bound eps_min is below this; above 0, at
                most 0.5."""
        },
    ),
    Group("plot.scores report.describe", {"unit": "What a score stands for."}),
    Group(
        "plot.critical_differences plot.learning_curves",
        {"names": "Names of the models of an array; by default their places."},
    ),
    Group(
        "plot.contingency plot.differences plot.dominance",
        {"names": "Names of the two models."},
    ),
    Group(
        "plot.scores",
        {
            "ax": """
                Where to draw; by default on a new figure, one column of a paper wide
                and as high as there are models."""
        },
    ),
    Group(
        "report.to_frame report.to_json report.to_latex report.to_markdown",
        {
            "result": """
                What any function returned, or a mapping of labels to such results.
                Arrays of any library and device are copied to the host, which waits for
                the device.""",
            "names": """
                Names of the models, for the results of `multi_aso` and `rank_ci` and a
                `Ranking`; for others, of the batch entries, which are on one axis. By
                default their places, or the labels of a mapping.""",
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
