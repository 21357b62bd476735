"""Whether the scores of a table can be compared, and in which direction."""

import re
import shlex
from collections.abc import Sequence

import numpy as np

from sigarray._plain_text import list_in_words, show_number, squeeze
from sigarray._verdicts.doubts import doubt_references
from sigarray._verdicts.intervals import are_binary
from sigarray._verdicts.lacking import advise_single
from sigarray.read._frame import list_names, quote_names, shorten
from sigarray.read._lm_eval import AVERAGES, SAMPLES
from sigarray.read._messages import note, warn
from sigarray.read._other_columns import OF_SIZES
from sigarray.read._score_table import (
    Direction,
    ScoreTable,
    ask_about_tasks,
    contradict,
    find_direction,
)
from sigarray.read._trackers import CHART
from sigarray.read._wide import Scores
from sigarray.read._words import (
    METRICS,
    as_words,
    find_mixed,
    is_loss,
    is_never_negative,
    list_words,
    looks_like_loss,
    names_loss,
)

# Names of scores, without spaces and punctuation, that do not say what these are.
_SAY_NOTHING = as_words("score scores value values metricvalue result results")


def settle_direction(table: ScoreTable, said: Direction) -> bool | None:
    """Return whether higher is better: as said now, or as the table was read."""
    tasks = list(filter(None, table.tasks))
    found = find_direction(said, table.metric, table.source, tasks)
    known = table.higher_is_better
    if known is None or found in (None, known):
        return known if found is None else found
    raise contradict(
        table.source, table.metric, is_higher=known, by="the scores were read"
    )


def inspect_direction(table: ScoreTable, direction: bool | None, gate: str) -> None:
    if direction:
        return
    names = table.metric.split(", "), list(table.tasks)
    if direction is not None:
        _refuse_negated(table)
        _refuse_mixed(table, *(list(filter(_is_known, x)) for x in names))
        return
    _refuse_mixed(table, *names)
    name = _find_loss(table)
    if name is not None:
        msg = (
            f"{table.source}: expected the direction of {name!r}, which seems to be a "
            "loss; got none. Pass --lower-is-better, or --higher-is-better where "
            "higher ones are better."
        )
        raise ValueError(msg)
    name = _name_scores(table)
    if not looks_like_loss(name):
        return
    if gate:
        msg = (
            f"Expected the direction of {name!r}, which may be a loss, for "
            f"--fail-unless-better {gate}; got none. Pass --lower-is-better or "
            "--higher-is-better."
        )
        raise ValueError(msg)
    warn(
        f"{name!r} may be a loss, and higher ones were taken for better: pass "
        "--lower-is-better where it is, or --higher-is-better."
    )


def _refuse_negated(table: ScoreTable) -> None:
    samples = [x for by in table.tasks.values() for x in by.values()]
    if not all(map(is_never_negative, table.metric.split(", "))) or not all(
        isinstance(x, np.ndarray) and x.size and x.max() <= 0 for x in samples
    ):
        return
    least = min(float(x.min()) for x in samples)
    if least < 0:
        msg = (
            f"{table.source}: expected values of {table.metric!r} of zero or more, of "
            f"which lower is better; got none above zero, and {least:g}: as of negated "
            "losses and of log-likelihoods, of which higher is better. Pass "
            "--higher-is-better, or write them without the sign."
        )
        raise ValueError(msg)


def _refuse_mixed(
    table: ScoreTable, metrics: Sequence[str], tasks: Sequence[str]
) -> None:
    mixed = find_mixed(metrics)
    if mixed is not None:
        loss, other = mixed
        msg = (
            f"{table.source}: expected scores of one direction; got {loss!r}, "
            f"which may be a loss, beside {other!r}. Choose one with --metric, or "
            "tasks of one with --tasks."
        )
        raise ValueError(msg)
    lower = [x for x in tasks if names_loss(x)]
    others = [x for x in tasks if x not in lower]
    if lower and others and not _is_known_loss(table.metric):
        raise ask_about_tasks(table.source, lower, others)


def _find_loss(table: ScoreTable) -> str | None:
    """Return a name by which the scores are losses, hardly with a doubt."""
    losses = [x for x in table.metric.split(", ") if is_loss(x)]
    if not losses and not _is_known_loss(table.metric):
        losses = [x for x in filter(None, table.tasks) if names_loss(x)]
    if not losses and _says_nothing(table.metric):
        of_rows = [x for by in table.where.values() if len(by) == 1 for x in by]
        losses = [x for x in (*of_rows, _name_file(table)) if names_loss(x)]
        # Columns by model and metric: a_loss, b_loss.
        ends = {re.split(r"[_./:]", x)[-1] for x in table.models if x[-1:].isalpha()}
        if not losses and len(ends) == 1 and names_loss(*ends):
            losses = [x for x in table.models if x not in ends][:1]
    return losses[0] if losses else None


def _name_scores(table: ScoreTable) -> str:
    if not _says_nothing(table.metric):
        return table.metric
    for names in (table.models, list(table.tasks)):
        if all(map(looks_like_loss, names)):
            return names[0]
    # In names of files, "crash" or "miss" is said of other things, too.
    name = _name_file(table)
    return name if is_loss(name) else table.metric


def _name_file(table: ScoreTable) -> str:
    """Return the name of the file, or "" if a model or a task names no loss."""
    known = filter(_is_known, (*table.models, *table.tasks))
    if any(not looks_like_loss(x) for x in known):
        return ""
    return re.split(r"[/\\]", table.source)[-1].partition(".")[0]


def _is_known_loss(metric: str) -> bool:
    return _is_known(metric) and looks_like_loss(metric)


def _is_known(metric: str) -> bool:
    return not _says_nothing(metric) and bool(list_words(metric) & METRICS)


def _says_nothing(metric: str) -> bool:
    return squeeze(metric) in _SAY_NOTHING


# Percentages of one metric on one task differ by at most this factor.
_SAME_SIZE = 4.0
# Metrics that have no percentages.
_OF_ANY_SIZE = as_words("return returns reward rewards perplexity ppl")
# Two models may well have fewer scores, or right and wrong answers, that are the same.
_FEW_SCORES, _FEW_ANSWERS = 3, 20
# Models that are named in a warning.
_SHOWN = 3


def inspect_table(
    table: ScoreTable, *, direction: bool | None, is_vouched: bool, gate: str
) -> None:
    """Refuse, or warn of, scores of different scales or in another direction.

    `direction` is None if it was not given, and `is_vouched` is true if the unit of
    scores was. `gate` names a model whose verdict decides something, or is empty.
    """
    _refuse_single_scores(table)
    inspect_direction(table, direction, gate)
    _check_scales(table, is_vouched=is_vouched, is_lower=direction is False)
    _doubt_copies(table)
    doubt_references(table)
    _say_hundreds(table)
    _doubt_worst(table, is_higher=direction is not False)


def _refuse_single_scores(table: ScoreTable) -> None:
    sizes = [len(x) for by in table.tasks.values() for x in by.values()]
    if len(table.models) < 2 or max(sizes) > 1:
        return
    of, advice = "", "Run each model with more seeds, or pass scores of items."
    if table.kind == AVERAGES:
        advice = f"Pass {SAMPLES}."
    if table.kind == CHART:
        pattern = quote_names([f"{{model}}_{{run}} - {table.metric}"])
        advice = (
            f"The columns were taken for {len(table.models)} models of one run each: "
            f"{list_names(table.models, 3)}. If their names are of models and runs, "
            f"say how with --columns {pattern}; else export the table of runs, with "
            "a column of models, and name that with --model."
        )
    if len(table.tasks) > 1:
        of = " on each task"
    if len(table.tasks) > 1 and not table.metrics:
        way = "the column that names them as --item, such as --item task"
        if table.task_column is not None:
            column = shlex.quote(table.task_column)
            way = f"--item {column}, without --task"
        advice += (
            " Where tasks stand for others like them, compare models over tasks: pass "
            f"{way}."
        )
    msg = (
        f"{table.source}: expected several scores of each model{of}; got one of each, "
        f"of which none can be called better. {advice}"
    )
    raise ValueError(msg)


def _check_scales(table: ScoreTable, *, is_vouched: bool, is_lower: bool) -> None:
    fault = _compare_scales(table) or _find_other_scale(table)
    if fault is None and not is_lower:
        fault = _compare_tasks(table)
    if fault is None:
        return
    if is_vouched:
        warn(fault)
        return
    unit = "run" if table.unit == "run" else "item"
    msg = (
        f"{fault} Write all in percent, or all as shares of 1; or, where they are "
        f"neither, as losses and returns of games, pass --unit {unit}, which takes "
        "these numbers as they are."
    )
    raise ValueError(msg)


def _compare_scales(table: ScoreTable) -> str | None:
    for task, by in table.tasks.items():
        ends = {name: (float(x.min()), float(x.max())) for name, x in by.items()}
        shares = [x for x, (low, high) in ends.items() if low >= 0.0 and high <= 1.0]
        percent = [x for x, (low, high) in ends.items() if low > 1.5 and high <= 100.0]
        if shares and percent and len(shares) + len(percent) == len(ends):
            a, b = shares[0], percent[0]
            place = f" on {task!r}" if task else ""
            msg = (
                f"Scores of {a!r} are at most 1, and those of {b!r} above "
                f"1.5{place}: are they of one scale?"
            )
            ratio = 100.0 * float(np.median(by[a])) / float(np.median(by[b]))
            if 0.5 < ratio < 2.0:
                return msg
            is_doubted = any(OF_SIZES in doubt for doubt in table.doubts)
            # Percentages are seldom as small as shares are.
            if 0.1 < ratio < 10.0 and not is_doubted:
                warn(msg)
    return None


def _compare_tasks(table: ScoreTable) -> str | None:
    words = list_words(table.metric)
    if table.unit != "run" or table.metrics or words & _OF_ANY_SIZE:
        return None
    every = {x: np.concatenate(list(by.values())) for x, by in table.tasks.items()}
    shares = [x for x, y in every.items() if y.min() > 0.0 and y.max() <= 1.0]
    percent = [x for x, y in every.items() if y.min() > 1.5 and y.max() <= 100.0]
    if not shares or not percent or len(shares) + len(percent) < len(every):
        return None
    low, high = (np.median([np.median(every[x]) for x in y]) for y in (shares, percent))
    if not high < _SAME_SIZE * 100.0 * low < _SAME_SIZE**2 * high:
        return None
    return (
        f"Scores on {list_names(shares, 3)} are at most 1, and those on "
        f"{list_names(percent, 3)} above 1.5: are they of one scale?"
    )


def _find_other_scale(table: ScoreTable) -> str | None:
    """Return a fault if a task has shares beside percentages: 0.93 among 91.2.

    The percentages are of one size, which returns of games are not, and each of the
    fewer scores is, in percent, within the range of the others. Answers that are 1 and
    100, and 0, are of both.
    """
    for task, by in table.tasks.items():
        every = np.concatenate(list(by.values()))
        every = every[every != 0.0]
        is_share = (every > 0.0) & (every <= 1.0)
        shares, others = 100.0 * every[is_share], every[~is_share]
        if not len(shares) or not len(others) or others.min() <= 1.5:
            continue
        few, many = sorted([shares, others], key=len)
        width = float(np.ptp(many) + np.ptp(few))
        is_near = (few >= many.min() - width) & (few <= many.max() + width)
        is_of_one_size = many.max() <= min(100.0, _SAME_SIZE * many.min())
        # One item of a hundred is 1 percent, too.
        is_apart = shares.min() < 100.0 and 10.0 * shares.max() < 100.0 * others.min()
        are_marks = shares.min() == others.min() == others.max() == 100.0
        if are_marks or (is_of_one_size and is_apart and is_near.all()):
            odd = shares[0] / 100.0 if len(shares) <= len(others) else others[0]
            name = next(x for x, y in by.items() if np.any(np.isclose(y, odd)))
            place = f" on {task!r}" if task else ""
            among = every[is_share != (odd <= 1.0)]
            ends = (show_number(x, 6) for x in (among.min(), among.max()))
            scale = " to ".join(dict.fromkeys(ends))
            return (
                f"{table.source}: expected scores of one scale{place}; got "
                f"{show_number(odd, 6)} of {name!r} among scores of {scale}."
            )
    return None


def _say_hundreds(table: ScoreTable) -> None:
    if table.unit != "item" or table.statistic is not None:
        return
    every = [x for by in table.tasks.values() for x in by.values()]
    are_hundreds = all(bool(np.all((x == 0.0) | (x == 100.0))) for x in every)
    if are_hundreds and any(x.any() for x in every):
        note(
            f"{table.source}: all scores are 0 or 100, and are taken for numbers: "
            "write 0 and 1 for intervals and tests of shares."
        )


def _doubt_copies(table: ScoreTable) -> None:
    """Warn of models with the same scores in the same order, unless these are few.

    Scores that do not vary may be the same by chance, and so may answers to few items.
    """
    same: list[str] = []
    for task, by in table.tasks.items():
        groups: dict[bytes, list[str]] = {}
        for name, x in by.items():
            is_by_chance = len(x) < (_FEW_ANSWERS if are_binary(x) else _FEW_SCORES)
            if np.ptp(x) > 0.0 and not is_by_chance:
                groups.setdefault((x + 0.0).tobytes(), []).append(name)
        on = f" on {task!r}" if len(table.tasks) > 1 else ""
        same += [
            f"{' and '.join(map(repr, x))}{on}" for x in groups.values() if len(x) > 1
        ]
    if same:
        warn(
            f"These models have the same scores in the same order: "
            f"{shorten(same, _SHOWN, '; ')}. Is a column, or a file, a copy of another "
            "one?"
        )


def _doubt_worst(table: ScoreTable, *, is_higher: bool) -> None:
    missing = {task: by for task, by in table.n_missing.items() if any(by.values())}
    if table.missing != "worst" or not missing:
        return
    n = sum(sum(by.values()) for by in missing.values())
    scores = "1 missing score counts" if n == 1 else f"{n} missing scores count"
    said = []
    for task, by in missing.items():
        every = np.concatenate(list(table.tasks[task].values()))
        worst = float(every.min() if is_higher else every.max())
        of = list_in_words([repr(x) for x in table.tasks[task] if by.get(x)])
        shown = show_number(worst, 6)
        said.append(f"{shown}{f' on {task!r}' if task else ''} ({of})")
    bound = "0" if is_higher else "the loss of a guess"
    warn(
        f"--missing worst: {scores} as the worst score of any run, "
        f"{shorten(said, _SHOWN, '; ')}. A failed run may be worth less: "
        "differences may be too small, and intervals too short. "
        f"Where the metric has a worst value, such as {bound}, write that."
    )


def check_sizes(source: str, scores: Scores) -> None:
    for name, column in scores.items():
        if len(column) < 2:
            msg = (
                f"{source}: expected two scores or more of {name!r}; got "
                f"{len(column)}. {advise_single(name, len(scores))}"
            )
            raise ValueError(msg)
