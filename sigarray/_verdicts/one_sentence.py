"""The answer in one sentence, for a paper: which models, by how many scores, how."""

import re
from collections.abc import Mapping, Sequence

from sigarray._verdicts import overall
from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.asked import OF_INDEPENDENT
from sigarray._verdicts.comparison import UNPAIRED, Comparison
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.paragraph import say_what
from sigarray._verdicts.ranking import SHARED_LETTER
from sigarray._verdicts.verdict import say_basis

_SHARED = "; of models that share a letter, neither is shown to be better"


def write_sentence(
    compared: Mapping[str, Comparison],
    over: OverTasks | None,
    aggregates: Aggregates | None,
    answers: Sequence[str],
    verdicts: Sequence[str],
    lack: str,
) -> str:
    """Say in a sentence what was compared, how, and what the answer is.

    That is the first of `answers`, or, of two models alone, the first of `verdicts` on
    every pair with the level of its interval. `lack` says why there is none, if so.
    """
    first = next(iter(compared.values()))
    of_tasks = over if over is not None and over.can_decide else None
    is_of_these = aggregates is not None and len(compared) > 1
    if aggregates is not None and is_of_these:
        how, level = _name_statistic(aggregates), aggregates.say_level()
        is_of_pair = len(aggregates.pairs) == 1
    elif of_tasks is not None:
        how, level = overall.say_rule(of_tasks), of_tasks.say_level()
        is_of_pair = len(of_tasks.pairs) == 1
    else:
        how, level = _name_test(first), first.say_level_of_intervals()
        is_of_pair = len(compared) == 1 and len(first.names) == 2
    if lack and len(compared) == 1:
        result = f"there are too few {first.unit}s for any verdict"
    elif is_of_pair:
        said = verdicts[0].partition("; on single tasks, ")[0]
        result = f"{said.rstrip('.')} ({level})"
    elif answers or len(verdicts) == 1:
        result = _join([*answers, *verdicts][0])
    else:  # of tasks that are not those of all models
        return ""
    return f"{say_what(compared)} by {how}; {result}."


def _join(answer: str) -> str:
    said = answer.removesuffix(f" {SHARED_LETTER}").rstrip(".")
    if said != answer.rstrip("."):
        said += _SHARED
    said = re.sub(
        r"\. (Worse|Inconclusive|Unequal)(?=: )", lambda x: f"; {x[1].lower()}", said
    )
    start = re.match("(Ranking|Better|In|No|On|Over) ?", f"{said} ")
    return said[0].lower() + said[1:] if start else said


def _name_test(x: Comparison) -> str:
    name = OF_INDEPENDENT.get(x.test)
    if name is None:
        name = x.method.partition(", two-sided")[0].replace(f" {UNPAIRED}", "")
        name = name if name.startswith("Welch") else f"a {name}"
    sides = "" if x.test == "aso" else "two-sided "
    return f"{name.replace('Almost', 'almost')} ({sides}{say_basis(x)})"


def _name_statistic(x: Aggregates) -> str:
    test = "t-test" if x.statistic == "mean" else "bootstrap test"
    name = f"the {x.noun}" if x.is_of_pairs else f"a {test} of the {x.noun}"
    rule = f"two-sided p <= {x.level:.10g}{x.say_holm()}"
    return f"{name}{x.where}, with tasks as strata ({rule})"
