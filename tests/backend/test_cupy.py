"""CuPy's branches on the host: a stand-in that tells of every wait and every copy."""

import shutil
import textwrap

import pytest

from tests import chosen
from tests.backend.programs import run
from tests.chosen import entries_or_others

PRELUDE = """
import warnings
import numpy as np
from tests.backend import fake_cupy, kernels
cupy = fake_cupy.install({kernels})
warnings.simplefilter("ignore")
# Each program shows first that the stand-in notices faults.
import array_api_compat.cupy as xp
x = cupy.asarray(np.asarray([-0.5, 0.5, 2.0]))
for planted, complaint in (
    (lambda: float(x[0]), "converted to a number"),
    (lambda: x if x[0] > 0.0 else -x, "converted to a number"),
    (lambda: x[x > 0.0], "a mask is counted"),
    (lambda: x.get(), "copied to the host"),
    (lambda: x + cupy.asarray(np.ones(3)), "copied to the device"),
    (lambda: x + np.ones(3), "Unsupported type numpy.ndarray"),
    (lambda: np.sum(x), "numpy.sum of a CuPy array"),
    (lambda: np.asarray(x), "Implicit conversion"),
    (lambda: cupy.nonzero(x), "nonzero is not known"),
    (lambda: cupy.unique(x), "unique is not known"),
    # As NumPy has them.
    (lambda: cupy.sum(x, where=x > 0.0), "unexpected keyword argument 'where'"),
    (lambda: cupy.sort(x, stable=True), "unexpected keyword argument 'stable'"),
    (lambda: cupy.take(x, x, 0, None, "clip"), "too many positional"),
    (lambda: cupy.partition(x, 1, kind="introselect"), "argument 'kind'"),
    # Which array-api-compat writes through a mask.
    (lambda: xp.clip(x, 0.0, 1.0), "a mask is counted"),
    (lambda: xp.sign(x), "a mask is counted"),
):
    try:
        with fake_cupy.without_waits():
            planted()
    except Exception as error:
        assert complaint in str(error), error
    else:
        raise SystemExit(f"nothing was said that {complaint}")
from sigarray import responses
"""


def run_beside_fake(code, kernels=None):
    return run(PRELUDE.replace("{kernels}", str(kernels)) + textwrap.dedent(code))


@entries_or_others
@pytest.mark.parametrize("kernels", [None, "kernels.RawKernel"])
def test_cases_give_the_numbers_of_numpy_without_a_wait(kernels, cases):
    """By array code, and by kernels of our own, which g++ compiles for the host."""
    if kernels and shutil.which("g++") is None:
        pytest.skip("there is no g++")
    code, output = run_beside_fake(
        f"""
        from tests import chosen
        for case in chosen.{cases}:
            samples = case.samples(2)
            arrays = [cupy.asarray(x) for x in samples]
            with fake_cupy.without_waits():
                results = case(*arrays)
            for result, expected in zip(results, case(*samples), strict=True):
                assert isinstance(result, cupy.ndarray), case.id
                np.testing.assert_allclose(
                    result.get(), expected, rtol=1e-9, atol=1e-12, err_msg=case.id
                )
            print("ran", case.id)
        # Of no random number.
        sets = [cupy.zeros((5, 2)), cupy.ones((5, 3)), cupy.ones((5, 2))]
        drawn = responses.resample(*sets, items="all", n_resamples=4, rng=0)
        assert drawn.a.shape == (4, 5, 3)
        """,
        kernels,
    )
    assert code == 0, output
    assert output.count("ran ") == len(getattr(chosen, cases))


@pytest.mark.long
def test_simulations_do_not_wait():
    code, output = run_beside_fake(
        """
        options = {"n_items": 20, "n_sets": 30, "rng": 3}
        expected = responses.true_p_value(**options)
        with fake_cupy.without_waits():
            result = responses.true_p_value(xp=cupy, **options)
            study = responses.study(
                xp=cupy, metrics="mae", n_items=9, n_sets=9, n_resamples=9, rng=0
            )
            power = responses.power(9, 2, n_sets=9, n_resamples=9, xp=cupy, rng=0)
        for found, value in zip(result, expected, strict=True):
            np.testing.assert_allclose(found.get(), value)
        assert isinstance(study.true_pvalue, cupy.ndarray)
        assert isinstance(power, cupy.ndarray)
        """
    )
    assert code == 0, output


def test_the_parameters_are_those_of_cupy():
    """In a process of its own, for the other tests have CuPy's place taken."""
    pytest.importorskip("cupy")
    code, output = run(
        """
        import inspect

        import cupy

        from tests.backend import fake_cupy

        def facts(signature):
            return [
                (x.name, x.kind, x.default is x.empty)
                for x in signature.parameters.values()
            ]

        for name in fake_cupy.FUNCTIONS:
            found = facts(inspect.signature(getattr(cupy, name)))
            assert found == facts(fake_cupy.signature_of(name)), (name, found)
        for name, count in fake_cupy.UFUNCS.items():
            ufunc = getattr(cupy, name)
            assert isinstance(ufunc, cupy.ufunc) and ufunc.nin == count, name
        own = {"_places", "_to_number", *dir(type("Empty", (), {}))}
        for name in vars(fake_cupy.ndarray).keys() - own:
            assert hasattr(cupy.ndarray, name), name
        """
    )
    assert code == 0, output
