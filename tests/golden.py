"""The numbers of every row of the table of cases, for a seed: no change moves them.

    python -m tests.golden

writes `tests/golden.npz`, of NumPy and torch in float64 and float32, where a number is
meant to move; what moves, and why, is a line in CHANGELOG.md. Sums differ in their last
bits with the version of a library and the instructions of the processor: where these
are others, by `key_of`, numbers are compared up to rounding.
"""

import hashlib
import platform
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.backends import make_backend
from tests.cases import CASES

PATH = Path(__file__).with_suffix(".npz")
LIBRARIES = ("numpy", "torch")
DTYPES = ("float64", "float32")
KINDS = [f"{library} {dtype}" for library in LIBRARIES for dtype in DTYPES]


def key_of(library: str) -> str:
    """Name the version of a library, and what it rounds to with these instructions.

    Of all libraries NumPy makes some constants.
    """
    backend = make_backend(library)
    version = __import__(library).__version__
    digest = hashlib.sha256(platform.machine().encode())
    if library != "numpy":
        digest.update(key_of("numpy").encode())
    rng = np.random.default_rng(0)
    for n in (3, 8, 20, 100, 1000):
        for dtype in DTYPES:
            draws = rng.uniform(0.1, 2.0, (n, min(n, 64)))
            x = backend.asarray(draws, dtype)
            xp = backend.xp
            made = [x.T @ x, x[0] @ x[0], xp.cumulative_sum(x, axis=0)]
            made += [xp.sum(x, axis=0), xp.mean(x, axis=-1), xp.var(x, axis=0)]
            made += [f(x) for f in (xp.exp, xp.log, xp.sqrt, xp.cos, xp.sin, xp.tanh)]
            for result in made:
                digest.update(np.ascontiguousarray(backend.to_numpy(result)).tobytes())
    return f"{version} {digest.hexdigest()[:16]}"


def compute(case: Any, kind: str) -> np.ndarray:
    """Return all numbers of the results of a case, one after the other."""
    library, dtype = kind.split()
    backend = make_backend(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = case(*(backend.asarray(x, dtype) for x in case.samples(2)))
    return np.concatenate(
        [np.ravel(backend.to_numpy(x)).astype(np.float64) for x in results]
    )


def read() -> dict[str, Any]:
    """Return the keys by library, and the numbers by case and kind."""
    with np.load(PATH) as file:
        keys = {x: str(file[f"key of {x}"]) for x in LIBRARIES}
        names, sizes, values = (file[x] for x in ("names", "sizes", "values"))
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return {"keys": keys, "numbers": dict(zip(map(str, names), parts, strict=True))}


def _compute_all() -> Iterator[tuple[str, np.ndarray]]:
    for case in CASES:
        for kind in KINDS:
            yield f"{case.id}, {kind}", compute(case, kind)


def main() -> None:
    """Write the numbers, and say which of those that are there have moved."""
    found = dict(_compute_all())
    before = read()["numbers"] if PATH.exists() else {}
    for name in sorted({*found, *before}):
        one, other = found.get(name), before.get(name)
        if one is None or other is None:
            sys.stdout.write(f"{'gone' if one is None else 'new'}: {name}\n")
        elif not np.array_equal(one, other, equal_nan=True):
            sys.stdout.write(f"moved: {name}\n")
    np.savez_compressed(
        PATH,
        names=np.array(list(found)),
        sizes=np.array([len(x) for x in found.values()]),
        values=np.concatenate(list(found.values())),
        **{f"key of {x}": np.array(key_of(x)) for x in LIBRARIES},
    )
    count = sum(map(len, found.values()))
    sys.stdout.write(f"{len(found)} rows, {count} numbers\n")


if __name__ == "__main__":
    main()
