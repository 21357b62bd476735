"""What every public function promises on every backend.

That each case gives the numbers of NumPy, and where they stay, is tested on each of
them; axes, batches and faults for all cases on NumPy, and elsewhere for the first of
each function. SIGARRAY_TESTS=all has all of them everywhere.
"""

import inspect
import itertools
import re

import numpy as np
import pytest

import sigarray
from sigarray import responses
from tests.backends import EAGER, HAS_ALL, make_backend, make_fixture
from tests.case import CaseOfPValues
from tests.cases import CASES, WITHOUT_ARRAYS
from tests.chosen import (
    ENTRIES,
    LOOPS,
    ONE_EACH,
    over,
    over_all,
    over_backends,
    over_libraries,
)

RANDOM_CASES = [case for case in CASES if case.is_random]
BATCHED_CASES = [case for case in CASES if case.has_batch]
CASES_OF_SEVERAL_ARRAYS = [case for case in CASES if len(case.shapes) > 1]

backend = make_fixture(EAGER)


def call_on(backend, case, samples, **changes):
    """Call the case on the device, and fetch its arrays."""
    results = case(*map(backend.asarray, samples), **changes)
    return [backend.to_numpy(result) for result in results]


def list_operations(program):
    """List the operations of a program of JAX, and of programs in it, with dtypes."""
    import jax

    found, left, seen = set(), [program], set()
    while left:
        jaxpr = left.pop()
        jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
        if id(jaxpr) in seen:
            continue
        seen.add(id(jaxpr))
        for equation in jaxpr.eqns:
            dtypes = (getattr(x.aval, "dtype", None) for x in equation.invars)
            found.add((equation.primitive.name, *map(str, dtypes)))
            parts = jax.tree.leaves(
                list(equation.params.values()), is_leaf=lambda x: hasattr(x, "eqns")
            )
            left += [x for x in parts if hasattr(x, "eqns")]
    return found


def take_seed(case):
    """Call a case with a seed before its arrays."""

    def program(seed, *arrays):
        return case(*arrays, **({"rng": seed} if case.is_random else {}))

    return program


def leaves_the_device(operations):
    return any("callback" in name or name == "device_put" for name, *_ in operations)


# Operations that were seen to lower for CUDA.
KNOWN_ON_CUDA = set()


def list_calls_on_cuda(traced, operations):
    """List what a program calls on CUDA that XLA does not lower itself.

    Only programs with an operation that no other had are lowered.
    """
    if operations <= KNOWN_ON_CUDA:
        return []
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    calls = re.findall(r"custom_call @([\w.]+)", text)
    if not calls:
        KNOWN_ON_CUDA.update(operations)
    return calls


def test_every_public_function_has_a_case():
    functions = {
        getattr(package, name)
        for package in (sigarray, responses)
        for name in package.__all__
        if inspect.isfunction(getattr(package, name))
    }
    tested = {case.public or case.function for case in CASES}
    # Of processes of torch, of what is on the host, of files: with tests of their own.
    others = {sigarray.gather_scores, sigarray.ranking, sigarray.order_statistics}
    others |= {sigarray.aso_from_chunks, sigarray.violation_ratio_from_chunks}
    others |= {sigarray.compare_models}
    assert functions <= tested | WITHOUT_ARRAYS | others


@over_backends()
def test_it_gives_the_numbers_of_numpy_where_the_scores_are(backend, case):
    """Same namespace, device and dtype; no host transfer; inputs are not written to.

    That no case needs float64 is for test_devices_without_float64, on PyTorch.
    """
    import array_api_compat

    samples = case.samples(2)
    on_numpy = case(*samples)
    for dtype in dict.fromkeys(("float32", backend.float_name)):
        arrays = [backend.asarray(sample, dtype) for sample in samples]
        with backend.no_transfers():
            results = case(*arrays)
        for result, expected in zip(results, on_numpy, strict=True):
            assert type(result) is type(arrays[0])
            case.assert_dtype(backend.xp, result, getattr(backend.xp, dtype))
            assert array_api_compat.device(result) == array_api_compat.device(arrays[0])
            np.testing.assert_allclose(
                backend.to_numpy(result), expected, atol=case.float32_error
            )
        for array, sample in zip(arrays, samples, strict=True):
            np.testing.assert_array_equal(backend.to_numpy(array), sample.astype(dtype))


@over(CASES)
def test_without_batches_numpy_gives_its_scalars(case):
    for result in case(*case.samples()):
        if result.ndim == 0:
            assert isinstance(result, np.generic)


@over_libraries(CASES)
def test_integers_become_the_widest_float(backend, case):
    samples = [
        np.round(case.stretch * sample).astype(np.int32) for sample in case.samples()
    ]
    arrays = [backend.asarray(sample) for sample in samples]
    default = getattr(backend.xp, backend.float_name)
    floats = call_on(backend, case, [sample.astype(np.float64) for sample in samples])
    for result, expected in zip(case(*arrays), floats, strict=True):
        case.assert_dtype(backend.xp, result, default)
        np.testing.assert_allclose(
            backend.to_numpy(result), expected, rtol=1e-5, atol=case.float32_error
        )


@over_libraries(CASES)
def test_batch_axes_equal_a_loop(backend, case):
    samples = case.samples(2, 3)
    batched = call_on(backend, case, samples)
    for index in ((0, 0), (0, 2), (1, 1)):
        single = call_on(backend, case, [sample[index] for sample in samples])
        for whole, one in zip(batched, single, strict=True):
            np.testing.assert_allclose(
                whole[index], one, rtol=backend.rtol, atol=backend.atol
            )


@over_libraries(CASES_OF_SEVERAL_ARRAYS)
def test_batch_axes_broadcast(backend, case):
    samples = case.samples(2)
    samples[1] = samples[1][0]
    batched = call_on(backend, case, samples)
    for index in range(2):
        entry = [
            sample[index] if k != 1 else sample for k, sample in enumerate(samples)
        ]
        for whole, one in zip(batched, call_on(backend, case, entry), strict=True):
            np.testing.assert_allclose(
                whole[index], one, rtol=backend.rtol, atol=backend.atol
            )


# P-values are batches of their own.
@over([x for x in CASES if x.has_one_result and not isinstance(x, CaseOfPValues)])
def test_no_batch_entries_give_no_results(case):
    samples = [sample[:0] for sample in case.samples(2)]
    for result in case(*samples):
        assert result.shape[0] == 0


@over_libraries([case for case in CASES if case.takes_axis])
def test_axis_is_where_the_scores_are(backend, case):
    samples = case.samples(2, 3)
    moved = [np.moveaxis(sample, -1, 0) for sample in samples]
    by_last = call_on(backend, case, samples)
    # Whether it is counted from the end does not matter once arrays are taken.
    axes = (0, -samples[0].ndim) if HAS_ALL or case in ENTRIES else (0,)
    for axis in axes:
        by_axis = call_on(backend, case, moved, axis=axis)
        for result, expected in zip(by_axis, by_last, strict=True):
            np.testing.assert_allclose(
                case.move_last(result, axis),
                expected,
                rtol=backend.rtol,
                atol=backend.atol,
            )


@over_libraries(CASES)
def test_nan_stays_in_its_batch_entry(backend, case):
    """One fault in each of three entries, or the same again."""
    samples = case.samples(2, 3)
    clean = call_on(backend, case, samples)
    faults = itertools.cycle(case.faults(backend.name == "numpy"))
    for place, fault in zip(range(3), faults, strict=False):
        samples[0][1, place, ..., 0] = fault
    results = call_on(backend, case, samples)
    for place in range(3):
        case.assert_nan([result[1, place] for result in results])
    for result, expected in zip(results, clean, strict=True):
        np.testing.assert_allclose(
            result[0], expected[0], rtol=backend.rtol, atol=backend.atol
        )


@over_libraries(BATCHED_CASES)
def test_batch_size_does_not_change_the_result(backend, case):
    samples = case.samples(2, 3)
    whole = call_on(backend, case, samples)
    for batch in (7, 10**6):
        chunks = call_on(backend, case, samples, batch=batch)
        for result, expected in zip(chunks, whole, strict=True):
            np.testing.assert_allclose(
                result, expected, rtol=backend.rtol, atol=backend.atol
            )


@over_libraries(RANDOM_CASES)
def test_seed_matters(backend, case):
    samples = case.samples()
    # P-values are multiples of 1 / (n_resamples + 1), and two may be the same.
    results = [
        call_on(backend, case, samples, rng=seed)[case.drawn] for seed in range(5)
    ]
    assert max(np.max(np.abs(result - results[0])) for result in results) > 1e-6


class TestJax:
    """Under `jit` and `vmap`; test_no_mode_moves_a_number has the eager calls."""

    @pytest.fixture
    def backend(self):
        return make_backend("jax.numpy")

    @over_all()
    def test_one_program(self, backend, case):
        """Compiled once, for other samples and seeds too; the numbers of NumPy.

        Nothing leaves the device; and it lowers for CUDA, where there is none.
        """
        import jax

        traces = []

        @jax.jit
        def program(*arrays):
            traces.append(arrays)
            return take_seed(case)(*arrays)

        def call(samples, seed=11):
            arrays = [backend.asarray(x) for x in samples]
            seed = jax.numpy.asarray(seed)
            with jax.transfer_guard("disallow"):
                results = program(seed, *arrays)
            for result in results:
                assert isinstance(result, jax.Array)
                case.assert_dtype(backend.xp, result, np.float32)
            return [np.asarray(result) for result in results]

        samples = case.samples(2, 3)
        # Constants are sent to the device while it is traced.
        arrays = jax.numpy.asarray(0), *map(backend.asarray, samples)
        traced = program.trace(*arrays)
        operations = list_operations(traced.jaxpr)
        assert not leaves_the_device(operations)
        assert not list_calls_on_cuda(traced, operations)
        for result in traced.out_info:
            case.assert_dtype(backend.xp, result, np.float32)
        program(*arrays)
        clean = call(samples)
        for result, on_numpy in zip(clean, case(*samples), strict=True):
            np.testing.assert_allclose(
                result, on_numpy, rtol=backend.rtol, atol=case.float32_error
            )
        for fault in case.faults(backend.name == "numpy"):
            faulty = [sample.copy() for sample in samples]
            faulty[0][1, ..., 0] = fault
            results = call(faulty)
            case.assert_nan([result[1] for result in results])
            for result, expected in zip(results, clean, strict=True):
                np.testing.assert_array_equal(result[0], expected[0])
        if case.is_random:
            others = [call(samples, seed)[case.drawn] for seed in range(4)]
            assert max(np.max(np.abs(x - clean[case.drawn])) for x in others) > 1e-6
        assert len(traces) == 1

    @over_all(ONE_EACH if HAS_ALL else ENTRIES, LOOPS)
    def test_vmap_traces(self, backend, case):
        """What is traced, JAX maps: no function has a rule of its own for maps.

        test_torch_func_vmap is about what a function must not ask of a mapped array.
        """
        import jax

        samples = case.samples(2, 3)
        mapped = jax.eval_shape(jax.vmap(case), *map(backend.asarray, samples))
        for result, batched in zip(mapped, case(*samples), strict=True):
            assert result.shape == batched.shape

    @over(LOOPS)
    def test_vmap_equals_batch_axes(self, backend, case):
        import jax

        samples = case.samples(2, 3)
        mapped = jax.vmap(case)(*map(backend.asarray, samples))
        for result, batched in zip(mapped, case(*samples), strict=True):
            np.testing.assert_allclose(
                result, batched, rtol=backend.rtol, atol=case.float32_error
            )

    @over(LOOPS)
    def test_loops_over_chunks(self, backend, case):
        samples = case.samples()
        results = call_on(backend, case, samples, batch=7)
        for result, on_numpy in zip(results, case(*samples), strict=True):
            np.testing.assert_allclose(result, on_numpy, atol=case.float32_error)

    def test_the_guards_notice(self, backend):
        import jax

        def call_back(x):
            return jax.pure_callback(lambda y: y, x, x)

        array = backend.asarray([0.5])
        for function in (call_back, jax.device_put):
            for program in (function, jax.jit(function)):
                traced = jax.make_jaxpr(program)(array)
                assert leaves_the_device(list_operations(traced))
        loop = jax.make_jaxpr(lambda x: jax.lax.fori_loop(0, 3, lambda _, y: y + x, x))
        assert "add" in {name for name, *_ in list_operations(loop(array))}
        qr = jax.jit(jax.numpy.linalg.qr).trace(backend.asarray(np.eye(3)))
        assert list_calls_on_cuda(qr, list_operations(qr.jaxpr))
        compiled = jax.jit(lambda x, y: x + y)
        compiled(array, array)
        with pytest.raises(Exception, match="Disallowed host-to-device"):  # noqa: SIM117
            with jax.transfer_guard("disallow"):
                compiled(array, np.float32(1.0))
