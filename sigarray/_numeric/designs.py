"""How samples were drawn, and the errors of their means."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Self

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.clusters import Clusters, find_errors_of_clusters
from sigarray._numeric.crossed import find_crossed_errors
from sigarray._numeric.nested import find_errors_of_nested
from sigarray._numeric.strata import (
    NO_STRATA,
    Intervals,
    Strata,
    find_errors_of_strata,
)
from sigarray._numeric.student import find_errors
from sigarray._numeric.sums import SumStatistic, list_numbers

# The arrays of a design, which may be traced: intervals of strata, codes of clusters,
# and the rounding of scores whose sums are the samples.
DesignArrays = tuple[Sequence[Intervals], Sequence[Array], Sequence[Array]]


class Design(NamedTuple):
    """Strata of scores, tables of seeds and items, or clusters; or scores one by one.

    With clusters, strata are of these, whose codes are in their order.

    `n_items`, if any, is the number of items of samples that are tables, whose n are
    the cells of one seed after another. `codes` (n,) or (..., n) are those of clusters
    of each sample, below `n_clusters`. Of sums of scores, which do not show it,
    `rounding` has one array (...): how far apart equal means may be, for scores are
    decimals that are no floats.
    """

    strata: Strata = NO_STRATA
    n_items: int | None = None
    n_clusters: tuple[int, ...] = ()
    codes: Sequence[Array] = ()
    rounding: Sequence[Array] = ()

    @property
    def is_simple(self) -> bool:
        """Whether scores were drawn one by one."""
        return not (self.n_items or self.n_clusters or self.strata.are_there)

    @property
    def clusters(self) -> list[Clusters]:
        """The clusters of each sample, or of pairs once; none if there are none."""
        return list(map(Clusters, self.codes, self.n_clusters))

    @property
    def arrays(self) -> DesignArrays:
        """What may be traced."""
        return self.strata.intervals, self.codes, self.rounding

    @property
    def static(self) -> Self:
        """The design without arrays, as kernels take it."""
        strata = Strata(self.strata.number)
        return self._replace(strata=strata, codes=(), rounding=())

    def with_arrays(self, arrays: DesignArrays) -> Self:
        """Return a static design with its arrays."""
        intervals, codes, rounding = arrays
        strata = Strata(self.strata.number, intervals)
        return self._replace(strata=strata, codes=codes, rounding=rounding)


ONE_BY_ONE = Design()


def find_errors_by_design(
    xp: Library,
    statistic: Literal["mean"] | SumStatistic,
    samples: Sequence[Array],
    design: Design,
    paired: bool,
) -> tuple[Array, Sequence[Array], Sequence[float | Array], Array]:
    """Return what `find_errors` does, of a statistic of samples of any design."""
    # Of scores one by one, `find_errors` sees the faults in their ranges.
    scores = list_numbers(
        xp, statistic, *samples, paired=paired, are_checked=design.is_simple
    )
    if design.strata.are_there and design.n_clusters:
        clusters, strata = design.clusters, design.strata
        return find_errors_of_nested(xp, scores, clusters, strata, paired)
    if design.strata.are_there:
        return find_errors_of_strata(xp, scores, design.strata, paired)
    if design.n_items is not None:
        return find_crossed_errors(xp, scores, design.n_items, paired)
    if design.n_clusters:
        return find_errors_of_clusters(xp, scores, design.clusters, paired)
    return find_errors(xp, scores, paired)
