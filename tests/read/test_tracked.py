"""Runs as tools name them: unfinished ones, names of runs, overrides of Hydra."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import parse, refuse
from tests.read.conftest import MODELS
from tests.read.long_tables import as_lists

HEADER = "Name,State,acc,config.lr"
ROWS = [
    f"{model}-lr{lr}-{{}}{k},finished,0.{n}{k},{lr}"
    for model, lr, n in (("resnet", 0.1, 7), ("vit_s16", 0.001, 8))
    for k in range(3)
]
SCORES = {
    "": {
        "resnet-lr0.1": [0.7, 0.71, 0.72],
        "vit_s16-lr0.001": [0.8, 0.81, 0.82],
    }
}


def table(mark, header=HEADER):
    return "\n".join([header, *(x.format(mark) for x in ROWS), ""])


@pytest.mark.parametrize("mark", ["s", "seed", "seed-", "run_", "trial"])
def test_names_are_split(write, mark):
    path = write(table(mark))
    found = read.scores(path, model="Name")
    assert as_lists(found) == SCORES
    assert found.ids[""]["resnet-lr0.1"] == ("0", "1", "2")
    assert any(f"'resnet-lr0.1-{mark}0' was taken for run 0" in x for x in found.notes)
    with pytest.raises(TableError, match=r"of models.* Or pass model='Name', which"):
        read.scores(path)


def test_crashed_runs_have_the_names_of_models(write):
    text = table("s").replace("s2,finished,0.72", "s2,crashed,0.1")
    path = write(text.replace("s2,finished,0.82", "s2,running,0.1"))
    with pytest.raises(TableError, match=r"1 of 5 \(crashed\): 'resnet-lr0.1', run"):
        read.scores(path, model="Name")
    said = "(running) left out: 'vit_s16-lr0.001-s2'"
    notes = read.scores(path, model="Name", missing="drop").notes
    assert any(said in x for x in notes)


def test_a_column_of_seeds_names_the_runs(write):
    rows = [f"{x.format('s')},{7 + k % 3}" for k, x in enumerate(ROWS)]
    found = read.scores(write("\n".join([f"{HEADER},seed", *rows])), model="Name")
    assert as_lists(found) == SCORES
    assert found.ids[""]["resnet-lr0.1"] == ("7", "8", "9")


@pytest.mark.parametrize("name", ["model", "experiment"])
def test_models_of_a_table_that_no_tracker_wrote(write, name):
    path = write(table("s", header=f"{name},note,acc,lr"))
    assert as_lists(read.scores(path, model=name)) == SCORES
    # A number without a word may be that of a model, as of gpt-3.
    apart = read.scores(write(table("", header=f"{name},note,acc,lr")), model=name)
    assert len(apart.models) == len(ROWS)


class TestHydra:
    def sweep(self, tmp_path, **more):
        folder = tmp_path / "multirun" / "2024-01-01" / "12-00-00"
        for i, model in enumerate(MODELS):
            for k in range(5):
                job = folder / str(5 * i + k)
                (job / ".hydra").mkdir(parents=True)
                (job / "metrics.json").write_text(json.dumps({"acc": i + k / 10}))
                said = {"model": model, "seed": k}
                said |= {name: values[k % len(values)] for name, values in more.items()}
                lines = [f"- {name}={value}\n" for name, value in said.items()]
                (job / ".hydra" / "overrides.yaml").write_text("".join(lines))
        return str(tmp_path / "multirun")

    def test_overrides_say_what_a_job_is(self, tmp_path, run):
        done = run("compare", self.sweep(tmp_path), "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 5)
        assert by["gpt"]["min"] == 1.0

    def test_what_else_was_varied_is_asked_about(self, tmp_path, run):
        folder = self.sweep(tmp_path, lr=[0.1, 0.01])
        refuse(run("compare", folder), "'lr'", "--where lr=0.1", "--task lr")
        folder_of_steps = self.sweep(tmp_path / "steps", checkpoint=[50, 200])
        refuse(run("compare", folder_of_steps), "with --where checkpoint=200.")
        done = run("compare", folder, "--where", "lr=0.1", "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 3)

    def test_folds_are_asked_about(self, tmp_path, run):
        folder = self.sweep(tmp_path, fold=[0, 1, 2, 3, 4])
        refuse(run("compare", folder), "Say what 'fold' is with --model fold, --fold f")

    def test_without_overrides(self, grow, run):
        folder = grow("2024-01-01/12-00-00/{job}/metrics.json", tasks=("",))
        refuse(run("compare", folder), "--path")
