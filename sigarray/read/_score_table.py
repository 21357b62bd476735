"""The scores of models, and what to read of files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sigarray.read._alignment import Unit
from sigarray.read._frame import list_names


class ScoreTable(NamedTuple):
    """The scores of models, and what they were read from.

    Attributes
    ----------
    tasks : dict of str to dict of str to array, shape (n,)
        Task -> model -> its scores, float64. A table without tasks has one of no name,
        "". A model may lack a task.
    ids : dict of str to dict of str to tuple of str
        Task -> model -> of which run, item or cluster each score is. Those that nothing
        is said of are numbered, from "1" on.
    unit : {"run", "item", "cluster"}
        What a score stands for.
    is_paired : bool
        Whether the scores of all models are of the same units, in the same order.
    metric : str
        What the scores are called.
    kind : str
        What the files were taken for.
    source : str
        Their names.
    notes : tuple of str
        What was decided while reading: left out, averaged, or taken off.
    doubts : tuple of str
        What may make the scores wrong.
    left_out : tuple of str
        Tasks of which one model alone has scores, or that have not the metric.
    higher_is_better : bool, optional
        Where the tool that wrote the file says so.
    pairs : mapping
        Task -> two models -> their scores on the items, or named runs, that both have,
        of tasks in which some model lacks some; `tasks` has those of all models.
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

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order in which they were found."""
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
    """What to read of the files: names of columns, and of what is in them."""

    metric: str | None = None
    columns: Mapping[str, str] | None = None
    models: Sequence[str] | None = None
    tasks: Sequence[str] | None = None
    where: Mapping[str, Sequence[str]] | None = None
    path: str | None = None
    ignored: Sequence[str] = ()
    unit: Unit | None = None
    is_paired: bool = False
    drop_unmatched: bool = False
    min_models: int = 2
    max_models: int | None = None
