"""Signatures of comparisons: one line, with which others repeat the numbers."""

import argparse
from collections.abc import Mapping, Sequence

from sigarray import __version__
from sigarray._cli.comparison import Comparison
from sigarray._cli.decisions import Decision
from sigarray._cli.orders import OrderOptions
from sigarray._cli.pairwise_tests import PairOptions
from sigarray.read._score_table import ScoreTable
from sigarray.report._rendering import Report
from sigarray.report._signature import (
    digest_numbers,
    digest_scores,
    read_signature,
)

# What a signature says beside `--verify`, so that nobody else may.
_SAID = (
    "test",
    "threshold",
    "confidence_level",
    "alpha",
    "baseline",
    "dt",
    "method",
    "test_share",
    *("n_resamples", "lower_is_better", "no_correction"),
)
_RESULTS = {"scores": "scores", "result": "numbers"}


def sign(
    tests: PairOptions | OrderOptions,
    table: ScoreTable,
    comparison: Comparison,
    decisions: Mapping[str, Sequence[Decision]],
) -> dict[str, str] | None:
    """Return the fields of a signature, or None for scores that stay on the disk."""
    if not table.ids:
        return None
    orders = tests if isinstance(tests, OrderOptions) else None
    is_aso = orders is not None
    is_paired = table.is_paired and not is_aso
    share = None if isinstance(tests, OrderOptions) else tests.test_share
    fields = {
        "test": comparison.test,
        "threshold": f"{orders.threshold:.10g}" if orders else None,
        "confidence_level": f"{comparison.confidence_level:.10g}" if is_aso else None,
        "alpha": None if is_aso else f"{comparison.alpha:.10g}",
        "correction": comparison.correction if comparison.is_corrected else "none",
        "baseline": comparison.baseline,
        "dt": f"{orders.dt:.10g}" if orders and orders.dt is not None else None,
        "method": tests.method,
        "test_share": None if share is None else f"{share:.10g}",
        "n_resamples": comparison.n_resamples,
        "seed": comparison.seed,
        "better": "higher" if comparison.higher_is_better else "lower",
        "metric": table.metric,
        "unit": table.unit,
        "paired": "yes" if is_paired else None,
        "models": len(table.models),
        "tasks": len(table.tasks) if len(table.tasks) > 1 else None,
        "scores": digest_scores(table.tasks, paired=is_paired),
        "result": digest_numbers(_list_numbers(decisions)),
    }
    return {key: str(x) for key, x in fields.items() if x is not None}


def apply_signature(options: argparse.Namespace) -> dict[str, str]:
    """Set the options that a signature says, and give its fields.

    Raises
    ------
    ValueError
        No signature of a comparison, or an option that it says already.
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
            *(("test_share", float), ("baseline", str)),
        ):
            if name in fields:
                setattr(options, name, kind(fields[name]))
        options.seed = int(fields.get("seed", 0))
        options.no_correction = fields["correction"] == "none"
        options.lower_is_better = fields["better"] == "lower"
        options.paired = options.paired or fields.get("paired") == "yes"
    except (KeyError, ValueError) as error:
        msg = f"Expected the signature of a comparison; got one without {error}."
        raise ValueError(msg) from error
    if fields["unit"] == "run":
        options.unit = unit
    return fields


def report_verification(
    source: str, expected: Mapping[str, str], found: Mapping[str, str] | None
) -> Report:
    """Say whether the scores are those of a signature, and the numbers too."""
    fields = {} if found is None else dict(found)
    same = {name: fields.get(name) == expected[name] for name in _RESULTS}
    others = {
        key: (expected[key], fields.get(key, "-"))
        for key in ("metric", "unit", "models", "tasks", "n_resamples")
        if key in expected and expected[key] != fields.get(key, "-")
    }
    if all(same.values()):
        sentence = f"{source} repeats it: the same scores give the same numbers."
    elif same["scores"]:
        sentence = (
            f"{source} does not repeat it: the scores are the same, but they give "
            "other numbers."
        )
    else:
        differ = "; ".join(f"{key} was {x}, is {y}" for key, (x, y) in others.items())
        sentence = (
            f"{source} does not repeat it: scores or names are others"
            f"{f' ({differ})' if differ else ''}."
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


def _list_numbers(decisions: Mapping[str, Sequence[Decision]]) -> list[float]:
    """Return what decides, in an order that is not that of columns or tasks."""
    found: dict[tuple[str, str, str], float] = {}
    for task, by in decisions.items():
        for x in by:
            if "adjusted_pvalue" in x.record:
                first, second = sorted((x.a, x.b))
                found[task, first, second] = x.record["adjusted_pvalue"]
            else:
                found[task, x.a, x.b] = x.record["eps_min_a_over_b"]
                found[task, x.b, x.a] = x.record["eps_min_b_over_a"]
    return [found[key] for key in sorted(found)]
