"""`sigarray profile`: the share of scores above each threshold, over all tasks."""

import argparse
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray._cli.files import check_picture_file, read_models
from sigarray._difference.profile import performance_profile
from sigarray._plain_text import list_in_words, quote, show_number, show_range
from sigarray._verdicts.doubts import doubt_folds
from sigarray._verdicts.lacking import count_by_task, list_shared
from sigarray._verdicts.overall import advise_scaling, find_scales
from sigarray._verdicts.page import save_pictures
from sigarray._verdicts.pictures import Picture
from sigarray.read._messages import announce, warn
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report, Table
from sigarray.results import ProportionResult

# A profile changes at scores alone; of more, these quantiles are thresholds.
_MOST_THRESHOLDS = 200
# Of all thresholds, so many are shown in tables.
_SHOWN = 5
# For a guess at the time.
_SECONDS_PER_SHARE = 1e-9


@dataclass(frozen=True)
class _Design:
    source: str
    tasks: list[str]
    unit: str
    sizes: dict[str, tuple[int, ...]]
    higher_is_better: bool

    @property
    def side(self) -> str:
        return "above" if self.higher_is_better else "below"

    @property
    def said(self) -> str:
        counts = {n for by in self.sizes.values() for n in by}
        many = len(self.sizes) > 1
        of = f"{show_range(counts)} {self.unit}s of {'each' if many else 'the'} model"
        return of + (f" on each of {len(self.tasks)} tasks" * (len(self.tasks) > 1))


def run(options: argparse.Namespace) -> Report:
    check_picture_file(options.plot, options.files)
    table = read_models(options, min_models=1)
    design = _find_design(table, higher_is_better=not options.lower_is_better)
    scores = {
        name: [table.tasks[task][name] for task in design.tasks]
        for name in table.models
    }
    if said := doubt_folds(table):
        warn(said)
    _doubt(design, scores)
    shown = options.thresholds or _choose_shown(scores)
    at = np.asarray(options.thresholds or _choose_thresholds(scores, shown))
    n_scores = sum(map(sum, design.sizes.values()))
    announce(
        f"profiles of {len(scores)} models",
        n_scores * len(at) * options.n_resamples * _SECONDS_PER_SHARE,
        "Faster: a few --thresholds, fewer --n-resamples.",
    )
    profiles = {
        name: _find_profile(x, at, design, options) for name, x in scores.items()
    }
    if options.plot is not None:
        lines = _find_lines(scores, at, design) if options.thresholds else None
        _write_picture(profiles, at, lines, design, options)
    return _report(profiles, at, shown, design, options)


def _name_thresholds(at: np.ndarray, options: argparse.Namespace) -> str:
    if options.thresholds:
        return "these thresholds"
    if len(at) < _MOST_THRESHOLDS:
        return "all thresholds"
    return f"{len(at)} thresholds"


def _find_design(table: ScoreTable, *, higher_is_better: bool) -> _Design:
    if table.runs or table.clusters:
        what, advice = "items in clusters", "--unit cluster"
        if table.runs:
            what, advice = "items in several runs", "--unit run or --unit item"
        msg = (
            f"{table.source}: expected scores of runs or of items; got {what}, for "
            f"which the band would be too narrow. Pass {advice}."
        )
        raise ValueError(msg)
    tasks, left_out = list_shared(table)
    if not tasks:
        msg = (
            f"{table.source}: expected a task with scores of all models; got none. "
            "Choose models with --columns."
        )
        raise ValueError(msg)
    sizes = count_by_task(table, tasks)
    if left_out:
        warn(
            f"Profiles are over the {len(tasks)} tasks that all models have: left out "
            f"{'is' if len(left_out) == 1 else 'are'} "
            f"{list_in_words(list(map(repr, left_out)))}."
        )
    return _Design(table.source, tasks, table.unit, sizes, higher_is_better)


def _doubt(design: _Design, scores: Mapping[str, Sequence[np.ndarray]]) -> None:
    shares = {tuple(n / sum(by) for n in by) for by in design.sizes.values()}
    if len(shares) > 1:
        warn(
            f"Models have unlike shares of their {design.unit}s on tasks: a task with "
            f"more {design.unit}s counts for more. Take those that all models have, "
            "with --where."
        )
    means = np.asarray([[float(x.mean()) for x in by] for by in scores.values()]).T
    scales = find_scales(means) if len(design.tasks) > 1 else None
    if scales is not None:
        warn(
            "Scores on tasks differ in size by a factor of "
            f"{show_number(scales.factor, 2)}, but a threshold is one for all of "
            "them, so that tables and pictures show little but the task with the "
            f"largest scores. {advise_scaling(means, design.tasks)}."
        )


def _pool(scores: Mapping[str, Sequence[np.ndarray]]) -> np.ndarray:
    return np.concatenate([x for by in scores.values() for x in by])


def _choose_shown(scores: Mapping[str, Sequence[np.ndarray]]) -> list[float]:
    """Return a few quantiles of all scores, each rounded by its distance to others."""
    shares = np.linspace(0.0, 1.0, _SHOWN + 2)
    every = np.unique(np.quantile(_pool(scores), shares, method="inverted_cdf"))
    gaps = np.diff(every)
    nearest = np.minimum([*gaps, np.inf], [np.inf, *gaps])
    rounded = [
        x if math.isinf(gap) else round(x, -math.floor(math.log10(gap)))
        for x, gap in zip(every.tolist(), nearest.tolist(), strict=True)
    ]
    return sorted({*(rounded[1:-1] or rounded[:1])})


def _choose_thresholds(
    scores: Mapping[str, Sequence[np.ndarray]], shown: Sequence[float]
) -> list[float]:
    every = np.unique(_pool(scores))
    if len(every) > _MOST_THRESHOLDS:
        shares = np.linspace(0.0, 1.0, _MOST_THRESHOLDS)
        every = np.quantile(every, shares, method="inverted_cdf")
    return sorted({*every.tolist(), *shown})


def _find_profile(
    samples: Sequence[np.ndarray],
    at: np.ndarray,
    design: _Design,
    options: argparse.Namespace,
) -> ProportionResult:
    sign = 1.0 if design.higher_is_better else -1.0
    # In an order of their own, so that no order of rows or tasks is another draw.
    by_task = sorted(zip(design.tasks, map(np.sort, samples), strict=True))
    x = np.concatenate([scores for _, scores in by_task])
    tasks = np.repeat(np.arange(len(by_task)), [len(scores) for _, scores in by_task])
    return performance_profile(
        sign * x,
        sign * at,
        strata=tasks if len(by_task) > 1 else None,
        confidence_level=1.0 - options.alpha,
        n_resamples=options.n_resamples,
        rng=options.seed,
    )


def _find_lines(
    scores: Mapping[str, Sequence[np.ndarray]], at: np.ndarray, design: _Design
) -> tuple[np.ndarray, dict[Hashable, np.ndarray]]:
    every = np.asarray(_choose_thresholds(scores, at.tolist()))
    sign = 1.0 if design.higher_is_better else -1.0
    shares: dict[Hashable, np.ndarray] = {}
    for name, by in scores.items():
        x = np.sort(sign * np.concatenate(by))
        shares[name] = 1.0 - np.searchsorted(x, sign * every, side="right") / len(x)
    return every, shares


def _show_width(profile: ProportionResult) -> str:
    """Show half the width of a band, which is the same at each threshold."""
    low, high = profile.confidence_interval
    width = np.max(np.maximum(high - profile.statistic, profile.statistic - low))
    return f"{float(width):.2f}"


def _show_level(options: argparse.Namespace) -> str:
    return f"{100.0 * (1.0 - options.alpha):.10g} %"


def _report(
    profiles: Mapping[str, ProportionResult],
    at: np.ndarray,
    shown: Sequence[float],
    design: _Design,
    options: argparse.Namespace,
) -> Report:
    order = sorted(profiles, key=lambda name: -float(profiles[name].statistic.mean()))
    sign = ">" if design.higher_is_better else "<"
    places = np.searchsorted(at, shown)
    shares = {x: [f"{y:.2f}" for y in profiles[x].statistic[places]] for x in order}
    widths = {name: _show_width(profiles[name]) for name in order}
    which = _name_thresholds(at, options)
    over = strata = each = ""
    if len(design.tasks) > 1:
        over = f" over these {len(design.tasks)} tasks"
        strata, each = ", with tasks as strata", " on each task"
    title = (
        f"Share of {design.unit}s {design.side} a threshold{over}; the band is +- so "
        f"much at {which} at once, {_show_level(options)} confidence for each model"
    )
    header = ["model", *(f"{sign} {x:.10g}" for x in shown), "band"]
    remarks = [
        "Bands that overlap are no test: sigarray compare says which model is better."
    ]
    sides = [f"{design.side} {x:.10g}" for x in shown]
    sentences = [
        f"{quote(name)}: {', '.join(map(' '.join, zip(of, sides, strict=True)))}; the "
        f"band is +- {widths[name]} at {which} at once."
        for name, of in shares.items()
    ]
    method = (
        f"performance profiles (Agarwal et al., 2021) of {design.said}, and bands of "
        f"one width by {options.n_resamples} resamples (seed {options.seed}){strata}, "
        f"one {design.unit} fewer than there are{each} (Rao and Wu, 1988), and no "
        "narrower than the exact limit of a share of 0 (Clopper and Pearson)"
    )
    better = "higher" if design.higher_is_better else "lower"
    tasks = f", {len(design.tasks)} tasks" if len(design.tasks) > 1 else ""
    columns = ("share", "low", "high")
    curves = {
        x: (profiles[x].statistic, *profiles[x].confidence_interval) for x in order
    }
    numbers = {
        name: {x: y.tolist() for x, y in zip(columns, curve, strict=True)}
        for name, curve in curves.items()
    }
    rows = [[name, *of, widths[name]] for name, of in shares.items()]
    document: dict[str, Any] = {
        "source": design.source,
        "design": design.said,
        "tasks": design.tasks,
        "higher_is_better": design.higher_is_better,
        "alpha": options.alpha,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
        "method": method,
        "thresholds": at.tolist(),
        "models": numbers,
    }
    records = [
        {"model": name, "threshold": x} | {y: by[y][k] for y in columns}
        for name, by in numbers.items()
        for k, x in enumerate(at.tolist())
    ]
    return Report(
        [Table(title, header, rows, decides=True)],
        [*sentences, *remarks],
        method,
        records,
        document,
        headline=[f"{design.source}, {better} is better{tasks}"],
        remarks=remarks,
    )


def _write_picture(
    profiles: Mapping[str, ProportionResult],
    at: np.ndarray,
    lines: tuple[np.ndarray, dict[Hashable, np.ndarray]] | None,
    design: _Design,
    options: argparse.Namespace,
) -> None:
    from sigarray.plot._curves import draw_profiles

    models: dict[Hashable, Any] = {
        name: (x.statistic, *x.confidence_interval) for name, x in profiles.items()
    }
    axes = draw_profiles(
        models,
        at,
        lines,
        is_higher_better=design.higher_is_better,
        are_marks=options.thresholds is not None,
    )
    caption = (
        f"Share of scores {design.side} each threshold, of {design.said}; "
        f"{'bars' if options.thresholds else 'bands'} of {_show_level(options)} hold "
        f"at {_name_thresholds(at, options)} at once."
    )
    widths = [f"{quote(name)}: +- {_show_width(x)}" for name, x in profiles.items()]
    picture = Picture(axes.figure, caption, f"{'; '.join(widths)}.")
    save_pictures([picture], options.plot)
