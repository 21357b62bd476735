"""The search for the number of scores that shows a difference."""

import dataclasses
import itertools
import math
import statistics

import numpy as np
import pytest
import scipy.stats

from sigarray._cli import power_sizes
from sigarray._cli.power_sizes import find_sizes, list_sizes, round_size
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray._verdicts.comparison import Comparison

PHI = statistics.NormalDist()


class Curves:
    """Stands for samples: the share of each pair is a function of the size."""

    test_share = None

    def __init__(self, by_pair, number=200):
        self.by_pair, self.number = by_pair, number
        self.sizes = []

    def share_better(self, scores, size, sure_of, *, above, matched, sizes):
        self.sizes.append(size)
        return {pair: self.by_pair[pair](size) for pair in sure_of}


def rise(needed, per_root=None):
    """Return power whose probit is a line of n^1/2: 0.8 at the number needed."""
    slope = per_root or 2.8 / math.sqrt(needed)
    return lambda n: PHI.cdf(0.8416213 + slope * (math.sqrt(n) - math.sqrt(needed)))


def compare(n, names="ab"):
    rng = np.random.default_rng(0)
    return Comparison(
        source="scores",
        scores={x: rng.normal(0.1 * k, 1.0, n) for k, x in enumerate(names)},
        test="t",
        alpha=0.05,
        confidence_level=0.95,
        threshold=0.2,
        higher_is_better=True,
        is_corrected=True,
        n_comparisons=1,
        n_resamples=None,
        seed=0,
        method="",
    )


def search(curves, n, *, is_drawn=False):
    comparison = compare(n, "abcd")
    duels = dict.fromkeys(curves.by_pair, n)
    return find_sizes(comparison, duels, curves, 0.8, is_drawn=is_drawn)


def uneven(needed, seed):
    """Return power as of 200 samples, with errors of its own at each size."""
    noise = np.random.default_rng(seed).normal(0.0, 0.03, 10**5)
    plain = rise(needed)
    return lambda n: min(max(round(200 * (plain(n) + noise[n])) / 200, 0.0), 1.0)


class TestSearch:
    @pytest.mark.parametrize(
        "needed", [3, 4, 5, 6, 7, 8, 9, 11, 13, 14, 17, 22, 28, 36]
    )
    def test_small_numbers_are_exact(self, needed):
        curves = Curves({("b", "a"): rise(needed - 0.01)})
        (pair,) = search(curves, 10)
        assert pair.size == needed
        assert pair.share == curves.by_pair["b", "a"](needed)
        assert pair.share_now == curves.by_pair["b", "a"](10)

    @pytest.mark.parametrize(
        "needed", [44, 71, 99, 101, 130, 260, 777, 1700, 4150, 9990]
    )
    def test_large_numbers_are_right_to_a_tenth(self, needed):
        curves = Curves({("b", "a"): rise(needed)})
        (pair,) = search(curves, 2376)
        assert needed <= pair.size <= 1.1 * needed + 1
        assert pair.size in (round_size(pair.size), 2376)
        assert pair.share >= 0.8
        # Two sizes more, as a rule, and less than all that were doubled.
        ladder = {*list_sizes(2376), 2376}
        more = [n for n in curves.sizes if n not in ladder]
        assert len(more) <= 4
        assert sum(more) <= 1.1 * sum(x for x in curves.sizes if x in ladder)

    def test_a_larger_difference_needs_no_more(self):
        """One that just missed 800 needed 1600, and one that just had it 800."""
        curves = Curves({("c", "a"): rise(805), ("c", "b"): rise(795)})
        first, second = search(curves, 1000)
        assert second.size <= first.size <= 1.1 * second.size

    def test_a_jump_is_found(self):
        curves = Curves({("b", "a"): lambda n: 1.0 if n >= 20 else 0.06})
        assert search(curves, 5)[0].size == 20
        curves = Curves({("b", "a"): lambda n: 1.0 if n >= 18 else 0.06})
        assert search(curves, 5)[0].size == 18

    @pytest.mark.parametrize("power_at", [{4: 0.81, 5: 0.79}, {3: 0.9, 5: 0.5}])
    def test_fewer_are_not_enough_where_the_present_ones_are_not(self, power_at):
        """By the chance of samples, fewer may have more power."""
        curves = Curves({("b", "a"): lambda n: power_at.get(n, 0.85 if n > 5 else 0.7)})
        (pair,) = search(curves, 5)
        assert (pair.size, pair.share_now) == (6, power_at[5])

    @pytest.mark.parametrize(("now", "size"), [(0.77, 6), (0.8, 5)])
    def test_nor_where_unequal_numbers_are_not(self, now, size):
        curves = Curves({("b", "a"): lambda n: now if n is None else 0.81 - (n < 5)})
        comparison = dataclasses.replace(
            compare(5), scores={"a": np.arange(5.0), "b": np.arange(6.0)}
        )
        (pair,) = find_sizes(comparison, {("b", "a"): 5}, curves, 0.8, is_drawn=False)
        assert (pair.size, pair.share_now) == (size, now)

    def test_no_number_is_enough(self):
        curves = Curves({("b", "a"): lambda n: 0.3})
        (pair,) = search(curves, 5)
        assert (pair.size, pair.is_enough, pair.share_now) == (math.inf, False, 0.3)
        assert curves.sizes == list(DEFAULT_SIZES)

    @pytest.mark.parametrize("n", [2, 12, 33, 5000, 20_000])
    def test_the_present_number_is_tried_too(self, n):
        curves = Curves({("b", "a"): rise(30)})
        (pair,) = search(curves, n)
        assert pair.share_now == curves.by_pair["b", "a"](n)
        assert abs(pair.size - 30) <= 1

    def test_a_picture_changes_no_answer(self):
        """Though all pairs are then compared at all sizes, and shares are uneven."""
        names = [("b", "a"), ("c", "a"), ("c", "b"), ("d", "a")]

        for seed in range(20):
            needed = np.random.default_rng(seed).uniform(4, 400, 4)
            by = {
                x: uneven(y, seed + k)
                for k, (x, y) in enumerate(zip(names, needed, strict=True))
            }
            found = search(Curves(by), 40)
            drawn = search(Curves(by), 40, is_drawn=True)
            assert [x.size for x in found] == [x.size for x in drawn]
            assert [x.share for x in found] == [x.share for x in drawn]
            assert len({tuple(x.shares) for x in drawn}) == 1
            for pair in drawn:
                enough = [n for n, x in pair.shares.items() if x >= 0.8]
                assert min(enough, default=math.inf) == pair.size
                assert list(pair.shares) == sorted(pair.shares)

    def test_no_answer_depends_on_the_order_of_pairs(self):
        """Of pairs that need nearly as many, which are tried at the same sizes."""
        names = [("b", "a"), ("c", "a"), ("c", "b"), ("d", "a")]
        for seed in range(20):
            needed = np.random.default_rng(seed).uniform(10, 200)
            by = {
                x: uneven(needed * (1.0 + 0.03 * k), 4 * seed + k)
                for k, x in enumerate(names)
            }
            found = [
                {(x.better, x.worse): (x.size, x.share) for x in search(curves, 40)}
                for order in itertools.permutations(by)
                for curves in [Curves({pair: by[pair] for pair in order})]
            ]
            assert found == found[:1] * len(found)

    def test_one_sample_gives_no_error(self):
        curves = Curves({("b", "a"): lambda n: float(n >= 700)}, number=1)
        assert search(curves, 400)[0].size in range(700, 771)


def test_numbers_from_100_on_have_two_digits():
    sizes = [3, 57, 99, 100, 104, 106, 995, 2376, 4149, 9960, 12_345]
    rounded = [3, 57, 99, 100, 100, 110, 1000, 2400, 4100, 10_000, 12_000]
    assert [round_size(x) for x in sizes] == rounded


@pytest.mark.long
def test_the_number_of_paired_t_is_that_of_its_noncentral_distribution(write, power):
    """Of 4,000 items whose differences have a mean of a tenth of their deviation."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    y = rng.normal(size=4000)
    y += 0.1 * np.std(y) - np.mean(y)
    rows = "".join(f"{a:.4f},{a + b:.4f}\n" for a, b in zip(x, y, strict=True))
    arguments = [write(f"a,b\n{rows}"), "--unit", "item", "--test", "t"]
    (pair,) = power(*arguments, "--n-samples", "400")["pairs"]

    def find_power(n):
        limit = scipy.stats.t.ppf(0.975, n - 1)
        return scipy.stats.nct.sf(limit, n - 1, 0.1 * math.sqrt(n))

    needed = next(n for n in range(100, 2000) if find_power(n) >= 0.8)
    # Rounded up by a tenth, and the error of 400 samples is 5 %: four times that.
    assert 0.8 * needed < pair["required_sample_size"] < 1.3 * needed
    assert pair["power_at_n"] == 1.0


@pytest.mark.parametrize(("at_once", "each"), [(0.5, 0.0), (0.1, 0.2), (0.0, 0.01)])
def test_the_time_is_guessed_by_a_line_of_the_size(monkeypatch, at_once, each):
    """Large sizes take longer: the first three sizes are the smallest of all."""
    clock, said = [0.0], []
    monkeypatch.setattr(power_sizes.time, "perf_counter", lambda: clock[0])

    class Slow(Curves):
        def share_better(self, scores, size, sure_of, *, above, matched, sizes):
            clock[0] += at_once + each * size
            return super().share_better(
                scores, size, sure_of, above=above, matched=matched, sizes=sizes
            )

    trials = Slow({("b", "a"): rise(1000)})
    duels = {("b", "a"): 30}
    find_sizes(compare(30), duels, trials, 0.8, is_drawn=False, guess=said.append)
    sizes = {*list_sizes(30), 30}
    assert said == pytest.approx([at_once * len(sizes) + each * sum(sizes)])


def test_a_guess_is_never_negative():
    sizes = [3, 4, 5, 100]
    assert power_sizes._guess_seconds({3: 3.0, 4: 2.0, 5: 1.0}, sizes) == 8.0
    steep = power_sizes._guess_seconds({3: 0.0, 4: 1.0, 5: 5.0}, sizes)
    assert steep == pytest.approx(sum(sizes) * 6.0 / 12.0)
    squares = power_sizes._guess_seconds({3: 9.0, 4: 16.0, 5: 25.0}, sizes, 2)
    assert squares == pytest.approx(10050.0)
