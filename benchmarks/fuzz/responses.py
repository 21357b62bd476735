"""The public functions of responses, as those of scores are in `functions`."""

import math
from typing import Any

from hypothesis import strategies as st

from benchmarks.fuzz.options import Function, Option, choice, count, number
from benchmarks.fuzz.shared import LEVEL, RANDOM, REPLICATES, START, TESTED
from sigarray.responses import LikertModel, NormalModel

SAMPLERS = {
    "items": choice("bootstrap", "all"),
    "responses": choice("all", "bootstrap", "one", "first", "without_replacement"),
    "n_resamples": RANDOM["n_resamples"],
    "rng": RANDOM["rng"],
}
MODEL = {"model": choice("normal", "likert")}
TEST_SETS = MODEL | {
    # Several of them are what `power` takes.
    "n_items": count(6, several=True),
    "n_responses": count(4, several=True),
    "n_sets": count(5),
    "rng": RANDOM["rng"],
}
PERTURBED = {"perturbation_a": number(0.0, 0.3, wrong=(math.nan,))}
STUDY = (
    TEST_SETS
    | TESTED
    | {
        "n_resamples": RANDOM["n_resamples"],
        "metrics": Option(st.just(("mae", "spearman")), (3, None), ((), ("bleu",))),
        "responses": Option(st.sampled_from((("all",), ("one",)))),
        "perturbations": Option(st.just((0.1,)), (None,), ((math.nan,),)),
    }
)
# Those that are NaN for some finite responses, such as constant ones, and the others.
PARTIAL = ("cosine", "spearman", "mean_of_emds", "precision", "recall", "f1", "roc_auc")
TOTAL = ("mae", "mse", "rmse", "max_error", "emd", "emd_all", "kl_divergence")
WINS = ("wins_mae", "wins_mae_all", "wins_emd")
METRIC = {"metric": choice(*PARTIAL, *TOTAL, *WINS, "accuracy")}
SIMULATED: dict[str, Any] = {"arity": 0, "takes": "nothing"}
RESPONSES: dict[str, Any] = {"arity": 3, "takes": "responses"}

FUNCTIONS_OF_RESPONSES = [
    Function(
        "responses.response_test",
        SAMPLERS | METRIC | TESTED | {"batch": RANDOM["batch"]},
        # For some metrics.
        may_be_nan=("statistic", "pvalue", "metric_a", "metric_b"),
        **RESPONSES,
    ),
    Function(
        "responses.response_replicates",
        REPLICATES | METRIC | {name: SAMPLERS[name] for name in ("items", "responses")},
        # For some metrics.
        may_be_nan=("statistic", "null_statistic"),
        **RESPONSES,
    ),
    Function(
        "responses.resample",
        SAMPLERS | {"start": START},
        arity=3,
        takes="responses",
    ),
    Function(
        "responses.fit",
        MODEL,
        arity=1,
        takes="responses",
        # Where no item has two responses, or one is beyond the scale.
        may_be_nan=(*NormalModel._fields, *LikertModel._fields),
    ),
    *(
        Function(f"responses.metrics.{name}", {}, 2, "responses", may_be_nan=nan)
        for names, nan in ((PARTIAL, ("result",)), ((*TOTAL, "accuracy"), ()))
        for name in names
    ),
    *(Function(f"responses.metrics.{name}", {}, **RESPONSES) for name in WINS),
    Function(
        "responses.simulate",
        TEST_SETS | PERTURBED | {"n_sets": count(5, is_optional=True), "start": START},
        **SIMULATED,
    ),
    Function("responses.true_p_value", TEST_SETS | PERTURBED | TESTED, **SIMULATED),
    Function(
        "responses.true_replicates",
        {name: x for name, x in TEST_SETS.items() if name != "n_sets"}
        | PERTURBED
        | REPLICATES,
        **SIMULATED,
    ),
    Function(
        "responses.study",
        STUDY,
        # For the correlation of one item.
        may_be_nan=("estimated_pvalue", "true_pvalue"),
        **SIMULATED,
    ),
    Function(
        "responses.power",
        TEST_SETS
        | PERTURBED
        | TESTED
        | {"n_resamples": RANDOM["n_resamples"], "alpha": LEVEL},
        **SIMULATED,
    ),
]
