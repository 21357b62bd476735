"""What to say of models over these tasks, by the results of `aggregates`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sigarray._plain_text import quote, raise_initial, show_number
from sigarray._verdicts.aggregate_tables import (
    explain_ranks,
    show_difference,
    show_pair_p_value,
    table_of_models,
    table_of_pairs,
)
from sigarray._verdicts.aggregates import Aggregates, PairOfAggregates
from sigarray._verdicts.asked import FEW_CLUSTERS, FEW_SCORES, OF_INDEPENDENT
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import (
    advise_least,
    disagree,
    say_by_which,
    say_if_sharper,
    say_least,
)
from sigarray._verdicts.lacking import say_left_out
from sigarray._verdicts.margins import (
    end_not_worse,
    order_pair,
    say_margin_of,
    say_worse,
    show_claims,
    show_margin,
)
from sigarray._verdicts.margins import say_answer as say_margins
from sigarray._verdicts.near_levels import warn_near
from sigarray._verdicts.overall import advise_scaling, find_scales
from sigarray._verdicts.paragraph import end, list_verdicts, say_what
from sigarray._verdicts.ranking import explain_groups, say_which_are_better
from sigarray._verdicts.records import AGGREGATE_FIELDS, make_record, write_document
from sigarray.read._messages import warn
from sigarray.report._layout import Report, equate

# P-values within so many standard errors of the level hang on the draws.
_ERRORS_OF_DRAWS = 2.0


def add_aggregates(
    report: Report,
    x: Aggregates,
    compared: Mapping[str, Comparison],
) -> Report:
    _doubt(x, compared)
    _doubt_draws(x)
    tables = [table_of_pairs(x, compared), table_of_models(x, compared)]
    sentences = [_say_pair(x, pair, compared) for pair in x.pairs]
    remarks = _list_remarks(x)
    own = [*_say_answer(x), *_say_margins(x, compared)]
    of_ranks = explain_ranks(x) or explain_groups(x.order, own)
    title, *answers = report.headline
    is_one = len(compared) == 1
    if not is_one:
        tables[0] = replace(tables[0], remarks=remarks)
        tables[1] = replace(tables[1], remarks=of_ranks)
    remarks = [*remarks, *of_ranks]
    every = [y | dict.fromkeys(AGGREGATE_FIELDS) for y in report.records]
    records = [make_record(x, pair, every[0]) for pair in x.pairs]
    advised = advise_least(any(map(x.is_least, x.pairs)))
    return replace(
        report,
        tables=[*report.tables, *tables] if is_one else [*tables, *report.tables],
        sentences=[*sentences, *report.sentences, *remarks],
        method=f"{report.method}. {_describe(x, next(iter(compared.values())).test)}",
        records=[*every, *records],
        document=report.document
        | {"over_these_tasks": write_document(x) | {"verdicts": sentences}},
        headline=[title, *_name_test(answers, compared), *own]
        if is_one
        else [title, *own, *answers],
        remarks=[*remarks, *report.said],
        advice=list(dict.fromkeys([*advised, *report.advice])),
        # Those of a report of several tasks are of other tables than the answer's.
        clauses=_say_what_decides(x) or (report.clauses if is_one else []),
        paragraphs=_add_paragraph(x, report.paragraphs, compared),
    )


def _say_what_decides(x: Aggregates) -> list[str]:
    pairs = [(y.interval, y.better) for y in x.pairs]
    return say_by_which(x.p, pairs, _name_even(x))


def _name_even(x: Aggregates) -> str:
    """Name the number that neither of two models would be better with."""
    return "1/2" if x.is_of_pairs else "0"


def _name_test(answers: Sequence[str], compared: Mapping[str, Comparison]) -> list[str]:
    """Say by which test a ranking is, which stands above that by a statistic."""
    test = next(iter(compared.values())).test
    name = OF_INDEPENDENT.get(test, "means")
    by = f" by {name.replace('Almost', 'almost')}"
    return [
        re.sub(
            r"^(Ranking|Better than .+?)(?=: )|(?<=another one)(?=\.)", rf"\g<0>{by}", x
        )
        for x in answers
    ]


def _add_paragraph(
    x: Aggregates,
    paragraphs: Sequence[str],
    compared: Mapping[str, Comparison],
) -> list[str]:
    verdicts = []
    comparison = next(iter(compared.values()))
    for y in x.pairs:
        is_turned = order_pair(y, y.a, y.b)[0] == y.b or y.better == y.b
        pair = y.turn() if is_turned else y
        numbers = [
            show_difference(x, pair, compared),
            f"{x.p} {equate(show_pair_p_value(x, pair))}",
            *show_claims(comparison, pair, pair.a, pair.b),
        ]
        verdicts.append((pair.a, pair.b, pair.verdict, f"({', '.join(numbers)})"))
    own = [
        *map(end, _say_answer(x)),
        *_list_remarks(x),
        f"In parentheses: {_name_estimate(x)} with its "
        f"interval, {x.say_level()}, and {x.p}"
        f"{say_margin_of(comparison)}.",
        *list_verdicts(x.order.names, verdicts, say_worse(comparison)),
    ]
    if len(compared) == 1:
        return [*paragraphs, " ".join(own)]
    what = f"{say_what(compared)}."
    first, *rest = paragraphs
    left_out = " ".join([what, *say_left_out(compared)])
    rest = [first.removeprefix(left_out).strip(), *rest]
    return [" ".join([left_out, *own]), *filter(None, rest)]


def _say_answer(x: Aggregates) -> list[str]:
    by = f" by {x.plural}{x.where}"
    return say_which_are_better(x.order, x.baseline, x.wins, by)


def _say_pair(
    x: Aggregates, pair: PairOfAggregates, compared: Mapping[str, Comparison]
) -> str:
    shown = equate(show_pair_p_value(x, pair))
    p, level = f"{x.p} {shown}", f"{x.level:.10g}"
    if pair.better == pair.b:
        pair = pair.turn()
    first, second, where = quote(pair.a), quote(pair.b), x.where
    many = x.plural
    difference = f"the {many} differ by {show_difference(x, pair, compared)}"
    if x.is_of_pairs:
        difference = f"a run of {first} beats one of {second} with probability "
        difference += show_difference(x, pair, compared)
    if pair.not_worse and pair.better is None:
        comparison = next(iter(compared.values()))
        return f"{_say_not_worse(x, pair, comparison)}; {difference}."
    if pair.better is None:
        by = "" if where else f" by {many}"
        said = f"{first} vs. {second}{where}{by}: inconclusive ({p} > {level})"
        return f"{said}; {difference}."
    by = where or f" by {many}"
    sharper = say_if_sharper(pair.interval, _name_even(x))
    return (
        f"{first} is better than {second}{by}: {p} <= {level}; {difference}{sharper}."
    )


def _name_estimate(x: Aggregates) -> str:
    if x.is_of_pairs:
        return (
            "how probably a run of the model that is named first beats one of the "
            "other,"
        )
    return f"the difference of {x.plural}"


def _say_not_worse(
    x: Aggregates, pair: PairOfAggregates, comparison: Comparison
) -> str:
    first, second = map(quote, order_pair(pair, pair.a, pair.b))
    by = x.where or f" by {x.plural}"
    said = f"{first} is not {say_worse(comparison)} than {second}{by}"
    if len(pair.not_worse) > 1:
        said = f"{first} and {second} are equivalent{by}, apart by less than "
        said += show_margin(comparison)
    return end_not_worse(said, pair, show_pair_p_value(x, pair), x.p, x.level)


def _say_margins(x: Aggregates, compared: Mapping[str, Comparison]) -> list[str]:
    comparison = next(iter(compared.values()))
    where = x.where.lstrip() or f"by {x.plural}"
    where = raise_initial(where)
    if len(x.pairs) == 1:
        (pair,) = x.pairs
        if pair.better is not None or not pair.not_worse:
            return []
        return [f"{_say_not_worse(x, pair, comparison)}."]
    return [
        f"{where}: {said[0].lower()}{said[1:]}"
        for said in say_margins(comparison, x.pairs)
    ]


def _list_remarks(x: Aggregates) -> list[str]:
    rule, what = f"p <= {x.level:.10g}", f"{x.unit}s"
    if x.n_clusters is not None:
        test = "t-test" if x.statistic == "mean" else "bootstrap"
        rule += f" by a {test} with {_say_clusters(x)}"
        what = "clusters of items"
    rule += x.say_holm()
    by = f"by the {x.noun} of all its {x.unit}s"
    if x.statistic == "mean" and (x.n_clusters or x.sizes[0] < x.sizes[1]):
        by = "by the mean of its means on tasks, each of which counts the same,"
    if x.is_of_pairs:
        by = (
            "by how often its runs beat those of the other on the same task, on "
            "average over tasks,"
        )
    if len(x.tasks) == 1:
        told = [f"{raise_initial(by)}, a model is better than another if {rule}."]
    else:
        told = [
            f"Over these {len(x.tasks)} tasks, a model is better than another {by} if "
            f"{rule}. This is about other {what} on the same tasks."
        ]
    if x.margin is not None:
        where = x.where.lstrip() or f"by the {x.noun}"
        told.append(
            f"{raise_initial(where)}, a model is not worse than another by "
            f"{x.margin:.10g} or more if the one-sided {x.p} of the "
            f"margin is at most {x.level:.10g}."
        )
    if x.is_of_pairs and not all(y.interval.low < y.interval.high for y in x.pairs):
        told.append("A probability of 0 or 1 is that of all resamples: no interval.")
    if any(disagree(y.interval, y.better) for y in x.pairs):
        told.append(
            f"Intervals of {x.plural} and their p-values are computed "
            "or corrected in different ways: one may be clear where the other is not."
        )
    return told + say_least(any(map(x.is_least, x.pairs)), x.where)


def _say_clusters(x: Aggregates) -> str:
    done = "the errors" if x.statistic == "mean" else "draws"
    return f"{done} of whole clusters"


def _describe(x: Aggregates, test: str) -> str:
    paired = f", paired by {x.unit}" if x.is_paired else ""
    where, of = f"Over these {x.said_tasks}", f" of the {x.noun}"
    if len(x.tasks) == 1:
        where, of = x.plural.capitalize(), ""
    strata = "" if len(x.tasks) == 1 else ", with tasks as strata"
    if x.n_clusters is not None:
        strata += f"{' and' if strata else ', with'} {_say_clusters(x)}"
    if x.statistic == "mean":
        said = f"{where}: t-test{of}{paired}{strata}, two-sided"
        if x.sizes[0] < x.sizes[1]:
            said += ", each task counting the same"
        if test != "t" and len(x.tasks) > 1:
            said += f", while --test {test} is of single tasks"
        whose = "Student's intervals"
    else:
        said = f"{where}: bootstrap test{of}{paired}{strata}, two-sided, of "
        said += f"{x.n_resamples} resamples (seed {x.seed})"
        whose = "intervals by percentiles"
    if x.is_of_pairs:
        said = (
            f"{where}: probability of improvement, the mean over tasks of P(A better) "
            f"+ P(A = B)/2 of runs of both models{strata}, two-sided p-values by the "
            f"percentiles of {x.n_resamples} resamples (seed {x.seed}), and not below "
            "the least by exchanges of runs within tasks"
        )
    said += x.say_holm(",")
    if x.margin is not None:
        said += f"; one-sided tests of a margin of {x.margin:.10g} by the same"
    own = "Student's" if x.statistic == "mean" else "percentiles of resamples"
    own = f"Intervals of single models are {own}"
    own += f"{strata}, {x.say_own_level()}"
    own_intervals = [] if x.is_of_pairs else [own]
    of_pairs = f"{raise_initial(whose)}, {x.say_level()}"
    told = [said, of_pairs, *own_intervals, *_say_draws(x)]
    return ". ".join(told)


def _say_draws(x: Aggregates) -> list[str]:
    if x.statistic == "mean" or len(x.tasks) == 1:
        return []
    of = f"one {x.unit} fewer than there are on each task"
    return [f"A resample has {of} (Rao and Wu, 1988), for those of all vary too little"]


def _doubt_draws(x: Aggregates) -> None:
    if x.n_resamples is None:
        return
    near = []
    tails = 2.0 if x.is_of_pairs else 1.0
    for pair in x.pairs:
        p = min(pair.pvalue, 1.0)
        share = p / tails
        error = math.sqrt(share * (1.0 - share) / x.n_resamples)
        error *= pair.adjusted_pvalue / share
        if abs(pair.adjusted_pvalue - x.level) <= _ERRORS_OF_DRAWS * error:
            near.append(f"{quote(pair.a)} vs. {quote(pair.b)}")
    warn_near(near, x.level, x.n_resamples)


def _doubt(x: Aggregates, compared: Mapping[str, Comparison]) -> None:
    n = min(
        sum(len(compared[task].scores[name]) for task in x.tasks) for name in x.values
    )
    if x.is_of_pairs:
        return  # of ranks within each task, which need no scale
    units, few = f"{x.unit}s", FEW_SCORES
    advice = f"--statistic mean of several tasks is valid for few {units}, too."
    if x.n_clusters is not None:
        n, units, few = x.n_clusters, "clusters", FEW_CLUSTERS
        advice = "The t-test of means, without --statistic, is valid for few, too."
    if x.statistic != "mean" and n < few:
        warn(
            f"--statistic {x.statistic} of {n} {units} of a model in all: p-values "
            f"of the bootstrap are too small, and intervals too short, for so few. "
            f"{advice}"
        )
    means = np.asarray(
        [
            [compared[task].summaries[name]["mean"] for name in x.values]
            for task in x.tasks
        ]
    )
    scales = find_scales(means)
    if scales is not None:
        warn(
            "Scores on tasks differ in size by a factor of "
            f"{show_number(scales.factor, 2)}, and --statistic {x.statistic} takes "
            "them for scores on one scale, unless "
            f"they are normalized already. {advise_scaling(means, x.tasks)}."
        )
