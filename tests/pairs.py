"""Pairs of a report, found by their models."""

import itertools


def in_order(pairs, names):
    """Return the pairs of JSON, which are best first, in the order of the names."""
    by_models = {frozenset((x["model_a"], x["model_b"])): x for x in pairs}
    pairs = map(frozenset, itertools.combinations(names, 2))
    return [by_models[pair] for pair in pairs if pair in by_models]
