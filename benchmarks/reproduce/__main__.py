"""Reproduce published tables and figures, and measure our own claims.

    python -m benchmarks.reproduce [--quick] [--only NAME] [--out DIR]

Each experiment writes a CSV file and a figure, and its part of `summary.md`: how many
published cells were compared, how many lie within their Monte-Carlo interval, and the
worst. The published numbers are read from `--reference`, and not compared where it is
not there.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from benchmarks.reproduce import (
    calibration,
    decisions,
    error_rates,
    response_variance,
)
from benchmarks.reproduce.experiment import (
    Z_OUTSIDE,
    Experiment,
    Settings,
    agrees,
    summarize,
    write_csv,
)

EXPERIMENTS = {
    "error_rates": error_rates.run,
    "decisions": decisions.run,
    "response_variance": response_variance.run,
    "calibration": calibration.run,
}
ROOT = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Run the experiments; give 1 where published cells do not agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer simulations")
    parser.add_argument("--only", choices=EXPERIMENTS, action="append")
    parser.add_argument("--backend", choices=("numpy", "torch", "jax"), default="numpy")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument(
        "--reference",
        type=Path,
        default=ROOT.parent / "shared" / "reference",
        help="published figures; default: %(default)s",
    )
    options = parser.parse_args(arguments)
    settings = Settings(options.quick, options.backend, options.reference)
    options.out.mkdir(parents=True, exist_ok=True)
    experiments = []
    for name in options.only or EXPERIMENTS:
        print(f"{name} ...", file=sys.stderr)
        with np.errstate(all="ignore"):
            experiment = EXPERIMENTS[name](settings)
        write_csv(options.out / f"{name}.csv", experiment.rows)
        draw(experiment, options.out / f"{name}.png")
        experiments.append(experiment)
    summary = "\n".join(
        [
            "# What was reproduced",
            "",
            f"By `python -m benchmarks.reproduce{' --quick' * options.quick}`. A "
            "number agrees with the published one where they are within "
            f"{Z_OUTSIDE} standard errors of their difference, as 99 of 100 are by "
            "chance.",
            "",
            *(line for x in experiments for line in summarize(x)),
        ]
    )
    (options.out / "summary.md").write_text(summary, encoding="utf-8")
    print(summary)
    return 0 if all(map(agrees, experiments)) else 1


def draw(experiment: Experiment, path: Path) -> None:
    """Draw the figure of an experiment, without a display."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=experiment.size, layout="constrained")
    experiment.draw(figure)
    # Without the version of matplotlib, for the same bytes again.
    figure.savefig(path, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    raise SystemExit(main())
