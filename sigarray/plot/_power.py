"""Power by the number of runs, and the effect of testing after each of them."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.checks import (
    ascending,
    choice_or_statistic,
    count,
    describe,
    fraction,
)
from sigarray._difference.location import t_test
from sigarray._difference.ranks import mann_whitney_u
from sigarray._host import choose_names, copy_array
from sigarray._order.many_models import multi_aso
from sigarray._power_of_tests import PowerTest
from sigarray.plot._inputs import check_alone, copy_models, copy_scores, list_results
from sigarray.plot._style import (
    GREY,
    INK,
    THIN,
    check_axes,
    draw_line,
    draws,
    explain,
    look_of,
    make_figure,
    show_name,
    show_share,
    tidy,
)
from sigarray.results import SampleSizeResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
# Tells which rows of two samples (R, n) differ significantly, one way or the other.
See = Callable[[np.ndarray, np.ndarray], np.ndarray]
_TESTS = ("welch", "paired_t", "mann_whitney", "aso")
# Below this bound `aso` declares A better.
_THRESHOLD = 0.2
# Between two numbers on an axis, and the width of a digit, as shares of it.
_SPACE, _DIGIT = 0.012, 0.022
# The number of comparisons at a time.
_BLOCK = 500


class _Curve(NamedTuple):
    name: Hashable
    powers: np.ndarray
    size: float

    @property
    def is_known(self) -> bool:
        return not np.isnan(self.powers).any()


@draws
def power(
    sizes: Sequence[int],
    result: SampleSizeResult | Mapping[Hashable, SampleSizeResult],
    /,
    *,
    labels: Iterable[Hashable] | None = None,
    wanted: float = 0.8,
    unit: str = "run",
    ax: Any = None,
) -> "Axes":
    """Draw the power of a test against the number of runs of each model.

    Parameters
    ----------
    sizes : sequence of int
        The S numbers of runs that were passed to `required_sample_size`.
    result : SampleSizeResult, or mapping of labels to such results
        Its result, with power of shape (S,), or (C, S) for C curves; or a result of one
        curve for each label. Arrays of any library and device are copied to the host,
        which waits for the device.
    labels : iterable of C hashables, optional
        Names of the curves of one result; by default their places.
    wanted : float, default: 0.8
        The `power` that was passed to `required_sample_size`, to which `sample_size` of
        the result belongs. It is marked, and so is that size.
    unit : str, default: "run"
        What a score stands for.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. A curve with NaN is not drawn, and
        its label says so.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but a result of `required_sample_size`, or a traced one.
    ValueError
        Sizes that are not ascending, or a different number of them; several leading
        axes; a different number of labels, or labels beside a mapping; a wanted power
        that is not that of the result.

    See Also
    --------
    sigarray.required_sample_size : the numbers in it.

    Examples
    --------
    >>> from sigarray import plot, required_sample_size
    >>> a = [0.91, 0.94, 0.90, 0.95, 0.93]
    >>> b = [0.90, 0.92, 0.89, 0.93, 0.92]
    >>> sizes = [5, 10, 20, 40]
    >>> result = required_sample_size(a, b, sizes=sizes, rng=0)
    >>> ax = plot.power(sizes, result)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['40 runs', 'wanted: power 0.8']
    """
    given = check_axes(ax)
    goal = fraction("wanted", wanted)
    runs = ascending(count())("sizes", sizes)
    curves = _list_curves(result, labels, runs, goal)
    axes: Axes = given or make_figure(2.5).subplots()
    units = f"{show_name(unit)}s"
    tidy(axes, x=f"{units} of each model", y="power")
    handles = [_draw_curve(axes, k, runs, curve) for k, curve in enumerate(curves)]
    line = axes.axhline(
        goal, color=GREY, linestyle=(0, (1, 1)), linewidth=1.0, zorder=0.5
    )
    texts = [_say(curve, runs[-1], units) for curve in curves]
    explain(axes, [*handles, line], [*texts, f"wanted: power {goal:g}"])
    axes.set_ylim(-0.02, 1.02)
    _scale_sizes(axes, runs, [int(x.size) for x in curves if math.isfinite(x.size)])
    return axes


def _list_curves(
    result: Any, labels: Any, runs: tuple[int, ...], goal: float
) -> list[_Curve]:
    by_label = list_results(result, SampleSizeResult, "required_sample_size")
    is_one = isinstance(result, SampleSizeResult)
    check_alone(result, labels, "labels")
    curves = []
    for name, one in by_label.items():
        powers, sizes = copy_array(one.power), copy_array(one.sample_size)
        if powers.ndim not in (1, 1 + is_one) or powers.shape[-1] != len(runs):
            msg = (
                f"Expected the power at {len(runs)} sizes, of shape (S,), or (C, S) in "
                f"one result; got shape {powers.shape}. Pass the sizes that "
                "required_sample_size was given, and at most one axis of curves."
            )
            raise ValueError(msg)
        names: list[Hashable] = [name]
        if is_one and (powers.ndim == 2 or labels is not None):
            names = choose_names(labels, len(np.atleast_2d(powers)))
        rows = zip(names, np.atleast_2d(powers), np.atleast_1d(sizes), strict=True)
        curves += [_Curve(name, row, float(size)) for name, row, size in rows]
    for curve in curves:
        _check_goal(curve, runs, goal)
    return curves


def _check_goal(curve: _Curve, runs: tuple[int, ...], goal: float) -> None:
    has_it = [n for n, x in zip(runs, curve.powers, strict=True) if x >= goal]
    smallest = float(min(has_it, default=math.inf))
    if curve.is_known and smallest != curve.size:
        msg = (
            "Expected wanted to be the power that required_sample_size was given; got "
            f"{goal:g}, which {smallest:g} runs have, and a result that says "
            f"{curve.size:g}. Pass that power as wanted."
        )
        raise ValueError(msg)


def _draw_curve(ax: "Axes", k: int, runs: tuple[int, ...], curve: _Curve) -> Any:
    look, line = look_of(k), draw_line(ax, k, runs, curve.powers)
    if curve.is_known and math.isfinite(curve.size):
        height = curve.powers[runs.index(int(curve.size))]
        ax.plot(
            (curve.size, curve.size),
            (0.0, height),
            color=look.color,
            linewidth=THIN,
            linestyle=look.dashes,
            label="found",
        )
        ax.plot(
            curve.size,
            height,
            marker="o",
            markersize=7.5,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=0.9,
            linestyle="none",
            clip_on=False,
            label="ring",
        )
    return line


def _say(curve: _Curve, largest: int, units: str) -> str:
    text = f"{curve.size:.0f} {units}"
    if not curve.is_known:
        text = "no verdict, NaN"
    elif math.isinf(curve.size):
        text = f"more than {largest} {units}"
    return text if curve.name is None else f"{show_name(curve.name, 40)}: {text}"


def _scale_sizes(ax: "Axes", runs: tuple[int, ...], found: Sequence[int]) -> None:
    from matplotlib import ticker

    if runs[-1] < 5 * runs[0]:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        return
    ax.set_xscale("log")
    span = math.log(runs[-1] / runs[0])
    ticks: list[int] = []
    for n in (*found, runs[0], runs[-1], *runs):
        rooms = ((x, _SPACE + 0.5 * _DIGIT * len(f"{n}{x}")) for x in ticks)
        if all(abs(math.log(n / x)) >= room * span for x, room in rooms):
            ticks.append(n)
    ax.xaxis.set_major_locator(ticker.FixedLocator(ticks))
    ax.xaxis.set_major_formatter(ticker.FixedFormatter([str(n) for n in ticks]))
    ax.xaxis.set_minor_locator(ticker.NullLocator())


@draws
def looks(
    scores: Any = None,
    /,
    *,
    sizes: Sequence[int] = range(3, 21),
    test: PowerTest = "welch",
    alpha: float = 0.05,
    n_sets: int = 2000,
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = None,
    ax: Any = None,
) -> "Axes":
    """Draw the effect of testing after every run, and of stopping at the first success.

    Two equal models are simulated: the scores of both are of one distribution. After
    some runs of each they are tested, and tested again after each further run. A single
    test calls them different in a share `alpha` of cases; the more tests there are, the
    more often some test does.

    Parameters
    ----------
    scores : array, mapping or sequence of arrays, optional
        Your scores, of any library and device, which are copied to the host. Those of
        all models are one pool, from which runs are drawn with replacement. By default
        runs are normal.
    sizes : sequence of int, default: 3 to 20
        The numbers of runs of each model after which to test; ascending, two or more.
    test : {"welch", "paired_t", "mann_whitney", "aso"} or callable, default: "welch"
        The two-sided test; for "aso", whether either model has eps_min < 0.2 at
        confidence 1 - `alpha`. A callable, called as f(a, b, axis=-1) on NumPy arrays,
        returns the two-sided p-values of batches.
    alpha : float, default: 0.05
        The models are called different if the p-value is not above it.
    n_sets : int, default: 2000
        Pairs of equal models. The standard error of a share s of them is (s (1 - s) /
        `n_sets`)^1/2.
    n_resamples : int, default: 1000
        Bootstrap replicates of "aso", which takes longer than the others.
    rng : int or numpy.random.Generator, optional
        Source of the random numbers; by default fresh entropy.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    matplotlib.axes.Axes
        The first line is the share of pairs that some test so far has called different,
        the second that of each single test; `ax.figure.savefig(...)` writes the
        picture.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError, ValueError
        Scores that are not real numbers, or not finite; sizes that are not ascending; a
        test that does not return a p-value for each pair; options outside their range.

    Examples
    --------
    >>> from sigarray import plot
    >>> ax = plot.looks(sizes=range(3, 21), n_sets=500, rng=0)
    >>> peeking, once = (line.get_ydata()[-1] for line in ax.lines[:2])
    >>> bool(once < 0.1 < peeking)
    True
    """
    given = check_axes(ax)
    runs = ascending(count(smallest=2))("sizes", sizes)
    level = fraction("alpha", alpha)
    chosen = choice_or_statistic(*_TESTS, arrays="a, b")("test", test)
    n_pairs = count()("n_sets", n_sets)
    generator = _generator(rng)
    see = _choose_test(chosen, level, count()("n_resamples", n_resamples), generator)
    pool = None if scores is None else _pool(scores)
    is_seen = np.concatenate(
        [
            np.stack([see(a[:, :n], b[:, :n]) for n in runs], axis=-1)
            for a, b in _draw_pairs(pool, n_pairs, runs[-1], generator)
        ]
    )
    by_now = np.mean(np.logical_or.accumulate(is_seen, axis=-1), axis=0)
    at_once = np.mean(is_seen, axis=0)
    axes: Axes = given or make_figure(2.5).subplots()
    tidy(axes, x="runs of each model", y="share called different")
    lines = [draw_line(axes, k, runs, x) for k, x in enumerate((by_now, at_once))]
    lines.append(axes.axhline(level, color=GREY, linestyle=(0, (1, 1)), linewidth=1.0))
    explain(
        axes,
        lines,
        [
            f"at some look so far: {show_share(by_now[-1])} in the end",
            f"at this look alone: {show_share(at_once[-1])} in the end",
            f"alpha: {show_share(level)}",
        ],
    )
    axes.set_ylim(0.0, 1.1 * max(level, float(np.max(by_now))))
    axes.locator_params(axis="x", integer=True)
    return axes


def _generator(rng: Any) -> np.random.Generator:
    is_seed = isinstance(rng, (int, np.integer)) and not isinstance(rng, bool)
    if rng is None or is_seed or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    msg = (
        "Expected rng to be an int, None or a numpy.random.Generator, for runs are "
        f"drawn on the host; got {describe(rng)}. Pass rng=0 for a fixed seed."
    )
    raise TypeError(msg)


def _pool(scores: Any) -> np.ndarray:
    is_one = getattr(scores, "ndim", None) == 1
    if isinstance(scores, (list, tuple)):
        is_one = not any(hasattr(x, "__len__") for x in scores)
    if is_one:
        return copy_scores(scores, "the models")
    return np.concatenate(list(copy_models(scores, None).values()))


def _draw_pairs(
    pool: np.ndarray | None, n_pairs: int, n: int, generator: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for start in range(0, n_pairs, _BLOCK):
        shape = (min(_BLOCK, n_pairs - start), n)
        if pool is None:
            yield generator.normal(size=shape), generator.normal(size=shape)
        else:
            yield generator.choice(pool, shape), generator.choice(pool, shape)


def _choose_test(
    test: PowerTest, level: float, n_resamples: int, generator: np.random.Generator
) -> See:
    def see_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        bounds = multi_aso(
            np.stack([a, b], axis=1),
            confidence_level=1.0 - level,
            n_resamples=n_resamples,
            rng=generator,
        ).eps_min
        is_better: np.ndarray = np.any(bounds < _THRESHOLD, axis=(-2, -1))
        return is_better

    def see_p_values(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        p_values = find(a, b, axis=-1)
        if getattr(p_values, "shape", None) != a.shape[:1]:
            msg = (
                f"Expected test(a, b, axis=-1) to give p-values of shape "
                f"{a.shape[:1]} for samples of shape {a.shape}; got "
                f"{getattr(p_values, 'shape', describe(p_values))}."
            )
            raise ValueError(msg)
        return np.asarray(p_values) <= level

    if test == "aso":
        return see_order
    tests: dict[Any, Callable[..., Array]] = {
        "welch": lambda *x, axis: t_test(*x, axis=axis).pvalue,
        "paired_t": lambda *x, axis: t_test(*x, paired=True, axis=axis).pvalue,
        "mann_whitney": lambda *x, axis: mann_whitney_u(*x, axis=axis).pvalue,
    }
    find = test if callable(test) else tests[test]
    return see_p_values
