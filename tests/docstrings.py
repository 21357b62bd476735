"""Docstrings of public functions, and what they say of shared parameters.

    python -m tests.docstrings

writes the texts of `tests/parameters.py` into all docstrings. They are plain text in
the source, because an editor shows it as it stands there, and runs nothing.
"""

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.parameters import find_text

ROOMS = (
    "corpus",
    "deepsig",
    "plot",
    "read",
    "report",
    "responses",
    "responses.metrics",
)
INDENT = " " * 4
WIDTH = 88


class Parameter(NamedTuple):
    """What a docstring says of one parameter, or of several that are alike."""

    names: str
    kind: str
    paragraphs: tuple[str, ...]
    """Of the description, as they stand there, but for the indentation."""

    @property
    def shared(self) -> str:
        """The first paragraph in one line."""
        return " ".join(self.paragraphs[0].split()) if self.paragraphs else ""

    def write(self) -> str:
        """Return the lines of a docstring."""
        head = self.names + (f" : {self.kind}" if self.kind else "")
        body = textwrap.indent("\n\n".join(self.paragraphs), INDENT)
        return f"{head}\n{body}"


def list_public() -> Iterator[tuple[str, Any]]:
    """Yield all that is public and no module, by the name that users write."""
    for room in ("", *ROOMS):
        module = importlib.import_module(".".join(filter(None, ("sigarray", room))))
        for name in module.__all__:
            member = getattr(module, name)
            if not inspect.ismodule(member):
                yield ".".join(filter(None, (room, name))), member


FUNCTIONS = {
    name: inspect.unwrap(member)
    for name, member in list_public()
    if inspect.isfunction(member)
}
PATHS = {name: Path(inspect.getfile(x)) for name, x in FUNCTIONS.items()}


def split(docstring: str) -> tuple[str, list[Parameter], str]:
    """Split a clean docstring into what is before, of, and after the parameters."""
    before, mark, rest = docstring.partition("Parameters\n----------\n")
    if not mark:
        return docstring, [], ""
    lines = rest.splitlines()
    ends = (
        k - 1 for k, line in enumerate(lines) if k and set(line) == {"-"} and line[0]
    )
    end = next(ends, len(lines))
    parameters: list[Parameter] = []
    for line in "\n".join(lines[:end]).rstrip().splitlines():
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            parameters.append(Parameter(names, kind, ()))
            body: list[str] = []
        else:
            body.append(line)
            text = textwrap.dedent("\n".join(body))
            paragraphs = tuple(x for x in text.split("\n\n") if x)
            parameters[-1] = parameters[-1]._replace(paragraphs=paragraphs)
    return before + mark, parameters, "\n".join(["", *lines[end:]])


def renew(function: str, parameter: Parameter) -> Parameter:
    """Return a parameter with its text of `tests/parameters.py`, if it has one."""
    text = find_text(function, parameter.names)
    if text is None:
        return parameter
    width = WIDTH - 2 * len(INDENT)
    filled = textwrap.fill(text, width, break_on_hyphens=False, break_long_words=False)
    return parameter._replace(paragraphs=(filled, *parameter.paragraphs[1:]))


def rewrite(function: str, docstring: str) -> str:
    """Return a clean docstring with the texts of its shared parameters."""
    before, parameters, after = split(docstring)
    if not parameters:
        return docstring
    written = "\n".join(renew(function, x).write() for x in parameters)
    return f"{before}{written}\n{after}"


def write_all() -> None:
    """Write the texts into the docstrings of all functions."""
    for name, path in PATHS.items():
        text = path.read_text("utf-8")
        old = find_docstring(text, FUNCTIONS[name].__name__)
        new = textwrap.indent(rewrite(name, inspect.cleandoc(old)), INDENT)
        path.write_text(text.replace(old, f"{new.lstrip()}\n{INDENT}", 1), "utf-8")


def find_docstring(text: str, function: str) -> str:
    """Return the docstring of a function in the text of a module, as it is written."""
    (found,) = (
        x
        for x in ast.parse(text).body
        if isinstance(x, ast.FunctionDef) and x.name == function
    )
    statement = found.body[0]
    quoted = ast.get_source_segment(text, statement)
    return quoted.removeprefix("r").strip('"')


if __name__ == "__main__":
    write_all()
