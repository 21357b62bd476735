"""Which inputs are taken, as what, and what is said of the others."""

import array

import numpy as np
import pytest

import sigarray
from sigarray import aso, multi_aso, t_test, violation_ratio
from tests.backends import require

A = [0.91, 0.93, 0.92, 0.95, 0.94]
B = [0.90, 0.92, 0.91, 0.89, 0.93]
EXPECTED = tuple(map(float, aso(np.array(A), np.array(B))))


def assert_is_numpy(result):
    for value, expected in zip(result, EXPECTED, strict=True):
        assert isinstance(value, np.ndarray | np.generic)
        assert value.dtype == np.float64
        assert float(value) == pytest.approx(expected, abs=1e-12)


class SpeaksArray:
    """As TensorFlow's eager tensors do, beside __dlpack__."""

    def __array__(self, dtype=None, copy=None):
        return np.array(A, dtype)


class SpeaksDlpack:
    def __dlpack__(self, **options):
        return np.array(A).__dlpack__(**options)

    def __dlpack_device__(self):
        return np.array(A).__dlpack_device__()


class IsOnAnAccelerator(SpeaksArray):
    def __dlpack__(self, **options):
        raise AssertionError("was copied")

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.parametrize(
    "a",
    [
        A,
        tuple(A),
        [np.float64(x) for x in A],
        array.array("d", A),
        memoryview(np.array(A)),
        SpeaksArray(),
        SpeaksDlpack(),
    ],
    ids=["list", "tuple", "scalars", "array", "buffer", "__array__", "__dlpack__"],
)
def test_host_objects_are_computed_in_numpy(a):
    assert_is_numpy(aso(a, B))


def test_pandas_series_are_computed_in_numpy():
    pandas = pytest.importorskip("pandas")
    assert_is_numpy(aso(pandas.Series(A), pandas.Series(B)))


def test_nested_lists_have_batch_axes():
    assert violation_ratio([A, B], B).shape == (2,)


def test_lists_of_integers():
    assert float(violation_ratio([3, 4], [1, 2])) == 0.0
    assert float(violation_ratio(range(2), range(2, 4))) == 1.0
    assert float(violation_ratio([True, True], [False, True])) == 0.0


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("numpy", "float16"),
        ("torch", "float16"),
        ("torch", "bfloat16"),
        ("jax.numpy", "float16"),
        ("jax.numpy", "bfloat16"),
    ],
)
def test_half_precision_is_computed_in_float32(name, dtype):
    library = require(name)
    half = getattr(library, dtype)
    a, b = (library.asarray(x, dtype=half) for x in (A, B))
    wide = [library.asarray(x, dtype=library.float32) for x in (a, b)]
    for value, expected in zip(aso(a, b), aso(*wide), strict=True):
        assert value.dtype == library.float32
        assert float(value) == float(expected)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4"])
def test_numbers_that_numpy_does_not_know(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    small = np.arange(1.0, 6.0).astype(getattr(ml_dtypes, dtype))
    found, expected = (aso(small[::-1], x) for x in (small, np.arange(1.0, 6.0)))
    for value, wide in zip(found, expected, strict=True):
        assert value.dtype == np.float32
        assert float(value) == pytest.approx(float(wide), abs=1e-6)
    assert aso(list(small), small) == aso(small, small)


def test_long_doubles_have_the_ties_of_float64():
    a, b = np.array(A), np.array(B)
    long = [x.astype(np.longdouble) for x in (a, b)]
    found = sigarray.wilcoxon_test(*long)
    assert found == sigarray.wilcoxon_test(a, b)
    assert found.pvalue.dtype == np.float64
    assert aso(*long) == aso(a, b)


def test_advice_for_text_is_of_the_table():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match=r"x\.cast\(polars\.Float64\)"):
        aso(polars.Series(["0.5", "0.25"]), B)


def test_float_dtypes_are_promoted(backend):
    a, b = backend.asarray(A, "float32"), backend.asarray(B)
    assert violation_ratio(a, b).dtype == b.dtype


def test_views_are_read_and_not_written(backend):
    values = np.array([A, B])
    samples = backend.asarray(np.ascontiguousarray(values.T)).T
    result = aso(samples[0, :], samples[1, :])
    np.testing.assert_allclose([float(x) for x in result], EXPECTED, atol=1e-5)
    np.testing.assert_array_equal(
        backend.to_numpy(samples), backend.to_numpy(backend.asarray(values))
    )


def test_read_only_and_zero_stride_arrays():
    a = np.array(A)
    a.flags.writeable = False
    assert_is_numpy(aso(a, B))
    constant = np.broadcast_to(np.float64(0.5), (3, 20))
    np.testing.assert_array_equal(aso(constant, constant, rng=0).violation_ratio, 0.5)


class TestTorch:
    """Tensors that are more than arrays."""

    @pytest.fixture
    def torch(self):
        return require("torch")

    def test_gradients_are_left_alone(self, torch):
        a = torch.tensor(A, dtype=torch.float64, requires_grad=True)
        b = torch.nn.Parameter(torch.tensor(B, dtype=torch.float64))
        result = aso(a * 1.0, b)
        for value, expected in zip(result, EXPECTED, strict=True):
            assert type(value) is torch.Tensor
            assert not value.requires_grad
            assert float(value) == pytest.approx(expected, abs=1e-12)

    def test_zero_stride(self, torch):
        a = torch.tensor(0.5).expand(3, 20)
        assert a.stride() == (0, 0)
        assert aso(a, a + 1.0, rng=0).violation_ratio.tolist() == [1.0] * 3

    def test_inference_mode_and_default_dtype(self, torch):
        with torch.inference_mode():
            assert violation_ratio(torch.tensor([1, 2]), torch.tensor([3, 4])) == 1.0
        assert (
            violation_ratio(torch.tensor([1]), torch.tensor([2])).dtype == torch.float64
        )

    def test_large_integers_differ(self, torch):
        """Above 2^24 they would be the same in the default float."""
        a = torch.tensor([2**24 + 1, 2**24 + 3])
        assert violation_ratio(a, a - 1) == 0.0

    @pytest.mark.long
    def test_func_vmap(self, torch):
        a = torch.tensor([A, B], dtype=torch.float64)
        mapped = torch.func.vmap(lambda x, y: tuple(aso(x, y, rng=0)))(a, a.flip(0))
        columns = torch.stack([a, a.flip(0)]).mT
        torch.func.vmap(lambda x: violation_ratio(x, x, axis=0))(columns)
        for result, expected in zip(mapped, aso(a, a.flip(0), rng=0), strict=True):
            torch.testing.assert_close(result, expected)

    def test_mixed_devices(self, torch):
        a = torch.tensor(A)
        with pytest.raises(TypeError, match=r"on one device; got cpu and meta"):
            aso(a, a.to("meta"))


def test_mixed_libraries():
    torch = require("torch")
    with pytest.raises(
        TypeError, match=r"one array library; got torch\.Tensor and numpy"
    ):
        aso(torch.tensor(A), np.array(B))
    with pytest.raises(
        TypeError, match=r"got list and torch\.Tensor.*torch\.as_tensor"
    ):
        aso(A, torch.tensor(B))


def test_sequences_of_arrays_are_to_be_stacked():
    torch = require("torch")
    with pytest.raises(TypeError, match=r"got a list of torch\.Tensor.*stack"):
        aso([torch.tensor(0.1), torch.tensor(0.2)], B)


def test_accelerators_are_not_copied_from():
    with pytest.raises(TypeError, match=r"IsOnAnAccelerator on an accelerator"):
        aso(IsOnAnAccelerator(), B)


@pytest.mark.parametrize(
    ("a", "error", "message"),
    [
        ([1j, 2j], TypeError, r"real numbers as scores; got dtype complex128"),
        (["0.9", "0.8"], TypeError, r"real numbers as scores; got dtype <U3"),
        ([0.9, None], TypeError, r"got dtype object.*x without each None, and its"),
        (np.array(["1"]), TypeError, r"got dtype <U1.*example x\.astype\(float\)"),
        ("0.9", TypeError, r"array or a sequence of numbers; got str"),
        ({0.9, 0.8}, TypeError, r"array or a sequence of numbers; got set"),
        (None, TypeError, r"array or a sequence of numbers; got None"),
        (0.9, ValueError, r"one axis or more; got a single number"),
        ([], ValueError, r"scores along axis -1, one or more; got shape \(0,\)"),
        ([[0.9], [0.8, 0.7]], ValueError, r"or of sequences of one length; got list"),
        (
            np.ones((3, 5)),
            ValueError,
            r"leading axes that broadcast.*\(3, 5\) and \(2, 5\)",
        ),
        (np.ma.masked_array(A, mask=[1, 0, 0, 0, 0]), TypeError, r"x\.compressed\(\)"),
    ],
)
def test_impossible_samples(a, error, message):
    with pytest.raises(error, match=message):
        aso(a, [B, B])


def test_complex_on_every_backend(backend):
    a = backend.asarray(np.array(A), "complex64")
    with pytest.raises(
        TypeError, match=r"real numbers as scores; got dtype .*complex64"
    ):
        aso(a, a)


def test_models_of_two_libraries():
    torch = require("torch")
    with pytest.raises(TypeError, match="one array library"):
        multi_aso({"a": torch.tensor(A), "b": np.array(B)})


def test_batches_of_nothing(backend):
    a = backend.asarray(np.ones((0, 5)))
    assert aso(a, backend.asarray(np.ones(5))).eps_min.shape == (0,)


class TestLabels:
    """Objects of pandas, polars and xarray say which score is whose."""

    IDS = tuple("abcdefghijkl")
    ORDER = (5, 3, 8, 0, 11, 2, 9, 7, 1, 10, 4, 6)

    @pytest.fixture
    def samples(self):
        rng = np.random.default_rng(0)
        a = rng.normal(size=12)
        return a, a - 0.1 + 0.01 * rng.normal(size=12)

    @pytest.fixture
    def pandas(self):
        return pytest.importorskip("pandas")

    @pytest.fixture
    def xarray(self):
        return pytest.importorskip("xarray")

    PAIRED = (
        lambda a, b: sigarray.permutation_test(a, b, paired=True, rng=0).pvalue,
        lambda a, b: sigarray.bootstrap_test(a, b, paired=True, rng=0).pvalue,
        lambda a, b: sigarray.bootstrap_ci(a, b, paired=True, rng=0)[1].low,
        lambda a, b: sigarray.t_test(a, b, paired=True).pvalue,
        lambda a, b: sigarray.required_sample_size(a, b, test="paired_t", rng=0).power[
            0
        ],
    )

    @pytest.mark.parametrize("test", PAIRED)
    def test_pairs_are_those_of_one_label(self, pandas, samples, test):
        a, b = (pandas.Series(x, index=self.IDS) for x in samples)
        expected = test(*samples)
        assert test(a, b) == expected
        shuffled = b.iloc[list(self.ORDER)]
        assert test(a, shuffled) == expected
        assert test(a, shuffled.to_numpy()) != expected

    @pytest.mark.parametrize("test", PAIRED)
    def test_labels_that_differ_are_refused(self, pandas, samples, test):
        a, b = (pandas.Series(x, index=self.IDS) for x in samples)
        message = r"same labels.*2 of 12 labels .* 'a', 'b'.*by label first.*to_numpy"
        with pytest.raises(ValueError, match=message):
            test(a, b.rename({"a": "x", "b": "y"}))
        with pytest.raises(ValueError, match="the same labels several times"):
            test(*(x.rename({"b": "a"}) for x in (a, b.iloc[list(self.ORDER)])))
        assert test(a, pandas.Series(samples[1], index=self.IDS)) == test(*samples)

    def test_labels_do_not_matter_where_nothing_is_paired(self, pandas, samples):
        a, b = samples
        series = pandas.Series(a), pandas.Series(b, index=range(50, 62))
        assert sigarray.t_test(*series) == sigarray.t_test(a, b)
        with pytest.raises(ValueError, match="as many scores of A as of B"):
            sigarray.t_test(series[0], series[1][:5], paired=True)

    def test_items_of_responses_are_those_of_one_label(self, pandas):
        sets = sigarray.responses.simulate(12, 3, perturbation_b=0.3, rng=0)
        frames = [pandas.DataFrame(x, index=self.IDS) for x in sets]
        options = {"metric": "mae", "rng": 0}
        expected = sigarray.responses.response_test(*sets, **options)
        frames[2] = frames[2].iloc[list(self.ORDER)]
        assert sigarray.responses.response_test(*frames, **options) == expected
        mae = sigarray.responses.metrics.mae
        assert mae(frames[0], frames[2]) == mae(sets[0], sets[2])
        with pytest.raises(ValueError, match="with the same labels"):
            mae(frames[0], frames[2].rename({"a": "z"}))

    @pytest.mark.parametrize(
        "call",
        [
            lambda x: sigarray.aso(x, x),
            lambda x: sigarray.t_test(x, x.to_numpy()),
            sigarray.bootstrap_ci,
            sigarray.holm,
        ],
    )
    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_frames_are_refused_where_they_could_mean_either(self, library, call):
        frame = pytest.importorskip(library).DataFrame({"a": A, "b": B})
        with pytest.raises(
            TypeError, match=r"one column .* got .*DataFrame.*multi_aso"
        ):
            call(frame)

    def test_levels_are_those_of_one_name(self, pandas, samples):
        labels = pandas.MultiIndex.from_product([range(3), range(4)], names=["x", "y"])
        a, b = (pandas.Series(x, index=labels) for x in samples)
        expected = sigarray.t_test(*samples, paired=True)
        assert sigarray.t_test(a, b.swaplevel(), paired=True) == expected
        renamed = b.rename_axis(["x", "z"])
        with pytest.raises(ValueError, match=r"same levels; got .*'y'.*'x', 'z'"):
            sigarray.t_test(a, renamed, paired=True)

    def test_xarray(self, xarray, samples):
        a, b = (
            xarray.DataArray(x, dims="item", coords={"item": list(self.IDS)})
            for x in samples
        )
        expected = sigarray.t_test(*samples, paired=True)
        shuffled = b[list(self.ORDER)]
        assert sigarray.t_test(a, shuffled, paired=True) == expected
        table = xarray.DataArray(
            np.stack(samples), dims=("model", "item"), coords={"model": ["x", "y"]}
        )
        with pytest.raises(ValueError, match="same dimensions in the same order"):
            sigarray.aso(table, table.T)
        with pytest.raises(ValueError, match="labels along dimension 'model'"):
            sigarray.aso(table, table[::-1])


@pytest.mark.parametrize("name", ["torch", "jax.numpy"])
def test_autodiff_wrappers_and_their_lists(name):
    library = require(name)
    scalars = [library.asarray(x) for x in A]
    with pytest.raises(TypeError, match=r"a list of .*Make it one array first"):
        aso(scalars, B)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested", "ignore:.*quant")
def test_kinds_of_arrays_that_hold_no_numbers_side_by_side():
    torch = require("torch")
    sparse = pytest.importorskip("scipy.sparse")
    record = np.array([(1, 0.5), (2, 0.6)], dtype=[("run", int), ("score", float)])
    for x, advice in [
        (sparse.csr_matrix(np.eye(3)), r"sparse: pass x\.toarray\(\)"),
        (torch.eye(3).to_sparse(), r"sparse: pass x\.to_dense\(\)"),
        (torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "x.unbind()"),
        (torch.eye(3).to_mkldnn(), r"layout torch\._mkldnn: pass x\.to_dense\(\)"),
        (torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), "dequantize"),
        (record, r"one of its fields, such as x\['run'\]"),
        ([torch.nn.Parameter(torch.ones(()))], "Make it one array first"),
        ([torch.nn.Parameter(torch.ones(2))], "Make it one array first"),
    ]:
        with pytest.raises(TypeError, match=advice) as error:
            aso(x, B)
        assert str(error.value).startswith("Expected")
        with pytest.raises(TypeError, match=advice):  # whose strata ask for a shape
            t_test(x, B)


def test_a_mapping_of_traced_scores_is_refused():
    """JAX sorts its keys, and so swapped models."""
    jax = require("jax")
    scores = {"z": jax.numpy.asarray(A), "a": jax.numpy.asarray(B)}
    with pytest.raises(TypeError, match=r"got a mapping, which.*list\(scores\.values"):
        jax.jit(lambda scores: multi_aso(scores, rng=0))(scores)
    models = list(scores.values())
    traced = jax.jit(lambda models: multi_aso(models, rng=0))(models)
    np.testing.assert_allclose(traced.eps_min, multi_aso(models, rng=0).eps_min)
