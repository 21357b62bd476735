"""What the page of tools says of stopping at one of several planned looks."""

from typing import Any

import numpy as np
import scipy.stats

import sigarray
from benchmarks.reproduce.experiment import Settings

LEVEL = 0.05


def stop_early(settings: Settings) -> list[dict[str, Any]]:
    """Look several times, and stop at the first verdict."""
    return [*stop_evaluations(settings), *stop_trainings(settings)]


def stop_evaluations(settings: Settings) -> list[dict[str, Any]]:
    """Look at a quarter of the items, a half, three quarters and all.

    A model and a baseline are right in 80 %, and differ on items of which 30 % are
    drawn anew. A model that is better by 3 points gains them there.
    """
    n_sets, n_items, n_looks, share = settings.choose(200, 20_000), 1000, 4, 0.3

    def draw(gain: float) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng((8, 3))
        before = rng.random((n_sets, n_items)) < 0.8
        anew = rng.random(before.shape) < 0.8 + gain / share
        return np.where(rng.random(before.shape) < share, anew, before), before

    same, better = draw(0.0), draw(0.03)
    rates = []
    for level in (LEVEL / n_looks, LEVEL):
        is_found = find_look(*same, n_looks, level) <= n_looks
        rates.append(("equal models", level, np.mean(is_found)))
    level = LEVEL / n_looks
    look = find_look(*better, n_looks, level)
    share_used = np.mean(np.minimum(look, n_looks)) / n_looks
    at_once = np.mean(find_look(*better, 1, LEVEL) == 1)
    case = "better by 3 points"
    rates += [
        (case, level, np.mean(look <= n_looks)),
        (f"{case}, share of items", level, share_used),
        (f"{case}, all items at once", LEVEL, at_once),
    ]
    shared = {"recipe": "stop at a look", "n": n_items, "n_sets": n_sets}
    return [shared | {"case": x, "level": y, "rate": rate} for x, y, rate in rates]


def find_look(
    now: np.ndarray, before: np.ndarray, n_looks: int, level: float
) -> np.ndarray:
    """Return at which look models are told apart, from 1 on; `n_looks` + 1 for none.

    Of scores of 0 and 1, (sets, items), by the exact two-sided test of pairs.
    """
    looks = np.full(len(now), n_looks + 1)
    for k in range(n_looks, 0, -1):
        first = slice(now.shape[-1] * k // n_looks)
        wins = np.sum(now[:, first] & ~before[:, first], axis=-1)
        losses = np.sum(before[:, first] & ~now[:, first], axis=-1)
        p = 2.0 * scipy.stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)
        looks[p <= level] = k
    return looks


def stop_trainings(settings: Settings) -> list[dict[str, Any]]:
    """Draw returns of 50 episodes at each of ten evaluations; the baseline is fixed."""
    n_sets, n_episodes, n_looks = settings.choose(4, 2000), 50, 10
    rng = np.random.default_rng((8, 4))
    baseline = settings.put(rng.normal(size=(n_sets, n_episodes)))
    found: dict[int, np.ndarray] = {}
    for _ in range(n_looks):
        returns = settings.put(rng.normal(size=(n_sets, n_episodes)))
        for count in (n_looks, 1):
            result = sigarray.aso(returns, baseline, n_comparisons=count, rng=0)
            is_better = np.asarray(result.eps_min) < 0.2
            found[count] = found.get(count, False) | is_better
    return [
        {
            "recipe": "returns at ten evaluations",
            "case": "equal models",
            "n": n_episodes,
            "n_sets": n_sets,
            "level": LEVEL / count,
            "rate": np.mean(is_better),
        }
        for count, is_better in found.items()
    ]
