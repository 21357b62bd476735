"""`sigarray compare`: which models are better; `--verify`: whether that repeats."""

import argparse
import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sigarray._cli.files import (
    check_picture_file,
    check_target,
    open_large,
    read_models,
)
from sigarray._cli.running import list_said, read_request, say
from sigarray._verdicts.lacking import say_published
from sigarray._verdicts.models import compare_table
from sigarray._verdicts.page import Origin, save_pictures, write_page
from sigarray._verdicts.records import list_undecided
from sigarray._verdicts.request import lacks_baseline
from sigarray._verdicts.result import ModelComparison
from sigarray._version import __version__
from sigarray.report._layout import Report
from sigarray.report._rendering import write_file
from sigarray.report._wording import read_signature


def run(options: argparse.Namespace) -> Report:
    check_picture_file(options.plot, options.files)
    check_target("--report", options.report, (".html", ".htm"), options.files)
    expected = None if options.verify is None else apply_signature(options)
    request = read_request(options)
    with explain_reading(expected, options.baseline):
        table = open_large(options) or read_models(
            options, is_paired=request.is_paired, has_worst=request.has_worst
        )
    request = replace(request, higher_is_better=not options.lower_is_better)
    if expected is not None and lacks_baseline(request, table):
        return report_verification(table.source, expected, None)
    result = compare_table(table, request)
    if expected is not None:
        return report_verification(table.source, expected, result.fields)
    report = result.content
    if options.plot is not None or options.report is not None:
        _write_pictures(options, result)
    if options.fail_unless_better is not None:
        lost = list_undecided(
            options.fail_unless_better,
            table,
            result.decisions,
            result.test.baseline,
            result.over_these_tasks if request.statistic else None,
        )
        for sentence in lost:
            say(sentence)
        report = replace(report, exit_code=1 if lost else 0)
    return report


def _write_pictures(options: argparse.Namespace, result: ModelComparison) -> None:
    if not result.table.ids:
        msg = "Expected --plot and --report with scores that fit into memory."
        raise ValueError(msg)
    pictures = result.list_pictures()
    if options.report is not None:
        origin = Origin(options.command_line, list_said("note"), list_said("warning"))
        page = write_page(result.content, pictures, result.table, origin)
        write_file(options.report, page.encode())
    if options.plot is not None:  # of which the report has no notes
        save_pictures(pictures, options.plot)


# Fields of a signature that are options, and their types.
_OPTIONS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("test", "baseline", "method", "missing", "statistic"), str),
    **dict.fromkeys(("threshold", "confidence_level", "alpha", "dt"), float),
    **dict.fromkeys(("test_share", "margin"), float),
    **dict.fromkeys(("n_resamples", "seed"), int),
}
# A signature has none of these if they made no difference.
_IDLE = ("method", "missing", "n_resamples", "seed")
# Options without a value, and the field that they are.
_FLAGS = {
    "no_correction": ("correction", "none"),
    "lower_is_better": ("better", "lower"),
    "higher_is_better": ("better", "higher"),
}
# Fields that say which scores these are.
_SAID_OF_SCORES = (
    *("metric", "unit", "clusters", "runs"),
    *("models", "tasks", "n_resamples"),
)
_RESULTS = {"scores": "scores", "result": "numbers"}
_OF_READING = (
    "A signature does not hold the options that say what to read: pass those of the "
    "first call, such as --model, --cluster, --metric and --ignore, with --verify."
)


def apply_signature(options: argparse.Namespace) -> dict[str, str]:
    fields = read_signature(options.verify)
    for name in ("fail_unless_better", "plot", "report"):
        if getattr(options, name) is not None:
            msg = f"Expected --verify without --{name.replace('_', '-')}; got both."
            raise ValueError(msg)
    for name in ("test", "correction", "better"):
        if name not in fields:
            msg = (
                "Expected the signature of a comparison; got one without "
                f"{name!r}. Is it whole?"
            )
            raise ValueError(msg)
    for name, read in _OPTIONS.items():
        given = getattr(options, name) or None
        if name not in fields:
            if given is not None and name not in _IDLE:
                raise _disagree(name, None)
            continue
        try:
            value = read(fields[name])
        except ValueError as error:
            msg = (
                f"Expected a number for {name!r} of the signature; got "
                f"{fields[name]!r}. Is it as it was printed?"
            )
            raise ValueError(msg) from error
        if given not in (None, value):
            raise _disagree(name, fields[name])
        setattr(options, name, value)
    for name, (field, value) in _FLAGS.items():
        if getattr(options, name) is True and fields[field] != value:
            raise _disagree(name, fields[field])
        setattr(options, name, fields[field] == value)
    options.paired = options.paired or fields.get("paired") == "yes"
    options.unit = options.unit or fields.get("unit")
    return fields


def _disagree(option: str, said: str | None) -> ValueError:
    msg = (
        f"Expected --{option.replace('_', '-')} as in the signature, "
        f"{f'which has {said}' if said else 'which is without it'}; got another one. "
        "Leave it out: --verify takes it from there."
    )
    return ValueError(msg)


@contextlib.contextmanager
def explain_reading(
    fields: Mapping[str, str] | None, baseline: str | None
) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        said = say_published(baseline) if fields is None else f" {_OF_READING}"
        msg = f"{error}{said}"
        raise ValueError(msg) from error


def _say_order(fields: Mapping[str, str]) -> str:
    if fields["test"] != "permutation" or "paired" in fields:
        return ""
    return (
        " Are its rows in another order? Random permutations of scores that are no "
        "pairs depend on it: put the rows into the order of the first file."
    )


def report_verification(
    source: str, expected: Mapping[str, str], computed: Mapping[str, str] | None
) -> Report:
    fields = {} if computed is None else dict(computed)
    same = {name: fields.get(name) == expected[name] for name in _RESULTS}
    others = {
        key: (expected[key], fields.get(key, "-"))
        for key in _SAID_OF_SCORES
        if key in expected and expected[key] != fields.get(key, "-")
    }
    if all(same.values()):
        sentence = f"{source} repeats it: the same scores give the same numbers."
    elif same["scores"]:
        sentence = (
            f"{source} does not repeat it: the scores are the same, but they give "
            f"other numbers.{_say_order(expected)}"
        )
    else:
        differ = "; ".join(f"{key} was {x}, is {y}" for key, (x, y) in others.items())
        sentence = (
            f"{source} does not repeat it: scores or names are others"
            f"{f' ({differ})' if differ else ''}. {_OF_READING}"
        )
    version = expected["sigarray"]
    if version != __version__:
        sentence += f" It is of sigarray {version}, and this is {__version__}."
    record = {"repeats": all(same.values())} | {
        f"same_{name}": same[key] for key, name in _RESULTS.items()
    }
    document = {
        "source": source,
        **record,
        "expected": dict(expected),
        "found": fields,
        "verdict": sentence,
    }
    method = "scores and numbers compared with those of the signature, to six digits"
    code = 0 if record["repeats"] else 1
    return Report([], [sentence], method, [record], document, exit_code=code)
