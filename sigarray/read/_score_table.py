"""The scores of models, and the choice of what to read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sigarray._numeric.sums import SumStatistic
from sigarray.read._alignment import Unit
from sigarray.read._directions import Direction
from sigarray.read._frame import Names, list_names
from sigarray.read._missing import Missing
from sigarray.read._run_tables import Curves, RunTable
from sigarray.read._treatment import Averaged, Dropped, Ended, LastSteps, Raters


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
    shares_runs : bool
        Whether runs go together over tasks.
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
    shares_runs: bool = False
    runs: Mapping[str, Mapping[str, RunTable]] = {}

    def __repr__(self) -> str:
        """Say in one line what the table holds; its attributes have the rest."""
        return (
            f"ScoreTable(source={self.source!r}, models=[{list_names(self.models, 5)}]"
            f"{self._say_tasks()}, unit={self.unit!r}, {self._say_sizes()})"
        )

    def _say_tasks(self) -> str:
        if {*self.tasks} == {""}:
            return ""
        return f", tasks=[{list_names(self.tasks, 5)}]"

    def _say_sizes(self) -> str:
        """Say how many scores each model has on each task."""
        sizes = [len(x) for by in self.tasks.values() for x in by.values()]
        least, most = min(sizes, default=0), max(sizes, default=0)
        count = f"{least}" if least == most else f"{least} to {most}"
        return f"{count} scores of each{' on each task' * (len(self.tasks) > 1)}"

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the files."""
        return tuple(dict.fromkeys(x for by in self.tasks.values() for x in by))

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
    """What to read from files: names of columns, models and tasks.

    Of several metrics, each file has the first that is in it.
    """

    metrics: Sequence[str] = ()
    columns: Mapping[str, str] | None = None
    models: Names | None = None
    tasks: Names | None = None
    where: Mapping[str, Names] | None = None
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

    @property
    def treatment(self) -> Missing | None:
        """What becomes of missing scores; of runs that are kept, none are."""
        return None if self.missing == "keep" else self.missing
