"""Metrics that are better if lower, by their names."""

import re
from collections.abc import Sequence

from sigarray.read._words import METRICS, list_words

# Words in the names of metrics that are better if lower.
_LOSSES = {
    *("loss", "losses", "error", "errors", "err", "perplexity", "ppl", "nll", "bpb"),
    *("regret", "brier", "ece", "toxicity", "hallucination", "wrong", "time"),
    *("fid", "fvd", "kid"),
    *("wer", "cer", "ter", "mae", "mse", "rmse", "dist", "distance", "latency"),
    *("cost", "costs", "energy", "objective", "rank", "risk", "bits", "flops"),
    *("params", "parameters", "seconds", "runtime", "duration", "memory", "entropy"),
    *("crps", "pinball", "eer", "der", "fpr", "fnr", "hamming", "hinge", "huber"),
    *("deviance", "aic", "bic", "lpips", "wasserstein", "kl", "kld", "js", "jsd"),
    *("bpc", "bpw", "kid", "mape", "smape", "mdape", "wape", "mase", "mpiw", "medae"),
    *("misclassification", "misclassified", "violation", "violations", "divergence"),
    *("far", "frr", "mcd", "chamfer", "hausdorff", "emd", "surprisal", "failures"),
}
# Endings of such names: logloss, rmsle, nmse.
_ENDS_OF_LOSSES = ("loss", "error", "mse", "msle", "mae", "divergence")
# One minus a metric that is better if higher.
_COMPLEMENT = re.compile(r"\s*(?:1|one)\s*(?:[-\N{MINUS SIGN}]|minus)\s*(\w+)")


def looks_like_loss(name: str) -> bool:
    """Tell by its name whether lower scores of a metric are likely to be better."""
    complement = _COMPLEMENT.match(name.lower())
    if complement is not None and list_words(complement[1]) & METRICS:
        return not looks_like_loss(complement[1])
    words = set(re.findall(r"[a-z]+", name.lower()))
    is_loss = bool(_LOSSES & words) or any(x.endswith(_ENDS_OF_LOSSES) for x in words)
    return is_loss and "reciprocal" not in words


def find_mixed(names: Sequence[str]) -> tuple[str, str] | None:
    """Return a loss and a metric that is none, if there are both."""
    losses = [x for x in names if looks_like_loss(x)]
    others = [x for x in names if x not in losses]
    return (losses[0], others[0]) if losses and others else None
