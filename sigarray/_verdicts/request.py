"""The test that answers a request for a comparison of scores."""

from dataclasses import replace

from sigarray._plain_text import cut_owner, raise_initial, show_number, suggest
from sigarray._verdicts.asked import (
    ALPHA,
    FEW_CLUSTERS,
    FEW_RANKS,
    FEW_SCORES,
    MOST_FOLDS,
    OF_INDEPENDENT,
    PAIRED_TESTS,
    RESAMPLES,
    OrderOptions,
    Request,
    check_request,
    choose_test_of_folds,
    list_tests,
)
from sigarray._verdicts.by_orders import OrderOfSeeds, OrderTest
from sigarray._verdicts.comparison import Comparison, pairs_of, say_better
from sigarray._verdicts.doubts import doubt_folds
from sigarray._verdicts.floors import TESTS_OF_ORDERS, doubt_sizes
from sigarray._verdicts.inspection import check_sizes
from sigarray._verdicts.intervals import are_binary
from sigarray._verdicts.lacking import say_published
from sigarray._verdicts.sampled import (
    count_units,
    find_sampled,
    name_sampled,
    name_scored,
    refuse_options_of_runs,
    refuse_single,
)
from sigarray._verdicts.score_lines import describe_scores, doubt_raters, say_left_out
from sigarray._verdicts.test import PairwiseTest, Test
from sigarray.read._frame import list_names
from sigarray.read._messages import note, warn
from sigarray.read._score_table import ScoreTable

ORDERS = OrderOptions()


def choose_default_test(request: Request, table: ScoreTable) -> Request:
    if table.fold_column is not None:
        return choose_test_of_folds(request, table.fold_column, table.n_folds)
    if request.test is not None:
        return request
    is_paired = request.is_paired or table.is_paired
    test = "permutation" if is_paired or table.unit != "run" else "aso"
    test = "t" if table.runs else test
    is_sampled = bool(table.clusters) or table.statistic is not None
    is_sampled = is_sampled and not table.runs
    if request.margin is not None and (is_sampled or test == "aso"):
        default = "almost stochastic order, the default for runs, takes"
        if test != "aso":
            what = "clusters" if table.clusters else "a metric of sums"
            default = f"permutations of {what} take"
        note(f"models are compared by --test t: {default} no margin.")
        test = "t"
    elif is_sampled:
        n = min(len(x) for by in count_units(table).values() for x in by.values())
        if n < FEW_SCORES:
            test = "t"
            is_of_one = n == 1
            what = f"{n} {name_sampled(table)}{'' if is_of_one else 's'}"
            if len(table.tasks) > 1:
                what += ", in the smallest task,"
            note(
                f"{what} {'is' if is_of_one else 'are'} few: models are compared by "
                "--test t. "
                "--test permutation exchanges them."
            )
    if is_paired and table.unit == "run":
        note(
            "pairs of runs are compared by --test permutation: almost stochastic "
            "order, the default for runs, is of independent samples."
        )
    return check_request(replace(request, test=test))


def count_resamples(request: Request) -> int:
    """Return how many resamples a verdict over these tasks takes.

    Those of the test, which a signature names, are another number by default.
    """
    number = request.n_resamples
    is_default = number in (None, RESAMPLES.get(request.test or ""))
    return RESAMPLES["bootstrap"] if number is None or is_default else number


def lacks_baseline(request: Request, table: ScoreTable) -> bool:
    name = request.baseline
    return name is not None and any(name not in by for by in table.tasks.values())


def check_baseline(request: Request, table: ScoreTable) -> Request:
    """Return the request with the whole name of its baseline, which tables may cut.

    One that is missing from some task is refused.
    """
    name = request.baseline
    if name is None:
        return request
    owned = [x for x in table.models if cut_owner(x) == name]
    if name not in table.models and len(owned) == 1:
        name = owned[0]
    for task, by in table.tasks.items():
        if name not in by:
            on = f" on {task}" if task else ""
            msg = (
                f"Expected a model of {table.source}{on} for --baseline; got {name!r}."
                f"{say_published(name) or suggest(name, by)} Those in it: "
                f"{list_names(by)}."
            )
            raise ValueError(msg)
    return replace(request, baseline=name)


def make_test(request: Request, table: ScoreTable) -> Test:
    name = str(request.test)
    if table.runs:
        refuse_options_of_runs(
            name,
            method=request.method,
            is_paired=request.is_paired,
            test_share=request.test_share,
            has_clusters=bool(table.clusters),
        )
        refuse_single(table)
    elif table.clusters or table.statistic is not None:
        refuse_tests_of_sampled(request, table)
    if name in ("bootstrap", "brunner-munzel", "t"):
        for scores in table.tasks.values():
            check_sizes(table.source, scores)
    _check_margin(request, table)
    _doubt_test(request, table)
    if name == "aso":
        return _make_order_test(request, has_runs=bool(table.runs))
    n_resamples, method = request.n_resamples, request.method
    if n_resamples is None or name not in RESAMPLES:
        n_resamples = RESAMPLES.get(name)
    elif method is None:
        method = "resampling"  # the request has a number of resamples
    return PairwiseTest(
        name,
        is_paired=table.is_paired and name in PAIRED_TESTS,
        n_resamples=n_resamples,
        seed=None if n_resamples is None else request.seed,
        method=method or "auto",
        alpha=ALPHA if request.alpha is None else request.alpha,
        n_comparisons=_count_corrected(request, table),
        unit=name_scored(table),
        test_share=request.test_share,
        baseline=request.baseline,
        has_clusters=bool(table.clusters),
        has_runs=bool(table.runs),
        statistic="mean" if table.statistic is None else table.metric,
        margin=request.margin,
    )


def _check_margin(request: Request, table: ScoreTable) -> None:
    margin = request.margin
    if margin is None or margin < 1.0 or table.clusters or table.runs or table.sums:
        return
    for task, by in table.tasks.items():
        if all(map(are_binary, by.values())):
            on = f" on {task}" if task else ""
            msg = (
                f"Expected --margin below 1 of scores of 0 and 1{on}; got "
                f"{margin:.10g}. Pass a share, such as 0.01 for a point."
            )
            raise ValueError(msg)


def refuse_tests_of_sampled(request: Request, table: ScoreTable) -> None:
    refuse_single(table)
    test, of_sums = request.test, table.statistic is not None
    what = f"{table.metric}, a metric of sums" if of_sums else "items in clusters"
    if test in OF_INDEPENDENT:
        advice = "which takes scores as independent. In a table with a row for each "
        advice += "score, or with labels in Python, --unit cluster compares the sums "
        advice += "of clusters"
        if of_sums:
            advice = "which is of scores. Leave it out"
        msg = (
            f"Expected {list_tests(PAIRED_TESTS)} of {what}; got --test {test}, "
            f"{advice}."
        )
        raise ValueError(msg)
    if request.margin is not None and test == "permutation":
        msg = (
            f"Expected --test t or --test bootstrap of {what} with --margin; got "
            "--test permutation, for which scores would be shifted one by one. Leave "
            "it out."
        )
        raise ValueError(msg)
    if request.test_share is not None:
        msg = (
            f"Expected --test-share of splits of one data set; got it with {what}. "
            "Leave it out."
        )
        raise ValueError(msg)
    if request.method == "saddlepoint" and (of_sums or test == "bootstrap"):
        msg = (
            f"Expected --method resampling with --test {test} of {what}; got --method "
            "saddlepoint, which is of plain means. Leave it out."
        )
        raise ValueError(msg)


def _make_order_test(request: Request, *, has_runs: bool) -> Test:
    make = OrderOfSeeds if has_runs else OrderTest
    return make(
        threshold=request.threshold or ORDERS.threshold,
        confidence_level=request.confidence_level or ORDERS.confidence_level,
        method=request.method or ORDERS.method,  # type: ignore[arg-type]
        n_resamples=request.n_resamples or RESAMPLES["aso"],
        seed=request.seed,
        dt=request.dt,
        baseline=request.baseline,
    )


def _doubt_test(request: Request, table: ScoreTable) -> None:
    for doubt in _list_doubts(request, table):
        warn(doubt)
    if request.test in TESTS_OF_ORDERS:
        doubt_sizes(
            count_units(table),
            request.test,
            ALPHA if request.alpha is None else request.alpha,
            _count_corrected(request, table),
            unit=name_sampled(table),
            is_paired=table.is_paired and request.test in PAIRED_TESTS,
            baseline=request.baseline,
        )


def _list_doubts(request: Request, table: ScoreTable) -> list[str]:
    test, doubts = request.test, _doubt_margin(request, table)
    sizes = [len(x) for by in count_units(table).values() for x in by.values()]
    smallest = min(sizes)
    what = "clusters" if table.clusters else "scores"
    is_by_t = table.unit == "run" and request.method != "saddlepoint"
    few = FEW_CLUSTERS if table.clusters else FEW_SCORES
    if test == "bootstrap" and smallest < few and not is_by_t:
        doubts.append(
            f"The p-values of the bootstrap are too small for few {what}, here "
            f"{smallest}: use --test permutation, or --test t."
        )
    if test == "brunner-munzel" and smallest < FEW_RANKS:
        doubts.append(
            "The p-values of Brunner and Munzel's test may be too small for fewer than "
            f"{FEW_RANKS} scores, here {smallest}: of models with P(A > B) = 1/2, one "
            "with 5 scores, 3 to 5 % have p <= 0.05 where they are equal, and up to "
            "9 % where one varies 4 times as much; of 3 scores against 20, up to 17 %. "
            "Where p is corrected for several comparisons, more have."
        )
    is_of_runs = table.unit == "run" and not table.is_paired
    if test == "t" and is_of_runs and _count_corrected(request, table) > 1:
        doubts += _doubt_unlike_numbers(table)
    share, n = request.test_share, table.n_folds
    if share is None and (said := doubt_folds(table)):
        doubts.append(
            f"{said} Pass --test t and the share of the data that each is tested on, "
            f"such as --test-share {1 / n:.2g}."
        )
    if share is not None and 0 < n <= MOST_FOLDS and not 0.8 < share * n < 1.25:
        doubts.append(f"--test-share {share:g} is not that of {n} folds, {1 / n:.2g}.")
    if test == "mann-whitney" and len(set(sizes)) > 1:
        doubts.append(
            "Mann and Whitney's test is of equal distributions: of models of unequal "
            "sizes with P(A > B) = 1/2, up to 21 % had p <= 0.05 where the one with "
            "fewer scores varied more. --test brunner-munzel allows for that."
        )
    if table.unit != "run" and not table.runs and test in OF_INDEPENDENT:
        doubts.append(
            f"{OF_INDEPENDENT[test]} takes scores as independent, and "
            f"those of one {table.unit} in all models are not: use --test permutation."
        )
    if test == "aso" and (request.threshold or 0.0) > ORDERS.threshold:
        doubts.append(
            f"--threshold {request.threshold:g} claims less than "
            f"{ORDERS.threshold:g}: a model may be called better that is behind in "
            "nearly that share of the squared distance of quantiles, and where it "
            "is half, neither is ahead."
        )
    return doubts


def _doubt_unlike_numbers(table: ScoreTable) -> list[str]:
    """Doubt corrected p-values of Welch's t where few runs are beside twice as many."""
    every = [[*map(len, by.values())] for by in table.tasks.values()]
    ends = [(min(n), max(n)) for n in every]
    fewest = min((low for low, high in ends if high >= 2 * low), default=FEW_RANKS)
    if fewest >= FEW_RANKS:
        return []
    return [
        "The p-values of --test t are too small for a correction where numbers of "
        f"runs differ and the fewer are {fewest}: of equal models with 3 and 10 "
        "runs, one of 12 comparisons has p <= 0.05 in 12 %, and more where the "
        "fewer runs vary more. The default, without --test, allows for that."
    ]


def _count_corrected(request: Request, table: ScoreTable) -> int:
    return count_pairs(table, request) if request.is_corrected else 1


def _doubt_margin(request: Request, table: ScoreTable) -> list[str]:
    margin = request.margin
    doubts = []
    for task, by in table.tasks.items() if margin is not None else ():
        span = max(float(x.max()) for x in by.values())
        span -= min(float(x.min()) for x in by.values())
        if margin is not None and 0.0 < span <= margin and table.statistic is None:
            on = f" on {task}" if task else ""
            doubts.append(
                f"--margin {margin:.10g} is no less than all scores{on} are apart "
                f"({show_number(span)}), so that every model is no worse. It is "
                "in the unit of the scores."
            )
    return doubts[:1]


def count_pairs(table: ScoreTable, request: Request) -> int:
    return sum(len(pairs_of(x, request.baseline)) for x in table.tasks.values())


def describe_comparison(
    request: Request, table: ScoreTable, test: Test, task: str
) -> Comparison:
    correction = test.alone
    if request.is_corrected:
        correction = test.choose_correction(count_units(table))
    method = test.describe(
        table, task, is_corrected=request.is_corrected, correction=correction
    )
    is_higher = request.higher_is_better
    if table.metric != "score" or not is_higher:
        better = say_better(table.metric, higher_is_better=is_higher)
        method += f". {raise_initial(better)}"
    said = describe_scores(table, task, is_paired=test.is_paired)
    method = ". ".join([method, *said])
    is_matched = test.is_paired and task in table.pairs
    comparison = Comparison(
        source=table.source + (f", {task}" if task and len(table.tasks) == 1 else ""),
        scores=table.tasks[task],
        test=test.name,
        alpha=test.alpha,
        confidence_level=test.confidence_level,
        threshold=test.threshold,
        higher_is_better=request.higher_is_better,
        is_corrected=request.is_corrected,
        n_comparisons=count_pairs(table, request),
        n_resamples=test.n_resamples,
        seed=test.seed,
        method=method,
        unit=name_scored(table),
        metric=table.metric,
        own_metric=table.metrics.get(task, ""),
        correction=correction,
        baseline=test.baseline,
        is_paired=test.is_paired,
        task=task,
        matched=table.pairs[task] if is_matched else {},
        n_worst=table.n_missing.get(task, {}) if table.missing == "worst" else {},
        sampled=find_sampled(table, task),
        margin=test.margin,
        test_share=request.test_share,
        left_out=table.left_out,
        why_left_out=tuple(say_left_out(table)),
        doubts=tuple(f"{line}." for line in doubt_raters(table)),
    )
    parts = filter(None, [method, comparison.describe_intervals()])
    return replace(comparison, method=". ".join(parts))
