"""The pictures of the page "What ASO is, in pictures", and the numbers in them.

`python docs/gallery.py` writes them with all others.
"""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigarray import AsoResult, aso_replicates, compare_models, multi_aso, plot
from sigarray.plot._style import (
    BLUE,
    COLUMN,
    GREY,
    HATCH,
    INK,
    PALE,
    THIN,
    make_figure,
    name_rows,
    tidy,
    write,
)

THRESHOLD = 0.2
SIZES = (3, 5, 10, 20, 50)
LEADS = {"A higher by a standard deviation": 1.0, "A and B equal": 0.0}
N_EXPERIMENTS = 200


def draw(digits: Mapping[str, np.ndarray]) -> Iterator[tuple[str, Any]]:
    """Draw them, one after another: (name, axes)."""
    pair = {name: digits[name] for name in ("linear", "network")}
    yield "aso_scores", plot.scores(pair)
    yield "aso_area", draw_area(pair)
    yield "aso_bound", draw_bounds(digits)
    yield "aso_verdicts", draw_verdicts(digits)
    yield "aso_runs", draw_runs()


def draw_area(pair: Mapping[str, np.ndarray]) -> Any:
    """Draw two quantile functions, and below them their squared distance."""
    (first, a), (second, b) = pair.items()
    upper, lower = make_figure(4.4).subplots(2, sharex=True)
    unseen = Figure().subplots()  # for the distribution functions, which are not needed
    plot.dominance(a, b, names=(first, second), rng=0, ax=(unseen, upper))
    upper.texts[-1].remove()
    upper.set_xlabel("")
    write(upper, 0.12, a.min() + 0.006, f"{second} ahead")
    write(upper, 0.5, np.quantile(a, 0.5) + 0.003, first, ha="right")
    write(upper, 0.7, np.quantile(b, 0.7) - 0.003, second, va="top")

    ends = np.union1d(*(np.arange(1, len(x) + 1) / len(x) for x in (a, b)))
    starts = np.r_[0.0, ends[:-1]]
    middles = (starts + ends) / 2
    gaps = quantiles(a, middles) - quantiles(b, middles)
    areas = (ends - starts) * gaps**2
    share = areas[gaps < 0].sum() / areas.sum()
    for behind, look in (
        (False, {"facecolor": PALE, "edgecolor": GREY}),
        (True, {"facecolor": "white", "edgecolor": INK, "hatch": HATCH}),
    ):
        chosen = (gaps < 0) == behind
        lower.bar(
            starts[chosen],
            1e4 * gaps[chosen] ** 2,
            width=(ends - starts)[chosen],
            align="edge",
            linewidth=THIN,
            **look,
        )
    tidy(lower, x="share of runs, the worst first", y="squared distance (in 1/10 000)")
    top = 1e4 * np.max(gaps**2)
    lower.set_ylim(0.0, 1.05 * top)
    shares = ((0.12, second, share), (0.55, first, 1.0 - share))
    for x, name, own in shares:
        text = f"{name} ahead:\n{100 * own:.1f} % of the area"
        write(lower, x, 0.98 * top, text, va="top")
    return upper, lower


def quantiles(scores: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the score of the run that is at each share, of the worst first."""
    return np.sort(scores)[np.ceil(shares * len(scores)).astype(int) - 1]


def draw_bounds(digits: Mapping[str, np.ndarray]) -> Any:
    """Draw the violation ratios of resamples of two pairs, and both bounds."""
    figure = make_figure(4.6)
    rows = figure.subplots(2, sharex=True)
    for ax, names in zip(
        rows, (("wide_network", "forest"), ("linear", "network")), strict=True
    ):
        a, b = (digits[name] for name in names)
        drawn = aso_replicates(a, b, start=0, count=1000, rng=0)
        both = multi_aso({name: digits[name] for name in names}, rng=0)
        result = AsoResult(*(x[0, 1] for x in both))  # of the first over the second
        plot.replicates(drawn, result, ax=ax)
        place = {"transform": ax.transAxes, "ha": "right", "va": "top"}
        write(ax, 0.98, 0.9, "{}\nover {}".format(*names), **place)
        ax.set_xlim(-0.02, 1.0)
    rows[0].set_xlabel("")
    return rows


def draw_verdicts(digits: Mapping[str, np.ndarray]) -> Axes:
    """Draw eps_min of all pairs of the example, as `sigarray compare` has them."""
    found = compare_models(digits, unit="run").records
    # Of both directions, the one that is ahead.
    ahead = sorted(
        min(
            (x["eps_min_a_over_b"], f"{x['model_a']} over {x['model_b']}"),
            (x["eps_min_b_over_a"], f"{x['model_b']} over {x['model_a']}"),
        )
        for x in found
    )
    ax = make_figure(2.4).subplots()
    tidy(ax, x="eps_min of the first over the second")
    ax.axvspan(0.0, THRESHOLD, facecolor=PALE, edgecolor="none")
    ax.axvline(THRESHOLD, color=INK, linewidth=THIN, linestyle=(0, (1, 1)))
    for k, (bound, _) in enumerate(ahead):
        ax.plot(bound, k, "o", color=BLUE, markersize=4.5, clip_on=False)
        write(ax, bound + 0.03, k, f"{bound:.2f}", va="center")
    name_rows(ax, [name for _, name in ahead], range(len(ahead)))
    ax.invert_yaxis()
    ax.set_xlim(0.0, 1.0)
    for x, text in ((THRESHOLD / 2, "better"), ((1 + THRESHOLD) / 2, "not shown")):
        write(ax, x, -0.9, text, ha="center")
    return ax


def draw_runs() -> Any:
    """Draw eps_min of many experiments, by the number of runs of each model."""
    figure = make_figure(4.4, COLUMN)
    rows = figure.subplots(len(LEADS), sharex=True)
    rng = np.random.default_rng(0)
    for ax, (title, lead) in zip(rows, LEADS.items(), strict=True):
        ax.axhspan(-0.03, THRESHOLD, facecolor=PALE, edgecolor="none")
        ax.axhline(THRESHOLD, color=INK, linewidth=THIN, linestyle=(0, (1, 1)))
        for k, n in enumerate(SIZES):
            found = simulate(lead, n)
            places = k + rng.uniform(-0.3, 0.3, len(found))
            ax.plot(places, found, "o", color=BLUE, markersize=1.6, alpha=0.6)
            share = np.mean(found < THRESHOLD)
            write(ax, k, 1.06, f"{100 * share:.0f} %", ha="center")
        tidy(ax, y="eps_min of A over B")
        write(ax, -0.5, 1.2, title, fontweight="bold")
        ax.set_xticks(range(len(SIZES)), SIZES)
        ax.set_ylim(-0.03, 1.03)
    rows[-1].set_xlabel("runs of each model", fontsize=8)
    return rows


def simulate(lead: float, n: int) -> np.ndarray:
    """Return eps_min of A over B in many experiments with n normal scores of each."""
    rng = np.random.default_rng(n)
    b, a = rng.normal(size=(2, N_EXPERIMENTS, n))
    with warnings.catch_warnings():  # of 3 runs, which are too few for any verdict
        warnings.simplefilter("ignore")
        bounds = multi_aso(np.stack([a + lead, b], axis=1), rng=0).eps_min
    return np.asarray(bounds)[:, 0, 1]
