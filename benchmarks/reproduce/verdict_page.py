"""What is said of our verdicts: tables, and which families err too often."""

import math
from collections.abc import Sequence
from typing import Any

from benchmarks.reproduce.families import DRAWS
from benchmarks.reproduce.known_ratios import THRESHOLD

# More than this, and two standard errors of a simulation, is too often.
LARGEST = 0.06
# Where each claim, or so large a share of them, is wrong.
JUDGED = ("equal", "equal means", "discovery")


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
