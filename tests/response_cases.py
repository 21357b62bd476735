"""Rows of functions of items with several responses each."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import array_api_compat

from sigarray import responses
from sigarray.responses import _models, metrics
from tests.case import Case, CaseOfResponses


def fit_likert(gold: Any) -> Any:
    """Simulate an eighth of the items: the same steps, sooner."""
    with mock.patch.object(_models, "_ITEMS", 2**11):
        return responses.fit(gold, model="likert")


def _bias(gold: Any, system: Any) -> Any:
    xp = array_api_compat.array_namespace(gold)
    return -xp.abs(xp.mean(gold, axis=(-2, -1)) - xp.mean(system, axis=(-2, -1)))


# What moves with the level of responses: resamples themselves, the first parameters of
# a model, and a callable metric, which is given the responses as they are.
MOVED: dict[Any, tuple[int, ...] | None] = {
    responses.resample: None,
    responses.fit: (0, 1),
    "shuffled": None,
}


def _case(name: str, function: Callable[..., Any], *sizes: int, **options: Any) -> Case:
    """Make a case of responses to 6 items, of so many by gold and by the systems."""
    is_test = function is responses.response_test
    is_random = is_test or function in (
        responses.resample,
        responses.response_replicates,
    )
    if is_random and "count" not in options:
        options = {"n_resamples": 40} | options
    return CaseOfResponses(
        f"{getattr(function, '__name__', type(function).__name__)}-{name}",
        function,
        tuple((6, size) for size in sizes),
        options,
        is_random=is_random,
        is_likert=name == "likert",
        # Twelve rounds, each of which starts from the rounding of the last.
        float32_error=1e-4 if name == "likert" else 1e-6,
        drawn=1 if is_test else -1,
        moved=MOVED.get(name, MOVED.get(function, ())),
    )


RESPONSE_CASES = [
    _case("wins", responses.response_test, 3, 2, 4),
    _case(
        "spearman",
        responses.response_test,
        *(2, 3, 3),
        metric="spearman",
        responses="bootstrap",
        alternative="two-sided",
    ),
    _case("emd", responses.response_test, 3, 3, 2, metric="emd_all", responses="one"),
    _case("shuffled", responses.response_test, 3, 8, 7, metric=_bias),
    _case("bootstrap", responses.resample, 3, 3, 2, responses="bootstrap"),
    _case(
        "mae",
        responses.response_replicates,
        *(3, 2, 4),
        metric="mae",
        start=5,
        count=30,
    ),
    _case("normal", responses.fit, 3),
    _case("likert", fit_likert, 4),
    _case("mean_of_emds", metrics.mean_of_emds, 3, 4),
    _case("all", metrics.wins("mae", aggregate=None), 3, 3, 3),
]
