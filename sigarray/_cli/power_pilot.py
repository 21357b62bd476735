"""How far numbers of scores may be off that were estimated from few scores."""

import math
from collections.abc import Collection


def say_pilot(numbers: Collection[int], unit: str, n_tasks: int = 1) -> str:
    """Say how far the number of scores may be off, as an estimate from so few.

    It is proportional to the variance over the square of the difference. Only the error
    of the variance is counted: for n normal scores, (n - 1) times the variance over the
    true one has the chi-square distribution.
    """
    n = min(numbers)
    df = n_tasks * (n - 1)
    low, high = (df / find_chi_square(p, df) for p in (0.95, 0.05))
    most = f"{high:.2f}" if high < 2.0 else f"{high:.2g}"
    most = most if high < 10.0 else "more than 10"
    few = f"{n}" if len(numbers) == 1 else f"as few as {n}"
    few += f" on each of {n_tasks} tasks" if n_tasks > 1 else ""
    return (
        f"The numbers of {unit}s are estimates from {few}: {low:.2f} to {most} times "
        "as many may be needed, for the variance is an estimate (90 % confidence, "
        "normal scores), and many more if the true difference is smaller than the one "
        "seen."
    )


def find_chi_square(share: float, df: int) -> float:
    """Return the quantile of the chi-square distribution at a share."""
    low, high = 0.0, df + 10.0 * math.sqrt(df) + 20.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _chi_square_below(middle, df) < share:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _chi_square_below(x: float, df: int) -> float:
    """Return P(chi-square < x), by the series of the incomplete gamma function."""
    a, half = 0.5 * df, 0.5 * x
    total = term = 1.0
    place = a
    while term > 1e-16 * total:
        place += 1.0
        term *= half / place
        total += term
    return total * math.exp(a * math.log(half) - half - math.lgamma(a + 1.0))
