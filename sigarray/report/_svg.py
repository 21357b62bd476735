"""Pictures as SVG, in files and within a page."""

import html
import io
import re
from typing import Any

from sigarray._plain_text import show_controls


def write_svg(
    figure: Any, title: str, description: str, *, has_text: bool = False
) -> str:
    """Return a picture as an SVG file, with the same bytes each time.

    It has a title, and says what is to be seen, for readers who hear the picture. With
    text, letters are not drawn as shapes, but can be searched and selected.
    """
    import matplotlib as mpl

    data = io.BytesIO()
    options = {"svg.fonttype": "none" if has_text else "path"}
    metadata = {"Date": None, "Title": show_controls(title)}
    with mpl.rc_context({"svg.hashsalt": "sigarray"} | options):  # type: ignore[arg-type]
        figure.savefig(data, format="svg", bbox_inches="tight", metadata=metadata)
    said = html.escape(show_controls(description), quote=False)
    text = data.getvalue().decode()
    return text.replace("</title>", f"</title>\n <desc>{said}</desc>", 1)


def write_inline_svg(figure: Any, title: str, description: str, place: int) -> str:
    """Return a picture as an element of a page, in which text stays text.

    Names within it get the place of the picture, because a page may have each but once.
    """
    text = write_svg(figure, title, description, has_text=True)
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    used = set(re.findall(r"#([\w-]+)", text))

    def rename(match: re.Match[str]) -> str:
        return f' id="p{place}-{match[1]}"' if match[1] in used else ""

    text = re.sub(r' id="([^"]*)"', rename, text)
    text = re.sub(r'(href="|url\()#', rf"\1#p{place}-", text)
    names = f'role="img" aria-labelledby="p{place}-title p{place}-desc"'
    text = text.replace("<svg", f"<svg {names}", 1)
    for name in ("title", "desc"):
        text = text.replace(f"<{name}>", f'<{name} id="p{place}-{name}">', 1)
    return text.rstrip()
