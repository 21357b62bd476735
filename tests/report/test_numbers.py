"""Numbers of a sample, as tables show them."""

import statistics

import numpy as np
import pytest

from sigarray import t_ci, t_test
from sigarray._plain_text import show_number
from sigarray.report import describe, to_markdown
from sigarray.report._layout import (
    count_decimals,
    describe_scores,
    number_format,
    show_interval,
)


class TestSummaries:
    @pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
    def test_accurate(self, offset):
        x = offset + np.random.default_rng(0).normal(size=101)
        expected = {
            "mean": statistics.fmean(x),
            "sd": statistics.stdev(x.tolist()),
            "median": statistics.median(x),
            "min": min(x),
            "max": max(x),
        }
        assert describe_scores(x) == pytest.approx(expected, rel=1e-14)

    def test_no_overflow_and_no_order(self):
        x = np.asarray([1e150, -1e150, 1e150, 3.0])
        assert describe_scores(x)["sd"] == pytest.approx(9.57e149, rel=1e-2)
        draw = np.random.default_rng(0)
        x = draw.normal(size=1000)
        assert describe_scores(x) == describe_scores(draw.permutation(x))
        assert describe_scores(np.full(7, 0.1))["mean"] == 0.1
        assert describe_scores(np.full(7, 0.1))["sd"] == 0.0


@pytest.mark.parametrize(
    ("offset", "scale", "expected"),
    [
        (0.0, 1.0, ["10.12", "1.01", "20.25"]),
        (0.0, 0.01, ["0.1012", "0.0101", "0.2025"]),
        (1e12, 1.0, ["1000000000010.12", "1.01", "1000000000020.25"]),
        (1e12, 1e9, ["1.01012e+12", "1.01e+09", "1.02025e+12"]),
        (0.0, 1e-12, ["1.012e-11", "1.01e-12", "2.025e-11"]),
        (1.0, 1e-12, ["1.00000000001012", "1.01e-12", "1.00000000002025"]),
    ],
)
def test_digits_tell_scores_apart(offset, scale, expected):
    means = [offset + scale * x for x in (10.123, 20.246)]
    sd = 1.0123 * scale
    summaries = [{"mean": x, "sd": sd, "min": x, "max": x} for x in means]
    show = number_format(summaries)
    assert [show(means[0]), show(sd), show(means[1])] == expected


@pytest.mark.parametrize("constant", [[1.0, 1.0 + 2e-16], [0.7, 0.70000001]])
def test_scores_that_hardly_vary_need_no_digits(constant):
    """Divided by their own mean, they are 1 up to rounding."""
    x, y = (describe_scores(np.asarray(x)) for x in ([1.25, 1.875, 1.0], constant))
    for summaries in ([x, y], [y, x]):
        show = number_format(summaries)
        assert [show(x["mean"]), show(x["sd"]), show(y["mean"]), show(y["sd"])] == [
            *("1.375", "0.451", f"{constant[0]:.3f}", "0.000")
        ]
    assert (
        number_format([describe_scores(np.asarray([1.0, 1 + 2e-16]))])(1) == "1.00000"
    )


@pytest.mark.parametrize(
    ("intervals", "decimals"),
    [
        ([(-1.0, 1.0)], 1),
        ([(-12.0, 50.0)], 0),
        ([(0.00004, 0.0065)], 4),
        ([(0.00004, 0.0065), (-0.2, 0.1)], 4),
        ([(0.00004, 0.0065), (-0.2, 3.0)], 3),  # the least width is far below others
        ([(-1e-17, 0.31), (1.0, 1.0), (-1e12, 1e10)], 2),
        ([(1.0, 1.0)], None),
        ([(float("nan"), float("nan"))], None),
        ([(-1e12, 1e10)], None),
    ],
)
def test_decimals_of_intervals(intervals, decimals):
    assert count_decimals(intervals) == decimals


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        ((0.00004, 0.0065), "+0.003 [+0.00004, +0.006]"),  # alone has more decimals
        ((-1e-17, 0.31), "+0.003 [0.000, +0.310]"),
        ((0.0, 0.31), "+0.003 [0.000, +0.310]"),
    ],
)
def test_a_limit_is_zero_only_where_it_is(interval, shown):
    assert show_interval(0.003, *interval, str, 3) == shown


def test_a_difference_has_a_sign():
    a, b = (
        describe_scores(np.asarray([3.0, 6.0])),
        describe_scores(np.asarray([1.0, 4])),
    )
    show = number_format([a, b], sign="+")
    difference = a["mean"] - b["mean"]
    assert float(show(difference)) == 2.0
    assert show(difference).startswith("+2")
    assert show(-difference) == show(difference).replace("+", "-")


def test_zero_has_no_sign():
    """A difference that rounds to zero is shown as one that is zero."""
    summaries = [{"sd": 1.0, "mean": 5.0, "min": -10.0, "max": 10.0}] * 2
    signed = number_format(summaries, sign="+", digits=2)
    assert [signed(x) for x in (-0.04, -0.0, 0.04, -0.06)] == [
        *("0.0", "0.0", "0.0", "-0.1")
    ]
    assert number_format(summaries, digits=2)(-0.04) == "0.0"
    assert show_interval(-0.04, -1.5, 1.4, signed, 1) == "0.0 [-1.5, +1.4]"
    assert show_interval(0.04, -0.0, 1.4, signed, 1) == "0.0 [0.0, +1.4]"
    assert show_interval(0.04, -1e-9, 1.4, signed, 1) == "0.0 [0.0, +1.4]"
    assert show_interval(-1.0, -1e12, -0.0, signed, None) == "-1.0 [-1.00e+12, 0]"
    result = t_test([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])._replace(statistic=-0.0)
    assert "| 0 | 0 |" in to_markdown(result)
    assert "t = 0, " in describe(result)


def test_numbers_in_sentences():
    numbers = (-103412.0, 0.00012345, -1e-9, -0.0, 1.0349e12, 0.1)
    assert [show_number(x) for x in numbers] == [
        *("-103,000", "0.000123", "-1e-09", "0", "1.03e+12", "0.1")
    ]
    assert [show_number(x, sign="+") for x in (0.0, 2.0, -2.0)] == ["0", "+2", "-2"]
    assert show_number(1234567.0, 6) == "1,234,570"


def test_results_of_large_scores_have_no_powers_of_ten():
    a = [103412.0, 120000.0, 118000.0, 99000.0]
    result = t_ci(a, [90412.0, 100000.0, 98000.0, 89000.0])
    assert "is 15,750 (95 % confidence interval 86.38 to 31,410" in describe(result)
    assert "| 15750 | 86.38 | 31410 |" in to_markdown(result)
    assert ">15,750</td>" in result._repr_html_()
