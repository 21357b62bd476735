"""Reproduce published tables and figures, and measure our own claims.

    python -m benchmarks.reproduce [--quick] [--only NAME] [--out DIR]

Each experiment writes a CSV file and figures. `summary.md` says how many published
numbers were compared, how many lie within their Monte-Carlo interval, and the worst.
The exit status is 1 where more are outside than by chance.

The published numbers are not part of this repository. They are read from `--reference`,
and not compared where they are not there:

- `error_rates.csv`, Tables 1, 2, 3, 7 and 8 of Ulmer et al. (2022), with columns table,
  error (type1, type2, type2_diff), distribution, size_or_difference, threshold, test
  and rate;
- `response_p_values.csv`, Tables 5, 6 and 7 of Wein et al. (2023), with columns data,
  perturbation, items, responses, metric, estimated_p and true_p.
"""

import argparse
import sys
import time
from pathlib import Path

from benchmarks import pictures
from benchmarks.reproduce import (
    calibration,
    cluster_middles,
    cluster_verdicts,
    clusters,
    corpus_metrics,
    decisions,
    error_rates,
    examples,
    improvements,
    item_ranks,
    leaves,
    margins,
    order_of_seeds,
    over_tasks,
    profiles,
    ranks,
    recipes,
    response_variance,
    seeds_and_items,
    strata,
    verdicts,
)
from benchmarks.reproduce.experiment import (
    PUBLISHED,
    Picture,
    Settings,
    summarize,
    write_csv,
)
from benchmarks.reproduce.rates import measure

EXPERIMENTS = {
    "error_rates": error_rates.run,
    "decisions": decisions.run,
    "response_variance": response_variance.run,
    "calibration": calibration.run,
    "verdicts": verdicts.run,
    "over_tasks": over_tasks.run,
    "improvements": improvements.run,
    "clusters": clusters.run,
    "cluster_middles": cluster_middles.run,
    "strata": strata.run,
    "profiles": profiles.run,
    "ranks": ranks.run,
    "item_ranks": item_ranks.run,
    "seeds_and_items": seeds_and_items.run,
    "order_of_seeds": order_of_seeds.run,
    "order_of_models": order_of_seeds.run_models,
    "required_items": seeds_and_items.run_power,
    "cluster_verdicts": cluster_verdicts.run,
    "corpus_metrics": corpus_metrics.run,
    "margins": margins.run,
    "leaves": leaves.run,
    "tests": measure.run,
    "recipes": recipes.run,
    "examples": examples.run,
}
ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def main(arguments: list[str] | None = None) -> int:
    """Run the experiments; give 1 where published numbers do not agree."""
    options = parse(arguments)
    settings = Settings(options.quick, options.backend, options.reference)
    if not settings.has_published:
        print(
            f"Expected {' and '.join(PUBLISHED)} in {options.reference}; not there. "
            "What lacks is not compared. Name their folder by --reference.",
            file=sys.stderr,
        )
    experiments = {}
    for name in options.only or EXPERIMENTS:
        start = time.perf_counter()
        experiment = EXPERIMENTS[name](settings)
        write_csv(options.out / f"{name}.csv", experiment.rows)
        if experiment.page:
            text = "\n\n".join([*experiment.page, ""])
            (options.out / f"{name}.md").write_text(text, encoding="utf-8")
        for picture in experiment.pictures:
            draw(picture, options.out)
        experiments[name] = experiment
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    summary = summarize(settings, spell(options), experiments)
    (options.out / "summary.md").write_text(summary, encoding="utf-8")
    print(summary)
    print(f"Written to {options.out}", file=sys.stderr)
    comparisons = [x for y in experiments.values() for x in y.comparisons]
    return 0 if all(x.agrees for x in comparisons) else 1


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reproduce",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer simulations: one or two minutes"
    )
    parser.add_argument(
        "--only", choices=EXPERIMENTS, action="append", help="may be given repeatedly"
    )
    parser.add_argument(
        "--backend",
        choices=("numpy", "torch", "jax"),
        default="numpy",
        help="arrays to compute with; default: %(default)s",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help=f"default: {RESULTS.relative_to(ROOT)}; partial/ in it for less than all",
    )
    parser.add_argument(
        "--reference",
        type=Path,
        default=ROOT.parent / "shared" / "reference",
        help="folder of the published numbers; default: %(default)s",
    )
    options = parser.parse_args(arguments)
    options.only = list(dict.fromkeys(options.only or ()))
    if options.out is None:
        is_whole = not options.quick and not options.only and options.backend == "numpy"
        options.out = RESULTS if is_whole else RESULTS / "partial"
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"Expected --out to be a folder that can be written; {error}.")
    return options


def spell(options: argparse.Namespace) -> str:
    """Return the command of these options."""
    words = ["python -m benchmarks.reproduce"]
    words += ["--quick"] if options.quick else []
    words += [f"--only {name}" for name in options.only]
    words += [] if options.backend == "numpy" else [f"--backend {options.backend}"]
    return " ".join(words)


def draw(picture: Picture, folder: Path) -> None:
    """Draw a figure, without a display."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=picture.size, layout="constrained")
    picture.draw(figure)
    pictures.save(figure, folder / f"{picture.name}.png", dpi=110)


if __name__ == "__main__":
    raise SystemExit(main())
