"""Columns that are no models: indices, and those that count or number rows."""

import json
import random

import numpy as np
import pytest

from sigarray._backend.given import looks_like_index
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from tests.read.asking import refuse, wide_table

DRAW = random.Random(0)
INDICES = """seed,Seed,SEED, Seed ,run,Run,step,epoch,iteration,iter,fold,split,id,ID,
index,idx,item,row,trial,timestamp,doc_id,doc-id,doc id,docId,DocID,example_id,
example_idx,random_seed,global_step,train-step,Trial_Number,Unnamed:_0,
Unnamed: 0,Unnamed: 0_level_0"""
MODELS = """lstm,grid,covid,Madrid,seeded,stepwise,bert-2,model_1,runner,A,模型,
run_fast,two_step_model,reindex,split2,frame-net,steps_ppo,"""


def read_scores(path, columns=None, ignored=()):
    choice = Choice(models=columns, ignored=ignored, unit="run")
    return read_sources([path], choice).scores


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
            *("frames", "num_frames", "timestep", "env_steps", "total_timesteps"),
        ],
    )
    def test_other_names_of_an_index(self, name):
        assert looks_like_index(name, [])

    FILE = "epoch,user_id,A,B\n11,7,0.5,0.6\n5,9,0.6,0.65\n8,4,0.4,0.7\n"

    @pytest.mark.parametrize("command", ["compare", "power"])
    def test_they_are_refused_with_advice(self, write, run, command):
        path = write(self.FILE)
        code, out, err = run(command, path)
        assert (code, out) == (2, "")
        assert "line 1, columns 1, 2 (epoch, user_id): expected scores of a m" in err
        assert "by name. Leave it out with --ignore epoch,user_id, or choose" in err
        assert run(command, path, "--ignore", "epoch,user_id")[0] == 0

    def test_they_may_be_left_out_or_chosen(self, write):
        path = write(self.FILE)
        assert list(read_scores(path, None, ["epoch", "user_id"])) == ["A", "B"]
        assert list(read_scores(path, ["epoch", "A"])) == ["epoch", "A"]
        assert list(read_scores(path, ["A", "B"])) == ["A", "B"]

    def test_a_column_that_counts_rows(self, write, run):
        path = write("A,x\n0.5,1\n0.6,2\n0.4,3\n")
        code, _, err = run("compare", path)
        assert code == 2
        assert "column 2 (x)" in err
        assert "for it counts the rows. Leave it out with --ignore x" in err
        assert run("compare", path, "--columns", "A,x")[0] == 0

    def test_text_in_an_index_is_no_wrong_number(self, write, run):
        path = write("id,A,B\nfirst,1,2\nsecond,4,3\n")
        assert "--ignore id" in run("compare", path)[2]
        assert run("compare", path, "--ignore", "id")[0] == 0

    def test_a_column_without_a_name(self, write, run):
        path = write(",A,B\n5,0.5,0.6\n7,0.6,0.65\n")
        assert "--ignore ''" in run("compare", path)[2]
        assert run("compare", path, "--ignore", "")[0] == 0

    def test_advice_can_be_pasted(self, write, run):
        path = write('"x, id",Unnamed: 0,A,B\n5,7,0.5,0.6\n5,9,0.6,0.65\n')
        err = run("compare", path)[2]
        assert "--ignore '\"x, id\",Unnamed: 0'" in err
        assert run("compare", path, "--ignore", '"x, id",Unnamed: 0')[0] == 0

    def test_ignored_columns_exist_and_are_not_chosen(self, write, run, capsys):
        path = write(self.FILE)
        _, _, err = run("compare", path, "--ignore", "epich")
        assert "column 'epich'. Did you mean 'epoch'? Its columns are 'epoch', " in err
        with pytest.raises(SystemExit):
            run("compare", path, "--ignore", "epoch", "--columns", "A,B")
        assert "Expected --ignore or --columns; got both." in capsys.readouterr().err


@pytest.mark.parametrize(("command", "limit"), [("compare", 1000), ("power", 100)])
def test_too_many_models(write, run, command, limit):
    names = [f"m{k}" for k in range(limit + 1)]
    path = write("\n".join([",".join(names), *[",".join(["0.5"] * len(names))] * 3]))
    code, _, err = run(command, path)
    assert code == 2
    assert f"expected at most {limit} models" in err
    assert f"got {limit + 1}. Choose some with --columns." in err
    code, _, err = run("compare", path, "--columns", "none")
    assert f"'m19', and {limit - 19} more." in err


IDS = DRAW.sample(range(1000, 9000), 80)


@pytest.mark.parametrize("name", ["image", "case", "doc", "patient"])
@pytest.mark.parametrize("n", [12, 80])
@pytest.mark.parametrize("is_right", [True, False])
def test_numbers_of_items_are_no_model(write, run, name, n, is_right):
    """One column of scores more, and three models in place of two."""
    rows = [
        (k, *(DRAW.randint(0, 1) if is_right else DRAW.random() for _ in "ab"))
        for k in IDS[:n]
    ]
    path = write(wide_table(f"{name},a,b", rows))
    refuse(run("compare", path), f"({name})", f"--item {name}", f"--ignore {name}")
    code, out, err = run("compare", path, "--item", name, "--format", "json")
    assert code == 0, err
    assert set(json.loads(out)["models"]) == {"a", "b"}
    texts = write(wide_table(f"{name},a,b", [(f"x{k}", *row) for k, *row in rows]))
    refuse(run("compare", texts), f"--item '{name}'", f"--ignore '{name}'")


@pytest.mark.parametrize(
    "rows",
    [
        # Games, rounded or not; whole percentages beside others.
        [(DRAW.randint(0, 10**6), 1000 * DRAW.randint(0, 100)) for _ in range(50)],
        [(k, DRAW.randint(0, 9) / 2 + 80) for k in (81, 85, 84, 90, 79)],
        [(k, DRAW.randint(0, 100) / 7) for k in DRAW.sample(range(16), 12)],
    ],
)
def test_whole_numbers_may_be_scores(write, run, rows):
    code, _, err = run("compare", write(wide_table("a,b", rows)))
    assert code == 0, err
