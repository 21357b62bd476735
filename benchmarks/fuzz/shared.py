"""Options that functions of scores and of responses have in common."""

import math

from hypothesis import strategies as st

from benchmarks.fuzz.options import Option, choice, count, number

OUTSIDE = (0.0, 1.0, -0.5, 2.0, math.nan, math.inf)
FLAG = Option(st.booleans(), (None, 1, "yes", 0.0))
# Not 1/2, nor next to 1: a p-value may be just there, but for rounding.
LEVEL = number(0.9, 0.95, 0.3, 0.05, 1e-6, 0.999, wrong=OUTSIDE)
ALTERNATIVE = choice("greater", "less", "two-sided", kinds=(3, None))
COUNT = count(99)
RANDOM = {
    "n_resamples": count(40, least=2),
    "batch": count(50, is_optional=True),
    "rng": Option(st.integers(0, 2**64 - 1), ("x", 1.5, True), (-1, 2**64)),
}
START = Option(st.integers(0, 9), (True, 1.0, "1", None), (-1, 2**31))
REPLICATES = {
    "start": START,
    "count": count(30),
    "batch": RANDOM["batch"],
    "rng": RANDOM["rng"],
}
TESTED = {"alternative": ALTERNATIVE}
