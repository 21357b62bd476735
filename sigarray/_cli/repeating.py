"""`--verify`: whether a file repeats the numbers of a signature."""

import argparse
import contextlib
from collections.abc import Iterator, Mapping

from sigarray._version import __version__
from sigarray.report._layout import Report
from sigarray.report._signature import read_signature

# Options that a signature sets, so that the user may not.
_SAID = (
    "test",
    "threshold",
    "confidence_level",
    "alpha",
    "baseline",
    "dt",
    "method",
    "test_share",
    "margin",
    *("n_resamples", "statistic", "lower_is_better", "no_correction", "missing"),
)
# Fields that say which scores these are.
_SAID_OF_SCORES = (
    *("metric", "unit", "clusters", "runs"),
    *("models", "tasks", "n_resamples"),
)
_RESULTS = {"scores": "scores", "result": "numbers"}
_OF_READING = (
    "A signature does not hold the options that say what to read: pass those of the "
    "first call, such as --model, --metric, --where and --ignore, with --verify."
)


def apply_signature(options: argparse.Namespace) -> dict[str, str]:
    """Set the options of a signature, and return its fields.

    Raises
    ------
    ValueError
        No signature of a comparison, or an option that it already sets.
    """
    given = [name for name in _SAID if getattr(options, name) not in (None, False)]
    given += ["seed"] if options.seed else []
    if given:
        option = f"--{given[0].replace('_', '-')}"
        msg = f"Expected --verify without {option}, which the signature says."
        raise ValueError(msg)
    fields = read_signature(options.verify)
    unit = options.unit
    try:
        options.test = fields["test"]
        for name, kind in (
            *(("threshold", float), ("confidence_level", float), ("alpha", float)),
            *(("dt", float), ("method", str), ("n_resamples", int), ("unit", str)),
            *(("test_share", float), ("baseline", str), ("missing", str)),
            *(("statistic", str), ("margin", float)),
        ):
            if name in fields:
                setattr(options, name, kind(fields[name]))
        options.seed = int(fields.get("seed", 0))
        options.no_correction = fields["correction"] == "none"
        options.lower_is_better = fields["better"] == "lower"
        options.higher_is_better = not options.lower_is_better
        options.paired = options.paired or fields.get("paired") == "yes"
    except (KeyError, ValueError) as error:
        msg = f"Expected the signature of a comparison; got one without {error}."
        raise ValueError(msg) from error
    options.unit = unit or options.unit
    return fields


@contextlib.contextmanager
def explain_reading(fields: Mapping[str, str] | None) -> Iterator[None]:
    """Say of errors in reading what the signature does not hold, if there is one.

    Raises
    ------
    ValueError
        The error, with that sentence.
    """
    try:
        yield
    except ValueError as error:
        if fields is None:
            raise
        msg = f"{error} {_OF_READING}"
        raise ValueError(msg) from error


def _say_order(fields: Mapping[str, str]) -> str:
    """Say that random permutations of runs depend on the order of their rows."""
    if fields["test"] != "permutation" or "paired" in fields:
        return ""
    return (
        " Are its rows in another order? Random permutations of scores that are no "
        "pairs depend on it: put the rows into the order of the first file."
    )


def report_verification(
    source: str, expected: Mapping[str, str], computed: Mapping[str, str] | None
) -> Report:
    """Say whether the scores are those of a signature, and the numbers too."""
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
