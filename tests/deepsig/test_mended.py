"""What deep-significance 1.2.8 does wrong, and where it is right."""

import numpy as np
import pytest

import sigarray
from sigarray import deepsig
from tests.backends import whole_suite
from tests.deepsig.scores import QUIET, A, B

pytestmark = pytest.mark.filterwarnings("ignore:The bound of the papers:UserWarning")


class TestMended:
    def test_the_level_is_divided_by_the_number_of_comparisons(self):
        bounds = [
            deepsig.aso(A, B, num_comparisons=count, **QUIET) for count in (1, 3, 100)
        ]
        assert bounds[0] < bounds[1] < bounds[2]
        options = QUIET | {"confidence_level": 1.0 - 0.05 / 3}
        assert bounds[1] == pytest.approx(deepsig.aso(A, B, **options))

    def test_two_models_need_no_correction(self):
        table = deepsig.multi_aso([A, B], **QUIET)
        assert table[0, 1] == pytest.approx(deepsig.aso(A, B, **QUIET))
        assert table[1, 0] == pytest.approx(deepsig.aso(B, A, **QUIET))

    def test_bonferroni(self):
        corrected = deepsig.bonferroni_correction([0.03, 0.01, 0.02, 0.5])
        assert corrected == pytest.approx([0.12, 0.04, 0.08, 1.0])

    def test_the_bootstrap_test_is_paired_and_never_zero(self):
        rng = np.random.default_rng(0)
        b = rng.normal(0.0, 10.0, 30)
        a = b + rng.normal(0.5, 0.1, 30)  # plain in the pairs alone
        assert deepsig.bootstrap_test(a, b, seed=0) == pytest.approx(1 / 1001)

    def test_power_is_that_of_welchs_test(self):
        x = np.random.default_rng(0).normal(1.0, 0.3, 8)
        power = deepsig.bootstrap_power_analysis(x, **QUIET)
        assert power == float(sigarray.bootstrap_power_analysis(x, rng=1))
        assert power > float(
            sigarray.bootstrap_power_analysis(x, test="paired_t", rng=1)
        )

    def test_few_pairs_are_exact(self):
        assert deepsig.permutation_test([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]) == 1 / 8


@whole_suite
def test_it_agrees_with_deep_significance_where_that_is_right():
    """Sampling error aside: within 0.05 in eps_min, from 1000 resamples each."""
    original = pytest.importorskip("deepsig")
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.3, 1.0, 40), rng.normal(0.0, 1.0, 40)
    ours = deepsig.aso(a, b, **QUIET)
    assert ours == pytest.approx(original.aso(a, b, **QUIET), abs=0.05)
    assert deepsig.permutation_test(a, b, seed=0) == pytest.approx(
        original.permutation_test(a, b, seed=0), abs=0.08
    )
