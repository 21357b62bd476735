"""The pictures of docs/gallery on pages: as thumbnails, and with what draws them."""

import inspect
import pydoc
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

DOCS = Path(__file__).parent
FOLDER = DOCS / "gallery"


class Picture(NamedTuple):
    """An entry of pictures.toml."""

    name: str
    function: str
    code: str
    alt: str
    note: str = ""

    @property
    def uri(self) -> str:
        """The file, from the folder of the pages."""
        return f"gallery/{self.name}.png"

    @property
    def summary(self) -> str:
        """The first line of the docstring of its function."""
        said = inspect.getdoc(pydoc.locate(self.function)) or ""
        return said.partition("\n")[0].replace("`", "")

    @property
    def is_command(self) -> bool:
        """Whether a command makes it, and no line of Python."""
        return self.code.startswith("sigarray ")


def read_pictures() -> list[Picture]:
    """Read the entries, in their order.

    Raises
    ------
    ValueError
        A picture without an entry, or an entry without a picture.
    """
    entries = tomllib.loads((FOLDER / "pictures.toml").read_text("utf-8"))
    files = {path.stem for path in FOLDER.glob("*.png")}
    if files != set(entries):
        msg = (
            f"Expected one entry in pictures.toml for each PNG beside it; got "
            f"{sorted(files ^ set(entries))} on one side only. Add the entry, or run "
            f"python docs/gallery.py."
        )
        raise ValueError(msg)
    return [Picture(name, **entry) for name, entry in entries.items()]


class Gallery(SphinxDirective):
    """All pictures, each with the line that draws it and a link to its function."""

    def run(self) -> list[nodes.Node]:
        """Make a card of each."""
        self.env.note_dependency(str(FOLDER / "pictures.toml"))
        cards = [self.make_card(picture) for picture in read_pictures()]
        return [nodes.container("", *cards, classes=["gallery"])]

    def make_card(self, picture: Picture) -> nodes.container:
        """Show one picture, which leads to its file, and where more is said of it."""
        image = nodes.image(uri=picture.uri, alt=picture.alt, width="100%")
        name = picture.function.removeprefix("sigarray.")
        said = nodes.paragraph(
            "", "", refer(picture, nodes.literal(text=name)), nodes.Text(": ")
        )
        said += nodes.Text(f"{picture.summary} {picture.note}".rstrip())
        language = "sh" if picture.is_command else "python"
        code = nodes.literal_block(picture.code, picture.code, language=language)
        return nodes.container("", image, said, code, classes=["gallery-card"])


def refer(picture: Picture, shown: nodes.Node) -> pending_xref:
    """Make of what is shown a link to the function of a picture."""
    return pending_xref(
        "", shown, refdomain="py", reftype="obj", reftarget=picture.function
    )


def show_picture(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Put the pictures of a function below the summary of its docstring."""
    del app, what, thing, options
    own = [x for x in read_pictures() if x.function == name]
    shown: list[str] = []
    for picture in own:
        shown += ["", f".. image:: /{picture.uri}", f"   :alt: {picture.alt}"]
    if own:
        text = "\n".join(lines).lstrip("\n")
        summary, _, rest = text.partition("\n\n")
        lines[:] = [*summary.splitlines(), *shown, "", *rest.splitlines()]


def set_widths(app: Sphinx, doctree: nodes.document) -> None:
    """Show pictures of pages at three quarters of their pixels, for sharp letters.

    Sphinx makes of an image with a width a link to its file, which a small screen can
    enlarge.
    """
    for image in doctree.findall(nodes.image):
        path = app.srcdir / image["uri"]
        if path.suffix == ".png" and "width" not in image:
            image["width"] = f"{3 * find_width(path) // 4}px"


def find_width(path: Path) -> int:
    """Read how many pixels wide a PNG is: the fifth word of the file."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(20)[16:], "big")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive, and the pictures of functions."""
    app.add_directive("gallery", Gallery)
    # numpydoc comes first, and makes sections of the docstring.
    app.connect("autodoc-process-docstring", show_picture, priority=900)
    app.connect("doctree-read", set_widths, priority=900)
    return {"parallel_read_safe": True}
