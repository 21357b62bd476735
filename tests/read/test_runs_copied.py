"""Copies of runs under other names, and checkpoints of one run."""

import re

import numpy as np
import pytest

from sigarray import read
from sigarray.read._runs import doubt_repeats, say_alike_runs
from sigarray.read._score_table import ScoreTable
from tests.read.asking import wide_table

DRAW = np.random.default_rng(0)


class TestRunsUnderOtherNames:
    """Five runs are listed twice, as seeds 0 to 9."""

    def test_they_are_warned_of(self, write, run):
        x = np.tile(DRAW.normal(0.85, 0.01, (2, 5)).round(4), 2)
        for column in ("seed", "run"):
            rows = [f"{'ab'[m]},{k},{y}" for (m, k), y in np.ndenumerate(x)]
            path = write("\n".join([f"model,{column},acc", *rows]))
            _, _, err = run("compare", path)
            said = " of 'a' and 0.8"
            assert "repeated more often than in independent runs, such as 0.8" in err
            assert said in err

    @pytest.mark.parametrize("is_wide", [False, True])
    def test_of_one_model_alone(self, write, is_wide):
        a, b = DRAW.normal(0.85, 0.01, 10), np.repeat(DRAW.normal(0.85, 0.01, 5), 2)
        rows = [f"{x:.4f},{y:.4f}" for x, y in zip(a, b, strict=True)]
        if not is_wide:
            rows = [f"{'ab'[k]},{y}" for x in rows for k, y in enumerate(x.split(","))]
        path = write("\n".join(["a,b" if is_wide else "model,acc", *rows]))
        (doubt,) = read.scores(path).doubts
        assert "such as 0.8" in doubt
        assert " of 'b', and each counts" in doubt

    @pytest.mark.parametrize(
        "scores",
        [
            np.r_[np.full(8, 0.5271), DRAW.normal(0.7, 0.01, 6).round(4)],  # failures
            np.r_[[500.0] * 6, [200.0] * 5, DRAW.normal(300, 50, 6).round(1)],  # bounds
            np.full(10, 0.8512),  # deterministic
            [0.8512, 0.8512, 0.852, 0.8512, 0.852, 0.8512],  # nearly so
            [0.81, 0.82, 0.83] * 2,
        ],
    )
    def test_scores_that_may_be_of_other_runs(self, scores):
        tasks = {"": {"a": np.asarray(scores), "b": DRAW.normal(0.7, 0.01, 10)}}
        assert not doubt_repeats(tasks, "table")

    @pytest.mark.parametrize("n", [6, 20, 50])
    def test_healthy_runs_seldom_repeat(self, n):
        rng = np.random.default_rng(n)
        found = []
        for _ in range(40):
            x = rng.normal(0.85, 0.01, (2, n))
            every = [x.round(k) for k in (2, 3, 4)]
            every += [(rng.binomial(k, x) / k).round(4) for k in (50, 200, 600)]
            every += [(rng.binomial(600, x) / 600).round(3), (100.0 * x).round(1)]
            every += [np.where(x > 0.85, x, 0.5 + 0.3 * (x - 0.85)).round(3)]
            found += [doubt_repeats({"": {"a": y[0], "b": y[1]}}, "t") for y in every]
        assert sum(map(bool, found)) <= 0.01 * len(found)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("seed{}_step{}", True),
        ("s{}-ckpt{}", True),
        ("run{}/epoch{}", True),
        ("checkpoint_{1}_of_{0}", True),
        ("step{1}", False),  # of nothing that is named
        ("seed{}_timestep{}", False),
        ("seed{}_fold{}", False),
    ],
)
@pytest.mark.parametrize("is_wide", [False, True])
def test_checkpoints_of_one_run_are_warned_of(write, name, is_one, is_wide):
    names = [name.format(k, s) for k in range(3) for s in (100, 200)]
    names = list(dict.fromkeys(names))
    rows = [f"{x},{DRAW.random()},{DRAW.random()}" for x in names]
    if not is_wide:
        rows = [f"{x},{m},{DRAW.random()}" for m in "ab" for x in names]
    path = write("\n".join(["run,a,b" if is_wide else "run,model,acc", *rows]))
    doubts = read.scores(path, run="run").doubts
    assert any("seem to be checkpoints of one training" in x for x in doubts) is is_one


class TestPairs:
    """Runs of one name in two models, which may share a seed."""

    @staticmethod
    def tabulate(shared, models="ab", n=10, name="seed"):
        rng = np.random.default_rng(0)
        parts = rng.standard_normal(n)
        rows = [
            f"{m},{k},{shared * parts[k] + rng.standard_normal():.4f}"
            for m in models
            for k in range(n)
        ]
        return "\n".join([f"model,{name},acc", *rows])

    def test_alike_runs_are_noted(self, write, run):
        path = write(self.tabulate(9.0))
        out = run("compare", path)[2]
        assert "runs of one name are good or bad together in both models" in out
        assert "pass --paired, which tests the differences of such pairs" in out
        code, _, err = run("compare", path, "--paired")
        assert code == 0, err
        assert "good or bad together" not in err

    def test_of_several_models(self, write, run):
        """Of 4 models, 5 runs that correlate by 0.9 were noted in 86 % of tables."""
        path = write(self.tabulate(9.0, models="abcd", n=5))
        out = run("compare", path)[2]
        assert "good or bad together in all models" in out
        assert "pass --paired --test t, which" in out
        code, _, err = run("compare", path, "--paired", "--test", "t")
        assert code == 0, err
        assert "good or bad together" not in err

    @pytest.mark.parametrize(
        "options",
        [{"models": "abc", "n": 4}, {"n": 5}, {"shared": 0.0}, {"name": "item"}],
    )
    def test_others_are_not(self, write, run, options):
        path = write(self.tabulate(**{"shared": 9.0} | options))
        assert "good or bad together" not in run("compare", path)[2]

    @pytest.mark.parametrize("shared", [0.0, 9.0])
    @pytest.mark.parametrize("statistic", [[], ["--statistic", "mean"]])
    def test_on_several_tasks(self, write, run, shared, statistic):
        """Each task has seeds of its own, which say little alone."""
        rng = np.random.default_rng(0)
        rows = [
            [task, k, *np.round(rng.normal(shared * rng.normal(), 1.0, 3), 3)]
            for task in ("a", "b", "c")
            for k in range(5)
        ]
        path = write(wide_table("dataset,seed,x,y,z", rows))
        command = ["compare", path, "--task", "dataset", *statistic]
        code, _, err = run(*command)
        assert code == 0, err
        assert ("together in all models on each task" in err) is bool(shared)
        code, _, err = run(*command, "--paired", "--test", "t")
        assert code == 0, err
        assert "together" not in err

    @pytest.mark.parametrize("n_tasks", [1, 3, 7])
    def test_a_run_that_lacks_a_model(self, write, run, n_tasks):
        """A crashed run silenced the note; the options that it names decide more."""
        rng = np.random.default_rng(0)
        rows = [
            [f"task{t}", k, *np.round(rng.normal(0, 9) + rng.normal([0, 0, 4, 9]), 3)]
            for t in range(n_tasks)
            for k in range(5)
        ]
        rows[2][3] = ""
        path = write(wide_table("dataset,seed,w,x,y,z", rows))
        command = ["compare", path, "--task", "dataset"]
        code, out, err = run(*command)
        assert code == 0, err
        mean = " --statistic mean" if n_tasks == 3 else ""
        (options,) = re.findall(r"pass (--paired.*), which", err)
        assert options == f"--paired --test t{mean} --drop-unmatched"
        code, paired, err = run(*command, *options.split())
        assert code == 0, err
        assert "together in all models" not in err
        if n_tasks < 7:
            assert paired.count("inconclusive") < out.count("inconclusive")
        if n_tasks == 3:
            assert "Ranking by means over these 3 tasks: z > y > " in paired

    @pytest.mark.parametrize(
        ("n_tasks", "of_tasks", "lacking"),
        [(1, 0.0, 0), (3, 0.0, 0), (3, 1.0, 0), (1, 0.0, 1), (3, 1.0, 2)],
    )
    @pytest.mark.long
    def test_independent_runs_are_seldom_noted(self, n_tasks, of_tasks, lacking):
        """In at most 1 % of tables, though runs of a model go together over tasks.

        Of 2 to 20 models on 1 to 20 tasks, 0.3 to 1.1 % were measured, and 0.2 to 1.2 %
        where runs are lacking.
        """
        rng = np.random.default_rng(0)
        ids, tasks = tuple(map(str, range(8))), [*map(str, range(n_tasks))]
        n_noted = 0
        for _ in range(1000):
            runs = of_tasks * rng.standard_normal((2, 8))
            scores = runs + rng.standard_normal((n_tasks, 2, 8))
            scores[0, 1, :lacking] = np.nan
            table = ScoreTable(
                {
                    t: dict(zip("ab", x, strict=True))
                    for t, x in zip(tasks, scores, strict=True)
                },
                {t: {"a": ids, "b": ids} for t in tasks},
                *("run", False, "acc", "a table", "scores.csv", ()),
            )
            n_noted += bool(say_alike_runs(table))
        assert n_noted <= 15
