"""Many pairs, whose models are resampled once, are tested as each pair alone."""

import numpy as np
import pytest

from sigarray import bootstrap_test, corpus, of_sums, permutation_test
from sigarray._verdicts import sampled_tests
from sigarray._verdicts.asked import PairOptions
from sigarray._verdicts.sampled import Sampled
from sigarray._verdicts.sampled_tests import run_sampled
from sigarray.read._codes import encode

TESTS = {"bootstrap": bootstrap_test, "permutation": permutation_test}
F1 = of_sums(corpus.f1)


def draw(n=48, n_models=5):
    rng = np.random.default_rng(0)
    gold, easy = rng.poisson(3.0, n), rng.uniform(0.6, 0.9, n)
    counts = {}
    for k in range(n_models):
        found = rng.binomial(gold, easy - 0.04 * k)
        counts[f"m{k}"] = np.stack([found, rng.poisson(0.5, n), gold - found]) * 1.0
    return counts


def run(test, sums, codes, n_resamples, *, statistic=F1):
    n = next(iter(sums.values())).shape[-1]
    number = n if codes is None else len({*codes.tolist()})
    options = PairOptions(
        test,
        is_paired=True,
        n_resamples=n_resamples,
        seed=3,
        method="resampling",
        unit="item",
        has_clusters=codes is not None,
        statistic="mean" if statistic is None else "f1",
    )
    scores = {name: x[0] for name, x in sums.items()}
    sampled = Sampled(n, number, codes, statistic, {} if statistic is None else sums)
    return run_sampled(scores, options, sampled, higher_is_better=True)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("n_per_cluster", [None, 3])
@pytest.mark.parametrize("n_resamples", [999, 9999])
def test_metrics(test, n_per_cluster, n_resamples):
    """More resamples than a chunk has, too."""
    sums = draw()
    codes = None if n_per_cluster is None else np.arange(48) // n_per_cluster
    found = run(test, sums, codes, n_resamples)
    names = list(sums)
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    assert len(found) == len(pairs) > sampled_tests._FEW_PAIRS
    for (a, b), x in zip(pairs, found, strict=True):
        expected = TESTS[test](
            sums[a],
            sums[b],
            paired=True,
            statistic=F1,
            clusters=codes,
            n_resamples=n_resamples,
            rng=3,
        )
        assert x.statistic == pytest.approx(float(expected.statistic), rel=1e-9)
        assert x.p_value == pytest.approx(float(expected.pvalue), rel=1e-9)


def test_means_of_items_in_clusters():
    sums = draw()
    labels = np.random.default_rng(1).permutation(np.arange(48) // 3)
    codes = encode(labels.tolist()).codes.astype(np.int64)  # as clusters come
    found = run("bootstrap", sums, codes, 1999, statistic=None)
    scores = [x[0] for x in sums.values()]
    pairs = [(a, b) for k, a in enumerate(scores) for b in scores[k + 1 :]]
    for (a, b), x in zip(pairs, found, strict=True):
        expected = bootstrap_test(
            a, b, paired=True, clusters=codes, n_resamples=1999, rng=3
        )
        assert x.statistic == pytest.approx(float(expected.statistic), abs=1e-12)
        assert x.p_value == pytest.approx(float(expected.pvalue), abs=1e-12)


def test_all_exchanges_of_few_items():
    sums = draw(n=9)
    found = run("permutation", sums, None, 999)
    a, b = sums["m0"], sums["m4"]
    expected = permutation_test(a, b, paired=True, statistic=F1, n_resamples=999)
    (x,) = [found[3]]
    assert x.n_drawn == 0
    assert x.p_value == pytest.approx(float(expected.pvalue), abs=1e-12)
    assert x.p_value * 2**9 == pytest.approx(round(x.p_value * 2**9))
