"""Almost stochastic order of many models: all pairs, names, corrections."""

import itertools

import numpy as np
import pytest

from sigarray import aso, multi_aso, rank_ci
from sigarray._backend.workers import Execution, executed_by
from tests.backends import everywhere


@pytest.mark.parametrize("n_models", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_multi_aso_is_aso_of_each_pair(backend, n_models, method):
    rng = np.random.default_rng(n_models)
    size = 4 if method == "exact" else 30
    scores = rng.normal(size=(2, n_models, size))
    result = multi_aso(backend.asarray(scores), method=method)
    ragged = [scores[:, k, : size - k % 2] for k in range(n_models)]
    from_sequence = multi_aso([backend.asarray(x) for x in ragged], method=method)
    n_pairs = n_models * (n_models - 1) // 2
    for i, j in itertools.permutations(range(n_models), 2):
        for matrix, samples in (
            (result, scores.swapaxes(0, 1)),
            (from_sequence, ragged),
        ):
            pair = aso(samples[i], samples[j], method=method, n_comparisons=n_pairs)
            entries = [backend.to_numpy(x)[:, i, j] for x in matrix]
            for entry, expected in zip(entries[1:4], pair[1:4], strict=True):
                np.testing.assert_allclose(entry, expected, atol=1e-5)
            # The same bound where both tests, which are others, tell them apart.
            is_told = (entries[0] < 0.5) & (pair.eps_min < 0.5)
            np.testing.assert_allclose(
                entries[0][is_told], pair.eps_min[is_told], atol=1e-5
            )
            two_sided = 2.0 * np.minimum(pair.pvalue, 0.5)
            is_ahead = pair.probability_of_improvement > 0.5
            assert (entries[4] >= 0.97 * two_sided - 1e-5)[is_ahead].all()
    diagonals = [
        backend.to_numpy(entry)[:, range(n_models), range(n_models)] for entry in result
    ]
    for diagonal, value in zip(diagonals, (1.0, 0.5, 0.0, 0.5, 1.0), strict=True):
        assert (diagonal == value).all()


@pytest.mark.long
@everywhere
@pytest.mark.parametrize("method", ["bootstrap", "exact", "asymptotic"])
def test_many_differences_are_computed_in_parts(backend, method):
    """Blocks of pairs and halves of batches, as large inputs need them."""
    rng = np.random.default_rng(0)
    size = 4 if method == "exact" else 9
    models, others = rng.normal(size=(5, size)), rng.normal(size=(5, size - 1))
    options = {"method": method, "n_resamples": 30, "rng": 0}
    a, b = backend.asarray(models[:, None, :]), backend.asarray(others[None, :, :])
    whole = [aso(a, b, **options), multi_aso(backend.asarray(models), **options)]
    a, b = a[1:, ...], b[:, :-1, :]  # JAX has compiled the other shapes
    with executed_by(Execution(room=2 * size)):
        parts = [
            aso(a, b, **options),
            multi_aso(backend.asarray(models[:4]), **options),
        ]
    for result, expected in zip(parts[0], whole[0], strict=True):
        np.testing.assert_allclose(
            backend.to_numpy(result),
            backend.to_numpy(expected)[1:, :-1],
            atol=backend.atol,
        )
    for name in ("violation_ratio", "standard_error"):
        found, expected = (
            backend.to_numpy(getattr(r[1], name)) for r in (parts, whole)
        )
        np.testing.assert_allclose(found, expected[:4, :4], atol=backend.atol)


def test_multi_aso_of_two_equal_samples_is_aso():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 40)) + np.asarray([[1.0], [0.0]])
    matrix, pair = multi_aso(scores, rng=5), aso(*scores, rng=5)
    for entry, expected in zip(matrix[:4], pair[:4], strict=True):
        assert entry[0, 1] == expected
    # Two-sided; both are fitted.
    assert matrix.pvalue[0, 1] == pytest.approx(2.0 * pair.pvalue, rel=0.03)


def test_multi_aso_takes_names(backend):
    rng = np.random.default_rng(0)
    columns = {name: backend.asarray(rng.normal(size=6)) for name in "abc"}
    by_name = multi_aso(columns, rng=0).violation_ratio
    by_place = multi_aso(list(columns.values()), rng=0).violation_ratio
    np.testing.assert_array_equal(backend.to_numpy(by_name), backend.to_numpy(by_place))


@pytest.mark.parametrize("sizes", [(9, 9, 9, 9), (9, 7, 9, 5)])
@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_one_pair_one_answer(backend, sizes, method):
    """Neither other models nor the order of columns change the numbers of a pair."""
    rng = np.random.default_rng(0)
    scores = {
        name: backend.asarray(rng.normal(size=size))
        for name, size in zip("abcd", sizes, strict=True)
    }
    options = {"rng": 3, "n_resamples": 50, "correction": None, "method": method}

    def numbers(models, first, second):
        result = multi_aso(models, **options)
        names = list(models) if isinstance(models, dict) else list("abcd")
        place = (names.index(first), names.index(second))
        return [backend.to_numpy(x)[place] for x in result]

    whole = numbers(scores, "b", "c")
    for names in ("bc", "cb", "dcab", "cab"):
        part = numbers({name: scores[name] for name in names}, "b", "c")
        np.testing.assert_allclose(part, whole, atol=backend.atol)
    # In a sequence, a model that is appended changes nothing for the others.
    values = list(scores.values())
    whole = numbers(values, "b", "c")
    np.testing.assert_allclose(numbers(values[:3], "b", "c"), whole, atol=backend.atol)
    pair = aso(*values[:2], rng=3, n_resamples=50, method=method)
    np.testing.assert_allclose(
        numbers(values, "a", "b")[1:4], [float(x) for x in pair[1:4]], atol=1e-5
    )


def test_names_that_look_the_same_have_streams_of_their_own():
    a, b = np.random.default_rng(0).normal(size=(2, 20))
    result = multi_aso({"1": a, 1: b}, rng=0)
    assert result.standard_error[0, 1] > 0.0
    same = multi_aso({"x": a, "y": a}, rng=0)
    assert same.standard_error[0, 1] > 0.1  # resampled independently


def test_multi_aso_takes_any_iterable():
    columns = {"x": [1.0, 2.0, 4.0], "y": [0.0, 1.0, 3.0]}
    expected = multi_aso(columns).eps_min
    for models in (columns.values(), iter(columns.values())):
        np.testing.assert_array_equal(multi_aso(models).eps_min, expected)


def test_multi_aso_refuses_a_repeated_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.ones((5, 3)), columns=list("aab"))
    with pytest.raises(ValueError, match=r"got \['a', 'a', 'b'\]"):
        multi_aso(frame)


def test_multi_aso_takes_a_data_frame():
    pandas = pytest.importorskip("pandas")
    columns = {"x": [1.0, 2.0, 4.0], "y": [0.0, 1.0, 3.0], "z": [5.0, 1.0, 0.0]}
    columns = {name: column * 3 for name, column in columns.items()}
    frame = pandas.DataFrame(columns)
    expected = multi_aso(columns, rng=0).eps_min
    np.testing.assert_array_equal(multi_aso(frame, rng=0).eps_min, expected)
    frame["seed"] = [7, 1, 4] * 3
    with pytest.raises(ValueError, match="'seed', which looks like an index"):
        multi_aso(frame)
    of_tasks = pandas.concat({"acc": frame, "f1": frame}, axis=1)
    with pytest.raises(ValueError, match=r"several names each, such as \('acc', "):
        multi_aso(of_tasks, rng=0)


@pytest.mark.parametrize("function", [multi_aso, rank_ci])
def test_a_row_for_each_score_is_for_compare_models(function):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"model": list("aabb"), "score": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(TypeError, match="or pass a row for each score to compare_mod"):
        function(frame, rng=0)


def test_correction_divides_alpha():
    """Not the level: two models always got 1 from deep-significance 1.2.8."""
    rng = np.random.default_rng(0)
    a, b, c = (
        rng.normal(1.0, 1.0, 30),
        rng.normal(0.0, 1.0, 30),
        rng.normal(0.0, 1.0, 30),
    )
    two = multi_aso([a, b], rng=0).eps_min
    assert two[0, 1] < 0.2
    corrected = multi_aso([a, b, c], rng=0)
    plain = multi_aso([a, b, c], correction=None, rng=0)
    # By replicates that are kept, for a percentile of theirs, or by their moments.
    np.testing.assert_allclose(
        corrected.standard_error, plain.standard_error, rtol=1e-14
    )
    inside = (plain.eps_min > 0.0) & (corrected.eps_min < 1.0)
    assert inside.any()
    assert (corrected.eps_min >= plain.eps_min)[inside].all()
    assert (corrected.eps_min > plain.eps_min)[inside].any()


def test_impossible_models():
    with pytest.raises(ValueError, match="two or more models; got 1"):
        multi_aso([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"shape \(\.\.\., K, n\); got shape \(3,\)"):
        multi_aso(np.ones(3))
    with pytest.raises(
        ValueError, match=r"correction to be .*'bonferroni', None; got 'holm'"
    ):
        multi_aso(np.ones((2, 3)), correction="holm")


def test_baseline_without_correction():
    """Each pair with the baseline is as if it were alone, and no other is tested."""
    rng = np.random.default_rng(0)
    scores = [rng.normal(2.0 * k, 1.0, 8 + 4 * (k == 2)) for k in range(4)]
    result = multi_aso(scores, correction=None, baseline=1, rng=0)
    plain = multi_aso(scores, correction=None, rng=0)
    is_asked = np.zeros((4, 4), dtype=bool)
    is_asked[1, :] = is_asked[:, 1] = True
    np.testing.assert_array_equal(result.eps_min[is_asked], plain.eps_min[is_asked])
    np.testing.assert_array_equal(result.pvalue[is_asked], plain.pvalue[is_asked])
    is_other = ~is_asked & ~np.eye(4, dtype=bool)
    assert np.isnan(result.pvalue[is_other]).all()
    assert np.min(result.eps_min[is_other]) >= 0.5
    assert np.min(plain.eps_min[is_other]) < 0.5


def test_an_unknown_baseline_is_asked_about():
    scores = {"lstm": [1.0, 2.0, 3.0], "cnn": [2.0, 3.0, 4.0]}
    with pytest.raises(
        ValueError, match=r"'lstm', 'cnn'; got 'LSTN'\. Did you mean 'lstm'\?$"
    ):
        multi_aso(scores, baseline="LSTN")
    named = {np.int64(1): scores["lstm"], np.int64(2): scores["cnn"]}
    with pytest.raises(ValueError, match=r"the models, 1, 2; got 0\.25\.$"):
        multi_aso(named, baseline=np.float64(0.25))
