"""Codes of labels."""

import numpy as np
import pytest

from sigarray import t_ci, t_test
from sigarray._backend.codes import _rank_integers


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("number", [0, 1, 2, 100])
def test_integers_have_their_rank(dtype, number):
    """Close together or far apart, at either end of what a dtype can hold."""
    info, rng = np.iinfo(dtype), np.random.default_rng(0)
    for low, high in ((info.min, info.max), (info.max - 9, info.max), (3, 60)):
        labels = rng.integers(low, high, number, dtype=dtype, endpoint=True)
        found = _rank_integers(labels)
        known = sorted(set(labels.tolist()))
        assert found.tolist() == [known.index(x) for x in labels.tolist()]
        assert found.dtype == np.int64


@pytest.mark.parametrize("dtype", ["int64", "int32", "float64"])
def test_labels_of_torch_on_the_processor_beside_scores_of_the_host(dtype):
    torch = pytest.importorskip("torch")
    a, b = np.random.default_rng(0).normal(size=(2, 12))
    labels = np.arange(12) // 3
    of_torch = torch.asarray(labels, dtype=getattr(torch, dtype))
    for x, y in ((a, b), (a.tolist(), b.tolist())):
        pairs = {"paired": True, "clusters": labels}
        expected = t_test(a, b, **pairs)
        assert t_test(x, y, **pairs | {"clusters": of_torch}) == expected
        expected = t_test(a, b, strata=(labels, labels))
        assert t_test(x, y, strata=(of_torch, of_torch)) == expected


def test_a_list_of_tensors_is_refused():
    """Each of them would be a cluster of its own."""
    torch = pytest.importorskip("torch")
    labels = list(torch.arange(12) // 3)
    with pytest.raises(TypeError, match=r"a list with .* at place 0"):
        t_test(np.arange(12.0), np.ones(12), paired=True, clusters=labels)


@pytest.mark.parametrize("dtype", ["Int64", "string", "object"])
def test_labels_that_are_missing_are_refused(dtype):
    """None of them is a cluster of its own; nor is a blank."""
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series([1, 1, 2, None, 2, 3]).astype("Int64").astype(dtype)
    with pytest.raises(ValueError, match=r"got <NA> at place 3"):
        t_ci(np.arange(6.0), clusters=labels)
    with pytest.raises(ValueError, match=r"got ' ' at place 4"):
        t_ci(np.arange(6.0), clusters=["a", "a", "b", "b", " ", "c"])


@pytest.mark.parametrize("option", ["clusters", "strata"])
def test_labels_with_an_index_of_another_order(option):
    """Scores with the index bring them into order; those without it lead to a doubt."""
    pandas = pytest.importorskip("pandas")
    scores = np.random.default_rng(0).normal(size=12)
    names = pandas.Series(list("aabbbccddddd"))
    shuffled = names.sample(frac=1.0, random_state=0)
    expected = t_ci(scores, **{option: names})
    assert t_ci(pandas.Series(scores), **{option: shuffled}) == expected
    assert t_ci(pandas.Series(scores), **{option: list(names)}) == expected
    apart = names.set_axis(range(0, 24, 2))  # rows that a filter left
    assert t_ci(scores, **{option: apart}) == expected
    with pytest.raises(ValueError, match=r"labels of items with the index of the scor"):
        t_ci(pandas.Series(scores), **{option: apart})
    with pytest.warns(UserWarning, match="not in rising order.* paired by place"):
        by_place = t_ci(scores, **{option: shuffled})
    assert by_place == t_ci(scores, **{option: shuffled.to_numpy()}) != expected


def test_scores_with_an_index_of_another_order_beside_an_array():
    pandas = pytest.importorskip("pandas")
    a, b = np.random.default_rng(0).normal(size=(2, 12))
    shuffled = pandas.Series(a).sample(frac=1.0, random_state=0)
    assert t_test(shuffled, pandas.Series(b), paired=True) == t_test(
        shuffled.to_numpy(), b[shuffled.index], paired=True
    )
    with pytest.warns(UserWarning, match="not in rising order.* paired by place"):
        t_test(shuffled, b, paired=True)
    t_test(shuffled, b)  # of samples that are no pairs the order says nothing
