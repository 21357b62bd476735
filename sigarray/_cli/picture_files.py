"""Files of pictures."""

import io
from collections.abc import Sequence
from pathlib import Path

from sigarray._verdicts.notes import note
from sigarray._verdicts.pictures import Picture
from sigarray.report._files import write_file

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
