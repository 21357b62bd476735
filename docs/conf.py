"""The site: `python -m sphinx -W -n --keep-going docs docs/_build`.

Nothing is fetched, by the build or by the pages: equations are MathML, which browsers
set without a script, and names of other libraries are no links.
"""

import html
import inspect
import os
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyXRefRole
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

ROOT = Path(__file__).parents[1]
# The library of this checkout, whether or not another one is installed, and what is
# beside this file.
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import sigarray  # noqa: E402
from sigarray import _response_results, results  # noqa: E402
from sigarray._cli.main import _build_parser  # noqa: E402

logger = getLogger(__name__)

project = "sigarray"
author = "The sigarray developers"
copyright = f"{author}, BSD-3-Clause"  # noqa: A001
release = version = sigarray.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "name_links",
    "picture_pages",
    "search_words",
]
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}

exclude_patterns = ["_build"]

# Files, and parts of them, that are pages by another name.
PAGES = {
    "README.md": "index.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/results/summary.md": "reproduction.md",
    "docs/gallery": "pictures.md",
    "tests/read/files/README.md": "files.md#files-of-evaluation-tools",
}

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
smartquotes = False  # Of "two-sided", what is typed.

# Docstrings say of each parameter what it may be, better than its annotation.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
default_role = "name"

html_theme = "pydata_sphinx_theme"
html_title = "sigarray"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "navbar_align": "left",
    "navbar_center": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 2,
    "show_prev_next": True,
    "show_toc_level": 2,
}
html_sidebars = {"**": ["pages"]}


class Name(PyXRefRole):
    """Single backticks of a docstring: code, and a link where it names what is here."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Refer to an object of any kind, which need not be there."""
        self.name = "py:obj"
        found, messages = super().run()
        found[0]["need_not_be_there"] = True
        return found, messages


def look_above(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, shown: nodes.Element
) -> nodes.reference | None:
    """Look in `sigarray` for a name that the docstring's own room does not have."""
    if not node.get("need_not_be_there"):
        return None
    domain, name = environment.domains["py"], f"sigarray.{node['reftarget']}"
    where = environment, node["refdoc"], app.builder
    return domain.resolve_xref(*where, "obj", name, node, shown)


def allow_code(app: Sphinx, domain: Any, node: pending_xref) -> bool | None:
    """Let `batch`, `x.item()` and other names without a page be code."""
    del app, domain
    return True if node.get("need_not_be_there") else None


class CommandHelp(SphinxDirective):
    """What `sigarray COMMAND --help` prints."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Give it as a literal block, of 80 columns on any terminal."""
        os.environ["COLUMNS"] = "80"
        parser = _build_parser(self.arguments)
        (commands,) = (x.choices for x in parser._actions if x.dest == "command")
        text = commands[self.arguments[0]].format_help()
        return [nodes.literal_block(text, text, language="text")]


def set_inline(self: Any, node: nodes.math) -> None:
    """Write an inline equation."""
    self.body.append(write_mathml(node))
    raise nodes.SkipNode


def set_block(self: Any, node: nodes.math_block) -> None:
    """Write an equation of its own lines."""
    self.body.append(f'<div class="math">{write_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def write_mathml(node: nodes.Element, *, as_block: bool = False) -> str:
    """Give an equation in MathML; one that docutils cannot read is a warning."""
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except (SyntaxError, ValueError) as error:
        logger.warning("equation: %s", error, location=node)
        return html.escape(node.astext())


def move_links(app: Sphinx, path: Path, docname: str, content: list[str]) -> None:
    """Let the links of an included file lead to what they mean, from a page."""
    del app, docname
    included = (ROOT / "docs" / path).resolve().relative_to(ROOT)

    def move(link: re.Match[str]) -> str:
        target, _, anchor = link[1].partition("#")
        place = os.path.normpath(included.parent / target if target else included)
        anchor = anchor and f"#{anchor}"
        if place + anchor in PAGES:
            return f"]({PAGES[place + anchor]})"
        page = PAGES.get(place) or os.path.relpath(ROOT / place, ROOT / "docs")
        return f"]({page}{anchor})" if target else link[0]

    content[0] = re.sub(r"\]\((?!https?:)([^)\s]+)\)", move, content[0])


def number_references(app: Sphinx, tree: nodes.document) -> None:
    """Call references 1, 2, ... again, which numpydoc made unique for the page."""
    del app
    for node in tree.findall(lambda x: isinstance(x, nodes.label | pending_xref)):
        for text in list(node.findall(nodes.Text)):
            number = re.sub(r"^(\[?)R[0-9a-f]{12}-(\d+)(\]?)$", r"\1\2\3", text)
            if number != text:
                text.parent.replace(text, nodes.Text(number))


def clear_fields() -> None:
    """Let the fields of results be described by their classes alone.

    Python says "Alias for field number 0" of each, which numpydoc would prefer.
    """
    for module in (results, _response_results):
        for _, result in inspect.getmembers(module, inspect.isclass):
            for field in getattr(result, "_fields", ()):
                getattr(result, field).__doc__ = ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Add what is above."""
    clear_fields()
    app.add_role("name", Name())
    app.add_directive("command-help", CommandHelp)
    app.add_html_math_renderer("mathml", (set_inline, None), (set_block, None))
    app.connect("include-read", move_links)
    app.connect("doctree-read", number_references)
    app.connect("missing-reference", look_above)
    app.connect("warn-missing-reference", allow_code)
    return {"parallel_read_safe": True}
