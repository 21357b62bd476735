"""`sigarray power`: whether there are enough scores of the models."""

import argparse
import math
import warnings
from dataclasses import dataclass
from statistics import NormalDist

from sigarray._cli.choosing import (
    add_tests,
    check_baseline,
    check_test_options,
    choose_default_test,
    choose_test,
    describe_comparison,
)
from sigarray._cli.comparison import Comparison
from sigarray._cli.constants import doubt_pilot
from sigarray._cli.inputs import check_sizes, read_one_task
from sigarray._cli.method_lines import describe_test
from sigarray._cli.options import FILE_OF_SCORES, add_table, number, whole_number
from sigarray._cli.orders import OrderOptions
from sigarray._cli.pairwise_tests import PairOptions
from sigarray._cli.progress import announce, track
from sigarray._cli.ranking import MAX_SHOWN
from sigarray._cli.samples import Trials, are_binary
from sigarray._cli.verdict import (
    say_correction_of_tests,
    say_order_basis,
    start_document,
)
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores
from sigarray.report._numbers import number_format, show_difference
from sigarray.report._rendering import Report, Table

DESCRIPTION = (
    "How often `sigarray compare` would call the better model better, with the same "
    "options: for each model, if its scores were lifted; for every two, with how many "
    f"runs of each model it would mostly do so. {FILE_OF_SCORES}"
)

# More than anyone has.
_LARGEST_SIZE, _MAX_SAMPLES = 10_000, 10**6


@dataclass(frozen=True)
class SizedPair:
    """How many scores of each model show the difference, and in what share of samples.

    Infinite, where there would have to be more than were tried.
    """

    better: str
    worse: str
    size: float
    share: float


@dataclass(frozen=True)
class Goal:
    """What is to be seen, how often, and in how large samples at most."""

    lift: float
    power: float
    largest: int
    unit: str
    change: str


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command)
    add_tests(command)
    command.add_argument(
        "--lift",
        type=number(1.0, 1e6),
        default=1.25,
        metavar="FACTOR",
        help="what the power of a model is to see; default: %(default)s",
    )
    command.add_argument(
        "--power",
        type=number(0.0, 1.0, is_open=True),
        default=0.8,
        metavar="P",
        help="how much power is enough; default: %(default)s",
    )
    command.add_argument(
        "--n-samples",
        type=whole_number(1, _MAX_SAMPLES),
        default=200,
        metavar="N",
        help="how many samples of each size are drawn from the scores, and compared; "
        "default: %(default)s, which know a power of 0.8 to a standard error of 0.03",
    )


def run(options: argparse.Namespace) -> Report:
    """Say whether there are enough scores of the models of a file."""
    if options.test is not None:
        check_test_options(options)
    table = read_one_task(options, min_models=1)
    check_sizes(table.source, table.scores)
    check_baseline(options, table)
    _doubt_lift(options, table.scores)
    doubt_pilot(table.scores, table.unit)
    models = table.models
    table = _with_two_models(table)
    choose_default_test(options, table)
    tests = choose_test(options, table)
    comparison = describe_comparison(options, table, tests, *table.tasks)
    scores = table.scores
    trials = Trials(
        tests=tests,
        is_corrected=comparison.is_corrected,
        higher_is_better=comparison.higher_is_better,
        is_paired=table.is_paired,
        unit=table.unit,
        number=options.n_samples,
        seed=options.seed,
    )
    duels = _find_duels(comparison)
    sizes = _sizes_to_try(scores)
    per_size = [trials.guess_seconds(scores, n) for n in sizes if duels]
    per_model = [trials.guess_seconds(scores, len(scores[x])) for x in models]
    announce(
        f"power of {options.test} for {len(models)} models and {len(duels)} "
        f"{'pair' if len(duels) == 1 else 'pairs'}",
        sum(per_size) + sum(per_model),
        f"Faster: {'' if options.test == 't' else '--test t, '}fewer --n-samples, "
        "fewer models with --columns.",
    )
    lift = options.lift if comparison.higher_is_better else 1.0 / options.lift
    powers = {
        name: trials.share_lifted(scores, name, lift) for name in track(models, "Model")
    }
    pairs = _find_sizes(scores, duels, sizes, trials, options.power)
    factor = "lift" if comparison.higher_is_better else "drop"
    goal = Goal(
        lift=options.lift,
        change=f"a {factor} by a factor of {options.lift:g}",
        power=options.power,
        largest=sizes[-1],
        unit=table.unit,
    )
    return _report(comparison, trials, goal, powers, pairs)


def _doubt_lift(options: argparse.Namespace, scores: Scores) -> None:
    """Warn of a lift beyond 1, or 100, of scores or of means of scores of 0 and 1."""
    largest = max(
        float(x.mean() if are_binary(x) else x.max()) for x in scores.values()
    )
    # Of shares, or of percentages.
    end = 1.0 if largest <= 1.0 else 100.0
    if not options.lower_is_better and largest <= end < options.lift * largest:
        warnings.warn(
            f"A lift by a factor of {options.lift:g} takes scores above {end:g}, and "
            f"none is above {end:g} now. Is it too much to ask for? Choose it with "
            "--lift.",
            UserWarning,
            stacklevel=2,
        )


def _with_two_models(table: ScoreTable) -> ScoreTable:
    """Return a model that is alone another one, with the same scores."""
    if len(table.models) > 1:
        return table
    ((task, by),) = table.tasks.items()
    (name,) = by
    other = f"another {name}"
    ids = {task: table.ids[task] | {other: table.ids[task][name]}}
    return table._replace(tasks={task: by | {other: by[name]}}, ids=ids)


def _find_duels(comparison: Comparison) -> list[tuple[str, str]]:
    """Return every two models whose means differ, the better one first."""
    duels = []
    for pair in comparison.pairs:
        first, second = (comparison.summaries[name]["mean"] for name in pair)
        if first != second:
            is_first = (first > second) == comparison.higher_is_better
            duels.append(pair if is_first else pair[::-1])
    return duels


def _sizes_to_try(scores: Scores) -> list[int]:
    """Return the default sizes, and doubled ones up to four times what there is."""
    sizes = list(DEFAULT_SIZES)
    goal = min(4 * max(map(len, scores.values())), _LARGEST_SIZE)
    while sizes[-1] < goal:
        sizes.append(min(2 * sizes[-1], _LARGEST_SIZE))
    return sizes


def _find_sizes(
    scores: Scores,
    duels: list[tuple[str, str]],
    sizes: list[int],
    trials: Trials,
    power: float,
) -> list[SizedPair]:
    """Find the smallest size for each pair; all models are compared at each size."""
    found: dict[tuple[str, str], SizedPair] = {}
    for size in track(sizes, "Number of scores"):
        if len(found) == len(duels):
            break
        left = [pair for pair in duels if pair not in found]
        shares = trials.share_better(scores, size, left, above=power)
        for pair in left:
            share = shares.get(pair, 0.0)
            if share >= power:
                found[pair] = SizedPair(*pair, size, share)
    return [found.get(pair, SizedPair(*pair, math.inf, math.nan)) for pair in duels]


def _report(
    comparison: Comparison,
    trials: Trials,
    goal: Goal,
    powers: dict[str, float],
    pairs: list[SizedPair],
) -> Report:
    """Say of every model and every two of them whether there are scores enough."""
    method = (
        f"the verdict of sigarray compare, {_say_test(comparison, trials.tests)}; the "
        f"share of {trials.number} samples of each size, drawn from these "
        f"{goal.unit}s of all models, seed {trials.seed}, in which it finds the better "
        "one"
    )
    document = start_document(comparison, comparison.correction) | {
        "seed": trials.seed,
        "n_samples": trials.number,
        "method": method,
        "lift": goal.lift,
        "power": goal.power,
        "largest_size_tried": goal.largest,
        "models": powers,
        "pairs": [
            {
                "better": x.better,
                "worse": x.worse,
                "required_sample_size": None if math.isinf(x.size) else int(x.size),
                "power": None if math.isinf(x.size) else x.share,
            }
            for x in pairs
        ],
    }
    records = [
        {
            "model_a": name,
            "model_b": "",
            "power": power,
            "required_power": goal.power,
            "required_sample_size": "",
        }
        for name, power in powers.items()
    ] + [
        {
            "model_a": x.better,
            "model_b": x.worse,
            "power": "" if math.isinf(x.size) else x.share,
            "required_power": goal.power,
            "required_sample_size": "" if math.isinf(x.size) else int(x.size),
        }
        for x in pairs
    ]
    tables = [_model_table(comparison, powers, goal)]
    if len(powers) > MAX_SHOWN:
        sentences = _say_counts(powers, pairs, goal)
        return Report(tables, sentences, method, records, document)
    if pairs:
        tables.append(_pair_table(comparison, pairs, goal))
    sizes = {name: len(comparison.scores[name]) for name in powers}
    sentences = [
        *(_say_power(name, sizes[name], x, goal) for name, x in powers.items()),
        *(_say_size(x, goal) for x in pairs),
        *([_say_pilot(min(sizes.values()), goal.unit)] if pairs else []),
    ]
    return Report(tables, sentences, method, records, document)


def _say_test(comparison: Comparison, tests: PairOptions | OrderOptions) -> str:
    """Say which test decides, and for how many comparisons it is corrected."""
    if isinstance(tests, OrderOptions):
        return (
            f"almost stochastic order: eps_min < {tests.threshold:g} and equality "
            f"rejected, two-sided, {say_order_basis(comparison)}"
        )
    name = describe_test(dict(comparison.scores), tests, unit=comparison.unit)
    level = f"p <= {tests.alpha:.10g} {say_correction_of_tests(comparison)}"
    return f"{name}: {level}"


def _model_table(comparison: Comparison, powers: dict[str, float], goal: Goal) -> Table:
    summaries = {name: comparison.summaries[name] for name in powers}
    show = number_format(list(summaries.values()))
    rows = [
        [
            name,
            str(len(comparison.scores[name])),
            show(summary["mean"]),
            show(summary["sd"]),
            f"{powers[name]:.3f}",
        ]
        for name, summary in summaries.items()
    ]
    title = f"{comparison.source}: power to see {goal.change}"
    return Table(title, ["model", "n", "mean", "sd", "power"], rows)


def _pair_table(comparison: Comparison, pairs: list[SizedPair], goal: Goal) -> Table:
    rows = []
    for x in pairs:
        summaries = [comparison.summaries[name] for name in (x.better, x.worse)]
        shown = f"> {goal.largest}" if math.isinf(x.size) else f"{x.size:.0f}"
        rows.append([x.better, x.worse, show_difference(*summaries), shown])
    of = "" if comparison.unit != "run" else " of each"
    header = ["better", "than", "mean difference", f"{goal.unit}s{of}"]
    title = f"{goal.unit.title()}s that show the difference with power {goal.power:g}"
    return Table(title, header, rows, name_columns=2)


def _say_power(name: str, n: int, power: float, goal: Goal) -> str:
    verdict = "enough" if power >= goal.power else "too few"
    return (
        f"{n} {goal.unit}s of {name} are {verdict} to see {goal.change}: power "
        f"{power:.3f}, where {goal.power:g} is asked for."
    )


def _say_size(x: SizedPair, goal: Goal) -> str:
    each = " each" if goal.unit == "run" else ""
    if math.isinf(x.size):
        return (
            f"More than {goal.largest} {goal.unit}s{each} would be needed to see that "
            f"{x.better} is better than {x.worse} with power {goal.power:g}."
        )
    return (
        f"About {x.size:.0f} {goal.unit}s{each} show, with power {x.share:.2f}, that "
        f"{x.better} is better than {x.worse}, if the difference is what it seems."
    )


def _say_pilot(n: int, unit: str) -> str:
    """Say how far the number of scores may be off, for that of so few is an estimate.

    It goes with the variance over the square of the difference, of which only the
    variance is looked at here: of n normal scores, it is known up to a quantile of
    chi-square, by Wilson and Hilferty's approximation.
    """
    k = n - 1.0
    z = NormalDist().inv_cdf(0.95)
    low, high = (
        (1.0 - 2.0 / (9.0 * k) + side * z * math.sqrt(2.0 / (9.0 * k))) ** 3
        for side in (1.0, -1.0)
    )
    most = f"{1.0 / high:.2g}" if high > 0.1 else "more than 10"
    return (
        f"Of {n} {unit}s a variance is an estimate: the numbers may have to be "
        f"{1.0 / low:.2g} to {most} times as large (90 % confidence, normal scores), "
        "and more where the difference only seems as large as it is."
    )


def _say_counts(
    powers: dict[str, float], pairs: list[SizedPair], goal: Goal
) -> list[str]:
    """Say how many models and pairs have scores enough, where there are many."""
    n_enough = sum(power >= goal.power for power in powers.values())
    n_seen = sum(not math.isinf(x.size) for x in pairs)
    return [
        f"{n_enough} of {len(powers)} models have {goal.unit}s enough to see "
        f"{goal.change}, with power {goal.power:g}.",
        f"{n_seen} of {len(pairs)} pairs would show their difference with at most "
        f"{goal.largest} {goal.unit}s.",
        "Take --format csv or json for all pairs, or --columns for some models.",
    ]
