"""`sigarray power` of models that lack some items: pairs are on those of both."""

import numpy as np
import pytest


@pytest.fixture
def path(write):
    """Write scores of items of which c lacks some that are hard for a."""
    rng = np.random.default_rng(0)
    x = rng.normal(0.0, 1.0, (3, 40))
    rows = [
        f"{name},{k},{0.6 * j + x[j, k] - 3.0 * (name == 'a' and k < 4):.3f}"
        for j, name in enumerate("abc")
        for k in range(40)
        if name != "c" or k >= 4
    ]
    return write("\n".join(["model,item,score", *rows, ""]))


@pytest.mark.long
def test_pairs_are_those_of_compare(path, run, power):
    options = [path, "--drop-unmatched", "--no-correction", "--n-samples", "10"]
    document = power(*options)
    pairs = {frozenset((x["better"], x["worse"])): x for x in document["pairs"]}
    assert {tuple(sorted(x)): y["n"] for x, y in pairs.items()} == {
        ("a", "b"): 40,
        ("a", "c"): 36,
        ("b", "c"): 36,
    }
    for names, pair in pairs.items():
        columns = ",".join(sorted(names))
        (alone,) = power(*options, "--columns", columns)["pairs"]
        assert alone == pair
    code, out, _ = run("power", *options)
    assert code == 0
    assert "A pair is sampled from the items that both models have" in out
    compared = run("compare", *options[:3])[1]
    for a, b in ("ba", "ca", "cb"):
        row = next(x.split() for x in out.splitlines() if x.startswith(f"{a}  "))
        assert row[0] == a
        difference = next(
            x.split()[2] for x in out.splitlines() if x.split()[:2] == [a, b]
        )
        line = next(x.split() for x in compared.splitlines() if x.split()[:2] == [a, b])
        assert float(line[3]) == pytest.approx(float(difference), abs=0.01)


def test_tests_of_unpaired_scores_take_the_items_of_all(path, power):
    options = [path, "--drop-unmatched", "--test", "mann-whitney", "--n-samples", "5"]
    assert {x["n"] for x in power(*options)["pairs"]} == {36}
