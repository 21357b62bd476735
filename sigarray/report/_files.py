"""Files that are written as a whole, and pictures as SVG, in files and in pages."""

import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from sigarray.report._html import show


def write_file(path: str, data: bytes) -> None:
    """Write a file as a whole: if that fails or is interrupted, none is left."""
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


def write_svg(figure: Any, title: str, description: str = "") -> str:
    """Return a picture as an SVG file, with the same bytes each time.

    Text stays text, which can be searched, selected and read aloud. What is to be seen
    is described for readers who hear the picture.
    """
    text = _draw(figure)
    start = text.index(">", text.index("<svg")) + 1
    said = (
        f"\n <title>{show(title)}</title>"
        f"\n <desc>{show(description or describe_figure(figure))}</desc>"
    )
    return text[:start] + said + text[start:]


def _draw(figure: Any) -> str:
    import matplotlib as mpl

    data = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "sigarray", "svg.fonttype": "none"}):
        figure.savefig(data, format="svg", bbox_inches="tight", metadata={"Date": None})
    return data.getvalue().decode()


def write_inline_svg(figure: Any, title: str, description: str, place: int) -> str:
    """Return a picture as an element of a page, with a title and a description.

    Names within it get the place of the picture, because a page may have each but once.
    """
    text = _draw(figure)
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    used = set(re.findall(r"#([\w-]+)", text))

    def rename(match: re.Match[str]) -> str:
        return f' id="p{place}-{match[1]}"' if match[1] in used else ""

    text = re.sub(r' id="([^"]*)"', rename, text)
    text = re.sub(r'(href="|url\()#', rf"\1#p{place}-", text)
    head, body = text.split(">", 1)
    names = f'aria-labelledby="p{place}-title p{place}-desc"'
    said = (
        f'<title id="p{place}-title">{show(title)}</title>\n'
        f'<desc id="p{place}-desc">{show(description or describe_figure(figure))}'
        "</desc>"
    )
    return f'{head} role="img" {names}>\n{said}{body.rstrip()}'


def describe_figure(figure: Any) -> str:
    """Say what a picture shows: its axes, their labels, and what is named on them."""
    return " ".join(
        said for ax in figure.axes if ax.get_visible() for said in _describe_axes(ax)
    )


def _describe_axes(ax: Any) -> list[str]:
    said = []
    if title := ax.get_title():
        said.append(f"{_one_line(title)}.")
    for where, axis in (("Across", ax.xaxis), ("Upwards", ax.yaxis)):
        label = _one_line(axis.get_label_text())
        ticks = [_one_line(x.get_text()) for x in axis.get_ticklabels()]
        shown = ", ".join(x for x in ticks if x) if axis.get_visible() else ""
        if label or shown:
            said.append(f"{where}: {': '.join(filter(None, (label, shown)))}.")
    legend = ax.get_legend()
    if legend is not None:
        names = ", ".join(_one_line(x.get_text()) for x in legend.get_texts())
        said.append(f"Key: {names}.")
    notes = [_one_line(x.get_text()) for x in ax.texts if x.get_visible()]
    if any(notes):
        said.append(f"Written in it: {'; '.join(filter(None, notes))}.")
    return said


def _one_line(text: str) -> str:
    return " ".join(text.split())
