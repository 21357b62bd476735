"""Words that readers search for, which lead to the page that answers.

The search of Sphinx splits `W&B` into letters, and knows no synonyms. But it takes
entries of the index as they are, so each word of search_words.toml becomes one.
"""

import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import index
from sphinx.application import Sphinx

FILE = Path(__file__).with_name("search_words.toml")


def read_words() -> dict[str, dict[str, list[str]]]:
    """Return the words by page, and by the place in it, "" for its top."""
    words: dict[str, dict[str, list[str]]] = {}
    for place, own in tomllib.loads(FILE.read_text("utf-8")).items():
        page, _, anchor = place.partition("#")
        words.setdefault(page, {})[anchor] = own
    return words


def add_entries(app: Sphinx, tree: nodes.document) -> None:
    """Put the words of a page into the index, at their sections.

    Raises
    ------
    ValueError
        A place that the page does not have.
    """
    page = app.env.docname
    app.env.note_dependency(str(FILE))
    sections = {x.get("slug", x["ids"][0]): x for x in tree.findall(nodes.section)}
    top = next(iter(sections.values()), None)
    for anchor, own in read_words().get(page, {}).items():
        section = sections.get(anchor) if anchor else top
        if section is None:
            msg = (
                f"Expected a section of {page} in search_words.toml; got {anchor!r}. "
                f"Take one of {sorted(sections)}."
            )
            raise ValueError(msg)
        place = section["ids"][0]
        entries = [("single", word, place, "main", None) for word in own]
        section.insert(1, index(entries=entries))


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through each page that was read, before its index is collected."""
    app.connect("doctree-read", add_entries, priority=100)
    return {"parallel_read_safe": True}
