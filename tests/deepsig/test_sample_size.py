"""The power analysis, with a test of one's own, and its progress."""

import sys

import numpy as np
import pytest

from sigarray import deepsig
from tests.deepsig.scores import QUIET, A, B

pytestmark = pytest.mark.filterwarnings("ignore:The bound of the papers:UserWarning")


def test_own_significance_test_is_called_once_for_each_pair():
    calls = []

    def compare(lifted, scores):
        calls.append((lifted, scores))
        return 0.01 if len(calls) % 4 else 0.5

    power = deepsig.bootstrap_power_analysis(
        [-1.0, 2.0, 3.0],
        scalar=1.5,
        num_bootstrap_iterations=100,
        significance_test=compare,
        **QUIET,
    )
    assert power == 0.75
    assert len(calls) == 100
    assert {x.shape for pair in calls for x in pair} == {(3,)}
    # Lifted by a half of their mean, and moved away from it by (3 / 2)^1/2.
    mean = np.mean([-1.0, 2.0, 3.0])
    widened = mean + np.sqrt(1.5) * (np.asarray([-1.0, 2.0, 3.0]) - mean)
    found = sorted({float(score) for _, scores in calls for score in scores})
    assert found == pytest.approx(sorted(widened))
    found = sorted({float(score) for lifted, _ in calls for score in lifted})
    lifted = np.asarray([-0.5, 3.0, 4.5])
    widened = lifted.mean() + np.sqrt(1.5) * (lifted - lifted.mean())
    assert found == pytest.approx(sorted(widened))


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_progress_is_shown_where_tqdm_is_there(has_tqdm, monkeypatch, capsys):
    if has_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    deepsig.bootstrap_power_analysis(A, significance_test=lambda a, b: 0.0, seed=0)
    assert ("5000/5000" in capsys.readouterr().err) == has_tqdm
    deepsig.multi_aso([A, B], **QUIET)
    assert capsys.readouterr().err == ""
