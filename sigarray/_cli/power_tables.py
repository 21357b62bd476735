"""The tables of `sigarray power`: of pairs of models, over tasks, and of lifts."""

import math
from dataclasses import replace

from sigarray._cli.power_answers import Answer, Goal, say_lift
from sigarray._cli.power_sizes import SizedPair, round_size
from sigarray._verdicts.margins import list_claims
from sigarray._verdicts.ranking import MAX_SHOWN
from sigarray.report._layout import Table
from sigarray.report._numbers import number_format, show_difference


def list_tables(answers: list[Answer], goal: Goal) -> list[Table]:
    """Return the tables that readers can take in: first those that answer."""
    n_models = len({name for x in answers for name in x.comparison.scores})
    n_pairs = sum(len(x.pairs) for x in answers)
    if n_models > MAX_SHOWN:
        return []
    tables = []
    if n_pairs and len(answers) > 1:
        tables.append(_table_over_tasks(answers, goal))
    if n_pairs and is_short(answers):
        tables.append(_table_of_pairs(answers, goal))
    if any(x.powers for x in answers) and is_short(answers):
        tables.append(_table_of_lifts(answers))
    return tables


def is_short(answers: list[Answer]) -> bool:
    """Whether readers can take in a line for each pair, or model, on each task."""
    return sum(len(x.comparison.scores) for x in answers) <= MAX_SHOWN


def show_size(size: float, largest: int) -> str:
    """Show a number of scores with two digits, or that it is larger than all tried."""
    return f"> {largest}" if math.isinf(size) else str(round_size(size))


def show_present(pair: SizedPair) -> str:
    """Show how many scores the better and the worse model have, once if it is one."""
    return " and ".join(map(str, dict.fromkeys(pair.present)))


def _table_over_tasks(answers: list[Answer], goal: Goal) -> Table:
    """Show for each pair on how many tasks its difference is seen, with how many."""
    of_pairs: dict[tuple[str, str], list[SizedPair | None]] = {}
    for x in answers:
        found = {(pair.better, pair.worse): pair for pair in x.pairs}
        compared = x.comparison.pairs
        if goal.margin is None:
            found |= {names[::-1]: pair for names, pair in found.items()}
        else:  # each model of a pair has a row
            compared = list_claims(compared, x.comparison.baseline)
        for names in compared:
            of_pairs.setdefault(names, []).append(found.get(names))
    largest = max(x.largest for x in answers)
    rows = []
    for names, by_task in of_pairs.items():
        pairs = [x for x in by_task if x is not None]
        if not pairs:
            continue
        n_ahead = sum(x.better == names[0] for x in pairs)
        n = len(by_task)
        sizes = sorted([x.size for x in pairs] + [math.inf] * (n - len(pairs)))
        n_now = sum(x.share_now >= goal.power for x in pairs)
        shown = [show_size(sizes[k], largest) for k in ((n - 1) // 2, n - 1)]
        rows.append([*names, f"{n_ahead} of {n}", f"{n_now} of {n}", *shown])
    title = (
        f"About how many {goal.units}{goal.each} show {goal.difference}"
        f"{' of a pair' * (goal.margin is None)}, with power {goal.power:g}, on half "
        "of its tasks and on all"
    )
    holds = "A is ahead on" if goal.margin is None else "seems so on"
    header = ["A", "B", holds, "shown now on", "on half", "on all"]
    return Table(title, header, rows, name_columns=2)


def _table_of_pairs(answers: list[Answer], goal: Goal) -> Table:
    rows = []
    for x in answers:
        for pair in x.pairs:
            names = [pair.better, pair.worse]
            difference = show_difference(*x.comparison.summarize_pair(*names))
            now = [show_present(pair), f"{pair.share_now:.2f}"]
            rows.append([*names, difference, *now, show_size(pair.size, x.largest)])
    title = (
        f"About how many {goal.units}{goal.each} show {goal.difference} with power "
        f"{goal.power:g}"
    )
    units = goal.units
    header = ["A", "B", "A - B", f"{units} now", "power now"]
    table = Table(title, [*header, f"{units} needed"], rows, name_columns=2)
    return _with_tasks(table, [x.task for x in answers for _ in x.pairs])


def _table_of_lifts(answers: list[Answer]) -> Table:
    rows = []
    has_lifts = len({x.lift for x in answers}) > 1
    for x in answers:
        summaries = {name: x.comparison.summaries[name] for name in x.powers}
        show = number_format(list(summaries.values()))
        for name, summary in summaries.items():
            n = str(len(x.comparison.scores[name]))
            shown = [show(summary["mean"]), show(summary["sd"])]
            factor = [f"{x.lift.factor:.4g}"] if has_lifts and x.lift else []
            rows.append([name, n, *shown, *factor, f"{x.powers[name]:.3f}"])
    title = f"Power to see {say_lift(answers)}"
    header = ["model", "n", "mean", "sd", *["lift"] * has_lifts, "power"]
    table = Table(title, header, rows)
    return _with_tasks(table, [x.task for x in answers for _ in x.powers])


def _with_tasks(table: Table, tasks: list[str]) -> Table:
    """Add the task of each row, if there are several."""
    if len(set(tasks)) < 2:
        return table
    return replace(
        table,
        header=["task", *table.header],
        rows=[[task, *row] for task, row in zip(tasks, table.rows, strict=True)],
        name_columns=table.name_columns + 1,
    )
