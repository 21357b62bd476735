"""Tables with a column for each model, and one of tasks."""

import random

import pytest


class TestTasks:
    """A column of tasks, beside columns of models."""

    def rows(self, n_tasks=3, n_runs=6):
        draw = random.Random(4)
        for task in range(n_tasks):
            for k in range(n_runs):
                scores = [f"{task + draw.uniform(0.4, 0.6):.4f}" for _ in "ab"]
                yield [f"t{task}", f"s{k}", *scores]

    def write_both(self, write, rows):
        wide = write("\n".join(["task,seed,a,b", *map(",".join, rows)]), "wide.csv")
        long = [
            f"{m},{task},{seed},{x}"
            for task, seed, *scores in rows
            for m, x in zip("ab", scores, strict=True)
        ]
        return wide, write("\n".join(["model,task,seed,score", *long]), "long.csv")

    @pytest.mark.parametrize("options", [("--run", "seed"), ("--item", "seed")])
    def test_they_are_compared_as_those_of_long_tables(self, write, run, options):
        wide, long = self.write_both(write, list(self.rows()))
        options = (*options, "--task", "task", "--format", "csv")
        code, out, err = run("compare", wide, *options)
        assert code == 0, err
        assert out == run("compare", long, *options)[1]
        some = run("compare", wide, *options, "--tasks", "t0,t2")
        assert some[:2] == run("compare", long, *options, "--tasks", "t0,t2")[:2]
        code, _, err = run("compare", wide, *options, "--tasks", "t9")
        assert code == 2
        assert "got 't9', and 't0', 't1', 't2'" in err

    def test_the_questions_lead_there(self, write, run):
        wide, _ = self.write_both(write, list(self.rows()))
        assert "--ignore seed" in run("compare", wide)[2]
        assert "--task 'task'" in run("compare", wide, "--ignore", "seed")[2]
        assert "--task 'task'" in run("compare", wide, "--item", "task")[2]
        code, _, err = run("compare", wide, "--ignore", "seed", "--task", "task")
        assert code == 0, err
        assert "taken together" not in err

    def test_a_model_may_lack_a_task(self, write, run):
        rows = [[*x[:3], "" if x[0] == "t1" else x[3], x[3]] for x in self.rows()]
        path = write("\n".join(["task,seed,a,b,c", *map(",".join, rows)]))
        code, _, err = run("compare", path, "--task", "task", "--run", "seed")
        assert code == 0, err
        assert "task 't1' has no scores of 'b'" in err
        two = write("\n".join(["task,seed,a,b", *(",".join(x[:4]) for x in rows)]))
        code, _, err = run("compare", two, "--task", "task", "--run", "seed")
        assert code == 0, err
        assert "task 't1' was left out: only 'a' has scores" in err
        options = ("--task", "task", "--run", "seed", "--tasks", "t1")
        assert "models with scores of one task" in run("compare", two, *options)[2]

    def test_what_is_left_out_is_doubted(self, write, run):
        wide, _ = self.write_both(write, list(self.rows()))
        for options in (("--ignore", "seed,task"), ("--columns", "a,b")):
            _, _, err = run("compare", wide, *options)
            assert "column 'task' was left out, and each of its rows" in err
            assert "pass --task task" in err
        once = write("dataset,a,b\nx,.1,.2\ny,.5,.7\nz,.3,.3\n", "once.csv")
        _, _, err = run("compare", once, "--ignore", "dataset")
        assert "--item dataset" in err
        assert run("compare", once, "--item", "dataset")[0] == 0

    def test_a_blank_cell_is_refused(self, write, run):
        path = write("task,a,b\nx,.1,.2\n,.5,.7\ny,.3,.3\n")
        code, _, err = run("compare", path, "--task", "task")
        assert code == 2
        assert "line 3, column 1 (task): expected the task of each row" in err
