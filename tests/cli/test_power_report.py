"""What `sigarray power` says of a pilot."""

import pytest
import scipy.stats

from sigarray._cli.power_report import find_chi_square


@pytest.mark.parametrize("df", [1, 2, 4, 19, 999, 20_000])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_quantiles_of_chi_square_are_scipys(df, share):
    expected = scipy.stats.chi2.ppf(share, df)
    assert find_chi_square(share, df) == pytest.approx(expected, rel=1e-9)
