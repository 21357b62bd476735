"""Slow, plain Python straight from the papers, for the fast code to agree with."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

# With this probability a statistical test may fail by chance.
FALSE_ALARM = 1e-6


MASK = 2**32 - 1


def threefry2x32(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Encrypt by section 4.2 of Salmon et al. (2011), one round at a time."""
    schedule = [*key, 0x1BD11BDA ^ key[0] ^ key[1]]
    x, y = ((word + k) & MASK for word, k in zip(counter, key, strict=True))
    rotations = [13, 15, 26, 6, 17, 29, 16, 24]
    for number in range(20):
        x = (x + y) & MASK
        rotation = rotations[number % 8]
        y = ((y << rotation) | (y >> (32 - rotation))) & MASK
        y ^= x
        if number % 4 == 3:
            s = number // 4 + 1
            x = (x + schedule[s % 3]) & MASK
            y = (y + schedule[(s + 1) % 3] + s) & MASK
    return x, y


def quantile(ordered: Sequence[Fraction], t: Fraction) -> Fraction:
    """F^-1(t) = x_(ceil(n t))."""
    return ordered[math.ceil(len(ordered) * t) - 1]


def violation_ratio(
    a: Sequence[float], b: Sequence[float], dt: Fraction | None = None
) -> Fraction:
    """Equation 4 of del Barrio et al. (2018), in exact rational arithmetic."""
    x, y = (sorted(map(Fraction, scores)) for scores in (a, b))
    n, m = len(x), len(y)
    if dt is None:
        ends = {Fraction(i, n) for i in range(1, n + 1)}
        ends |= {Fraction(j, m) for j in range(1, m + 1)}
        ends = sorted(ends)
        widths = [
            end - start for start, end in zip([Fraction(0), *ends], ends, strict=False)
        ]
    else:
        ends = [k * dt for k in range(1, math.ceil(1 / dt))]
        widths = [dt] * len(ends)
    gaps = [quantile(y, t) - quantile(x, t) for t in ends]
    distance = sum(w * gap**2 for w, gap in zip(widths, gaps, strict=True))
    violation = sum(w * max(gap, 0) ** 2 for w, gap in zip(widths, gaps, strict=True))
    return violation / distance if distance else Fraction(1, 2)


def exact_standard_error(
    a: Sequence[float], b: Sequence[float], dt: Fraction | None = None
) -> float:
    """Standard deviation of the ratio over all n^n m^m ordered resamples.

    In units of what a resample of the smaller sample varies less than a sample does.
    """
    ratios = [
        float(violation_ratio(x, y, dt))
        for x in itertools.product(a, repeat=len(a))
        for y in itertools.product(b, repeat=len(b))
    ]
    mean = math.fsum(ratios) / len(ratios)
    variance = math.fsum((ratio - mean) ** 2 for ratio in ratios) / len(ratios)
    return math.sqrt(variance) * resampling_scale(a, b)


def resampling_scale(a: Sequence[float], b: Sequence[float]) -> float:
    """(n / (n - 1))^1/2 of the smaller sample, and 1 where that is one score."""
    n = min(len(a), len(b))
    return math.sqrt(n / (n - 1)) if n > 1 else 1.0


def p_of_means(
    a: Sequence[float], b: Sequence[float], alternative: str = "two-sided"
) -> float:
    """Welch's p-value; of unequal sizes, with fewer degrees of freedom."""
    from scipy import stats

    found = stats.ttest_ind(a, b, equal_var=False)
    df = found.df
    if len(a) != len(b):
        fewest = min(len(a), len(b))
        df = df if fewest >= 5 else fewest - 1.0
        df = 2.0 / (1.0 / df + 1.0 / (fewest - 1.0))
    if alternative == "greater":
        return float(stats.t.sf(found.statistic, df))
    return float(2.0 * stats.t.sf(abs(found.statistic), df))


def count_wins(a: Sequence[float], b: Sequence[float]) -> int:
    """Pairs in which A is above B, less those in which it is below."""
    return sum(int(x > y) - int(x < y) for x in a for y in b)


def enumerate_wins(n: int, m: int) -> dict[int, Fraction]:
    """Return P(D >= d) of every d, by all ways to choose the ranks of A."""
    found: dict[int, int] = {}
    for chosen in itertools.combinations(range(n + m), n):
        others = [x for x in range(n + m) if x not in chosen]
        d = count_wins(chosen, others)
        found[d] = found.get(d, 0) + 1
    total = math.comb(n + m, n)
    return {
        d: Fraction(sum(c for e, c in found.items() if e >= d), total) for d in found
    }
