"""What every picture leaves as it was, and what they are of."""

import csv
from pathlib import Path

import numpy as np
import pytest

import sigarray

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def _nothing_global_changes():
    """No figure of pyplot, and the settings that were there before."""
    import matplotlib.pyplot as plt

    before = dict(matplotlib.rcParams)
    yield
    assert plt.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


@pytest.fixture
def make_axes():
    """Make axes of a caller's own."""
    from matplotlib.figure import Figure

    return lambda *shape: Figure().subplots(*shape)


@pytest.fixture(scope="session")
def digits():
    """The scores of the example, by model."""
    path = Path(sigarray.__file__).parent / "data" / "digits.csv"
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        name: np.asarray([float(row[name]) for row in rows if row[name]])
        for name in rows[0]
    }


def read_legend(ax):
    """Return the texts of a legend, or None."""
    legend = ax.get_legend()
    return legend and [text.get_text() for text in legend.get_texts()]


def read_ticks(axis):
    """Return the texts of the marks of an axis."""
    return [label.get_text() for label in axis.get_ticklabels()]


def find_lines(ax, label):
    """Return the lines with that label."""
    return [line for line in ax.lines if line.get_label() == label]
