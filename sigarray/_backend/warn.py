"""Warnings that point to the line of the caller of the library."""

import sys
import warnings

_PACKAGE = __name__.partition(".")[0]


def warn_caller(message: str) -> None:
    """Warn at the line that called the library, however deep in it this is."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE
