"""The bytes and the text of a file, with limits on its kind, size and encoding."""

import codecs
import gzip
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from sigarray._numeric.sources import SUFFIXES

# More than ten million rows; memory holds several times as much.
_MAX_BYTES = 2**30
_CHUNK = 2**20
_GZIPPED = b"\x1f\x8b"
# The marks at the start of UTF-16, in which bytes of zero are parts of characters.
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TableError(ValueError):
    """A file that is not the expected table; the message says where and why."""


def read_bytes(
    path: str | Path, *, is_text: bool = False, most: int = _MAX_BYTES
) -> tuple[str, bytearray]:
    """Return the name and the bytes of a file; text, up to a byte that no text has."""
    name = "standard input" if str(path) == "-" else str(path)
    try:
        if name == "standard input":
            data = _read_all(_standard_input(), name, is_text, most)
        else:
            with open(path, "rb") as file:
                data = _read_all(file, name, is_text, most)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"{name} cannot be read: {reason}."
        raise TableError(msg) from error
    return name, data


def read_text(path: str | Path) -> tuple[str, str]:
    """Return the name of a file and its text, gzipped or not; "-" is standard input."""
    name, data = read_bytes(path, is_text=True)
    is_utf16 = data.startswith(_UTF16)
    try:
        text = data.decode("utf-16" if is_utf16 else "utf-8-sig")
        position = -1 if is_utf16 else data.find(b"\0")
    except UnicodeDecodeError as error:
        position = error.start
    if position >= 0:
        lines = data[:position].split(b"\n")
        msg = (
            f"{name}, line {len(lines)}, byte {len(lines[-1]) + 1}: expected UTF-8 "
            f"text; got the byte 0x{data[position]:02x}. Save the table as CSV in "
            "UTF-8."
        )
        if name.endswith(SUFFIXES):
            msg += " Parquet and Arrow files are for tables of scores alone."
        raise TableError(msg)
    return name, text


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        msg = "it is closed"
        raise OSError(msg)
    return sys.stdin.buffer


def _read_all(file: BinaryIO, name: str, is_text: bool, most: int) -> bytearray:
    """Read to the end, or to a byte that no text has, because /dev/zero has no end."""
    data = bytearray()
    first = file.read(_CHUNK)
    if first.startswith(_GZIPPED):
        file = gzip.GzipFile(fileobj=_Rest(first, file))  # type: ignore[call-overload]
        first = b""
    while chunk := first or file.read(_CHUNK):
        first = b""
        data += chunk
        if len(data) > most:
            msg = (
                f"{name}: expected a table of at most {most} bytes; got more. "
                "Write fewer columns, or fewer digits."
            )
            raise TableError(msg)
        if is_text and b"\0" in chunk and not data.startswith(_UTF16):
            break
    return data


class _Rest:
    """A file, from its start, of which some bytes were already read."""

    def __init__(self, start: bytes, file: BinaryIO) -> None:
        self._start, self._file = start, file

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            data, self._start = self._start + self._file.read(), b""
            return data
        data, self._start = self._start[:size], self._start[size:]
        return data + self._file.read(size - len(data))
