"""Verdicts as a paragraph for a paper, and what would tell more models apart."""

from collections.abc import Mapping, Sequence

from sigarray._plain_text import list_in_words, quote, raise_initial, show_range
from sigarray._verdicts.asked import TESTS_OF_RANKS
from sigarray._verdicts.comparison import (
    Comparison,
    list_models,
    name_metrics,
    say_worst,
)
from sigarray._verdicts.decisions import (
    Decision,
    advise_least,
    name_number,
    say_bounds,
    say_sharper,
    show_difference,
    show_share,
)
from sigarray._verdicts.lacking import (
    count_tasks,
    explain_matched,
    list_matched,
    say_left_out,
)
from sigarray._verdicts.margins import order_pair, say_margin_of, say_worse, show_claims
from sigarray._verdicts.ranking import (
    SPREADS,
    Order,
    name_spread,
    show_means,
    sort_pairs,
    summarize,
)
from sigarray._verdicts.sampled import say_all_items, say_items
from sigarray._verdicts.score_lines import name_by_task
from sigarray.report._layout import equate

_NOT_BETTER = {
    "equivalent": "Equivalent",
    "not worse": "Not {}",
    "unequal": "Not equal, but neither is shown to be better",
    "inconclusive": "Inconclusive",
}


def write_paragraph(
    comparison: Comparison,
    decisions: Sequence[Decision],
    order: Order,
    rule: str,
    lack: str = "",
) -> str:
    numbers = name_number(comparison)
    if comparison.test == "aso":
        has_both = any(x.better is None for x in decisions)
        has_one = any(x.better is not None for x in decisions)
        numbers += " of the better model" if has_one else " of both"
        if has_one and has_both:
            numbers += ", or of both where neither is"
    if comparison.test in TESTS_OF_RANKS:
        shares = f"P(A{comparison.sign}B), A being the model that is named first"
        numbers = f"{shares}, and {numbers}"
    else:
        numbers = f"and {numbers}"
    the = "the means" if comparison.is_of_means else comparison.metric
    interval = f" with its interval, {comparison.say_level_of_intervals()}"
    interval = interval if comparison.has_intervals else ""
    said = [
        f"{say_what({'': comparison})}.",
        *say_left_out({"": comparison}),
        _say_means(comparison, order),
        *([lack] * bool(lack)),
    ]
    if not decisions:
        return " ".join([*said, *comparison.doubts])
    said += [
        f"A model is better than another if {rule}.",
        f"In parentheses: the difference of {the}{interval}, "
        f"{numbers}{say_margin_of(comparison)}.",
    ]
    verdicts: list[tuple[str, str, str, str]] = []
    for a, b, x in sort_pairs(order.names, decisions):
        first, second = order_pair(x, *((b, a) if x.better == b else (a, b)))
        shown = _show_numbers(comparison, x, first, second)
        verdicts.append((first, second, x.verdict, shown))
    said += list_verdicts(order.names, verdicts, say_worse(comparison))
    return " ".join([*said, *comparison.doubts])


def list_verdicts(
    names: Sequence[str], verdicts: Sequence[tuple[str, str, str, str]], worse: str = ""
) -> list[str]:
    """Say verdicts on pairs, those of one better model in one sentence.

    They are (A, B, verdict, numbers in parentheses), where A is the better one if the
    verdict is "better"; `worse` says what "not worse" is, if there is a margin.
    """
    better: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {verdict: [] for verdict in _NOT_BETTER}
    for a, b, verdict, shown in verdicts:
        if verdict == "better":
            better.setdefault(a, []).append(f"{quote(b)} {shown}")
        else:
            word = "than" if verdict == "not worse" else "vs."
            others[verdict].append(f"{quote(a)} {word} {quote(b)} {shown}")
    return _say_better(names, better) + [
        f"{_NOT_BETTER[verdict].format(worse)}: {'; '.join(pairs)}."
        for verdict, pairs in others.items()
        if pairs
    ]


def _say_better(names: Sequence[str], by: Mapping[str, Sequence[str]]) -> list[str]:
    better = ((x, by[x]) for x in names if x in by)
    return [f"{quote(x)} is better than {list_in_words(y)}." for x, y in better]


def end(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}."


def say_what(compared: Mapping[str, Comparison]) -> str:
    first = next(iter(compared.values()))
    how = _count_units(compared)
    if first.is_paired:
        how = f"paired by {first.unit}, {how}"
    on = f" on {count_tasks(compared)}" if len(compared) > 1 or first.left_out else ""
    baseline = ""
    if first.baseline is not None:
        baseline = f", each of the others with the baseline {quote(first.baseline)}"
    said = f"{len(list_models(compared))} models were compared{on}{baseline}"
    return f"{said} ({how}; {first.direction})"


def say_measured(compared: Mapping[str, Comparison]) -> str:
    first = next(iter(compared.values()))
    better = "higher" if first.higher_is_better else "lower"
    own = {task: x.own_metric for task, x in compared.items() if x.own_metric}
    metric = name_by_task(own) if own else name_metrics(first.metric)
    said = [
        f"task: {quote(first.task)}" if first.task and len(compared) == 1 else "",
        f"metric: {metric}" if first.metric != "score" else "",
        f"{better} is better",
        _count_units(compared),
    ]
    line = "; ".join(filter(None, said))
    return f"{raise_initial(line)}."


def _count_units(compared: Mapping[str, Comparison]) -> str:
    """Count the scores of models, as in "5 runs each" or, of pairs, "100 items".

    Of several tasks, on each of them.
    """
    first = next(iter(compared.values()))
    groups = [by.values() for x in compared.values() for by in list_matched(x)]
    sizes = {len(scores) for group in groups for scores in group}
    each = "" if first.is_paired else " each"
    on = ""
    if len(compared) > 1:
        each, on = each and " of each model", " on each task"
    units = f"{show_range(sizes)} {first.unit}{'' if sizes == {1} else 's'}{each}{on}"
    every = [x.sampled for x in compared.values() if x.sampled is not None]
    if every and every[0].has_design:
        units = say_all_items(every, len(compared))
        units += on if units == say_items(every) else ""
    return f"{units}{say_worst(compared.values())}"


def _say_means(comparison: Comparison, order: Order) -> str:
    summaries = summarize(comparison)
    show = show_means(comparison)
    every = [
        f"{quote(name)} {show(x['mean'])} ({show(x['sd'])}; "
        f"{comparison.count_scores(name)})"
        for name, x in ((name, summaries[name]) for name in order.listed)
    ]
    unit = comparison.unit
    spread = SPREADS[name_spread(comparison)]
    spread += comparison.say_spread()
    which = "Means" if comparison.is_of_means else comparison.metric
    counted = "runs x items" if comparison.runs else f"{unit}s"
    means = f"{which} ({spread}; {counted}): {', '.join(every)}."
    return " ".join([means, *explain_matched(comparison)])


def _show_numbers(comparison: Comparison, x: Decision, a: str, b: str) -> str:
    difference = show_difference(comparison, a, b)
    sharper = say_sharper(comparison, a, b) if x.better is not None else ""
    numbers = [f"{difference}{sharper}"]
    if comparison.test in TESTS_OF_RANKS:
        numbers.append(f"P(A{comparison.sign}B) = {show_share(comparison, x, a)}")
    if comparison.test == "aso" and x.better is None:
        numbers.append(say_bounds(x, a, comparison.threshold))
    else:
        numbers.append(f"{name_number(comparison)} {equate(x.shown)}")
    numbers += show_claims(comparison, x, a, b)
    if comparison.matched:
        numbers.append(f"{len(comparison.list_scores(a, b)[0])} {comparison.unit}s")
    return f"({', '.join(numbers)})"


# The most tasks that are named.
_MOST_NAMED = 6


def say_single_tasks(
    names: Sequence[str], by_pair: Mapping[tuple[str, str], Mapping[str, Decision]]
) -> list[str]:
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
    said = _say_better(names, better)
    if open_pairs and not said:
        return ["No model is shown to be better than another one on any task."]
    if open_pairs:
        said.append(f"Inconclusive on all tasks: {'; '.join(open_pairs)}.")
    return said


def name_tasks(tasks: Sequence[str], every: Sequence[str]) -> str:
    others = [x for x in every if x not in {*tasks}]
    if not tasks or not others:
        return ""
    if len(tasks) <= max(_MOST_NAMED, len(others)):
        return f" ({', '.join(map(quote, tasks))})" if len(tasks) <= _MOST_NAMED else ""
    if len(others) > _MOST_NAMED:
        return ""
    return f" (all but {', '.join(map(quote, others))})"


# The most pairs without a difference that are named.
_MOST_PAIRS = 3


def advise(comparison: Comparison, decisions: Sequence[Decision]) -> list[str]:
    is_open = ("inconclusive", "unequal")
    undecided = [
        x for x in decisions if x.verdict in is_open and _varies(comparison, x)
    ]
    equal = [x for x in undecided if comparison.find_difference(x.a, x.b) == 0.0]
    told = advise_least(any(x.is_least for x in decisions))
    told += _say_equal(equal) if equal and comparison.margin is None else []
    if len(equal) == len(undecided):
        return told
    return [*told, f"{comparison.advise_more()}."]


def _say_equal(pairs: Sequence[Decision]) -> list[str]:
    if len(pairs) > _MOST_PAIRS:
        which = f"{len(pairs)} pairs of models"
    else:
        names = [f"{quote(x.a)} and {quote(x.b)}" for x in pairs]
        which = list_in_words(names, "or between")
    return [
        f"No difference was seen between {which}. Whether a model is no worse than "
        "another one, or as good, is what --margin asks."
    ]


def _varies(comparison: Comparison, x: Decision) -> bool:
    return any(not y["sd"] <= 0.0 for y in comparison.summarize_pair(x.a, x.b))
