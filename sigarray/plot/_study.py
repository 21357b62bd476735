"""P-values that are estimated from one test set, beside the true ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._response_results import Study
from sigarray.plot._style import (
    COLUMN,
    GREY,
    INK,
    PAGE,
    PLAIN,
    SMALL,
    THIN,
    check_axes,
    draws,
    explain,
    look_of,
    make_figure,
    show_name,
    tidy,
)
from sigarray.responses import study_records
from sigarray.responses._measurement import Metric, Wins
from sigarray.responses._sampling import Items, Responses

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEVEL = 0.05
# Inches: the width of a name and its line.
_LABEL = 1.1
_MARK: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3.5}


@draws
def study(
    study: Study,
    /,
    *,
    metrics: Sequence[str | Metric | Wins | Any],
    items: Sequence[Items],
    responses: Sequence[Responses],
    perturbations: Sequence[float],
    ax: Any = None,
) -> "np.ndarray":
    """Draw p-values that are estimated from one test set, and the true ones.

    There is a picture for each way to resample, after Wein et al. (2023) [1]_: lines
    are true p-values of the metrics by the perturbation of B; marks of the same colour,
    moved a little aside, are estimated ones. A mark above its line means that the
    estimate from one test set is too large. The dotted line is at 0.05.

    Parameters
    ----------
    study : Study
        The result of `responses.study`, with arrays of any library and device. They are
        copied to the host, which waits for the device.
    metrics, items, responses, perturbations
        What was passed to `responses.study`, or its defaults: the result does not keep
        them.
    ax : array of matplotlib.axes.Axes, shape (I, R), optional
        Where to draw; by default on a new figure, one column of a paper wide for up to
        two ways to resample responses, and two columns for more.

    Returns
    -------
    array of matplotlib.axes.Axes, shape (I, R)
        A row for each way to resample items, a column for each way to resample
        responses; `axes[0, 0].figure.savefig(...)` writes the picture. P-values that
        are NaN are not drawn, and the label of their metric says so.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but a `Study`.
    ValueError
        Numbers of metrics, samplers or perturbations that differ from those of the
        study; a different number of axes.

    See Also
    --------
    sigarray.responses.study_records : the same as rows of a table.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import plot, responses
    >>> options = {
    ...     "metrics": ["mae"],
    ...     "items": ["bootstrap"],
    ...     "responses": ["all"],
    ...     "perturbations": [0.0, 0.3],
    ... }
    >>> study = responses.study(**options, n_items=50, n_sets=50, n_resamples=50, rng=0)
    >>> axes = plot.study(study, **options)
    >>> bool(axes[0, 0].lines[0].get_ydata()[-1] < 0.05)  # the true p-value at 0.3
    True
    """
    check_axes(None)
    records = study_records(
        study,
        metrics=metrics,
        items=items,
        responses=responses,
        perturbations=perturbations,
    )
    names, rows, columns = (
        list(dict.fromkeys(row[key] for row in records))
        for key in ("metric", "items", "responses")
    )
    shape = (len(rows), len(columns))
    given = check_axes(ax, shape)
    axes = _make_panels(*shape, len(names)) if given is None else given
    for place in np.ndindex(shape):
        panel, by_items, by_responses = axes[place], rows[place[0]], columns[place[1]]
        chosen = [
            row
            for row in records
            if (row["items"], row["responses"]) == (by_items, by_responses)
        ]
        is_bottom, is_left = place[0] == shape[0] - 1, place[1] == 0
        tidy(
            panel,
            x="perturbation of B" if is_bottom or given is not None else "",
            y="p-value" if is_left or given is not None else "",
        )
        panel.set_title(
            f"items: {by_items}\nresponses: {by_responses}",
            fontsize=SMALL,
            color=INK,
            **PLAIN,
        )
        for k, name in enumerate(names):
            offset = (k + 0.5) / len(names) - 0.5
            _draw_metric(panel, k, [x for x in chosen if x["metric"] == name], offset)
        panel.axhline(_LEVEL, color=GREY, linewidth=THIN, linestyle=(0, (1, 1)))
        panel.set_xticks(sorted({row["perturbation"] for row in records}))
    _explain(axes, names, records, is_new=given is None)
    grid: np.ndarray = axes
    return grid


def _make_panels(n_rows: int, n_columns: int, n_metrics: int) -> Any:
    width = COLUMN if n_columns <= 2 else PAGE
    n_lines = -(-(n_metrics + 2) // int(width / _LABEL))
    figure = make_figure(0.4 + 1.5 * n_rows + 0.15 * n_lines, width)
    grid: dict[str, Any] = {"sharex": True, "sharey": True, "squeeze": False}
    return figure.subplots(n_rows, n_columns, **grid)


def _draw_metric(
    ax: "Axes", k: int, rows: Sequence[dict[str, Any]], offset: float
) -> None:
    look = look_of(k)
    sizes = np.asarray([row["perturbation"] for row in rows])
    gaps = np.diff(np.sort(sizes))
    step = offset * 0.4 * float(min(gaps, default=1.0))
    ax.plot(
        sizes,
        [row["true_pvalue"] for row in rows],
        color=look.color,
        linestyle=look.dashes,
        linewidth=1.0,
    )
    ax.plot(
        sizes + step,
        [row["estimated_pvalue"] for row in rows],
        color=look.color,
        linestyle="none",
        marker=look.marker,
        markersize=3.5,
        markerfacecolor="none",
        markeredgewidth=0.8,
    )


def _explain(
    axes: Any, names: Sequence[str], records: Sequence[dict[str, Any]], *, is_new: bool
) -> None:
    from matplotlib.lines import Line2D

    faulty = {row["metric"] for row in records if not np.isfinite(row["difference"])}
    handles = [Line2D([], [], color=INK), Line2D([], [], color=INK, **_MARK)]
    labels = ["line: true", "mark: estimated"]
    for k, name in enumerate(names):
        look = look_of(k)
        line = {"color": look.color, "linestyle": look.dashes, "marker": look.marker}
        handles.append(Line2D([], [], linewidth=1.0, markersize=3.5, **line))
        labels.append(show_name(name) + (" (NaN left out)" if name in faulty else ""))
    for handle in handles:
        handle.set_markerfacecolor("none")
    if not is_new:
        explain(axes[-1, -1], handles, labels, loc="best")
        return
    figure = axes[0, 0].figure
    columns = int(figure.get_figwidth() / _LABEL)
    explain(figure, handles, labels, loc="outside lower center", ncols=columns)
