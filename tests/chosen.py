"""Which cases a test has: all, or the first of each function.

What is the same on each library runs on NumPy for all cases and elsewhere for the
first of each function. What takes long for a case, because a compiler or a stand-in
sees each of its operations, runs for the first of each public function; the others are
`long`.
"""

import pytest

import sigarray
from sigarray import responses
from tests.backends import EAGER, HAS_ALL
from tests.cases import CASES

# The first case of each function.
ONE_EACH = list({case.function: case for case in reversed(CASES)}.values())
FIRSTS = {case.id for case in ONE_EACH}
# The first of each public function, however it is called: of what happens where arrays
# come in.
ENTRIES = list({x.public or x.function: x for x in reversed(CASES)}.values())
# The others, for the tests marked `long`.
OTHERS = [case for case in CASES if case not in ENTRIES]
# One of each loop: over replicates to add up, to keep, and within batch entries.
LOOPS = [
    case
    for case in ONE_EACH
    if case.function in (sigarray.aso, sigarray.bootstrap_ci, responses.response_test)
]
# What follows from the axes alone is the same in all widths of a library. JAX compiles
# a program for every shape.
LIBRARIES = [x for x in EAGER if x != "array_api_strict:no_float64"]


def few_on_jax(names, values, few, backends):
    """Run a test for these values on each backend, and on JAX for a few of them.

    What is the same array code on each backend runs once more on JAX for each way that
    it branches; every other value has JAX compile one more shape.
    """
    rows = [x if isinstance(x, tuple) else (x,) for x in values]
    kept = [x if isinstance(x, tuple) else (x,) for x in few]
    assert all(x in rows for x in kept)
    pairs = [
        pytest.param(name, *row, id="-".join([name, *(_name(x) for x in row)]))
        for name in backends
        for row in rows
        if HAS_ALL or not name.startswith("jax") or row in kept
    ]
    return pytest.mark.parametrize(
        ("backend", *names.split(", ")), pairs, indirect=["backend"]
    )


def _name(value):
    return getattr(value, "__name__", str(value))


# For programs of their own, which take `ENTRIES` or `OTHERS` by its name.
entries_or_others = pytest.mark.parametrize(
    "cases", ["ENTRIES", pytest.param("OTHERS", marks=pytest.mark.long)]
)


def over(cases):
    """Run a test for each of these cases."""
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.id)


def over_all(cases=CASES, default=ENTRIES):
    """Run a test for each case; all but some, the first of each, are `long`."""
    return over(
        [
            pytest.param(case, marks=[] if case in default else [pytest.mark.long])
            for case in cases
        ]
    )


def over_backends():
    """Run a test for each case and backend; without float64, for the first of each."""
    pairs = [
        pytest.param(name, case, id=f"{name}-{case.id}")
        for name in EAGER
        for case in (CASES if HAS_ALL or name in LIBRARIES else ONE_EACH)
    ]
    return pytest.mark.parametrize(("backend", "case"), pairs, indirect=["backend"])


def over_libraries(cases, backends=LIBRARIES):
    """Run a test for these cases on one backend, for the first of each on others."""
    pairs = [
        pytest.param(name, case, id=f"{name}-{case.id}")
        for name in backends
        for case in cases
        if HAS_ALL or name == backends[0] or case.id in FIRSTS
    ]
    return pytest.mark.parametrize(("backend", "case"), pairs, indirect=["backend"])
