"""Each extra does its job where it alone is installed, and is named where it lacks.

    python -m tests.release.extras plot     # with sigarray[plot]
    python -m tests.release.extras          # with sigarray alone

The second one expects an error for each job, with the line that installs what lacks.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import sigarray
from sigarray import aso, compare_models, order_statistics, plot, read

A, B = [0.95, 0.94, 0.97, 0.93, 0.96], [0.88, 0.9, 0.91, 0.87, 0.89]
SCORES = {"a": A, "b": B}


def draw(folder: Path) -> None:
    """`plot`: a picture, and one of the command."""
    plot.scores(SCORES).figure.savefig(folder / "scores.png")
    compare_models(SCORES, unit="run").plot(folder / "compare.pdf")


def read_table(folder: Path) -> None:
    """`read`: a table of pyarrow, in Parquet."""
    path = folder / "scores.parquet"
    write_parquet(path)
    assert set(read.scores(path, unit="run").models) == set(SCORES)


def write_frame(_: Path) -> None:
    """`read`: a data frame of a result."""
    frame = compare_models(SCORES, unit="run").to_frame(backend="pyarrow")
    assert frame.num_rows == 1


def read_sheet(folder: Path) -> None:
    """`read`: a sheet of Excel."""
    path = folder / "scores.xlsx"
    try:
        import openpyxl
    except ImportError:
        path.write_bytes(b"")
    else:
        book = openpyxl.Workbook()
        for row in (tuple(SCORES), *zip(A, B, strict=True)):
            book.active.append(row)
        book.save(path)
    assert set(read.scores(path, unit="run").models) == set(SCORES)


def stream(folder: Path) -> None:
    """`arrow`: scores that are read part by part."""
    path = folder / "scores.parquet"
    write_parquet(path)
    assert list(order_statistics((path, "a"), np.asarray([0, 4]))) == [0.93, 0.97]


def write_parquet(path: Path) -> None:
    """Write the scores, or an empty file where there is no pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        path.write_bytes(b"")
    else:
        pyarrow.parquet.write_table(pyarrow.table(SCORES), path)


def fit_terminal(_: Path) -> None:
    """`cli`: rules of tables are lines, where rich is there."""
    import rich

    command = [sys.executable, "-m", "sigarray", "compare"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert "eps_min" in done.stdout, rich


def use_torch(_: Path) -> None:
    """`torch`: a tensor gives tensors."""
    import torch

    found = aso(torch.tensor(A), torch.tensor(B), rng=0).eps_min
    assert isinstance(found, torch.Tensor)


def use_jax(_: Path) -> None:
    """`jax`: under jit, too."""
    import jax

    samples = map(jax.numpy.asarray, (A, B))
    found = jax.jit(lambda a, b: aso(a, b, rng=0).eps_min)(*samples)
    assert isinstance(found, jax.Array)


def use_cupy(_: Path) -> None:
    """`cupy`: an array gives arrays; without a GPU, NumPy's go on."""
    import cupy

    if not cupy.cuda.is_available():
        print("no GPU is here")
        assert isinstance(aso(A, B, rng=0).eps_min, np.float64)
        return
    found = aso(cupy.asarray(A), cupy.asarray(B), rng=0).eps_min
    assert isinstance(found, cupy.ndarray)


JOBS: dict[str, tuple[Callable[[Path], None], ...]] = {
    "arrow": (stream,),
    "cli": (fit_terminal,),
    "cupy": (use_cupy,),
    "jax": (use_jax,),
    "plot": (draw,),
    "read": (read_table, write_frame, read_sheet),
    "torch": (use_torch,),
}
# Whose import is the caller's own, or which the command does without.
OPTIONAL = ("cli", "cupy", "jax", "torch")


def find_advice(job: Callable[[Path], None], folder: Path) -> str:
    """Return the error of a job, which says what to install."""
    try:
        job(folder)
    except (ImportError, read.TableError) as error:
        if "pip install" in str(error):
            return str(error)
        raise
    msg = f"Expected an error of {job.__name__} without its extra; got none."
    raise RuntimeError(msg)


def main() -> None:
    """Do the jobs of an extra, or see the message of each one that is not there."""
    print(f"sigarray of {Path(sigarray.__file__).parent}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if sys.argv[1:]:
            for job in JOBS[sys.argv[1]]:
                job(folder)
                print(f"{job.__name__}: done")
            return
        for extra in sorted(set(JOBS) - set(OPTIONAL)):
            for job in JOBS[extra]:
                print(f"{job.__name__}: {find_advice(job, folder)}")


if __name__ == "__main__":
    main()
