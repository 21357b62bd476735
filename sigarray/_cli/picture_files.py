"""Files of pictures, and of other data that are written as a whole."""

import io
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sigarray._verdicts.notes import note
from sigarray._verdicts.pictures import Picture

FORMATS = (".pdf", ".svg", ".png", ".eps", ".jpg")


def is_same_file(path: str, other: str) -> bool:
    """Tell whether two paths name one file."""
    try:
        return Path(path).samefile(other)
    except OSError:
        return False


def save_pictures(pictures: Sequence[Picture], path: str) -> None:
    """Write the first picture to a file, or all of them to a PDF, or nothing."""
    data = io.BytesIO()
    kind = Path(path).suffix[1:].lower()
    if kind == "pdf":
        from matplotlib.backends.backend_pdf import PdfPages

        with PdfPages(data) as pages:
            for picture in pictures:
                pages.savefig(picture.figure, bbox_inches="tight")
        shown = pictures
    else:
        figure = pictures[0].figure
        figure.savefig(data, format=kind, dpi=200, bbox_inches="tight")
        shown = pictures[:1]
    write_file(path, data.getvalue())
    for page, picture in enumerate(shown, 1):
        where = f"{path}, page {page}" if len(shown) > 1 else path
        note(f"{where}: {picture.caption}")
    if len(shown) < len(pictures):
        note(f"a .pdf has {len(pictures) - 1} more pictures, as --report")


def as_svg(picture: Picture) -> bytes:
    """Return a picture as SVG, with the same bytes each time."""
    import matplotlib as mpl

    data = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "sigarray"}):
        picture.figure.savefig(
            data, format="svg", bbox_inches="tight", metadata={"Date": None}
        )
    return data.getvalue()


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
