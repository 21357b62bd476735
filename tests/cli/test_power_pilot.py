"""How far numbers of scores may be off that were estimated from few."""

import pytest
import scipy.stats

from sigarray._cli.power_alone import find_chi_square
from sigarray._cli.power_answers import say_pilot


@pytest.mark.parametrize("df", [1, 2, 4, 19, 999, 20_000])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_quantiles_of_chi_square_are_scipys(df, share):
    expected = scipy.stats.chi2.ppf(share, df)
    assert find_chi_square(share, df) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "factors"),
    [
        (2376, "0.95 to 1.05"),
        (59, "0.76 to 1.40"),
        (5, "0.42 to 5.6"),
        (2, "0.26 to more than 10"),
        (10**6, "1.00 to 1.00"),
    ],
)
def test_factors_near_one_have_two_decimals(n, factors):
    """That of 2376 items was said to be 0.95 to 1."""
    assert f" {factors} times as many may be needed" in say_pilot({n}, "item")
    assert f"from {n}: " in say_pilot({n}, "item")
    assert f"from as few as {n}: " in say_pilot({n, n + 1}, "item")
    said = "for differences as large as those seen"
    assert said in say_pilot({n}, "item")
    assert said not in say_pilot({n}, "item", are_seen=False)
