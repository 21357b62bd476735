"""Nothing around a call moves a number: every case in every mode of its library."""

import contextlib
import functools

import numpy as np
import pytest

from sigarray import bootstrap_test, permutation_test, responses
from tests.backends import HAS_ALL, require, use_backend
from tests.cases import CASES
from tests.chosen import ENTRIES, LOOPS, ONE_EACH, over_all


@contextlib.contextmanager
def set_in_torch(setter, value, before):
    import torch

    getattr(torch, setter)(value)
    try:
        yield
    finally:
        getattr(torch, setter)(before)


def modes_of_torch():
    import torch

    return {
        "autocast to bfloat16": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
        "autocast to float16": lambda: torch.autocast("cpu", dtype=torch.float16),
        "products in bfloat16": lambda: set_in_torch(
            "set_float32_matmul_precision", "medium", "highest"
        ),
        "default dtype float64": lambda: set_in_torch(
            "set_default_dtype", torch.float64, torch.float32
        ),
        "default dtype bfloat16": lambda: set_in_torch(
            "set_default_dtype", torch.bfloat16, torch.float32
        ),
        "default device meta": lambda: torch.device("meta"),
        "inference": torch.inference_mode,
        "no gradients": torch.no_grad,
        "deterministic": lambda: set_in_torch(
            "use_deterministic_algorithms", True, False
        ),
    }


def modes_of_jax():
    import jax

    @contextlib.contextmanager
    def refuse():
        """All at once, for each of them has JAX trace again."""
        with (
            jax.numpy_dtype_promotion("strict"),
            jax.numpy_rank_promotion("raise"),
            jax.debug_nans(True),
            jax.debug_infs(True),
        ):
            yield

    return {
        "products in bfloat16": lambda: jax.default_matmul_precision("bfloat16"),
        "strict types and ranks, NaN and infinity raise": refuse,
        # By itself, for the search for NaN is a transfer from a GPU.
        "transfers raise": lambda: jax.transfer_guard("disallow"),
    }


def modes_of(backend):
    if backend.name == "torch":
        return modes_of_torch()
    if backend.is_jax:
        return modes_of_jax()
    return {"errors raise": lambda: np.errstate(all="raise")}


# Modes that do not undo one another, and are set at once.
SETS_OF_TORCH = (
    ("autocast to bfloat16", "default dtype float64", "inference"),
    ("autocast to float16", "default dtype bfloat16", "no gradients"),
    ("products in bfloat16", "default device meta", "deterministic"),
)


SETS_OF_JAX = (
    ("products in bfloat16", "transfers raise"),
    ("strict types and ranks, NaN and infinity raise",),
)


def sets_of(backend):
    modes = modes_of(backend)

    @contextlib.contextmanager
    def set_all(names):
        with contextlib.ExitStack() as stack:
            for name in names:
                stack.enter_context(modes[name]())
            yield

    sets = [tuple(modes)]
    if backend.name == "torch" or backend.is_jax:
        sets = SETS_OF_JAX if backend.is_jax else SETS_OF_TORCH
    assert {name for names in sets for name in names} == set(modes)
    return {", ".join(names): functools.partial(set_all, names) for names in sets}


# The first of each function, and what is traced at each call: the modes are off where a
# function begins.
FIRSTS_AND_CALLABLES = [
    case
    for case in CASES
    if case in ONE_EACH or any(map(callable, case.options.values()))
]
ROWS = {"numpy": CASES, "torch": FIRSTS_AND_CALLABLES, "jax.numpy:x64": LOOPS}


# One of each loop, and one whose labels are of another type than its scores.
WITHIN = [*LOOPS, *(x for x in ENTRIES if x.id == "probability_of_improvement-strata")]
assert len(WITHIN) == 4


@over_all(FIRSTS_AND_CALLABLES, WITHIN)
def test_no_mode_moves_a_program_of_jax(case):
    """What is traced in a mode is what is traced in none; the numbers are below.

    Modes are off where a function begins: that each has such a begin is shown below, on
    PyTorch.
    """
    jax = require("jax")
    with use_backend("jax.numpy:x64") as backend:
        arrays = [backend.asarray(case.stretch * x) for x in case.samples(2)]
        plain = str(jax.make_jaxpr(case)(*arrays))
        for name, mode in sets_of(backend).items():
            with mode():
                assert str(jax.make_jaxpr(case)(*arrays)) == plain, name


@pytest.mark.parametrize(
    ("backend", "case"),
    [
        pytest.param(name, case, id=f"{name}-{case.id}")
        for name, cases in ROWS.items()
        for case in (CASES if HAS_ALL else cases)
    ],
    indirect=["backend"],
)
def test_no_mode_moves_a_number(backend, case):
    samples = case.samples(2)
    # Which float integers become is decided where arrays come in.
    has_integers = backend.name == "torch" and (HAS_ALL or case in ENTRIES)
    kinds = ["float32", "int32"] if has_integers else ["float32"]
    for kind in kinds:
        arrays = [backend.asarray(case.stretch * x, kind) for x in samples]
        plain = case(*arrays)
        if kind == "float32":
            on_numpy = case(*(case.stretch * x for x in samples))
            for result, expected in zip(plain, on_numpy, strict=True):
                np.testing.assert_allclose(
                    backend.to_numpy(result),
                    expected,
                    rtol=1e-5,
                    atol=case.stretch * case.float32_error,
                )
        for name, mode in sets_of(backend).items():
            with mode():
                results = case(*arrays)
            for result, expected in zip(results, plain, strict=True):
                assert result.dtype == expected.dtype, name
                np.testing.assert_array_equal(
                    backend.to_numpy(result), backend.to_numpy(expected), err_msg=name
                )


@pytest.mark.long
@pytest.mark.parametrize("backend", ["numpy", "torch", "jax.numpy:x64"], indirect=True)
def test_no_mode_moves_a_simulation(backend):
    options = {"n_sets": 3, "rng": 1, "xp": backend.xp, "device": backend.device}
    where = {"dtype": backend.xp.float32, **options}

    def run():
        sets = responses.simulate(9, 3, model="likert", **where)
        true = responses.true_p_value(metric="spearman", n_items=9, **where)
        kept = {name: x for name, x in where.items() if name != "n_sets"}
        model = responses.fit(sets.gold)
        share = responses.power(9, 2, n_sets=3, n_resamples=5, **kept)
        return [*sets, *true, *model, share]

    plain = run()
    for name, mode in modes_of(backend).items():
        if name.startswith("default device") or name.endswith("transfers raise"):
            continue  # without arrays given, that is what decides where to compute
        with mode():
            results = run()
        for result, expected in zip(results, plain, strict=True):
            np.testing.assert_array_equal(
                backend.to_numpy(result), backend.to_numpy(expected), err_msg=name
            )


def test_the_modes_do_something():
    """Or else the tests above could not fail."""
    torch = require("torch")
    x = torch.linspace(0.0, 1.0, 300)
    plain = x @ x
    for name in ("autocast to bfloat16", "autocast to float16"):
        with modes_of_torch()[name]():
            assert float(x @ x) != float(plain)
    with modes_of_torch()["default device meta"]():
        assert torch.zeros(1).is_meta
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        np.log(np.zeros(1))
    jax = require("jax")
    x = jax.numpy.ones(3)
    programs = [str(jax.make_jaxpr(jax.numpy.dot)(x, x))]
    with modes_of_jax()["products in bfloat16"]():
        programs.append(str(jax.make_jaxpr(jax.numpy.dot)(x, x)))
    assert programs[0] != programs[1]


def test_no_mode_moves_a_statistic_of_the_caller():
    torch = require("torch")
    scores = torch.asarray(np.random.default_rng(0).random((2, 9)), dtype=torch.float32)
    options = {"statistic": lambda x, axis: (x @ torch.ones(9, 1))[..., 0] ** 2}
    plain = bootstrap_test(*scores, **options, rng=0)
    for name in ("autocast to bfloat16", "autocast to float16", "inference"):
        with modes_of_torch()[name]():
            result = bootstrap_test(*scores, **options, rng=0)
        np.testing.assert_array_equal(result, plain, err_msg=name)


@pytest.mark.long
def test_published_faults():
    """P-values that autocast and lower precision of products moved before."""
    torch = require("torch")
    sets = responses.simulate(300, 5, perturbation_b=0.05, xp=torch, rng=1)
    options = {"alternative": "greater", "metric": "mae", "rng": 0}
    rng = np.random.default_rng(0)
    heavy = torch.asarray(rng.standard_cauchy((2, 200)) * 1e4, dtype=torch.float32)
    for name, mode in modes_of_torch().items():
        with mode():
            p = responses.response_test(*sets, **options).pvalue
            assert float(p) == pytest.approx(0.3908, abs=2e-4), name
            p = permutation_test(*heavy, paired=False, rng=0).pvalue
        expected = permutation_test(*heavy.double(), paired=False, rng=0).pvalue
        assert float(p) == pytest.approx(float(expected), abs=1e-3), name
