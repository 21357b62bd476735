"""How many scores of each model show a difference: a search over sizes of samples."""

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from sigarray._numeric.special import normal_quantile
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.samples import Trials
from sigarray._verdicts.test import Shares
from sigarray.read._messages import track

# The better model of two and the other one -> the number of scores that both have.
Duels = dict[tuple[str, str], int]

# More scores of a model than anyone uses.
_LARGEST_SIZE = 10_000
# So many sizes, and seconds, tell the time of all.
_TIMED, _SECONDS = 3, 1.0
# So many splits, by the odds of the test share, have its limit of power.
_NEAR_LIMIT = 100.0
# Sizes beyond those that all pairs need, in a picture.
_MORE_SIZES = 2
# From this size on numbers have two digits, and may be too large by this share: the
# error of 200 samples is 7 % of them. Half of that is allowed for smaller ones.
_LARGE, _TOLERANCE = 100, 0.1
# So many samples fail at the size that has the power, or more.
_N_FAILED, _N_SAMPLES, _MOST_SAMPLES = 20, 200, 1000
# With so many comparisons, each has fewer samples: readers see their counts.
_MANY, _FEWER = 30, 4


def count_samples(power: float, n_pairs: int = 1) -> int:
    """Return the number of samples of each size: more if the power is above 0.9.

    The first size with the power is too small where few samples fail: with 200 of them
    and a power of 0.99, 32 to 36 normal scores in place of 38, with 1000 36 to 38.
    """
    number = round(_N_FAILED / max(1.0 - power, _N_FAILED / _MOST_SAMPLES))
    return max(_N_SAMPLES, number) // (1 if n_pairs <= _MANY else _FEWER)


@dataclass(frozen=True)
class SizedPair:
    """How many scores of each model show the difference, and in what share of samples.

    The size is infinite if no size that was tried is enough. `present` are the numbers
    of scores that the better and the worse one have now, in a share `share_now` of
    samples. `shares` has those of all sizes that were tried, if they are to be drawn.
    """

    better: str
    worse: str
    size: float
    share: float
    present: tuple[int, int]
    share_now: float
    shares: Mapping[int, float] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return min(self.present)

    @property
    def is_enough(self) -> bool:
        return not math.isinf(self.size)


@dataclass
class _Curve:
    """The shares of samples of a pair by their size, so far.

    `now` is the share of samples of unequal numbers, which the models have now, and of
    which n is the smaller one; None of equal ones, whose share is that of n.
    """

    n: int
    goal: float
    number: int
    shares: dict[int, float] = field(default_factory=dict)
    now: float | None = None

    def bound(self, size: int) -> float:
        """Return the share of a size, which is no more than that of more scores now.

        Only the chance of samples makes smaller ones seem enough where those are not.
        """
        share = self.shares.get(size, 0.0)
        now = self.shares.get(self.n) if self.now is None else self.now
        is_too_few = size <= self.n and now is not None and now < self.goal
        return min(share, now) if is_too_few and now is not None else share

    @property
    def high(self) -> float:
        enough = (n for n in self.shares if self.bound(n) >= self.goal)
        return min(enough, default=math.inf)

    def propose(self) -> int | None:
        """Return a size to try between the last one below and the first one above.

        None if these are near: neighbours below 40, within 5 % below 100, or 10 %.
        """
        high = self.high
        if math.isinf(high):
            return None
        low = max((n for n in self.shares if n < high), default=DEFAULT_SIZES[0] - 1)
        step = max(1.0, 0.5 * _TOLERANCE * high)
        if high - low <= (step if high < _LARGE else _TOLERANCE * high):
            return None
        guess = max(self._interpolate(low, high), low + step)
        size = round_size(min(guess, high - step))
        return size if low < size < high else None

    def _interpolate(self, low: float, high: float) -> float:
        """Return where the power is the goal if its probit is a line of n^1/2."""
        ends = [self._find_probit(n) for n in (low, high)]
        share = (normal_quantile(self.goal) - ends[0]) / (ends[1] - ends[0])
        root = math.sqrt(low) + share * (math.sqrt(high) - math.sqrt(low))
        return root * root

    def _find_probit(self, size: float) -> float:
        least = 0.5 / (self.number + 1)
        share = self.bound(int(size))
        return normal_quantile(min(max(share, least), 1.0 - least))


def _guess_seconds(
    times: Mapping[int, float], sizes: Collection[int], exponent: int = 1
) -> float:
    """Return the time of all sizes, by a line of a power of size, not falling."""
    x, every = (np.asarray(list(z), float) ** exponent for z in (times, sizes))
    y = np.asarray(list(times.values()))
    slope = max(0.0, float(np.polyfit(x, y, 1)[0]))
    start = float(y.mean()) - slope * float(x.mean())
    if start < 0.0:
        start, slope = 0.0, float(y.sum() / x.sum())
    return start * len(sizes) + slope * float(every.sum())


def round_size(size: float) -> int:
    """Round to two digits from 100 on, for samples give no more."""
    unit = 10 ** max(0, math.floor(math.log10(size)) - 1) if size >= _LARGE else 1
    return unit * round(size / unit)


def list_sizes(most: int, test_share: float | None = None) -> list[int]:
    """Return the default sizes, then doubled ones up to four times the most scores.

    Of splits of one data set, up to so many that more would make no error smaller by
    more than 0.5 %.
    """
    sizes = list(DEFAULT_SIZES)
    goal = 4.0 * most
    if test_share is not None:
        goal = max(goal, _NEAR_LIMIT * (1.0 / test_share - 1.0))
    goal = min(goal, _LARGEST_SIZE)
    while sizes[-1] < goal:
        sizes.append(min(2 * sizes[-1], _LARGEST_SIZE))
    return sizes


def find_sizes(
    comparison: Comparison,
    duels: Duels,
    trials: Trials,
    power: float,
    *,
    is_drawn: bool,
    guess: Callable[[float], None] | None = None,
) -> list[SizedPair]:
    scores = dict(comparison.scores)
    own = {"matched": comparison.matched, "sizes": comparison.sizes}

    def find_shares(size: int | None, pairs: Collection[tuple[str, str]]) -> Shares:
        return trials.share_better(scores, size, pairs, above=power, **own)

    return search_sizes(
        find_shares,
        {pair: _count_present(comparison, pair) for pair in duels},
        list_sizes(max(map(len, scores.values())), trials.test_share),
        power,
        trials.number,
        are_equal=_have_equal_numbers(comparison),
        is_drawn=is_drawn,
        guess=guess,
    )


def search_sizes(
    find_shares: Callable[[int | None, Collection[tuple[str, str]]], Shares],
    present: Mapping[tuple[str, str], tuple[int, int]],
    listed: Iterable[int],
    power: float,
    number: int,
    *,
    are_equal: bool,
    is_drawn: bool,
    exponent: int = 1,
    guess: Callable[[float], None] | None = None,
) -> list[SizedPair]:
    """Find the smallest size for each pair by its shares of `number` samples.

    `present` are the numbers of scores of each pair now, whose samples are those
    without a size unless all `are_equal`. What is drawn has the shares of all pairs at
    each of the sizes that are `listed`, and two more. A size that is proposed for one
    pair is tried for others, too, the smallest first, so that no answer depends on the
    order of pairs. `guess` is told the time of all sizes, a line of size to the power
    of the `exponent`.
    """
    times: dict[int, float] = {}
    curves = {pair: _Curve(min(n), power, number) for pair, n in present.items()}
    numbers = {x.n for x in curves.values()}

    def try_size(size: int) -> None:
        pairs = [
            p for p, x in curves.items() if is_drawn or x.high > size or x.n == size
        ]
        drawn = find_shares(size, pairs)
        for pair in pairs:
            curves[pair].shares[size] = drawn.get(pair, 0.0)

    if curves and not are_equal:
        now = find_shares(None, curves)
        for pair, x in curves.items():
            x.now = now.get(pair, 0.0)
    n_more = _MORE_SIZES if is_drawn else 0
    sizes = {*listed, *numbers}
    for size in track(sorted(sizes) if curves else [], "Number of scores"):
        is_done = all(x.high < math.inf for x in curves.values())
        if size not in numbers and is_done:
            if not n_more:
                continue
            n_more -= 1
        start = time.perf_counter()
        try_size(size)
        times[size] = time.perf_counter() - start
        is_known = len(times) >= _TIMED and sum(times.values()) >= _SECONDS
        if guess is not None and is_known:
            guess(_guess_seconds(times, sizes, exponent))
            guess = None
    if guess is not None:  # of other tasks
        guess(sum(times.values()))
    while proposed := [x for x in map(_Curve.propose, curves.values()) if x]:
        try_size(min(proposed))
    return [
        SizedPair(
            *pair,
            x.high,
            math.nan if math.isinf(x.high) else x.shares[int(x.high)],
            present[pair],
            x.shares[x.n] if x.now is None else x.now,
            dict(sorted(x.shares.items())),
        )
        for pair, x in curves.items()
    ]


def _count_present(comparison: Comparison, pair: tuple[str, str]) -> tuple[int, int]:
    a, b = comparison.list_scores(*pair)
    return len(a), len(b)


def _have_equal_numbers(comparison: Comparison) -> bool:
    numbers = {len(x) for x in comparison.scores.values()}
    numbers.update(n for x in comparison.pairs for n in _count_present(comparison, x))
    return len(numbers) == 1
