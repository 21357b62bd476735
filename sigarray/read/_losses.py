"""Metrics that are better if lower, by their names."""

import re
from collections.abc import Sequence

from sigarray.read._words import METRICS, SPLITS, as_words, list_words

# Words in the names of metrics of which lower is better, but for rare cases.
_PLAIN = as_words("""
    loss losses error errors err perplexity ppl nll bits bpb bpc bpd bpw regret brier
    ece fid fvd kid wer cer ter der eer mae mse rmse mape smape mdape wape mase mpiw
    medae latency runtime cost costs flops crps pinball fpr fnr far frr deviance aic bic
    lpips wasserstein kl kld jsd mcd misclassification misclassified divergence chamfer
    hausdorff emd surprisal xent bce
""")
_TOGETHER = ({"cross", "entropy"}, {"negative", "likelihood"}, {"neg", "likelihood"})
# Words of which it mostly is: a rank, but no rank correlation; a time, but not the time
# until a fall.
_LIKELY = as_words("""
    toxicity hallucination wrong time dist distance energy objective rank risk params
    parameters seconds duration memory entropy hamming hinge huber js violation
    violations failures
""")
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
    return not is_turned and (_has_loss(words) or bool(_LIKELY & words))


def is_loss(name: str) -> bool:
    """Tell by its name whether a metric is a loss, beyond doubt as a rule."""
    if not looks_like_loss(name) or re.match(r"\s*[-\N{MINUS SIGN}]", name):
        return False
    words = _list_letters(name)
    is_plain = _has_loss(words) and not _TURNING & words
    return is_plain or _take_complement(name) is not None


def is_never_negative(name: str) -> bool:
    """Tell whether no value of a loss is below zero, unless it is negated."""
    words = _list_letters(name)
    return "log" not in words and any(
        x in _NEVER_NEGATIVE or x.endswith(("mse", "msle", "mae")) for x in words
    )


def names_loss(name: str) -> bool:
    """Tell whether the name of a task or a file says that its scores are losses.

    It has no other words: "val_loss", "word error rate", but not "error analysis".
    """
    words = _list_letters(name)
    return is_loss(name) and all(_has_loss({x}) for x in words - _BESIDE)


def find_mixed(names: Sequence[str]) -> tuple[str, str] | None:
    """Return a loss and a metric that is none, if there are both."""
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
    """List the words of a name, without case and numbers."""
    return {x for x in list_words(name) if not x.isdecimal()}


def _take_complement(name: str) -> str | None:
    """Return the metric that a name subtracts from one, if it does."""
    found = _COMPLEMENT.match(name.lower())
    return found[1] if found is not None and list_words(found[1]) & METRICS else None
