"""How samples were drawn, and the errors of their means."""

from collections.abc import Sequence
from typing import NamedTuple, Self

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.clusters import Clusters, find_errors_of_clusters
from sigarray._numeric.crossed import find_crossed_errors
from sigarray._numeric.strata import (
    NO_STRATA,
    Intervals,
    Strata,
    find_errors_of_strata,
)
from sigarray._numeric.student import find_errors


class Design(NamedTuple):
    """Strata of scores, or tables of seeds and items; neither of scores one by one.

    `n_items`, if any, is the number of items of samples that are tables, whose n are
    the cells of one seed after another.
    """

    strata: Strata = NO_STRATA
    n_items: int | None = None

    @property
    def is_simple(self) -> bool:
        """Whether scores were drawn one by one."""
        return self.n_items is None and not self.strata.are_there

    @property
    def static(self) -> Self:
        """The design without arrays, as kernels take it."""
        return self._replace(strata=Strata(self.strata.number))

    def with_intervals(self, intervals: Sequence[Intervals]) -> Self:
        """Return a static design with its arrays."""
        return self._replace(strata=Strata(self.strata.number, intervals))


ONE_BY_ONE = Design()


def find_errors_by_design(
    xp: Library,
    scores: list[Array],
    codes: Sequence[Array],
    counts: Sequence[int],
    design: Design,
    paired: bool,
) -> tuple[Array, Sequence[Array], Sequence[float | Array], Array]:
    """Return what `find_errors` does, of clusters if there are codes, or of the design.

    The list of scores may be emptied, as by `find_errors`.
    """
    if design.strata.are_there:
        return find_errors_of_strata(xp, scores, design.strata, paired)
    if design.n_items is not None:
        return find_crossed_errors(xp, scores, design.n_items, paired)
    if codes:
        clusters = list(map(Clusters, codes, counts))
        return find_errors_of_clusters(xp, scores, clusters, paired)
    return find_errors(xp, scores, paired)
