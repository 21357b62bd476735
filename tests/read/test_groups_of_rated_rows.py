"""Ratings in a column for each model: doubts of raters, as of those in one column."""

import numpy as np
import pytest

from sigarray import read


def write_ratings(folder, leads, seed=3):
    """Write ratings of 40 items, of which each rater prefers A by a lead, two ways."""
    rng = np.random.default_rng(seed)
    quality, long, wide = rng.normal(3.0, 0.6, 40), [], []
    for k, lead in enumerate(leads):
        for i, x in enumerate(quality):
            noise = 0.5 * rng.normal(size=2)
            a, b = np.clip(np.round(x + noise + np.array([lead, -lead]) / 2), 1, 5)
            wide.append(f"{i},r{k},{a:g},{b:g}")
            long += [f"{i},r{k},A,{a:g}", f"{i},r{k},B,{b:g}"]
    paths = folder / f"long{seed}.csv", folder / f"wide{seed}.csv"
    paths[0].write_text("\n".join(["item,rater,model,score", *long, ""]))
    paths[1].write_text("\n".join(["item,rater,A,B", *wide, ""]))
    return paths


def find_doubts(path):
    table = read.scores(path, item="item", run="rater", unit="item")
    return [x.partition(": ")[2] for x in table.doubts if "'rater'" in x]


@pytest.mark.parametrize("leads", [(1.0, 1.0, -1.2), (0.3, 0.3, 0.3)])
def test_columns_of_models_have_the_doubt_that_rows_have(tmp_path, leads):
    long, wide = write_ratings(tmp_path, leads)
    told = find_doubts(wide)
    assert told == find_doubts(long)
    assert len(told) == (min(leads) < 0.0)
    if told:
        assert "depend on 'rater', more than by chance" in told[0]
        read.scores(wide, unit="item", item="rater", run="item")  # as it says


@pytest.mark.long
def test_raters_that_agree_are_doubted_as_seldom_as_in_rows(tmp_path):
    found = []
    for seed in range(40):
        paths = write_ratings(tmp_path, [0.3] * 4, seed)
        found.append([len(find_doubts(path)) for path in paths])
    assert [a for a, _ in found] == [b for _, b in found]
    assert sum(a for a, _ in found) <= 7
