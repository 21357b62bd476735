"""XLA's GPU compiler without a GPU: every function compiles, calls start few kernels.

The compiler is of the extra `gpu-compilers`; `python -m pytest -m slow` runs this, and
with SIGARRAY_TESTS=all every case of each function.
"""

import importlib.util
import textwrap

import pytest

from tests.backend.programs import run
from tests.backends import HAS_ALL, require
from tests.cases import CASES
from tests.chosen import ENTRIES

pytestmark = pytest.mark.slow

PRELUDE = """
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
import jax
import jax.numpy as jnp
from tests.backend.h100 import compile_program, count_launches, lower
from tests.backends import HAS_ALL
from tests.cases import CASES
from tests.chosen import ENTRIES
cases = CASES if HAS_ALL else ENTRIES
warnings.simplefilter("ignore")
"""
ENVIRONMENT = {
    # Else the compiler does not load without a GPU.
    "JAX_PLATFORMS": "cpu",
    # Programs as a user has them, and each compiled: none of JAX's cache can be read.
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "0",
    "JAX_ENABLE_COMPILATION_CACHE": "0",
}


def run_for_h100(code):
    require("jax")
    if importlib.util.find_spec("jax_cuda13_plugin") is None:
        pytest.skip("XLA's GPU compiler is not here: pip install -e .[gpu-compilers]")
    return run(PRELUDE + textwrap.dedent(code), **ENVIRONMENT)


def test_every_function_compiles():
    """To a program that calls nobody and in which the host decides nothing."""
    code, output = run_for_h100(
        """
        def prepare(case):
            def program(seed, *arrays):
                return case(*arrays, **({"rng": seed} if case.is_random else {}))

            return lower(program, *((2, *shape) for shape in case.shapes))

        # The search for tiles of means takes half of the time, and up to half a minute.
        options = {"xla_disable_hlo_passes": "triton-softmax-rewriter"}

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            programs = [
                pool.submit(compile_program, prepare(case), **options)
                for case in cases
            ]
        for case, program in zip(cases, programs):
            error = program.exception()
            print("failed" if error else "compiled", case.id, str(error)[:500])
        """
    )
    assert code == 0, output
    n_cases = len(CASES if HAS_ALL else ENTRIES)
    assert output.count("compiled ") == n_cases, output


# Kernels and copies that a call under `jax.jit` starts, those of a loop once.
LAUNCHES = {
    "aso(a, b, rng=seed)": 35,
    "multi_aso(models, rng=seed)": 76,
    "permutation_test(a, b, paired=True, rng=seed)": 15,
    "permutation_test(a, b, rng=seed)": 28,
    "bootstrap_test(a, b, rng=seed)": 25,
    "bootstrap_ci(a, rng=seed)": 44,
    "t_test(a, b)": 11,
    "responses.response_test(*[ratings] * 3, rng=seed)": 60,
}


def test_calls_start_few_kernels():
    """Each within a tenth of the bound, or the bound is to be lowered."""
    code, output = run_for_h100(
        f"""
        from sigarray import *
        from sigarray import responses

        shapes = (1000,), (1000,), (100, 20), (1000, 5)
        for call, bound in {LAUNCHES}.items():
            function = eval("lambda seed, a, b, models, ratings: " + call)
            launches = count_launches(lower(function, *shapes))
            print(launches, "of", bound, call)
            assert 0.85 * bound < launches <= bound, (call, launches)

        def sort_often(seed, x):
            for _ in range(5):
                x = jnp.sort(jnp.flip(x))
            return x

        def sort_in_loop(seed, x):
            return jax.lax.fori_loop(0, 50, lambda _, y: sort_often(seed, y), x)

        assert count_launches(lower(lambda seed, x: x + 1, (1000,))) == 1
        assert 10 <= count_launches(lower(sort_often, (1000,))) <= 20
        assert 10 <= count_launches(lower(sort_in_loop, (1000,))) <= 25
        """
    )
    assert code == 0, output


def test_faults_are_noticed():
    """Calls of other libraries and of the host, and what waits for a decision of it."""
    code, output = run_for_h100(
        """
        from jax.experimental import io_callback

        def notice(planted):
            try:
                compile_program(lower(lambda seed, x: planted(x), (3, 3)))
            except Exception as error:
                return str(error)
            return "nothing"

        for planted, complaint in (
            (jnp.linalg.qr, "the program calls {'cusolver_"),
            (jnp.linalg.inv, "the program calls {'"),
            # A callback is of a GPU that is here.
            (lambda x: jax.pure_callback(jnp.sin, x, x), "'gpu' requested"),
            (lambda x: io_callback(jnp.sin, x, x), "'gpu' requested"),
            (lambda x: jax.debug.print("{}", x), "'gpu' requested"),
            (
                lambda x: jax.lax.while_loop(jnp.any, lambda y: y - 1, x),
                "the host decides in",
            ),
            (
                lambda x: jax.lax.cond(jnp.any(x), jnp.sort, jnp.flip, x),
                "the host decides in",
            ),
            (jnp.sort, "nothing"),
        ):
            assert complaint in notice(planted), (complaint, notice(planted))
        print("noticed all")
        """
    )
    assert code == 0, output
    assert "noticed all" in output
