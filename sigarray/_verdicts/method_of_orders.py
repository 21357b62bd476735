"""How almost stochastic order was decided, for the line on the method."""

from sigarray._order.comparison import needs_means
from sigarray._order.families import can_decide
from sigarray._plain_text import quote
from sigarray._verdicts.comparison import UNPAIRED
from sigarray._verdicts.intervals import FEWER_DEGREES
from sigarray._verdicts.orders import (
    OrderOptions,
    Samples,
    family_of_task,
    plan_errors,
)

# `benchmarks.reproduce` measured, at this threshold and confidence, in how many percent
# of cases a ratio equal to the threshold is called smaller.
_MEASURED = (0.2, 0.95)
# With up to this many models the rate of any such call is known.
_MOST_MODELS = 10
EPS_MIN = "eps_min of A over B, and by itself of B over A"
_PERCENT_OF_TWO = "0 to 16"
_PERCENT_OF_SEVERAL = ("0 to 11", "0 to 23")
_PERCENT_OF_BASELINE = ("0 to 13", "0 to 33")


def say_draws(seed: int) -> str:
    """Say by what resamples are drawn, and where there are more of them."""
    return (
        f"(drawn by seed {seed} and the names of models, and more where it is near the "
        "threshold)"
    )


def describe_orders(
    scores: Samples, options: OrderOptions, *, is_closed: bool, n_tasks: int = 1
) -> str:
    """Say how almost stochastic order was decided; pairs may differ in their sizes.

    `is_closed` if a closed test tests all models of a task at one level.
    """
    drawn = f"{options.n_resamples} bootstrap resamples"
    more = say_draws(options.seed)
    said = []
    for method, grid in plan_errors(scores, options):
        if method == "exact":
            said.append("enumeration of all resamples")
        elif method == "asymptotic":
            said.append("an asymptotic standard error")
        elif grid is None:
            said.append(f"{drawn} {more}")
        else:
            said.append(f"{drawn} of {grid.size:,} quantiles {more}")
    which = " by the sizes of a pair," if len(said) > 1 else ""
    of = f"almost stochastic order {UNPAIRED}, with {EPS_MIN}"
    first = f"{of},{which} from {' or '.join(said)}"
    what = "Mann and Whitney's U"
    if is_closed and len(scores) > 2:
        what = "a closed test of ranks"
        if options.baseline is not None:
            what += f", all models with {quote(options.baseline)}"
    how = f"Equality of distributions is tested by {what}, two-sided"
    sizes = [len(column) for column in scores.values()]
    tested = [(n, m) for n in set(sizes) for m in set(sizes) if needs_means(n, m)]
    if tested:
        how += ", and equality of means, for fewer than 20 runs, by Welch's t"
    if any(n != m for n, m in tested):
        how += f", {FEWER_DEGREES}"
    rate = _say_rate(scores, options, is_closed=is_closed, n_tasks=n_tasks)
    return ". ".join(filter(None, [first, how, rate]))


def _say_rate(
    scores: Samples, options: OrderOptions, *, is_closed: bool, n_tasks: int
) -> str:
    """Say how often a ratio equal to the threshold is called smaller, if measured.

    The lower levels of several tasks give no higher rate than one task alone.
    """
    sizes = [len(column) for column in scores.values()]
    share = 1.0 / n_tasks if is_closed else 1.0
    family = family_of_task(scores, options, share, is_corrected=is_closed)
    is_known = (
        options.method != "asymptotic"
        and options.dt is None
        and (options.threshold, options.confidence_level) == _MEASURED
    )
    if not is_known or not can_decide(sizes, family):
        return ""
    least, who, called, rest = 3, "several", "better", ""
    if len(sizes) == 2 or not is_closed:
        percent, who = _PERCENT_OF_TWO, "two"
    elif options.baseline is None:
        called = "better than a given other one"
        percent, any_ = _PERCENT_OF_SEVERAL
        often = _say_how_often(any_, sizes)
        rest = f", and better than at least one of the others {often}"
    else:
        least, called = 4, "better or worse than the baseline"
        percent, any_ = _PERCENT_OF_BASELINE
        rest = f", and at least one of them {_say_how_often(any_, sizes)}"
    of = "one task with " if n_tasks > 1 else ""
    a_given = "one" if who == "two" else "a given one"
    return (
        f"In simulations of {of}{who} normal models exactly at the threshold (a true "
        f"violation ratio of {options.threshold:g}), with {least} to 50 runs each, "
        f"{a_given} was called {called} in {percent} % of cases, depending on numbers "
        f"of runs and spreads{rest}"
    )


def _say_how_often(percent: str, sizes: list[int]) -> str:
    """Say in how many percent of cases any model is called so, if that is known."""
    return "more often" if len(sizes) > _MOST_MODELS else f"in {percent} %"
