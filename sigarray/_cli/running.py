"""Requests of options, commands that are run and printed, and their versions."""

import argparse
import codecs
import importlib
import importlib.metadata
import io
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from sigarray._backend.compiled_numpy import describe_engine
from sigarray._backend.workers import executed_by, nest_execution
from sigarray._cli.messages import (
    complain,
    list_said,
    quiet,
    say,
    tell,
    track,
    warnings_as_lines,
    watch,
)
from sigarray._cli.options.choices import AGGREGATES
from sigarray._verdicts.asked import Request, check_request
from sigarray._verdicts.notes import Listener, heard_by
from sigarray._version import __version__
from sigarray.report._layout import Report
from sigarray.report._rendering import render
from sigarray.report._text import print_text

ITEMS = {"all": "all items", "bootstrap": "bootstrapped items"}
RESPONSES = {
    "all": "all responses",
    "bootstrap": "bootstrapped responses",
    "one": "one response",
    "first": "the first response",
    "without_replacement": "all responses in random order",
}


def read_request(options: argparse.Namespace) -> Request:
    """Return the request, and refuse options that the test ignores."""
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
    """Run a command, and return its exit code."""
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
            name = {"study": "responses"}.get(options.command, options.command)
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

    What `backslashreplace` makes of a letter is no JSON.
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
    """Yield the lines: versions, and who computes with NumPy's arrays."""
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
