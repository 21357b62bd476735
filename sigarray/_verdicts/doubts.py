"""What to doubt of scores: warnings, and notes that caution."""

import contextlib
from collections.abc import Iterable, Mapping

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.special import student_quantile
from sigarray._numeric.student import list_samples
from sigarray._plain_text import list_in_words, show_number
from sigarray._verdicts.aggregate_tests import refuse_scores, suits_quartiles
from sigarray._verdicts.asked import FEW_SCORES, Request
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.lacking import (
    HOW_TO_COMPARE,
    doubt_single_runs,
    list_few,
    list_matched,
    note_lacking,
)
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.overall import list_scales
from sigarray._verdicts.ranking import MAX_SHOWN
from sigarray._verdicts.sampled import count_units
from sigarray._verdicts.test import Test
from sigarray.read._frame import shorten
from sigarray.read._messages import Caution, RepeatedCaution, note, warn
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores


def advise_these_tasks(table: ScoreTable, over: OverTasks | None) -> list[str]:
    """Say how to decide over these tasks, if those like them are undecided.

    Not if runs on tasks are the same ones, of which a warning says what to do. If
    scores of tasks differ in scale, some would decide means alone.
    """
    if over is None or over.left_out or not _has_mean(table, over):
        return []
    if all(x.better is not None for x in over.pairs):
        return []
    what, options = f"{table.unit}s", ["--statistic mean"]
    scores = {
        name: np.concatenate([table.tasks[task][name] for task in over.tasks])
        for name in table.models
    }
    if table.clusters:
        what = "clusters of items"
    has_quartiles = not table.clusters and suits_quartiles(scores)
    if has_quartiles and min(map(len, scores.values())) >= FEW_SCORES:
        options.append("--statistic iqm")
    of_runs = []
    if has_quartiles:
        with contextlib.suppress(ValueError):
            refuse_scores(table, "improvement", over.tasks)
            of_runs = ["--statistic improvement"]
    said = list_in_words([*options, *of_runs], "or")
    if list_scales(over):  # of which the probability of improvement is the same
        said = f"{of_runs[0]}; or, " if of_runs else ""
        said += f"for scores on one scale, {list_in_words(options, 'or')}"
    return [
        f"Verdicts over tasks like these take the {len(over.tasks)} tasks for a sample "
        f"of such tasks. To ask which model is better on these {len(over.tasks)} tasks "
        f"alone, with other {what}, pass {said}."
    ]


# With fewer scores, or pairs or clusters (True), means of equal models are apart more
# often than the level says where one task varies most: its few df are estimated.
LEAST = {False: 3, True: 10}


def is_of_these_tasks(
    table: ScoreTable, request: Request, over: OverTasks | None
) -> bool:
    """Tell whether the means over these tasks are the answer.

    They are where tasks are too few for any verdict on others, if they have one scale,
    and if each model has `LEAST` scores on each. More models have a count of pairs.
    """
    sizes = count_units(table)
    return (
        over is not None
        and not over.can_decide
        and len(over.names) <= MAX_SHOWN
        and request.test_share is None
        and request.missing != "worst"
        and min(len(sizes[x][name]) for x in over.tasks for name in over.names)
        >= LEAST[table.is_paired or bool(table.clusters)]
        and ", " not in over.metric  # of several metrics there is no mean
        and not list_scales(over)
        and _has_mean(table, over)
    )


def _has_mean(table: ScoreTable, over: OverTasks) -> bool:
    if table.shares_runs:
        return False
    with contextlib.suppress(ValueError):
        refuse_scores(table, "mean", over.tasks)
        return True
    return False


_SHOWN = 3
# More scores than any rule for few scores applies to.
_MANY = 10**9


def doubt_constants(compared: Mapping[str, Comparison], test: Test) -> None:
    is_of_runs = next(iter(compared.values())).unit == "run"
    is_by_variance = test.says_nothing_of_constants(_MANY)
    if not is_by_variance and (not is_of_runs or test.is_paired):
        return  # exchanges of pairs need no variance
    # Task -> models, or pairs of them.
    pairs: dict[str, dict[tuple[str, ...], None]] = {}
    single: dict[str, dict[tuple[str, ...], None]] = {}
    smallest = _MANY
    for task, x in compared.items():
        for scores in _list_sampled(x):
            for names in _list_constants(
                scores, test.baseline, is_paired=test.is_paired
            ):
                smallest = min(smallest, *(len(scores[name]) for name in names))
                group = pairs if len(names) == 2 else single
                group.setdefault(task, {})[names] = None
    if not pairs and not single:
        return
    is_untested = bool(pairs) and test.says_nothing_of_constants(smallest)
    what = "differences" if test.is_paired else "scores"
    every = _name_by_task(single or pairs, has_pairs=test.is_paired, of=len(compared))
    said = f"The {what} of {every} do not vary"
    if is_untested:
        both = " of two such models" if single else ""
        said += (
            f", so that nothing is known of how others would: means{both} cannot be "
            "tested, and p counts as 1"
        )
    if single and is_by_variance:
        said += ", and their mean beside others counts as known without error"
    if is_of_runs:
        said += ". See that every run had a seed of its own"
        if single and not test.is_paired:
            said += (
                ". A number that is repeated, such as a published one, is no sample: "
                "leave the model out, and compare t_ci(scores) of others with the "
                f"number, as {HOW_TO_COMPARE}"
            )
    warn(f"{said}.")


# A score of 0 is odd if others lie this many times as far from it as from each other.
_FAR = 10.0


def doubt_zeros(compared: Mapping[str, Comparison]) -> None:
    odd: dict[str, dict[tuple[str, ...], None]] = {}
    for task, x in compared.items():
        for name, scores in x.scores.items():
            is_whole = isinstance(scores, np.ndarray) and not x.n_worst.get(name)
            if x.unit == "run" and is_whole and _has_odd_zero(scores):
                odd.setdefault(task, {})[name,] = None
    if odd:
        every = _name_by_task(odd, has_pairs=False, of=len(compared))
        warn(
            f"A score of {every} is 0, and the others are far from it. If that run "
            "crashed, delete that score, and then pass --missing drop or --missing "
            "worst; if 0 is what it reached, or what failing is worth, it counts."
        )


# The level of Grubbs's test of far runs, over all models and tasks. By tails of at most
# 3 degrees of freedom it names one in 0.1 % of tables of normal runs, or fewer, and, of
# runs of t with 5 degrees of freedom, in 0.2 %, for 3 to 100 runs.
_LEVEL_OF_FAR, _DF_OF_FAR = 0.001, 3


def note_far_runs(table: ScoreTable, *, has_worst: bool) -> None:
    if table.unit != "run" or table.missing == "keep":
        return
    samples = {
        (name, task): x
        for task, by in table.tasks.items()
        for name, x in by.items()
        if len(x) > 2 and not table.n_missing.get(task, {}).get(name)
    }
    said = []
    for (name, task), x in samples.items():
        k = _find_far(x, _LEVEL_OF_FAR / len(samples))
        if k is not None and (x[k] != 0.0 or not _has_odd_zero(x)):
            others = np.delete(x, k)
            ends = " to ".join(show_number(y, 3) for y in (min(others), max(others)))
            run = f", run {table.ids[task][name][k]!r}" if table.run_column else ""
            on = f", task {task!r}" if len(table.tasks) > 1 else ""
            said.append(f"{show_number(x[k], 3)} of {name!r}{on}{run} (others: {ends})")
    if said:
        msg = (
            "a run is further from all others of its model than chance allows, and "
            f"counts: {shorten(said, _SHOWN, '; ')}. If it crashed, delete that "
            f"score, and then pass --missing drop{' or --missing worst' * has_worst}; "
            "if it did not, it is a result, and has to stay"
        )
        note(Caution(msg))


def _find_far(x: np.ndarray, level: float) -> int | None:
    if not isinstance(x, np.ndarray):
        return None  # on the disk
    k = int(np.argmax(np.abs(x - np.mean(x))))
    others, n = np.delete(x, k), len(x)
    scale = float(np.std(others, ddof=1)) * (1.0 + 1.0 / (n - 1)) ** 0.5
    limit = -student_quantile(0.5 * level / n, min(n - 2, _DF_OF_FAR))
    is_far = np.ptp(others) > 0.0 and abs(x[k] - np.mean(others)) > limit * scale
    return k if is_far else None


def _has_odd_zero(scores: np.ndarray) -> bool:
    others = scores[scores != 0.0]
    if not len(others) < len(scores) < 2 * len(others):
        return False
    return bool(0.0 < _FAR * np.ptp(others) < np.min(np.abs(others)))


def _list_sampled(x: Comparison) -> list[Scores]:
    """Return the scores of models or pairs; of items in clusters, the means of these.

    If these do not vary, neither does the error of clusters.
    """
    matched = list_matched(x)
    if x.sampled is None:
        return matched
    return list(map(x.sampled.average_clusters, matched))


def _name_by_task(
    named: Mapping[str, Iterable[tuple[str, ...]]], *, has_pairs: bool, of: int
) -> str:
    said = []
    for task, groups in named.items():
        if has_pairs:
            texts = [" and ".join(map(repr, names)) for names in groups]
            listed = shorten(texts, _SHOWN, "; ")
        else:
            listed = list_few(repr(name) for names in groups for name in names)
        said.append(f"{listed} on {task!r}" if of > 1 else listed)
    return shorten(said, _SHOWN)


def doubt_pilot(scores: Scores, unit: str) -> None:
    flat = [name for name, x in scores.items() if _is_flat(x, least=1)]
    if flat:
        seeds = " See that every run had a seed of its own." if unit == "run" else ""
        if len(flat) == len(scores):
            msg = (
                f"Expected scores that vary, as a pilot for power; got {unit}s of "
                f"{list_few(map(repr, flat))} with the same score.{seeds}"
            )
            raise ValueError(msg)
        warn(
            f"The scores of {list_few(map(repr, flat))} do not vary: power, and "
            f"numbers of {unit}s, count on others that do not either.{seeds}"
        )


def _list_constants(
    scores: Scores, baseline: str | None, *, is_paired: bool
) -> Iterable[tuple[str, ...]]:
    """Yield the names of both models of a pair, or of the one that is constant.

    If a pair has equal scores on every run or item, that is no fault.
    """
    if not all(isinstance(x, np.ndarray) for x in scores.values()):
        return  # on the disk
    if not is_paired:
        flat = {name for name, x in scores.items() if _is_flat(x)}
        for pair in pairs_of(scores, baseline) if flat else ():
            if chosen := tuple(name for name in pair if name in flat):
                yield chosen
        return
    for pair in pairs_of(scores, baseline):
        x, y = (scores[name] for name in pair)
        (gaps,), rounding = list_samples(HOST, [x, y], paired=True)
        if len(gaps) > 1 and np.ptp(gaps) == 0.0 and abs(gaps[0]) > rounding:
            yield pair


def _is_flat(x: np.ndarray, least: int = 2) -> bool:
    (sample,), _ = list_samples(HOST, [x], paired=False)
    return len(sample) >= least and np.ptp(sample) == 0.0


def doubt_compared(
    compared: Mapping[str, Comparison], test: Test, over: OverTasks | None
) -> None:
    """`over` is None, too, where another verdict over tasks says of their scales."""
    doubt_constants(compared, test)
    doubt_zeros(compared)
    doubt_single_runs(compared)
    note_lacking(compared)
    for said in list_scales(over):
        note(RepeatedCaution(said))


def doubt_folds(table: ScoreTable) -> str:
    """Say that runs may be folds, which are not independent; "" of others."""
    if table.n_folds < 2 or table.unit != "run":
        return ""
    return (
        f"Scores of {table.run_column!r} look like those of folds on one data set, "
        "whose training data overlap: taken for independent runs, they claim too much."
    )


# Metrics of sums that tell how much there is in the reference.
_OF_REFERENCES = ("f1", "macro_f1", "recall", "word_error_rate")


def doubt_references(table: ScoreTable) -> None:
    name = getattr(getattr(table.statistic, "measure", None), "__name__", "")
    what = {"word_error_rate": "words"}.get(name, "positives, tp + fn,")
    odd: list[str] = []
    for task, by in table.sums.items() if name in _OF_REFERENCES else ():
        (first, x), *others = by.items()
        known = _count_references(name, x)
        for other, y in others:
            differ = np.any(_count_references(name, y) != known, axis=0)
            if n := int(np.sum(differ)):
                items = table.ids[task][first]
                on = f" on {task!r}" if len(table.tasks) > 1 else ""
                odd.append(
                    f"{other!r} and {first!r}{on} in {n} of {len(items)}, such as "
                    f"{items[int(np.argmax(differ))]!r}"
                )
    if odd:
        of_words = what == "words"
        warn(
            f"Items have other numbers of {what} for one model than for another, "
            f"though the reference is the same: {shorten(odd, _SHOWN, '; ')}. Where a "
            "model gave no answer, "
            + ("all words are errors." if of_words else "its positives are missed, fn.")
        )


def _count_references(name: str, sums: np.ndarray) -> np.ndarray:
    """Return what the reference has of each class in each item, from sums (d, n)."""
    if name == "word_error_rate":
        return sums[1:]
    n_classes = max(1, len(sums) // 3)
    return np.asarray(sums[:n_classes] + sums[-n_classes:])
