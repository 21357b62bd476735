"""Runs that pool values of a setting, as those of a sweep do."""

import random
import warnings

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv

SHARED = (1e-4, 1e-3, 1e-2)


def sweep(lrs, *, effect=0.03, name="lr", seed=0):
    """Three runs of each learning rate, of models that are equal at every one."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            model,
            s,
            x,
            round(0.8 - effect * abs(np.log10(x) + 3) + rng.normal(0, 0.006), 5),
        )
        for model, of_model in lrs.items()
        for x in of_model
        for s in range(3)
    ]
    return as_csv(rows, f"model,seed,{name},acc")


def test_models_with_other_values_are_doubted_with_what_to_pass(write, run):
    path = write(sweep({"a": (1e-4, 3e-4, 1e-3, 1e-2), "b": (3e-4, 1e-3)}, effect=0))
    table = read.scores(path, run="seed,lr")
    (doubt,) = table.doubts
    assert "'b' lacks '0.0001', '0.01'. So a difference may be due to 'lr'" in doubt
    assert table.settings == {"lr": 4}
    with pytest.warns(UserWarning, match="runs of all values of 'lr' are pooled"):
        result = compare_models(table)
    assert "Runs of a model pool 4 values of lr" in result.method
    code, _, err = run("compare", path)
    assert code == 2
    assert "--run seed,lr" not in err
    for remedy in ("--where lr=0.0003,0.001", "--task lr --run seed"):
        assert remedy in run("compare", path, "--run", "seed,lr")[2]
    pooled = ("--run", "seed,lr", "--where", "lr=0.0003,0.001")
    code, out, err = run("compare", path, *pooled)
    assert (code, "warning" in err) == (0, False)
    assert "Runs of a model pool 2 values of lr" in " ".join(out.split())
    assert run("compare", path, "--task", "lr", "--run", "seed")[0] == 0


def test_runs_of_one_value_are_no_runs_of_their_own(write, run):
    path = write(sweep({"a": (1e-4, 4e-4, 9e-3), "b": (2e-4, 1e-3, 3e-3)}))
    said = "--run lr --item seed --unit run"
    with pytest.raises(TableError, match=r"run='lr', item='seed', unit='run'"):
        read.scores(path)
    code, _, err = run("compare", path, "--run", "seed,lr")
    assert (code, said in err, "are alike, more than by chance" in err) == (
        0,
        True,
        True,
    )
    code, out, err = run("compare", path, *said.split())
    assert (code, "warning" in err) == (0, False)
    assert "mean over 3 items" in " ".join(out.split())


@pytest.mark.parametrize(
    ("lrs", "options"),
    [
        ({"a": SHARED, "b": SHARED}, {}),  # as varied in both
        ({"a": (1e-4, 4e-4, 9e-3), "b": (2e-4, 1e-3, 3e-3)}, {"effect": 0.0}),
        ({"a": (1, 2, 3), "b": (1, 2)}, {"effect": 0.0, "name": "part"}),  # numbers
    ],
)
def test_others_are_not(write, lrs, options):
    text = sweep(lrs, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read.scores(write(text), run=f"seed,{options.get('name', 'lr')}")
    assert table.doubts == ()


def test_a_search_with_values_of_each_run_is_not(write):
    rng = np.random.default_rng(0)
    rows = [
        (m, s, 10 ** rng.uniform(-4, -2), rng.normal()) for m in "ab" for s in range(9)
    ]
    path = write(as_csv(rows, "model,seed,lr,acc"))
    assert read.scores(path, run="seed,lr").doubts == ()


def test_rows_to_take_are_of_all_models(write):
    """The largest value was that of one model alone."""
    text = sweep({"a": (1e-3, 1e-2), "b": (1e-3,)}).splitlines()
    names = [f"r{k},{x}" for k, x in enumerate(text[1:])]
    table = read.scores(write("\n".join([f"Name,{text[0]}", *names])), run="Name")
    (note,) = [x for x in table.notes if "runs of one model differ" in x]
    assert note.endswith("take some with --where lr=0.001")


class TestSecondCurves:
    """Runs of two settings whose steps never coincide, as those of episodes."""

    def grow(self, settings=(3e-4, 1e-3), n=6):
        draw = np.random.default_rng(0)
        return [
            f"{m},{s},{lr},{k * 1000 - draw.integers(0, 400)},{draw.random():.4f}"
            for lr in settings
            for m in "ab"
            for s in range(5)
            for k in range(1, n)
        ]

    def write_rows(self, write, rows, name="learning_rate"):
        return write("\n".join([f"model,seed,{name},step,return", *rows]))

    def test_a_setting_that_tells_them_apart_is_asked_about(self, write, run):
        path = self.write_rows(write, self.grow())
        done = run("compare", path, "--metric", "return")
        refuse(done, "begin anew, as those of 10 of 10 runs", "'learning_rate' tells")
        for way in ("--where learning_rate=0.001", "--model model,learning_rate"):
            code, _, err = run("compare", path, "--metric", "return", *way.split())
            assert code == 0, err
            assert "anew" not in err

    def test_without_one_it_is_a_warning(self, write, run):
        rows = [x.replace("0.0003,", "1,").replace("0.001,", "1,") for x in self.grow()]
        code, _, err = run("compare", self.write_rows(write, rows), "--metric=return")
        assert code == 0, err
        assert "begin anew, as those of 10 of 10 runs: several curves have one" in err

    def test_runs_in_any_order_have_one(self, write, run):
        rows = self.grow((1,))
        for seed in range(5):
            random.Random(seed).shuffle(rows)
            path = self.write_rows(write, rows)
            assert "anew" not in run("compare", path, "--metric", "return")[2]

    def test_a_run_that_was_resumed_has_one(self, write, run):
        rows = [
            f"{m},{s},1,{k},{(k * s) % 7}"
            for m in "ab"
            for s in range(5)
            for k in [*range(1, 8), *range(6, 12)]
        ]
        rows = [x for k, x in enumerate(rows) if k % 13 not in (7, 8)]
        path = self.write_rows(write, rows)
        assert "anew" not in run("compare", path, "--metric", "return")[2]
