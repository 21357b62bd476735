"""What a table of scores says of itself."""

import numpy as np

from sigarray import read


def test_it_says_in_a_line_what_it_holds(write):
    rows = [f"{m},q{k},{k * i % 7}" for i, m in enumerate("ab", 1) for k in range(2000)]
    table = read.scores(write("\n".join(["model,item,score", *rows]), "x.csv"))
    assert repr(table) == (
        f"ScoreTable(source={table.source!r}, models=['a', 'b'], unit='item', 2000 "
        "scores of each)"
    )
    assert str(table) == repr(table)
    assert table.ids[""]["a"] == table[1][""]["a"]
    assert len(table._asdict()["ids"][""]["b"]) == 2000


def test_of_many_models_and_tasks():
    scores = {
        f"task{k}": {f"model{i}": np.arange(3.0 + (i == k)) for i in range(8)}
        for k in range(7)
    }
    assert repr(read.scores(scores)) == (
        "ScoreTable(source='the scores', models=['model0', 'model1', 'model2', "
        "'model3', 'model4', and 3 more], tasks=['task0', 'task1', 'task2', 'task3', "
        "'task4', and 2 more], unit='run', 3 to 4 scores of each on each task)"
    )
