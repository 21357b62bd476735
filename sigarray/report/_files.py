"""Files that are written as a whole."""

import os
import tempfile
from pathlib import Path


def write_file(path: str, data: bytes) -> None:
    """Write a file as a whole: if that fails or is interrupted, none is left.

    Raises
    ------
    ValueError
        A file that cannot be written.
    """
    folder = Path(path).absolute().parent
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".sigarray-")
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}."
        raise ValueError(msg) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
