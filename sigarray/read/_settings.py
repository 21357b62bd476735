"""Doubt scores by columns: settings that differ, and groups that items share."""

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np

from sigarray._backend.given import looks_like_index, names_steps
from sigarray._plain_text import quote, squeeze
from sigarray.read._cells import encode_texts, find_blank, looks_like_score
from sigarray.read._codes import Coded, find_first, group_rows, repeat, take
from sigarray.read._frame import Frame, Names, Roles, list_names, shorten
from sigarray.read._messages import Caution, DoubtOfGroups, put_place
from sigarray.read._records import Records, find_column
from sigarray.read._roles import find_largest
from sigarray.read._words import (
    HYPERPARAMETERS,
    METRICS,
    RATERS,
    TASKS,
    as_words,
    list_words,
    measures_quality,
    names_clusters,
    names_raters,
)

# Columns of trackers that describe a run, and not what was run.
_OF_RUNS = as_words("""
    state notes user tags created updated runtime sweep group jobtype hostname gputype
    gpucount endtime host artifacturi experimentid starttime status duration
    datetimestart datetimecomplete device commit rev version gpu node nodename machine
    worker gitsha gitcommit sha slurmjob slurmjobid jobid
""")
_MAX_SHOWN = 4
# Words for what models were tested on, or by whom: scores of others do not compare.
_DATA = as_words("""
    data datasets tasks benchmarks suite subset subsets split splits partition fold
    folds domain version language languages lang locale testset evalset
""")
_TESTED_ON = _DATA | TASKS | RATERS
# With one of these it says how a model was made, or what it is called.
_OF_MODELS = as_words("""
    model models method train training trained pretrain pretraining pretrained
    finetuning finetuned code library software package torch python cuda driver
    framework
""")
_NAMES = as_words("model models method name id label algorithm")
# The most rows of a model, or cells of a column, by which it is told what a column is.
_MAX_LOOKED_AT = 50
# Independent items lead to a doubt in as many cases, or fewer.
_LEVEL = 0.01
# Of equal models, of which 6 raters prefer some by 0.3 (of a noise of 0.8), 16 to 40 %
# of data had a verdict, and 4 to 9 % one without this doubt (8 to 12 % by a level of
# 0.01); without such preferences, 2 to 6 % had the doubt. It is found in 40 to 85 %.
_LEVEL_OF_RATERS = 0.05
_N_DRAWN = 199
# The most scores that get signs: 50 ms.
_MAX_DRAWN = 30_000
# Scores (models, units), a label of each unit, and its block; None if each is one.
Part = tuple[np.ndarray, Sequence[Any] | np.ndarray, np.ndarray | None]


def say_settings(
    frame: Frame, roles: Roles, score: str, models: Coded, rows: np.ndarray
) -> tuple[list[str], list[str]]:
    """Say in which columns the runs of one model differ, and how to tell them apart.

    Such a column is named as a setting is, or its values come again in other runs.
    Return at most one note, and these columns.
    """
    if {"item", "step"} & {*roles} or not {"model", "run"} <= {*roles}:
        return [], []
    runs = encode_texts(take(frame.columns[roles["run"]], rows))
    n_runs = group_rows([models, runs])[1]
    found = []
    for name, cells in frame.columns.items():
        if name in (*roles.values(), score) or not may_be_setting(name):
            continue
        texts = encode_texts(take(cells, rows))
        if len(texts.list_known()) >= n_runs and squeeze(name) not in HYPERPARAMETERS:
            continue  # each run has its own
        if do_models_differ(name, models, texts):
            filled = np.flatnonzero(texts.codes >= 0)
            found.append((name, _find_first(models[filled], texts[filled])))
    if not found:
        return [], []
    columns = [x for x, _ in found]
    name, (model, values) = found[0]
    texts = encode_texts(take(frame.columns[name], rows))
    shared = list_shared(models, texts) or values
    value = find_largest(shared) or shared[0]
    note = Caution(
        f"runs of one model differ in {list_names(columns, _MAX_SHOWN)}, "
        f"and were taken together: those of {model!r} have {name} "
        f"{shorten(values, _MAX_SHOWN)}. If these are models of their own, pass "
        f"--model {shlex.quote(','.join((roles['model'], name)))}; or take some with "
        f"--where {shlex.quote(f'{name}={value}')}"
    )
    return [note], columns


def may_be_setting(name: str) -> bool:
    """Tell by its name whether a column may say how a run was made."""
    word = squeeze(name)
    if not name or word in _OF_RUNS or name.startswith(("_", "tags.", "system/")):
        return False
    # Where others have the step at which a run ended, these say for how long it ran.
    is_total = names_steps(name) and word.startswith(("n", "total"))
    if looks_like_index(name, ()) and not is_total:
        return False
    return word in HYPERPARAMETERS or not list_words(name) & METRICS


def do_models_differ(name: str, models: Coded, texts: Coded) -> bool:
    """Tell whether runs of one model have several values of what may be a setting."""
    filled = np.flatnonzero(texts.codes >= 0)
    known, of_models = texts[filled], models[filled]
    n_values = len(known.list_known())
    is_repeated = 2 * n_values <= len(filled)
    if n_values < 2 or not (is_repeated or squeeze(name) in HYPERPARAMETERS):
        return False
    return group_rows([of_models, known])[1] > len(of_models.list_known())


def list_shared(models: Coded, texts: Coded) -> list[str]:
    by = [{*texts[models.find([x])].list_known()} for x in models.list_known()]
    shared = {*texts.list_known()}.intersection(*by) - {None}
    return [str(x) for x in texts.list_known() if x in shared]


def _find_first(models: Coded, texts: Coded) -> tuple[str, list[str]]:
    for model in models.list_known():
        values = texts[models.find([model])].list_known()
        if len(values) > 1:
            break
    return str(model), [str(x) for x in values]


def say_confounds(records: Records, source: str) -> list[str]:
    """Say in which columns models differ, too, so that a difference may be theirs.

    All scores of a model have one value of such a column, at least on each task. By its
    name, it is of data or of raters, and readers are warned of it; or it describes the
    models, as their sizes do, and a note names all of these.
    """
    found = [
        (name, x)
        for name in _list_columns(records)
        if (x := _find_values(records, name)) is not None
    ]
    notes = [
        put_place(source, _warn(name, models, texts))
        for name, (models, texts) in found
        if says_data(name)
    ]
    others = [name for name, _ in found if not says_data(name)]
    if others:
        listed = list_names(others, _MAX_SHOWN)
        notes.append(
            f"{source}: models differ in {listed}, too, of which all scores of a model "
            "have one value: differences may be due to these"
        )
    return notes


def says_data(name: str) -> bool:
    """Tell by its name whether a column says what models were tested on, or by whom."""
    words = list_words(name)
    describes = squeeze(name) in HYPERPARAMETERS or bool(words & _OF_MODELS)
    return bool(words & _TESTED_ON) and not describes


def _list_columns(records: Records) -> list[str]:
    """List the columns that may be confounded; of a tool's, those of data alone."""
    names: dict[str, None] = {}
    has_items = records.has("item")
    for k in np.unique(records.files):
        frame, roles = records.frames[k], records.roles[k]
        used = {y for x in roles.values() for y in (x, *x.split(","))}
        used |= {records.metrics[k], *(frame.metrics or ())}
        is_of_tool = frame.metrics is not None or frame.kind.startswith("runs of ")
        for name in frame.columns:
            is_name = bool(list_words(name) & _NAMES) or name.startswith("_")
            if not name or name in used or measures_quality(name):
                continue
            if has_items and names_raters(name):
                continue  # Other raters of each model are warned of as such.
            if says_data(name) or not (is_of_tool or is_name):
                names[name] = None
    return list(names)


def _find_values(records: Records, name: str) -> tuple[Coded, Coded] | None:
    """Return the models and values of a column if models differ in it, or None."""
    if _varies_at_once(records, name):
        return None
    records, texts = records.take_texts(name)
    filled = np.flatnonzero(texts.codes >= 0)
    texts, models = texts[filled], records.factors["model"][filled]
    tasks = records.factors["task"][filled]
    for strata in (repeat(None, len(filled)), tasks):
        groups, n_groups = group_rows([strata, models])
        if n_groups and np.bincount(groups).min() > 1:
            is_one_value = group_rows([strata, models, texts])[1] == n_groups
            is_several = group_rows([strata, texts])[1] > group_rows([strata])[1]
            if is_one_value and is_several:
                return models, texts
    return None


def _varies_at_once(records: Records, name: str) -> bool:
    """Tell whether the first scores of a model on a task have several values."""
    files = np.unique(records.files)
    first = next(k for k in files if records.frames[k].find(name) is not None)
    same = records.files == first
    for role in ("model", "task"):
        codes = records.factors[role].codes
        same &= codes == codes[np.argmax(records.files == first)]
    rows = records.rows[np.flatnonzero(same)[:_MAX_LOOKED_AT]]
    texts = encode_texts(take(records.frames[first].find(name), rows))
    return len({*texts.codes.tolist()} - {-1}) > 1


def _warn(name: str, models: Coded, texts: Coded) -> Caution:
    """Warn of a column of data, with the values of the first models."""
    of_models = {
        str(x): [str(y) for y in texts[models.find([x])].list_known()]
        for x in models.list_known()
    }
    said = [f"{quote(x)} {list_names(y, 2)}" for x, y in of_models.items()]
    return Caution(
        f"models differ in {name!r}, too, so that a difference may be due to it: "
        f"{shorten(said, _MAX_SHOWN)}. Compare them on the same, by --where "
        f"{name}=VALUE; or pass --ignore {name} where it tells models apart and not "
        "what they were tested on"
    )


def say_groups(
    records: Records, tasks: Sequence[Any], source: str
) -> tuple[Names, Names]:
    """Return a note, or a doubt, of columns that may group items without clusters.

    It is a doubt if differences between models depend on the group, or on raters.
    """
    of_raters = _doubt_raters(records, tasks, source)
    if of_raters or records.has("cluster") or not records.has("item"):
        return [], of_raters
    groups = {
        name: None
        for k in np.unique(records.files)
        for frame, roles in [(records.frames[k], records.roles[k])]
        if frame.metrics is None
        for name in frame.columns
        if name not in {*roles.values(), records.metrics[k]} - {roles.get("rater")}
        and groups_items(frame, roles, name)
    }
    alike = [x for x in groups if are_alike(tasks, x)]
    names = alike or [*groups]
    cluster, task, ignore = (
        " or ".join(f"--{role} {shlex.quote(x)}" for x in names[:4])
        for role in ("cluster", "task", "ignore")
    )
    fixed = f". If they are fixed, as subjects are, pass {task}, with --statistic mean"
    fixed = "" if records.has("task") else fixed
    listed = list_names(names, 4)
    sampled = "as documents are, items of one are not independent"
    if alike:
        doubt = DoubtOfGroups(
            f"{source}: the differences between models depend on {listed}, more than "
            f"by chance. If such groups were sampled, {sampled}, and verdicts claim "
            f"too much: pass {cluster}{fixed}. {ignore} takes items as independent"
        )
        return [], [doubt]
    note = f"{listed} may group the items. If the groups were sampled, {sampled}: pass "
    return [f"{note}{cluster}{fixed}"] if groups else [], []


def _doubt_raters(records: Records, tasks: Sequence[Any], source: str) -> Names:
    """Doubt verdicts on these raters, if differences between models depend on them.

    Signs are of items. With raters for items, 0 to 8 % of data of equal models had a
    verdict, however the ratings vary.
    """
    column = find_column(records, "rater")
    is_used = any(column in x.columns for x in records.list_frames())
    if column is None or not (is_used and names_raters(column)):
        return []
    parts = [_list_ratings(x.records, [*x.scores]) for x in tasks]
    return doubt_parts(parts, source, column, find_column(records, "item") or "")


def doubt_parts(parts: Sequence[Part], source: str, column: str, item: str) -> Names:
    if not exceed_signs(parts, _LEVEL_OF_RATERS):
        return []
    return [
        f"{source}: the differences between models depend on {column!r}, more than by "
        "chance, and verdicts are on these raters alone. For verdicts on other raters, "
        f"and these items, pass --unit item --item {shlex.quote(column)} --run "
        f"{shlex.quote(item)}"
    ]


def _list_ratings(records: Records, models: Names) -> Part:
    """Return ratings (models, cells) of items by raters of all models, as residuals.

    They are those from the mean of the item and model, with their raters and items.
    """
    is_known = records.factors["rater"].codes >= 0
    records = records.take(np.flatnonzero(is_known)[:_MAX_DRAWN])
    cells, n_cells = records.group("item", "rater")
    table = np.full((len(models), n_cells), np.nan)
    for scores, model in zip(table, models, strict=True):
        is_its = records.factors["model"].find([model])
        scores[cells[is_its]] = records.scores[is_its]
    is_whole = ~np.isnan(table).any(axis=0)
    firsts, table = find_first(cells, n_cells)[is_whole], table[:, is_whole]
    raters, items = (records.factors[x].codes[firsts] for x in ("rater", "item"))
    return center_ratings(table, raters, items)


def center_ratings(table: np.ndarray, raters: np.ndarray, items: np.ndarray) -> Part:
    sizes = np.maximum(np.bincount(items), 1)
    means = np.stack([np.bincount(items, x) for x in table]) / sizes
    return np.round(table - means[:, items], 12), raters, items


def are_alike(tasks: Sequence[Any], column: str) -> bool:
    """Tell whether items are alike that have one value in a column."""
    parts: list[Part] = []
    for joined in tasks:
        having, texts = joined.records.take_texts(column)
        items = having.factors["item"]
        first = find_first(items.codes, len(items.values) + 1)
        codes = dict(zip(items.values, texts.codes[first].tolist(), strict=False))
        names, x = match_scores(joined)
        parts.append((x, [codes.get(name, -1) for name in names], None))
    return exceed_signs(parts)


def exceed_signs(parts: Sequence[Part], level: float = _LEVEL) -> bool:
    """Tell whether the sums of differences by label vary more than by chance."""
    squares, generator = np.zeros(_N_DRAWN + 1), np.random.default_rng(0)
    for scores, labels, blocks in parts:
        if len(scores) < 2 or not scores.size:
            continue  # groups of a single model differ in how hard they are
        x = scores - np.mean(scores, axis=0)
        x = x - np.mean(x, axis=1, keepdims=True)
        codes = np.unique(labels, return_inverse=True)[1]
        order = np.argsort(codes)
        starts = np.flatnonzero(np.diff(codes[order], prepend=-2))
        sizes = np.diff([*starts, len(codes)])
        x = x[:, order] / (np.std(x) or 1.0)
        places = order if blocks is None else blocks[order]
        signs: Any = 1.0
        for k in range(len(squares)):
            sums = np.add.reduceat(x * signs, starts, axis=1)
            squares[k] += np.sum(sums * sums / sizes)
            signs = 1.0 - 2.0 * generator.integers(0, 2, np.max(places) + 1)[places]
    n_beyond = np.count_nonzero(squares >= squares[0] * (1.0 - 1e-9))
    return bool(n_beyond <= level * len(squares))


def match_scores(joined: Any) -> tuple[Names, np.ndarray]:
    """Return the first items, or runs, that all models have, and their scores."""
    size = max(1, _MAX_DRAWN // len(joined.scores))
    first, *others = joined.ids.values()
    if all(ids == first for ids in others):
        x = np.stack([*joined.scores.values()])
        return first[:size], x[:, :size]
    places = [{name: k for k, name in enumerate(ids)} for ids in joined.ids.values()]
    names = [x for x in first if all(x in by for by in places)][:size]
    pairs = zip(joined.scores.values(), places, strict=True)
    return names, np.stack([x[[by[y] for y in names]] for x, by in pairs])


def groups_items(frame: Frame, roles: Roles, column: str) -> bool:
    """Tell whether a column has one value for each item, and groups items."""
    cells = frame.columns[column]
    if "item" not in roles or find_blank(cells).any():
        return False
    are_numbers = isinstance(cells, np.ndarray) or all(
        map(looks_like_score, cells[:_MAX_LOOKED_AT])
    )
    if are_numbers and not names_clusters(column):
        return False
    names = [roles[role] for role in ("task", "item") if role in roles]
    items, texts = [encode_texts(frame.columns[x]) for x in names], encode_texts(cells)
    n_items, n_texts = group_rows(items)[1], len(texts.list_known())
    return 2 <= n_texts <= n_items // 2 and group_rows([*items, texts])[1] == n_items
