"""Whether scores are waiting at standard input, for a command without FILE."""

import io
import os
import select
import stat
import sys

# For input that comes later than this, the user passes "-".
_SECONDS = 30.0


def has_input() -> bool:
    """Tell whether standard input is a pipe or a file that is not empty.

    A terminal, /dev/null, a socket and a closed standard input have nothing to read.

    Raises
    ------
    ValueError
        A pipe that has been empty for long, and has not ended.
    """
    try:
        number = sys.stdin.fileno()
        about = os.fstat(number)
    except (AttributeError, OSError, ValueError):
        return False
    if not stat.S_ISFIFO(about.st_mode):
        return stat.S_ISREG(about.st_mode) and _has_more()
    try:
        is_ready = bool(select.select([number], [], [], _SECONDS)[0])
    except OSError:  # On Windows, select takes sockets only.
        is_ready = True
    if not is_ready:
        msg = (
            "Expected scores at standard input, which is a pipe; got nothing within "
            f"{_SECONDS:g} seconds. Pass FILE, or - to wait longer, or < /dev/null for "
            "the example."
        )
        raise ValueError(msg)
    return _has_more()


def _has_more() -> bool:
    buffer = sys.stdin.buffer
    return isinstance(buffer, io.BufferedReader) and bool(buffer.peek(1))
