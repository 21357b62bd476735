"""Files of pictures."""

import io
from collections.abc import Sequence
from pathlib import Path

from sigarray._verdicts.notes import note
from sigarray._verdicts.pictures import Picture
from sigarray.report._files import write_file
from sigarray.report._svg import write_svg

PICTURES = (".pdf", ".svg", ".png", ".eps", ".jpg")


def save_pictures(pictures: Sequence[Picture], path: str) -> None:
    """Write the first picture to a file, or all of them to a PDF, or nothing.

    Raises
    ------
    ValueError
        A file that cannot be written, or an ending other than those of `PICTURES`.
    """
    if not path.lower().endswith(PICTURES):
        msg = f"Expected path to end in {', '.join(PICTURES)}; got {path}."
        raise ValueError(msg)
    data = io.BytesIO()
    kind = Path(path).suffix[1:].lower()
    shown = pictures if kind == "pdf" else pictures[:1]
    if kind == "pdf":
        from matplotlib.backends.backend_pdf import PdfPages

        with PdfPages(data) as pages:
            for picture in pictures:
                pages.savefig(picture.figure, bbox_inches="tight")
    elif kind == "svg":
        first = pictures[0]
        text = write_svg(first.figure, first.caption, first.description)
        data.write(text.encode())
    else:
        pictures[0].figure.savefig(data, format=kind, dpi=200, bbox_inches="tight")
    write_file(path, data.getvalue())
    for page, picture in enumerate(shown, 1):
        where = f"{path}, page {page}" if len(shown) > 1 else path
        note(f"{where}: {picture.caption}")
    if len(shown) < len(pictures):
        n = len(pictures) - 1
        note(f"a .pdf has {n} more picture{'s' if n > 1 else ''}, as has --report")
