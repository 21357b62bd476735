"""Almost stochastic order of two models, against exact fractions and the papers."""

import functools
import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from sigarray import aso, aso_replicates, multi_aso, violation_ratio
from tests import oracles
from tests.backends import ONE_WIDTH, everywhere, whole_suite
from tests.chosen import few_on_jax


def draw_ties(n, m):
    """Scores that float32 holds exactly, and some of which are ties."""
    rng = np.random.default_rng(10 * n + m)
    return rng.integers(0, 64, n) / 16, rng.integers(0, 64, m) / 16


@functools.cache
def find_exact_error(n, m, dt):
    fractions = [list(map(Fraction, x)) for x in draw_ties(n, m)]
    return oracles.exact_standard_error(*fractions, dt and Fraction(str(dt)))


@pytest.mark.parametrize("dt", [None, 0.3])
@pytest.mark.parametrize(
    ("n", "m"), [x for x in itertools.product(range(1, 5), repeat=2) if sum(x) < 8]
)
def test_exact_is_brute_force(backend, n, m, dt):
    samples = map(backend.asarray, draw_ties(n, m))
    found = float(aso(*samples, method="exact", dt=dt).standard_error)
    assert found == pytest.approx(find_exact_error(n, m, dt), abs=backend.atol)


@pytest.mark.parametrize(("n", "m", "dt"), [(5, 5, None), (4, 6, None), (5, 5, 0.005)])
def test_bootstrap_converges_to_exact(n, m, dt):
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.5, 1.0, (20, n)), rng.normal(0.0, 1.0, (20, m))
    exact = aso(a, b, method="exact", dt=dt).standard_error
    exact /= oracles.resampling_scale(range(n), range(m))
    count = 40_000
    ratios = aso_replicates(a, b, start=0, count=count, dt=dt, rng=0)
    # Delta method: the variance of a variance is (mu_4 - mu_2^2) / count.
    deviations = ratios - ratios.mean(axis=-1, keepdims=True)
    spread = np.sqrt(((deviations**2).var(axis=-1)) / count)
    z = (ratios.var(axis=-1) - exact**2) / spread
    # 20 batch entries with common random numbers; false alarm below 1e-6.
    assert np.abs(z).max() < 5.5


@pytest.mark.parametrize("shift", [0.2, 0.5])
def test_asymptotic_agrees_with_bootstrap_on_large_samples(shift):
    rng = np.random.default_rng(1)
    # A wider B, so that neither dominates and the ratio is not close to 0.
    a, b = rng.normal(shift, 1.0, 4000), rng.normal(0.0, 1.5, 3000)
    asymptotic = aso(a, b, method="asymptotic").standard_error
    bootstrap = aso(a, b, method="bootstrap", dt=0.005, n_resamples=2000, rng=0)
    # 2000 resamples have an error of 1.6 %, the grid and the limit of a few more.
    assert float(asymptotic / bootstrap.standard_error) == pytest.approx(1.0, abs=0.15)


def test_asymptotic_formula_by_perturbation():
    """Influence functions by finite differences: put more weight on one score."""
    rng = np.random.default_rng(2)
    # Sizes without a common divisor: no jumps of both functions at one place.
    a, b = rng.normal(0.3, 1.0, 9), rng.normal(0.0, 1.6, 7)
    copies = 400

    def influence(x, other, flip):
        ratios = []
        for k in range(len(x)):
            # One more copy of score k among `copies` copies of each.
            heavier = np.concatenate([np.repeat(x, copies), x[k : k + 1]])
            pair = (other, heavier) if flip else (heavier, other)
            ratios.append(violation_ratio(*pair) * len(x) * copies)
        return np.array(ratios)

    variance = influence(a, b, False).var() / len(a) + influence(
        b, a, True
    ).var() / len(b)
    result = aso(a, b, method="asymptotic")
    expected = math.sqrt(variance) * oracles.resampling_scale(a, b)
    assert result.standard_error == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("dt", [None, 0.005])
def test_replicates_are_what_aso_takes_the_deviation_of(backend, dt):
    rng = np.random.default_rng(0)
    a, b = (
        backend.asarray(rng.normal(size=(2, 30))),
        backend.asarray(rng.normal(size=30)),
    )
    replicates = aso_replicates(a, b, start=0, count=200, dt=dt, rng=3)
    result = aso(a, b, method="bootstrap", n_resamples=200, dt=dt, rng=3)
    spread = backend.to_numpy(replicates).std(axis=-1) * math.sqrt(30 / 29)
    np.testing.assert_allclose(
        backend.to_numpy(result.standard_error), spread, atol=backend.atol
    )


def test_eps_min_is_the_normal_bound():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.3, 1.0, 30), rng.normal(0.0, 1.0, 25)
    # Phi^-1 at 0.05, 0.05 / 3 and 0.01, from tables.
    for level, comparisons, z in [
        (0.95, 1, 1.644854),
        (0.95, 3, 2.128045),
        (0.99, 1, 2.326348),
    ]:
        result = aso(a, b, confidence_level=level, n_comparisons=comparisons, rng=0)
        bound = result.violation_ratio + z * result.standard_error
        assert result.eps_min == pytest.approx(min(bound, 1.0), abs=1e-6)


def test_lower_is_better_is_the_sign(backend):
    rng = np.random.default_rng(0)
    a, b = backend.asarray(rng.normal(size=15)), backend.asarray(rng.normal(size=12))
    lower = aso(a, b, higher_is_better=False, rng=0)
    negative = aso(-a, -b, rng=0)
    for result, expected in zip(lower, negative, strict=True):
        assert float(result) == float(expected)


def test_both_directions_share_their_error():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.3, 1.0, 4), rng.normal(0.0, 1.0, 5)
    forward, backward = aso(a, b), aso(b, a)
    assert forward.violation_ratio + backward.violation_ratio == pytest.approx(1.0)
    assert forward.standard_error == pytest.approx(backward.standard_error)


@few_on_jax("kind", [np.uint8, np.int32, np.int64], few=[np.uint8], backends=ONE_WIDTH)
def test_integers_of_numpy_are_options(backend, kind):
    rng = np.random.default_rng(0)
    a, b = backend.asarray(rng.normal(size=13)), backend.asarray(rng.normal(size=9))
    expected = backend.to_numpy(aso_replicates(a, b, start=120, count=60, rng=0))
    result = aso_replicates(
        a, b, start=kind(120), count=kind(60), batch=kind(7), rng=kind(0)
    )
    np.testing.assert_allclose(backend.to_numpy(result), expected, atol=backend.atol)
    options = {"n_resamples": kind(60), "n_comparisons": kind(2), "rng": 0}
    eps_min = aso(a, b, dt=np.float32(0.005), confidence_level=0.9, **options).eps_min
    options = {"n_resamples": 60, "n_comparisons": 2, "rng": 0}
    assert float(eps_min) == float(
        aso(a, b, dt=0.005, confidence_level=0.9, **options).eps_min
    )


def test_options_of_a_wrong_type():
    a, b = [1.0, 2.0, 3.0], [1.0, 2.0, 4.0]
    for options, message in [
        ({"n_resamples": 1000.0}, "n_resamples to be an integer; got 1000.0"),
        ({"n_comparisons": 2.5}, "n_comparisons to be an integer; got 2.5"),
        ({"axis": None}, "axis to be an integer; got None"),
        ({"dt": "coarse"}, "dt to be a finite number; got 'coarse'"),
        ({"confidence_level": None}, "confidence_level to be a finite number; got No"),
    ]:
        with pytest.raises(TypeError, match=message):
            aso(a, b, **options)


def test_grid_keeps_its_first_point():
    """With deep-significance 1.2.8 the numerator lost it, and this ratio was 0."""
    a, b = [0.0, 5.0, 5.0], [1.0, 1.0, 1.0]
    assert violation_ratio(a, b, dt=0.3) == pytest.approx(1.0 / (1.0 + 16.0 + 16.0))


@everywhere
def test_few_scores_need_no_rng(backend):
    a = backend.asarray([0.91, 0.93, 0.92, 0.95, 0.94])
    b = backend.asarray([0.90, 0.92, 0.91, 0.89, 0.93])
    assert float(aso(a, b).eps_min) == float(aso(a, b, method="exact").eps_min)


def test_auto_switches_at_its_limit():
    rng = np.random.default_rng(0)
    # C(5, 3) C(15, 8) = 64350 and C(5, 3) C(17, 9) = 243100, about a limit of 65536.
    for n, m, is_exact in [(5, 5, True), (3, 8, True), (3, 9, False), (6, 6, False)]:
        a, b = rng.normal(size=n), rng.normal(size=m)
        errors = {float(aso(a, b, rng=seed).standard_error) for seed in (1, 2)}
        assert (len(errors) == 1) == is_exact


@pytest.mark.parametrize("kind", ["normal", "heavy", "halves", "few ones"])
def test_large_samples_agree_with_their_resamples(kind):
    """At some of their quantiles, whatever the tails, the ties and the sizes."""
    n, m, count = 33_000, 33_500, 250
    rng = np.random.default_rng(0)
    a, b = {
        "normal": lambda: (rng.normal(0.0, 1.1, n), rng.normal(0.0, 1.0, m)),
        "heavy": lambda: (rng.standard_t(1, n), rng.standard_t(1, m) * 1.2),
        "halves": lambda: (rng.random(n) < 0.502, rng.random(m) < 0.5),
        "few ones": lambda: (np.arange(n) < 3, np.arange(m) < 4),
    }[kind]()
    quick = aso(a, b, rng=0)
    slow = aso(a, b, method="bootstrap", n_resamples=count, rng=1)
    assert quick.violation_ratio == slow.violation_ratio
    ratios = aso_replicates(a, b, start=0, count=count, dt=0.005, rng=0)
    spread = max(np.std(ratios), 1e-3)
    # The relative error of a deviation, from its own replicates, and 3 % of bias.
    fourth = np.mean(((ratios - ratios.mean()) / spread) ** 4) if spread > 1e-3 else 3.0
    error = np.sqrt(max(fourth, 3.0) / 4.0 / count) + 0.03
    assert quick.standard_error == pytest.approx(slow.standard_error, rel=4.0 * error)


def test_exact_refuses_what_would_take_too_long():
    with pytest.raises(ValueError, match=r"16,777,216 .* got 41,409,225 for 8 and 8"):
        aso(range_of(8), range_of(8), method="exact")
    with pytest.raises(ValueError, match=r"got about 10\^602 for 5 and 1000 scores"):
        aso(range_of(5), range_of(1000), method="exact")


def range_of(n):
    return np.arange(float(n))


@pytest.mark.parametrize(
    ("n", "m", "comparisons", "needed"),
    [(1, 1, 1, 3), (2, 2, 1, 3), (2, 50, 1, 3), (3, 3, 2, 4), (4, 5, 10, 5)],
)
def test_too_few_scores_give_no_verdict(backend, n, m, comparisons, needed):
    """All scores of A above those of B happens by chance, once in C(n + m, n)."""
    a, b = backend.asarray(np.arange(n) + 9999.0), backend.asarray(np.arange(float(m)))
    options = {"n_comparisons": comparisons, "rng": 0}
    sizes = f"{n}" if n == m else f"{min(n, m)} to {max(n, m)}"
    are = "score a side is" if max(n, m) == 1 else "scores a side are"
    message = f"{sizes} {are} too few .* {needed} times or more"
    with pytest.warns(UserWarning, match=message) as record:
        result = aso(a, b, **options)
    assert record[0].filename == __file__
    assert float(result.eps_min) == (0.5 if min(n, m) >= 3 else 1.0)
    assert (float(result.violation_ratio), float(result.standard_error)) == (0.0, 0.0)
    # Fitted, where there are more than 49 pairs.
    error = 1e-5 if n * m <= 49 else 0.1
    assert float(result.pvalue) == pytest.approx(1 / math.comb(n + m, n), rel=error)
    n, m = max(n, needed), max(m, needed)
    a, b = backend.asarray(np.arange(n) + 9999.0), backend.asarray(np.arange(float(m)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(aso(a, b, **options).eps_min) == 0.0
    with pytest.warns(UserWarning, match="too few for any verdict") as record:
        multi_aso([[0.9], [0.8, 0.7]])
    assert record[0].filename == __file__


@whole_suite
@pytest.mark.parametrize(
    "n", [3, *(pytest.param(n, marks=pytest.mark.long) for n in (4, 5, 7, 10, 20))]
)
def test_few_runs_of_one_distribution_are_rarely_declared_better(n):
    """At most as often as the docstring says: 7 % in either direction at n = 3."""
    a, b = np.random.default_rng(n).normal(size=(2, 2000, n))
    result = aso(a, b, n_resamples=300, rng=0)
    margin = result.eps_min - result.violation_ratio
    backward = np.clip(1.0 - result.violation_ratio + margin, 0.0, 1.0)
    is_open = result.eps_min < 1.0
    declared = np.mean(result.eps_min < 0.2), np.mean(backward[is_open] < 0.2)
    # Binomial, false alarm 1e-6.
    bound = {3: 0.067, 4: 0.050}.get(n, 0.044)
    assert max(declared) < bound + 4.9 * math.sqrt(bound * (1 - bound) / 2000)


def test_small_samples_have_no_normal_limit():
    with pytest.warns(UserWarning, match=r"200 scores a side or more.* trusted for 3"):
        aso([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], method="asymptotic")


@everywhere
def test_constants_are_told_apart_by_ranks_alone(backend):
    """Below 20 scores means have to differ, too, of which two constants say nothing."""
    for n, is_better in ((5, False), (19, False), (20, True)):
        low, high = (backend.asarray(np.full(n, x)) for x in (0.0, 1.0))
        result = aso(high, low, rng=0, n_resamples=20)
        found = float(result.eps_min), float(result.pvalue) < 1e-10
        assert found == ((0.0, True) if is_better else (0.5, False))
        assert is_better or float(result.pvalue) == 1.0


@everywhere
def test_identical_samples_are_not_better(backend):
    a = backend.asarray(np.linspace(0.0, 1.0, 20))
    result = aso(a, a, rng=0)
    assert float(result.violation_ratio) == 0.5
    assert float(result.eps_min) > 0.5
    constant = backend.asarray(np.ones(20))
    found = tuple(map(float, aso(constant, constant, rng=0)))
    # P(D >= 0), of scores that are all tied.
    assert found[:4] == (0.5, 0.5, 0.0, 0.5)
    assert 0.5 <= found[4] < 0.53


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 1.0}, r"confidence_level to be in \(0, 1\); got 1.0"),
        ({"confidence_level": 95}, r"confidence_level to be in \(0, 1\); got 95"),
        (
            {"n_comparisons": 0},
            "n_comparisons to be an integer from 1 to .*; got 0",
        ),
        ({"n_resamples": 0}, "n_resamples to be an integer from 1 to .*; got 0"),
        ({"batch": 0}, "batch to be an integer from 1 to .*; got 0"),
        ({"method": "jackknife"}, "method to be one of 'auto', .*; got 'jackknife'"),
        ({"confidence_level": 1e-17}, r"confidence_level to be in \(0, 1\); got 1e-17"),
        ({"method": "asymptotic", "dt": 0.1}, "dt=None with method='asymptotic'"),
        ({"dt": 1.5}, r"dt to be in \(0, 1\); got 1.5"),
        ({"axis": 1}, r"axis to be from -1 to 0 for shape \(3,\); got 1"),
    ],
)
def test_impossible_options(options, message):
    with pytest.raises(ValueError, match=message):
        aso([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], **options)


def test_impossible_replicates():
    with pytest.raises(ValueError, match=r"start in \[0, 2\*\*31 - count\]; got -1"):
        aso_replicates([1.0, 2.0], [1.0, 2.0], start=-1, count=2)
    with pytest.raises(ValueError, match=r"count to be an integer from 1 to .*; got 0"):
        aso_replicates([1.0, 2.0], [1.0, 2.0], start=0, count=0)


@pytest.mark.parametrize("dt", [None, 0.005])
@pytest.mark.parametrize("sizes", [(5, 5), (100, 37), (300, 300)])
def test_no_bit_of_numpy_depends_on_how_many_replicates_are_computed(sizes, dt):
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=n) for n in sizes)
    options = {"rng": 0, "dt": dt}
    whole = aso_replicates(a, b, start=0, count=400, **options)
    for count in (1, 2, 64, 99, 137):
        some = aso_replicates(a, b, start=3, count=count, **options)
        assert (some == whole[3 : 3 + count]).all(), count
    for batch in (1, 2, 7, 30):
        again = aso_replicates(a, b, start=0, count=50, batch=batch, **options)
        assert (again == whole[:50]).all(), batch


def test_one_resample_has_no_deviation():
    a, b = np.random.default_rng(1).normal(size=(2, 20))
    with pytest.raises(ValueError, match=r"n_resamples of 2 or more.* got 1"):
        aso(a, b, n_resamples=1, rng=0)
    # All resamples of five are compared, however many are asked for.
    assert aso(a[:5], b[:5], n_resamples=1) == aso(a[:5], b[:5])
