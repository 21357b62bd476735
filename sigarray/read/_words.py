"""Words in names: of metrics, losses, splits, hyperparameters and runs."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple


def as_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What measures no quality, but what it costs; and names of any score.
_COSTS = as_words("""
    time seconds minutes hours runtime cost costs latency params parameters nparams
    flops energy memory mem vram tokens
""")
_OTHER_METRICS = _COSTS | {"fit", "score", "scores"}
# Other costs, which are names of no metric beside scores.
MORE_COSTS = as_words("kwh wh joule joules co2 emissions size sizes")

_LOSSES = as_words("loss losses error err perplexity ppl nll mse mae rmse wer cer")
_GAINS = as_words("""
    acc accuracy auc auroc auprc roc f1 precision recall bleu rouge chrf comet kappa mcc
    ndcg mrr reward return returns
""")
METRICS = _OTHER_METRICS | _LOSSES | _GAINS
_ASIDE = _COSTS | as_words("train training second length len step steps episode epoch")

SPLITS = as_words("""
    train training test testing val valid validation dev eval evaluation holdout
""")

# Names without spaces and punctuation.
HYPERPARAMETERS = as_words("""
    lr learningrate baselr initlr dropoutrate weightdecay batchsize bs wd warmupsteps
    warmupratio trainfraction datafraction trainsize datasetsize samplesize nsamples
    ntrain ndata nlayers numlayers hiddensize hiddendim embeddingdim embeddim nheads
    numheads nunits nepochs numepochs maxepochs maxsteps nsteps topk topp nshots
    numshots noiselevel nestimators ntrees maxdepth nfeatures nneighbors nclusters
    contextlength maxlength seqlen seqlength beamsize clipnorm modelsize imagesize
""")

# What trackers put before what a run was started with; and numbers of steps so named.
CONFIG = re.compile(r"(config|params|hparams|args)[./]")
SETTING_OF_STEPS = re.compile(rf"{CONFIG.pattern}|n|total|.*epochs$")

# Some are also names of models: baseline, dropout, mixup; alpha, beta, gamma.
MAYBE_HYPERPARAMETERS = as_words("""
    temperature temp dropout momentum warmup fraction rank layers depth width dim shots
    threshold noise ratio labelsmoothing alpha beta gamma delta epsilon eps lambda sigma
    tau eta rho mu c k p l1 l2
""")

# Words for those who rate an item, whose ratings are not independent.
RATERS = as_words("""
    rater annotator judge worker assessor evaluator grader reviewer labeler labeller
    coder rating vote voter participant respondent crowdworker turker prolific
""")
# Some also name what they say, in numbers.
RATINGS = frozenset(("rating", "vote"))
PEOPLE = RATERS - RATINGS

# Words for what has several items, which are not independent.
CLUSTERS = as_words("""
    document documents doc passage paragraph article story page book chapter dialogue
    dialog conversation thread speaker patient recording video scene session cluster
""")

# Names of columns of the truth, with which predictions are compared.
TRUTHS = as_words("""
    gold golds goldlabel label labels truth groundtruth ytrue ytest answerkey gt
""")
# Some may also be models, if scores are not whole numbers.
MAYBE_TRUTHS = as_words("""
    target targets reference references actual expected y true answer answers
    correctanswer oracle class human humans annotator annotators annotation annotations
    majority majorityvote rating ratings consensus
""")

# Names of single runs, such as seed0 and run_3.
_WORD = r"seed|run|trial|rep|repeat|repetition|replicate|fold|split"
RUN_NAME = re.compile(rf"({_WORD})[\W_]*\d+", re.I)

# Parts of paths, and keys, that name a run, as RUN_NAME or by a number alone.
RUN = re.compile(
    r"((?:seed|run|trial|rep|repeat|replicate|repetition|version|split|fold|cv|s|r)"
    r"[-_= .]?)?\d+",
    re.I,
)

# What counts the episodes of an evaluation, which are repetitions within a run.
_EPISODE = re.compile(r"(test|eval)?(episode|ep|rollout)(id|idx|index|number|num|no)?")


def names_episodes(name: str) -> bool:
    return bool(_EPISODE.fullmatch(re.sub(r"[\W_]", "", name).lower()))


_FOLD = re.compile(
    r"((k|cv|outer|inner)?folds?|cv|cvsplits?|cviter(ation)?|(cv)?repetitions?)"
    r"(id|idx|index|no|nr|num|number)?"
)


def names_folds(name: str) -> bool:
    """Tell by its name, maybe behind a group, whether a column has folds."""
    return bool(_FOLD.fullmatch(re.sub(r".*[./]|[\W_]", "", name.lower())))


# What a column of tasks may be called.
TASKS = {"task", "dataset", "benchmark", "game", "env", "environment", "corpus"}


def list_words(name: str) -> set[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return set(re.findall(r"(?<![a-z])(?:f1|co2)(?!\d)|[a-z]+|\d+", spaced.lower()))


def names_clusters(name: str) -> bool:
    return bool(list_words(name) & CLUSTERS)


def names_raters(column: str | None) -> bool:
    return column is not None and bool(list_words(column) & PEOPLE)


def measures_quality(name: str) -> bool:
    return bool(list_words(name) & (METRICS - _OTHER_METRICS))


def rank_metric(name: str) -> int:
    """Return 0 of what is often compared, and 2 of what hardly is."""
    words, often = list_words(name), _GAINS | {"score", "scores", "win", "success"}
    return 2 if words & (_ASIDE | SPREADS) else int(not words & often)


_LAST = re.compile(
    rf"(?P<metric>.*?[^\W_])[\W_]+(?P<word>{_WORD}|s)[\W_]*(?P<number>\d+)[\W_]*", re.I
)

_FIRST = re.compile(
    rf"(?P<word>{_WORD})[\W_]*(?P<number>\d+)[\W_]+(?P<metric>[^\W_].*)", re.I
)

_NUMBERED = re.compile(
    r"(?P<metric>.*?[^\W_])[\s_./#-]+(?P<number>\d+)|"
    r"(?P<letters>.*?[^\W\d_])(?P<digits>\d+)"
)

# Metrics that are numbered by themselves: BLEU-4, ROUGE-1, precision at 5, top-5.
_OF_NUMBERS = as_words("""
    bleu rouge chrf precision recall ndcg mrr map top hits hit pass at
""")

# Two columns, "acc 1" and "acc 2", may be of anything.
_MIN_NUMBERED = 3

# Metric -> column -> run; the metric is "" if names do not say it.
Runs = dict[str, dict[str, str]]


class _Name(NamedTuple):
    metric: str
    word: str
    number: str


def find_runs(names: Iterable[str]) -> Runs:
    """Return the names of runs by metric, if there are several runs of it.

    Numbers behind the name of a metric are of runs if they count these.
    """
    every = list(names)
    found = {x: y for x in every if (y := _split(x)) is not None}
    if len({y.word for y in found.values()}) > 1:
        return {}
    runs = _group(found, least=2)
    if runs:
        return runs
    numbered = {x: y for x in every if (y := _split_numbered(x)) is not None}
    return {
        metric: by
        for metric, by in _group(numbered, least=_MIN_NUMBERED).items()
        if count_up([int(numbered[x].number) for x in by])
    }


def find_word(runs: Iterable[str]) -> str:
    return re.split(r"[\W_]*\d", next(iter(runs)))[0].lower()


def are_runs(names: Iterable[str]) -> bool:
    every = list(names)
    runs = find_runs(every)
    is_one = len(runs) == 1 and sum(map(len, runs.values())) == len(every)
    return is_one or (len(every) > 1 and all(map(str.isdecimal, every)))


def is_metric(name: str) -> bool:
    return bool(list_words(name) & METRICS)


def _split(name: str) -> _Name | None:
    plain = RUN_NAME.fullmatch(name)
    if plain is not None:
        return _Name("", plain[1].lower(), "")
    found = _LAST.fullmatch(name) or _FIRST.fullmatch(name)
    if found is None:
        return None
    word = found["word"].lower()
    return _Name(found["metric"], "seed" if word == "s" else word, found["number"])


def _split_numbered(name: str) -> _Name | None:
    found = _NUMBERED.fullmatch(name)
    if found is None:
        return None
    metric = found["metric"] or found["letters"]
    words = list_words(metric)
    if not words & METRICS or words & _OF_NUMBERS:
        return None
    return _Name(metric, "run", found["number"] or found["digits"])


def _group(names: dict[str, _Name], *, least: int) -> Runs:
    runs: Runs = {}
    for column, x in names.items():
        run = f"{x.word}{x.number}" if x.metric else column
        runs.setdefault(x.metric, {})[column] = run
    return {x: by for x, by in runs.items() if len({*by.values()}) >= least}


def count_up(numbers: list[int]) -> bool:
    first = min(numbers)
    return first in (0, 1) and sorted(numbers) == [*range(first, first + len(numbers))]


# Words in the names of metrics of which lower is better, but for rare cases.
_PLAIN = as_words("""
    loss losses error errors err perplexity ppl nll bits bpb bpc bpd bpw regret gap
    brier ece fid fvd kid wer cer ter der eer mae mse rmse mape smape mdape wape mase
    mpiw medae latency runtime cost costs flops crps pinball fpr fnr far frr deviance
    aic bic lpips wasserstein kl kld jsd mcd misclassification misclassified divergence
    chamfer hausdorff emd surprisal xent bce
""")

_TOGETHER = ({"cross", "entropy"}, {"negative", "likelihood"}, {"neg", "likelihood"})

# Words of which it mostly is: a rank, but no rank correlation; a time, but not the time
# until a fall.
LIKELY = (
    _COSTS
    | MORE_COSTS
    | as_words("""
    toxicity hallucination wrong dist distance objective rank risk duration days epochs
    entropy hamming hinge huber js violation violations failures miss misses missed
    collision collisions crash crashes refusal refusals price prices length lengths
""")
)

# Those of which no value is below zero. A loss or a cost may be, as logarithms are.
_NEVER_NEGATIVE = as_words("""
    error errors err perplexity ppl brier ece fid kid wer cer ter der eer mae mse rmse
    mape smape mdape wape mase medae latency runtime crps pinball fpr fnr far frr lpips
    wasserstein misclassification
""")

# Endings of such names: logloss, rmsle, nmse; and other words that end so.
_ENDINGS = ("loss", "error", "mse", "msle", "mae", "divergence")

_OTHERS = frozenset(("gloss", "terror"))

# Words that tell that higher is better after all: a loss reduction, the accuracy of
# error detection, the neg_log_loss of scikit-learn.
_TURNING = as_words("""
    minus reduction improvement savings correction detection acc accuracy auc auroc
    auprc roc f1 precision recall bleu chrf kappa mcc correlation reward return returns
    win winrate controlled throughput closed
""")

# Words that may stand beside one of a loss in a name that says nothing else.
_BESIDE = SPLITS | {
    *("mean", "average", "avg", "median", "total", "sum", "rate", "root", "squared"),
    *("square", "absolute", "relative", "percentage", "log", "word"),
    *("character", "char", "token", "per", "step", "epoch", "final", "best", "last"),
    *("cross", "entropy", "negative", "neg", "likelihood", "binary", "categorical"),
    *("min", "expected", "calibration", "macro", "micro", "normalized", "of", "the"),
}

# One minus a metric that is better if higher.
_COMPLEMENT = re.compile(r"\s*(?:1|one)\s*(?:[-\N{MINUS SIGN}]|minus)\s*(\w+)")


def looks_like_loss(name: str) -> bool:
    """Tell by its name whether lower scores of a metric are likely to be better."""
    other = _take_complement(name)
    if other is not None:
        return not looks_like_loss(other)
    words = _list_letters(name)
    is_turned = "reciprocal" in words or ("neg" in words and "likelihood" not in words)
    is_speed = "per" in words and bool({"s", "sec", "second"} & words)
    is_likely = not is_speed and _TURNING.isdisjoint(words) and bool(LIKELY & words)
    return not is_turned and (_has_loss(words) or is_likely)


def is_loss(name: str) -> bool:
    """Tell by its name whether a metric is a loss, beyond doubt as a rule."""
    if not looks_like_loss(name) or re.match(r"\s*[-\N{MINUS SIGN}]", name):
        return False
    words = _list_letters(name)
    is_plain = _has_loss(words) and not _TURNING & words
    return is_plain or _take_complement(name) is not None


def is_never_negative(name: str) -> bool:
    words = _list_letters(name)
    return "log" not in words and any(
        x in _NEVER_NEGATIVE or x.endswith(("mse", "msle", "mae")) for x in words
    )


def names_loss(name: str) -> bool:
    """Tell whether the name of a task or a file says that its scores are losses.

    It has no other words: "val_loss", but not "error analysis".
    """
    words = _list_letters(name)
    return is_loss(name) and all(_has_loss({x}) for x in words - _BESIDE)


def find_mixed(names: Sequence[str]) -> tuple[str, str] | None:
    losses = [x for x in names if looks_like_loss(x)]
    others = [x for x in names if x not in losses]
    return (losses[0], others[0]) if losses and others else None


def _has_loss(words: set[str]) -> bool:
    return (
        bool(_PLAIN & words)
        or any(x.endswith(_ENDINGS) for x in words - _OTHERS)
        or any(x <= words for x in _TOGETHER)
    )


def _list_letters(name: str) -> set[str]:
    return {x for x in list_words(name) if not x.isdecimal()}


def _take_complement(name: str) -> str | None:
    found = _COMPLEMENT.match(name.lower())
    return found[1] if found is not None and list_words(found[1]) & METRICS else None


SPREADS = as_words("""
    std sd stdev stddev sem stderr deviation variance standardabweichung ci ±
    \N{GREEK SMALL LETTER SIGMA}
""")
# Names of rows that pandas, spreadsheets and people add below scores.
STATISTICS = SPREADS | as_words("""
    mean avg average averages median total sum overall best worst min max minimum
    maximum geomean iqm mittelwert durchschnitt mittel summe gesamt insgesamt moyenne
    médiane media média promedio mediana ø ⌀ μ
    \N{MICRO SIGN} \N{EMPTY SET} xbar
""")
# Words that may stand beside them: "macro avg", "mean over seeds", "std dev".
BESIDE_STATISTICS = as_words("""
    of over across the all n and standard dev row error macro micro weighted geometric
    harmonic grand seeds runs tasks benchmarks datasets games folds score scores items
    questions models arithmetic value confidence interval
""")
_MAX_WORDS = 4
_NO_WORD = re.compile(r"[\d\s.+-]*|(?=.*\d)[\d\s.,+±/%()-]*")


def is_summary(cell: object) -> bool:
    """Tell whether a cell is like "Avg." or "mean (6 runs)"."""
    if not isinstance(cell, str) or _NO_WORD.fullmatch(cell):
        return False
    text = re.sub(r"\(.*?\)|\[.*?\]", " ", cell.casefold())
    text = re.sub(r"standard error|std\.? err", "stderr", text)
    text = re.sub(r"confidence interval", "ci", text)
    text = re.sub(r"\bx[\W_]?bar\b|x\N{COMBINING MACRON}", "xbar", text)
    words = re.findall(r"[^\W\d_]+|[±⌀\N{EMPTY SET}]", text)
    return (
        0 < len(words) <= _MAX_WORDS
        and not STATISTICS.isdisjoint(words)
        and set(words) <= STATISTICS | BESIDE_STATISTICS
    )
