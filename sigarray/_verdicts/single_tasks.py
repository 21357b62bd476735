"""Verdicts on single tasks for a paper: who is better than whom, and on which."""

from collections.abc import Mapping, Sequence

from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.decisions import Decision

# The most tasks that are named.
_MOST_NAMED = 6


def say_single_tasks(
    names: Sequence[str], by_pair: Mapping[tuple[str, str], Mapping[str, Decision]]
) -> list[str]:
    """Say on which tasks a model is better, in a sentence for each model."""
    better: dict[str, list[str]] = {}
    open_pairs: list[str] = []
    for (a, b), by in by_pair.items():
        for name, other in ((a, b), (b, a)):
            tasks = [task for task, x in by.items() if x.better == name]
            if tasks:
                of = name_tasks(tasks, list(by))
                which = f"{len(tasks)} of {len(by)}"
                which += "" if name in better else " tasks"
                better.setdefault(name, []).append(f"{quote(other)} on {which}{of}")
        if all(x.better is None for x in by.values()):
            open_pairs.append(f"{quote(a)} vs. {quote(b)}")
    said = [
        f"{quote(name)} is better than {list_in_words(better[name])}."
        for name in names
        if name in better
    ]
    if open_pairs and not said:
        return ["No model is shown to be better than another one on any task."]
    if open_pairs:
        said.append(f"Inconclusive on all tasks: {'; '.join(open_pairs)}.")
    return said


def name_tasks(tasks: Sequence[str], every: Sequence[str]) -> str:
    """Name some of all tasks in parentheses, or those that they are not, if few."""
    others = [x for x in every if x not in {*tasks}]
    if not tasks or not others:
        return ""
    if len(tasks) <= max(_MOST_NAMED, len(others)):
        return f" ({', '.join(map(quote, tasks))})" if len(tasks) <= _MOST_NAMED else ""
    if len(others) > _MOST_NAMED:
        return ""
    return f" (all but {', '.join(map(quote, others))})"
