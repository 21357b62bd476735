"""Arguments of the command, before they are parsed."""

import itertools
from collections.abc import Sequence
from pathlib import Path

_DIRECTIONS = ("--lower-is-better", "--higher-is-better")


def separate_files(arguments: Sequence[str]) -> list[str]:
    """Return arguments in which a FILE behind the direction is no metric."""
    separate = list(arguments)
    for k, (option, after) in enumerate(itertools.pairwise(arguments)):
        path = after if Path(after).exists() else after.partition("=")[2]
        is_file = after == "-" or (bool(path) and Path(path).exists())
        if option in _DIRECTIONS and is_file:
            separate[k] = f"{option}="
    return separate
