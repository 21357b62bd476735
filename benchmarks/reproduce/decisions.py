"""Decisions on scores of real models: Dror et al. (2019), sections 5 and 6.

Their 510 score sets are not public. These are of the same kind: test accuracies of
classifiers by seed, from `benchmarks.score_sets`.
"""

import itertools
from pathlib import Path
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.experiment import Experiment, Picture, Settings, read_csv

SCORES = Path(__file__).parents[1] / "data" / "score_sets.csv"
LEVEL = 0.05
# Of the paper, and of those after it.
THRESHOLDS = (0.5, 0.2)
# Of eps_min under noise; the CSV file has the lower one of each bin.
HISTOGRAM_EDGES = np.linspace(0.0, 1.0, 41)
NOISE = 0.001
# Of phi, whose square is added to the scores of the better model: by 0.001 and 0.009 on
# average.
ONE_SIDED_NOISES = (NOISE**0.5, 3.0 * NOISE**0.5)
NOT_COMPARED = (
    "Not compared: the counts of the paper, whose 510 sets of scores are not public."
)
CASES = {
    "A": "statistics and Mann-Whitney agree",
    "B": "they do not agree",
    "C": "both are indecisive",
}


def run(settings: Settings) -> Experiment:
    """Compare all pairs of models, and each model with itself under noise."""
    scores = read_scores(SCORES)
    pairs = [compare_pair(settings, scores, names) for names in pair_names(scores)]
    noise = disturb(settings, scores)
    findings = [f"{len(scores)} sets of 25 scores, and their {len(pairs)} pairs:", ""]
    for case, meaning in CASES.items():
        chosen = [x for x in pairs if x["case"] == case]
        findings.append(
            f"- Case {case}, {meaning}: {len(chosen)} pairs; of the better one, mean "
            f"eps {mean(chosen, 'eps')} and mean eps_min {mean(chosen, 'eps_min')}."
        )
        if case == "B":
            n_contradictory = sum(x["is_contradiction"] for x in chosen)
            findings[-1] += f" In {n_contradictory} they say the opposite."
    for kind, values in noise.items():
        below = " and ".join(
            f"eps_min < {threshold:g} in {np.mean(values < threshold):.1%}"
            for threshold in THRESHOLDS
        )
        findings.append(f"- {kind}: {below} of {len(values)} comparisons.")
    rows = [{"kind": "pair", **x, "count": 1} for x in pairs]
    for kind, values in noise.items():
        counts, edges = np.histogram(values, HISTOGRAM_EDGES)
        blank = dict.fromkeys(("a", "b", "case", "is_contradiction", "eps"), "")
        rows += [
            {"kind": kind, **blank, "eps_min": float(edge), "count": int(count)}
            for edge, count in zip(edges[:-1], counts, strict=True)
        ]
    return Experiment(
        "Decisions on scores of real models (Dror et al. 2019)",
        rows,
        [
            Picture(
                "decisions",
                (12.0, 6.0),
                lambda x: draw_figure(x, scores, pairs, noise),
            )
        ],
        findings=["\n".join(findings), *compare_taggers(settings), NOT_COMPARED],
    )


def read_scores(path: Path) -> dict[str, np.ndarray]:
    """Return the scores of each model, a column of the file."""
    rows = read_csv(path)
    return {
        name: np.asarray([float(row[name]) for row in rows if row[name]])
        for name in rows[0]
    }


def mean(rows: list[dict[str, Any]], name: str) -> str:
    """Return the mean of a column to three digits."""
    return f"{np.mean([x[name] for x in rows]):.3f}" if rows else "-"


def compare_taggers(settings: Settings) -> list[str]:
    """Compare two taggers by their runs, where these are at hand."""
    path = settings.reference.parent / "data" / "ner_test_f1.csv"
    if not path.is_file():
        return []
    scores = read_scores(path)
    first, second = scores
    pair = compare_pair(settings, scores, (first, second))
    return [
        f"Two taggers, F1 of {' and '.join(str(len(x)) for x in scores.values())} "
        f"runs: case {pair['case']}, eps {pair['eps']:.3f} and eps_min "
        f"{pair['eps_min']:.3f} of the better one."
    ]


def pair_names(scores: dict[str, np.ndarray]) -> list[tuple[str, str]]:
    """Every two models of one dataset."""
    return [
        (x, y)
        for x, y in itertools.combinations(scores, 2)
        if x.partition(":")[0] == y.partition(":")[0]
    ]


def compare_pair(
    settings: Settings, scores: dict[str, np.ndarray], names: tuple[str, str]
) -> dict[str, Any]:
    """Return the case of two models, and the violation ratio of the better one."""
    result = sigarray.compare(*(settings.put(scores[name]) for name in names), rng=0)
    a, b = result.summary_a, result.summary_b
    signs = [
        float(np.sign(x - y))
        for x, y in (
            (a.mean, b.mean),
            (a.median, b.median),
            (a.min, b.min),
            (a.max, b.max),
            (b.std, a.std),
        )
    ]
    by_statistics = 0.0
    if min(signs) >= 0.0 or max(signs) <= 0.0:
        by_statistics = float(np.sign(sum(signs)))
    by_ranks = 0.0
    if float(result.mann_whitney.pvalue) < LEVEL:
        improvement = float(result.mann_whitney.probability_of_improvement)
        by_ranks = float(np.sign(improvement - 0.5))
    case = "B"
    if by_statistics == by_ranks:
        case = "A" if by_ranks else "C"
    orders = (result.aso_a_over_b, result.aso_b_over_a)
    better = min(orders, key=lambda x: float(x.violation_ratio))
    return {
        "a": names[0],
        "b": names[1],
        "case": case,
        "is_contradiction": by_statistics * by_ranks < 0.0,
        "eps": float(better.violation_ratio),
        "eps_min": float(better.eps_min),
    }


def disturb(settings: Settings, scores: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return eps_min of scores beside the same ones, disturbed: section 6."""
    rng = np.random.default_rng(6)
    n_repeats = settings.choose(5, 50)
    found: dict[str, list[np.ndarray]] = {}
    for values in scores.values():
        shape = (n_repeats, len(values))
        same = np.broadcast_to(values, shape)
        halves = rng.permuted(same.copy(), axis=-1)
        half = len(values) // 2
        comparisons = {
            f"No difference: noise N(0, {NOISE:g}^2)": (
                values + rng.normal(0.0, NOISE, shape),
                same,
            ),
            "No difference: random halves": (halves[:, :half], halves[:, half:]),
        }
        for scale in ONE_SIDED_NOISES:
            kind = f"A better one: noise phi^2, phi of N(0, {scale:.3f}^2)"
            comparisons[kind] = (values + rng.normal(0.0, scale, shape) ** 2, same)
        for kind, samples in comparisons.items():
            a, b = (settings.put(np.ascontiguousarray(x)) for x in samples)
            bound = sigarray.aso(a, b, rng=0).eps_min
            found.setdefault(kind, []).append(np.asarray(bound))
    return {kind: np.concatenate(values) for kind, values in found.items()}


def draw_figure(
    figure: Any,
    scores: dict[str, np.ndarray],
    pairs: list[dict[str, Any]],
    noise: dict[str, np.ndarray],
) -> None:
    """Draw the scores, histograms of eps by case, and of eps_min under noise."""
    axes = figure.subplots(2, 4)
    for dataset in dict.fromkeys(name.partition(":")[0] for name in scores):
        chosen = [x for name, x in scores.items() if name.startswith(f"{dataset}:")]
        axes[0, 0].plot(
            [np.mean(x) for x in chosen],
            [np.std(x) for x in chosen],
            "o",
            markersize=4,
            label=f"{dataset} ({len(chosen)})",
        )
    axes[0, 0].set_title(f"{len(scores)} sets of scores", fontsize=8)
    axes[0, 0].set_xlabel("mean", fontsize=8)
    axes[0, 0].set_ylabel("standard deviation", fontsize=8)
    axes[0, 0].legend(fontsize=7)
    for axis, (case, meaning) in zip(axes[0, 1:], CASES.items(), strict=True):
        eps = [x["eps"] for x in pairs if x["case"] == case]
        axis.hist(eps, bins=np.linspace(0.0, 0.5, 21))
        words = meaning.replace("statistics and", "statistics\nand")
        axis.set_title(f"case {case}: {words}", fontsize=8)
        axis.set_xlabel("eps of the better one", fontsize=8)
    for axis, (kind, values) in zip(axes[1], noise.items(), strict=True):
        axis.hist(values, bins=HISTOGRAM_EDGES)
        axis.axvline(0.2, color="grey", linewidth=0.8, linestyle=":")
        axis.set_title(kind.replace("phi^2, ", "phi^2,\n"), fontsize=8)
        axis.set_xlabel("eps_min", fontsize=8)
    for axis in axes.flat:
        axis.tick_params(labelsize=7)
