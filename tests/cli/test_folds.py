"""`--fold`: folds of cross-validation, compared by t, corrected for what is shared."""

import json
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from sigarray import compare_models, read
from tests.pairs import in_order
from tests.read.asking import refuse


def draw(n_folds, n_repetitions=1, models="ab"):
    rng = np.random.default_rng(n_folds)
    shared = rng.normal(0.8, 0.02, (n_repetitions, n_folds))
    own = rng.normal(0.0, 0.02, (len(models), n_repetitions, n_folds))
    return shared + own


def make_frame(scores, models="ab"):
    rows = [(models[j], r, k, x) for (j, r, k), x in np.ndenumerate(scores)]
    return pd.DataFrame(rows, columns=["model", "repeat", "fold", "accuracy"])


def expect(scores, share):
    """By Nadeau and Bengio (2003): the variance of a mean is that of n and of what
    training sets share."""
    d = (scores[0] - scores[1]).reshape(-1)
    error = math.sqrt(d.var(ddof=1) * (1.0 / len(d) + share / (1.0 - share)))
    return 2.0 * scipy.stats.t.sf(abs(d.mean()) / error, len(d) - 1)


@pytest.mark.parametrize(("n_folds", "n_repetitions"), [(3, 1), (10, 1), (5, 4)])
def test_the_share_is_that_of_the_folds(write, run, n_folds, n_repetitions):
    scores = draw(n_folds, n_repetitions)
    frame = make_frame(scores).sample(frac=1.0, random_state=0)
    options = ("--run", "repeat", "--fold", "fold")
    if n_repetitions == 1:
        frame, options = frame.drop(columns="repeat"), options[2:]
    path = write(frame.to_csv(index=False))
    code, out, err = run("compare", path, *options, "--format", "json")
    assert code == 0, err
    document = json.loads(out)
    (pair,) = in_order(document["pairs"], "ab")
    assert pair["pvalue"] == pytest.approx(expect(scores, 1.0 / n_folds))
    assert f"each of {n_folds} folds was tested on {1 / n_folds:.3g} of the" in err
    assert "pool" not in document["method"]
    assert "warning" not in err
    verified = run("compare", path, *options, "--verify", document["signature"])
    assert verified[0] == 0, verified


def test_a_column_for_each_model(write, run):
    scores = draw(5)
    frame = pd.DataFrame(scores[:, 0].T, columns=[*"ab"])
    frame.insert(0, "fold", range(5))
    path = write(frame.to_csv(index=False))
    code, out, err = run("compare", path, "--fold", "fold", "--format", "json")
    assert code == 0, err
    (pair,) = in_order(json.loads(out)["pairs"], "ab")
    assert pair["pvalue"] == pytest.approx(expect(scores, 0.2))


def test_in_python():
    scores = draw(5, 4)
    table = read.scores(make_frame(scores), run="repeat", fold="fold")
    assert (table.n_folds, table.unit, table.is_paired) == (5, "run", True)
    result = compare_models(table)
    assert result.to_frame()["pvalue"][0] == pytest.approx(expect(scores, 0.2))
    assert any("models are compared by test='t'" in x for x in result.notes)
    said = compare_models(table, test_share=0.19)
    assert said.to_frame()["pvalue"][0] == pytest.approx(expect(scores, 0.19))
    with pytest.raises(ValueError, match=r"test='t' with fold='fold', .* test='aso'"):
        compare_models(table, test="aso")


def test_folds_that_are_numbered_over_repetitions(write, run):
    """Their share is not that of all of them."""
    scores = draw(50)
    path = write(make_frame(scores).drop(columns="repeat").to_csv(index=False))
    done = run("compare", path, "--fold", "fold")
    refuse(done, "2 to 20 folds of a repetition", "got 50", "--run", "--test-share")
    options = ("--fold", "fold", "--test-share", "0.1", "--format", "json")
    code, out, err = run("compare", path, *options)
    assert code == 0
    assert "warning" not in err
    (pair,) = in_order(json.loads(out)["pairs"], "ab")
    assert pair["pvalue"] == pytest.approx(expect(scores, 0.1))


def test_items_of_folds_are_averaged(write, run):
    rows = [
        (m, k, 10 * k + i, (7 * i + 3 * k * (m == "a")) % (5 + k) < 2)
        for m in "ab"
        for k in range(4)
        for i in range(10)
    ]
    frame = pd.DataFrame(rows, columns=["model", "fold", "item", "correct"])
    path = write(frame.astype({"correct": int}).to_csv(index=False))
    code, out, err = run("compare", path, "--fold", "fold", "--format", "json")
    assert code == 0, err
    means = frame.groupby(["model", "fold"])["correct"].mean().unstack()
    (pair,) = in_order(json.loads(out)["pairs"], "ab")
    assert pair["pvalue"] == pytest.approx(expect(means.to_numpy()[:, None], 0.25))


def test_seeds_with_folds_of_their_own(write, run):
    """Names of folds may be those of one seed; the share is that of its folds."""
    scores = draw(5, 4)
    frame = make_frame(scores).rename(columns={"repeat": "seed"})
    frame["fold"] += 5 * frame["seed"]
    path = write(frame.to_csv(index=False))
    advice = ("--run", "seed", "--fold", "fold")
    refuse(run("compare", path), f"Pass {' '.join(advice)}; or --run seed,fold")
    code, out, err = run("compare", path, *advice, "--format", "json")
    assert code == 0, err
    (pair,) = in_order(json.loads(out)["pairs"], "ab")
    assert pair["pvalue"] == pytest.approx(expect(scores, 0.2))


@pytest.mark.parametrize(("tasks", "score"), [("", "accuracy"), ("pq", "score")])
def test_models_with_seeds_of_their_own(write, run, tasks, score):
    """Folds are pairs of means over these, by the line that the message has."""
    frame = make_frame(draw(5, 4)).rename(columns={"repeat": "seed", "accuracy": score})
    frame["seed"] += 4 * (frame["model"] == "b")
    frame["note"] = "text"
    if tasks:
        every = [
            frame.assign(dataset=x, score=frame[score] + (x == "p")) for x in tasks
        ]
        frame = pd.concat(every)
    path = write(frame.to_csv(index=False))
    by = ["model", *["dataset"] * bool(tasks), "fold"]
    line = f"frame.groupby({by})[[{score!r}]].mean()"
    refuse(run("compare", path), f"take its mean, {line}, and pass --fold fold")
    path = write(eval(line, {"frame": frame}).to_csv())
    code, out, err = run("compare", path, "--fold", "fold")
    assert code == 0, err
    assert "each of 5 folds was tested on 0.2" in err
    assert ("2 tasks" in out) == bool(tasks)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--fold", "flod"], ["no column 'flod' (--fold)", "mean 'fold'"]),
        (["--fold=fold", "--run=repeat", "--test=aso"], ["--test t with --fold fold"]),
        (["--fold", "fold", "--unit", "item"], ["--fold fold with a", "--unit item"]),
        (["--fold", "fold"], ["'repeat'", "--run repeat --fold fold"]),
    ],
)
def test_what_is_refused(write, run, options, parts):
    path = write(make_frame(draw(5, 4)).to_csv(index=False))
    refuse(run("compare", path, *options), *parts)


def test_power(write, run):
    path = write(make_frame(draw(5, 4)).to_csv(index=False))
    options = ("--run", "repeat", "--fold", "fold", "--n-samples", "50")
    code, out, _ = run("power", path, *options)
    assert code == 0
    assert "split" in out


PATTERNS = [
    ("{model}_fold{fold}", "{model}{run}", "{model}_fold{fold}"),
    ("fold{fold}_{model}", "fold{run}_{model}", "fold{fold}_{model}"),
    ("{task}_fold{fold}", "{task}_fold{run}", "{task}_fold{fold}"),
    ("fold{fold}_seed{run}", "{task}_seed{run}", "fold{fold}_seed{run}"),
    ("seed{run}_fold{fold}", "{task}_fold{run}", "seed{run}_fold{fold}"),
]


@pytest.mark.parametrize(("names", "wrong", "pattern"), PATTERNS)
def test_folds_in_names_of_columns(write, run, names, wrong, pattern):
    """What is advised reads them; and a pattern of runs or tasks is warned of."""
    scores = draw(5, 4, "abc")
    columns = {} if "{model}" in names else {"model": ["ma", "mb", "mc"]}
    for m, r, k in np.ndindex(scores.shape):
        of = {"model": f"m{'abc'[m]}", "run": r, "fold": k, "task": f"t{'abcd'[r]}"}
        cells = scores[m, :, k] if "{model}" in names else scores[:, r, k]
        columns[names.format_map(of)] = cells
    path = write(pd.DataFrame(columns).to_csv(index=False))
    of_runs = ("--run", "run") if "{run}" in pattern else ()
    options = ("--columns", pattern, *of_runs, "--fold", "fold")
    said = f"--columns '{pattern}' {' '.join(options[2:])}"
    assert said in run("compare", path)[2]
    code, _, err = run("compare", path, *options)
    assert code == 0, err
    assert "each of 5 folds was tested on 0.2" in err
    assert "write {fold}; pass --fold" not in err
    err = run("compare", path, "--columns", wrong)[2]
    assert "for the number of a fold, write {fold}; pass --fold fold" in err


@pytest.mark.parametrize("name", ["fold", "acc_fold", "fold_"])
def test_a_column_for_each_fold(write, run, name):
    scores = draw(5)
    columns = [f"{name}{k}" for k in range(5)]
    frame = pd.DataFrame(scores[:, 0], [*"ab"], columns).rename_axis("model")
    path = write(frame.to_csv())
    refuse(run("compare", path), "Pass --fold fold; or")
    code, out, err = run("compare", path, "--fold", "fold", "--format", "json")
    assert code == 0, err
    (pair,) = in_order(json.loads(out)["pairs"], "ab")
    assert pair["pvalue"] == pytest.approx(expect(scores, 0.2))
    refuse(run("compare", path, "--fold", "flod"), "no column 'flod' (--fold)")


def test_files_of_folds_that_are_ignored(run, tmp_path):
    for k, cells in enumerate(draw(5)[:, 0].T):
        frame = pd.DataFrame({"model": [*"ab"], "accuracy": cells})
        frame.to_csv(tmp_path / f"fold{k}.csv", index=False)
    code, _, err = run("compare", str(tmp_path), "--ignore", "fold")
    assert code == 0, err
    assert err.count("training data overlap, pass --fold fold") == 1


def test_files_of_folds_with_a_column_for_each_model(run, tmp_path):
    for k in range(5):
        rows = [(f"{k}.{i}", i % 3 < 2, (i + k) % 2, i % 4 > k % 2) for i in range(8)]
        frame = pd.DataFrame(rows, columns=["item", "resnet", "vit", "swin"])
        frame.map(lambda x: x if isinstance(x, str) else int(x)).to_csv(
            tmp_path / f"fold{k}.csv", index=False
        )
    options = ("compare", str(tmp_path), "--fold", "fold")
    refuse(run(*options), "of a model, pass --columns '{model}', too")
    code, _, err = run(*options, "--columns", "{model}")
    assert code == 0, err
    assert "each model has 5 runs" in err
