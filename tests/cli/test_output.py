"""What the command prints of many models, and what it advises."""

import csv
import io
import json

import numpy as np
import pytest

from sigarray._verdicts.comparison import Comparison

NAMES = [f"m{k}" for k in range(13)]


@pytest.fixture
def many(write):
    """Thirteen models: m12 is the best by far, and m0 the worst."""
    scores = np.random.default_rng(0).normal(np.arange(13) * 0.5, 1.0, (20, 13))
    rows = "\n".join(",".join(f"{x:.3f}" for x in row) for row in scores)
    return write(f"{','.join(NAMES)}\n{rows}\n")


class TestManyModels:
    @pytest.mark.parametrize("test", ["aso", "t"])
    def test_readers_get_a_ranking(self, many, run, test):
        _, out, _ = run("compare", many, "--test", test)
        pairs = json.loads(run("compare", many, "--test", test, "--format", "json")[1])[
            "pairs"
        ]
        wins = [
            (x["better"], x["model_b" if x["better"] == x["model_a"] else "model_a"])
            for x in pairs
            if x["better"]
        ]
        rows = [line.split() for line in out.splitlines()]
        ranking = {
            r[0]: (int(r[-2]), int(r[-1])) for r in rows if r[:1] and r[0] in NAMES
        }
        assert len(ranking) == 13
        for name, counts in ranking.items():
            beaten = sum(better == name for better, _ in wins)
            assert counts == (beaten, sum(worse == name for _, worse in wins))
        assert list(ranking.values()) == sorted(
            ranking.values(), key=lambda x: (-x[0], x[1])
        )
        text = " ".join(out.split())
        assert f"In {len(wins)} of 78 pairs of 13 models, one model is better: " in text
        assert "With --baseline MODEL or --columns A,B,... there are fewer" in text
        assert "better than m" not in text

    def test_losses_are_ranked_the_other_way(self, many, run):
        for options, first in (([], "m12"), (["--lower-is-better"], "m0")):
            _, out, _ = run("compare", many, "--test", "t", *options)
            ranked = [x.split()[0] for x in out.splitlines() if x.strip()[:1] == "m"]
            assert ranked[1] == first

    def test_programs_get_every_pair(self, many, run):
        document = json.loads(run("compare", many, "--format", "json")[1])
        assert (len(document["pairs"]), len(document["verdicts"])) == (78, 78)
        _, out, _ = run("compare", many, "--format", "csv")
        assert len(list(csv.DictReader(io.StringIO(out)))) == 78

    def test_twelve_models_are_all_shown(self, many, run, monkeypatch):
        monkeypatch.setenv("COLUMNS", "100")
        _, out, _ = run("compare", many, "--columns", ",".join(NAMES[:12]))
        assert "eps_min: the row is better than the column" in out
        assert "the means differ" not in out
        rows = [line.split() for line in out.splitlines()]
        matrix = [row[0] for row in rows if len(row) == 12 and row[0] in NAMES]
        assert len(matrix) == 1 + 12  # its header, and a row for each
        _, out, _ = run(
            "compare", many, "--columns", ",".join(NAMES[:12]), "--format", "sentences"
        )
        assert out.count(", eps_min ") == 66
        paragraphs = out.split("\n\n")  # of which the first is one sentence
        told = [x.count("comparisons together") for x in paragraphs]
        assert told[:2] == [1, 1]
        assert not any(told[2:])

    def test_pairs_are_not_listed_for_each_sentence(self, many, run, monkeypatch):
        counts = []
        pairs = Comparison.pairs
        counted = property(lambda x: counts.append(1) or pairs.fget(x))
        monkeypatch.setattr(Comparison, "pairs", counted)
        run("compare", many, "--test", "t")
        run("compare", many)
        assert len(counts) <= 8


def test_models_without_a_difference_are_not_helped_by_more_items(write, run):
    rows = "".join(f"q{k},{k % 2},{(k + k // 20) % 2}\n" for k in range(40))
    _, out, _ = run("compare", write(f"item,a,b\n{rows}"), "--item", "item")
    said = " ".join(out.split())
    assert "No difference was seen between a and b." in said
    assert "--margin asks" in said
    assert "would decide more" not in said


def test_missing_answers_are_offered_what_items_take(write, run):
    rows = "".join(f"{m},q{k},{k % 2}\n" for m in "ab" for k in range(40))
    path = write("model,item,score\n" + rows.replace("a,q3,1", "a,q3,NaN"))
    code, _, err = run("compare", path)
    assert code == 2
    assert "worst" not in err
    assert "--missing drop" in err
    assert run("compare", path, "--missing", "drop")[0] == 0


def test_tasks_without_a_better_model_are_one_row(write, run):
    rng = np.random.default_rng(0)
    rows = [
        f"t{t},q{k},{rng.integers(2)},{1 if t < 2 else rng.integers(2)}"
        for t in range(8)
        for k in range(40)
    ]
    path = write("\n".join(["task,item,a,b", *rows, ""]))
    _, out, _ = run("compare", path, "--item", "item", "--task", "task")
    said = " ".join(out.split())
    assert "On 2 of 8 single tasks, b is better than a." in said
    others = "each of the other 6 tasks no model is shown to be better"
    assert f"t0 b > a t1 b > a {others}" in said


def test_what_would_decide_more(write, run):
    more = "More runs would decide more: sigarray power estimates how many."

    def compare(path, *options):
        return " ".join(run("compare", path, *options)[1].split())

    rows = "".join(f"{k},{k + 3},{k + 1.5}\n" for k in (0.1, 1.2, 2.3, 3.1))
    path = write(f"a,b,c\n{rows}")
    assert f"{more} Method" in compare(path, "--test", "t")
    with_b = compare(path, "--test", "t", "--baseline", "b")
    assert "Better than b: none. Worse: a." in with_b
    for option in (["--baseline", "a"], ["--no-correction"], ["--columns", "a,c"]):
        assert f"{more} Method" in compare(path, "--test", "t", *option)
    # No baseline decides a pair of these, though p alone is at most 0.05.
    two = "".join(f"{k},{k + 2.8},{k + 0.01}\n" for k in (0.1, 1.3, 2.4, 3.6))
    undecided = write(f"a,b,c\n{two}", "undecided.csv")
    assert f"{more} Method" in compare(undecided, "--test", "t")
    # Nor is it known of one by almost stochastic order.
    assert f"{more} Method" in compare(path)
    assert more not in compare(write("a,b\n1,5\n2,6\n3,7\n4,8\n", "clear.csv"))
    # No p-value of three runs is small enough for a single comparison.
    few = write("a,b,c\n1.5,5.5,9.1\n2.5,6,8\n3,7,9.5\n", "few.csv")
    assert f"{more} Method" in compare(few, "--test", "permutation")
