"""Scores larger than memory: what `aso` and a sort give in memory, bit for bit."""

import random
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sigarray import (
    aso,
    aso_from_chunks,
    multi_aso,
    violation_ratio,
    violation_ratio_from_chunks,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.public import as_scalars
from sigarray._backend.workers import Execution, executed_by
from sigarray._numeric.selection import Room, Sample
from sigarray._order.estimates import STREAMS
from sigarray._order.families import Family
from sigarray._order.in_parts import estimate_samples, multi_aso_of_samples
from sigarray._order.many_models import result_of_pair
from sigarray._order.stacks import level_of
from tests.backend.programs import run
from tests.backends import whole_suite
from tests.numeric.chunks import ROOMS, draw

OPTIONS = {"rng": 3, "n_resamples": 150, "dt": 0.01}
# Nothing is small enough to be read as a whole.
LARGE = Room(read=0, held=0)


def find(a, b, *, room=LARGE, higher_is_better=True, **options):
    """As `aso_from_chunks` does, with so much room."""
    shared = {x: options.pop(x, None) for x in ("batch", "workers", "progress")}
    options = {"confidence_level": 0.95, "n_comparisons": 1} | OPTIONS | options
    level = level_of(options.pop("confidence_level"), options.pop("n_comparisons"))
    sign, told = 1 if higher_is_better else -1, shared["progress"]
    with executed_by(Execution(**shared, least=0)):
        samples = [Sample(x, sign=sign, progress=told, room=room) for x in (a, b)]
        found = estimate_samples(
            samples, STREAMS, family=Family("one-sided", level), **options
        )
        return as_scalars(result_of_pair(HOST, *found))


def check_same(found, expected):
    """The bits of scores in memory; but the test of equality knows a part of them."""
    assert found.violation_ratio == expected.violation_ratio
    assert found.standard_error == expected.standard_error
    is_told = found.eps_min < 0.5
    assert found.eps_min == expected.eps_min or (not is_told and found.eps_min == 0.5)
    assert [type(x) for x in found] == [type(x) for x in expected]
    # Three intervals of dt = 0.01, of each sample, and a little.
    near = found.probability_of_improvement - expected.probability_of_improvement
    assert abs(near) < 0.07
    if expected.probability_of_improvement > 0.5:
        assert found.pvalue >= expected.pvalue - 1e-6


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(900, 900), (900, 700), (30, 2000), (40, 50)])
def test_aso_has_the_bits_of_that_in_memory(sizes, dtype, room):
    room = ROOMS[room]._replace(read=0, held=0, part=300)
    rng = np.random.default_rng(0)
    a = rng.normal(0.1, 1.0, sizes[0]).astype(dtype)
    b = rng.normal(0.0, 1.2, sizes[1]).astype(dtype)
    for options in (
        {},
        {"higher_is_better": False, "n_comparisons": 3, "confidence_level": 0.9},
        {"batch": 40, "rng": np.random.default_rng(5)},
    ):
        again = dict(options)
        if "batch" in options:
            again["rng"] = np.random.default_rng(5)
        expected = aso(a, b, **(OPTIONS | options))
        check_same(find(a, b, room=room, **again), expected)
        assert type(expected.eps_min) is np.dtype(dtype).type


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(1500, 1500), (1500, 1100), (30, 2000), (40, 50)])
def test_ratios_have_the_bits_of_those_in_memory(sizes, dtype):
    """Of samples that are held, up to 1024 scores, and of others."""
    rng = np.random.default_rng(0)
    a = rng.normal(0.1, 1.0, sizes[0]).astype(dtype)
    b = rng.normal(0.0, 1.2, sizes[1]).astype(dtype)
    assert violation_ratio_from_chunks(a, b, dt=0.01) == violation_ratio(a, b, dt=0.01)


def test_public_functions_have_the_bits_of_more_scores_than_are_read():
    a, b = draw("normal", 700_000), draw("lognormal", 400_000)
    options = {"dt": 0.1, "n_resamples": 50, "rng": 0}
    check_same(aso_from_chunks(a, b, **options), aso(a, b, **options))


@pytest.mark.parametrize("kind", ["lognormal", "whole numbers", "close together"])
def test_aso_of_other_scores(kind):
    a, b = draw(kind, 800), draw(kind, 800)[:500] * 1.01
    check_same(find(a, b), aso(a, b, **OPTIONS))


def test_few_scores_beside_many():
    """Two models with five scores each are enumerated, as they are in memory."""
    rng = np.random.default_rng(0)
    models = {
        name: rng.normal(size=n) for name, n in zip("abc", (5, 5, 3000), strict=True)
    }
    found = multi_aso_of_samples(
        [Sample(x, room=Room(read=0)) for x in models.values()],
        list(models),
        confidence_level=0.95,
        is_corrected=True,
        n_comparisons=1,
        baseline=None,
        n_resamples=150,
        dt=0.01,
        rng=3,
    )
    expected = multi_aso(models, **OPTIONS)
    for name in ("violation_ratio", "standard_error"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=1e-12, atol=1e-13
        )
    assert (found.eps_min >= expected.eps_min - 1e-12).all()


def test_few_scores_are_enumerated_as_in_memory():
    a, b = [0.1, 0.5, 0.3, 0.4, 0.2], [0.2, 0.1, 0.6, 0.3, 0.5]
    result = aso_from_chunks(np.asarray(a), np.asarray(b), dt=0.1)
    assert result == aso(a, b, dt=0.1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        aso_from_chunks(np.asarray(a[:2]), np.asarray(b[:2]), dt=0.1)
    assert [x.filename for x in caught] == [__file__]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_faults_give_nan(number):
    a, b = draw("normal", 1600), draw("losses", 600)
    a[77] = number
    for result in (*find(a, b), violation_ratio_from_chunks(b, a, dt=0.01)):
        assert np.isnan(result)


def test_sources(tmp_path):
    """Arrays, files and functions, of all dtypes that have a float one."""
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    a, b = draw("normal", 900).astype("float32"), draw("lognormal", 700)
    expected = find(a.astype("float64"), b)
    check_same(expected, aso(a.astype("float64"), b, **OPTIONS))
    np.save(tmp_path / "a.npy", a)
    table = pa.table({"loss": b, "other": b[::-1] + 1.0})
    parquet, arrow = tmp_path / "b.parquet", tmp_path / "b.arrow"
    pyarrow.parquet.write_table(table, parquet, row_group_size=130)
    pyarrow.feather.write_feather(
        table, arrow, compression="uncompressed", chunksize=90
    )
    one = tmp_path / "one.parquet"
    pyarrow.parquet.write_table(table.select(["loss"]), one)

    def chunks():
        yield from np.array_split(b, 7)
        yield b[:0]

    memmap = np.memmap(tmp_path / "raw", dtype="float32", mode="w+", shape=900)
    memmap[:] = a
    for first in (
        a,
        a.astype(">f4"),
        memmap,
        tmp_path / "a.npy",
        str(tmp_path / "a.npy"),
    ):
        assert find(first, b) == expected
    for second in ((parquet, "loss"), (str(arrow), "loss"), one, chunks):
        assert find(a, second) == expected
    whole = np.random.default_rng(0).integers(0, 9, 600)
    for kind in ("int16", "uint64", "float16", "bool"):
        x = whole.astype(kind)
        wide = x.astype("float32" if kind == "float16" else "float64")
        assert find(x, b) == aso(wide, b, **OPTIONS)


@pytest.mark.long
def test_every_worker_gives_the_same_bits(tmp_path):
    room = Room(first_bits=12, cells=2**12, collected=100, part=120, read=0, held=0)
    a, b = draw("normal", 900), draw("losses", 1000)
    np.save(tmp_path / "a.npy", a)
    expected = aso(a, b, **OPTIONS)

    def shuffled(function, tasks):
        results = [function(task) for task in tasks]
        return random.Random(0).sample(results, len(results))

    with ThreadPoolExecutor(3) as pool:
        for workers in (1, 2, -1, shuffled, pool.map):
            found = find(tmp_path / "a.npy", b, workers=workers, room=room)
            check_same(found, expected)


def test_progress():
    seen = []
    a = draw("normal", 500)
    room = LARGE._replace(part=200)
    find(a, a[:300], progress=lambda *x: seen.append(x), room=room)
    first = [(200, None), (400, None), (500, None), (200, None), (300, None)]
    assert seen[:5] == first
    assert seen[5:] == [(200, 500), (400, 500), (500, 500), (200, 300), (300, 300)]


def test_one_resample_has_no_deviation():
    a, b = np.random.default_rng(1).normal(size=(2, 300))
    with pytest.raises(ValueError, match=r"n_resamples of 2 or more.* got 1"):
        find(a, b, n_resamples=1, rng=0)


def test_other_scores_in_the_second_pass():
    """Of few scores too, which are read as a whole."""
    rng = np.random.default_rng(0)
    a, once = draw("normal", 40), iter([draw("normal", 30)])
    for source in (lambda: [rng.normal(size=40)], lambda: once):
        with pytest.raises(ValueError, match=r"the same scores in every pass|got none"):
            aso_from_chunks(source, a, **OPTIONS)


@pytest.mark.long
@whole_suite
def test_memory(tmp_path):
    """Of 2 * 10^7 scores, 76 MiB, far less is held than they take."""
    code, output = run(
        """
        import tracemalloc
        import numpy as np
        from sigarray._numeric.selection import Room
        from tests.order.test_from_chunks import find

        def chunks(seed):
            rng = np.random.default_rng(seed)
            for _ in range(20):
                yield rng.standard_normal(10**6, dtype=np.float32)

        tracemalloc.start()
        room = Room(collected=2**18)
        find(lambda: chunks(0), lambda: chunks(1), room=room, dt=0.1, n_resamples=100)
        print("MiB", tracemalloc.get_traced_memory()[1] / 2**20)
        """
    )
    assert code == 0, output
    assert float(output.split()[-1]) < 120, output
