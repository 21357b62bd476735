"""Metrics of responses: worked by hand, and against SciPy and scikit-learn."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigarray import responses
from sigarray._backend.of_numpy import HOST
from sigarray.responses import metrics
from tests.backends import HERE, require

NAN = np.nan
# Item means 0.5, 1 and 3; medians 0.5, 1 and 2.
GOLD = [[0.0, 1.0, NAN], [1.0, 1.0, 1.0], [5.0, 2.0, 2.0]]
# Item means 1, 1 and 1.
SYSTEM = [[1.0, 1.0], [0.0, 2.0], [1.0, NAN]]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (metrics.mae, (0.5 + 0.0 + 2.0) / 3),
        (metrics.mae.aggregated_by("median"), (0.5 + 0.0 + 1.0) / 3),
        (metrics.mse, (0.25 + 4.0) / 3),
        (metrics.rmse, np.sqrt((0.25 + 4.0) / 3)),
        (metrics.max_error, 2.0),
        (metrics.cosine, 1.0 - 4.5 / np.sqrt(10.25 * 3.0)),
        (metrics.spearman, NAN),  # the means of the system are all the same
        # Sorted means 0.5, 1, 3 and 1, 1, 1.
        (metrics.emd, (0.5 + 0.0 + 2.0) / 3),
        # Items: 0, 1 and 1, 1; 1 and 0, 2; 5, 2, 2 and 1.
        (metrics.mean_of_emds, (0.5 + 1.0 + 2.0) / 3),
        (metrics.accuracy, 1.0),
        (metrics.precision, 1.0),
        (metrics.recall, 1.0),
        (metrics.f1, 1.0),
        (metrics.roc_auc, NAN),  # all are positive
        (metrics.binary("accuracy", gold_threshold=2.0), 1 / 3),
        (metrics.binary("precision", gold_threshold=2.0), 1 / 3),
        (metrics.binary("recall", system_threshold=2.0), 0.0),
        (metrics.binary("roc_auc", gold_threshold=2.0), 0.5),
        # Two bins from 0 to 2: 1 and 2 of gold, and 0 and 3 of the system.
        (
            metrics.histogram_kl(high=2.0, n_bins=2),
            0.4 * np.log(0.4 / 0.2) + 0.6 * np.log(0.6 / 0.8),
        ),
        (metrics.histogram_kl(high=2.0, n_bins=2, pseudocount=0.0), np.inf),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_worked_by_hand(metric, expected):
    result = metric(GOLD, SYSTEM)
    assert result.shape == ()
    np.testing.assert_allclose(result, expected, atol=1e-12)


def test_distance_of_all_responses_by_hand():
    """Quantiles of 0 1 1 1 1 2 2 5 and 0 1 1 1 2 over (0, 1), in steps of 1/40."""
    gold = np.repeat([0, 1, 1, 1, 1, 2, 2, 5], 5)
    system = np.repeat([0, 1, 1, 1, 2], 8)
    result = metrics.emd_all(GOLD, SYSTEM)
    np.testing.assert_allclose(result, np.mean(np.abs(gold - system)), atol=1e-12)


def test_wins_by_hand():
    a = [[0.5], [2.0], [1.0], [0.0]]
    b = [[1.5], [2.0], [0.0], [2.0]]
    gold = [[0.0, 1.0], [1.0, 1.0], [0.5, NAN], [0.0, 1.0]]
    # A, nobody, nobody, A.
    shares = metrics.wins("mae")(gold, a, b)
    assert [float(x) for x in shares] == [0.5, 0.0]
    # Distances 0.5 and 1; 1 and 1; 0.5 and 0.5; 0.5 and 1.5.
    shares = metrics.wins("emd")(gold, a, b)
    assert [float(x) for x in shares] == [0.5, 0.0]


def test_wins_of_all_responses_by_hand():
    gold, a, b = [[0.0, 1.0], [0.0, 2.0]], [[0, 0], [1, 2]], [[1, 1], [1, 0]]
    shares = metrics.wins("mae", aggregate=None)(gold, a, b)
    assert [float(x) for x in shares] == [0.5, 0.25]


def test_wins_of_a_callable():
    def error(gold, system):
        return np.abs(np.max(gold, axis=-1) - np.max(system, axis=-1))

    comparison = metrics.wins(error)
    assert comparison.name == "wins_error"
    shares = comparison([[0.0, 1.0], [0.0, 2.0]], [[1.0], [0.0]], [[0.0], [0.0]])
    assert [float(x) for x in shares] == [0.5, 0.0]


def test_same_responses_in_another_order_are_ties():
    """Their means differ in the last bit, which is nobody's merit."""
    a = np.array([[0.1, 0.2, 0.3], [0.7, 0.1, 0.2], [0.3, 0.3, 0.3]])
    b = a[:, ::-1].copy()
    assert np.any(np.sum(a, axis=-1) != np.sum(b, axis=-1))
    assert metrics.wins("mae")(np.zeros((3, 1)), a, b) == (0.0, 0.0)
    gold = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    doubled = np.concatenate([a, b])
    halves = np.concatenate([a, a])
    expected = float(metrics.spearman(gold, halves))
    assert float(metrics.spearman(gold, doubled)) == pytest.approx(expected, abs=1e-12)
    labels = metrics.binary("accuracy", gold_threshold=0.2, system_threshold=0.2)
    assert labels(a[:1], b[:1]) == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "name", [x for x, metric in metrics.METRICS.items() if metric.ignores_level]
)
def test_a_level_does_not_matter(name, dtype):
    """Dyadic responses, which float32 holds beside the level too."""
    metric = metrics.METRICS[name]
    sets = np.random.default_rng(0).integers(0, 16, (3, 20, 4)) / 16
    sets = sets if name.startswith("wins") else sets[:2]
    expected = metric(*sets)
    shifted = metric(*(sets + 2.0**16).astype(dtype))
    np.testing.assert_allclose(shifted, expected, rtol=1e-6)


def test_an_outlier_does_not_make_others_ties():
    gold = np.array([1.0, 2.0, 3.0, 4.0, 1e9])
    assert metrics.wins("mae")(gold, gold, gold + 1.0) == (1.0, 0.0)
    assert metrics.roc_auc([0.0, 0.0, 1.0, 1.0], [0.1, 0.2, 0.3, 1e9]) == 1.0


def test_rounding_beside_gold_is_no_win():
    """Errors of 0 but for rounding, of a system whose means are those of gold."""
    rng = np.random.default_rng(0)
    gold, distance = rng.uniform(1.0, 2.0, 100), rng.uniform(0.0, 1.0, 100)
    a = np.stack([gold - distance, gold + distance], axis=-1)
    assert np.any(np.mean(a, axis=-1) != gold)
    assert metrics.wins("mae")(gold, a, gold) == (0.0, 0.0)


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(3)
    gold = np.round(rng.uniform(size=(4, 30)), 1)
    return gold, np.round(np.clip(gold + rng.normal(0, 0.3, gold.shape), 0, 1), 1)


def _sklearn(name, **options):
    from sklearn import metrics as oracles

    function = getattr(oracles, name)
    return lambda gold, system: function(gold, system, **options)


def _of_labels(name):
    oracle = _sklearn(name)
    return lambda gold, system: oracle(gold >= 0.5, system >= 0.5)


def _wasserstein(gold, system):
    from scipy.stats import wasserstein_distance

    return wasserstein_distance(gold, system)


def _spearman(gold, system):
    from scipy.stats import spearmanr

    return spearmanr(gold, system).statistic


def _cosine(gold, system):
    from scipy.spatial.distance import cosine

    return cosine(gold, system)


def _kl(gold, system):
    from scipy.stats import entropy

    options = {"bins": 11, "range": (-0.05, 1.05)}
    counts = [np.histogram(x, **options)[0] for x in (gold, system)]
    return entropy(counts[0] + 1.0, counts[1] + 1.0)


@pytest.mark.parametrize(
    ("metric", "oracle"),
    [
        (metrics.mae, _sklearn("mean_absolute_error")),
        (metrics.mse, _sklearn("mean_squared_error")),
        (metrics.rmse, _sklearn("root_mean_squared_error")),
        (metrics.max_error, _sklearn("max_error")),
        (metrics.cosine, _cosine),
        (metrics.spearman, _spearman),
        (metrics.emd, _wasserstein),
        (metrics.emd_all, _wasserstein),
        # Away from the edges of the bins.
        (metrics.histogram_kl(low=-0.05, high=1.05, n_bins=11), _kl),
        (metrics.accuracy, _of_labels("accuracy_score")),
        (metrics.precision, _of_labels("precision_score")),
        (metrics.recall, _of_labels("recall_score")),
        (metrics.f1, _of_labels("f1_score")),
        (
            metrics.roc_auc,
            lambda gold, system: _sklearn("roc_auc_score")(gold >= 0.5, system),
        ),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_agrees_with_scipy_and_sklearn(pair, metric, oracle):
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    gold, system = pair
    results = metric(gold[..., None], system[..., None])
    for result, x, y in zip(results, gold, system, strict=True):
        np.testing.assert_allclose(result, oracle(x, y), atol=1e-12)


# Eager JAX compiles every operation: once is enough.
@pytest.mark.parametrize(
    "backend", [name for name in HERE if name != "jax.numpy:x64"], indirect=True
)
@pytest.mark.parametrize("name", sorted(metrics.METRICS))
def test_every_backend_agrees_with_numpy(backend, name):
    metric = metrics.METRICS[name]
    rng = np.random.default_rng(5)
    sets = rng.uniform(size=(3, 2, 8, 3)).astype(np.float32)
    sets[0, 0, 2, 1:] = NAN if metric.takes != "pairs" or metric.aggregate else 0.5
    sets = sets if isinstance(metric, metrics.Wins) else sets[:2]
    arrays = [backend.asarray(x, "float32") for x in sets]
    with backend.no_transfers():
        results = metric(*arrays)
    results = results if isinstance(results, tuple) else (results,)
    expected = metric(*sets)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for result, value in zip(results, expected, strict=True):
        assert result.shape == (2,)
        assert result.dtype == backend.xp.float32
        np.testing.assert_allclose(backend.to_numpy(result), value, atol=1e-6)


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=6),
    st.lists(st.integers(-5, 5), min_size=1, max_size=6),
)
def test_earth_movers_distance_is_that_of_scipy(x, y):
    scipy_stats = pytest.importorskip("scipy.stats")
    k = max(len(x), len(y))
    gold, system = (
        np.pad(np.array(z, dtype=float), (0, k - len(z)), constant_values=NAN)
        for z in (x, y)
    )
    expected = scipy_stats.wasserstein_distance(x, y)
    result = metrics.mean_of_emds(gold[None], system[None])
    np.testing.assert_allclose(result, expected, atol=1e-12)
    result = metrics.emd_all(gold[None], system[None])
    np.testing.assert_allclose(result, expected, atol=1e-12)


@pytest.mark.parametrize("name", sorted(metrics.METRICS))
def test_direction_is_part_of_the_metric(name):
    """A system that answers as gold does is better than one that guesses."""
    metric = metrics.METRICS[name]
    rng = np.random.default_rng(1)
    gold = rng.uniform(size=(200, 3))
    good, bad = gold + rng.normal(0, 0.01, gold.shape), rng.uniform(0.3, 1, gold.shape)
    value, other = metric.compare(
        HOST, *(metric.summarize(HOST, x) for x in (gold, good, bad))
    )
    assert (value > other) == metric.higher_is_better


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: metrics.choose_metric("mea"), ValueError, "'mae'"),
        (
            lambda: metrics.choose_metric(3),
            TypeError,
            "a name, a Metric, or a callable",
        ),
        (lambda: metrics.wins("rmse"), ValueError, "'mae', 'emd'"),
        (lambda: metrics.binary("auc"), ValueError, "'roc_auc'"),
        (
            lambda: metrics.mae.aggregated_by("max"),
            ValueError,
            "'median', None",
        ),
        (
            lambda: metrics.wins("emd", aggregate="max"),
            ValueError,
            "'median', None",
        ),
        (lambda: metrics.histogram_kl(low="0"), TypeError, "low to be a finite"),
        (lambda: metrics.binary("f1", gold_threshold="x"), TypeError, "threshold"),
        (
            lambda: metrics.wins(lambda x, y: np.abs(x - y).mean((-1, -2)))(
                GOLD, GOLD, GOLD
            ),
            ValueError,
            r"to give an array of shape \(3,\)",
        ),
        (
            lambda: metrics.mae(np.ones((20, 3)), np.ones((10, 3))),
            ValueError,
            "to the same items",
        ),
        (lambda: metrics.histogram_kl(low=1.0), ValueError, "low < high"),
        (lambda: metrics.histogram_kl(pseudocount=-1.0), ValueError, "pseudocount"),
        (lambda: metrics.histogram_kl(n_bins=0), ValueError, "n_bins"),
        (lambda: metrics.mae([1.0, 2.0], [1.0]), ValueError, "the same items"),
        (lambda: metrics.mae(np.ones((0, 2)), np.ones((0, 2))), ValueError, "items"),
        (
            lambda: metrics.mae(np.ones((2, 0)), np.ones((2, 2))),
            ValueError,
            "responses along axis -1, one or more",
        ),
        (
            lambda: metrics.mae.aggregated_by(None)(GOLD, SYSTEM),
            ValueError,
            "takes them by pairs; got 3 and 2",
        ),
        (
            lambda: metrics.Metric("sum", lambda xp, x, y: xp.abs(x - y))(GOLD, SYSTEM),
            ValueError,
            r"sum\(gold, system\) to give an array of shape \(\)",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_names_tell_the_aggregate():
    by_median = metrics.mae.aggregated_by("median")
    assert by_median.name == "mae_median"
    assert by_median.aggregated_by("mean").name == "mae"
    assert metrics.wins("mae", aggregate="median").name == "wins_mae_median"
    assert metrics.emd.aggregated_by(None) == metrics.emd_all


def test_counts_of_a_callable_are_numbers():
    def count(gold, system):
        return np.sum(gold[..., 0] == system[..., 0], axis=-1)

    result = metrics.choose_metric(count)([1.0, 2.0], [1.0, 3.0])
    assert result == 1.0
    assert result.dtype == np.float64


def test_faults_make_nan():
    gold = [[1.0, NAN], [NAN, NAN]]
    for name, metric in metrics.METRICS.items():
        system = [[1.0, 2.0], [1.0, 1.0]]
        sets = (gold, system, system) if name.startswith("wins") else (gold, system)
        assert np.all(np.isnan(metric(*sets))), name


@pytest.mark.long
def test_options_of_metrics_are_compiled_once():
    jax = require("jax")
    gold, a, b = responses.simulate(6, 2, xp=jax.numpy, rng=0)
    make = (
        lambda: metrics.binary("f1", gold_threshold=0.4),
        lambda: metrics.histogram_kl(n_bins=3),
        lambda: metrics.wins("mae", aggregate="median"),
    )
    for metric in make:
        assert metric() == metric()
        assert hash(metric()) == hash(metric())
    assert metrics.binary("f1") != metrics.binary("f1", system_threshold=0.4)

    programs = []
    for _ in range(2):
        metric = metrics.binary("recall", gold_threshold=0.3)
        with jax.no_tracing() if programs else contextlib.nullcontext():
            result = responses.response_test(
                gold, a, b, metric=metric, n_resamples=7, rng=0
            )
        programs.append(result)
    assert programs[0] == programs[1]
