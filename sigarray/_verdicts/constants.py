"""Scores that do not vary: tests can say little or nothing about them."""

import warnings
from collections.abc import Iterable, Mapping

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.student import list_samples
from sigarray._plain_text import list_in_words
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.matched import list_matched
from sigarray._verdicts.test import Test
from sigarray.read._frame import shorten
from sigarray.read._wide import Scores

_SHOWN = 3
# More scores than any rule for few scores applies to.
_MANY = 10**9


def doubt_constants(compared: Mapping[str, Comparison], test: Test) -> None:
    """Warn once of scores that vary by no more than rounding."""
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
        of = ""
        if single:
            of = f" of {_name_by_task(pairs, has_pairs=True, of=len(compared))}"
        said += (
            f", so that nothing is known of how others would: means{of} cannot be "
            "tested, and p counts as 1"
        )
    if single and is_by_variance:
        others = " beside others" if is_untested else ""
        said += f", and their mean{others} counts as known without error"
    if is_of_runs:
        said += ". See that every run had a seed of its own"
        if single and not test.is_paired:
            said += (
                ". A number that is repeated, such as a published one, is no sample: "
                "leave the model out, and compare t_ci(scores) of others with the "
                "number, as docs/which_test.md says under A published number"
            )
    warnings.warn(f"{said}.", UserWarning, stacklevel=2)


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
    """List the models of each of so many tasks, or pairs of them, in a sentence."""
    said = []
    for task, groups in named.items():
        if has_pairs:
            texts = [" and ".join(map(repr, names)) for names in groups]
            listed = shorten(texts, _SHOWN, "; ")
        else:
            listed = _list_names([name for names in groups for name in names])
        said.append(f"{listed} on {task!r}" if of > 1 else listed)
    return shorten(said, _SHOWN)


def _list_names(names: Iterable[str]) -> str:
    """List names in a sentence, if there are many the first: "a, b and c"."""
    every = [repr(name) for name in dict.fromkeys(names)]
    if len(every) > _SHOWN:
        return f"{', '.join(every[:_SHOWN])} and {len(every) - _SHOWN} more"
    return list_in_words(every)


def doubt_pilot(scores: Scores, unit: str) -> None:
    """Warn of a pilot that does not vary: any number of scores would seem enough."""
    flat = [name for name, x in scores.items() if np.ptp(_list_one(x)[0]) == 0.0]
    if flat:
        seeds = " See that every run had a seed of its own." if unit == "run" else ""
        warnings.warn(
            f"The scores of {_list_names(flat)} do not vary: power, and numbers "
            f"of {unit}s, count on others that do not either.{seeds}",
            UserWarning,
            stacklevel=2,
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
        flat = {name for name, x in scores.items() if _is_flat(*_list_one(x))}
        for pair in pairs_of(scores, baseline) if flat else ():
            if chosen := tuple(name for name in pair if name in flat):
                yield chosen
        return
    for pair in pairs_of(scores, baseline):
        x, y = (scores[name] for name in pair)
        (gaps,) = list_samples(HOST, [x, y], paired=True)
        if _is_flat(gaps) and gaps[0] != 0.0:
            yield pair


def _list_one(x: np.ndarray) -> list[np.ndarray]:
    return list_samples(HOST, [x], paired=False)


def _is_flat(sample: np.ndarray) -> bool:
    return len(sample) > 1 and np.ptp(sample) == 0.0
