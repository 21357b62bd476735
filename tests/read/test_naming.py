"""Several files, and folders of them: which model, run and task each is of."""

import json

from sigarray import read
from tests.read.asking import refuse
from tests.read.long_tables import EXPECTED, as_csv, as_lists


class TestFolders:
    def test_a_file_for_each_model(self, write, tmp_path):
        write("seed,acc\n2,0.5\n1,0.25\n", "lstm.csv")
        write("seed,acc\n1,0.75\n2,1\n", "cnn.csv")
        write("hello", "notes.md")
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"cnn": [0.75, 1.0], "lstm": [0.25, 0.5]}}
        assert any("1 other file was left out: 'notes.md'" in x for x in table.notes)

    def test_a_file_for_each_run(self, tmp_path):
        for model in ("bert", "gpt"):
            (tmp_path / model).mkdir()
            for k in range(3):
                path = tmp_path / model / f"seed{k}.json"
                path.write_text(json.dumps([{"acc": k + len(model)}]))
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"bert": [4, 5, 6], "gpt": [3, 4, 5]}}
        assert table.ids[""]["gpt"] == ("seed0", "seed1", "seed2")

    def test_a_mapping_for_each_run(self, tmp_path):
        """As people write metrics.json."""
        for model in ("bert", "gpt"):
            for k in range(3):
                path = tmp_path / model / f"seed{k}" / "metrics.json"
                path.parent.mkdir(parents=True)
                path.write_text(json.dumps({"eval": {"f1": k + len(model)}, "seed": k}))
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"bert": [4, 5, 6], "gpt": [3, 4, 5]}}
        assert table.metric == "eval.f1"

    def test_runs_in_names(self, write, tmp_path):
        for k in (1, 2):
            write(f"acc\n{k}\n", f"big_seed{k}.csv")
            write(f"acc\n{k + 1}\n", f"small_seed{k}.csv")
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"big": [1, 2], "small": [2, 3]}}
        assert any("'big_seed1' was taken for run 1 of 'big'" in x for x in table.notes)

    def test_a_file_for_each_task(self, write, tmp_path):
        for task, by in EXPECTED.items():
            rows = [(m, s, x) for m, xs in by.items() for s, x in enumerate(xs)]
            write(as_csv(rows, "model,seed,score"), f"{task}.csv")
        assert as_lists(read.scores(tmp_path)) == EXPECTED


def test_columns_that_may_name_models_are_proposed(write, run):
    """Not the names of runs, nor whether they have finished."""
    rows = [
        f"run {m}{k},{'failed' if k else 'finished'},{m},{k},{ord(m) + k * k / 7}"
        for m in "ab"
        for k in range(3)
    ]
    path = write("\n".join(["Name,State,arch,seed,val/acc", *rows]))
    said = "such as --model arch. Texts come again in 'arch'."
    refuse(run("compare", path, "--metric", "val/acc"), said)
    options = ("--metric", "val/acc", "--model", "arch", "--missing", "keep")
    assert run("compare", path, *options)[0] == 0
