"""What the options of `compare_models` may be."""

from typing import Any, get_args

from sigarray._backend.checks import (
    anything,
    choice,
    count,
    flag,
    fraction,
    half,
    integer,
    number,
    optional,
    progress_source,
    show,
    worker_source,
)
from sigarray._numeric.sums import SumStatistic
from sigarray._plain_text import list_in_words
from sigarray._verdicts.aggregate_tests import AGGREGATES
from sigarray._verdicts.asked import METHODS, TestName
from sigarray.read._alignment import UNITS
from sigarray.read._missing import TREATMENTS
from sigarray.read._sums import METRICS


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        msg = f"Expected {name} to be the name of a model; got {show(value)}."
        raise TypeError(msg)
    return str(value)


def _above_zero(name: str, value: Any) -> float:
    checked = number(name, value)
    if not checked > 0.0:
        msg = f"Expected {name} to be above 0; got {show(value)}."
        raise ValueError(msg)
    return checked


def _aggregate(name: str, value: Any) -> str:
    is_name = isinstance(value, str) and value in METRICS
    if isinstance(value, SumStatistic) or is_name:
        msg = (
            f"Expected {name} to be {list_in_words(AGGREGATES, 'or')}; got "
            f"{show(value)}, a metric of sums. It is an argument of "
            "sigarray.read.scores: read the scores with it, and pass what it returns."
        )
        raise ValueError(msg)
    return str(choice(*AGGREGATES)(name, value))


OPTION_RULES = {
    "test": optional(choice(*get_args(TestName))),
    "paired": flag,
    "baseline": optional(_text),
    "threshold": optional(half),
    "confidence_level": optional(fraction),
    "alpha": optional(fraction),
    "corrected": flag,
    "method": optional(choice(*METHODS)),
    "n_resamples": optional(count()),
    "dt": optional(fraction),
    "test_share": optional(fraction),
    "margin": optional(_above_zero),
    "statistic": optional(_aggregate),
    "unit": optional(choice(*UNITS)),
    "clusters": anything,
    "missing": optional(choice(*TREATMENTS)),
    "rng": integer,
    "workers": optional(worker_source),
    "progress": optional(progress_source),
}
