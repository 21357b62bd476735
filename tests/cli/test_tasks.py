"""`sigarray compare` of several tasks, and of items that pair the models."""

import csv
import io
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

from sigarray import holm, multi_aso, permutation_test, t_test

MODELS, TASKS = ("lstm", "cnn", "crf"), ("ner", "pos", "srl")


def draw():
    rng = np.random.default_rng(1)
    return {
        (m, t): np.round(0.8 + 0.04 * i - 0.03 * i * j + 0.02 * rng.normal(size=8), 4)
        for i, m in enumerate(MODELS)
        for j, t in enumerate(TASKS)
    }


SCORES = draw()


@pytest.fixture
def long(write):
    rows = [
        f"{m},{t},{k},{x}"
        for (m, t), scores in SCORES.items()
        for k, x in enumerate(scores.tolist())
    ]
    return write("\n".join(["model,task,seed,f1", *rows, ""]))


def decide(out):
    """Return (task, A, B) -> the pair, in both orders, of a document of JSON."""
    found = {}
    for x in json.loads(out)["pairs"]:
        task, a, b = x["task"], x["model_a"], x["model_b"]
        found[task, a, b] = x
        found[task, b, a] = x | {
            "eps_min_a_over_b": x["eps_min_b_over_a"],
            "eps_min_b_over_a": x["eps_min_a_over_b"],
        }
    return found


def test_orders_are_corrected_over_all_tasks(long, run):
    code, out, _ = run("compare", long, "--format", "json")
    assert code == 0
    found = decide(out)
    assert len(found) == 2 * 9
    for task in TASKS:
        # 9 comparisons: three of each task, at a third of the level.
        expected = multi_aso(
            {m: SCORES[m, task] for m in MODELS},
            confidence_level=1 - 0.05 / 3,
            rng=0,
        ).eps_min
        for (i, a), (j, b) in itertools.combinations(enumerate(MODELS), 2):
            pair = found[task, a, b]
            assert pair["eps_min_a_over_b"] == pytest.approx(expected[i, j], abs=1e-12)
            assert pair["eps_min_b_over_a"] == pytest.approx(expected[j, i], abs=1e-12)
            is_decided = min(expected[i, j], expected[j, i]) < 0.2
            assert (pair["better"] is not None) == is_decided


def test_p_values_are_corrected_over_all_tasks(long, run):
    _, out, _ = run("compare", long, "--test", "t", "--format", "json")
    found = decide(out)
    keys = [(t, *pair) for t in TASKS for pair in itertools.combinations(MODELS, 2)]
    tests = [t_test(SCORES[a, t], SCORES[b, t]) for t, a, b in keys]
    adjusted = holm([x.pvalue for x in tests])
    for key, test, q in zip(keys, tests, adjusted, strict=True):
        assert found[key]["adjusted_pvalue"] == pytest.approx(q)
        ahead = key[1] if test.statistic > 0 else key[2]
        assert found[key]["better"] == (ahead if q <= 0.05 else None)


def test_what_is_said_is_what_was_found(long, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    _, text, _ = run("compare", long)
    document = json.loads(run("compare", long, "--format", "json")[1])
    over = {(x["model_a"], x["model_b"]): x for x in document["over_tasks"]["pairs"]}
    for wins, said in zip(document["wins"], document["verdicts"], strict=True):
        a, b = wins["model_a"], wins["model_b"]
        pairs = [x for x in document["pairs"] if {x["model_a"], x["model_b"]} == {a, b}]
        better = [x["better"] for x in pairs]
        counts = {a: better.count(a), b: better.count(b)}
        assert [wins["a_wins"], wins["b_wins"]] == list(counts.values())
        pair = over[a, b]
        assert pair["better"] is None  # of three tasks nothing can be said
        first = said.split()[0]
        if not any(counts.values()):
            assert "inconclusive on all 3 tasks." in said
        else:
            assert f" on {counts[first]} of 3 tasks" in said
    # The answer is about these tasks, and then it is said that they are few.
    said = (
        "3 tasks are too few to generalize to other tasks like these, whatever the "
        "scores: that takes 6 or more."
    )
    head = text.partition("\n\n")[0].splitlines()
    assert "by means over these 3 tasks" in head[1]
    assert head[2:] == [said]
    assert text.count(said) == 1
    same = run("compare", long, "--statistic", "mean")[1]
    assert text.splitlines()[-1] == same.splitlines()[-1]  # the signature
    for style in ("markdown", "latex"):
        shown = run("compare", long, "--format", style)[1]
        assert shown.index("over these 3 tasks") < shown.index("3 tasks are too few")
    paper = run("compare", long, "--format", "sentences")[1]
    assert paper.index("over these 3 tasks") < paper.index("3 tasks are too few")
    assert "at confidence 0.95 for all 9 comparisons together" in text
    assert set(document["tasks"]) == set(TASKS)
    rows = list(csv.DictReader(io.StringIO(run("compare", long, "--format", "csv")[1])))
    names = [*TASKS, "all tasks", "these tasks"]
    assert [x["task"] for x in rows] == [t for t in names for _ in range(3)]
    for x in rows[-6:-3]:  # the verdict over all tasks
        pair = over[x["model_a"], x["model_b"]]
        for key in ("mean_difference", "difference_low", "pvalue", "adjusted_pvalue"):
            assert float(x[key]) == pair[key]
        assert (x["verdict"], x["better"]) == ("inconclusive", "")
        assert (x["n_a"], x["n_b"], x["eps_min_a_over_b"]) == ("3", "3", "")


def test_losses_are_the_other_way_round(long, run):
    higher = decide(run("compare", long, "--test", "t", "--format", "json")[1])
    options = ["--test", "t", "--lower-is-better", "--format", "json"]
    lower = decide(run("compare", long, *options)[1])
    for key, pair in higher.items():
        both = {key[1], key[2]}
        if pair["better"] is not None:
            assert {pair["better"], lower[key]["better"]} == both


def test_losses_are_said_to_be_losses(write, run):
    rows = [f"{m},{k},{i}.{k}" for i, m in enumerate("ab") for k in range(5)]
    path = write("\n".join(["model,seed,test_loss", *rows, ""]))
    _, out, err = run("compare", path, "--lower-is-better", "--format", "sentences")
    assert "may be a loss" not in err
    assert "a is better than b" in out
    assert "; lower test_loss is better" in out


def test_scales_that_are_mixed(write, run):
    rows = [f"a,{k},0.8{k}" for k in range(5)] + [f"b,{k},9{k}.5" for k in range(5)]
    _, _, err = run("compare", write("\n".join(["model,seed,acc", *rows, ""])))
    assert "Scores of 'a' are at most 1, and those of 'b' above 1.5" in err


@pytest.mark.long
def test_no_seed_decides(write, run):
    """The example's bound of 0.098 to 0.155 by seed, and one at the threshold."""
    verdicts = set()
    for seed in range(20):
        code, out, err = run("compare", "--seed", str(seed), "--format", "json")
        assert code == 0
        assert "warning" not in err
        verdicts.add(tuple(x["better"] for x in json.loads(out)["pairs"]))
    assert len(verdicts) == 1


def test_a_bound_at_the_threshold_is_a_toss_up(run):
    """At that of as many resamples as are drawn at most."""
    options = ["compare", "--columns", "forest,wide_network", "--format", "json"]
    document = json.loads(run(*options, "--n-resamples", str(2**18))[1])
    bound = min(x["eps_min_a_over_b"] for x in document["pairs"])
    threshold = ["--threshold", f"{bound:.6f}"]
    code, out, err = run(*options, *threshold)
    assert code == 0
    assert "'wide_network' over 'forest' is" in err
    assert "up to the error of 262,144 resamples" in err
    assert "it is a toss-up, and neither is called better" in err
    assert not any(x["better"] for x in json.loads(out)["pairs"])


def test_a_larger_threshold_says_what_it_costs(run):
    assert "claims less than 0.2" in run("compare", "--threshold", "0.4")[2]
    assert "claims less" not in run("compare", "--threshold", "0.2")[2]


def test_a_gate_compares_with_all_others(run, write):
    rows = [f"0.8{k},0.95{k},0.90{k}" for k in range(1, 9)]
    path = write("\n".join(["a,b,c", *rows]))
    gate = ("--fail-unless-better", "c")
    code, out, err = run("compare", path, "--baseline", "a", *gate)
    assert (code, out) == (2, "")
    assert "--columns c,a" in err
    assert run("compare", path, *gate)[0] == 1
    assert run("compare", path, "--baseline", "a", "--columns", "c,a", *gate)[0] == 0
    assert run("compare", path, "--baseline", "c", *gate)[0] == 1


@pytest.mark.long
@pytest.mark.parametrize("test", ["aso", "permutation", "mann-whitney"])
def test_one_pair_on_many_tasks_has_one_verdict_with_a_baseline(run, write, test):
    """Of so few runs that no level of a task could leave anything."""
    rng = np.random.default_rng(0)
    rows = [
        f"{model},{task},{seed},{lead + rng.normal():.4f}"
        for task in range(26)
        for model, lead in (("a", 8.0), ("b", 0.0), ("c", 8.0))
        for seed in range(5)
    ]
    path = write("\n".join(["model,task,seed,score", *rows]))
    found = []
    shared = ("--test", test, "--format", "json")
    for baseline in ((), ("--baseline", "b")):
        code, out, err = run("compare", path, "--columns", "a,b", *shared, *baseline)
        assert code == 0, err
        found.append([x["better"] for x in json.loads(out)["pairs"]])
    assert found[0] == found[1] == ["a"] * 26
    _, out, _ = run(
        "compare", path, "--test", test, "--baseline", "b", "--format", "json"
    )
    document = json.loads(out)
    assert len(document["pairs"]) == 52
    assert {x["better"] for x in document["pairs"]} == {"a", "c"}


def test_a_baseline_has_a_family_of_its_own(run):
    _, out, _ = run("compare", "--baseline", "linear", "--format", "json")
    document = json.loads(out)
    assert len(document["verdicts"]) == 3
    assert all("linear" in {x["model_a"], x["model_b"]} for x in document["pairs"])
    _, out, _ = run("compare", "--baseline", "linear", "--test", "t")
    assert "Holm's correction for 3 comparisons" in " ".join(out.split())
    code, _, err = run("compare", "--baseline", "cnn")
    assert code == 2
    assert "for --baseline; got 'cnn'. Those in it:" in err


def test_many_tasks_of_few_runs_are_decided_by_their_discovery_rate(write, run):
    """26 games with 5 runs: none at the level of all, but five at the floor are."""
    rows = [
        f"{model},{seed},game{k},{x + 7 * (x % 2) + (20 if is_ahead else k / 9)}"
        for k in range(26)
        for model in "ab"
        for is_ahead in [model == "a" and k < 6]
        for seed in range(5)
        # The same scores in another order, which are no copies.
        for x in [(seed + k) % 5 if model == "a" else 4 - (seed + k) % 5]
    ]
    path = write("\n".join(["model,seed,task,score", *rows, ""]))
    _, out, err = run("compare", path, "--format", "json")
    document = json.loads(out)
    assert document["correction"] == "benjamini_hochberg"
    assert document["wins"][0]["a_wins"] == 6
    assert "(Benjamini-Hochberg)" in document["method"]
    assert "warning" not in err
    # As many as 5 times 2 / C(10, 5) <= 0.05 * 5 / 26 need, of which there are 4.
    rows = [row for row in rows if not row.startswith(("b,0,game4", "b,0,game5"))]
    rows += ["b,0,game4,1000", "b,0,game5,1000"]
    path = write("\n".join(["model,seed,task,score", *rows, ""]))
    _, out, err = run("compare", path, "--format", "json")
    assert "wins" not in json.loads(out) or not json.loads(out)["wins"][0]["a_wins"]
    words = " ".join(err.split())
    assert "can give a p-value below 0.0079. Of 26 comparisons on single tasks" in words
    assert "none is decided: at least 5 would need a p-value that small" in words
    # There is a verdict over 26 tasks: it is no matter for a warning.
    assert "note: With so few scores" in words
    assert err.count("warning") == 2
    assert "Scores on tasks differ in size by a factor of" in err
    assert "1,000 of 'b', task 'game4', run '0' (others: " in words
    _, _, brief = run("compare", path, "--quiet")
    assert "single tasks" not in brief
    assert brief.count("warning") == 2
    # There is none over 5 tasks, but by a statistic, which is that of few tasks.
    few = [x for x in rows if re.search(",[0-3],game[6-9],|,[0-3],game10,", x)]
    path = write("\n".join(["model,seed,task,score", *few, ""]))
    for options in ([], ["--statistic", "mean"]):
        _, _, err = run("compare", path, *options)
        assert "note: With so few scores" in " ".join(err.split())


def test_too_few_items_for_any_verdict(write, run):
    rows = [f"{m},{k},{i + 0.1 * k}" for i, m in enumerate("abc") for k in range(5)]
    path = write("\n".join(["model,item,acc", *rows, ""]))
    _, _, err = run("compare", path)
    assert "test of 5 scores gives p below 0.062, times 3 comparisons" in err
    path = write("\n".join(["model,seed,acc", *rows, ""]))
    _, _, err = run("compare", path, "--test", "permutation")
    assert "No permutation" not in err
    _, _, err = run("compare", path, "--test", "permutation", "--alpha", "0.02")
    assert "gives p below 0.0079, times 3 comparisons" in err


def test_directions_of_a_harness(run):
    folder = Path(__file__).parents[1] / "read" / "files" / "lm_eval"
    names = [str(folder / f"toy-org__model-{x}") for x in "ab"]
    options = ["--metric", "answer_len", "--drop-unmatched"]
    code, out, _ = run("compare", *names, *options)
    assert code == 0
    assert "lower answer_len is better" in " ".join(out.split())
    assert run("compare", *names, *options, "--lower-is-better")[1] == out
    code, _, err = run("compare", *names, *options, "--higher-is-better")
    assert code == 2
    assert "as its tool has it, lower is better; got the other one. Leave out" in err
    options[1] = "acc"
    code, _, err = run("compare", *names, *options, "--lower-is-better")
    assert code == 2
    assert "higher is better; got the other one. Leave out --lower-is-better" in err


def test_a_model_that_lacks_a_task(write, run):
    rows = ["a,x,1", "a,x,2", "a,x,4", "b,x,3", "b,x,5", "b,x,7", "c,y,1", "a,y,3"]
    rows += ["c,z,1", "c,z,2"]
    path = write("\n".join(["model,task,score", *rows, ""]))
    code, out, err = run("compare", path, "--test", "permutation", "--format", "json")
    assert code == 0
    assert {("x", "a", "b"), ("y", "a", "c")} < set(decide(out))
    assert len(decide(out)) == 2 * 2
    assert "task 'z' was left out: only 'c' has scores" in err


def test_many_models_are_ranked(write, run):
    rng = np.random.default_rng(0)
    rows = [
        f"m{k},{t},{k + 0.1 * x:.3f}"
        for k in range(13)
        for t in "xy"
        for x in rng.normal(size=4)
    ]
    path = write("\n".join(["model,task,score", *rows, ""]))
    _, out, _ = run("compare", path, "--test", "t")
    assert "of 156 pairs of 13 models on 2 tasks, one model is better: " in " ".join(
        out.split()
    )
    ranked = [x.split()[0] for x in out.splitlines() if x.strip()[:1] == "m"]
    assert ranked[:3] == ["model", "m12", "m11"]


@pytest.fixture
def items():
    rng = np.random.default_rng(0)
    a = rng.random(40).round(3)
    return a, (a + 0.02 * rng.normal(size=40) - 0.01).round(3)


def test_items_pair_the_models(write, run, items):
    a, b = items
    order = np.random.default_rng(1).permutation(40)
    lines = [{"id": f"q{k:02}", "f1": float(x)} for k, x in enumerate(a)]
    first = write("\n".join(map(json.dumps, lines)), "a.jsonl")
    lines = [{"id": f"q{k:02}", "f1": float(b[k])} for k in order]
    second = write("\n".join(map(json.dumps, lines)), "b.jsonl")
    code, out, _ = run("compare", first, second, "--format", "json")
    assert code == 0
    document = json.loads(out)
    (pair,) = document["pairs"]
    expected = permutation_test(a, b, paired=True, n_resamples=99_999, rng=0)
    # It is exact, of scores of few decimals; these are of random exchanges.
    assert pair["pvalue"] == pytest.approx(float(expected.pvalue), abs=0.01)
    assert pair["mean_difference"] == pytest.approx(float(expected.statistic))
    assert "permutation test of the mean, paired by item" in document["method"]
    _, out, _ = run("compare", first, second, "--test", "t", "--format", "json")
    (pair,) = json.loads(out)["pairs"]
    assert pair["pvalue"] == pytest.approx(float(t_test(a, b, paired=True).pvalue))
    _, _, err = run("compare", first, second, "--test", "aso")
    assert "those of one item in all models are not: use --test permutation" in err


def test_a_wide_table_with_items(write, run, items):
    a, b = items
    rows = [f"q{k},{x},{y}" for k, (x, y) in enumerate(zip(a, b, strict=True))]
    path = write("\n".join(["id,a,b", *rows, ""]))
    assert "--ignore id" in run("compare", path)[2]
    _, out, _ = run("compare", path, "--item", "id", "--format", "json")
    _, expected, _ = run(
        *("compare", path, "--ignore", "id", "--paired", "--test", "permutation"),
        *("--format", "json"),
    )
    # Sorted by item: another order of signs at random.
    found, expected = (json.loads(x)["pairs"][0]["pvalue"] for x in (out, expected))
    assert found == pytest.approx(expected, abs=0.02)


def test_clusters_are_sums_that_are_flipped(write, run):
    """A is ahead in one large cluster, and so over items, and behind in small ones."""
    rows, sums = [], []
    rng = np.random.default_rng(0)
    for k, n in enumerate([60, 1, 1, 2, 1, 1, 1]):
        a = np.full(n, 0.6 if n > 2 else 0.2) + 0.01 * rng.random(n).round(3)
        rows += [f"a,q{k}-{i},c{k},{x}" for i, x in enumerate(a)]
        rows += [f"b,q{k}-{i},c{k},0.5" for i in range(n)]
        sums.append(float(np.sum(a - 0.5)))
    n_items = len(rows) // 2
    path = write("\n".join(["model,item,cluster,acc", *rows, ""]))
    code, out, _ = run("compare", path, "--unit", "cluster", "--format", "json")
    assert code == 0
    document = json.loads(out)
    (pair,) = document["pairs"]
    assert pair["mean_difference"] == pytest.approx(sum(sums) / n_items)
    assert pair["mean_difference"] > 0.05
    signs = np.array(list(itertools.product((1, -1), repeat=len(sums))))
    flipped = signs @ np.abs(sums)
    tails = np.mean(flipped >= sum(sums) - 1e-9), np.mean(flipped <= sum(sums) + 1e-9)
    assert pair["pvalue"] == pytest.approx(min(1.0, 2 * min(tails)), abs=1e-12)
    # Sums of clusters have no median, least or largest score.
    sums = {"median": None, "min": None, "max": None}
    assert sums.items() <= document["models"]["a"].items()
    assert "test of the mean over items, paired by cluster" in document["method"]
    _, out, _ = run("compare", path, "--test", "permutation", "--format", "json")
    (of_items,) = json.loads(out)["pairs"]
    assert of_items["pvalue"] == pytest.approx(pair["pvalue"], abs=1e-12)
    of_clusters = ("--unit", "cluster")
    _, out, _ = run("compare", path, *of_clusters, "--test", "t", "--format", "json")
    said = "paired t-test by cluster of the mean over items, two-sided"
    assert json.loads(out)["method"].startswith(said)


def test_a_task_that_is_lost_is_not_counted_as_won(write, run):
    """Two-sided p-values are small on all four tasks; A is ahead on one."""
    rng = np.random.default_rng(0)
    rows = [
        f"{model},{task},{seed},{rng.normal(3.0 * is_ahead, 1.0):.4f}"
        for task, ahead in (("w", "A"), ("x", "B"), ("y", "B"), ("z", "B"))
        for model in "AB"
        for seed in range(12)
        for is_ahead in [model == ahead]
    ]
    path = write("\n".join(["model,task,seed,f1", *rows, ""]), "t.csv")
    for test in ("aso", "t", "permutation", "mann-whitney"):
        arguments = ["compare", path, "--test", test, "--format", "json"]
        (wins,) = json.loads(run(*arguments)[1])["wins"]
        assert wins == {"model_a": "B", "model_b": "A", "a_wins": 3, "b_wins": 1}
