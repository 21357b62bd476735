"""What scores of single models show: a gain, or else the least difference.

So few scores tell little of their spread: what depends on it has limits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sigarray._cli.power_sizes import SizedPair, list_sizes, round_size, search_sizes
from sigarray._numeric.special import normal_quantile
from sigarray._plain_text import quote, raise_initial, show_number
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray._verdicts.intervals import are_binary
from sigarray._verdicts.samples import Trials
from sigarray.read._messages import track, warn
from sigarray.read._wide import Scores
from sigarray.report._layout import Summary, Table, number_format

# An estimate and its limits, by a smaller spread and by a larger one.
Limits = tuple[float, ...]
CONFIDENCE = "(90 % confidence, normal scores)"
# Of the present number of scores.
_MULTIPLES = (2, 5, 10)
_WITHOUT_SCORES = (4, 5, 10, 20, 50)
# Of so many scores of 0 and 1, any share may be 1.
_PLACES = (np.arange(10_000) + 0.5) / 10_000
_N_TRIED = 9  # differences
# Of more scores, the numbers that are needed are as the variance.
_FEW = 30


class Gain(NamedTuple):
    """By how much a model is better: a difference, or the factor of a lift."""

    difference: float = 0.0
    factor: float | None = None

    @property
    def named(self) -> dict[str, float]:
        if self.factor is None:
            return {"difference": self.difference}
        return {"lift": self.factor}

    def of(self, size: Any, *, is_higher: bool = True) -> Any:
        if self.factor is None:
            return self.difference if is_higher else -self.difference
        return size * ((self.factor if is_higher else 1.0 / self.factor) - 1.0)


@dataclass(frozen=True)
class Alone:
    """What the scores of a model show, or scores of a known standard deviation.

    Of a gain, the `powers` to see it, and the `sizes` that do. Without one, the least
    `differences` that show, by the number of scores. The `curve` is what is drawn.
    """

    name: str
    present: int
    gain: Gain | None
    sd: float | None
    largest: int | None
    powers: Limits = ()
    sizes: Limits = ()
    differences: dict[int, Limits] = field(default_factory=dict)
    curve: SizedPair | None = None

    def show_size(self, size: float) -> str:
        large = f"more than {self.largest}" if self.largest else "none"
        return large if math.isinf(size) else str(round_size(size))

    def list_rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"lifted_model": self.name, "n": n, **_name_limits("least_difference", y)}
            for n, y in self.differences.items()
        ]
        if self.gain is not None:
            row = {"lifted_model": self.name, **self.gain.named}
            row |= {} if self.sd is not None else {"n": self.present}
            row |= _name_limits("power_at_n", self.powers)
            sizes = tuple(y if math.isinf(y) else math.ceil(y) for y in self.sizes)
            rows = [row | _name_limits("required_sample_size", sizes)]
        if self.sd is not None:
            rows = [row | {"lifted_model": "", "sd": self.sd} for row in rows]
        return rows


def _name_limits(name: str, limits: Limits) -> dict[str, float | None]:
    names = (name, f"{name}_low", f"{name}_high")
    every = zip(names, [*limits[:1], *sorted(limits[1:])], strict=False)
    return {x: None if math.isinf(y) else y for x, y in every}


@dataclass(frozen=True)
class Finder:
    scores: Scores
    names: list[str]
    trials: Trials
    power: float
    gain: Gain | None
    sd: float | None
    has_sizes: bool
    is_drawn: bool = False

    def find(self) -> list[Alone]:
        if self.gain is not None and self.names:
            self._doubt_gain(self.gain)
        gain, names = self.gain, track(self.names, "Model")
        if gain is None:
            return [self._find_least(name) for name in names]
        return [self._find_powers(name, gain) for name in names]

    def _find_powers(self, name: str, gain: Gain) -> Alone:
        n = len(self.scores[name])
        spreads = self._list_spreads(n)
        powers: list[float] = []
        found: list[SizedPair] = []
        if self.sd is None:
            powers = [self._share(name, gain, n, x) for x in spreads]
        if self.has_sizes:
            tried = spreads if n <= _FEW or self.trials.test_share else [1.0]
            found = [self._search_size(name, gain, x) for x in tried]
        sizes = [x.size for x in found]
        if len(sizes) == 1:  # they are as the variance
            sizes = [sizes[0] * x * x for x in spreads]
        limits = tuple(powers), tuple(sizes)
        curve = found[0] if found else None
        largest = None if self.trials.test_share else list_sizes(n)[-1]
        return Alone(name, n, gain, self.sd, largest, *limits, curve=curve)

    def _search_size(self, name: str, gain: Gain, spread: float) -> SizedPair:
        sizes = list_sizes(len(self.scores[name]), self.trials.test_share)
        pair = (name, "")
        (found,) = search_sizes(
            lambda n, _: {pair: self._share(name, gain, n or sizes[0], spread)},
            {pair: (sizes[0], sizes[0])},
            sizes,
            self.power,
            self.trials.number,
            are_equal=True,
            is_drawn=self.is_drawn and spread == 1.0,
        )
        return found

    def _share(self, name: str, gain: Gain, size: int, spread: float = 1.0) -> float:
        """Return the share of samples in which a model is better that has a gain.

        All models get the scores of this one, as if they varied `spread` times as much,
        and one of them gains.
        """
        names, baseline = list(self.scores), self.trials.test.baseline
        raised = next(x for x in (name, *names) if x != baseline)
        pairs = [(raised, x) for x in names if x != raised and baseline in (None, x)]
        x, is_higher = self.scores[name], self.trials.higher_is_better
        mean = float(x.mean())
        if are_binary(x) and gain.of(1.0):
            ones = mean + gain.of(mean, is_higher=is_higher) / spread
            better = (ones > _PLACES).astype(float)
        else:
            by = gain.of(np.abs(x), is_higher=is_higher)
            x = x if spread == 1.0 else mean + spread * (x - mean)
            better = x + by
        scores = dict.fromkeys(names, x) | {raised: better}
        shares = self.trials.share_better(scores, size, pairs)
        return math.fsum(shares.get(pair, 0.0) for pair in pairs) / len(pairs)

    def _find_least(self, name: str) -> Alone:
        n = len(self.scores[name])
        least = {x: self._search_least(name, x) for x in self._list_numbers(n)}
        spreads = self._list_spreads(n)
        limits = {size: tuple(s * x for s in spreads) for size, x in least.items()}
        return Alone(name, n, None, self.sd, n, differences=limits)

    def _list_numbers(self, n: int) -> list[int]:
        if self.sd is not None:
            return [*_WITHOUT_SCORES]
        return [n, *(n * k for k in _MULTIPLES if n * k <= DEFAULT_SIZES[-1])]

    def _list_spreads(self, n: int) -> list[float]:
        return [1.0, *(find_spreads(n - 1) if self.sd is None else ())]

    def _search_least(self, name: str, size: int) -> float:
        x, is_higher = self.scores[name], self.trials.higher_is_better
        most = math.inf
        if are_binary(x):
            most = float(1.0 - x.mean() if is_higher else x.mean())

        def shows(difference: float) -> bool:
            gain = Gain(min(difference, most))
            share = self._share(name, gain, size)
            return share >= self.power

        # That of many normal scores is about this; few of them show larger ones.
        quantiles = normal_quantile(self.power) + 1.96
        guess = quantiles * float(x.std()) * math.sqrt(2.0 / size)
        low, high = 0.25 * guess, 32.0 * guess
        if guess > 0.0 and not shows(high):
            return math.inf
        for _ in range(_N_TRIED):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if shows(middle) else (middle, high)
        return min(high, most)

    def _doubt_gain(self, gain: Gain) -> None:
        some = [self.scores[name] for name in self.names]
        are_shares = self.trials.higher_is_better and min(x.min() for x in some) >= 0.0
        largest = max(float(x.mean() if are_binary(x) else x.max()) for x in some)
        # The end of the scale of shares, or of percentages.
        end = 1.0 if largest <= 1.0 else 100.0
        if are_shares and largest <= end < largest + gain.of(largest):
            said = say_gain(gain, higher_is_better=True)
            warn(
                f"{raise_initial(said)} takes scores above {end:g}, and none is "
                f"above {end:g} now. Is it too much to ask for?"
            )


def say_gain(
    gain: Gain | None, *, higher_is_better: bool, margin: float | None = None
) -> str:
    if gain is None:
        return "a difference"
    if gain.factor is None:
        return f"a difference of {gain.difference:.10g}"
    if margin is not None and gain.factor == 1.0:
        worse = f"worse by {margin:.10g} or more"
        return f"that a model with the same scores is not {worse}"
    kind = "lift" if higher_is_better else "drop"
    return f"a {kind} by a factor of {gain.factor:g}"


def say_alone(x: Alone, said: str, power: float, unit: str) -> list[str]:
    told = f"by what {x.present} {unit}s tell of the spread {CONFIDENCE}"
    vary = f"vary as those of {quote(x.name)}"
    if x.sd is not None:
        vary = f"have a standard deviation of {x.sd:.10g}"
    if x.gain is None:
        shown = [f"{n} {unit}s {_show(y[:1])}" for n, y in x.differences.items()]
        (n, (least, *ends)), *_ = x.differences.items()
        first = "no difference shows"
        if least < math.inf:
            first = f"the least difference that shows is {show_number(least)}"
            if ends:
                first += f", or {' to '.join(map(show_number, ends))} {told}"
        more = "".join(f"; with {y}" for y in shown[1:])
        return [
            f"With {n} {unit}s of each model and power {power:g}, {first}, if scores "
            f"{vary}{more}."
        ]
    sizes = [x.show_size(size) for size in x.sizes]
    needed, reach = "", "reaches" if "none" in sizes[:1] else "reach"
    if sizes:
        about = sizes[0].replace("more", "More", 1).replace("none", "No number of")
        about = f"About {about}" if x.sizes[0] < math.inf else about
        needed = f"{about} {unit}s of each model"
    if x.sd is not None:
        return [f"{needed} show {said} with power {power:g}, if scores {vary}."]
    estimate, high, low = x.powers
    are = "may be enough, or too few,"
    if low >= power:
        are = "are enough"
    elif high < power:
        are = "are too few"
    return [
        f"{x.present} {unit}s of {quote(x.name)} {are} to see {said} with power "
        f"{power:g}: it is {estimate:.3f}, or {low:.3f} to {high:.3f} {told}.",
        *([f"{needed} {reach} it ({' to '.join(sizes[1:])})."] if needed else []),
    ]


def draw_ranges(
    ax: Any, alone: Sequence[Alone], pairs: Sequence[SizedPair], power: float
) -> list[tuple[float, float]]:
    found = {id(x.curve): x for x in alone if len(x.sizes) > 1}
    legend, ranges = ax.get_legend(), []
    look = {"linewidth": 4.0, "alpha": 0.4, "solid_capstyle": "butt", "label": "range"}
    drawn = zip(pairs, legend.legend_handles, legend.get_texts(), strict=False)
    for x, line, text in ((found.get(id(y)), *z) for y, *z in drawn):
        if x is not None and math.isfinite(x.sizes[1]):
            low, high = x.sizes[1:]
            end = ax.get_xlim()[1] if math.isinf(high) else high
            ax.plot((low, end), (power, power), color=line.get_color(), **look)
            shown = f"{text.get_text()}, or {x.show_size(low)} to {x.show_size(high)}"
            text.set_text(shown.replace("more than", ">"))
            ranges.append((low, high))
    return ranges


def count_alone(
    every: Sequence[Alone], of: str, said: str, power: float, unit: str
) -> str:
    if every[0].gain is None:
        least = [next(iter(x.differences.values()))[0] for x in every]
        found = [x for x in least if x < math.inf]
        shown = " to ".join(show_number(f(found)) for f in (min, max) if found)
        return (
            f"With the present {unit}s and power {power:g}, a difference shows in "
            f"{len(found)} of {len(every)} {of} {f'if it is {shown}' * bool(found)}"
        ).rstrip(" ,") + "."
    n = sum(x.powers[0] >= power for x in every)
    return (
        f"{n} of {len(every)} {of} have enough {unit}s to see {said}, with power "
        f"{power:g}."
    )


def _show(limits: Limits) -> str:
    least, *ends = ("none" if math.isinf(y) else show_number(y) for y in limits)
    return f"{least} [{', '.join(ends)}]" if ends and least != "none" else least


def tabulate_alone(
    every: Sequence[tuple[Summary, Alone]], said: str, power: float, unit: str
) -> Table:
    rows = []
    for summary, x in every:
        show = number_format([summary])
        start = [x.name, show(summary["mean"]), show(summary["sd"])]
        found = [[str(n), _show(y)] for n, y in x.differences.items()]
        if x.powers:
            estimate, high, low = (f"{y:.3f}" for y in x.powers)
            found = [[str(x.present), f"{estimate} [{low}, {high}]"]]
        if x.sizes:
            size, *ends = (x.show_size(y).replace("more than", ">") for y in x.sizes)
            found = [[*y, f"{size} [{', '.join(ends)}]"] for y in found]
        rows += [[*start, *y] for y in found]
    header = ["model", "mean", "sd", "n", "power", f"{unit}s needed"]
    title = f"Power to see {said}"
    if every[0][1].gain is None:
        header[4] = "least difference"
        title = f"The least difference that shows with power {power:g}"
    return Table(title, header[: len(rows[0])], rows)


def find_spreads(df: float) -> tuple[float, float]:
    """Return by which factors a standard deviation may be off, one below 1.

    For normal scores, df times the variance over the true one has the chi-square
    distribution.
    """
    low, high = (math.sqrt(df / find_chi_square(p, df)) for p in (0.95, 0.05))
    return low, high


def find_chi_square(share: float, df: float) -> float:
    low, high = 0.0, df + 10.0 * math.sqrt(df) + 20.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _chi_square_below(middle, df) < share:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _chi_square_below(x: float, df: float) -> float:
    """Return P(chi-square < x), by the series of the incomplete gamma function."""
    a, half = 0.5 * df, 0.5 * x
    total = term = 1.0
    place = a
    while term > 1e-16 * total:
        place += 1.0
        term *= half / place
        total += term
    return total * math.exp(a * math.log(half) - half - math.lgamma(a + 1.0))
