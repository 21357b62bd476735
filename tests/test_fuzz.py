"""A few seconds of `python -m benchmarks.fuzz`, on NumPy."""

import inspect

import pytest

import sigarray
from benchmarks.fuzz.__main__ import fuzz, search
from benchmarks.fuzz.checks import check_answer
from benchmarks.fuzz.functions import FUNCTIONS
from sigarray import responses
from sigarray.responses import metrics
from tests.backends import whole_suite

# A formula of four integers, and names beside p-values.
# Numbers, results and files, and no arrays of every library.
NOT_SEARCHED = {
    *(
        "aso_uncertainty_reduction",
        "required_items",
        "responses.study_records",
        "ranking",
    ),
    *("aso_from_chunks", "violation_ratio_from_chunks", "order_statistics"),
    *("gather_scores", "compare_models", "of_sums", "performance_profile"),
}


def test_every_public_function_is_searched():
    searched = {function.name for function in FUNCTIONS} | NOT_SEARCHED
    for package, prefix in ((sigarray, ""), (responses, "responses.")):
        for name in package.__all__:
            if inspect.isfunction(getattr(package, name)):
                assert prefix + name in searched
    for name, value in vars(metrics).items():
        if isinstance(value, metrics.Metric | metrics.Wins):
            assert f"responses.metrics.{name}" in searched


@whole_suite
def test_a_short_search_finds_nothing():
    faults = fuzz(seconds=2.0, seed=0, backends=["numpy"])
    for fault in faults:
        pytest.fail(f"{fault.key}: {fault.detail}\n{fault.call.snippet()}")


@pytest.mark.parametrize(
    ("planted", "kind"),
    [
        (lambda p_values, axis=-1: 2.0 + p_values, "leaves [0, 1]"),
        (lambda p_values, axis=-1: p_values.undefined, "raises AttributeError"),
        (lambda p_values, axis=-1: p_values.sort() or p_values, "writes to its input"),
    ],
)
def test_a_search_finds_what_is_planted(planted, kind, monkeypatch):
    monkeypatch.setattr(sigarray, "holm", planted)
    holm = next(function for function in FUNCTIONS if function.name == "holm")
    assert ("holm", kind) in {
        key[:2] for key in search(check_answer, holm, ["numpy"], 0)
    }
