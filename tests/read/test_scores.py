"""Read the scores of models from files of any kind, and join them by item or run."""

import json
import random
from pathlib import Path

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv
from tests.read.tool_files import means


@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_and_columns_moves_nothing(write, seed):
    draw = random.Random(seed)
    items = [f"q{k}" for k in range(12)]
    rows = [(m, x, i) for i, m in enumerate("ab") for x in range(12)]
    rows = [(m, items[x], round(draw.random(), 3)) for m, x, _ in rows]
    expected = {
        m: [score for _, _, score in sorted(r for r in rows if r[0] == m)] for m in "ab"
    }
    draw.shuffle(rows)
    header = ["model", "item", "acc"]
    order = draw.sample(range(3), 3)
    text = as_csv(
        [[r[k] for k in order] for r in rows], ",".join(header[k] for k in order)
    )
    table = read.scores(write(text))
    assert {m: table.scores[m].tolist() for m in "ab"} == expected
    assert table.is_paired
    assert table.unit == "item"
    assert table.ids[""]["a"] == tuple(sorted(items))


def test_numbers_are_sorted_as_numbers(write):
    rows = [(m, k, k) for m in "ab" for k in (10, 9, 2)]
    assert read.scores(write(as_csv(rows, "model,item,score"))).ids[""]["a"] == (
        *("2", "9", "10"),
    )


def test_wrong_calls():
    with pytest.raises(TypeError, match=r"one path, folder or data frame, or more"):
        read.scores()
    with pytest.raises(TypeError, match=r"a path, a data frame.*got int"):
        read.scores(3)
    with pytest.raises(ValueError, match=r"unit to be one of 'run', 'item', 'cluster'"):
        read.scores("x.csv", unit="doc")
    with pytest.raises(TypeError, match=r"models to be several names; got 'ab'"):
        read.scores("x.csv", models="ab")


def test_several_columns_are_a_list(write):
    rows = [f"{m},{a},{b},{a + b}" for m in "xy" for a in range(2) for b in range(3)]
    path = write("\n".join(["model,repeat,fold,score", *rows]))
    table = read.scores(path, run=["repeat", "fold"])
    assert table.ids == read.scores(path, run="repeat,fold").ids
    assert len(table.ids[""]["x"]) == 6


MEMBERS = {"mmlu": ["stem", "law"], "stem": ["algebra", "physics"], "law": []}


SIZES = {"algebra": 2, "physics": 4, "law": 3}


class TestGroups:
    """MMLU has groups of groups of tasks; `lm_eval` weighs tasks by their sizes."""

    @pytest.fixture
    def folder(self, tmp_path):
        for k, model in enumerate("ab"):
            (tmp_path / model).mkdir()
            document = {"group_subtasks": MEMBERS, "higher_is_better": {}}
            place = tmp_path / model / "results_2026-01-01T00-00-00.0.json"
            place.write_text(json.dumps(document))
            for task, n in SIZES.items():
                name = f"samples_{task}_2026-01-01T00-00-00.0.jsonl"
                records = [
                    {"doc_id": j, "filtered_resps": [], "acc": float((j + k) % 2)}
                    for j in range(n)
                ]
                lines = "\n".join(map(json.dumps, records))
                (tmp_path / model / name).write_text(lines)
        return tmp_path

    def test_a_group_is_a_task_of_all_items(self, folder):
        alone = read.scores(folder)
        assert set(alone.tasks) == {*SIZES}
        (note,) = (x for x in alone.notes if "'mmlu'" in x)
        said = "tasks are of groups: 'mmlu' (3 tasks), 'stem' (2 tasks); --tasks mmlu"
        assert note.startswith(said)
        assert not alone.doubts  # all tasks are of the group
        table = read.scores(folder, tasks=["mmlu"])
        assert (list(table.tasks), table.unit) == (["mmlu"], "item")
        # The mean of tasks, weighed by their sizes, as the harness has it.
        for model, mean in means(table).items():
            parts = [n * means(alone, task)[model] for task, n in SIZES.items()]
            assert mean == pytest.approx(sum(parts) / sum(SIZES.values()))
        assert table.ids["mmlu"]["a"][:2] == ("algebra/0", "algebra/1")
        assert any("the items of 3 of its 3 tasks" in x for x in table.notes)

    def test_tasks_beside_those_of_a_group_are_no_sample(self, folder):
        for samples in folder.glob("*/samples_law_*"):
            text = samples.read_text().replace("0.0", "x").replace("1.0", "0.0")
            arc = samples.with_name(samples.name.replace("law", "arc"))
            arc.write_text(text.replace("x", "1.0"))
        table = read.scores(folder)
        assert not any("groups" in x for x in table.notes)
        (doubt,) = table.doubts
        assert "groups: 'mmlu' (3 tasks), 'stem' (2 tasks). Tasks of one" in doubt
        assert "--tasks arc,mmlu, to take each group for one task" in doubt
        assert {*read.scores(folder, tasks=["arc", "mmlu"]).tasks} == {"arc", "mmlu"}

    def test_some_tasks_of_a_group(self, folder):
        table = read.scores(folder, tasks=["stem", "law"])
        sizes = {task: len(x["a"]) for task, x in table.tasks.items()}
        assert sizes == {"stem": 6, "law": 3}
        for path in folder.glob("*/samples_physics_*"):
            path.unlink()
        table = read.scores(folder, tasks=["mmlu"])
        assert any("the items of 2 of its 3 tasks" in x for x in table.notes)

    @pytest.mark.filterwarnings("ignore:No permutation test of 5 scores")
    def test_the_method_line_says_so(self, folder):
        for task in ("stem", "mmlu"):
            result = compare_models(read.scores(folder, tasks=[task]))
            assert f". {task} pools the items of its {2 + (task == 'mmlu')} tasks." in (
                result.method
            )
        for path in folder.glob("*/samples_physics_*"):
            path.unlink()
        result = compare_models(read.scores(folder, tasks=["mmlu"]))
        assert ". mmlu pools the items of 2 of its 3 tasks." in result.method

    def test_averages_of_a_group_are_no_task(self, run, tmp_path):
        paths = []
        for k, model in enumerate("ab"):
            document = {
                "lm_eval_version": "0.4.13",
                "group_subtasks": MEMBERS,
                "groups": {"mmlu": {"acc,none": 0.5}, "stem": {"acc,none": 0.5}},
                "model_name": model,
                "results": {x: {"acc,none": 0.1 * k + 0.1} for x in [*SIZES, "mmlu"]},
            }
            paths.append(str(tmp_path / f"results_{model}.json"))
            Path(paths[-1]).write_text(json.dumps(document))
        for options in ([], ["--item", "task"]):
            done = run("compare", *paths, "--tasks", "mmlu", *options)
            refuse(done, "got 'mmlu', a group of tasks", "Pass samples_*.jsonl")
        assert "tasks are of groups" not in run("compare", *paths, "--item", "task")[2]
        done = run("compare", *paths, "--tasks", "law", "--item", "task")
        refuse(
            done, "files that name tasks, to choose 'law'", "some rows with --where."
        )

    def test_what_is_asked(self, folder):
        with pytest.raises(TableError, match=r"items in common; got 'law' and 'mmlu'"):
            read.scores(folder, tasks=["mmlu", "law"])
        with pytest.raises(TableError, match=r"got 'MMLU'\. Did you mean 'mmlu'\?"):
            read.scores(folder, tasks=["MMLU"])


def test_advice_on_names_in_one_text_works(write):
    path = write("model,seed,task,acc\na,0,x,1\nb,0,x,2\na,0,y,3\nb,0,y,4")
    with pytest.raises(TypeError, match=r"Pass \['x', 'y'\]"):
        read.scores(path, tasks="x,y")
    assert list(read.scores(path, tasks=["x", "y"]).tasks) == ["x", "y"]
    with pytest.raises(TypeError, match=r"Pass \[0\]"):
        read.scores(path, where={"seed": 0})
    assert len(read.scores(path, where={"seed": [0]}).tasks["x"]["a"]) == 1
