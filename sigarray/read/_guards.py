"""Refuse tables that are not what they seem."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, find_roles, is_long, list_names, squeeze
from sigarray.read._summaries import STATISTICS

SPLITS = frozenset(
    (
        *("train", "training", "test", "testing", "val", "valid", "validation"),
        *("dev", "eval", "evaluation", "holdout"),
    )
)
# Names of columns of what predictions are compared with.
TRUTHS = frozenset(
    (
        *("gold", "golds", "goldlabel", "label", "labels", "truth", "groundtruth"),
        *("ytrue", "ytest", "answerkey", "gt"),
    )
)
# Those that may be models, too, where scores are no whole numbers.
MAYBE_TRUTHS = frozenset(
    (
        *("target", "targets", "reference", "references", "actual", "expected"),
        *("y", "true", "answer", "answers", "correctanswer", "oracle", "class"),
        *("human", "humans", "annotator", "annotators", "annotation", "annotations"),
        *("majority", "majorityvote", "rating", "ratings", "consensus"),
    )
)
# Words of a column that is computed of those of models.
_DIFFERENCES = {"diff", "difference", "delta", "gap", "improvement"}
_COMPUTED = (STATISTICS - {"sd"}) | _DIFFERENCES
METRICS = frozenset(
    (
        *("acc", "accuracy", "auc", "auroc", "auprc", "roc", "f1", "precision"),
        *("recall", "bleu", "rouge", "chrf", "comet", "kappa", "mcc", "ndcg", "mrr"),
        *("loss", "losses", "error", "err", "perplexity", "ppl", "nll", "mse", "mae"),
        *("rmse", "wer", "cer", "fit", "score", "scores", "time", "seconds"),
        *("runtime", "reward", "return", "returns", "cost", "costs", "latency"),
        *("params", "parameters", "nparams", "flops", "energy", "memory", "tokens"),
    )
)
# Of which one of `METRICS` may be: "n_params", "total time".
_FILLERS = frozenset(("n", "num", "number", "of", "total", "mean", "avg", "average"))
# Columns that scikit-learn's cross_validate adds to its scores.
_TIMES = {"fit_time", "score_time"}
_FOLD = re.compile(
    r"((k|cv|outer|inner)?folds?|cv|cvsplits?|cviter(ation)?|(cv)?repetitions?)"
    r"(id|idx|index|no|nr|num|number)?"
)


def refuse_splits(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> None:
    """Refuse rows of training and of test data as one.

    Raises
    ------
    TableError
        A column that has two or more of such words, and nothing else, and no role.
    """
    roles = {*chosen.values()}
    for role, name in find_roles(frame, {}).items():
        if role in ("model", "metric", "score"):
            roles.add(name)
    for column, cells in frame.columns.items():
        if column in roles or column in ignored or isinstance(cells, np.ndarray):
            continue
        if not all(isinstance(x, str) for x in cells):
            continue
        values = list(dict.fromkeys(x.strip() for x in cells if x.strip()))
        if len(values) > 1 and all(x.lower() in SPLITS for x in values):
            wanted = next((x for x in values if x.lower().startswith("t")), values[0])
            wanted = next((x for x in values if x.lower() == "test"), wanted)
            msg = (
                f"{frame.source}, column {column!r}: expected scores of one split; got "
                f"{list_names(values)}. Choose one with --where {column}={wanted}, or "
                f"compare on each with --task {column}."
            )
            raise TableError(msg)


def refuse_other_columns(source: str, scores: Mapping[str, np.ndarray]) -> None:
    """Refuse columns that are hardly models, where those are columns.

    Raises
    ------
    TableError
        The truth beside predictions, times or losses beside accuracies.
    """
    names = list(scores)
    if len(names) < 2:
        return
    words = {name: _list_words(name) for name in names}
    is_whole = all(bool(np.all(x == np.round(x))) for x in scores.values())
    known = TRUTHS | MAYBE_TRUTHS if is_whole else TRUTHS
    truths = [x for x in names if squeeze(x) in known]
    if truths:
        others = [x for x in names if x not in truths]
        msg = (
            f"{source}: expected a column of scores for each model; got {truths[0]!r}, "
            f"which seems to be the truth, beside {list_names(others, 3)}. Write "
            "whether each prediction is right, as 1 or 0, or another score of it; or "
            "name columns that are scores with --columns."
        )
        raise TableError(msg)
    kinds = [
        x
        for x in names
        if words[x] & METRICS and words[x] <= METRICS | SPLITS | _FILLERS
    ]
    kinds += [x for x in names if _is_computed(x, words)]
    if not kinds and all(words[x] and words[x] <= SPLITS for x in names):
        kinds = list(names)
    if kinds:
        msg = (
            f"{source}: expected a column of scores for each model; got "
            f"{list_names(kinds, 4)}, hardly the name of a model. Name the column of "
            "models with --model and the scores with --metric, leave columns out with "
            "--ignore, or choose the models with --columns. Where a file is of one "
            "model, pass one for each: NAME=FILE."
        )
        raise TableError(msg)


def _is_computed(name: str, words: Mapping[str, set[str]]) -> bool:
    """Tell "average" and "diff", and "a_std" beside "a"."""
    if squeeze(name) in _COMPUTED:
        return True
    rest = words[name] - _COMPUTED - {"sd"}
    return rest != words[name] and any(rest == words[x] for x in words if x != name)


def _list_words(name: str) -> set[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return set(re.findall(r"(?<![a-z])f1(?!\d)|[a-z]+|\d+", spaced.lower()))


def refuse_folds(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> None:
    """Refuse to take folds of a cross validation for runs in silence.

    Raises
    ------
    TableError
        A column of folds or repetitions, which was not named for anything.
    """
    for name in _list_folds(frame, chosen):
        if name not in {*chosen.values(), *ignored}:
            run = _name_folds(frame, name, ignored)
            msg = (
                f"{frame.source}, column {name!r}: expected independent runs; got what "
                "looks like folds or repetitions on one data set, whose training data "
                f"overlap. Pass --run {run}, with --test t and the share of the data "
                "that each is tested on, --test-share, where that is so; or --run "
                f"{run} alone where they are independent."
            )
            raise TableError(msg)


def _name_folds(frame: Frame, fold: str, ignored: Sequence[str]) -> str:
    """Give the columns that together name a fold, of which each repetition has one."""
    roles = find_roles(frame, {})
    own = [roles[x] for x in ("model", "task", "metric") if x in roles]
    rows = [*zip(*(frame.columns[x] for x in (*own, fold)), strict=True)]
    run = roles.get("run")
    if len(set(rows)) == len(rows) or run in (None, fold, *ignored):
        return fold
    return ",".join(x for x in frame.columns if x in (run, fold))


def refuse_cross_validation(frame: Frame, chosen: Mapping[str, str]) -> None:
    """Refuse to take what scikit-learn's cross_validate gives for independent runs.

    Raises
    ------
    TableError
        Rows of folds, of which no column was named for the runs.
    """
    of_tests = any(x.startswith("test_") for x in frame.columns)
    if not of_tests or not {*frame.columns} >= _TIMES or len(frame.lines) < 2:
        return
    if "run" in find_roles(frame, chosen):
        return
    msg = (
        f"{frame.source}: expected independent runs; got {list_names(sorted(_TIMES))}, "
        "as scikit-learn's cross_validate writes of folds of one data set, whose "
        "training data overlap. Pass --test t and the share of the data that each is "
        "tested on, --test-share; or --unit run where they are independent."
    )
    raise TableError(msg)


def doubt_folds(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> list[str]:
    """Say that rows are runs whose column of folds was left out."""
    return [
        f"{frame.source}, column {name!r} was left out, and each of its rows is taken "
        "for an independent run: training data of folds overlap. If they are folds, "
        f"pass --run {name}, with --test t and the share of the data that each is "
        "tested on, --test-share"
        for name in _list_folds(frame, chosen)
        if name in ignored
    ]


def _list_folds(frame: Frame, chosen: Mapping[str, str]) -> list[str]:
    """List the columns of several folds or repetitions."""
    if frame.metrics is not None or "run" in chosen:
        return []
    found = []
    for name, cells in frame.columns.items():
        word = squeeze(name)
        is_split = word in ("split", "splitid") and all(
            re.fullmatch(r"(split|fold)?[\W_]?\d+(\.0)?", str(x).lower()) for x in cells
        )
        if (is_split or _FOLD.fullmatch(word)) and len({*map(str, cells)}) > 1:
            found.append(name)
    return found


def refuse_rows_apart(frame: Frame) -> None:
    """Refuse a few rows below a blank line, of a table with a column for each model.

    Raises
    ------
    TableError
        They may be the means of those above.
    """
    if frame.kind != "a table" or isinstance(frame.lines, range):
        return
    if frame.line_word != "line" or is_long(frame, {}):
        return
    columns = list(frame.columns.values())
    for k in range(len(frame.lines) - 1, 0, -1):
        above, below = frame.lines[k - 1], frame.lines[k]
        if below - above == 1:
            continue
        if below - above > 1 + sum(str(x[k - 1]).count("\n") for x in columns):
            n_below = len(frame.lines) - k
            if n_below < k:
                msg = (
                    f"{frame.source}, line {below}, below a blank line: expected "
                    f"another run; got {n_below} apart from {k} above, which may be "
                    "their means. Remove what is no run, or the blank line."
                )
                raise TableError(msg)
            return
