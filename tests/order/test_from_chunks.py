"""Scores larger than memory: what `aso` and a sort give in memory, bit for bit."""

import itertools
import random
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sigarray import (
    aso,
    aso_from_chunks,
    multi_aso,
    order_statistics,
    violation_ratio,
    violation_ratio_from_chunks,
)
from sigarray._numeric import selection, sources
from sigarray._order import from_chunks
from tests.backend.programs import run
from tests.backends import whole_suite

OPTIONS = {"rng": 3, "n_resamples": 150, "dt": 0.01}


@pytest.fixture
def large(monkeypatch):
    """Nothing is small enough to be read as a whole."""
    monkeypatch.setattr(from_chunks, "_MAX_READ", 0)
    monkeypatch.setattr(from_chunks, "_MAX_HELD", 0)


def limit(monkeypatch, collected, cells, part=2**26, block=2**16):
    monkeypatch.setattr(selection, "_FIRST_BITS", 12)
    monkeypatch.setattr(selection, "_MAX_COLLECTED", collected)
    monkeypatch.setattr(selection, "_MAX_CELLS", cells)
    monkeypatch.setattr(sources, "_PART", part)
    monkeypatch.setattr(sources, "_BLOCK", block)


# Scores to collect, cells of a later pass: few of one, of the other, of both.
LIMITS = {"default": (2**24, 2**23), "count": (0, 2**14), "passes": (50, 2**6)}


def draw(kind, n):
    rng = np.random.default_rng(0)
    return {
        "normal": lambda: rng.normal(size=n),
        "lognormal": lambda: rng.lognormal(0.0, 3.0, n),
        "whole numbers": lambda: rng.integers(-2, 3, n).astype(float),
        "losses": lambda: -rng.pareto(1.0, n),
        "close together": lambda: 1.0 + 1e-7 * rng.normal(size=n),
        "the same": lambda: np.full(n, -0.5),
        "subnormal": lambda: rng.normal(size=n) * 1e-310,
        "zeros": lambda: rng.choice([0.0, -0.0, 1.0], n),
    }[kind]()


KINDS = ["normal", "lognormal", "whole numbers", "losses", "close together"]
KINDS += ["the same", "subnormal", "zeros"]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_order_statistics_are_those_of_a_sort(kind, dtype, limits, monkeypatch):
    limit(monkeypatch, *LIMITS[limits], part=400, block=70)
    scores = draw(kind, 1003).astype(dtype)
    ranks = np.random.default_rng(1).integers(0, 1003, (9, 4))
    found = order_statistics(scores, ranks)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.sort(scores)[ranks])
    np.testing.assert_array_equal(
        order_statistics(scores, np.arange(1003)), np.sort(scores)
    )


def test_order_statistics_of_what_is_not_finite():
    scores = np.r_[np.inf, draw("normal", 50), -np.inf, -np.inf]
    np.testing.assert_array_equal(
        order_statistics(scores, [0, 1, 2, 52]), np.sort(scores)[[0, 1, 2, 52]]
    )
    for place, sign in itertools.product((0, 20), (1.0, -1.0)):
        faulty = draw("normal", 50)
        faulty[place] = np.copysign(np.nan, sign)
        assert np.isnan(order_statistics(faulty, [0, 49])).all()
    assert order_statistics(scores, np.zeros((0,), dtype=int)).shape == (0,)
    assert order_statistics(scores, 0) == -np.inf


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


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(900, 900), (900, 700), (30, 2000), (40, 50)])
def test_aso_has_the_bits_of_that_in_memory(large, sizes, dtype, limits, monkeypatch):
    limit(monkeypatch, *LIMITS[limits], part=300)
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
        check_same(aso_from_chunks(a, b, **(OPTIONS | again)), expected)
        assert type(expected.eps_min) is np.dtype(dtype).type
    assert violation_ratio_from_chunks(a, b, dt=0.01) == violation_ratio(a, b, dt=0.01)


@pytest.mark.parametrize("kind", ["lognormal", "whole numbers", "close together"])
def test_aso_of_other_scores(large, kind):
    a, b = draw(kind, 800), draw(kind, 800)[:500] * 1.01
    check_same(aso_from_chunks(a, b, **OPTIONS), aso(a, b, **OPTIONS))


def test_few_scores_beside_many(monkeypatch):
    """Two models with five scores each are enumerated, as they are in memory."""
    monkeypatch.setattr(from_chunks, "_MAX_READ", 0)
    rng = np.random.default_rng(0)
    models = {
        name: rng.normal(size=n) for name, n in zip("abc", (5, 5, 3000), strict=True)
    }
    found = from_chunks.multi_aso_of_samples(
        [selection.Sample(x) for x in models.values()],
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
def test_faults_give_nan(large, number):
    a, b = draw("normal", 600), draw("losses", 600)
    a[77] = number
    for result in (
        *aso_from_chunks(a, b, **OPTIONS),
        violation_ratio_from_chunks(b, a, dt=0.01),
    ):
        assert np.isnan(result)


def test_sources(large, tmp_path, monkeypatch):
    """Arrays, files and functions, of all dtypes that have a float one."""
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    a, b = draw("normal", 900).astype("float32"), draw("lognormal", 700)
    expected = aso_from_chunks(a.astype("float64"), b, **OPTIONS)
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
        assert aso_from_chunks(first, b, **OPTIONS) == expected
    for second in ((parquet, "loss"), (str(arrow), "loss"), one, chunks):
        assert aso_from_chunks(a, second, **OPTIONS) == expected
    whole = np.random.default_rng(0).integers(0, 9, 600)
    for kind in ("int16", "uint64", "float16", "bool"):
        x = whole.astype(kind)
        wide = x.astype("float32" if kind == "float16" else "float64")
        assert aso_from_chunks(x, b, **OPTIONS) == aso(wide, b, **OPTIONS)


def test_every_worker_gives_the_same_bits(large, tmp_path, monkeypatch):
    limit(monkeypatch, 100, 2**12, part=120)
    a, b = draw("normal", 900), draw("losses", 1000)
    np.save(tmp_path / "a.npy", a)
    expected = aso(a, b, **OPTIONS)

    def shuffled(function, tasks):
        results = [function(task) for task in tasks]
        return random.Random(0).sample(results, len(results))

    monkeypatch.setattr("sigarray._backend.workers._MIN_ELEMENTS", 0)
    with ThreadPoolExecutor(3) as pool:
        for workers in (1, 2, -1, shuffled, pool.map):
            found = aso_from_chunks(tmp_path / "a.npy", b, workers=workers, **OPTIONS)
            check_same(found, expected)


@whole_suite
def test_processes_read_their_parts(tmp_path, monkeypatch):
    loky = pytest.importorskip("loky")
    monkeypatch.setattr(sources, "_PART", 10**5)
    x = draw("normal", 10**6)
    np.save(tmp_path / "x.npy", x)
    with loky.get_reusable_executor(2) as executor:
        found = order_statistics(
            tmp_path / "x.npy", [5, 10**5, 10**6 - 1], workers=executor.map
        )
    np.testing.assert_array_equal(found, np.sort(x)[[5, 10**5, -1]])


def test_progress(large, monkeypatch):
    monkeypatch.setattr(sources, "_PART", 200)
    seen = []
    a = draw("normal", 500)
    aso_from_chunks(a, a[:300], progress=lambda *x: seen.append(x), **OPTIONS)
    first = [(200, None), (400, None), (500, None), (200, None), (300, None)]
    assert seen[:5] == first
    assert seen[5:] == [(200, 500), (400, 500), (500, 500), (200, 300), (300, 300)]


def test_one_resample_has_no_deviation(large):
    a, b = np.random.default_rng(1).normal(size=(2, 300))
    with pytest.raises(ValueError, match=r"n_resamples of 2 or more.* got 1"):
        aso_from_chunks(a, b, dt=0.01, n_resamples=1, rng=0)


def test_other_scores_in_the_second_pass():
    """Of few scores too, which are read as a whole."""
    rng = np.random.default_rng(0)
    a, once = draw("normal", 40), iter([draw("normal", 30)])
    for source in (lambda: [rng.normal(size=40)], lambda: once):
        with pytest.raises(ValueError, match=r"the same scores in every pass|got none"):
            aso_from_chunks(source, a, **OPTIONS)


def test_an_index_of_pandas_is_no_model(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": draw("normal", 60)}).iloc[::-1]
    frame.to_parquet(tmp_path / "frame.parquet")
    found = order_statistics(tmp_path / "frame.parquet", [0, 59])
    np.testing.assert_array_equal(found, [frame["a"].min(), frame["a"].max()])


def test_impossible_sources(large, tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet

    a = draw("normal", 50)
    path = tmp_path / "two.parquet"
    pyarrow.parquet.write_table(pa.table({"x": [1.0, None], "y": ["a", "b"]}), path)
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    twice = tmp_path / "twice.parquet"
    columns = pa.Table.from_arrays([pa.array([1.0])] * 2, names=["x", "x"])
    pyarrow.parquet.write_table(columns, twice)
    with pa.OSFile(str(tmp_path / "stream.arrow"), "wb") as file:
        pa.ipc.new_stream(file, columns.schema).close()
    masked = np.ma.array(a, mask=a > 0.0)
    calls = itertools.count()
    for source, error, words in (
        ([1.0, 2.0], TypeError, "NumPy array, a path .*list"),
        (np.ones((2, 3)), ValueError, r"one axis; got shape \(2, 3\)"),
        (tmp_path / "x.npy", ValueError, r"one axis; got shape \(3, 2\)"),
        (tmp_path / "no.npy", FileNotFoundError, "no.npy"),
        (tmp_path / "no.parquet", FileNotFoundError, "no.parquet"),
        ("scores.csv", ValueError, "ends with .npy, .parquet or .arrow; got scores"),
        (path, ValueError, r"columns of .*'x', 'y'; got no column. Pass \(path"),
        ((path, "z"), ValueError, "'x', 'y'; got 'z'"),
        ((tmp_path / "x.npy", "z"), ValueError, "no column for .*x.npy"),
        ((path, "x"), ValueError, "score in every row of column 'x'; got 1 missing"),
        ((path, "y"), TypeError, "real numbers in column 'y'; got (large_)?string"),
        (twice, ValueError, "each column of .*twice.parquet once; got 'x' twice"),
        (tmp_path / "stream.arrow", ValueError, "A stream, as Hugging Face"),
        (masked, TypeError, "scores without a mask"),
        (lambda: [masked], TypeError, "scores without a mask"),
        (np.ones(3, complex), TypeError, "got dtype complex128"),
        (list, ValueError, "one score or more; got none"),
        (lambda: iter([a[:0]]), ValueError, "one score or more; got none"),
        (lambda: [a.astype("float32"), a], TypeError, "all chunks to have dtype"),
        (lambda: [a[: 20 + next(calls)]], ValueError, "the same scores in every pass"),
    ):
        with pytest.raises(error, match=words):
            order_statistics(source, [0])
    for ranks, error in (([50], ValueError), ([-1], ValueError), ([0.5], TypeError)):
        with pytest.raises(error, match="Expected ranks"):
            order_statistics(a, ranks)
    with pytest.raises(TypeError, match="read from the disk; got 'x'"):
        order_statistics(a, [0], workers="x")
    with pytest.raises(ValueError, match="dt"):
        aso_from_chunks(a, a, dt=2.0)


@whole_suite
def test_memory(tmp_path):
    """Of 2 * 10^7 scores, 76 MiB, far less is held than they take."""
    code, output = run(
        """
        import tracemalloc
        import numpy as np
        from sigarray import aso_from_chunks
        from sigarray._numeric import selection

        selection._MAX_COLLECTED = 2**18

        def chunks(seed):
            rng = np.random.default_rng(seed)
            for _ in range(20):
                yield rng.standard_normal(10**6, dtype=np.float32)

        tracemalloc.start()
        aso_from_chunks(
            lambda: chunks(0), lambda: chunks(1), dt=0.1, rng=0, n_resamples=100
        )
        print("MiB", tracemalloc.get_traced_memory()[1] / 2**20)
        """
    )
    assert code == 0, output
    assert float(output.split()[-1]) < 120, output
