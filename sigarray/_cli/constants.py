"""Scores that do not vary, of which tests can say little or nothing."""

import warnings
from collections.abc import Iterable, Mapping

import numpy as np

from sigarray._cli.matched import list_matched
from sigarray._cli.orders import OrderOptions
from sigarray._cli.pairwise_tests import PairOptions
from sigarray._cli.verdict import Comparison, pairs_of
from sigarray.read._wide import Scores

# These measure differences by how much scores vary.
_BY_VARIANCE = ("t", "bootstrap")
_SHOWN = 3


def doubt_constants(
    compared: Mapping[str, Comparison], tests: PairOptions | OrderOptions
) -> None:
    """Warn once of models whose scores differ and do not vary."""
    is_paired = isinstance(tests, PairOptions) and tests.is_paired
    test = tests.test if isinstance(tests, PairOptions) else "aso"
    unit = next(iter(compared.values())).unit
    if test not in _BY_VARIANCE and (unit != "run" or is_paired):
        return  # exchanges of pairs need no variance
    found = [
        f"{a} and {b}" + (f" on {task}" if len(compared) > 1 else "")
        for task, x in compared.items()
        for scores in list_matched(x)
        for a, b in _list_constants(scores, tests.baseline, is_paired=is_paired)
    ]
    if not found:
        return
    shown = ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
    said = f"The {'differences' if is_paired else 'scores'} of {shown} do not vary"
    if test in _BY_VARIANCE:
        said += (
            ", so that nothing is known of how others would: no "
            f"{test} test can be done, and p counts as 1"
        )
    if unit == "run":
        said += ". See that every run had a seed of its own"
    warnings.warn(f"{said}.", UserWarning, stacklevel=2)


def _list_constants(
    scores: Scores, baseline: str | None, *, is_paired: bool
) -> Iterable[tuple[str, str]]:
    """Give the pairs that differ by the same amount everywhere."""
    if not all(isinstance(x, np.ndarray) for x in scores.values()):
        return  # on the disk
    spreads = {name: np.ptp(x) for name, x in scores.items()}
    for a, b in pairs_of(scores, baseline):
        x, y = scores[a], scores[b]
        is_constant = spreads[a] == spreads[b] == 0.0
        if is_paired:
            is_constant = is_constant or bool((x - y == x[0] - y[0]).all())
        if is_constant and max(len(x), len(y)) > 1 and x[0] != y[0]:
            yield a, b
