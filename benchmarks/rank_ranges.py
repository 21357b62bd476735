"""Gaps between samples of one distribution: `sigarray/data/rank_gaps.npz`.

`python -m benchmarks.rank_ranges` simulates the tails that `_numeric/ranks.py` reads:
of k samples of n scores without ties, the largest gap between two of them, and
the largest one from the first sample. They depend on k and n alone. Two samples are
counted there, and not simulated.

The gap of A and B, in pairs of scores, is 2 w D(A, B) + sum over the others C of D(A,
C) - D(B, C), where D is how many pairs A wins less those it loses. For w = 1 it is 2 n
times the difference of their rank sums among all.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sigarray._numeric.ranks import LEVEL, OWN_WEIGHT

PATH = Path(__file__).parent.parent / "sigarray" / "data" / "rank_gaps.npz"
SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 30, 40)
MAX_MODELS, MAX_SCORES = 20, 120
# Larger samples are told from a baseline by their wins, however many there are.
MAX_SIZE_OF_BASELINE = 7
# Of few runs; of more, so many times fewer.
N_DRAWS, FEWER = 1_000_000, 3
# Tails are kept from 0.5 down to what some 20 draws are beyond, each at least 1 % above
# the next.
LARGEST, RATIO, FEWEST = 0.5, 0.99, 20
# The root of the number of draws beyond a value has a standard error of 1/2, wherever
# it is: it is rounded up to half of that.
STEPS = 4
CHUNK = 2**20


def draw_gaps(
    rng: np.random.Generator, k: int, n: int, count: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the largest gaps, of all pairs and of those with the first sample."""
    ranks = np.arange(k * n, dtype=np.int16)
    first, second = np.triu_indices(k, 1)
    size = max(1, CHUNK // (k * k))
    for start in range(0, count, size):
        rows = np.broadcast_to(ranks, (min(size, count - start), k * n))
        dealt = rng.permuted(rows, axis=1).reshape(-1, k, n)
        a = np.ascontiguousarray(dealt[:, first].transpose(2, 0, 1))
        b = np.ascontiguousarray(dealt[:, second].transpose(2, 0, 1))
        won = np.zeros(a.shape[1:], np.int16)
        for x in a:
            for y in b:
                won += x > y
        net = 2 * won.astype(np.int32) - n * n
        all_of = np.zeros((len(net), k), np.int32)
        for pair, (i, j) in enumerate(zip(first, second, strict=True)):
            all_of[:, i] += net[:, pair]
            all_of[:, j] -= net[:, pair]
        gaps = all_of[:, first] - all_of[:, second] + (2 * OWN_WEIGHT - 2) * net
        gaps = np.abs(gaps)
        yield gaps.max(1), gaps[:, first == 0].max(1)


def find_tails(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return some values, and the rounded roots of how many draws lie from each on.

    How likely a value or more is: (draws from there on + 1) / (total + 1).
    """
    total = counts.sum()
    beyond = counts[::-1].cumsum()[::-1]
    tails = (beyond + 1) / (total + 1)
    kept: list[int] = []
    for value in np.flatnonzero(counts):
        if tails[value] > LARGEST or beyond[value] < FEWEST:
            continue
        if not kept or tails[value] <= RATIO * tails[kept[-1]]:
            kept.append(int(value))
    roots = np.ceil(STEPS * np.sqrt(beyond[kept]))
    is_new = np.diff(roots, prepend=np.inf) < 0.0
    return np.asarray(kept, np.uint16)[is_new], roots[is_new].astype(np.uint16)


def write_tables(
    path: Path, tables: list[tuple[tuple[int, ...], np.ndarray, np.ndarray]]
) -> None:
    """Write steps from one value to the next, and how the steps of roots change.

    Both are small. In front of a table, values and roots go on as they begin; what they
    are there is in the key. A wheel compresses the file once, and better than twice.
    """
    keys, steps, bends = [], [], []
    for key, values, roots in tables:
        step, slope = (np.diff(np.asarray(x, int)) for x in (values, roots))
        before = values[0] - step[0], roots[0] - slope[0], slope[0]
        keys.append((*key, len(values), *before))
        steps.append(np.append(step[0], step))
        bends.append(np.diff(np.append(slope[0], slope), prepend=slope[0]))
    np.savez(
        path,
        keys=split_bytes(np.transpose(keys)),
        steps=np.concatenate(steps).astype(np.uint8),
        bends=split_bytes(np.concatenate(bends)),
    )


def split_bytes(x: np.ndarray) -> np.ndarray:
    """Return the bytes of integers, the lowest first: of small ones most are alike."""
    return np.stack([(x + LEVEL) >> k & 255 for k in (0, 8, 16)]).astype(np.uint8)


def main() -> None:
    """Simulate, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    draws = parser.parse_args().draws
    tables = []
    for n in SIZES:
        for k in range(3, min(MAX_MODELS, MAX_SCORES // n) + 1):
            rng = np.random.default_rng((n, k))
            counts = [np.zeros(0, np.int64)] * 2
            # Of small samples, whose values are few, tails are to be as exact.
            count = draws if k * n <= MAX_SCORES // 2 else draws // FEWER
            for found in draw_gaps(rng, k, n, count):
                for place, gaps in enumerate(found):
                    length = max(len(counts[place]), int(gaps.max()) + 1)
                    own = np.bincount(gaps, minlength=length)
                    own[: len(counts[place])] += counts[place]
                    counts[place] = own
            for is_of_baseline in range(1 + (n <= MAX_SIZE_OF_BASELINE)):
                found_tails = find_tails(counts[is_of_baseline])
                tables.append(((is_of_baseline, k, n, count), *found_tails))
        print(f"samples of {n}: done", flush=True)
    write_tables(PATH, tables)
    print(f"{PATH.name}: {PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
