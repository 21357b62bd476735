"""Pictures of a comparison, for `--plot` and the page of `--report`."""

import io
import os
import tempfile
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sigarray import bootstrap_ci, proportion_ci
from sigarray._cli.comparison import Comparison
from sigarray._cli.messages import complain
from sigarray._cli.orders import OrderOptions
from sigarray._cli.pairwise_tests import FEW_SCORES, PairOptions
from sigarray._plain_text import show_controls
from sigarray.read._score_table import ScoreTable
from sigarray.results import (
    AsoResult,
    BootstrapResult,
    PairwiseAsoResult,
    ProportionResult,
)

FORMATS = (".pdf", ".svg", ".png", ".eps", ".jpg")
# Of pictures of all models, and of all tasks.
_MAX_MODELS, _MAX_TASKS = 40, 12
# Of fewer scores studentized intervals have no ends, or are very wide.
_FEWEST = 5
_N_RESAMPLES = 9999


class Picture(NamedTuple):
    """A picture, and what it shows."""

    figure: Any
    caption: str


def draw_pictures(
    tests: PairOptions | OrderOptions,
    table: ScoreTable,
    compared: Mapping[str, Comparison],
    found: Mapping[str, Any],
    seed: int,
) -> list[Picture]:
    """Draw what was compared: first the picture that says most."""
    first = next(iter(compared.values()))
    pictures = []
    if isinstance(tests, OrderOptions):
        for task, result in found.items():
            pictures += _draw_orders(tests, compared[task], result, task)
    elif len(table.models) == 2:
        pictures.append(_draw_differences(table, first, seed))
    for task, comparison in list(compared.items())[:_MAX_TASKS]:
        if len(comparison.names) <= _MAX_MODELS:
            pictures.append(_draw_scores(comparison, task))
    return pictures


def is_same_file(path: str, other: str) -> bool:
    """Tell whether two paths are of one file."""
    try:
        return Path(path).samefile(other)
    except OSError:
        return False


def save_pictures(pictures: Sequence[Picture], path: str) -> None:
    """Write the first picture to a file, or all of them to a PDF, or nothing."""
    data = io.BytesIO()
    kind = Path(path).suffix[1:].lower()
    if kind == "pdf":
        from matplotlib.backends.backend_pdf import PdfPages

        with PdfPages(data) as pages:
            for picture in pictures:
                pages.savefig(picture.figure, bbox_inches="tight")
        shown = pictures
    else:
        figure = pictures[0].figure
        figure.savefig(data, format=kind, dpi=200, bbox_inches="tight")
        shown = pictures[:1]
    write_file(path, data.getvalue())
    for page, picture in enumerate(shown, 1):
        where = f"{path}, page {page}" if len(shown) > 1 else path
        complain("note", f"{where}: {picture.caption}")
    if len(shown) < len(pictures):
        complain("note", f"a .pdf has {len(pictures) - 1} more pictures, as --report")


def as_svg(picture: Picture) -> bytes:
    """Return a picture as SVG, the same bytes each time."""
    import matplotlib as mpl

    data = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "sigarray"}):
        picture.figure.savefig(
            data, format="svg", bbox_inches="tight", metadata={"Date": None}
        )
    return data.getvalue()


def write_file(path: str, data: bytes) -> None:
    """Write a file as a whole: where it fails or is interrupted, none is left.

    Raises
    ------
    ValueError
        A file that cannot be written.
    """
    folder = Path(path).absolute().parent
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".sigarray-")
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}."
        raise ValueError(msg) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _of_task(task: str) -> str:
    return f" on {task}" if task else ""


def _name_task(figure: Any, task: str) -> None:
    """Write the task above a picture."""
    if task:
        name = show_controls(task).replace("$", r"\$")
        figure.suptitle(name, y=1.0, va="bottom", fontsize=9)


def _draw_scores(comparison: Comparison, task: str) -> Picture:
    from sigarray import plot

    axes = plot.scores(
        comparison.scores,
        higher_is_better=comparison.higher_is_better,
        unit=comparison.unit,
    )
    _name_task(axes.figure, task)
    return Picture(
        axes.figure,
        f"Scores{_of_task(task)}: points, boxes, and intervals of the means.",
    )


def _draw_orders(
    options: OrderOptions,
    comparison: Comparison,
    result: PairwiseAsoResult,
    task: str,
) -> list[Picture]:
    from sigarray import plot

    threshold = options.threshold
    names = comparison.names
    if len(names) == 2:
        lead = 1 if result.eps_min[1, 0] < result.eps_min[0, 1] else 0
        better, worse = names[lead], names[1 - lead]
        axes, _ = plot.dominance(
            comparison.scores[better],
            comparison.scores[worse],
            names=(better, worse),
            threshold=threshold,
            higher_is_better=comparison.higher_is_better,
            # That of the table: two-sided, and drawn on where it was.
            result=AsoResult(*(x[lead, 1 - lead] for x in result)),
        )
        _name_task(axes.figure, task)
        caption = f"{better} and {worse}{_of_task(task)}: all scores in order."
        return [Picture(axes.figure, caption)]
    matrix = plot.pairwise(result, names, threshold=threshold)
    order = plot.ranking(result, names, threshold=threshold)
    for axes in (matrix, order):
        _name_task(axes.figure, task)
    return [
        Picture(matrix.figure, f"Bounds eps_min of every two models{_of_task(task)}."),
        Picture(
            order.figure,
            f"Models by their mean violation ratio{_of_task(task)}; squares on a bar "
            "are those of which none beats another.",
        ),
    ]


def _draw_differences(table: ScoreTable, comparison: Comparison, seed: int) -> Picture:
    """Draw the difference of two models on each task, with intervals of 95 %."""
    from sigarray import plot

    a, b = table.models
    results: dict[Hashable, BootstrapResult | ProportionResult] = {
        task or table.metric: _find_interval(by[a], by[b], table, seed)
        for task, by in table.tasks.items()
    }
    axes = plot.differences(
        results, names=(a, b), higher_is_better=comparison.higher_is_better
    )
    pairs = "pairs" if table.is_paired else "independent scores"
    resampled = [
        by for by in table.tasks.values() if not _is_of_proportions(by[a], by[b])
    ]
    kinds = []
    if resampled:
        n_studentized = sum(_is_of_few_runs(by[a], by[b], table) for by in resampled)
        others = [by for by in resampled if not _is_of_few_runs(by[a], by[b], table)]
        if n_studentized:
            kinds.append("studentized bootstrap")
        if others:
            smallest = min(len(x) for by in others for x in by.values())
            is_short = smallest < FEW_SCORES
            few = ", too short for fewer than 20 scores" if is_short else ""
            kinds.append(f"BCa bootstrap{few}")
    if len(resampled) < len(table.tasks):
        kinds.append("Newcombe's, of proportions")
    return Picture(
        axes.figure,
        f"Differences of the means of {a} and {b}, with intervals of 95 % of {pairs} "
        f"({'; '.join(kinds)}); they are not corrected for the number of tasks.",
    )


def _is_of_proportions(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether all scores are 0 or 1."""
    return all(bool(np.all((x == 0.0) | (x == 1.0))) for x in (a, b))


def _is_of_few_runs(a: np.ndarray, b: np.ndarray, table: ScoreTable) -> bool:
    """Tell runs of which studentized intervals hold, and others do not."""
    return table.unit == "run" and _FEWEST <= min(len(a), len(b)) < FEW_SCORES


def _find_interval(
    a: np.ndarray, b: np.ndarray, table: ScoreTable, seed: int
) -> BootstrapResult | ProportionResult:
    """Return the difference of two models, and an interval that suits their scores."""
    is_paired = table.is_paired
    if _is_of_proportions(a, b):
        return proportion_ci(a, b, paired=is_paired)
    return bootstrap_ci(
        a,
        b,
        paired=is_paired,
        method="studentized" if _is_of_few_runs(a, b, table) else "bca",
        n_resamples=_N_RESAMPLES,
        rng=seed,
    )
