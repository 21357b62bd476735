"""What to say of scores once they are compared: warnings, and notes that caution."""

from collections.abc import Mapping

from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.constants import doubt_constants
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.overall import note_scales
from sigarray._verdicts.single_runs import doubt_single_runs
from sigarray._verdicts.task_counts import note_lacking
from sigarray._verdicts.test import Test


def doubt_compared(
    compared: Mapping[str, Comparison], test: Test, over: OverTasks | None
) -> None:
    """Say which scores do not vary, which are single, and what tasks have in common.

    `over` is None, too, where another verdict over tasks says of their scales.
    """
    doubt_constants(compared, test)
    doubt_single_runs(compared)
    note_lacking(compared)
    note_scales(over)
