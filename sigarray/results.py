"""Results of tests: NamedTuples of arrays, which `jit` and `vmap` can return, too."""

from collections.abc import Hashable
from typing import NamedTuple

from sigarray._backend.callers import Array
from sigarray._host import draw_result, draw_rows, list_columns_of_ranks


class AsoResult(NamedTuple):
    """Almost stochastic order of one sample over another.

    Attributes
    ----------
    eps_min : array, shape (...)
        Upper confidence bound of the violation ratio, in [0, 1], and 0.5 or more unless
        `pvalue` rejects that both distributions are the same. A is declared better than
        B where it is below a threshold, 0.2 by default and 0.5 at most.
    violation_ratio : array, shape (...)
        The observed ratio: 0 where A dominates, 1 where B does, 0.5 where neither is
        ahead.
    standard_error : array, shape (...)
        Sampling error of the violation ratio: its standard deviation over resamples,
        or the one of the normal limit.
    probability_of_improvement : array, shape (...)
        P(A > B) + P(A = B) / 2 of the scores: U of Mann and Whitney, as a share of all
        pairs.
    pvalue : array, shape (...)
        From the test that the distributions are the same, by the wins of A: exact
        without ties for up to 49 pairs of scores, else a fit (see `aso`), before a
        correction; one-sided in `aso`, two-sided in `compare`. With fewer than 20
        scores it includes a test of the means; with axes of seeds and of items it is
        that of `t_test` with the same axes.
    """

    eps_min: Array
    violation_ratio: Array
    standard_error: Array
    probability_of_improvement: Array
    pvalue: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class ResamplingResult(NamedTuple):
    """A test of a difference by resampling.

    Attributes
    ----------
    statistic : array, shape (...)
        The observed difference, A minus B, or with `statistic="t"` that in units of its
        standard error.
    pvalue : array, shape (...)
        Its p-value: never 0, and exact where all permutations are enumerated.
    """

    statistic: Array
    pvalue: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class ConfidenceInterval(NamedTuple):
    """An interval that is to hold the statistic of the distribution.

    Attributes
    ----------
    low, high : array, shape (...)
        Limits of the interval.
    """

    low: Array
    high: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class BootstrapResult(NamedTuple):
    """An estimate and its confidence interval.

    Attributes
    ----------
    statistic : array, shape (...)
        The observed statistic, or the difference of two, A minus B.
    confidence_interval : ConfidenceInterval
        Its limits: `low, high = result.confidence_interval`.
    standard_error : array, shape (...)
        Standard deviation of the bootstrap replicates (ddof 1).
    """

    statistic: Array
    confidence_interval: ConfidenceInterval
    standard_error: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class ProportionResult(NamedTuple):
    """A proportion, or a difference of two, and its confidence interval.

    Attributes
    ----------
    statistic : array, shape (...)
        The observed proportion, or the difference of two, A minus B.
    confidence_interval : ConfidenceInterval
        Its limits: `low, high = result.confidence_interval`.
    """

    statistic: Array
    confidence_interval: ConfidenceInterval

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class ProportionTestResult(NamedTuple):
    """A score test of two proportions.

    Attributes
    ----------
    statistic : array, shape (...)
        z: the difference less that of the null hypothesis, in units of its error there.
    pvalue : array, shape (...)
        Its p-value, by the normal approximation; NaN where z is infinite.
    difference : array, shape (...)
        The observed difference, A minus B.
    """

    statistic: Array
    pvalue: Array
    difference: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class MannWhitneyResult(NamedTuple):
    """Mann-Whitney's test of two samples.

    Attributes
    ----------
    statistic : array, shape (...)
        U: the number of pairs (score of A, score of B) in which A is ahead; ties count
        one half.
    pvalue : array, shape (...)
        Its p-value, by the normal approximation.
    probability_of_improvement : array, shape (...)
        P(A > B) + P(A = B) / 2, the statistic as a share of the pairs.
    """

    statistic: Array
    pvalue: Array
    probability_of_improvement: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class BrunnerMunzelResult(NamedTuple):
    """Brunner and Munzel's test of two samples.

    Attributes
    ----------
    statistic : array, shape (...)
        How far the probability of improvement is from 1/2, in units of its standard
        error.
    pvalue : array, shape (...)
        Its p-value, by Student's t.
    df : array, shape (...)
        The degrees of freedom.
    probability_of_improvement : array, shape (...)
        P(A > B) + P(A = B) / 2, as a share of the pairs of a score of A and one of B.
    """

    statistic: Array
    pvalue: Array
    df: Array
    probability_of_improvement: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class WilcoxonResult(NamedTuple):
    """Wilcoxon's test of paired differences by signed ranks.

    Attributes
    ----------
    statistic : array, shape (...)
        W+: the sum of the ranks of the pairs in which A is ahead.
    pvalue : array, shape (...)
        Its p-value: exact for up to 50 pairs.
    rank_biserial : array, shape (...)
        (W+ - W-) / (W+ + W-), the size of the effect, from -1 to 1.
    """

    statistic: Array
    pvalue: Array
    rank_biserial: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class TTestResult(NamedTuple):
    """A test of two means by Student's t.

    Attributes
    ----------
    statistic : array, shape (...)
        The difference of the means, A minus B, in units of its standard error; with a
        margin, of how far it is from that.
    pvalue : array, shape (...)
        Its p-value, NaN where t is infinite.
    df : array, shape (...)
        The degrees of freedom.
    """

    statistic: Array
    pvalue: Array
    df: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class EquivalenceResult(NamedTuple):
    """Two one-sided tests: whether a difference is within limits.

    Attributes
    ----------
    difference : array, shape (...)
        The observed difference, A minus B.
    pvalue : array, shape (...)
        The larger one of both p-values: small if the difference is between the limits.
    low : TTestResult, ResamplingResult or ProportionTestResult
        The test whether the difference is above the lower limit: A is no worse.
    high : TTestResult, ResamplingResult or ProportionTestResult
        The test whether the difference is below the upper limit: A is no better.
    """

    difference: Array
    pvalue: Array
    low: TTestResult | ResamplingResult | ProportionTestResult
    high: TTestResult | ResamplingResult | ProportionTestResult

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class PairwiseAsoResult(NamedTuple):
    """Almost stochastic order of every model over every other one.

    Attributes
    ----------
    eps_min : array, shape (..., K, K)
        Entry (i, j) is the bound for "model i is better than model j"; 1 on the
        diagonal.
    violation_ratio : array, shape (..., K, K)
        The observed ratios; entries (i, j) and (j, i) add up to 1; 0.5 on the diagonal.
    standard_error : array, shape (..., K, K)
        Sampling errors of the violation ratios; 0 on the diagonal.
    probability_of_improvement : array, shape (..., K, K)
        P(row > column) + P(row = column) / 2 of the scores; 0.5 on the diagonal.
    pvalue : array, shape (..., K, K)
        Two-sided p-values that two models are the same, adjusted for all comparisons
        (see `multi_aso`): symmetric, with 1 on the diagonal. With a baseline, NaN where
        it is in no pair.
    """

    eps_min: Array
    violation_ratio: Array
    standard_error: Array
    probability_of_improvement: Array
    pvalue: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class Ranking(NamedTuple):
    """Models by how many others they beat, and which of them cannot be told apart.

    Attributes
    ----------
    order : tuple of K names
        The models, the best first.
    beats : tuple of K tuples of names
        For each of them, the models that it beats.
    groups : tuple of tuples of names
        All largest sets of models of which none beats another, each in that order:
        what shares a letter or a bar in a critical difference diagram. Groups may
        overlap, every model is in one or more, and two that are not told apart share
        one.
    """

    order: tuple[Hashable, ...]
    beats: tuple[tuple[Hashable, ...], ...]
    groups: tuple[tuple[Hashable, ...], ...]

    def _repr_html_(self) -> str:
        pairs = zip(self.order, self.beats, strict=True)
        rows = ([str(name), ", ".join(map(str, x))] for name, x in pairs)
        return draw_rows("Ranking", ["model", "beats"], rows, len(self.order))


class RankResult(NamedTuple):
    """Ranks of K models, 1 for the best, and what is known of them.

    Attributes
    ----------
    rank : array, shape (..., K)
        1 plus the number of models that are better: models that are tied have the first
        of their ranks.
    confidence_interval : ConfidenceInterval
        Its limits, of shape (..., K): `low, high = result.confidence_interval`. They
        hold the ranks of all models at once.
    probability : array, shape (..., K, K)
        Entry (i, r - 1) is the share of resamples in which model i has rank r. Models
        that are tied share their ranks.
    """

    rank: Array
    confidence_interval: ConfidenceInterval
    probability: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self, list_columns_of_ranks(self))


class ScoreSummary(NamedTuple):
    """What the scores of one model are like.

    Attributes
    ----------
    mean, std, median, min, max : array, shape (...)
        Statistics of the scores; the standard deviation has ddof 1.
    """

    mean: Array
    std: Array
    median: Array
    min: Array
    max: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class ComparisonResult(NamedTuple):
    """Two models by statistics of their scores, by ranks and by stochastic order.

    Attributes
    ----------
    summary_a, summary_b : ScoreSummary
        Statistics of the scores of either model.
    mann_whitney : MannWhitneyResult
        Mann-Whitney's test, with the share of pairs in which A is ahead.
    aso_a_over_b, aso_b_over_a : AsoResult
        Almost stochastic order in either direction.
    """

    summary_a: ScoreSummary
    summary_b: ScoreSummary
    mann_whitney: MannWhitneyResult
    aso_a_over_b: AsoResult
    aso_b_over_a: AsoResult

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class SampleSizeResult(NamedTuple):
    """How many runs show a difference.

    Attributes
    ----------
    sample_size : array, shape (...)
        The smallest size with the power asked for; infinite where none has it.
    power : array, shape (..., S)
        The power at each of the sizes that were tried.
    """

    sample_size: Array
    power: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)
