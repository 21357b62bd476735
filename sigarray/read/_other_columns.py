"""Rows and columns that are hardly runs or models: means, truths, metrics, settings."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray._plain_text import show_number, squeeze
from sigarray.read._cells import is_blank, looks_like_score
from sigarray.read._codes import distinct
from sigarray.read._column_names import (
    COMPUTED,
    FILLERS,
    find_computed,
    is_computed,
    refuse_functions,
    refuse_scores_of_one_model,
)
from sigarray.read._frame import Frame, Names, Roles, list_names, quote_names, shorten
from sigarray.read._records import Records
from sigarray.read._roles import find_roles, is_long, names_runs
from sigarray.read._score_table import Choice
from sigarray.read._text import NUMBER, TableError, refuse
from sigarray.read._words import (
    BESIDE_STATISTICS,
    HYPERPARAMETERS,
    MAYBE_HYPERPARAMETERS,
    MAYBE_TRUTHS,
    METRICS,
    MORE_COSTS,
    PEOPLE,
    SPLITS,
    STATISTICS,
    TRUTHS,
    as_words,
    find_runs,
    is_summary,
    list_words,
    measures_quality,
)

# Names of rows in a wide table; in a long table, models or tasks may have them.
_OF_ALL_ROWS = as_words("""
    all macro micro weighted summary aggregate aggregated ci
""")
# Whole names of columns that are no models either; of "p", if not all are letters.
_OTHERS = as_words("""
    year version p pval pvalue winner threshold temperature support length gradnorm
""")
_MAX_SHOWN, _MAX_LINES = 3, 10
# So many names that differ only in a number are ids.
_MANY = 10
# Most of many cells are numbers, which need no closer look.
_DIGITS = re.compile(r"\d+")
_MIN_LABELS = 3
_NAMING = ("model", "task", "metric")


def find_summaries(
    names: Iterable[object], is_one: Callable[[object], bool] = is_summary
) -> set[str]:
    """Return the names of means; those that differ only in digits are tested once.

    Such ones, sum-000 to sum-039, are ids if there are many, or if they are most names:
    rows of means are few.
    """
    kinds: dict[str, set[str]] = {}
    n_names = 0
    for x in names:
        if isinstance(x, str):
            same = kinds.setdefault(_DIGITS.sub("0", x), set())
            n_names += x not in same
            same.add(x)
    return {
        x
        for same in kinds.values()
        if not (len(same) > 1 and (len(same) >= _MANY or 2 * len(same) > n_names))
        and is_one(min(same))
        for x in same
    }


def refuse_summary_rows(
    frame: Frame, chosen: Roles, ignored: Names, models: Names | None
) -> None:
    """Refuse rows of means beside the averaged rows."""
    if frame.metrics is not None:
        return
    names: set[str] = set()
    is_of_scores = is_long(frame, chosen)
    if is_of_scores:
        roles = {**find_roles(frame, {}), **chosen}
        names = {roles[role] for role in _NAMING if role in roles}
        names |= {roles[x] for x in ("run", "item") if x in roles} - {*ignored}
    for column, cells in frame.columns.items():
        if column in names or isinstance(cells, np.ndarray):
            continue
        rows = _find_texts(cells, is_summary)
        if not is_of_scores and not rows:
            rows = _find_texts(cells, _is_of_all_rows)
        if 0 < len(rows) < len(cells):
            if _are_kinds(frame, column, rows, is_ignored=column in ignored):
                continue
            refuse(
                f"{frame.place(column, rows[0])}: expected a row of scores; got "
                f"{str(cells[rows[0]]).strip()!r}, which seems to summarize others: "
                f"remove {_list_lines(frame, rows)}; or, to keep them, rename it."
            )
        if not is_of_scores and column not in (models or ()):
            _refuse_blank_label(frame, column, cells)


def _are_kinds(
    frame: Frame, column: str, rows: Sequence[int], *, is_ignored: bool
) -> bool:
    """Refuse models of which some have the best checkpoint, and others the last.

    Rows of means would be of all models. Return whether they are kinds, and ignored.
    """
    name = find_roles(frame, {}).get("model", column)
    models = [str(x) for x in frame.columns[name]]
    others = [k for k in range(len(models)) if k not in {*rows}]
    named = {models[k] for k in rows}
    is_shared = not named.isdisjoint(models[k] for k in others)
    if name == column or is_shared or len(named) == len(rows):
        return False
    if not is_ignored:
        cells = frame.columns[column]
        a, b = (
            f"{str(cells[k])!r} of {str(models[k])!r}" for k in (rows[0], others[0])
        )
        refuse(
            f"{frame.source}, column {column!r}: expected one for all models; got "
            f"{a} and {b}, so that a difference may be due to it. Compare the same of "
            f"all; or pass --ignore {quote_names([column])}."
        )
    return True


def _list_lines(frame: Frame, rows: Sequence[int]) -> str:
    lines = [str(frame.lines[k]) for k in rows]
    return f"{frame.line_word}{'s' * (len(lines) > 1)} {shorten(lines, _MAX_LINES)}"


def _find_texts(cells: Sequence[object], is_one: Callable[[object], bool]) -> list[int]:
    texts = find_summaries(distinct(cells), is_one)
    if not texts:
        return []
    return [k for k, x in enumerate(cells) if isinstance(x, str) and x in texts]


def _is_of_all_rows(cell: object) -> bool:
    """Tell whether a label is like "all", "macro F1" or "mean acc"."""
    if not isinstance(cell, str):
        return False
    words = set(re.findall(r"f1|[^\W\d_]+", cell.casefold()))
    known = STATISTICS | _OF_ALL_ROWS
    return not known.isdisjoint(words) and words <= known | BESIDE_STATISTICS | METRICS


def _refuse_blank_label(frame: Frame, column: str, cells: Sequence[object]) -> None:
    filled = [x for x in cells if not is_blank(x)]
    n = len(filled)
    if n == len(cells) or n < _MIN_LABELS or any(map(is_blank, cells[:n])):
        return
    labels = [str(x).strip() for x in filled]
    are_whole = all(re.fullmatch(r"\d+(\.0)?", x) for x in labels)
    numbers = [float(x) for x in labels] if are_whole else []
    is_text = not any(map(looks_like_score, filled))
    is_label = is_text or not column or looks_like_index(column, numbers)
    if is_label and len(set(labels)) == n:
        refuse(
            f"{frame.place(column, n)}: expected to know of what the row is, as of "
            f"those above; got a blank cell below {labels[-1]!r}, so that it may be of "
            "means or deviations. Remove rows that are no runs; name those that are."
        )


def refuse_summaries(records: Records, choice: Choice) -> None:
    chosen = {"model": choice.models, "task": choice.tasks}
    for role in ("model", "run", "item", "task"):
        if chosen.get(role) is not None:
            continue
        names = records.list_known(role)
        summaries = find_summaries(names)
        if role == "model":
            summaries |= find_computed(names)
        if summaries and len(names) > 1:
            is_one = records.factors[role].find(summaries)
            first = records[int(np.argmax(is_one))]
            rows = records.rows[is_one & (records.files == records.files[is_one][0])]
            name = getattr(first, role)
            a = "an item" if role == "item" else f"a {role}"
            advice = (
                f"remove {_list_lines(first.frame, rows.tolist())} if they are of a "
                f"mean or the like; to keep them, rename it, such as '{role}-{name}'"
            )
            if role in chosen:
                option = "--columns" if role == "model" else "--tasks"
                advice = (
                    f"choose {role}s with {option}, which keeps those that it names"
                )
            refuse(
                f"{first.place}: expected {a}; got {name!r}, which seems "
                f"to summarize others: {advice}."
            )


# Those of costs, in a table with models, too: "gpu_mem", "params_m", "time (s)".
_UNITS = as_words("""
    s sec ms min h k m mb mib gb gib gpu cpu wall clock peak used per epoch step
""")
# What measures no quality either, and is a name of no model; elsewhere it may say more.
_COSTS = MORE_COSTS | as_words("rtf throughput fps qps util utilization elapsed")
# Those of hyperparameters, and words that may stand beside them; models may be called
# so, too: "batch_norm", "lr_decay".
_SETTINGS = (MAYBE_HYPERPARAMETERS - as_words("c k p l1 l2")) | as_words("""
    lr wd bs batch epoch epochs step steps iter iters iteration iterations frac split
    decay hidden heads units samples examples seed workers patience smoothing clip id
    grad ckpt checkpoint len
""")
_BESIDE_SETTINGS = (
    SPLITS
    | FILLERS
    | as_words("""
    best last final first max min num early stop stopping stopped init initial base
    learning rate weight size length norm gradient label lora optimizer opt
    adam p prob run ran log gpu every
""")
)
# Scores have more digits, and hyperparameters do not.
_MAX_DIGITS = 2
# Models whose scores differ in size by such a factor may be something else.
_UNLIKE = 10.0
OF_SIZES = "were read as models, whose scores differ much in size"


def refuse_other_columns(source: str, scores: Mapping[str, np.ndarray]) -> None:
    names = list(scores)
    if len(names) < 2:
        return
    words = {name: list_words(name) for name in names}
    is_whole = all(bool(np.all(x == np.round(x))) for x in scores.values())
    known = TRUTHS | MAYBE_TRUTHS if is_whole else TRUTHS
    truths = [x for x in names if squeeze(x) in known]
    if truths:
        others = [x for x in names if x not in truths]
        refuse(
            f"{source}: expected a column of scores for each model; got {truths[0]!r}, "
            f"which seems to be the truth, beside {list_names(others, 3)}. Write "
            "whether each prediction is right, as 1 or 0, or another score of it; or "
            "name columns that are scores with --columns."
        )
    kinds = [x for x in names if _is_kind(x, scores, words)]
    if not kinds and all(words[x] and words[x] <= SPLITS for x in names):
        kinds = list(names)
    if kinds:
        those = f" {quote_names(kinds)}" if len(names) > len(kinds) + 1 else ""
        refuse(
            f"{source}: expected a column of scores for each model; got "
            f"{list_names(kinds, 4)}, hardly the name of a model. "
            "Name the column of models with --model and the scores with --metric, "
            f"leave columns out with --ignore{those}, or choose the models with "
            "--columns. Where a file is of one model, pass one for each: NAME=FILE."
        )
    refuse_scores_of_one_model(source, words)
    refuse_functions(source, scores)


_IGNORED = re.compile(
    r"([Ll]e)ave (?:it|them|columns) out with --ignore(?: '[^']*'| [^\s']*[^\s',.;])?"
)


def add_others(error: TableError, columns: Mapping[str, Sequence[Any]]) -> TableError:
    """Return an error that says how to leave out all columns that are no models.

    By their names, or because most cells are texts. It lists no others.
    """
    filled = {x: [y for y in cells if not is_blank(y)] for x, cells in columns.items()}
    scores = {
        x: np.asarray([float(y) for y in cells if _is_plain(y)])
        for x, cells in filled.items()
    }
    odd = [x for x in columns if 2 * len(scores[x]) < len(filled[x])]
    scores = {x: y for x, y in scores.items() if len(y) and x not in odd}
    words = {x: list_words(x) for x in scores}
    odd += [x for x in scores if looks_like_index(x, ()) or _is_kind(x, scores, words)]
    odd = [x for x in columns if x in odd and not names_runs(x)]
    said = f"--ignore {quote_names(odd)}"
    text = str(error)
    if (
        not 0 < len(odd) < len(columns) - 1
        or said.replace("'", "") in text.replace("'", "")
        or any(f"Where {x!r} names" in text for x in odd)
    ):
        return error
    every = f"ave out all that seem to be no models with {said}"
    text, n_said = _IGNORED.subn(lambda x: x[1] + every, text, count=1)
    return TableError(text if n_said else f"{text} Or le{every}.")


def _is_plain(cell: object) -> bool:
    return NUMBER.fullmatch(str(cell).strip()) is not None


def doubt_models(
    source: str, tasks: Mapping[str, Mapping[str, np.ndarray]], models: Names | None
) -> list[str]:
    """Doubt columns taken for models: named as runs, or unlike in size.

    Scores from -1 to 1 are of one scale, however small.
    """
    sizes: dict[str, float] = {}
    for by in tasks.values():
        for name, x in by.items():
            sizes[name] = max(sizes.get(name, 0.0), float(np.mean(np.abs(x))))
    known = sorted((x for x in sizes if sizes[x]), key=sizes.__getitem__)
    if models is not None or not known:
        return []
    doubts = []
    if len(find_runs(sizes).get("", ())) == len(sizes):
        doubts.append(
            f"{source}: columns {list_names(list(sizes), 3)} have names of runs, and "
            "are compared as models. If they are runs of one model, give a file for "
            "each model, or add a column 'model'"
        )
    low, high = known[0], known[-1]
    if sizes[high] <= 1.0 or sizes[high] < _UNLIKE * sizes[low]:
        return doubts
    return [
        *doubts,
        f"{source}: {len(sizes)} columns {OF_SIZES}, from {show_number(sizes[low])} of "
        f"{low!r} to {show_number(sizes[high])} of {high!r}: "
        f"{list_names(list(sizes), 10)}. Leave out those that are no models with "
        "--ignore, or name the models with --columns",
    ]


def _is_kind(
    name: str, scores: Mapping[str, np.ndarray], words: Mapping[str, Collection[str]]
) -> bool:
    words_of_name, plain = set(words[name]), squeeze(name)
    kinds, beside = METRICS, METRICS | SPLITS | FILLERS
    if not measures_quality(name) and any(METRICS.isdisjoint(words[x]) for x in words):
        kinds, beside = kinds | _COSTS, beside | _COSTS | _UNITS
    if (words_of_name & kinds and words_of_name <= beside) or is_computed(name, words):
        return True
    if plain in _OTHERS and (len(plain) > 1 or max(map(len, words)) > 1):
        return True
    of_raters = plain.removesuffix("id") in PEOPLE
    if plain in COMPUTED | HYPERPARAMETERS or (of_raters and _grade(scores[name]) < 2):
        return True
    may_be = words_of_name & _SETTINGS and words_of_name <= _SETTINGS | _BESIDE_SETTINGS
    if not may_be and plain not in MAYBE_HYPERPARAMETERS | {"n"}:
        return False
    least = int(len(words_of_name) == 1)  # models are called "c" and "alpha", too
    return max(_grade(scores[name]), least) < max(map(_grade, scores.values()))


def _grade(x: np.ndarray) -> int:
    """Return how fine numbers are: one for all, whole, of two digits, or finer."""
    every = set(x.tolist())
    if len(every) == 1 < len(x) and not every <= {0.0, 1.0}:
        return 0
    if all(y == round(y) for y in every):
        return 1
    return 2 if all(y == float(f"{y:.{_MAX_DIGITS}g}") for y in every) else 3
