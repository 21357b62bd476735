"""Results as tables: data frames, Markdown, LaTeX and JSON."""

import functools
import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from sigarray._backend.checks import describe, fraction, represent
from sigarray._host import (
    check_matrix,
    choose_names,
    copy_array,
    copy_bounds,
    list_columns_of_ranks,
)
from sigarray._plain_text import show_number
from sigarray.report._latex import draw_float, draw_latex
from sigarray.report._layout import (
    Table,
    neutralise_table,
    number_format,
    show_bound,
    show_p_value,
    without_infinities,
)
from sigarray.report._rendering import draw_markdown, escape_json
from sigarray.report._sentences import refuse_comparison
from sigarray.results import PairwiseAsoResult, Ranking, RankResult, ScoreSummary

# Names of rows, or of rows for each axis of a batch.
Names = Iterable[Hashable] | None
Records = list[dict[str, Any]]

# P-values have as many decimals as show on which side of it they are.
_LEVEL = 0.05


def to_frame(result: Any, /, names: Names = None, *, backend: str = "pandas") -> Any:
    """Make a data frame of a result.

    Parameters
    ----------
    result : result of any function, array, or mapping of labels to results
        What any function returned, or a mapping of labels to such results. Arrays of
        any library and device are copied to the host, which waits for the device.
    names : iterable of names, optional
        Names of the models, for the results of `multi_aso` and `rank_ci` and a
        `Ranking`; for others, of the batch entries, which are on one axis. By default
        their places, or the labels of a mapping.
    backend : str, default: "pandas"
        The library of the data frame, as narwhals calls it: also "polars", "pyarrow".

    Returns
    -------
    data frame
        A row for each pair of models of `multi_aso`, "model_a" and "model_b", else for
        each batch entry, "name"; and a column for each number of the result. With a
        baseline, "eps_min" of pairs that were not compared is NaN.

    Raises
    ------
    TypeError
        Anything but a result, or a traced one.
    ValueError
        A different number of names; a result with several batch axes.
    ImportError
        narwhals or the library of the data frame is not installed.

    Examples
    --------
    >>> from sigarray import multi_aso
    >>> from sigarray.report import to_frame
    >>> scores = {"a": [0.9, 0.8, 0.7, 0.6], "b": [0.5, 0.4, 0.3, 0.2]}
    >>> to_frame(multi_aso(scores), names=scores)[["model_a", "model_b", "eps_min"]]
      model_a model_b  eps_min
    0       a       b      0.0
    1       b       a      1.0
    """
    return make_frame(list_records(result, names), backend)


def make_frame(records: Records, backend: str) -> Any:
    columns = {key: [record[key] for record in records] for key in records[0]}
    needed: Any = "narwhals"
    try:
        import narwhals.stable.v1 as nw

        needed = backend
        return nw.from_dict(columns, backend=needed).to_native()
    except ImportError as error:
        name = '"sigarray[read]"' if needed == "narwhals" else needed
        msg = f"Expected {needed}, for data frames. Run: pip install {name}."
        raise ImportError(msg) from error


def to_markdown(result: Any, /, names: Names = None, *, threshold: float = 0.2) -> str:
    r"""Write a result as a table of Markdown.

    Parameters
    ----------
    result : PairwiseAsoResult
        What any function returned, or a mapping of labels to such results. Arrays of
        any library and device are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models, for the results of `multi_aso` and `rank_ci` and a
        `Ranking`; for others, of the batch entries, which are on one axis. By default
        their places, or the labels of a mapping.
    threshold : float, default: 0.2
        Bounds of `multi_aso` below this are bold.

    Returns
    -------
    str
        The table: for `multi_aso`'s result the matrix of `eps_min`, in which the row is
        better than the column where it is bold; with a baseline, pairs that were not
        compared are blank. Markup in names is escaped, and invisible characters are
        shown by their codes.

    Raises
    ------
    TypeError
        Anything but a result, or a traced one.
    ValueError
        A different number of names; a result with several batch axes.

    Examples
    --------
    >>> from sigarray import multi_aso
    >>> from sigarray.report import to_markdown
    >>> scores = {"a_1": [0.9, 0.8, 0.7, 0.6], "b|c": [0.5, 0.4, 0.3, 0.2]}
    >>> print(to_markdown(multi_aso(scores), names=scores))
    |  | a_1 | b\|c |
    | --- | ---: | ---: |
    | a_1 |  | **0.000** |
    | b\|c | 1.000 |  |
    <BLANKLINE>
    """
    return draw_markdown(_tabulate(result, names, threshold)) + "\n"


def to_latex(
    result: Any,
    /,
    names: Names = None,
    *,
    threshold: float = 0.2,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    r"""Write a result as a table of LaTeX, with booktabs.

    Parameters
    ----------
    result : PairwiseAsoResult
        What any function returned, or a mapping of labels to such results. Arrays of
        any library and device are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models, for the results of `multi_aso` and `rank_ci` and a
        `Ranking`; for others, of the batch entries, which are on one axis. By default
        their places, or the labels of a mapping.
    threshold : float, default: 0.2
        Bounds of `multi_aso` below this are bold.
    caption : str, optional
        A caption, in which markup is escaped. With a caption or a label the table is in
        a `table` environment.
    label : str, optional
        A label for ``\ref``, such as ``tab:scores``.

    Returns
    -------
    str
        A `tabular`, alone or in its environment, for which the document needs
        ``\usepackage{booktabs}``, and with a caption or a label ``graphicx``, which
        makes a wide one fit. Numbers are mathematics, and what is marked is bold.

    Raises
    ------
    TypeError
        Anything but a result, or a traced one.
    ValueError
        A different number of names; a result with several batch axes.

    Examples
    --------
    >>> from sigarray import bootstrap_ci
    >>> from sigarray.report import to_latex
    >>> result = bootstrap_ci([0.9, 0.8, 0.7], rng=0, n_resamples=99)
    >>> r"\toprule" in to_latex(result, names=["f_1"])
    True
    >>> print(to_latex(result, label="tab:f1").partition("\n")[0])
    \begin{table}
    """
    table = _tabulate(result, names, threshold)
    if caption is None and label is None:
        return draw_latex(table) + "\n"
    return draw_float(table, caption, label) + "\n"


def to_json(result: Any, /, names: Names = None) -> str:
    """Write a result as JSON.

    Parameters
    ----------
    result : PairwiseAsoResult
        What any function returned, or a mapping of labels to such results. Arrays of
        any library and device are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models, for the results of `multi_aso` and `rank_ci` and a
        `Ranking`; for others, of the batch entries, which are on one axis. By default
        their places, or the labels of a mapping.

    Returns
    -------
    str
        A list of records, as rows of `to_frame`; null for NaN and infinities.

    Raises
    ------
    TypeError
        Anything but a result, or a traced one.
    ValueError
        A different number of names; a result with several batch axes.

    Examples
    --------
    >>> from sigarray import t_test
    >>> from sigarray.report import to_json
    >>> result = t_test([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    >>> to_json(result, names=["mnli"])
    '[{"name": "mnli", "statistic": 0.0, "pvalue": 1.0, "df": 4.0}]'
    """
    records = [
        without_infinities({key: _plain(x) for key, x in record.items()})
        for record in list_records(result, names)
    ]
    return escape_json(json.dumps(records, allow_nan=False, ensure_ascii=False))


def list_records(result: Any, names: Names) -> Records:
    refuse_comparison(result)
    if isinstance(result, PairwiseAsoResult):
        return _list_pairs(result, names)
    if isinstance(result, Ranking):
        return [
            {"name": name, "rank": k + 1, "beats": ", ".join(map(str, beaten))}
            for k, (name, beaten) in enumerate(
                zip(result.order, result.beats, strict=True)
            )
        ]
    if isinstance(result, Mapping):
        if not result:
            msg = "Expected one result or more; got an empty mapping."
            raise ValueError(msg)
        records = [
            {"name": label} | {key: x for key, x in record.items() if key != "name"}
            for label, part in result.items()
            for record in _list_single(label, part)
        ]
        if any(record.keys() != records[0].keys() for record in records):
            kinds = dict.fromkeys(describe(x) for x in result.values())
            msg = (
                f"Expected a mapping of labels to results of one kind; got "
                f"{' and '.join(kinds)}. Make a table of each."
            )
            raise TypeError(msg)
        return records
    columns = {
        key: copy_array(x) for key, x in _flatten(result, type(result).__name__).items()
    }
    shape = np.broadcast_shapes(*(x.shape for x in columns.values()))
    if len(shape) > 1:
        msg = (
            f"Expected a result of one batch axis or none; got shape {shape}. Pass "
            "parts of it."
        )
        raise ValueError(msg)
    n = shape[0] if shape else 1
    if not n:
        msg = "Expected one number or more; got none."
        raise ValueError(msg)
    rows = [np.broadcast_to(x, shape or (1,)) for x in columns.values()]
    return [
        {"name": name} | dict(zip(columns, map(float, row), strict=True))
        for name, *row in zip(choose_names(names, n), *rows, strict=True)
    ]


def _list_single(label: Hashable, result: Any) -> Records:
    records = list_records(result, None)
    if len(records) > 1:
        msg = (
            f"Expected a mapping of labels to results of one comparison; got "
            f"{len(records)} for {represent(label)}."
        )
        raise ValueError(msg)
    return records


def _list_pairs(result: PairwiseAsoResult, names: Names) -> Records:
    matrices = {key: copy_array(x) for key, x in result._asdict().items()}
    matrices["eps_min"], _ = copy_bounds(result)
    check_matrix(matrices["eps_min"])
    labels = choose_names(names, len(matrices["eps_min"]))
    return [
        {"model_a": a, "model_b": b}
        | {key: float(x[i, j]) for key, x in matrices.items()}
        for i, a in enumerate(labels)
        for j, b in enumerate(labels)
        if i != j
    ]


def _flatten(result: Any, name: str) -> dict[str, Any]:
    if isinstance(result, RankResult):
        return list_columns_of_ranks(result)
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        flat: dict[str, Any] = {}
        for key, value in result._asdict().items():
            inner = _flatten(value, key)
            nested = isinstance(value, tuple) and key != "confidence_interval"
            flat |= {f"{key}.{x}" if nested else x: y for x, y in inner.items()}
        return flat
    if isinstance(result, (str, bytes)) or result is None:
        msg = f"Expected the result of a test, or an array; got {describe(result)}."
        raise TypeError(msg)
    return {name if name not in ("ndarray", "float", "list") else "value": result}


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else str(value)


def _tabulate(result: Any, names: Names, threshold: float) -> Table:
    limit = fraction("threshold", threshold)
    records = list_records(result, names)
    if isinstance(result, PairwiseAsoResult):
        labels = list(dict.fromkeys(record["model_a"] for record in records))
        bounds = {
            (x["model_a"], x["model_b"]): x["eps_min"]
            for x in records
            # Pairs that were not compared have a ratio, and no p-value.
            if not (math.isnan(x["pvalue"]) and not math.isnan(x["violation_ratio"]))
        }
        rows = [
            [str(a), *(_show_bound(bounds.get((a, b)), limit) for b in labels)]
            for a in labels
        ]
        marked = frozenset(
            (i, j + 1)
            for i, a in enumerate(labels)
            for j, b in enumerate(labels)
            if bounds.get((a, b), 1.0) < limit
        )
        return neutralise_table(Table("", ["", *map(str, labels)], rows, marked))
    header = list(records[0])
    formats: dict[str, Callable[[Any], str]] = dict.fromkeys(header, _show)
    show_p = functools.partial(show_p_value, level=_LEVEL)
    formats |= {x: show_p for x in header if x.endswith("pvalue")}
    formats |= _find_formats(records)
    rows = [
        [x if isinstance(x, str) else formats[key](x) for key, x in record.items()]
        for record in records
    ]
    return neutralise_table(Table("", header, rows))


def _find_formats(records: Records) -> dict[str, Callable[[Any], str]]:
    formats: dict[str, Callable[[Any], str]] = {}
    for key in records[0]:
        start = key.removesuffix("std")
        names = [f"{start}{x}" for x in ScoreSummary._fields]
        if key == f"{start}std" and all(name in records[0] for name in names):
            summaries = [
                {x: row[f"{start}{x}"] for x in ("mean", "min", "max")}
                | {"sd": row[key]}
                for row in records
            ]
            formats |= dict.fromkeys(names, number_format(summaries))
    return formats


def _show(value: Any) -> str:
    is_float = isinstance(value, float)
    return show_number(value, 4).replace(",", "") if is_float else str(value)


def _show_bound(bound: float | None, threshold: float) -> str:
    return "" if bound is None else show_bound(bound, threshold)
