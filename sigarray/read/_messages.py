"""Notes, heard by a listener or as warnings, and messages in words of Python."""

import contextlib
import contextvars
import re
import shlex
import threading
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

# Shorter waits, in seconds, are not announced.
_LONG = 1.0


# What becomes of runs without a score, and of those that have crashed or ended early.
OR_WORST = ", or --missing worst, which counts each as the worst score of any run"
DROP_OR_WORST = f"--missing drop, which leaves such runs out{OR_WORST}"
DROP_WORST_OR_KEEP = (
    f"{DROP_OR_WORST}; to take what each has logged last, pass --missing keep"
)


class Listener(NamedTuple):
    """Receives notes, and counts steps: `track(steps, name)` yields these."""

    note: Callable[[str], None]
    track: Callable[[Sequence[Any], str], Iterator[Any]]


_LISTENER: contextvars.ContextVar[Listener | None] = contextvars.ContextVar(
    "listener", default=None
)


@contextlib.contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def note(text: str) -> None:
    listener = _LISTENER.get()
    if listener is not None:
        listener.note(text)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the caller of the function that does so."""
    warnings.warn(text, category, stacklevel=3)


def announce(task: str, seconds: float, advice: str) -> None:
    if seconds >= _LONG:
        note(f"{task} takes {show_seconds(seconds)}. {advice}")


def track(steps: Sequence[T], name: str) -> Iterator[T]:
    listener = _LISTENER.get()
    if listener is None:
        yield from steps
    else:
        yield from listener.track(steps, name)


def show_seconds(seconds: float) -> str:
    """Show a guess at a time, with one digit."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2.0 * size:
            return f"about {float(f'{seconds / size:.1g}'):.0f} {unit}"
    return f"about {max(float(f'{seconds:.1g}'), 2.0):.0f} seconds"


def say_once(notes: Iterable[str], tasks: Iterable[str]) -> Iterator[str]:
    by: dict[str, tuple[str, list[str]]] = {}
    for said in notes:
        named = next((x for x in tasks if f" of task {x!r}" in said), None)
        key = said if named is None else said.replace(f" of task {named!r}", "\0")
        by.setdefault(key, (said, []))[1].append(repr(named))
    for key, (said, names) in by.items():
        several = f" of each of tasks {', '.join(names)}"
        yield type(said)(key.replace("\0", several)) if names[1:] else said


def say_call(
    function: str, source: Any, inner: Collection[str], options: Mapping[str, Any]
) -> str:
    """Write a call of the reader, with its options, within that of a function."""
    if isinstance(source, Mapping):
        return ": read the scores with it, and pass what it returns."
    is_named = isinstance(source, (str, list))
    read = [repr(source) if is_named else "df"]
    read += [f"{x}={y!r}" for x, y in options.items() if x in inner]
    others = [f"{x}={y!r}" for x, y in options.items() if x not in inner]
    both = ", ".join([f"read.scores({', '.join(read)})", *others])
    return f". Call {function}({both}), after: from sigarray import read."


# Options that have another name in Python, or are flags, or are not arguments.
_ARGUMENTS = {
    "lower-is-better": "higher_is_better=False",
    "higher-is-better": "higher_is_better=True",
    "paired": "paired=True",
    "drop-unmatched": "drop_unmatched=True",
    "no-correction": "corrected=False",
    "columns": "models",
    "pattern": "columns",
    "ignore": "frame.drop(columns=...)",
    "seed": "rng",
}
_WITH_VALUE = (
    *("test", "unit", "method", "baseline", "model", "item", "run", "task", "cluster"),
    *("fold", "score", "metric", "missing", "table", "ignore", "tasks", "statistic"),
)
_OTHERS = (
    *("where", "path", "alpha", "dt", "threshold", "format", "confidence-level"),
    *("n-resamples", "test-share", "margin", "workers", *_ARGUMENTS),
)
# Options that are arguments of `read.scores`, and of no other function.
_OF_READING = (
    *("model", "item", "run", "task", "cluster", "score", "metric", "table", "columns"),
    *("fold", "tasks", "where", "path", "pattern", "drop-unmatched"),
)
_OF_MAPPINGS = ("tasks", "drop-unmatched")
# Words that may follow an option and are not its value.
_WORDS = "a|and|as|for|in|is|it|of|or|says|that|the|to|where|which|with|names"
_VALUE = rf"'(?P<quoted>[^']*)'|(?!(?:{_WORDS})\b)(?P<value>[\w./-]*\w(?:,[\w./-]*\w)*)"
_OPTION = re.compile(
    # Dashes within a word are a part of a name, such as models--bert-base.
    rf"(?<![^\s(])--(?:columns '(?P<pattern>[^']*{{[^']*)'|"
    r"where (?:'(?P<rows>[^'=]+=[^']*)'|(?P<row>[\w./-]+=[\w./-]*\w(?:,[\w./-]*\w)*))|"
    rf"(?P<option>{'|'.join(_WITH_VALUE)}) (?:{_VALUE})"
    rf"|(?P<name>{'|'.join([*_OTHERS, *_WITH_VALUE])})(?![\w-]))"
)
# Stands for a name, which is not translated: characters for private use.
_MARK = "\ue000{}\ue001"
_FRAME_LAST = re.compile("\ue002([^\ue003]+), (frame\\.drop[^\ue003]+)\ue003")
# Warnings are caught for the whole process, so that one call runs at a time.
_LOCK = threading.RLock()


class SingleTaskWarning(UserWarning):
    """Is of verdicts on single tasks, without which a command is brief."""


@contextlib.contextmanager
def hold_warnings(category: type[Warning]) -> Iterator[list[str]]:
    held: list[str] = []
    show = warnings.showwarning

    def hold(message: Any, kind: type[Warning], *place: Any) -> None:
        if issubclass(kind, category):
            held.append(str(message))
        else:
            show(message, kind, *place)

    with warnings.catch_warnings():
        warnings.showwarning = hold  # type: ignore[assignment]
        yield held


class RepeatedWarning(UserWarning):
    """Is said by the first lines of the report, too."""


class Caution(str):
    """Says that scores were left out, count as the worst, or are not alike."""

    __slots__ = ()


class RepeatedCaution(Caution):
    __slots__ = ()


class CautionOfRaters(Caution):
    __slots__ = ()


class DoubtOfGroups(str):
    """Doubts that items are independent, unless they are in clusters."""

    __slots__ = ()


def put_place(place: str, note: str) -> str:
    """Return a note behind its place; a caution remains one."""
    return type(note)(f"{place}: {note}")


def say_single(task: str, models: Sequence[object]) -> Caution:
    which = f"only {str(models[0])!r} has" if models else "no model has"
    return Caution(f"task {task!r} was left out: {which} scores")


def say_without(which: str, metrics: Sequence[str], other: str | None) -> Caution:
    if not metrics:
        return Caution(f"{which} left out, without a score")
    known = ", ".join(map(repr, metrics))
    said = f"{which} left out, without metric {known}"
    if other is None:
        return Caution(said)
    every = shlex.quote(",".join([*metrics, other]))
    return Caution(
        f"{said}. With --metric {every}, each task has the first of these that it has"
    )


def say_in_python(message: str, names: Iterable[str] = ()) -> str:
    """Write options of the command as arguments of a call, but not in names."""
    return _translate(message, names)[0]


def _translate(message: str, names: Iterable[str]) -> tuple[str, list[str]]:
    options: list[str] = []

    def translate(match: re.Match[str]) -> str:
        if match["pattern"]:
            options.append("pattern")
            return f"columns={match['pattern']!r}"
        if match["rows"] or match["row"]:
            options.append("where")
            column, _, values = (match["rows"] or match["row"]).partition("=")
            return f"where={{{column!r}: {values.split(',')}}}"
        options.append(match["option"] or match["name"])
        if match["option"]:
            value = match["value"] or match["quoted"]
            if match["option"] == "ignore":
                return f"frame.drop(columns={value.split(',')})"
            if match["option"] == "tasks":
                return f"tasks={value.split(',')}"
            return f"{match['option']}={value!r}"
        name = match["name"]
        return _ARGUMENTS.get(name, name.replace("-", "_"))

    kept = sorted((x for x in set(names) if "--" in x), key=len, reverse=True)
    for k, name in enumerate(kept):
        message = message.replace(name, _MARK.format(k))
    # Options in a row are arguments of one call, of which the frame is the first.
    message = _OPTION.sub(lambda x: f"\ue002{translate(x)}\ue003", message)
    message = message.replace("\ue003 \ue002", ", ")
    message = _FRAME_LAST.sub(r"\2, \1", message)
    message = message.translate({0xE002: None, 0xE003: None})
    for k, name in enumerate(kept):
        message = message.replace(_MARK.format(k), name)
    return message, options


def list_names_of(scores: Any) -> list[str]:
    if not isinstance(scores, Mapping):
        return []
    inner = [x for x in scores.values() if isinstance(x, Mapping)]
    return [str(name) for by in (scores, *inner) for name in by]


@contextlib.contextmanager
def errors_in_python(names: Collection[str]) -> Iterator[None]:
    """Translate options in errors of a public function to its arguments."""
    try:
        yield
    except ValueError as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            message, options = _translate(error.args[0], names)
            error.args = (message,)
            # An outer function may not have all arguments of an inner one.
            error.options = options or getattr(error, "options", [])  # type: ignore[attr-defined]
        raise


def _advise_to_read(options: Iterable[str]) -> str:
    arguments = [
        f"{_ARGUMENTS.get(x, x).partition('=')[0]}="
        for x in options
        if x in _OF_READING
    ]
    are_its = "are arguments" if len(arguments) > 1 else "is an argument"
    return (
        f"{', '.join(arguments)} {are_its} of sigarray.read.scores: read the scores "
        "with it, and pass what it returns."
    )


@contextlib.contextmanager
def in_words_of_python(names: Collection[str]) -> Iterator[list[str]]:
    """Translate options in errors and warnings of a public function to its arguments.

    The block gets a list, in which the warnings are at its end. An error that names
    arguments of `read.scores`, which the function does not have, says so; if the scores
    are a mapping, only of those for mappings.
    """
    is_table = not names
    said: list[str] = []
    with _LOCK, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            with errors_in_python(names):
                yield said
        except ValueError as error:
            options = dict.fromkeys(getattr(error, "options", []))
            known = [x for x in options if is_table or x in _OF_MAPPINGS]
            if any(x in _OF_READING for x in known):
                error.args = (f"{error} {_advise_to_read(known)}",)
            raise
    for message, category in dict.fromkeys(
        (str(x.message), x.category) for x in caught
    ):
        said.append(say_in_python(message, names))
        # The level is that of the caller of `compare_models`, which is decorated.
        warnings.warn(said[-1], category, stacklevel=5)
