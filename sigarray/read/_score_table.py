"""The scores of models, the choice of what to read, and which scores are better."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.checks import show
from sigarray._host import draw_rows
from sigarray._numeric.sums import SumStatistic
from sigarray._plain_text import show_number, show_range, suggest
from sigarray.read._alignment import Unit
from sigarray.read._codes import Coded
from sigarray.read._frame import Names, Roles, list_names, quote_names
from sigarray.read._missing import Missing
from sigarray.read._records import Averaged, Dropped, Ended, LastSteps, Raters
from sigarray.read._steps import Curves, RunTable
from sigarray.read._text import TableError, refuse

# For all scores, or for those of each metric or task by its name; None if nothing is
# said.
Direction = bool | Mapping[str, bool] | None
_MAX_SHOWN = 3


class ScoreTable(NamedTuple):
    """The scores of models, and what they were read from.

    Attributes
    ----------
    tasks : dict of str to dict of str to array, shape (n,)
        Task -> model -> its scores, float64. A table without tasks has one named "". A
        model may lack a task.
    ids : dict of str to dict of str to tuple of str
        Task -> model -> the run, item or cluster of each score. Those without names are
        numbered, from "1" on.
    unit : {"run", "item", "cluster", "run,item"}
        What a score stands for.
    is_paired : bool
        Whether the scores of all models are of the same units, in the same order.
    metric : str
        The name of the scores.
    kind : str
        What the files were taken for.
    source : str
        The names of the files.
    notes : tuple of str
        What was decided while reading: left out, averaged, or removed from names.
    doubts : tuple of str
        What may make the scores wrong.
    left_out : tuple of str
        Tasks with scores of only one model, or without the metric.
    higher_is_better : bool, optional
        As stated by the tool that wrote the file, or by the caller, or None.
    pairs : mapping
        Task -> two models -> their scores on the items, or named runs, of both, if some
        model lacks some in the task; `tasks` has those of all models.
    missing : {"drop", "worst", "keep"}, optional
        What was done with missing scores, or those of runs that have crashed or ended
        early, if there were any.
    n_missing : mapping
        Task -> model -> how many of its scores were missing.
    curves : mapping
        Task -> model -> its `steps`, shape (S,), and the `scores` of its runs, shape
        (R, S), where runs have scores of several steps: `plot.learning_curves` draws
        them. `tasks` has those of the last step of each run.
    is_untreated : bool
        Whether other scores may be missing, which `missing` would treat as well.
    n_dropped : mapping
        Task -> the items, or runs that are pairs, that were left out for all models:
        `n` of `n_all`, in which `n_scores` were missing.
    averaged : mapping
        Task -> of how many scores, at least and at most, that of an item or a run is
        the mean.
    settings : mapping
        Columns in which the runs of a model differ -> the largest number of values that
        those of one model have on a task.
    where : mapping
        Column -> values, if only rows with these were taken.
    n_tasks : int, optional
        How many tasks there are, if some of them were chosen.
    last_steps : LastSteps, optional
        The last steps of runs, whose scores were taken, if they have others.
    without_metric : tuple of str
        The tasks in `left_out` of which no model has a score of the metric.
    unscored : mapping
        Task -> items that the files name, and of which no model has a score.
    pooled : mapping
        Groups of tasks that were taken for one task -> of how many of their tasks the
        items are, and how many the group has.
    unmatched : mapping
        Task -> model -> the names and the scores of all its items or runs, of tasks in
        `pairs`, unless those of each pair are means of their own.
    ended : mapping
        Task -> how many of the missing scores are of runs that have crashed, though
        they had logged a score, or ended early.
    raters : mapping
        Task -> how many ratings were left out, because not all models have one of the
        item by the same rater; and by which columns models have other raters.
    clusters : mapping
        Task -> the cluster of each item, if whole clusters were sampled.
    sums : mapping
        Task -> model -> d numbers of each item, shape (d, n), if scores are of a metric
        of their sums: each is the metric plus the influence of an item on it, so that
        their mean is the metric.
    statistic : SumStatistic, optional
        That metric.
    sum_columns : tuple of str
        The columns of the numbers.
    runs : mapping
        Task -> model -> the names of its runs, `runs`, and its `scores`, shape (S, n),
        of items in several runs with ``unit="run,item"``. `tasks` has the means of
        items over the runs.
    n_unfinished : int
        How many runs were left out, because a tracker says that they have not ended.
    run_column : str, optional
        The column that names the runs, if one does.
    fold_column : str, optional
        The column that says which runs are of which fold of cross-validation.
    shares_runs : bool
        Whether runs, or items, go together over tasks.
    metrics : mapping of str to str
        Task -> its metric, if tasks have several.
    n_kept : int
        How many runs have the score that they logged last before they crashed or ended
        early.
    task_column : str, optional
        The column that names the tasks, if one does.
    """

    tasks: dict[str, dict[str, np.ndarray]]
    ids: dict[str, dict[str, tuple[str, ...]]]
    unit: Unit
    is_paired: bool
    metric: str
    kind: str
    source: str
    notes: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    higher_is_better: bool | None = None
    pairs: Mapping[str, Mapping[tuple[str, str], tuple[np.ndarray, np.ndarray]]] = {}
    missing: Missing | None = None
    n_missing: Mapping[str, Mapping[str, int]] = {}
    curves: Mapping[str, Mapping[str, Curves]] = {}
    is_untreated: bool = False
    n_dropped: Mapping[str, Dropped] = {}
    averaged: Mapping[str, Averaged] = {}
    settings: Mapping[str, int] = {}
    where: Mapping[str, Names] = {}
    last_steps: LastSteps | None = None
    n_tasks: int | None = None
    without_metric: tuple[str, ...] = ()
    unscored: Mapping[str, tuple[str, ...]] = {}
    pooled: Mapping[str, tuple[int, int]] = {}
    raters: Mapping[str, Raters] = {}
    ended: Mapping[str, Ended] = {}
    unmatched: Mapping[str, Mapping[str, tuple[tuple[str, ...], np.ndarray]]] = {}
    clusters: Mapping[str, tuple[str, ...]] = {}
    sums: Mapping[str, Mapping[str, np.ndarray]] = {}
    statistic: SumStatistic | None = None
    sum_columns: tuple[str, ...] = ()
    n_unfinished: int = 0
    run_column: str | None = None
    fold_column: str | None = None
    shares_runs: bool = False
    runs: Mapping[str, Mapping[str, RunTable]] = {}
    metrics: Mapping[str, str] = {}
    n_kept: int = 0
    task_column: str | None = None

    def __repr__(self) -> str:
        """Say in one line what the table holds; its attributes have the rest."""
        return (
            f"ScoreTable(source={self.source!r}, models=[{list_names(self.models, 5)}]"
            f"{self._say_tasks()}, unit={self.unit!r}, {self._say_sizes()})"
        )

    def _repr_html_(self) -> str:
        """Return a table of the mean of each model on each task, for notebooks."""
        named = {*self.tasks} != {""}
        every = [(task, *x) for task, by in self.tasks.items() for x in by.items()]
        rows = (
            [*[task] * named, model, str(len(x)), show_number(float(np.mean(x)), 4)]
            for task, model, x in every
        )
        header = [*["task"] * named, "model", f"{self.unit}s", "mean"]
        caption = f"ScoreTable: {self.source}, {self.metric}"
        return draw_rows(caption, header, rows, len(every))

    def _say_tasks(self) -> str:
        if {*self.tasks} == {""}:
            return ""
        return f", tasks=[{list_names(self.tasks, 5)}]"

    def _say_sizes(self) -> str:
        sizes = [len(x) for by in self.tasks.values() for x in by.values()]
        on = " on each task" * (len(self.tasks) > 1)
        return f"{show_range(sizes or [0])} scores of each{on}"

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the files."""
        return tuple(dict.fromkeys(x for by in self.tasks.values() for x in by))

    @property
    def n_folds(self) -> int:
        """How many folds a repetition has, by a column of runs that is of folds; or 0.

        That is the column that was said to be, or one with "fold" in its name.
        """
        names = (self.run_column or "").lower().split(",")
        places = [k for k, x in enumerate(names) if "fold" in x]
        if self.fold_column is not None:
            places = [len(names) - 1]
        every = {x for by in self.ids.values() for y in by.values() for x in y}
        parts = [x.split(", ") for x in every]
        of = Counter(tuple(x[:k] + x[k + 1 :]) for k in places[:1] for x in parts)
        return max(of.values(), default=0)

    @property
    def scores(self) -> dict[str, np.ndarray]:
        """The scores by model, of a table of one task.

        Raises
        ------
        ValueError
            A table of several tasks.
        """
        if len(self.tasks) > 1:
            msg = (
                f"Expected one task; got {list_names(self.tasks)}. Take one of "
                "`tasks`, or read one with tasks=[...]."
            )
            raise ValueError(msg)
        return next(iter(self.tasks.values()))


@dataclass(frozen=True)
class Choice:
    """What to read from files; of several metrics, the first that is in a file."""

    metrics: Sequence[str] = ()
    columns: Roles = field(default_factory=dict)
    models: Names | None = None
    tasks: Names | None = None
    where: Mapping[str, Names] = field(default_factory=dict)
    fold: str | None = None
    path: str | None = None
    pattern: str | None = None
    table: str | None = None
    ignored: Sequence[str] = ()
    # All columns of a metric of sums, of which one at a time is read.
    summed: Sequence[str] = ()
    unit: Unit | None = None
    is_paired: bool = False
    drop_unmatched: bool = False
    missing: Missing | None = None
    higher_is_better: Direction = None
    min_models: int = 2
    max_models: int | None = None

    def name_folds(self) -> "Choice":
        if self.fold is None:
            return self
        if self.unit not in (None, "run"):
            refuse(
                f"Expected --fold {self.fold} with a score for each fold, or the mean "
                f"of its items; got --unit {self.unit}. Leave one of both out."
            )
        columns = dict(self.columns)
        columns["run"] = ",".join(filter(None, (columns.get("run"), self.fold)))
        return replace(self, columns=columns, unit="run", is_paired=True)

    @property
    def treatment(self) -> Missing | None:
        """What becomes of missing scores: none are, if runs are kept."""
        return None if self.missing == "keep" else self.missing

    @property
    def steps(self) -> list[float]:
        column = self.columns.get("step", "")
        return [float(x) for x in self.where.get(column, ())]

    def list_taken(self, chosen: Roles) -> set[str]:
        return {*self.ignored, *(self.models or ()), *chosen.values()}

    def find_models(self, names: Coded) -> np.ndarray:
        is_one = ~names.find(self.ignored)
        return is_one if self.models is None else is_one & names.find(self.models)


def check_direction(said: Any) -> Direction:
    if said is None or isinstance(said, bool):
        return said
    if isinstance(said, Mapping) and all(
        isinstance(name, str) and isinstance(is_higher, bool)
        for name, is_higher in said.items()
    ):
        return said
    msg = (
        "Expected higher_is_better to be True or False, or a mapping of metrics to "
        f"these, such as {{'loss': False}}; got {show(said)}."
    )
    raise TypeError(msg)


def find_direction(
    said: Direction, metric: str, source: str, tasks: Collection[str] = ()
) -> bool | None:
    """Return whether higher scores are better, or None if that is not said.

    Several metrics are joined by ", ". If no metric is named, tasks may be.
    """
    if said is None or isinstance(said, bool):
        return said
    known = {x: said.get(x, said.get(x.split(",")[0])) for x in metric.split(", ")}
    are_tasks = bool(tasks) and {*known.values()} == {None}
    if are_tasks:
        known = {x: said.get(x) for x in tasks}
    found = {*known.values()}
    if len(found) == 1:
        return found.pop()
    lower = [x for x, is_higher in known.items() if is_higher is False]
    others = [x for x in known if x not in lower]
    if not lower:
        return None
    if are_tasks:
        raise ask_about_tasks(source, lower, others)
    msg = (
        f"{source}: expected scores of one direction; got {lower[0]!r}, of which "
        f"lower is better, beside {others[0]!r}. Choose one with --metric, or tasks of "
        "one with --tasks."
    )
    raise TableError(msg)


def refuse_other_names(
    said: Direction, known: Collection[Any], source: str, got: str
) -> None:
    """Refuse names of which none is known: with a typing error they turn no score."""
    if isinstance(said, Mapping) and said and said.keys().isdisjoint(known):
        names = [x for x, is_higher in said.items() if not is_higher] or [*said]
        refuse(
            f"{source}: expected names of metrics, or tasks, for --lower-is-better; "
            f"got {list_names(names)}, and {got}.{suggest(names[0], known)} Where all "
            "scores are losses, pass --lower-is-better alone."
        )


def ask_about_tasks(source: str, lower: Names, others: Names) -> TableError:
    return TableError(
        f"{source}: expected tasks of one direction; got {lower[0]!r}, of which lower "
        f"is better, beside {others[0]!r}. Compare those of one direction at a time: "
        f"--tasks {quote_names(lower)} with --lower-is-better, and --tasks "
        f"{quote_names(others)} without it."
    )


def contradict(source: str, metric: str, *, is_higher: bool, by: str) -> TableError:
    known, said = ("higher", "lower") if is_higher else ("lower", "higher")
    return TableError(
        f"{source}: expected the direction of {metric!r} as {by}, {known} is better; "
        f"got the other one. Leave out --{said}-is-better."
    )
