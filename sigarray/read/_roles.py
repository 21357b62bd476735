"""The roles of columns, by their names and values: models, runs, scores and so on."""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._backend.given import looks_like_index, names_steps
from sigarray._plain_text import squeeze, suggest
from sigarray.read._cells import (
    encode_texts,
    is_blank,
    looks_like_score,
    looks_like_verdict,
)
from sigarray.read._codes import (
    Coded,
    distinct,
    group_rows,
    read_numbers,
    repeat,
    split_rows,
)
from sigarray.read._frame import (
    MAX_LOOKED_AT,
    Frame,
    Names,
    Roles,
    SeveralMetricsError,
    UnknownMetricError,
    is_numeric,
    lacks_column,
    list_names,
    say_choice,
)
from sigarray.read._several_scores import advise_all, advise_first, advise_raters
from sigarray.read._text import NUMBER, TableError, refuse, say_means
from sigarray.read._words import HYPERPARAMETERS, RATERS, list_words, names_episodes

# Names of columns without case, spaces and punctuation, the most specific first.
_USUAL = {
    "model": """model modelname modelid system systemname method methodname algorithm
        algo agent agentname classifier approach architecture""",
    "item": """item itemid docid doc exampleid example sampleid instanceid questionid
        qid queryid promptid segmentid segid sentenceid sentid itemidx idx question
        prompt instance uid id""",
    "run": """run runid seed randomseed rngseed dataseed trial trialid repetition
        replicate repeat rep runname randomstate""",
    "task": """task taskname dataset datasetname benchmark game gamename env envid
        envname environment environmentid environmentname corpus""",
    "cluster": "cluster clusterid passageid documentid",
    "metric": "metric metricname measure",
    "score": "score scores value metricvalue",
    "step": "step globalstep trainingstep iteration epoch",
}
# What a run without a name has to rise by, so as not to be taken for others by chance.
_FEWEST = 3
# Names without case, spaces and punctuation.
_DOCUMENTS = ("docid", "doc")
_ITEMS = (
    *("question", "questionid", "qid", "query", "queryid", "segmentid", "segid"),
    *("sentenceid", "sentid", "exampleid", "example", "sampleid", "instanceid"),
    *("promptid", "instance", "itemidx", "idx", "prompt", "uid", "id"),
)


def find_roles(frame: Frame, chosen: Roles) -> dict[str, str]:
    """Return role -> column: as chosen, by the kind of file, or by usual names."""
    # A column that is chosen for one role has no other by the kind of file.
    said = {*chosen.values()}
    roles = {role: x for role, x in frame.roles.items() if x not in said}
    for role, name in chosen.items():
        if name not in frame.columns:
            if role == "run" and list_words(name) & RATERS:
                _refuse_columns_of_raters(frame, chosen)
            raise lacks_column(frame.source, name, frame.names_in_file, role)
        roles[role] = name
    taken = {*roles.values(), *(frame.metrics or ())}
    names = {name: squeeze(name) for name in frame.columns if name not in taken}
    has_ended = frame.kind.startswith("runs of ")  # at the step of their rows
    for role, usual in _USUAL.items():
        if role == "step" and has_ended:
            continue
        if role not in roles and role not in frame.constants:
            column = _find_usual(usual.split(), names)
            # In a table of runs, an id of one row is that of a run.
            if column is not None and not (
                role == "item"
                and "state" in {*roles, *names.values()}
                and names[column] in ("id", "uid")
                and len({*frame.columns[column]}) == len(frame.columns[column])
            ):
                roles[role] = column
                del names[column]
    if "model" not in {*roles, *frame.constants} and "run" in roles:
        roles |= _find_experiment(frame.columns, roles, names)
    if not frame.roles:
        roles = take_documents(frame.columns, roles, names, chosen)
    if "step" not in {*roles, *frame.constants} and not has_ended:
        column = find_step_column(frame.columns, roles, names)
        roles |= {} if column is None else {"step": column}
    return roles


def _find_experiment(
    columns: Mapping[str, Sequence[Any]], roles: Roles, names: Mapping[str, str]
) -> dict[str, str]:
    for name, word in names.items():
        if word in ("expname", "experimentname"):
            texts = [encode_texts(columns[x]) for x in (name, roles["run"])]
            n_models, n_runs = (group_rows(texts[:k])[1] for k in (1, 2))
            if 2 * n_models <= n_runs:
                return {"model": name}
    return {}


def _refuse_columns_of_raters(frame: Frame, chosen: Roles) -> None:
    roles = find_roles(frame, {x: y for x, y in chosen.items() if x != "run"})
    advice = advise_raters(frame, list_metrics(frame, roles), {*roles})
    if advice is not None:
        refuse(
            f"{frame.source} has no column {chosen['run']!r} (--run), but columns "
            f"{list_names(advice.columns, 4)}, which seem to have the ratings of one "
            f"rater each. To average them, pass {advice.options}."
        )


def guess_roles(names: Iterable[str]) -> dict[str, str]:
    return find_roles(Frame("", "", dict.fromkeys(names, ()), ()), {})


def is_long(frame: Frame, chosen: Roles) -> bool:
    """Tell whether a table has a row for each score, not a column for each model."""
    if "model" in chosen or "score" in chosen or frame.metrics is not None:
        return True
    column = find_roles(frame, {}).get("model")
    if column is None:
        return False
    filled = (x for x in frame.columns[column] if not is_blank(x))
    return not looks_like_score(next(filled, "0"))


def find_score(frame: Frame, roles: Roles, metric: str | None) -> str:
    names = list_metrics(frame, roles)
    if metric is not None and frame.metric is not None:
        match_metric(frame, metric, [frame.metric])
        metric = None
    if metric is not None and "metric" not in roles:
        known = names or [roles[x] for x in ("score",) if x in roles]
        return match_metric(frame, metric, known, [*frame.columns])
    if "score" in roles:
        return roles["score"]
    names = names or _list_verdicts(frame, roles)
    if len(names) == 1:
        return names[0]
    if not names:
        gone = [x for x, cells in frame.left_out.items() if x and is_numeric(cells)]
        without = f", without {list_names(gone)} (--where, --ignore)" if gone else ""
        msg = (
            f"{frame.source}, read as {frame.kind}: expected a column of numbers for "
            f"scores; got {list_names(frame.columns)}{without}. Name it with "
            "--score, and write scores as numbers alone."
        )
        of_means = (say_means(distinct(x)) for x in frame.columns.values())
        said = next(iter(frame.no_scores.values()), None)
        msg += next(filter(None, of_means), "")
        refuse(msg if said is None else f"{frame.source}: {said}")
    first = advise_first(frame, names, {*roles, *frame.constants})
    msg = (
        f"{frame.source}, read as {frame.kind}: expected one column of scores; got "
        f"{list_names(names)}. {first or say_choice(names)}"
    )
    # Several columns for items, or on tasks, are metrics of these.
    if not first and not {"item", "task"} & {*roles, *frame.constants}:
        msg += advise_all(names)
    msg += "."
    raise TableError(msg)


def match_metric(
    frame: Frame, metric: str, names: Names, others: Sequence[str] = ()
) -> str:
    """Return the name that stands for a metric.

    "acc" may be "eval/acc" or "acc,none"; others have to be the same.
    """
    if metric in (*names, *others):
        return metric
    of_tool, comma, rule = metric.partition(",")
    if of_tool in frame.no_scores:
        refuse(f"{frame.source}: {frame.no_scores[of_tool]}")
    if of_tool in frame.renamed:
        return match_metric(frame, f"{frame.renamed[of_tool]}{comma}{rule}", names)
    # Samples of one filter, which results name.
    for name, rule in frame.filters.items():
        if metric == f"{name},{rule}":
            return name
    ends = {name: re.split(r"[,/.:]", name, maxsplit=1)[-1] for name in names}
    endings = [name for name, end in ends.items() if end == metric]
    starts = [name for name in names if name.split(",")[0] == metric]
    for matches in (endings, starts):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise SeveralMetricsError(frame.source, metric, matches)
    msg = (
        f"{frame.source} has no metric {metric!r}.{suggest(metric, names)} Those in "
        f"it: {list_names(names)}."
    )
    raise UnknownMetricError(msg, frame, names)


def is_item_name(name: str) -> bool:
    names = (
        r"(item|question|example|query|problem|sentence|segment)s?(id|ids|idx|index)?"
        r"|(doc|instance|prompt|sent|seg|q)(id|ids|idx|index)"
    )
    return bool(re.fullmatch(names, squeeze(name)))


def names_runs(name: str) -> bool:
    return squeeze(name) in _USUAL["run"].split()


def list_metrics(frame: Frame, roles: Roles) -> list[str]:
    if frame.metrics is not None:
        return list(frame.metrics)
    return leave_out_settings(
        name
        for name, cells in frame.columns.items()
        if name not in ("", *frame.index, *roles.values())
        and not looks_like_index(name, ())
        and not name.startswith("_")
        and is_numeric(cells)
    )


def leave_out_settings(names: Iterable[str]) -> list[str]:
    """Leave out hyperparameters and numbers of episodes, unless there are no others."""
    every = list(names)
    ends = {x: squeeze(re.split(r"[./]", x)[-1]) for x in every}
    others = [x for x in every if not names_episodes(ends[x])] or every
    return [x for x in others if ends[x] not in HYPERPARAMETERS] or others


def _list_verdicts(frame: Frame, roles: Roles) -> list[str]:
    return [
        name
        for name, cells in frame.columns.items()
        if name not in roles.values()
        and any(not is_blank(x) for x in cells[:MAX_LOOKED_AT])
        and all(is_blank(x) or looks_like_verdict(x) for x in distinct(cells))
    ]


def _find_usual(usual: list[str], names: Mapping[str, str]) -> str | None:
    for word in usual:
        matches = [x for x, squeezed in names.items() if squeezed == word]
        if len(matches) == 1:
            return matches[0]
    return None


def find_step_column(
    columns: Mapping[str, Sequence[Any]], roles: Roles, names: Collection[str]
) -> str | None:
    """Return the one of some columns that counts the steps of each run, or None.

    By its name, and because each run has several numbers of it: those of other runs, or
    rising ones.
    """
    steps = [x for x in names if names_steps(x) and squeeze(x) not in HYPERPARAMETERS]
    # Fewer values of "t" may be temperatures.
    steps += [x for x in names if x == "t" and len({*columns[x]}) > 9]
    if not steps or ("item" in roles and not names_episodes(roles["item"])):
        return None
    known = [roles[x] for x in ("task", "model", "run", "metric", "item") if x in roles]
    factors, is_of_runs = [encode_texts(columns[x]) for x in known], "run" in roles
    for name in steps:
        ways = counts_steps, _repeats_steps
        if any(x(columns[name], factors, may_recur=is_of_runs) for x in ways):
            return name
    return None


def find_largest(values: Sequence[Any]) -> str | None:
    texts = [str(x) for x in values]
    if not texts or not all(map(NUMBER.fullmatch, texts)):
        return None
    return max(texts, key=float)


def counts_steps(
    cells: Sequence[Any], factors: Sequence[Coded], *, may_recur: bool
) -> bool:
    """Tell whether numbers differ in each run, and rise there.

    They need not rise, as in a sorted table, if they `may_recur` and most are of
    several runs; otherwise some run has three or more.
    """
    texts = encode_texts(cells)
    numbers = read_numbers(texts)
    if numbers is None:
        return False
    runs, n_runs = group_rows(factors or [repeat("", len(texts))])
    if group_rows([*factors, texts])[1] < len(runs) or n_runs == len(runs):
        return False
    if may_recur and 2 * len(texts.list_known()) <= len(runs):
        return True
    order = np.argsort(runs, kind="stable")
    is_same = np.diff(runs[order]) == 0
    is_long = may_recur or np.bincount(runs).max() >= _FEWEST
    return is_long and bool(np.all(np.diff(numbers[order])[is_same] > 0))


def _repeats_steps(
    cells: Sequence[Any], factors: Sequence[Coded], *, may_recur: bool
) -> bool:
    """Tell whether numbers are of several curves; of named ones, in few runs."""
    numbers = read_numbers(encode_texts(cells))
    if numbers is None:
        return False
    runs = [numbers[x] for x in split_rows(factors or [repeat("", len(numbers))])]
    again = [x for x in runs if not may_recur or len(np.unique(x)) < len(x)]
    is_usual = bool(again) and (not may_recur or 2 * len(again) < len(runs))
    return is_usual and all(map(_are_of_curves, again))


def _are_of_curves(numbers: np.ndarray) -> bool:
    """Tell whether numbers rise again and again, or are as often there, or less."""
    steps, counts = np.unique(numbers, return_counts=True)
    is_even = bool(np.all(np.diff(counts) <= 0)) and counts.max() > 1
    is_even &= 4 * len(numbers) > 3 * len(steps) * counts.max()
    n_curves = 1 + np.count_nonzero(np.diff(numbers) <= 0.0)
    return len(steps) >= _FEWEST and bool(is_even or 4 * n_curves <= len(numbers))


def take_documents(
    columns: Mapping[str, Sequence[Any]],
    roles: dict[str, str],
    names: Mapping[str, str],
    chosen: Roles,
) -> dict[str, str]:
    """Return the roles, with documents for clusters if another column names items."""
    if "cluster" in roles or "item" not in roles:
        return roles
    item, by_name = roles["item"], {y: x for x, y in names.items()}
    if "item" not in chosen and squeeze(item) in _DOCUMENTS:
        pairs = [(by_name[x], item) for x in _ITEMS if x in by_name]
    else:
        pairs = [(item, by_name[x]) for x in _DOCUMENTS if x in by_name]
    for name, document in pairs:
        if _is_within(columns[name], columns[document]):
            return {**roles, "item": name, "cluster": document}
    return roles


def _is_within(items: Sequence[Any], documents: Sequence[Any]) -> bool:
    of_items, of_documents = encode_texts(items), encode_texts(documents)
    n_items, n_documents = len(of_items.list_known()), len(of_documents.list_known())
    return n_documents < n_items == group_rows([of_items, of_documents])[1]


def refuse_steps_as_tasks(frame: Frame, chosen: Roles) -> None:
    task = chosen.get("task", "")
    if task not in frame.columns or not names_steps(task):
        return
    roles = find_roles(frame, chosen)
    steps = encode_texts(frame.columns[task])
    last = find_largest(steps.list_known())
    runs = [
        encode_texts(frame.columns[roles[x]]) for x in ("model", "run") if x in roles
    ]
    n_runs = group_rows(runs or [repeat("", len(steps))])[1]
    if last is not None and group_rows([*runs, steps])[1] > n_runs:
        refuse(
            f"{frame.source}, column {task!r}: expected tasks; got the steps of runs, "
            "at which the same runs are measured. Leave --task out, or name the column "
            "of tasks with it, so that the last step of each run is compared; or "
            f"choose one with --where {shlex.quote(f'{task}={last}')}."
        )
