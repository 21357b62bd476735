"""CUDA without CUDA: every operator on fake tensors is known, and none waits."""

import textwrap

import pytest

from tests import chosen
from tests.backend.programs import run
from tests.backends import require

PRELUDE = """
import warnings
import numpy as np
import torch
from tests.backend.fake_cuda import check
from tests.cases import CASES
warnings.simplefilter("ignore")
# Each program shows first that faults are noticed in it.
for planted, complaint in (
    (lambda x: x.sum().item(), "_local_scalar_dense is not known"),
    (lambda x: x if x.sum() > 0 else -x, "is not known"),
    (lambda x: x[x > 0], "is not known"),
    (lambda x: torch.nonzero(x), "nonzero is not known"),
    (lambda x: torch.histc(x, 3), "histc is not known"),
    (lambda x: torch.multinomial(x, 2), "multinomial is not known"),
    (lambda x: torch.unique(x), "is not known"),
    (lambda x: x.cpu(), "_to_copy on"),
    (lambda x: x + torch.ones(3).to(x.device), "on ['cpu'"),
    (lambda x: torch.tensor([1.0, 2.0], device=x.device), "lift_fresh"),
    (lambda x: torch.ones(3), "ones on ['cpu']"),
):
    try:
        check(planted, (3,))
    except Exception as error:
        assert complaint in str(error), (complaint, error)
    else:
        raise SystemExit(f"nothing was said: {complaint}")
"""

RUN_CASES = """
from tests import chosen
for case in chosen.{}:
    check(case, *((2, *shape) for shape in case.shapes))
    print("ran", case.id)
"""


def run_on_fake_cuda(*parts):
    require("torch")
    return run(PRELUDE + "".join(map(textwrap.dedent, parts)))


@pytest.mark.long
def test_other_cases_run_without_a_wait():
    code, output = run_on_fake_cuda(RUN_CASES.format("OTHERS"))
    assert code == 0, output
    assert output.count("ran ") == len(chosen.OTHERS)


@pytest.mark.long
def test_other_dtypes_and_axes_run_without_a_wait():
    """Dtypes by turns, for they matter at the entry alone, which each function has.

    With the kernel of random words here, and without it above. The first case of each
    function, and those that draw in another way.
    """
    code, output = run_on_fake_cuda(
        """
        from tests.backend.fake_cuda import pretend_h100
        pretend_h100()
        names = ("float64", "float16", "int32", "bfloat16", "uint8")
        ways = {}
        for case in CASES:
            how = [case.options.get(x) for x in ("paired", "method", "responses")]
            ways.setdefault((case.function, *map(str, how)), case)
        cases = list(ways.values())
        for k, case in enumerate(cases):
            shapes = case.shapes
            options = {}
            if case.takes_axis:
                shapes = [(shape[-1], 3, *shape[:-1]) for shape in shapes]
                options = {"axis": 0}
            check(
                lambda *x: case(*x, **options),
                *shapes,
                dtype=getattr(torch, names[k % len(names)]),
            )
        assert {case.function for case in cases} == {case.function for case in CASES}
        """
    )
    assert code == 0, output


# Kernels that a call starts, those of our own counted as one: what an eager training
# loop pays for, at some 5 microseconds each.
LAUNCHES = {
    "aso(a, b, rng=0)": 179,
    "aso(a[:5], b[:5], rng=0)": 349,
    "aso(a, b, method='asymptotic')": 226,
    "multi_aso(models, rng=0)": 999,
    "multi_aso(models[:5], rng=0)": 766,
    "multi_aso(models[:5], rng=0, baseline=0)": 601,
    "rank_ci(models[:5], rng=0)": 484,
    "rank_ci(models[:5], paired=True, rng=0)": 416,
    "permutation_test(a, b, paired=True, rng=0)": 73,
    "permutation_test(a, b, rng=0)": 94,
    "permutation_test(a, b, paired=True, method='exact')": 902,
    "bootstrap_test(a, b, rng=0)": 94,
    "bootstrap_ci(a, rng=0)": 326,
    "permutation_test(a, b[:900], statistic='t', rng=0)": 253,
    "bootstrap_test(a, b, statistic='t', rng=0)": 297,
    "bootstrap_ci(a, method='studentized', rng=0)": 140,
    "brunner_munzel(a, b)": 200,
    "t_test(a, b)": 119,
    "t_ci(a, b)": 409,
    "equivalence_test(a, b, low=-0.1, high=0.1)": 222,
    "equivalence_test(a, b, low=-0.1, high=0.1, method='bootstrap', rng=0)": 109,
    "equivalence_test(a, b, low=-0.1, high=0.1, method='score')": 217,
    "proportion_test(a, b, paired=True)": 94,
    "t_test(models, models[:5], axis=(0, 1))": 253,
    "bootstrap_ci(models, axis=(0, 1), method='percentile', rng=0)": 114,
    "aso(models, models[:5], axis=(0, 1), rng=0)": 776,
    "bootstrap_ci(a, statistic='iqm', clusters=(0 * a).int(), n_clusters=9, "
    "method='percentile', rng=0)": 228,
    "t_test(a, b, paired=True, clusters=(0 * a).int(), n_clusters=9)": 176,
    "permutation_test(a, b, paired=True, clusters=(0 * a).int(), n_clusters=40, "
    "rng=0)": 202,
    "bootstrap_test(ratings.T[:3], ratings.T[2:], statistic=F1, rng=0)": 282,
    "t_test(ratings.T[:3], ratings.T[2:], statistic=F1)": 235,
    "bootstrap_ci(models, strata=0, rng=0)": 385,
    "bootstrap_ci(a, strata=(0 * a).int(), rng=0)": 411,
    "t_ci(models, strata=0)": 433,
    "t_ci(a, strata=(0 * a).int())": 471,
    "probability_of_improvement(a, b, rng=0)": 162,
    "performance_profile(a, b[:9], rng=0)": 44,
    "wilcoxon_test(a, b)": 135,
    "wilcoxon_test(a[:20], b[:20])": 206,
    "mann_whitney_u(a, b)": 92,
    "responses.response_test(*[ratings] * 3, rng=0)": 428,
}


def test_cases_run_without_a_wait_and_calls_start_few_kernels():
    """Each within a tenth of the bound, or the bound is to be lowered."""
    code, output = run_on_fake_cuda(
        RUN_CASES.format("ENTRIES"),
        f"""
        from sigarray import *
        from sigarray import responses
        from tests.backend.fake_cuda import pretend_h100
        from tests.sum_cases import F1
        pretend_h100()
        shapes = (1000,), (1000,), (100, 20), (1000, 5)
        for call, bound in {LAUNCHES}.items():
            function = eval("lambda a, b, models, ratings: " + call)
            launches = check(function, *shapes)
            print(launches, "of", bound, call)
            assert 0.85 * bound < launches <= bound, (call, launches)
        assert check(lambda a: (a + 1)[None, 1:].neg(), (3,)) == 2
        torch.use_deterministic_algorithms(True)
        check(lambda a, b: permutation_test(a, b, rng=0), *shapes[:2])
        torch.use_deterministic_algorithms(False)
        # As in a CUDA graph, whose seed is written in place.
        check(
            lambda a, b: aso(a, b, rng=torch.zeros(2, dtype=int, device="cuda")),
            *shapes[:2],
        )
        for name in ("float16", "bfloat16", "float64", "int32", "bool"):
            check(
                lambda a, b: aso(a, b, axis=0, n_resamples=9, rng=0),
                *((30, 2), (20, 1)),
                dtype=getattr(torch, name),
            )
        """,
    )
    assert code == 0, output
    assert output.count("ran ") == len(chosen.ENTRIES)


@pytest.mark.long
def test_simulations_do_not_wait():
    code, output = run_on_fake_cuda(
        """
        import array_api_compat.torch as xp
        from sigarray import responses

        where = {"xp": xp, "device": torch.device("cuda"), "rng": 0}
        small = {"n_sets": 3, "n_resamples": 3}
        for model in ("normal", "likert"):
            check(lambda: responses.simulate(6, 2, n_sets=3, model=model, **where))
        check(lambda: responses.true_p_value(n_items=6, n_sets=3, **where))
        check(
            lambda: responses.study(
                metrics="emd", items="all", n_items=6, **small, **where
            )
        )
        check(lambda: responses.power(4, 2, **small, **where))
        """
    )
    assert code == 0, output
