"""What to say of models that were compared on several tasks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts import overall
from sigarray._verdicts.aggregate_tables import MOST_COLUMNS, table_of_means
from sigarray._verdicts.asked import Request
from sigarray._verdicts.comparison import (
    Comparison,
    list_models,
    say_baseline,
    say_design,
    start_document,
)
from sigarray._verdicts.decisions import (
    Decision,
    advise_least,
    advise_repeats,
    explain_unequal_sizes,
    name_number,
    say_direction,
    say_least,
)
from sigarray._verdicts.doubts import advise_these_tasks
from sigarray._verdicts.lacking import (
    count_tasks,
    explain_matched,
    say_left_out,
)
from sigarray._verdicts.margins import (
    explain_margin,
    explain_over_tasks,
    say_on_tasks,
    table_of_tasks,
)
from sigarray._verdicts.over_tasks import OverTasks, PairOverTasks, order_over_tasks
from sigarray._verdicts.paragraph import (
    name_tasks,
    say_measured,
    say_single_tasks,
    say_what,
)
from sigarray._verdicts.ranking import (
    MAX_SHOWN,
    SHARED_LETTER,
    WHERE_PAIRS_ARE,
    explain_groups,
    list_unequal,
    list_wins,
    order_models,
    say_order_of_models,
    say_ranking,
    sort_pairs,
)
from sigarray._verdicts.records import list_records, list_records_over_tasks
from sigarray._verdicts.score_lines import join_methods
from sigarray._verdicts.verdict import say_basis
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report, Table, without_infinities

# (A, B) -> task -> verdict.
DecisionsOfPairs = dict[tuple[str, str], dict[str, Decision]]
_MOST_PAIRS = 3
# In the place of a ranking, of tasks on which no model is better.
_NOTHING = "no model is shown to be better"


def report_tasks(
    table: ScoreTable,
    compared: Mapping[str, Comparison],
    decisions: Mapping[str, Sequence[Decision]],
    over: OverTasks | None,
    request: Request,
    statistic: str | None,
) -> Report:
    """Say which models are better over all tasks, and on which of them.

    Or on which alone, if a statistic decides over these tasks. Programs get all of it.
    Too few tasks for a verdict on others are told after what is known of these, unless
    the request is of these alone.
    """
    first = next(iter(compared.values()))
    order = order_over_tasks(compared, over)
    by_pair = _collect_by_pair(decisions, order)
    every = [x for by in decisions.values() for x in by]
    known, over = over, None if statistic is not None else over
    method = join_methods({task: x.method for task, x in compared.items()})
    method += overall.describe_method(over, has_worst=table.missing == "worst")
    pairs_over = {} if over is None else {(x.a, x.b): x for x in over.pairs}
    sentences = [
        _say_pair(a, b, by, pairs_over.get((a, b)), over) + say_on_tasks(first, by)
        for (a, b), by in by_pair.items()
    ]
    records = list_records(compared, decisions, order)
    document = _write_document(compared, by_pair, records, sentences, known)
    records = records + list_records_over_tasks(compared, known, records[0])
    basis = say_basis(first)
    models = list_models(compared)
    what = f"{say_what(compared)}."
    left_out = say_left_out(compared)
    title = f"{first.title}, {count_tasks(compared)}{say_design(compared.values())}"
    needed = [] if request.statistic else overall.say_needed_tasks(known)
    no_margin = explain_over_tasks(first) if over is not None else []
    if len(models) > MAX_SHOWN:
        wins = list_wins(every)
        n_pairs = sum(map(len, decisions.values()))
        ranking = overall.rank_many(models, wins, over, first.baseline)
        count = say_ranking(len(models), wins, basis, n_pairs, len(compared))
        told = [
            *left_out,
            *needed,
            *overall.list_remarks(over),
            *no_margin,
            *first.doubts,
        ]
        return Report(
            [ranking],
            [count, *told],
            method,
            records,
            document,
            headline=[title, count],
            remarks=told,
            advice=[WHERE_PAIRS_ARE],
            paragraphs=[" ".join([what, count, *told])],
            measured=say_measured(compared),
        )
    answers = [] if needed else overall.say_answer(over)
    over_all = [
        *left_out,
        *overall.list_remarks(over),
        *overall.say_what_decides(over),
        *overall.list_scales(over),
    ]
    of_sizes = explain_unequal_sizes(compared.values())
    rules = [
        f"On one task, a model is better than another if {basis}.",
        *explain_margin(compared, decisions, "On one task, "),
        *no_margin,
        *of_sizes,
        *say_least(any(x.is_least for x in every), " on single tasks"),
    ]
    others = [
        *(line for x in compared.values() for line in explain_matched(x)),
        *first.doubts,
    ]
    tables, of_groups = [], list[str]()
    if over is not None:
        of_groups = explain_groups(over.order, overall.say_answer(over))
        pairs = replace(overall.table_of_pairs(over), remarks=over_all, decides=True)
        tables = [pairs, replace(overall.table_of_models(over), remarks=of_groups)]
    by_task = (
        _ranking_table(compared, decisions)
        if len(compared) > MOST_COLUMNS
        else _decision_table(compared, by_pair)
    )
    on_one = [*by_task.remarks, *rules, *others]
    told = [*over_all, *of_groups, *on_one]
    is_alone = over is None and statistic is None
    by_task = replace(by_task, remarks=on_one if tables else told, decides=is_alone)
    tables += [table_of_means(compared, order), by_task]
    tables += table_of_tasks(compared, decisions, order)
    these = advise_these_tasks(table, over)
    return Report(
        tables,
        [*sentences, *needed, *told],
        method,
        records,
        document,
        headline=[title, *answers, *_say_single_tasks(over, decisions), *needed],
        remarks=told,
        advice=[
            *advise_least(any(x.is_least for x in every)),
            *advise_repeats(of_sizes),
            *overall.advise_scales(over),
            *([] if needed else these),
        ],
        first_advice=these if needed else [],
        paragraphs=[
            " ".join([what, *left_out, *(overall.write_paragraph(over) or needed)]),
            " ".join([*rules, *others, *say_single_tasks(order, by_pair)]),
        ],
        measured=say_measured(compared),
        clauses=overall.say_what_decides(over),
    )


def _collect_by_pair(
    decisions: Mapping[str, Sequence[Decision]], order: Sequence[str]
) -> DecisionsOfPairs:
    by_pair: DecisionsOfPairs = {}
    for task, by in decisions.items():
        for a, b, x in sort_pairs(order, by):
            by_pair.setdefault((a, b), {})[task] = x
    place = {name: k for k, name in enumerate(order)}
    return dict(sorted(by_pair.items(), key=lambda x: [place[name] for name in x[0]]))


def _say_single_tasks(
    over: OverTasks | None, decisions: Mapping[str, Sequence[Decision]]
) -> list[str]:
    if over is None or over.wins:
        return []
    count = sum(bool(list_wins(by)) for by in decisions.values())
    if not count:
        other = "the other one" if len(over.names) == 2 else "another one"
        return [f"No model is shown to be better than {other} on any single task."]
    n = len(decisions)
    names = {name for by in decisions.values() for x in by for name in (x.a, x.b)}
    wins = Counter(x for by in decisions.values() for x in list_wins(by))
    ranked = wins.most_common()
    if len(names) > 2:
        shown = _MOST_PAIRS if len(ranked) > 2 * _MOST_PAIRS else len(ranked)
        told = [
            f"{quote(a)} is better than {quote(b)} on {k} of {n}"
            for (a, b), k in ranked[:shown]
        ]
        more = len(ranked) - len(told)
        rest = f"; {more} more pairs differ on some tasks" if more else ""
        return [f"On single tasks, {list_in_words(told)}{rest}."]
    ((better, worse), most), *others = ranked
    said = f"{quote(better)} is better than {quote(worse)}"
    on = "each single task" if most == n else f"{most} of {n} single tasks"
    rest = f"; it is worse on {wins[worse, better]}" if others else ""
    return [f"On {on}, {said}{rest}."]


def _write_document(
    compared: Mapping[str, Comparison],
    by_pair: DecisionsOfPairs,
    records: list[dict[str, Any]],
    sentences: list[str],
    over: OverTasks | None,
) -> dict[str, Any]:
    correction = next(iter(compared.values())).correction
    documents = {task: start_document(x, correction) for task, x in compared.items()}
    shared = next(iter(documents.values()))
    return {name: x for name, x in shared.items() if name != "models"} | {
        "tasks": {task: x["models"] for task, x in documents.items()},
        "over_tasks": None if over is None else overall.write_document(over),
        "pairs": list(map(without_infinities, records)),
        "wins": [
            {"model_a": a, "model_b": b, "a_wins": wins[0], "b_wins": wins[1]}
            for (a, b), by in by_pair.items()
            for wins in [_count_wins(a, b, by)]
        ],
        "verdicts": sentences,
    }


def _count_wins(a: str, b: str, by: Mapping[str, Decision]) -> tuple[int, int]:
    winners = [x.better for x in by.values()]
    return winners.count(a), winners.count(b)


def _ranking_table(
    compared: Mapping[str, Comparison], decisions: Mapping[str, Sequence[Decision]]
) -> Table:
    rows, has_letters = [], False
    for task, by in decisions.items():
        wins = list_wins(by)
        order = order_models(compared[task], wins)
        baseline = compared[task].baseline
        unequal = list_unequal(order, baseline, by)
        said = say_order_of_models(order, baseline, wins, unequal=unequal)
        if not said:
            said = [f"{quote(a)} > {quote(b)}" for a, b in wins]
        if not wins and not unequal:
            said = [_NOTHING]
        has_letters |= said[0].endswith(SHARED_LETTER)
        ranking = said[0].removesuffix(f". {SHARED_LETTER}").removeprefix("Ranking: ")
        rows.append([task, ranking])
    rows = _join_rows(rows)
    names = list_models(compared)
    title, header = "Verdict on each task", ["task", "ranking"]
    remarks = [SHARED_LETTER] if has_letters else []
    return Table(title, header, rows, name_columns=2, names=names, remarks=remarks)


def _join_rows(rows: Sequence[list[str]]) -> list[list[str]]:
    nothing = [x for x in rows if x[1] == _NOTHING]
    if len(nothing) < 2:
        return list(rows)
    rest = [x for x in rows if x not in nothing]
    which = f"each of the {'other ' if rest else ''}{len(nothing)} tasks"
    return [*rest, [which, _NOTHING]]


def _decision_table(
    compared: Mapping[str, Comparison], by_pair: DecisionsOfPairs
) -> Table:
    rows: list[list[str]] = []
    marked = set()
    first = next(iter(compared.values()))
    for (a, b), by in by_pair.items():
        cells = []
        for k, task in enumerate(compared):
            x = by.get(task)
            letter = ""
            if x is not None and x.better is not None:
                letter = "A " if x.better == a else "B "
                marked.add((len(rows), k + 2))
            which = "" if x is None else say_direction(x, a, first.sign)
            cells.append("-" if x is None else f"{letter}{x.shown}{which}")
        rows.append([a, b, *cells, *map(str, _count_wins(a, b, by))])
    number = name_number(first)
    if first.test == "aso":
        number = f"the smaller {number} of both"
        if any(x.better is None for by in by_pair.values() for x in by.values()):
            number += ", with its direction if none is better"
    title = f"On each task: the better model, A or B, if any, and {number}"
    title += say_baseline(first.baseline)
    header = ["A", "B", *compared, "A wins", "B wins"]
    return Table(title, header, rows, frozenset(marked), name_columns=2)


def _say_pair(
    a: str,
    b: str,
    by: Mapping[str, Decision],
    pair: PairOverTasks | None,
    over: OverTasks | None,
) -> str:
    wins = [task for task, x in by.items() if x.better == a]
    losses = [task for task, x in by.items() if x.better == b]
    is_turned = len(losses) > len(wins)
    if pair is not None and over is not None:
        is_turned = overall.is_behind(over, pair)
        pair = pair.turn() if is_turned else pair
    if is_turned:
        a, b, wins, losses = b, a, losses, wins
    first, second = quote(a), quote(b)
    n = len(by)
    tasks = f"{n} {'task' if n == 1 else 'tasks'}"
    worse = f"worse on {len(losses)}{name_tasks(losses, list(by))}"
    if not losses:
        is_open = n > len(wins)
        worse = "not shown to be worse on any" if is_open else "worse on none"
    better = (
        f"better {{}}on {len(wins)} of {tasks}{name_tasks(wins, list(by))} and {worse}"
    )
    if pair is None or over is None:
        if not wins:
            on = "the only task" if n == 1 else f"all {tasks}"
            return f"{first} vs. {second}: inconclusive on {on}."
        return f"{first} is {better.format(f'than {second} ')}."
    said = overall.say_pair(over, pair)
    if not wins and not losses:
        return f"{said}; on single tasks, inconclusive on all {n}."
    return f"{said}; on single tasks, {first} is {better.format('')}."
