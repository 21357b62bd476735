"""One method line for several tasks, which says once what holds for all of them."""

from collections.abc import Mapping, Sequence

from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.intervals import FEWER_DEGREES

_BETWEEN = ". "
_MAX_NAMED = 3
# Says itself where it holds, and so may be said of all tasks.
_WHERE_SIZES_DIFFER = f", {FEWER_DEGREES}"


def join_methods(methods: Mapping[str, str]) -> str:
    """Return the sentences of the method lines of all tasks, each of them once.

    Those of some tasks say of which.
    """
    by_task = {
        task: method.split(_BETWEEN) if method else []
        for task, method in methods.items()
    }
    by_task = _share_clauses(by_task)
    tasks: dict[str, list[str]] = {}
    for task, sentences in by_task.items():
        for sentence in sentences:
            tasks.setdefault(sentence, []).append(task)
    return _BETWEEN.join(
        f"{_say_where(tasks[sentence], list(methods))}{sentence}"
        for sentence in _merge(list(by_task.values()))
    )


def _share_clauses(by_task: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the sentences, with a clause in all that have it on any task."""
    longest: dict[str, str] = {}
    for sentences in by_task.values():
        for x in sentences:
            plain = x.replace(_WHERE_SIZES_DIFFER, "")
            longest[plain] = max(longest.get(plain, ""), x, key=len)
    return {
        task: [longest[x.replace(_WHERE_SIZES_DIFFER, "")] for x in sentences]
        for task, sentences in by_task.items()
    }


def _merge(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return all sentences, each before that which it precedes on a task."""
    merged: list[str] = []
    for sentences in sorted(lists, key=lists.count, reverse=True):
        place = len(merged)
        for x in reversed(sentences):
            if x in merged:
                place = merged.index(x)
            else:
                merged.insert(place, x)
    return merged


def _say_where(tasks: Sequence[str], every: Sequence[str]) -> str:
    """Name the tasks of a sentence, or those that it is not of, if they are fewer."""
    others = [task for task in every if task not in tasks]
    if not others:
        return ""
    is_of_most = len(others) < len(tasks)
    few = others if is_of_most else tasks
    if len(few) > _MAX_NAMED:
        return f"On {len(tasks)} of {len(every)} tasks: "
    named = list_in_words([quote(x) for x in few])
    return f"On all tasks but {named}: " if is_of_most else f"On {named}: "
