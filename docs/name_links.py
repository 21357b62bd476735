"""Names of public functions and of commands in pages lead to what is said of them."""

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

# The rooms whose names are used as `plot.scores`, and without the room where no other
# one has the name.
ROOMS = ("corpus", "plot", "read", "report", "responses", "responses.metrics")
COMMANDS = ("compare", "power", "correct", "responses", "study")
# A name before its arguments, or alone.
CALL = re.compile(r"(?<![\w.=\"'/-])((?:[a-z_]+\.)*[A-Za-z_]\w*)(?=\(|$)")
# What is a link already, or is said in a list of contents.
UNLINKED = (nodes.title, nodes.reference, pending_xref)
COMMAND = re.compile(rf"sigarray (?:{'|'.join(COMMANDS)})(?![\w/.-])")


def list_public(name: str) -> list[str]:
    """Return the functions and classes that a module makes public."""
    module = importlib.import_module(name)
    found = ((x, getattr(module, x)) for x in module.__all__)
    return [x for x, it in found if inspect.isfunction(it) or inspect.isclass(it)]


def name_targets() -> dict[str, str]:
    """Return the full name of what may be meant by each name."""
    targets = {x: f"sigarray.{x}" for x in list_public("sigarray")}
    short = Counter(x for room in ROOMS for x in list_public(f"sigarray.{room}"))
    for room in ROOMS:
        # The names of metrics are common words, and options elsewhere.
        is_clear = room != "corpus"
        for x in list_public(f"sigarray.{room}"):
            full = f"sigarray.{room}.{x}"
            targets[f"{room}.{x}"] = full
            if short[x] == 1 and is_clear:
                targets.setdefault(x, full)
    rooms = [f"sigarray.{room}" for room in (*ROOMS, "deepsig")]
    return targets | {full: full for full in (*rooms, *targets.values())}


def split(text: str, targets: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield (text before, name, target) of the names in code, and the rest without."""
    end = 0
    if found := COMMAND.match(text):
        yield "", found[0], f"command-{found[0].split()[1]}"
        end = found.end()
    elif text not in COMMANDS:
        for found in CALL.finditer(text):
            is_name = found[1] == text or text.startswith("(", found.end())
            if is_name and found[1] in targets:
                yield text[end : found.start()], found[1], targets[found[1]]
                end = found.end()
    yield text[end:], "", ""


def link_names(app: Sphinx, tree: nodes.document) -> None:
    """Put links around the names in inline code, but for headings and other links."""
    if app.env.docname.startswith("api/"):
        return
    targets = name_targets()
    for code in list(tree.findall(nodes.literal)):
        if "xref" in code["classes"] or is_within(code, UNLINKED):
            continue
        *linked, (rest, _, _) = split(code.astext(), targets)
        if not linked:
            continue
        code.clear()
        for before, name, target in linked:
            code.extend([nodes.Text(before), refer(app, name, target)])
        code.append(nodes.Text(rest))


def is_within(node: nodes.Node | None, kinds: tuple[type, ...]) -> bool:
    """Whether a node is in one of these kinds."""
    return node is not None and (
        isinstance(node, kinds) or is_within(node.parent, kinds)
    )


def refer(app: Sphinx, name: str, target: str) -> pending_xref:
    """Refer to a function, or to the place of a command."""
    is_command = target.startswith("command-")
    return pending_xref(
        "",
        nodes.inline(text=name),
        refdomain="std" if is_command else "py",
        reftype="ref" if is_command else "obj",
        refdoc=app.env.docname,
        reftarget=target,
        refexplicit=True,
        refwarn=True,
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through each page that was read."""
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True}
