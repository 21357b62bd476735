"""CUDA without CUDA: every operator on fake tensors is known, and none waits."""

import textwrap

from conftest import require
from tests.backend.programs import run
from tests.cases import CASES

PRELUDE = """
import warnings
import numpy as np
import torch
from tests.backend.fake_cuda import check
from tests.cases import CASES
warnings.simplefilter("ignore")
"""


def run_on_fake_cuda(code):
    require("torch")
    return run(PRELUDE + textwrap.dedent(code))


def test_every_case_runs_without_a_wait():
    code, output = run_on_fake_cuda(
        """
        for case in CASES:
            check(case, *((2, *shape) for shape in case.shapes))
            print("ran", case.id)
        """
    )
    assert code == 0, output
    assert output.count("ran ") == len(CASES)


def test_simulations_do_not_wait_and_faults_are_noticed():
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

        host = torch.zeros(3)
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
        print("noticed all")
        """
    )
    assert code == 0, output
    assert "noticed all" in output
