"""What the pages of training loops and tools say of recipes: false alarms and power.

By its own calls of the library, or by sums over all outcomes where those are counts.
"""

from typing import Any

import numpy as np
import scipy.stats

import sigarray
from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.looks import stop_early
from benchmarks.reproduce.rates.splits import score_split

NAMES = ("recipe", "case", "n", "n_sets", "level", "rate")
LEVEL, STRICT = 0.05, 0.01


def run(settings: Settings) -> Experiment:
    """Simulate all of it."""
    rows = [
        *compare_questions(settings),
        *keep_checkpoints(settings),
        *validate_learners(settings),
        *compare_trainings(settings),
        *guard_quality(settings),
        *stop_early(settings),
    ]
    return Experiment(
        "Recipes of training loops",
        [{name: row.get(name, "") for name in NAMES} for row in rows],
        [],
        findings=[
            f"The {len(rows)} rates on the pages of training loops and tools, with "
            "nothing that was published to compare them with."
        ],
    )


def compare_questions(settings: Settings) -> list[dict[str, Any]]:
    """Compare two models on the same items, of which one is a little better.

    Items vary three times as much as the differences of both models.
    """
    n_sets, n_items = settings.choose(20, 400), 1000
    rng = np.random.default_rng((8, 0))
    items = 3.0 * rng.normal(size=(n_sets, n_items))
    noise = np.sqrt(0.5) * rng.normal(size=(2, n_sets, n_items))
    a, b = (settings.put(x) for x in (items + noise[0] + 0.125, items + noise[1]))
    pairs = sigarray.permutation_test(a, b, paired=True, method="saddlepoint").pvalue
    bound = sigarray.aso(a, b, rng=0).eps_min
    shared = {"recipe": "an eighth of a deviation", "n": n_items, "n_sets": n_sets}
    return [
        shared
        | {
            "case": "pairs",
            "level": LEVEL,
            "rate": np.mean(np.asarray(pairs) <= LEVEL),
        },
        shared | {"case": "aso", "rate": np.mean(np.asarray(bound) < 0.2)},
    ]


def keep_checkpoints(settings: Settings) -> list[dict[str, Any]]:
    """Keep a checkpoint of a training that gains nothing, at any of ten evaluations."""
    n_sets, n_items, n_times, share = settings.choose(200, 4000), 1000, 10, 0.3
    rows = []
    for level in (LEVEL / n_times, LEVEL):
        rng = np.random.default_rng((8, 1))
        right = rng.random((n_sets, n_items)) < 0.8
        best, is_kept = right.copy(), np.zeros(n_sets, dtype=bool)
        for _ in range(n_times):
            is_new = rng.random(right.shape) < share
            right = np.where(is_new, rng.random(right.shape) < 0.8, right)
            wins = np.sum(right & ~best, axis=-1)
            losses = np.sum(best & ~right, axis=-1)
            is_better = find_p_of_wins(wins, losses) < level
            best = np.where(is_better[:, None], right, best)
            is_kept |= is_better
        rows.append(
            {
                "recipe": "checkpoints",
                "case": "any kept",
                "n": n_items,
                "n_sets": n_sets,
                "level": level,
                "rate": np.mean(is_kept),
            }
        )
    return rows


def find_p_of_wins(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Return the exact one-sided p-value of pairs of 0 and 1, by exchanges."""
    return np.asarray(scipy.stats.binom.sf(wins - 1, wins + losses, 0.5))


def validate_learners(settings: Settings) -> list[dict[str, Any]]:
    """Cross-validate two learners that are as good, on other halves of the features."""
    n_sets, n_items, n_folds, half = settings.choose(200, 4000), 100, 10, 3
    rng = np.random.default_rng((8, 2))
    x = rng.normal(size=(n_sets, n_items, 2 * half))
    y = np.sum(x, axis=-1) + rng.normal(size=(n_sets, n_items))
    rows = []
    of_items, of_folds = [], []
    for _ in range(5):
        order, tested = rng.permutation(n_items), []
        scores, folds = [], []
        for k in range(n_folds):
            is_test = np.isin(np.arange(n_items), order[k::n_folds])
            found = [
                score_split(x[..., part], y, is_test, is_mean=False)
                for part in (slice(half), slice(half, None))
            ]
            folds.append([np.mean(z, axis=-1) for z in found])
            scores.append(found)
            tested.append(np.flatnonzero(is_test))
        back = np.argsort(np.concatenate(tested))
        of_items.append(np.concatenate(scores, axis=-1)[..., back])
        of_folds.append(np.moveaxis(np.asarray(folds), 0, -1))
    items = np.asarray(of_items)
    cases = {
        "items, one repetition": by_items(settings, items[0]),
        "items, means of five": by_items(settings, np.mean(items, axis=0)),
        "items of five, as if others": by_items(
            settings, np.concatenate(list(items), axis=-1)
        ),
    }
    for name, count in (("one", 1), ("five", 5)):
        folds = np.concatenate(of_folds[:count], axis=-1)
        for said, share in (("corrected", 1.0 / n_folds), ("uncorrected", None)):
            a, b = (settings.put(z) for z in folds)
            p = sigarray.t_test(a, b, paired=True, test_share=share).pvalue
            cases[f"folds, {said}, {name}"] = np.asarray(p)
    shared = {"recipe": "cross-validation", "n": n_items, "n_sets": n_sets}
    rows += [
        shared | {"case": case, "level": LEVEL, "rate": np.mean(p <= LEVEL)}
        for case, p in cases.items()
    ]
    return rows


def by_items(settings: Settings, scores: np.ndarray) -> np.ndarray:
    """Test pairs of items, (2, sets, n), by exchanges."""
    a, b = (settings.put(x) for x in scores)
    found = sigarray.permutation_test(a, b, paired=True, method="saddlepoint")
    return np.asarray(found.pvalue)


def compare_trainings(settings: Settings) -> list[dict[str, Any]]:
    """Compare a model with itself, trained with another seed, on digits."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.neural_network import MLPClassifier

    n_runs = settings.choose(4, 100)
    makes = {
        "network": lambda seed: MLPClassifier(32, max_iter=40, random_state=seed),
        "forest of 10": lambda seed: RandomForestClassifier(10, random_state=seed),
        "forest of 100": lambda seed: RandomForestClassifier(100, random_state=seed),
    }
    rows = []
    for name, make in makes.items():
        right = train_on_digits(make, n_runs)
        first, second = np.triu_indices(n_runs, 1)
        wins, losses = (
            np.sum(right[i] & ~right[j], axis=-1)
            for i, j in ((first, second), (second, first))
        )
        p = find_p_of_wins(wins, losses), find_p_of_wins(losses, wins)
        two_sided = np.minimum(1.0, 2.0 * np.minimum(*p))
        shared = {"recipe": "digits", "n": right.shape[-1], "n_sets": len(first)}
        rows += [
            shared
            | {
                "case": f"{name}, two-sided",
                "level": LEVEL,
                "rate": np.mean(two_sided <= LEVEL),
            },
            # Either of two trainings may be the one that is stored.
            shared
            | {
                "case": f"{name}, found worse",
                "level": STRICT,
                "rate": np.mean(np.asarray(p) < STRICT),
            },
        ]
    return rows


def train_on_digits(make: Any, n_runs: int) -> np.ndarray:
    """Say which of 899 digits are right, (runs, 899)."""
    import warnings

    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import train_test_split

    x, x_test, y, y_test = train_test_split(
        *load_digits(return_X_y=True), test_size=0.5, random_state=0
    )
    with warnings.catch_warnings():
        # After so many epochs it is not done, as the page says.
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [make(seed).fit(x / 16.0, y) for seed in range(n_runs)]
    return np.stack([model.predict(x_test / 16.0) == y_test for model in models])


def guard_quality(settings: Settings) -> list[dict[str, Any]]:
    """Test that a model is no worse, summed over all outcomes: no set is drawn."""
    share = 0.05  # of items, on which two models differ
    rows = []
    for points in (0, 2, 3):
        n = 899
        wins, losses, chance = list_outcomes(n, share, points)
        rate = np.sum(chance[find_p_of_wins(losses, wins) < STRICT])
        rows.append(
            {
                "recipe": "found worse",
                "case": f"worse by {points} points",
                "n": n,
                "level": STRICT,
                "rate": rate,
            }
        )
    sizes = (899,) if settings.is_quick else (899, 5000)
    for points in (1, 0):
        for n in sizes:
            wins, losses, chance = list_outcomes(n, share, points)
            low = find_low(settings, wins, losses, n)
            rows.append(
                {
                    "recipe": "worse by less than a point",
                    "case": f"worse by {points} points",
                    "n": n,
                    "level": STRICT,
                    "rate": np.sum(chance[low > -0.01]),
                }
            )
    return rows


def list_outcomes(
    n: int, share: float, points: int, least: float = 1e-9
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return wins and losses of n items, and their chances, but for the least ones."""
    ahead, behind = 0.5 * (share - points / 100.0), 0.5 * (share + points / 100.0)
    n_apart = np.arange(n + 1)
    wins, apart = np.meshgrid(n_apart, n_apart, indexing="ij")
    chance = scipy.stats.binom.pmf(apart, n, share)
    chance = chance * scipy.stats.binom.pmf(wins, apart, ahead / (ahead + behind))
    is_likely = chance > least
    return wins[is_likely], (apart - wins)[is_likely], chance[is_likely]


def find_low(
    settings: Settings, wins: np.ndarray, losses: np.ndarray, n: int, block: int = 500
) -> np.ndarray:
    """Return lower limits of intervals of 98 % of the differences of proportions."""
    low = []
    for start in range(0, len(wins), block):
        chosen = slice(start, start + block)
        places = np.arange(n)
        a = places < wins[chosen, None]
        b = ~a & (places < (wins + losses)[chosen, None])
        found = sigarray.proportion_ci(
            settings.put(a.astype(float)),
            settings.put(b.astype(float)),
            paired=True,
            confidence_level=1.0 - 2.0 * STRICT,
        )
        low.append(np.asarray(found.confidence_interval.low))
    return np.concatenate(low)
