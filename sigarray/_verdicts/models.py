"""Which of several models are better, in one call: what `sigarray compare` prints."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from sigarray import read
from sigarray._backend.checks import check_seed
from sigarray._backend.workers import executed_by, nest_execution
from sigarray._plain_text import suggest, unquote_plain
from sigarray._verdicts.aggregate_tests import Aggregate, refuse_scores
from sigarray._verdicts.aggregate_words import add_aggregates
from sigarray._verdicts.aggregates import compare_aggregates
from sigarray._verdicts.asked import OPTION_RULES, Request, TestName, check_request
from sigarray._verdicts.doubts import (
    doubt_compared,
    is_of_these_tasks,
    note_far_runs,
)
from sigarray._verdicts.inspection import inspect_table, settle_direction
from sigarray._verdicts.lacking import list_shared, say_matched
from sigarray._verdicts.over_tasks import compare_over_tasks
from sigarray._verdicts.overall import write_sentence
from sigarray._verdicts.ranking import WHERE_PAIRS_ARE, WHERE_PAIRS_ARE_IN_PYTHON
from sigarray._verdicts.request import (
    check_baseline,
    choose_default_test,
    count_resamples,
    describe_comparison,
    make_test,
)
from sigarray._verdicts.result import ModelComparison
from sigarray._verdicts.signing import read_table, sign
from sigarray._verdicts.tasks import report_tasks
from sigarray.read._alignment import Unit
from sigarray.read._messages import (
    CautionOfRaters,
    Listener,
    SingleTaskWarning,
    heard_by,
    hold_warnings,
    in_words_of_python,
    list_names_of,
    note,
    say_call,
    say_in_python,
    warn,
)
from sigarray.read._missing import Missing
from sigarray.read._score_table import ScoreTable, check_direction
from sigarray.report._layout import Report
from sigarray.report._wording import write_signature

P = ParamSpec("P")
R = TypeVar("R")

_OF_READING = {*inspect.signature(read.scores).parameters} - {"statistic"}


def says_where_options_are(function: Callable[P, R]) -> Callable[P, R]:
    """Say of an unknown keyword argument which function has it, or which was meant."""
    known = [*inspect.signature(function).parameters]

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        for name in options:
            if name not in known:
                said = _say_unknown(function.__name__, name, known)
                if name in _OF_READING:
                    said += say_call(function.__name__, args[0], _OF_READING, options)
                    said += " Or pass clusters=." if name == "cluster" else ""
                raise TypeError(said)
        return function(*args, **options)

    return call


def _say_unknown(function: str, name: str, known: list[str]) -> str:
    said = f"{function}() got an unexpected keyword argument {name!r}."
    if name == "seed":
        return f"{said} The seed is rng=."
    if name in _OF_READING:
        return f"{said} It is an argument of sigarray.read.scores"
    return f"{said}{suggest(name, known)}"


@says_where_options_are
def compare_models(
    scores: Any,
    /,
    *,
    test: TestName | None = None,
    paired: bool = False,
    baseline: str | None = None,
    threshold: float | None = None,
    confidence_level: float | None = None,
    alpha: float | None = None,
    corrected: bool = True,
    method: str | None = None,
    n_resamples: int | None = None,
    dt: float | None = None,
    test_share: float | None = None,
    margin: float | None = None,
    statistic: Aggregate | None = None,
    higher_is_better: bool | Mapping[str, bool] | None = None,
    unit: Unit | None = None,
    clusters: Any = None,
    missing: Missing | None = None,
    rng: int = 0,
    workers: Any = None,
    progress: Any = None,
) -> ModelComparison:
    """Say which of several models are better, on one task or on several.

    Does what `sigarray compare` does with a file: it takes the test that suits the
    scores, corrects for all comparisons, and warns of what makes a verdict doubtful.

    Parameters
    ----------
    scores : ScoreTable, mapping, data frame or path
        What `read.scores` returns, or takes: arrays by model, or by task and model, on
        any device; a data frame; or a file.
    test : str, optional
        "aso", "bootstrap", "permutation", "mann-whitney", "brunner-munzel" or "t". By
        default almost stochastic order of runs, and of scores of items permutations,
        paired by item.
    paired : bool, default: False
        The scores of all models are of the same runs, or splits, in the same order.
    baseline : str, optional
        Compare each other model with this one, and no other pairs: fewer runs then do.
    threshold : float, optional
        For "aso": A is better where eps_min is below this; default: 0.2.
    confidence_level : float, optional
        For "aso": the level of bounds and tests of equality; default: 0.95.
    alpha : float, optional
        For other tests: adjusted p-values of at most alpha are significant; default:
        0.05.
    corrected : bool, default: True
        Correct for the number of comparisons: "aso" by a test that is closed over sets
        of models, others by Holm, and both by Benjamini and Hochberg over tasks where
        those could leave nothing on any task.
    method : str, optional
        "auto", the default, takes what suits the scores; "bootstrap", "exact" and
        "asymptotic" say how "aso" finds standard errors; "resampling" and "saddlepoint"
        are for "bootstrap" and "permutation".
    n_resamples : int, optional
        Default: 1000 for "aso", 9999 for "bootstrap" and "permutation"; more are drawn
        where a verdict would hang on the seed.
    dt : float, optional
        For "aso": compare quantiles at dt, 2 dt, ..., in place of all.
    test_share : float, optional
        For "t": scores are of splits of one data set, tested on this share of it.
    margin : float, optional
        For "t", "bootstrap" and "permutation": by how much a model may be worse, in the
        unit of the scores, above 0, and count as no worse. Beside the test for a better
        model there is then a one-sided one of each model and the baseline, or of both
        models of each pair, with a correction of its own; for scores of 0 and 1 it is
        that of `proportion_test`. By default "t" of runs, of clusters and of metrics
        of sums.
    statistic : {"mean", "iqm", "median", "improvement"}, optional
        Decide over these tasks alone: by the mean, interquartile mean or median of all
        scores of a model, where each task is a stratum ("mean": each counts the same);
        or by how often runs of one model beat those of another ("improvement").
        This is of other runs on the same tasks, by `t_test` ("mean") or
        `bootstrap_test` with `strata`; `over_tasks` is still over tasks like these. Of
        items in clusters, "mean" takes the errors of clusters within tasks. "iqm" and
        "median" of one task compare it by that, beside its mean. A `margin` is asked
        over these tasks, too. Three models or more have ranks by it, with intervals
        that follow from the verdicts, unless there is a `baseline`.
    higher_is_better : bool or mapping of str to bool, optional
        False for losses; or a mapping of metrics, or tasks, to whether higher is
        better. By default as the scores were read, or else True; but an error asks for
        it if a name, such as "loss" or "rmse", is that of a loss.
    unit : {"run", "item", "cluster", "run,item"}, optional
        What a score stands for. Items in several runs of each model, of a table with
        columns of both, are "run,item" by default: both were drawn, and "t" takes the
        errors of both. For a mapping or a wide frame it is "run" by default; scores
        that look like those of items, such as 0 and 1, are taken for such, with a note
        in `notes`, or an error asks for the unit.
    clusters : array_like, mapping or str, optional
        If whole clusters of items were sampled, such as documents with several
        questions each: a label for each item, in the order of the items, or by task; of
        a frame or a file the name of their column. Means stay those of items, and tests
        and intervals take the errors of clusters: by default "t" if a task has fewer
        than 20 of them. With ``unit="cluster"`` the sums of clusters are compared.
    missing : {"drop", "worst", "keep"}, optional
        Leave out what has a missing score, or count it as the worst, which is for
        "aso", "mann-whitney" and "brunner-munzel"; "keep" takes the last scores of runs
        that have crashed or end much earlier than others. By default NaN in an array, a
        list or a Series is an error, as is a word such as "n/a" in a file. NaN in a
        data frame, as a blank cell of a file, is left out, with a note in `notes`;
        where scores are pairs, it is an error, too.
    rng : int, default: 0
        The seed, which the signature names. Random numbers go by the names of models,
        and with `statistic` of tasks, not by their order: other names are other draws
        for "aso" and intervals of ranks; for bootstraps and permutations they are if
        they change which model of a pair is first in alphabetical order.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    ModelComparison
        `verdicts`, `sentences`, `tables`, `method` and `signature`, `to_frame` and
        others; printed, it shows what the command does.

    Raises
    ------
    TypeError
        Scores of another kind, or a seed that is no int.
    ValueError
        Scores that cannot be compared, or options that do not suit the test.

    Warns
    -----
    UserWarning
        Scores or options that make the verdicts worth less.

    See Also
    --------
    compare : two samples of scores, on any array library, batch and device.
    multi_aso : bounds of every two models, on any array library.

    Notes
    -----
    The scores are copied to the host, and names are text. Only one call may run at a
    time, because warnings are caught for the whole process. Adding a model changes no
    resample of the others, but may change a verdict.

    Examples
    --------
    >>> from sigarray import compare_models
    >>> scores = {
    ...     "lstm": [0.897, 0.892, 0.894, 0.901, 0.898],
    ...     "cnn": [0.891, 0.884, 0.889, 0.886, 0.890],
    ...     "crf": [0.871, 0.880, 0.875, 0.869, 0.878],
    ... }
    >>> result = compare_models(scores)
    >>> [(x.model_a, x.model_b, x.better) for x in result.verdicts][0]
    ('lstm', 'cnn', 'lstm')
    >>> print(result.sentences[1].partition(":")[0])
    lstm is better than crf
    >>> result.to_frame()[["model_a", "model_b", "better"]].head(2)
      model_a model_b better
    0    lstm     cnn   lstm
    1    lstm     crf   lstm
    """
    given = locals()
    for name, rule in OPTION_RULES.items():
        rule(name, given[name])
    check_direction(higher_is_better)
    check_seed(rng)
    execution = nest_execution(workers=workers, progress=progress)
    names = list_names_of(scores)
    with in_words_of_python(names) as warned, executed_by(execution):
        request = check_request(
            Request(
                test=test,
                is_paired=paired,
                test_share=test_share,
                margin=None if margin is None else float(margin),
                statistic=statistic,
                baseline=None if baseline is None else str(baseline),
                threshold=threshold,
                confidence_level=confidence_level,
                alpha=alpha,
                dt=dt,
                method=method,
                n_resamples=n_resamples,
                seed=rng,
                is_corrected=corrected,
                missing=missing,
            )
        )
        table = read_table(scores, clusters, unit, missing, higher_is_better, request)
        direction = settle_direction(table, higher_is_better)
        request = replace(request, higher_is_better=direction is not False)
        names += [*table.models, *table.tasks]
        of_raters = [x for x in table.notes if isinstance(x, CautionOfRaters)]
        for doubt in (*of_raters, *table.doubts):
            warn(f"{doubt}.")
        inspect_table(
            table,
            direction=direction,
            is_vouched=unit is not None or clusters is not None,
            gate="",
        )
        notes: list[str] = [x for x in table.notes if x not in of_raters]
        with heard_by(Listener(notes.append, lambda steps, _: iter(steps))):
            result = compare_table(table, request)
    return replace(
        result,
        content=_say_in_python(result.content, names),
        notes=tuple(say_in_python(x, names) for x in notes),
        warnings=tuple(warned),
    )


def _say_in_python(report: Report, names: Sequence[str]) -> Report:

    def translate(lines: Sequence[str]) -> list[str]:
        return [say_in_python(x, names) for x in lines]

    remarks, advice = report.remarks, list(report.advice)
    if advice[-1:] == [WHERE_PAIRS_ARE]:
        advice[-1] = WHERE_PAIRS_ARE_IN_PYTHON
    return replace(
        report,
        sentences=translate(report.sentences),
        headline=translate(report.headline),
        summary=say_in_python(report.summary, names),
        paragraphs=translate(report.paragraphs),
        remarks=None if remarks is None else translate(remarks),
        advice=translate(advice),
        first_advice=translate(report.first_advice),
    )


def compare_table(table: ScoreTable, request: Request) -> ModelComparison:
    if len(table.models) < 2:
        msg = f"{table.source}: expected two models or more; got {len(table.models)}."
        raise ValueError(msg)
    request = check_baseline(request, table)
    request = choose_default_test(replace(request, missing=table.missing), table)
    request = check_request(request)
    if request.statistic is not None:  # before any warning
        refuse_scores(table, request.statistic, list_shared(table)[0])  # type: ignore[arg-type]
    with hold_warnings(SingleTaskWarning) as of_single_tasks:
        test = make_test(request, table)
        if test.is_paired:
            say_matched(table)
        compared = {
            x: describe_comparison(request, table, test, x) for x in table.tasks
        }
        results = test.run(compared)
    decisions = test.decide(compared, results)
    first = next(iter(compared.values()))
    has_own = table.unit == "run" or not table.shares_runs
    over, aggregates = compare_over_tasks(compared) if has_own else None, None
    statistic = request.statistic
    if statistic is None and is_of_these_tasks(table, request, over):
        statistic = "mean"
    for text in of_single_tasks:  # which matter less beside a verdict over tasks
        if statistic is not None or (over is not None and over.can_decide):
            note(text)
        else:
            warn(text, SingleTaskWarning)
    if statistic is not None:
        aggregates = compare_aggregates(
            table,
            statistic,  # type: ignore[arg-type]
            level=first.error_of_intervals,
            is_corrected=request.is_corrected,
            higher_is_better=request.higher_is_better,
            baseline=request.baseline,
            n_resamples=count_resamples(request),
            seed=request.seed,
            margin=request.margin,
        )
    doubt_compared(compared, test, None if statistic is not None else over)
    note_far_runs(table, has_worst=request.has_worst)
    fields = sign(test, table, first, decisions, over, aggregates)
    if len(compared) > 1:
        report = report_tasks(table, compared, decisions, over, request, statistic)
    else:
        ((task, comparison),) = compared.items()
        report = test.report(comparison, results[task], decisions[task])
    if aggregates is not None:
        report = add_aggregates(report, aggregates, compared)
    line = None if fields is None else write_signature(fields)
    document = report.document | {"signature": line}
    if table.missing is not None:
        counts = {task: dict(x) for task, x in table.n_missing.items()}
        document |= {"missing": table.missing, "n_missing": counts}
    names = [*table.models, *table.tasks]
    lack = test.find_lack(first)
    summary = write_sentence(
        compared, over, aggregates, report.headline[1:], report.sentences, lack
    )
    report = replace(
        report,
        signature=line,
        document=document,
        summary=unquote_plain(summary, names),
        paragraphs=[unquote_plain(x, names) for x in report.paragraphs],
    )
    return ModelComparison(
        table,
        *(test, compared, results, decisions, over, report, fields),
        over_these_tasks=aggregates,
    )
