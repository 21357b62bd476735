"""How often `sigarray compare` calls a model better, of samples of its scores."""

import itertools
import math
import warnings
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from sigarray import holm, multi_aso
from sigarray._backend.seeds import name_streams
from sigarray._cli.comparison import pairs_of
from sigarray._cli.messages import quiet
from sigarray._cli.orders import OrderOptions, run_orders
from sigarray._cli.pairwise_tests import PairOptions, choose_method, find_tests
from sigarray.read._wide import Scores

# Better and worse -> in what share of samples the better one is called so.
Shares = dict[tuple[str, str], float]

# For a guess at the time: of a pair of samples, and of a score of a resample.
_SECONDS_PER_PAIR = {"aso": 1e-4, "test": 1e-3}
_SECONDS_PER_SCORE = {"aso": 3e-9, "test": 1e-8}
# Bounds between so many times the threshold may be drawn on.
_NEAR = (0.25, 2.5)


def are_binary(scores: np.ndarray) -> bool:
    """Tell scores that are all 0 or 1."""
    return bool(np.all((scores == 0.0) | (scores == 1.0)))


@dataclass(frozen=True)
class Trials:
    """How to draw samples of scores, and to compare them as `compare` would.

    The models are those of one of so many tasks, of which the others show nothing.
    """

    tests: PairOptions | OrderOptions
    is_corrected: bool
    higher_is_better: bool
    is_paired: bool
    unit: str
    number: int
    seed: int
    n_tasks: int = 1

    def share_better(
        self,
        scores: Scores,
        size: int,
        sure_of: Collection[tuple[str, str]],
        *,
        above: float = 0.0,
    ) -> Shares:
        """Compare samples of one size of all models.

        Bounds near the threshold are drawn on, of pairs to be sure of whose share is
        not below some number; of others they may be a little too small.
        """
        samples = self.draw(scores, size, is_paired=self.is_paired)
        return self._share(samples, sure_of, above)

    def share_lifted(self, scores: Scores, name: str, lift: float) -> float:
        """Return the share of samples in which lifted scores of a model are better.

        All models of the table have the scores of this one, and one has them lifted.
        """
        names, baseline = list(scores), self.tests.baseline
        lifted = next(x for x in (name, *names) if x != baseline)
        others = [x for x in names if x != lifted and baseline in (None, x)]
        same = dict.fromkeys(names, scores[name])
        drawn = self.draw(same, len(scores[name]), is_paired=False)
        drawn[lifted] = self._lift(drawn[lifted], scores[name], lift)
        shares = self._share(drawn, [(lifted, x) for x in others])
        return math.fsum(shares.get((lifted, x), 0.0) for x in others) / len(others)

    def guess_seconds(self, scores: Scores, size: int) -> float:
        """Guess how long it takes to compare all samples of a size."""
        n_pairs = len(pairs_of(scores, self.tests.baseline))
        kind = "aso" if isinstance(self.tests, OrderOptions) else "test"
        n_drawn = 2 * size * (self.tests.n_resamples or 0)
        if kind == "test" and not self._is_drawn(scores):
            n_drawn = 0
        per_pair = _SECONDS_PER_PAIR[kind] + _SECONDS_PER_SCORE[kind] * n_drawn
        return self.number * n_pairs * per_pair

    def _is_drawn(self, scores: Scores) -> bool:
        """Tell whether a test of some pair resamples, by the scores at hand."""
        options = self.tests
        if not isinstance(options, PairOptions) or options.n_resamples is None:
            return False
        return any(
            choose_method(scores[a], scores[b], options) == "resampling"
            for a, b in pairs_of(scores, options.baseline)
        )

    def _lift(self, samples: np.ndarray, scores: np.ndarray, lift: float) -> np.ndarray:
        """Lift scores by a factor; of 0 and 1 the mean, by more of them that are 1."""
        if not are_binary(scores):
            return np.asarray(samples + np.abs(samples) * (lift - 1.0))
        mean = float(scores.mean())
        uniform = np.random.default_rng([self.seed, 1]).random(samples.shape)
        if lift < 1.0:
            return np.asarray(np.where(uniform < 1.0 - lift, 0.0, samples))
        wrong = max(1.0 - mean, 1e-9)
        is_turned = uniform < (lift - 1.0) * mean / wrong
        return np.asarray(np.where(is_turned, 1.0, samples))

    def draw(
        self, scores: Scores, size: int, *, is_paired: bool
    ) -> dict[str, np.ndarray]:
        """Draw samples (R, size) of each model, of which smaller ones are the start.

        Samples of n runs vary less than runs, by (n - 1) / n: so scores are moved away
        from their mean first. Items are many, and may be 0 or 1.
        """
        drawn = {}
        for name, stream in zip(scores, name_streams(scores), strict=True):
            x = scores[name]
            n = len(x)
            words = [self.seed] if is_paired else [self.seed, stream]
            uniform = np.random.default_rng(words).random((size, self.number))
            if self.unit == "run":
                mean = x.mean()
                x = x + (math.sqrt(n / (n - 1)) - 1.0) * (x - mean)
            drawn[name] = x[np.floor(n * uniform.T).astype(int)]
        return drawn

    def _share(
        self,
        samples: Mapping[str, np.ndarray],
        sure_of: Collection[tuple[str, str]],
        above: float = 0.0,
    ) -> Shares:
        if isinstance(self.tests, PairOptions):
            return self._share_by_tests(samples, self.tests)
        bounds = self._find_bounds(samples, self.tests, sure_of, above)
        shares = np.mean(bounds < self.tests.threshold, axis=0)
        return {
            (a, b): float(shares[i, j])
            for (i, a), (j, b) in itertools.permutations(enumerate(samples), 2)
        }

    def _find_bounds(
        self,
        samples: Mapping[str, np.ndarray],
        options: OrderOptions,
        sure_of: Collection[tuple[str, str]],
        above: float,
    ) -> np.ndarray:
        """Give eps_min (R, K, K); those near the threshold as `compare` finds them."""
        with warnings.catch_warnings(), quiet(True):
            # Of samples that are too small for a verdict, which is an answer here.
            warnings.simplefilter("ignore", UserWarning)
            result = multi_aso(
                samples,
                confidence_level=options.confidence_level,
                correction="bonferroni" if self.is_corrected else None,
                method=options.method,
                n_resamples=options.n_resamples,
                higher_is_better=self.higher_is_better,
                baseline=options.baseline,
                dt=options.dt,
                rng=options.seed,
                n_comparisons=self.n_tasks,
            )
            bounds = np.array(result.eps_min)
            names = list(samples)
            low, high = (options.threshold * x for x in _NEAR)
            is_near = np.zeros(len(bounds), dtype=bool)
            for a, b in sure_of:
                bound = bounds[:, names.index(a), names.index(b)]
                if np.mean(bound < options.threshold) >= above:
                    is_near |= (bound > low) & (bound < min(high, 0.5))
            for place in np.flatnonzero(is_near):
                table = {name: x[place] for name, x in samples.items()}
                found = run_orders(
                    {"": table},
                    options,
                    is_corrected=self.is_corrected,
                    higher_is_better=self.higher_is_better,
                    n_tasks=self.n_tasks,
                )
                bounds[place] = found[""].eps_min
        return bounds

    def _share_by_tests(
        self, samples: Mapping[str, np.ndarray], options: PairOptions
    ) -> Shares:
        wins: Counter[tuple[str, str]] = Counter()
        pairs = pairs_of(samples, options.baseline)
        for place in range(self.number):
            scores = {name: x[place] for name, x in samples.items()}
            tests = find_tests(
                scores,
                options,
                higher_is_better=self.higher_is_better,
                pairs=pairs,
            )
            p_values = np.asarray([test.p_value for test in tests])
            if self.is_corrected:
                others = np.ones(options.n_comparisons - len(pairs))
                p_values = np.asarray(holm(np.concatenate([p_values, others])))
            for (a, b), test, p in zip(pairs, tests, p_values, strict=False):
                if test.leader is not None and p <= options.alpha:
                    wins[test.leader, b if test.leader == a else a] += 1
        return {pair: count / self.number for pair, count in wins.items()}
