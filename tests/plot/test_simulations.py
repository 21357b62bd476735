"""Studies of p-values, and what looking at a test after every run does."""

import numpy as np
import pytest

import sigarray
from sigarray import plot, responses
from tests.plot.conftest import read_legend

AXES = {
    "metrics": [
        "mae",
        responses.metrics.Metric("_$mse", lambda xp, gold, x: xp.sum(x)),
    ],
    "items": ["all", "bootstrap"],
    "responses": ["all", "one", "first"],
    "perturbations": [0.0, 0.1, 0.3],
}


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    shape = tuple(
        len(AXES[x]) for x in ("perturbations", "metrics", "items", "responses")
    )
    return responses.Study(rng.uniform(size=shape), rng.uniform(size=shape))


def test_panels_are_ways_to_resample(study):
    axes = plot.study(study, **AXES)
    assert axes.shape == (2, 3)
    for (i, j), ax in np.ndenumerate(axes):
        assert ax.get_title() == (
            f"items: {AXES['items'][i]}\nresponses: {AXES['responses'][j]}"
        )
        for m in range(2):
            true, estimated = ax.lines[2 * m : 2 * m + 2]
            assert tuple(true.get_xdata()) == (0.0, 0.1, 0.3)
            np.testing.assert_array_equal(
                true.get_ydata(), study.true_pvalue[:, m, i, j]
            )
            np.testing.assert_array_equal(
                estimated.get_ydata(), study.estimated_pvalue[:, m, i, j]
            )
            moved = np.abs(estimated.get_xdata() - true.get_xdata())
            assert moved.max() < 0.05
            assert true.get_marker() == "None"
            assert estimated.get_linestyle() == "None"
        assert tuple(ax.lines[-1].get_ydata()) == (0.05, 0.05)
    (legend,) = axes[0, 0].figure.legends
    texts = [x.get_text() for x in legend.get_texts()]
    assert texts == ["line: true", "mark: estimated", "mae", "_$mse"]
    assert axes[0, 0].figure.get_figwidth() == 7.0


def test_caller_axes_get_their_own_legend(study, make_axes):
    given = make_axes(2, 3)
    axes = plot.study(study, **AXES, ax=given)
    assert all(x is y for x, y in zip(axes.flat, given.flat, strict=True))
    assert not given[0, 0].figure.legends
    assert read_legend(given[-1, -1])[2:] == ["mae", "_$mse"]
    with pytest.raises(ValueError, match=r"Expected ax to be 6 axes; got 4"):
        plot.study(study, **AXES, ax=make_axes(2, 2))


def test_p_values_that_are_not_known_are_told(study):
    lacking = study.estimated_pvalue.copy()
    lacking[0, 1, 0, 0] = np.nan
    axes = plot.study(study._replace(estimated_pvalue=lacking), **AXES)
    (legend,) = axes[0, 0].figure.legends
    texts = [x.get_text() for x in legend.get_texts()]
    assert texts[2:] == ["mae", "_$mse (NaN left out)"]


def test_impossible_studies(study):
    with pytest.raises(TypeError, match=r"the result of responses\.study; got"):
        plot.study(study.true_pvalue, **AXES)
    with pytest.raises(ValueError, match="Expected p-values of shape"):
        plot.study(study, **(AXES | {"metrics": ["mae"]}))


def read_shares(ax):
    """Return the sizes, and both lines."""
    by_now, at_once = ax.lines[:2]
    assert tuple(by_now.get_xdata()) == tuple(at_once.get_xdata())
    return by_now.get_xdata(), by_now.get_ydata(), at_once.get_ydata()


def simulate_looks(pool, sizes, n_sets, seed, test):
    """Look after each run, one pair of models after another."""
    generator = np.random.default_rng(seed)
    shape = (n_sets, sizes[-1])
    if pool is None:
        a, b = generator.normal(size=shape), generator.normal(size=shape)
    else:
        a, b = generator.choice(pool, shape), generator.choice(pool, shape)
    seen = np.asarray(
        [
            [test(x[:n], y[:n]).pvalue <= 0.05 for n in sizes]
            for x, y in zip(a, b, strict=True)
        ]
    )
    some = [seen[:, : k + 1].any(axis=1).mean() for k in range(len(sizes))]
    return some, seen.mean(axis=0)


TESTS = {
    "welch": sigarray.t_test,
    "mann_whitney": sigarray.mann_whitney_u,
    "paired_t": lambda a, b: sigarray.t_test(a, b, paired=True),
}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("pool", [None, [1.0, 2.0, 4.0, 4.5, 7.0]])
def test_shares_are_those_of_one_pair_after_another(test, pool):
    sizes = (3, 4, 7, 12)
    ax = plot.looks(pool, sizes=sizes, test=test, n_sets=60, rng=5)
    runs, by_now, at_once = read_shares(ax)
    assert tuple(runs) == sizes
    some, each = simulate_looks(pool, sizes, 60, 5, TESTS[test])
    np.testing.assert_allclose(by_now, some)
    np.testing.assert_allclose(at_once, each)
    assert ax.lines[2].get_ydata()[0] == 0.05
    assert (
        read_legend(ax)[0]
        == f"at some look so far: {100 * by_now[-1]:.3g} % in the end"
    )


def test_peeking_finds_differences_that_are_not_there():
    """False alarms of this test: below 1e-6, by the normal limit of both shares."""
    _, by_now, at_once = read_shares(plot.looks(n_sets=4000, rng=0))
    error = (0.05 * 0.95 / 4000) ** 0.5
    assert abs(at_once[-1] - 0.05) < 5 * error
    assert by_now[-1] > 0.15
    assert np.all(np.diff(by_now) >= 0.0)
    assert by_now[0] == at_once[0]


def test_own_scores_are_one_pool():
    """Of a mapping, an array (K, n), or a list of numbers."""
    a, b = [1.0, 2.0, 4.0], [4.5, 7.0, 9.0]
    options = {"sizes": (3, 5), "n_sets": 50, "rng": 1}
    drawn = [
        read_shares(plot.looks(scores, **options))
        for scores in (a + b, {"a": a, "b": b}, np.asarray([a, b]), [a, b])
    ]
    for other in drawn[1:]:
        np.testing.assert_array_equal(other, drawn[0])


def test_almost_stochastic_order_is_looked_at_from_both_sides():
    options = {"sizes": (4, 5), "n_sets": 40, "rng": 3}
    _, _, at_once = read_shares(plot.looks(test="aso", **options, alpha=0.2))
    generator = np.random.default_rng(3)
    a, b = generator.normal(size=(40, 5)), generator.normal(size=(40, 5))
    for k, n in enumerate((4, 5)):
        x, y = a[:, :n], b[:, :n]
        found = [sigarray.aso(*z, confidence_level=0.8) for z in ((x, y), (y, x))]
        seen = [(z.eps_min < 0.2) & (2.0 * z.pvalue <= 0.2 + 1e-9) for z in found]
        expected = np.mean(seen[0] | seen[1])
        assert at_once[k] == pytest.approx(expected)
        assert 0.0 < expected < 1.0


def test_a_test_of_ones_own():
    def test(a, b, axis=-1):
        return sigarray.t_test(a, b, axis=axis).pvalue

    options = {"sizes": (3, 9), "n_sets": 30, "rng": 2}
    own, known = (read_shares(plot.looks(**options, test=x)) for x in (test, "welch"))
    np.testing.assert_array_equal(own, known)


def test_impossible_looks():
    with pytest.raises(ValueError, match="sizes to be ascending"):
        plot.looks(sizes=(5, 3))
    with pytest.raises(ValueError, match="Expected test to be one of 'welch'"):
        plot.looks(test="t")
    with pytest.raises(TypeError, match=r"rng to be an int, None or a numpy\.random"):
        plot.looks(rng="0")
    with pytest.raises(ValueError, match=r"to give p-values of shape \(10,\)"):
        plot.looks(test=lambda a, b, axis: np.float64(0.5), n_sets=10)
    with pytest.raises(ValueError, match="finite scores of the models"):
        plot.looks([1.0, np.nan])
    with pytest.raises(ValueError, match="alpha"):
        plot.looks(alpha=5)
