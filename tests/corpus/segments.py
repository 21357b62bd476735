"""Translations that are made up, and the statistics of sacrebleu of each segment."""

import numpy as np
import pytest


def make_corpus(n, errors, seed=3, vocabulary=200):
    """References, and a system with each share of wrong words, some left out."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, vocabulary + 1)
    share /= share.sum()
    words = np.array([f"w{k}x{k * 7919 % 97}" for k in range(vocabulary)])
    sizes = rng.integers(3, 30, n)
    references = [words[rng.choice(vocabulary, size, p=share)] for size in sizes]
    systems = []
    for error in errors:
        hypotheses = []
        for reference in references:
            hypothesis = reference.copy()
            is_wrong = rng.random(len(hypothesis)) < error
            others = rng.choice(vocabulary, is_wrong.sum(), p=share)
            hypothesis[is_wrong] = words[others]
            is_kept = rng.random(len(hypothesis)) > 0.05
            hypotheses.append(" ".join(hypothesis[is_kept]))
        systems.append(hypotheses)
    return [" ".join(x) for x in references], systems


def make_metric(name):
    """Return a metric of sacrebleu, or skip the test where it is not installed."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    if name == "BLEU":
        return metrics.BLEU()
    return metrics.CHRF(word_order=2 if name == "chrF++" else 0)


def count_segments(metric, hypotheses, references):
    """Return sacrebleu's statistics of segments, (d, n)."""
    counts = metric._extract_corpus_statistics(hypotheses, [references])
    return np.asarray(counts, dtype=float).T
