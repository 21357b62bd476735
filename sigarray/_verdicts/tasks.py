"""What to say of models that were compared on several tasks."""

from collections.abc import Mapping, Sequence

from sigarray._verdicts.comparison import Comparison, start_document
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.ranking import (
    MAX_SHOWN,
    WHERE_PAIRS_ARE,
    list_wins,
    mark_best,
    rank_on_tasks,
    say_ranking,
)
from sigarray._verdicts.records import list_records
from sigarray._verdicts.verdict import (
    say_correction_of_tests,
    say_order_basis,
)
from sigarray.read._frame import list_names
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report, Table
from sigarray.report._numbers import number_format, without_infinities

# (A, B) -> task -> verdict.
DecisionsOfPairs = dict[tuple[str, str], dict[str, Decision]]


def report_tasks(
    compared: Mapping[str, Comparison], decisions: Mapping[str, Sequence[Decision]]
) -> Report:
    """Say which models are better on which tasks, and on how many."""
    first = next(iter(compared.values()))
    by_pair: DecisionsOfPairs = {}
    for task, by in decisions.items():
        for x in by:
            pair = (x.b, x.a) if (x.b, x.a) in by_pair else (x.a, x.b)
            by_pair.setdefault(pair, {})[task] = x
    basis = _say_basis(first)
    records = list_records(compared, decisions)
    sentences = [_say_pair(*pair, by) for pair, by in by_pair.items()]
    rule = f"A model is better than another on a task if {basis}."
    correction = first.correction
    documents = {task: start_document(x, correction) for task, x in compared.items()}
    shared = next(iter(documents.values()))
    document = {name: x for name, x in shared.items() if name != "models"} | {
        "tasks": {task: x["models"] for task, x in documents.items()},
        "pairs": list(map(without_infinities, records)),
        "wins": [
            {"model_a": a, "model_b": b, "a_wins": wins[0], "b_wins": wins[1]}
            for (a, b), by in by_pair.items()
            for wins in [_count_wins(a, b, by)]
        ],
        "verdicts": sentences,
    }
    methods = dict.fromkeys(x.method for x in compared.values())
    method = "; or, by the scores of a task, ".join(methods)
    models = list(dict.fromkeys(name for x in compared.values() for name in x.names))
    if len(models) > MAX_SHOWN:
        wins = list_wins(x for by in decisions.values() for x in by)
        n_pairs = sum(map(len, decisions.values()))
        ranking = rank_on_tasks(first.title, models, wins)
        told = say_ranking(len(models), wins, basis, n_pairs, len(compared))
        return Report(
            [ranking], [told], method, records, document, advice=[WHERE_PAIRS_ARE]
        )
    tables = [_mean_table(compared, models), _decision_table(list(compared), by_pair)]
    return Report(tables, [*sentences, rule], method, records, document)


def list_undecided(
    model: str,
    table: ScoreTable,
    decisions: Mapping[str, Sequence[Decision]],
    baseline: str | None,
) -> list[str]:
    """Say which other models a model does not beat, and on which tasks.

    Raises
    ------
    ValueError
        No such model, or one that is compared with the baseline alone.
    """
    if model not in table.models:
        msg = (
            f"Expected a model of {table.source} for --fail-unless-better; got "
            f"{model!r}. Those in it: {list_names(table.models)}."
        )
        raise ValueError(msg)
    if baseline not in (None, model) and len(table.models) > 2:
        msg = (
            f"Expected --fail-unless-better {model} without --baseline {baseline}, "
            f"with which alone {model} is compared; got both. Choose the two models "
            f"with --columns {model},{baseline}, or leave out --baseline."
        )
        raise ValueError(msg)
    lost = [
        f"{model} has no scores on {task}"
        for task in (*table.tasks, *table.left_out)
        if model not in table.tasks.get(task, ())
    ]
    return lost + [
        f"{model} is not better than {x.b if x.a == model else x.a}"
        f"{f' on {task}' if task else ''}"
        for task, by in decisions.items()
        for x in by
        if model in (x.a, x.b) and x.better != model
    ]


def _say_basis(comparison: Comparison) -> str:
    if comparison.test == "aso":
        limit = f"eps_min < {comparison.threshold:g}"
        return f"{limit}, {say_order_basis(comparison)}"
    level = f"{comparison.alpha:.10g}"
    return f"p <= {level}, {say_correction_of_tests(comparison)}"


def _count_wins(a: str, b: str, by: Mapping[str, Decision]) -> tuple[int, int]:
    winners = [x.better for x in by.values()]
    return winners.count(a), winners.count(b)


def _mean_table(compared: Mapping[str, Comparison], models: Sequence[str]) -> Table:
    """Show the mean of each model on each task, and its standard deviation."""
    show = {
        task: number_format(list(x.summaries.values())) for task, x in compared.items()
    }
    rows = []
    for name in models:
        row = [name]
        for task, x in compared.items():
            if name not in x.summaries:
                row.append("-")
                continue
            mean, sd = (show[task](x.summaries[name][key]) for key in ("mean", "sd"))
            row.append(f"{mean} ({sd})")
        rows.append(row)
    first = next(iter(compared.values()))
    sizes = sorted({len(s) for x in compared.values() for s in x.scores.values()})
    count = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    units = f"{count} {first.unit}{'' if sizes[-1] == 1 else 's'}"
    title = f"{first.title}: means (standard deviations) of {units}"
    marked = frozenset[tuple[int, int]]().union(
        *(mark_best(x, models, k) for k, x in enumerate(compared.values(), 1))
    )
    return Table(title, ["model", *compared], rows, marked)


def _decision_table(tasks: Sequence[str], by_pair: DecisionsOfPairs) -> Table:
    rows: list[list[str]] = []
    marked = set()
    for (a, b), by in by_pair.items():
        cells = []
        for k, task in enumerate(tasks):
            x = by.get(task)
            letter = ""
            if x is not None and x.better is not None:
                letter = "A " if x.better == a else "B "
                marked.add((len(rows), k + 2))
            cells.append("-" if x is None else f"{letter}{x.shown}")
        rows.append([a, b, *cells, *map(str, _count_wins(a, b, by))])
    title = "Which is better, A or B, and by which number; and on how many tasks"
    header = ["A", "B", *tasks, "A wins", "B wins"]
    return Table(title, header, rows, frozenset(marked), name_columns=2)


def _say_pair(a: str, b: str, by: Mapping[str, Decision]) -> str:
    """Say on which tasks A is better than B, and where it is worse."""
    wins = [task for task, x in by.items() if x.better == a]
    losses = [task for task, x in by.items() if x.better == b]
    if len(losses) > len(wins):
        a, b, wins, losses = b, a, losses, wins
    n = len(by)
    tasks = f"{n} {'task' if n == 1 else 'tasks'}"
    if not wins:
        where = "the only task" if n == 1 else f"all {tasks}"
        return f"{a} vs. {b}: inconclusive on {where}."
    worse = f"and worse on {len(losses)}{_list_tasks(losses, n)}"
    n_open = n - len(wins) - len(losses)
    if not losses:
        worse = "and not shown to be worse on any" if n_open else "and worse on none"
    return (
        f"{a} is better than {b} on {len(wins)} of {tasks}{_list_tasks(wins, n)} "
        f"{worse}."
    )


def _list_tasks(tasks: Sequence[str], n: int) -> str:
    return f" ({', '.join(tasks)})" if 0 < len(tasks) < n else ""
