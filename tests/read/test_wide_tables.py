"""Files of the command: columns that are no models, large files, endless ones."""

import io
import json
import random
import statistics
from pathlib import Path

import numpy as np
import pytest

from sigarray._backend.index_columns import looks_like_index
from sigarray.read import _bytes as byte_file
from sigarray.read import _cells as cell_file
from sigarray.read import _text as table_file
from sigarray.read._bytes import TableError
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from sigarray.report._numbers import describe_scores


def read_scores(path, columns=None, ignored=()):
    choice = Choice(models=columns, ignored=ignored, unit="run")
    return read_sources([path], choice).scores


INDICES = """seed,Seed,SEED, Seed ,run,Run,step,epoch,iteration,iter,fold,split,id,ID,
index,idx,item,row,trial,timestamp,doc_id,doc-id,doc id,docId,DocID,example_id,
example_idx,random_seed,global_step,train-step,Trial_Number,Unnamed:_0,
Unnamed: 0,Unnamed: 0_level_0"""
MODELS = """lstm,grid,covid,Madrid,seeded,stepwise,bert-2,model_1,runner,A,模型,
run_fast,two_step_model,reindex,split2,"""
WRONG = (
    "1_0 nan inf -Infinity 1e999 1e151 0x1 1j 1\t2 ٣ x --1 1e . 1d3 1,5 TRUE 1\x0b2 #1"
)


class TestIndexColumns:
    def test_names(self):
        for names, is_index in ((INDICES, True), (MODELS, False)):
            for name in names.replace("\n", "").split(","):
                assert looks_like_index(name, []) == is_index, name
                assert looks_like_index(name, [0.5, 0.7, 0.6]) == is_index, name

    @pytest.mark.parametrize(
        ("values", "counts"),
        [
            ([0, 1, 2], True),
            ([1, 2, 3, 4], True),
            ([1, 2], False),
            ([0], False),
            ([], False),
            ([1, 2, 4], False),
            ([2, 3, 4], False),
            ([3, 2, 1], False),
            ([1, 1, 1], False),
            ([0.0, 1.0, 2.5], False),
            ([3, 0, 7, 1, 9, 4, 2, 8, 6, 5], True),
            ([3, 0, 7, 1, 9, 4, 2, 8, 6, 6], False),
        ],
    )
    def test_values_that_count_rows(self, values, counts):
        assert looks_like_index("model", values) == counts
        assert looks_like_index("model", np.asarray(values, float)) == counts

    @pytest.mark.parametrize(
        "name",
        [
            *("seeds", "steps", "random_state", "level_0", "question_no", "qid"),
            *("userid", "uuid", "data_seed", "timestamp_ms", "iteration_count"),
        ],
    )
    def test_other_names_of_an_index(self, name):
        assert looks_like_index(name, [])

    FILE = "seed,doc_id,A,B\n11,7,0.5,0.6\n5,9,0.6,0.65\n8,4,0.4,0.7\n"

    @pytest.mark.parametrize("command", ["compare", "power"])
    def test_they_are_refused_with_advice(self, write, run, command):
        path = write(self.FILE)
        code, out, err = run(command, path)
        assert (code, out) == (2, "")
        assert "line 1, columns 1, 2 (seed, doc_id): expected scores of a model" in err
        assert "by name. Leave it out with --ignore seed,doc_id, or choose" in err
        assert run(command, path, "--ignore", "seed,doc_id")[0] == 0

    def test_they_may_be_left_out_or_chosen(self, write):
        path = write(self.FILE)
        assert list(read_scores(path, None, ["seed", "doc_id"])) == ["A", "B"]
        assert list(read_scores(path, ["seed", "A"])) == ["seed", "A"]
        assert list(read_scores(path, ["A", "B"])) == ["A", "B"]

    def test_a_column_that_counts_rows(self, write, run):
        path = write("A,x\n0.5,1\n0.6,2\n0.4,3\n")
        code, _, err = run("compare", path)
        assert code == 2
        assert "column 2 (x)" in err
        assert "for it counts the rows. Leave it out with --ignore x" in err
        assert run("compare", path, "--columns", "A,x")[0] == 0

    def test_text_in_an_index_is_no_wrong_number(self, write, run):
        path = write("run,A,B\nfirst,1,2\nsecond,4,3\n")
        assert "--ignore run" in run("compare", path)[2]
        assert run("compare", path, "--ignore", "run")[0] == 0

    def test_a_column_without_a_name(self, write, run):
        path = write(",A,B\n0,0.5,0.6\n1,0.6,0.65\n")
        assert '--ignore ""' in run("compare", path)[2]
        assert run("compare", path, "--ignore", "")[0] == 0

    def test_advice_can_be_pasted(self, write, run):
        path = write('"x, id",Unnamed: 0,A,B\n5,7,0.5,0.6\n5,9,0.6,0.65\n')
        err = run("compare", path)[2]
        assert "--ignore '\"x, id\",Unnamed: 0'" in err
        assert run("compare", path, "--ignore", '"x, id",Unnamed: 0')[0] == 0

    def test_ignored_columns_exist_and_are_not_chosen(self, write, run, capsys):
        path = write(self.FILE)
        _, _, err = run("compare", path, "--ignore", "sed")
        assert "has no column 'sed'. Its columns are 'seed', 'doc_id', 'A', 'B'" in err
        with pytest.raises(SystemExit):
            run("compare", path, "--ignore", "seed", "--columns", "A,B")
        assert "not allowed with argument" in capsys.readouterr().err


class TestLimits:
    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
    def test_endless_files_are_refused(self, run, device):
        if not Path(device).exists():
            pytest.skip(f"there is no {device} here")
        code, _, err = run("compare", device)
        assert code == 2
        assert "expected UTF-8 text; got the byte 0x" in err

    def test_the_first_null_is_named(self, write, run):
        path = write(b"a,b\n1,2\n3,\0\n")
        assert (
            "line 3, byte 3: expected UTF-8 text; got the byte 0x00"
            in (run("compare", path)[2])
        )

    def test_large_files_are_refused_before_they_are_read(self, monkeypatch, run):
        class Endless(io.RawIOBase):
            n_read = 0

            def read(self, size=-1):
                assert size > 0
                self.n_read += size
                return b"1,2\n" * (size // 4)

        stream = Endless()
        monkeypatch.setattr(byte_file, "_MAX_BYTES", 3 * 2**20)
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stream}))
        code, _, err = run("compare", "-")
        assert code == 2
        assert "expected a table of at most 3145728 bytes; got more" in err
        assert stream.n_read == 4 * 2**20

    def test_closed_standard_input(self, monkeypatch, run):
        monkeypatch.setattr("sys.stdin", None)
        code, _, err = run("compare", "-")
        assert code == 2
        assert "standard input cannot be read: it is closed." in err

    @pytest.mark.parametrize("command", ["compare", "power"])
    def test_too_many_models(self, write, run, command):
        names = [f"m{k}" for k in range(101)]
        path = write("\n".join([",".join(names), *[",".join(["0.5"] * 101)] * 3]))
        code, _, err = run(command, path)
        assert code == 2
        assert "expected at most 100 models" in err
        assert "got 101. Choose some with --columns." in err
        code, _, err = run("compare", path, "--columns", "none")
        assert "'m19', and 81 more." in err


def split(path):
    name, text = byte_file.read_text(path)
    return table_file.split_table(text, name)


def slow_scores(path):
    """Read cell by cell."""
    name, rows = table_file.read_rows(path)
    return {
        model: [table_file.read_number(row[k], name) for _, row in rows[1:] if row[k]]
        for k, model in enumerate(rows[0][1])
    }


class TestNumbers:
    def test_the_fast_way_gives_the_same_numbers(self, write):
        draw = random.Random(0)
        cells = ["+1e-3", ".5", "-2.", "3E+2", " 7", "8 ", "1e-400", "1e150", "-0"]
        cells += [repr(draw.gauss(0, 10.0 ** draw.randint(-30, 30))) for _ in range(99)]
        cells += [str(draw.randint(0, 10**25)) for _ in range(20)]
        draw.shuffle(cells)
        body = "\n".join(f"{x},{y}" for x, y in zip(cells, cells[::-1], strict=True))
        path = write(f"a,b\n{body}\n")
        assert split(path)[1] is not None
        for model, column in read_scores(path).items():
            assert column.tolist() == slow_scores(path)[model]

    @pytest.mark.parametrize("cell", ["", *WRONG.split(" ")])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_what_is_no_number_goes_the_slow_way(self, write, cell, end):
        path = write(end.join(["a,b", "1,2", f"{cell},3", "4,5", ""]))
        assert split(path)[1] is None
        if not cell:
            assert len(read_scores(path)["a"]) == 2
            return
        with pytest.raises(TableError, match=r"line 3, column [13]"):
            read_scores(path)

    def test_windows_lines_and_blank_ones_go_the_fast_way(self, write):
        path = write("\r\n a\tb\r\n\r\n1\t2\r\n3\t4\r\n\r\n")
        rows, numbers = split(path)
        assert rows == [(2, ("a", "b"))]
        assert numbers.tolist() == [[1, 2], [3, 4]]

    def test_long_columns_with_blanks_are_not_read_cell_by_cell(
        self, write, monkeypatch
    ):
        monkeypatch.setattr(cell_file, "_as_number", None)
        scores = read_scores(write("a,b\n1,2\n3.5,\n4,1\n"))
        assert scores["a"].tolist() == [1, 3.5, 4]
        assert scores["b"].tolist() == [2, 1]


class TestSummaries:
    @pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
    def test_accurate(self, offset):
        x = offset + np.random.default_rng(0).normal(size=101)
        expected = {
            "mean": statistics.fmean(x),
            "sd": statistics.stdev(x.tolist()),
            "median": statistics.median(x),
            "min": min(x),
            "max": max(x),
        }
        assert describe_scores(x) == pytest.approx(expected, rel=1e-14)

    def test_no_overflow_and_no_order(self):
        x = np.asarray([1e150, -1e150, 1e150, 3.0])
        assert describe_scores(x)["sd"] == pytest.approx(9.57e149, rel=1e-2)
        draw = np.random.default_rng(0)
        x = draw.normal(size=1000)
        assert describe_scores(x) == describe_scores(draw.permutation(x))
        assert describe_scores(np.full(7, 0.1))["mean"] == 0.1
        assert describe_scores(np.full(7, 0.1))["sd"] == 0.0


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
            assert "all 3 values of column 'task' were taken together" in err
            assert "pass --task task" in err
        once = write("dataset,a,b\nx,.1,.2\ny,.5,.7\nz,.3,.3\n", "once.csv")
        _, _, err = run("compare", once, "--ignore", "dataset")
        assert "pass --item dataset" in err
        assert run("compare", once, "--item", "dataset")[0] == 0

    def test_a_blank_cell_is_refused(self, write, run):
        path = write("task,a,b\nx,.1,.2\n,.5,.7\ny,.3,.3\n")
        code, _, err = run("compare", path, "--task", "task")
        assert code == 2
        assert "line 3, column 1 (task): expected the task of each row" in err


class TestRunsInColumns:
    """A row for each model, and a column for each run."""

    ROWS = ("a,.1,.3,.2,.4", "b,.5,.7,.6,.8", "c,.1,.2,.3,")

    @pytest.mark.parametrize(
        ("header", "run_name"),
        [
            ("model,seed0,seed1,seed2,seed3", "seed"),
            ("model,run 1,run 2,run 3,run 4", "run"),
            ("net,seed_0,seed_1,seed_2,seed_3", "seed"),
            ("method,1,2,3,4", "run"),
            ("seed,1,2,3,4", "run"),
            (",0,1,2,3", "run"),
        ],
    )
    def test_they_are_read(self, write, run, header, run_name):
        path = write("\n".join([header, *self.ROWS]))
        long = [
            f"{name},{k},{x}"
            for name, *scores in (row.split(",") for row in self.ROWS)
            for k, x in enumerate(scores)
            if x
        ]
        other = write("\n".join(["model,run,score", *long]), "long.csv")
        code, out, err = run("compare", path, "--format", "csv")
        assert code == 0, err
        assert "were taken for runs of one score" in err
        assert f"run is '{run_name}'" in err
        assert out == run("compare", other, "--format", "csv")[1]

    def test_tasks(self, write, run):
        rows = [f"{m},{t},.1,.2,.3" for m in "ab" for t in "xy"]
        path = write("\n".join(["model,task,seed1,seed2,seed3", *rows]))
        code, out, err = run("compare", path)
        assert code == 0, err
        assert "x" in out
        other = write("\n".join(["model,lr,seed1,seed2,seed3", *rows]), "lr.csv")
        assert "--task" in run("compare", other)[2]
        assert run("compare", other, "--task", "lr")[0] == 0

    def test_folds_are_asked_about(self, write, run):
        path = write("\n".join(["model,fold1,fold2,fold3,fold4", *self.ROWS]))
        assert "--run fold" in run("compare", path)[2]
        assert run("compare", path, "--run", "fold")[0] == 0

    def test_means_beside_them(self, write, run):
        rows = [f"{row or 0},.3" for row in self.ROWS[:2]]
        path = write("\n".join(["model,seed0,seed1,seed2,seed3,mean", *rows]))
        assert "with --ignore mean" in run("compare", path)[2]
        assert run("compare", path, "--ignore", "mean")[0] == 0

    def test_models_that_are_called_so(self, write, run):
        rows = ["q1,.1,.3", "q2,.5,.7", "q3,.2,.1"]
        for header in ("question,s1,s2", "question,1,2", "item,run1,run2"):
            path = write("\n".join([header, *rows]))
            name = header.partition(",")[0]
            code, out, err = run("compare", path, "--item", name, "--format", "json")
            assert code == 0, err
            assert len(json.loads(out)["models"]) == 2
