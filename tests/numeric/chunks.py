"""Scores of several kinds, and how much room there is to count them."""

import numpy as np

from sigarray._numeric.selection import Room

# Scores to collect, and cells of a later pass: few of one, of the other, of both.
ROOMS = {
    "default": Room(first_bits=12),
    "count": Room(first_bits=12, collected=0, cells=2**14),
    "passes": Room(first_bits=12, collected=50, cells=2**6),
}


def draw(kind, n):
    rng = np.random.default_rng(0)
    return {
        "normal": lambda: rng.normal(size=n),
        "lognormal": lambda: rng.lognormal(0.0, 3.0, n),
        "whole numbers": lambda: rng.integers(-2, 3, n).astype(float),
        "losses": lambda: -rng.pareto(1.0, n),
        "close together": lambda: 1.0 + 1e-7 * rng.normal(size=n),
        "the same": lambda: np.full(n, -0.5),
        "subnormal": lambda: rng.normal(size=n) * 1e-310,
        "zeros": lambda: rng.choice([0.0, -0.0, 1.0], n),
    }[kind]()


KINDS = ["normal", "lognormal", "whole numbers", "losses", "close together"]
KINDS += ["the same", "subnormal", "zeros"]
