"""All that is public, in one file: names, parameters, defaults, fields, options.

    python -m tests.api

writes `tests/api.txt`. A test compares, so that no change of the API goes unseen: what
becomes of a line that is removed, CONTRIBUTING.md says under "Versions and names".
"""

import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sigarray._cli.main import _build_parser
from tests.docstrings import list_public

PATH = Path(__file__).with_name("api.txt")


def list_api() -> list[str]:
    """Return a line for each public name, and for each option of a command."""
    names = [line for name, x in list_public() for line in describe(name, x)]
    return sorted(names) + sorted(list_options())


def describe(name: str, member: Any) -> Iterator[str]:
    """Yield the lines of a function, of a class and its members, or of a value."""
    if inspect.isclass(member):
        yield f"{name}{list_fields(member)}"
        for part, value in sorted(list_members(member)):
            yield from describe(f"{name}.{part}", value)
    elif inspect.isroutine(member):
        yield f"{name}{show_signature(member)}"
    elif isinstance(member, dict):
        yield f"{name}: {', '.join(sorted(member))}"
    else:
        yield name


def list_fields(kind: type) -> str:
    """Return the fields of a named tuple or a dataclass, or how a class is called."""
    if hasattr(kind, "_fields"):
        return f": {', '.join(kind._fields)}"
    if dataclasses.is_dataclass(kind):
        names = (x.name for x in dataclasses.fields(kind))
        return f": {', '.join(x for x in names if not x.startswith('_'))}"
    if issubclass(kind, Exception):
        return f" is a {kind.__base__.__name__}"
    return show_signature(kind)


def list_members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that our own classes add."""
    fields = set(getattr(kind, "_fields", ()))
    fields |= set(getattr(kind, "__dataclass_fields__", ()))
    for base in kind.__mro__:
        if not base.__module__.startswith("sigarray"):
            continue
        for name, value in vars(base).items():
            if not name.startswith("_") and name not in fields:
                is_bound = isinstance(value, (classmethod, staticmethod))
                yield name, getattr(kind, name) if is_bound else value


def show_signature(function: Any) -> str:
    """Return names, kinds and defaults of parameters: types may become wider."""
    signature = inspect.signature(function)
    bare = [
        x.replace(annotation=inspect.Parameter.empty)
        for x in signature.parameters.values()
    ]
    return str(inspect.Signature(bare))


def list_options() -> Iterator[str]:
    """Yield the arguments of each command with the words that they take."""
    parser = _build_parser([])
    (commands,) = (x for x in parser._actions if isinstance(x.choices, dict))
    yield from (f"sigarray {x}" for x in list_arguments(parser))
    for name in commands.choices:
        of_command = _build_parser([name])
        (chosen,) = (x for x in of_command._actions if isinstance(x.choices, dict))
        for argument in list_arguments(chosen.choices[name]):
            yield f"sigarray {name} {argument}"


def list_arguments(parser: Any) -> Iterator[str]:
    """Yield the arguments of a parser, but for those that it does not show."""
    for action in parser._actions:
        if action.help == "==SUPPRESS==" or isinstance(action.choices, dict):
            continue
        words = "|".join(map(str, action.choices or ()))
        named = ", ".join(action.option_strings) or f"[{action.dest}]"
        yield f"{named} {words}".strip()


if __name__ == "__main__":
    PATH.write_text("\n".join(list_api()) + "\n", encoding="utf-8")
