"""How often the intervals of "Which test?" hold, and those of calls one might take.

Each leaf of the tree on that page has a design, a call for it, and another call that
leaves out what was sampled. Both are evaluated as they stand there.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.clusters import draw_clusters
from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.strata import draw_runs
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import corpus

Names = dict[str, Any]
_N_RESAMPLES, _LEVELS = 999, np.geomspace(0.1, 3.0, 26)


@dataclass(frozen=True)
class Leaf:
    """What was sampled, a call and a command for it, and another call.

    `draw` returns the names that calls use, and what is true: the difference, or what
    else intervals are to have `held`.
    """

    name: str
    design: str
    call: str
    command: str
    other: str
    draw: Callable[[np.random.Generator], tuple[Names, float]]
    held: str = "difference"

    @property
    def full_command(self) -> str:
        """The command, of a file in `docs/examples`."""
        return f"sigarray compare {self.command}"

    def find_intervals(self, names: Names, rng: int = 0) -> list[Any]:
        """Return the intervals of both calls."""
        drawn = {"rng": rng, "n_resamples": _N_RESAMPLES}
        public = {x: getattr(sigarray, x) for x in ("of_sums", "proportion_ci", "t_ci")}
        own = public | {
            "bootstrap_ci": functools.partial(sigarray.bootstrap_ci, **drawn),
            "corpus": corpus,
            "probability_of_improvement": functools.partial(
                sigarray.probability_of_improvement, **drawn
            ),
        }
        calls = self.call, self.other
        return [eval(x, own | names).confidence_interval for x in calls]


def _draw_few(rng: np.random.Generator) -> tuple[Names, float]:
    a, b = rng.normal(size=(2, 5))
    return {"a": a, "b": b}, 0.0


def _draw_tasks(rng: np.random.Generator) -> tuple[Names, float]:
    a, b = (
        x.T for x in draw_runs(rng, _LEVELS[:, None], "normal", 2, 5)
    )  # (runs, tasks)
    return {"a": a, "b": b}, 0.0


def _draw_better_tasks(rng: np.random.Generator) -> tuple[Names, float]:
    """A run of A beats one of B on the same task with a probability of 0.7."""
    names, _ = _draw_tasks(rng)
    lead = 2.0**0.5 * NormalDist().inv_cdf(0.7)
    return names | {"a": names["a"] + 0.25 * lead * _LEVELS}, 0.7


def _draw_other_tasks(rng: np.random.Generator) -> tuple[Names, float]:
    taste = 0.5 * rng.normal(size=(2, 1, 10))
    a, b = taste + 0.5 * rng.normal(size=(2, 5, 10))
    return {"a": a, "b": b}, 0.0


def _draw_items(n: int, rng: np.random.Generator) -> tuple[Names, float]:
    a, b = rng.normal(size=n) + 0.3 * rng.normal(size=(2, n))
    return {"a": a, "b": b}, 0.0


def _draw_answers(rng: np.random.Generator) -> tuple[Names, float]:
    ease = rng.beta(9.8, 0.2, 50)
    a, b = (rng.random((2, 50)) < ease).astype(float)
    return {"a": a, "b": b}, 0.0


def _draw_documents(rng: np.random.Generator) -> tuple[Names, float]:
    document = draw_clusters(rng, 20, 0.8)
    taste = rng.normal(size=(2, 20))[:, document]
    a, b = taste + rng.normal(size=(2, len(document)))
    return {"a": a, "b": b, "document": document}, 0.0


def _draw_subjects(rng: np.random.Generator) -> tuple[Names, float]:
    """Subjects have levels and leads of their own, and A leads on smaller ones."""
    counts = 3 + np.arange(20) % 5
    lead = 0.5 - 0.1 * (counts - 3.0)
    passages, subjects = [], []
    for k, count in enumerate(counts):
        of_items = draw_clusters(rng, int(count), 0.8)
        passages.append(of_items + int(np.sum(counts[:k])))
        subjects.append(np.full(len(of_items), k))
    passage, subject = np.concatenate(passages), np.concatenate(subjects)
    size = np.bincount(subject)[subject]
    n = len(subject)
    taste = rng.normal(size=(2, np.sum(counts)))[:, passage]
    a, b = np.linspace(-2.0, 2.0, 20)[subject] + taste + rng.normal(size=(2, n))
    names = {"a": a + lead[subject], "b": b, "passage": passage, "subject": subject}
    return names | {"w": n / (20.0 * size)}, float(np.mean(lead))


def _count_found(
    rng: np.random.Generator, gold: np.ndarray, recall: np.ndarray
) -> tuple[np.ndarray, ...]:
    found = rng.binomial(gold, recall)
    return found, rng.poisson(0.5, len(gold)), gold - found


def _draw_sentences(rng: np.random.Generator, n: int = 100) -> tuple[Names, float]:
    """A finds more where there is much to find, B where there is little."""
    gold = 1 + rng.poisson(rng.choice([1.0, 9.0], n))
    share = np.where(gold > 4, 0.2, -0.2)
    a, b = (_count_found(rng, gold, 0.7 + sign * share) for sign in (1.0, -1.0))
    return {"a": a, "b": b}, _find_true_difference()


@functools.cache
def _find_true_difference() -> float:
    """Return the difference of F1 of all sentences there could be."""
    rates = []
    chance = np.arange(60)
    weights = sum(
        np.exp(chance * np.log(x) - x - _log_factorials(60)) for x in (1.0, 9.0)
    )
    gold, weights = 1.0 + chance, weights / 2.0
    share = np.where(gold > 4, 0.2, -0.2)
    for sign in (1.0, -1.0):
        found = np.sum(weights * gold * (0.7 + sign * share))
        missed = np.sum(weights * gold) - found
        rates.append(corpus.f1(found, 0.5, missed))
    return float(rates[0] - rates[1])


def _log_factorials(n: int) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, n)))])


def _draw_sentences_of_documents(rng: np.random.Generator) -> tuple[Names, float]:
    document = draw_clusters(rng, 20, 0.8)
    gold = 1 + rng.poisson(3.0, len(document))
    ease = rng.normal(0.8, 0.5, 20) + rng.normal(0.0, 0.7, (2, 20))
    a, b = (_count_found(rng, gold, 1.0 / (1.0 + np.exp(-x[document]))) for x in ease)
    return {"a": a, "b": b, "document": document}, 0.0


def _draw_tables(rng: np.random.Generator) -> tuple[Names, float]:
    shared = 0.4 * rng.normal(size=200)
    a, b = (
        shared
        + 0.15 * rng.normal(size=200)
        + 0.05 * rng.normal(size=(5, 1))
        + 0.2 * rng.normal(size=(5, 200))
        for _ in range(2)
    )
    return {"a": a, "b": b}, 0.0


def _draw_tables_of_documents(rng: np.random.Generator) -> tuple[Names, float]:
    document = draw_clusters(rng, 20, 0.8)
    names: Names = {"document": document}
    for model in "ab":
        scores = 0.5 * rng.normal(size=20)[document] + 0.3 * rng.normal(size=(5, 1))
        scores = scores + rng.normal(size=(5, len(document)))
        names |= {model: scores, f"mean_of_{model}": scores.mean(axis=0)}
    return names, 0.0


_SENTENCES = "sentences.csv --item sentence --statistic f1 --score tp,fp,fn"
_WEIGHED = "w * a, w * b"
_F1 = "statistic=of_sums(corpus.f1)"
_BY_F1 = "t_ci(corpus.f1(*a), corpus.f1(*b), paired=True)"
LEAVES = (
    Leaf(
        "runs",
        "5 runs each",
        "t_ci(a, b)",
        "runs.csv --test t",
        'bootstrap_ci(a, b, method="percentile")',
        _draw_few,
    ),
    Leaf(
        "runs of tasks, the mean",
        "5 runs on 26 tasks",
        "t_ci(a, b, axis=0, strata=1)",
        "tasks.csv --statistic mean",
        "t_ci(a.ravel(), b.ravel())",
        _draw_tasks,
    ),
    Leaf(
        "runs of tasks, the interquartile mean",
        "5 runs on 26 tasks",
        'bootstrap_ci(a, b, axis=0, strata=1, statistic="iqm", method="percentile")',
        "tasks.csv --statistic iqm",
        'bootstrap_ci(a.ravel(), b.ravel(), statistic="iqm", method="percentile")',
        _draw_tasks,
    ),
    Leaf(
        "tasks like these",
        "5 runs on 10 tasks",
        "t_ci(a.mean(axis=0), b.mean(axis=0), paired=True)",
        "tasks.csv",
        "t_ci(a, b, axis=0, strata=1)",
        _draw_other_tasks,
    ),
    Leaf(
        "few items",
        "10 items",
        "t_ci(a, b, paired=True)",
        "items.csv --test t",
        'bootstrap_ci(a, b, paired=True, method="percentile")',
        functools.partial(_draw_items, 10),
    ),
    Leaf(
        "items",
        "200 items",
        "t_ci(a, b, paired=True)",
        "items.csv",
        "t_ci(a, b)",
        functools.partial(_draw_items, 200),
    ),
    Leaf(
        "answers",
        "50 questions, of which each model answers 98 %",
        "proportion_ci(a, b, paired=True)",
        "answers.csv",
        "t_ci(a, b, paired=True)",
        _draw_answers,
    ),
    Leaf(
        "items in clusters",
        "20 documents of about 10 items",
        "t_ci(a, b, paired=True, clusters=document)",
        "documents.csv --cluster document",
        "t_ci(a, b, paired=True)",
        _draw_documents,
    ),
    Leaf(
        "a metric of the test set",
        "100 sentences",
        f"t_ci(a, b, paired=True, {_F1})",
        _SENTENCES,
        _BY_F1,
        _draw_sentences,
    ),
    Leaf(
        "a metric of the test set, in clusters",
        "20 documents of about 10 sentences",
        f"t_ci(a, b, paired=True, {_F1}, clusters=document)",
        f"{_SENTENCES} --cluster document",
        f"t_ci(a, b, paired=True, {_F1})",
        _draw_sentences_of_documents,
    ),
    Leaf(
        "seeds and items",
        "5 seeds of each model on 200 items",
        "t_ci(a, b, axis=(0, 1))",
        "seeds.csv",
        "t_ci(a.mean(axis=0), b.mean(axis=0), paired=True)",
        _draw_tables,
    ),
    Leaf(
        "items in clusters within tasks",
        "3 to 7 passages of about 10 items in each of 20 subjects",
        f"t_ci({_WEIGHED}, paired=True, clusters=passage, strata=subject)",
        "subjects.csv --task subject --cluster passage --statistic mean",
        f"t_ci({_WEIGHED}, paired=True, strata=subject)",
        _draw_subjects,
    ),
    Leaf(
        "runs of tasks, the odds",
        "5 runs on 26 tasks",
        "probability_of_improvement(a, b, axis=0, strata=1)",
        "tasks.csv --statistic improvement",
        "probability_of_improvement(a.ravel(), b.ravel())",
        _draw_better_tasks,
        "probability",
    ),
    Leaf(
        "seeds, and items in clusters",
        "5 seeds of each model on 20 documents of about 10 items",
        "t_ci(a, b, axis=(0, 1), clusters=document)",
        "seeds_of_documents.csv --cluster document",
        "t_ci(mean_of_a, mean_of_b, paired=True, clusters=document)",
        _draw_tables_of_documents,
    ),
)


def count(leaf: Leaf, n_sets: int, seed: int) -> dict[str, Any]:
    """Return how often both intervals hold the difference, and how long they are.

    An interval that is NaN holds nothing.
    """
    rng = np.random.default_rng(seed)
    held, lengths = np.zeros(2), np.zeros(2)
    for k in range(n_sets):
        names, truth = leaf.draw(rng)
        for j, (low, high) in enumerate(leaf.find_intervals(names, k)):
            held[j] += low <= truth <= high
            lengths[j] += np.nan_to_num(high - low)
    return {
        "leaf": leaf.name,
        "call": leaf.call,
        "other": leaf.other,
        "n_sets": n_sets,
        "held": held[0] / n_sets,
        "held_by_other": held[1] / n_sets,
        "length_of_other": lengths[1] / lengths[0],
    }


def run(settings: Settings) -> Experiment:
    """Count how often the intervals of each leaf hold."""
    n_sets = settings.choose(30, 2000)
    rows = [count(leaf, n_sets, seed) for seed, leaf in enumerate(LEAVES)]
    return Experiment("Leaves of the tree", rows, [], page=tabulate(rows))


def say(leaf: Leaf, row: dict[str, Any]) -> str:
    """Return what the page has of a leaf: a call, a command and what was measured."""
    held, by_other = (show(float(row[x])) for x in ("held", "held_by_other"))
    ratio = float(row["length_of_other"])
    longer = f", and are {ratio:.1f} times as long" if ratio >= 1.5 else ""
    return (
        f"`{leaf.call}`\\ `{leaf.full_command}`\\ "
        f"{leaf.design}: intervals hold the {leaf.held} in {held} %, those of "
        f"`{leaf.other}` in "
        f"{by_other} %{longer}."
    )


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["call", "holds", "another call", "holds", "length"]
    lines = [
        [
            f"`{x['call']}`",
            show(float(x["held"])),
            f"`{x['other']}`",
            show(float(x["held_by_other"])),
            f"{float(x['length_of_other']):.2f}",
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} pairs of models each, intervals of 95 % hold the "
        "difference in so many percent, and those of another call, whose mean length "
        "is relative to theirs:",
        write_table(header, lines),
    ]
