"""What all commands need: options as a request, and messages on standard error."""

import argparse
import codecs
import contextlib
import contextvars
import importlib
import importlib.metadata
import io
import json
import os
import platform
import re
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from sigarray._backend.compiled_numpy import describe_engine
from sigarray._backend.workers import current_execution, executed_by, nest_execution
from sigarray._cli.options import AGGREGATES
from sigarray._plain_text import show_controls
from sigarray._verdicts.asked import Request, check_request
from sigarray._version import __version__
from sigarray.read._messages import (
    Caution,
    Listener,
    RepeatedCaution,
    RepeatedWarning,
    SingleTaskWarning,
    heard_by,
    show_seconds,
)
from sigarray.report._layout import Report
from sigarray.report._rendering import render
from sigarray.report._text import print_text

_SAID: contextvars.ContextVar[list[tuple[str, str]] | None] = contextvars.ContextVar(
    "said", default=None
)
_IS_QUIET = contextvars.ContextVar("is_quiet", default=False)


@contextlib.contextmanager
def warnings_as_lines(*, has_report: bool = False) -> Iterator[None]:
    """Print each warning of the library once, as a line, unless a report says it."""
    said = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in said:
            is_left_out = is_quiet() and isinstance(message, SingleTaskWarning)
            complain("warning", message, is_shown=not is_left_out)
        said.add(str(message))

    with warnings.catch_warnings(action="always", category=UserWarning):
        if has_report:
            warnings.simplefilter("ignore", RepeatedWarning)
        warnings.showwarning = show
        yield


@contextlib.contextmanager
def quiet(is_quiet: bool) -> Iterator[None]:
    tokens = _IS_QUIET.set(is_quiet), _SAID.set([])
    try:
        yield
    finally:
        _IS_QUIET.reset(tokens[0])
        _SAID.reset(tokens[1])


def list_said(kind: str) -> list[str]:
    return [text for x, text in _SAID.get() or () if x == kind]


def is_quiet() -> bool:
    return _IS_QUIET.get()


def complain(kind: str, message: object, *, is_shown: bool = True) -> None:
    said = _SAID.get()
    if said is not None:
        said.append((kind, str(message)))
    if is_shown and (kind != "note" or not is_quiet()):
        say(f"{kind}: {message}")


def tell(note: str, *, has_report: bool = False) -> None:
    """Print a note, unless a report says it; if it cautions readers, as a warning."""
    if not (has_report and isinstance(note, RepeatedCaution)):
        complain("warning" if isinstance(note, Caution) else "note", note)


def say(line: str) -> None:
    # With None, print would write to the standard output.
    if sys.stderr is not None:
        sys.stderr.write(f"sigarray: {show_controls(line)}\n")


T = TypeVar("T")
# In shorter times, in seconds, no progress is shown.
_LONG = 1.0
# Seconds between two changes of a line.
_PAUSE = 0.1


@contextlib.contextmanager
def watch() -> Iterator[None]:
    with _shown_bar("Replicate") as bar, _told(bar):
        yield


def track(steps: Sequence[T], name: str) -> Iterator[T]:
    """Count the steps on standard error, if that is a terminal.

    A single step is not counted: `watch` shows its progress.
    """
    if len(steps) < 2:
        yield from steps
        return
    with _shown_bar(name) as bar, _told(None):
        for done, step in enumerate(steps):
            if bar is not None:
                bar(done, len(steps))
            yield step


def _told(progress: Any) -> contextlib.AbstractContextManager[None]:
    return executed_by(replace(current_execution(), progress=progress))


@contextlib.contextmanager
def _shown_bar(name: str) -> Iterator[Any]:
    if sys.stderr is None or not sys.stderr.isatty() or is_quiet():
        yield None
        return
    line = _Line(name)
    try:
        yield line
    finally:
        line.clear()


class _Line:
    def __init__(self, name: str) -> None:
        self._name = name
        self._start = self._last = time.monotonic()
        self._done = 0
        self._is_written = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < self._done:  # another pass
            self.clear()
            self._start = now
        self._done = done
        if now - self._start < _LONG or now - self._last < _PAUSE:
            return
        self._last = now
        left = (now - self._start) * (total - done) / done if done else 0.0
        when = f", {show_seconds(left)} left" if done else ""
        _write(f"\r\x1b[K{self._name} {done} of {total}{when}")
        self._is_written = True

    def clear(self) -> None:
        if self._is_written:
            _write("\r\x1b[K")
        self._is_written = False


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


ITEMS = {"all": "all items", "bootstrap": "bootstrapped items"}
RESPONSES = {
    "all": "all responses",
    "bootstrap": "bootstrapped responses",
    "one": "one response",
    "first": "the first response",
    "without_replacement": "all responses in random order",
}


def read_request(options: argparse.Namespace) -> Request:
    return check_request(
        Request(
            test=options.test,
            is_paired=options.paired,
            test_share=options.test_share,
            baseline=options.baseline,
            threshold=options.threshold,
            confidence_level=options.confidence_level,
            alpha=options.alpha,
            dt=options.dt,
            method=options.method,
            n_resamples=options.n_resamples,
            seed=options.seed,
            is_corrected=not options.no_correction,
            higher_is_better=not options.lower_is_better,
            missing=options.missing,
            margin=options.margin,
            statistic=options.statistic if options.statistic in AGGREGATES else None,
        )
    )


def run(options: argparse.Namespace) -> int:
    if sys.stdout is None or sys.stdout.closed:
        complain("error", "the result cannot be written: standard output is closed.")
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names that the terminal cannot show are shown by their code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        has_report = options.format not in ("csv", "json")
        is_whole = has_report and not options.quiet
        workers = getattr(options, "workers", None)
        with (
            warnings_as_lines(has_report=has_report),
            quiet(options.quiet),
            heard_by(Listener(partial(tell, has_report=is_whole), track)),
            executed_by(nest_execution(workers=workers)),
            watch(),
        ):
            of = dict.fromkeys(("study", "correct"), "responses")
            name = of.get(options.command, options.command)
            command = importlib.import_module(f"sigarray._cli.{name}")
            report: Report = command.run(options)
            report = replace(report, doubts=list_said("warning"))
        if options.format == "text":
            print_text(report.answer if options.quiet else report)
        else:
            text = render(report, options.format)
            print(_to_ascii(text) if options.format == "json" else text, end="")
        sys.stdout.flush()
        return report.exit_code
    except (ValueError, ImportError) as error:  # such as without matplotlib
        complain("error", error)
        return 2
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except BrokenPipeError:
        # The reader, such as head, has closed the pipe; leave nothing to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        complain("error", f"the result cannot be written: {error.strerror}.")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _to_ascii(text: str) -> str:
    """Escape letters where the output is not in UTF-8, as JSON has to be.

    `backslashreplace` makes no JSON of them.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if codecs.lookup(encoding).name == "utf-8":
        return text
    return re.sub("[^\x00-\x7f]+", lambda found: json.dumps(found[0])[1:-1], text)


# Those whose arrays may be compared, and those of files and pictures; a package of CuPy
# is for one version of CUDA.
_PACKAGES = ("numpy", "array-api-compat", "torch", "jax", "cupy")
_OTHERS = ("pandas", "pyarrow", "matplotlib", "rich")
_VARIANTS = {"cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy")}


def list_versions() -> Iterator[str]:
    yield f"sigarray {__version__}"
    yield f"Python {platform.python_version()}, {platform.platform()}"
    for name in (*_PACKAGES, *_OTHERS):
        yield f"{name} {_find_version(name)}"
    yield f"engine: {describe_engine()}"


def _find_version(name: str) -> str:
    for package in _VARIANTS.get(name, (name,)):
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "is not installed"
