"""Runs that end before the steps that were chosen, and what answers the question."""

import json
import re

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse


def make_curves(step="step", run="seed", *, ends=(), last=10, seed=0, more=""):
    """Two models of five runs; some (model, run) end at another step."""
    draw = np.random.default_rng(seed)
    ends = dict(ends)
    return "\n".join(
        [f"model,{run},{step},acc{more and ',item'}"]
        + [
            f"{m},r{k},{100 * t},{t / 100 + draw.normal(0, 0.01):.5f}{more}"
            for m in "ab"
            for k in range(5)
            for t in range(1, ends.get((m, k), last) + 1)
        ]
    )


EARLY = {("a", 3): 4}
# Not much earlier than others.
LATE = {("a", 3): 9}


@pytest.mark.parametrize(
    ("step", "run_column", "ends"),
    [
        ("step", "seed", EARLY),
        ("global_step", "seed", EARLY),
        ("env_steps", "seed", LATE),
        ("step", "which", LATE),
    ],
)
def test_a_run_without_the_chosen_step_is_asked_about(
    write, run, step, run_column, ends
):
    path = write(make_curves(step, run_column, ends=ends))
    end = 100 * ends["a", 3]
    options = (path, "--where", f"{step}=1000", "--run", run_column)
    done = run("compare", *options)
    refuse(
        done, f"before {step} 1000 (--where); got 1 of 10: 'a', run 'r3', at", "worst"
    )
    found = {}
    for missing in ("drop", "worst", "keep"):
        done = run("compare", *options, "--missing", missing, "--format", "json")
        assert done[0] == 0, done[2]
        found[missing] = json.loads(done[1])["models"]["a"]
    assert [x["n"] for x in found.values()] == [4, 5, 5]
    # What it had logged is the worst, and that is its score.
    if end < 900:
        assert found["worst"]["mean"] == found["keep"]["mean"] < found["drop"]["mean"]
    err = run("compare", *options, "--missing", "keep")[2]
    assert f"(from {end} to 1000)" in err or f"({end} to 1000)" in err
    assert f"9 of {90 + end // 100} rows have" in err


def test_also_in_python(write):
    path = write(make_curves(ends=EARLY))
    where = {"step": ["1000"]}
    with pytest.raises(TableError, match=r"before step 1000 .*missing='drop'"):
        read.scores(path, where=where)
    table = read.scores(path, where=where, missing="drop")
    assert table.n_missing == {"": {"a": 1}}
    with pytest.raises(
        TableError, match=r"at one step with where=\{'step': \['400'\]\}"
    ):
        read.scores(path)
    assert len(read.scores(path, where={"step": ["400"]}).scores["a"]) == 5
    table = read.scores(path, where={"step": ["200", "1000"]}, missing="keep")
    assert len(table.scores["a"]) == 5


def test_what_has_the_step_is_not_asked_about(write, run):
    for options in ((), ("--where", "step=400"), ("--where", "step=100,200")):
        ends = EARLY if options else {}
        code, _, err = run("compare", write(make_curves(ends=ends)), *options)
        assert code == 0, err
    # Runs that log other steps have gone on.
    rows = make_curves().splitlines()
    rows = [x for x in rows if not re.match("b,r[12],500,", x)]
    code, _, err = run("compare", write("\n".join(rows)), "--where", "step=500")
    assert code == 0, err
    assert "runs without a row of step=500 were left out: 'b', run 'r1'" in " ".join(
        err.split()
    )


def test_questions_and_doubts_name_what_answers_them(write, run):
    path = write(make_curves(ends=EARLY))
    refuse(
        run("compare", path), "--missing drop", "Or compare all at one step with --wh"
    )
    code, _, err = run("compare", path, "--where", "step=400")
    assert code == 0, err
    path = write(make_curves(ends={("a", 3): 8, ("b", 1): 7}))
    code, _, err = run("compare", path)
    said = " ".join(err.split())
    assert (
        "; or compare all at one step with --where step=700; or, without what" in said
    )
    assert "ends earlier, at one step with --where step=1000 --missing drop" in said
    for options in (["step=700"], ["step=1000", "--missing", "drop"]):
        code, out, err = run("compare", path, "--where", *options, "--format", "json")
        assert code == 0, err
        assert "another step" not in err
        n = [x["n"] for x in json.loads(out)["models"].values()]
        assert sum(n) == 10 - 2 * (len(options) > 1)


@pytest.mark.parametrize(("gap", "is_said"), [(9000, False), (27000, True)])
def test_ends_within_a_hundredth_are_the_same(write, run, gap, is_said):
    rows = make_curves().splitlines()
    ends = [10**6 - k * gap // 9 for k in range(10)]
    places = [k for k, x in enumerate(rows) if ",1000," in x]
    for k, end in zip(places, ends, strict=True):
        rows[k] = rows[k].replace(",1000,", f",{end},")
    code, _, err = run("compare", write("\n".join(rows)))
    assert code == 0
    assert ("end at" in err) == is_said, err


def test_half_of_the_way_is_from_the_first_step(write):
    rows = [
        f"{m},r{k},{t},0.{70 + k}"
        for m in "ab"
        for k in range(4)
        for t in range(18000, 30001 if (m, k) == ("a", 3) else 45001, 3000)
    ]
    path = write("\n".join(["model,seed,step,acc", *rows]))
    said = (
        "before half of the others' way from step 18000 on; got 1 of 8: 'a', run 'r3'"
    )
    with pytest.raises(TableError, match=re.escape(said)):
        read.scores(path)


@pytest.mark.parametrize(("crash", "is_asked"), [(None, False), (15, True)])
def test_ends_of_early_stopping(write, crash, is_asked):
    """Each run ends by itself; a crash is before half of the way of all others."""
    ends = [56, 38, 47, 55, 52, 50, 58, 49, 71, 53]
    ends[1] = crash or ends[1]
    rows = [
        f"{'ab'[k % 2]},{k // 2},{x},0.{70 + 7 * k % 10}" for k, x in enumerate(ends)
    ]
    path = write("\n".join(["model,seed,epoch,acc", *rows]))
    if is_asked:
        with pytest.raises(TableError, match="got 1 of 10: 'b', run '0', at epoch 15"):
            read.scores(path)
    else:
        assert len(read.scores(path).scores["a"]) == 5
