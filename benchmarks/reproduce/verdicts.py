"""What our verdicts are worth: how often equal models are told apart, others found.

A family is what one call compares: all pairs of some models, or all tasks. It errs
where any of its claims is false. Of equal models that is any claim at all.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.families import (
    DISCOVERIES,
    DRAWS,
    EQUAL,
    POWER,
    SPREADS,
    TAILS,
    Family,
)

LEVEL, THRESHOLD = 0.05, 0.2
# More than this, and two standard errors of a simulation, is too often.
LARGEST = 0.06
QUICK, FULL = 100, 4000
# Where each claim, or so large a share of them, is wrong.
JUDGED = ("equal", "equal means", "discovery")
N_RESAMPLES = 1000

# Runs, and spreads of B where A's is 1, of bounds of a known ratio.
RATIOS, RATIO_SIZES = (0.05, 0.2, 0.5, 0.8), (3, 5, 10, 20, 50)
RATIO_SPREADS = (2.0, 0.5, 4.0, 0.25)
# Runs of models, of which the first has that ratio to each of the others, and the
# spreads of these.
AT_THRESHOLD = [
    *(
        (sizes, spread)
        for sizes in (
            *((n, n) for n in RATIO_SIZES),
            *((5, 20), (20, 5), (5, 50), (50, 5), (20, 50), (50, 20)),
            *((12, 50), (50, 12), (15, 50), (50, 15)),
        )
        for spread in (*RATIO_SPREADS, 10.0, 0.1)
    ),
    *(((n, n), spread) for n in (15, 19) for spread in (*RATIO_SPREADS, 10.0, 0.1)),
    *(
        ((n,) * k, spread)
        for k in (3, 4, 10)
        for n in (*RATIO_SIZES, 4)
        for spread in RATIO_SPREADS
    ),
    *(((n,) * 3, spread) for n in (15, 19, 25) for spread in RATIO_SPREADS),
    *(
        ((n, *(m,) * k), spread)
        for k in (2, 3)
        for n, m in (
            *((50, 12), (50, 15), (50, 19), (15, 50), (50, 20), (20, 50)),
            *((20, 5), (5, 20)),
        )
        for spread in RATIO_SPREADS
    ),
    *(
        (sizes, spread)
        for sizes in (
            *((50, 50, 50, 19), (50, *(19,) * 4), (50, *(19,) * 9)),
            *((50, *(15,) * 4), (50, *(15,) * 9)),
        )
        for spread in RATIO_SPREADS
    ),
]
# Runs of models that each have that ratio to a baseline, the last one, or to each of
# which this has it; and the spreads of the baseline where theirs are 1.
AT_THRESHOLD_OF_BASELINE = [
    ((*(n,) * k, m), spread)
    for k in (2, 4, 9)
    for n, m in (
        *((n, n) for n in (4, 5, 10, 15, 19, 20, 50)),
        *((50, 12), (50, 15), (50, 19), (15, 50), (20, 5), (5, 20)),
    )
    for spread in RATIO_SPREADS
]


def run(settings: Settings) -> Experiment:
    """Simulate all of it."""
    n_sets = settings.choose(QUICK, FULL)
    rows = [
        {"kind": kind, **describe_errors(settings, family, n_sets, seed)}
        for kind, families in (("equal", EQUAL), ("equal means", SPREADS))
        for seed, family in enumerate(families)
    ]
    rows += [
        {
            "kind": "equal means, long tails",
            **describe_errors(settings, family, n_sets, 100 + seed),
        }
        for seed, family in enumerate(TAILS)
    ]
    rows += [
        {"kind": "discovery", **describe_discoveries(settings, *family, n_sets, seed)}
        for seed, family in enumerate(DISCOVERIES)
    ]
    rows += [
        {"kind": "power", **describe_power(settings, family, n_sets, seed), "least": x}
        for seed, (family, x) in enumerate(POWER)
    ]
    rows += [
        {"kind": "bound", **row}
        for ratio in RATIOS
        for n in RATIO_SIZES
        for row in describe_bounds(settings, ratio, n, n_sets)
    ]
    rows += [
        {"kind": "threshold", **describe_threshold(settings, sizes, spread, n_sets)}
        for sizes, spread in AT_THRESHOLD
    ]
    rows += [
        {
            "kind": "threshold, with a baseline",
            **describe_baseline(settings, sizes, spread, n_sets, is_ahead=is_ahead),
        }
        for is_ahead in (False, True)
        for sizes, spread in AT_THRESHOLD_OF_BASELINE
    ]
    names = (
        *("kind", "family", "scores", "n_sets", "rate", "least", "ratio", "covered"),
        "any",
    )
    rows = [{name: row.get(name, "") for name in names} for row in rows]
    said = judge(rows)
    return Experiment(
        "What verdicts are worth",
        rows,
        [],
        findings=[said],
        page=[said, *tabulate(rows)],
    )


def find_claims(settings: Settings, family: Family, samples: Any, seed: int) -> Any:
    """Return who is better than whom, (sets, K, K): `multi_aso` at its defaults.

    The bounds, which take long, are of sets alone in which any pair is told apart.
    """
    options: dict[str, Any] = {
        "n_comparisons": family.n_tasks,
        "baseline": len(family.sizes) - 1 if family.has_baseline else None,
        "rng": seed,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        first = sigarray.multi_aso(
            [settings.put(x) for x in samples],
            method="bootstrap",  # of two resamples, for p-values alone
            n_resamples=2,
            **options,
        )
        told = np.asarray(first.pvalue) <= LEVEL
        sets = np.flatnonzero(np.any(told, axis=(-2, -1)))
        claims = np.zeros(told.shape, dtype=bool)
        if len(sets):
            bounds = sigarray.multi_aso(
                [settings.put(x[sets]) for x in samples],
                n_resamples=N_RESAMPLES,
                **options,
            )
            claims[sets] = np.asarray(bounds.eps_min) < THRESHOLD
    return claims


def describe_errors(
    settings: Settings, family: Family, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the share of sets in which anything is claimed."""
    rng = np.random.default_rng((1, seed))
    n_drawn = n_sets * family.n_tasks
    claims = find_claims(settings, family, family.draw(rng, n_drawn), seed)
    is_wrong = np.any(claims, axis=(-2, -1)).reshape(n_sets, family.n_tasks)
    rate = float(np.mean(np.any(is_wrong, axis=-1)))
    return {
        "family": family.name,
        "scores": family.scores,
        "n_sets": n_sets,
        "rate": rate,
    }


def describe_discoveries(
    settings: Settings, family: Family, n_better: int, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the mean share of false claims among those of equality that is rejected.

    By Benjamini and Hochberg over the pairs of all tasks, as `sigarray compare` does
    where no level of a task could leave anything. The bounds only take claims away.
    """
    rng = np.random.default_rng((4, seed))
    n_models, n_tasks = len(family.sizes), family.n_tasks
    baseline = n_models - 1 if family.has_baseline else None
    shares = []
    for start in range(0, n_sets, 500):
        n_drawn = min(500, n_sets - start)
        samples = family.draw(rng, n_drawn * n_tasks)
        is_first = np.tile(np.arange(n_tasks) < n_better, n_drawn)
        samples[0] = samples[0] + 3.0 * is_first[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = sigarray.multi_aso(
                [settings.put(x) for x in samples],
                correction=None,
                baseline=baseline,
                method="bootstrap",  # of two resamples, for p-values alone
                n_resamples=2,
                rng=seed,
            )
        i, j = np.triu_indices(n_models, 1)
        kept = slice(None) if baseline is None else j == baseline
        i, j = i[kept], j[kept]
        p = np.asarray(found.pvalue)[:, i, j].reshape(n_drawn, -1)
        is_told = np.asarray(sigarray.benjamini_hochberg(p)) <= LEVEL + 1e-9
        is_true = (is_first[:, None] & (i == 0)).reshape(n_drawn, -1)
        n_false = np.sum(is_told & ~is_true, axis=-1)
        shares += (n_false / np.maximum(1, np.sum(is_told, axis=-1))).tolist()
    which = f"the first better on {n_better}" if n_better else "all equal"
    return {
        "family": f"{family.name}, {which}",
        "scores": family.scores,
        "n_sets": n_sets,
        "rate": float(np.mean(shares)),
    }


def describe_threshold(
    settings: Settings, sizes: tuple[int, ...], spread: float, n_sets: int
) -> dict[str, Any]:
    """Return how often the first model is called better, by `multi_aso`.

    Than a given one of the others, to each of which it has the ratio, and than any.
    """
    k = len(sizes)
    rng = np.random.default_rng((5, *sizes[:2], k, int(100 * spread)))
    shift = find_shift(THRESHOLD, spread)
    family = Family(
        sizes,
        spreads=(1.0,) + (spread,) * (k - 1),
        shifts=(shift,) + (0.0,) * (k - 1),
    )
    claims = find_claims(settings, family, family.draw(rng, n_sets), sizes[0])
    return {
        "family": f"{Family(sizes).name}, spreads 1 and {spread:g}",
        **_count_claims(claims[:, 0, 1:]),
    }


def describe_baseline(
    settings: Settings,
    sizes: tuple[int, ...],
    spread: float,
    n_sets: int,
    *,
    is_ahead: bool,
) -> dict[str, Any]:
    """Return how often others are called better than the baseline, or it than they.

    A given one, and any. Who is called so has the ratio to the other.
    """
    k = len(sizes)
    words = (5, *sizes[:2], k, int(100 * spread), sizes[-1])
    rng = np.random.default_rng((*words, 1) if is_ahead else words)
    # Of the ratio that a model of spread 1 has to one of the other spread.
    shift = find_shift(THRESHOLD, spread)
    if is_ahead:
        shift = spread * find_shift(THRESHOLD, 1.0 / spread)
    shifts = (0.0,) * (k - 1) + (shift,) if is_ahead else (shift,) * (k - 1) + (0.0,)
    family = Family(
        sizes,
        spreads=(1.0,) * (k - 1) + (spread,),
        shifts=shifts,
        has_baseline=True,
    )
    claims = find_claims(settings, family, family.draw(rng, n_sets), sizes[0])
    claims = claims[:, -1, :-1] if is_ahead else claims[:, :-1, -1]
    ahead = ", the baseline ahead" if is_ahead else ""
    name = f"{k - 1} x {sizes[0]} v {sizes[-1]}"
    return {
        "family": f"{name}, spreads 1 and {spread:g}{ahead}",
        **_count_claims(claims),
    }


def _count_claims(claims: np.ndarray) -> dict[str, Any]:
    """Return the share of claims (sets, pairs), and of sets with any."""
    return {
        "scores": "normal",
        "n_sets": len(claims),
        "rate": float(np.mean(claims)),
        "ratio": THRESHOLD,
        "any": float(np.mean(np.any(claims, axis=-1))),
    }


def describe_power(
    settings: Settings, family: Family, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the mean share of truly different pairs that are found."""
    rng = np.random.default_rng((2, seed))
    claims = find_claims(settings, family, family.draw(rng, n_sets), seed)
    shifts = np.asarray(family.shifts)
    is_better = shifts[:, None] > shifts
    if family.has_baseline:
        is_better[:, :-1] = False
    count = int(np.sum(shifts > 0.0))
    amount = "" if not count else f"{count} better by {shifts.max():g}"
    return {
        "family": f"{family.name}, {amount}",
        "scores": family.scores,
        "n_sets": n_sets,
        "rate": float(np.mean(claims[:, is_better])),
    }


def describe_bounds(
    settings: Settings, ratio: float, n: int, n_sets: int
) -> list[dict[str, Any]]:
    """Return how often the bound holds, and how often A is called better."""
    rows = []
    for spread in RATIO_SPREADS:
        shift = find_shift(ratio, spread)
        rng = np.random.default_rng((3, n, int(100 * ratio), int(10 * spread)))
        a = shift + rng.normal(size=(n_sets, n))
        b = spread * rng.normal(size=(n_sets, n))
        result = sigarray.aso(settings.put(a), settings.put(b), rng=n)
        bounds = np.asarray(result.eps_min)
        rows.append(
            {
                "family": f"2 x {n}, spreads 1 and {spread:g}",
                "scores": "normal",
                "n_sets": n_sets,
                "rate": float(np.mean(bounds < THRESHOLD)),
                "ratio": ratio,
                "covered": float(np.mean(bounds >= ratio - 1e-9)),
            }
        )
    return rows


def find_ratio(shift: float, spread: float) -> float:
    """Violation ratio of N(shift, 1) over N(0, spread^2), by their quantiles."""
    p = (np.arange(200_000) + 0.5) / 200_000
    z = _normal_quantiles(p)
    difference = spread * z - (shift + z)
    above = np.clip(difference, 0.0, None)
    return float(np.sum(above**2) / np.sum(difference**2))


def _normal_quantiles(p: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    return np.asarray(ndtri(p))


def find_shift(ratio: float, spread: float) -> float:
    """Return the shift of A with which its violation ratio is this one."""
    low, high = -10.0, 10.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if find_ratio(middle, spread) > ratio else (low, middle)
        )
    return 0.5 * (low + high)


def tabulate(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the findings as tables of Markdown."""
    tables = []
    chosen = [x for x in rows if x["kind"] == "equal"]
    tables.append(
        f"Families of equal models, models x runs, in which any is called better by "
        f"`multi_aso`, in percent of {chosen[0]['n_sets']} each:\n\n"
        + _tabulate_by_scores(chosen)
    )
    chosen = [x for x in rows if x["kind"] == "equal means"]
    tables.append(
        "The same of normal models with equal means and other spreads:\n\n"
        + write_table(["", "percent"], [[x["family"], show(x["rate"])] for x in chosen])
    )
    chosen = [x for x in rows if x["kind"] == "equal means, long tails"]
    tables.append(
        "The same of scores with a long tail, or nearly all the same, which few runs "
        "do not show, and no bound knows of:\n\n" + _tabulate_by_scores(chosen)
    )
    chosen = [x for x in rows if x["kind"] == "discovery"]
    tables.append(
        "Where levels of single tasks could leave nothing, the false discovery rate is "
        "controlled: the mean share of false claims, in percent:\n\n"
        + _tabulate_by_scores(chosen)
    )
    chosen = [x for x in rows if x["kind"] == "power"]
    tables.append(
        "Of the pairs in which one is better, by so many standard deviations, so many "
        "are found:\n\n"
        + write_table(["", "percent"], [[x["family"], show(x["rate"])] for x in chosen])
    )
    chosen = [x for x in rows if x["kind"] == "bound"]
    body = [
        [f"{x['ratio']:g}", x["family"], show(x["covered"]), show(x["rate"])]
        for x in chosen
    ]
    tables.append(
        f"`aso` of two normal samples of a known ratio eps: in how many percent of "
        f"{chosen[0]['n_sets']} eps is at most eps_min, and in how many eps_min is "
        f"below {THRESHOLD:g}:\n\n"
        + write_table(["eps", "", "eps <= eps_min", "A is better"], body)
    )
    for kind, said in (
        (
            "threshold",
            f"`multi_aso` of normal models, of which one has a ratio of {THRESHOLD:g} "
            "itself to each of the others: in so many percent it is called better than "
            "a given one, and than any:\n\n",
        ),
        (
            "threshold, with a baseline",
            f"The same of models that each have a ratio of {THRESHOLD:g} to a "
            "baseline, or it to each of them: a given one is called better than that, "
            "or it than a given one; and any:\n\n",
        ),
    ):
        chosen = [x for x in rows if x["kind"] == kind]
        body = [[x["family"], show(x["rate"]), show(x["any"])] for x in chosen]
        tables.append(said + write_table(["", "a given one", "any"], body))
    return tables


def _tabulate_by_scores(rows: Sequence[dict[str, Any]]) -> str:
    """Return rates by family, with a column for each kind of scores."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row["family"], {})[row["scores"]] = row["rate"]
    names = [x for x in DRAWS if any(x in rates for rates in found.values())]
    body = [
        [family, *(show(rates.get(name)) for name in names)]
        for family, rates in found.items()
    ]
    return write_table(["", *names], body)


def judge(rows: Sequence[dict[str, Any]]) -> str:
    """Say which families err too often, and which power is too small."""
    errors = [x for x in rows if x["kind"] in JUDGED]
    too_often = [
        f"{x['family']}, {x['scores']}: {show(x['rate'])} %"
        for x in errors
        if x["rate"] > LARGEST + 2.0 * math.sqrt(LARGEST * (1 - LARGEST) / x["n_sets"])
    ]
    families = [x for x in errors if x["kind"] != "discovery"]
    worst = max(families, key=lambda x: x["rate"])
    discoveries = max(x["rate"] for x in errors if x["kind"] == "discovery")
    said = (
        f"Of {len(families)} families of models that are equal, or normal with equal "
        f"means and the spreads below, the worst: {worst['family']}, "
        f"{worst['scores']}, {show(worst['rate'])} %. Where the false discovery rate "
        f"is controlled, {len(errors) - len(families)} designs, at most "
        f"{show(discoveries)} % of claims were false on average. "
    )
    said += (
        f"Above 6 % by more than two standard errors: {'; '.join(too_often)}."
        if too_often
        else "None is above 6 % by more than two standard errors."
    )
    tails = [x["rate"] for x in rows if x["kind"] == "equal means, long tails"]
    said += (
        " Not among them: equal means, spreads of 4 : 1, and scores of which few runs "
        f"do not show how they are spread, {show(min(tails))} to {show(max(tails))} %."
    )
    weak = [
        x["family"] for x in rows if x["kind"] == "power" and x["rate"] < x["least"]
    ]
    return said + (f" Less power than wanted: {'; '.join(weak)}." if weak else "")


def show(rate: float | None) -> str:
    """Show a rate in percent."""
    return "" if rate is None else f"{100 * rate:.1f}"


def write_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table of Markdown."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
