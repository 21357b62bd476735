"""Settings in which runs of one model differ, and others in which models do."""

import random

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from sigarray.read._messages import Caution
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from sigarray.read._settings import says_data
from tests.read.long_tables import as_lists

HEADER = "Name,State,Runtime,config.lr,model,seed,test/acc,val_loss,epoch"
ROWS = [
    "r1,finished,61,0.1,resnet,1,0.71,.1,9",
    "r2,finished,61,0.1,resnet,2,0.72,.1,9",
    "r3,finished,63,0.01,resnet,3,0.61,.2,10",
    "r4,finished,63,0.01,resnet,4,0.62,.2,10",
    "r5,finished,65,0.1,vit,1,0.81,.1,9",
    "r6,finished,65,0.1,vit,2,0.82,.1,9",
]
TEXT = "\n".join([HEADER, *ROWS])


def find_notes(table):
    return [x for x in table.notes if "runs of one model differ" in x]


@pytest.mark.parametrize("header", [HEADER, "model,seed,lr,acc"])
def test_they_are_named_with_what_to_pass(write, header):
    lr = "config.lr"
    text, metric = TEXT, "test/acc"
    if header != HEADER:
        lr, metric = "lr", "acc"
        cells = [row.split(",") for row in ROWS]
        text = "\n".join([header, *(f"{x[4]},{x[5]},{x[3]},{x[6]}" for x in cells)])
    path = write(text)
    (note,) = find_notes(read.scores(path, metric=metric))
    assert f"differ in '{lr}', and" in note
    assert f"those of 'resnet' have {lr} 0.1, 0.01." in note
    assert note.endswith(f"pass --model model,{lr}; or take some with --where {lr}=0.1")
    apart = read.scores(path, metric=metric, model=f"model,{lr}")
    assert apart.models == ("resnet, 0.1", "resnet, 0.01", "vit, 0.1")
    some = read.scores(path, metric=metric, where={lr: ["0.1"]})
    assert as_lists(some) == {"": {"resnet": [0.71, 0.72], "vit": [0.81, 0.82]}}
    assert not find_notes(apart) + find_notes(some)


def test_settings_of_a_model_are_no_difference_of_its_runs(write):
    text = TEXT.replace("0.01,resnet", "0.1,resnet").replace("0.1,vit", "0.3,vit")
    assert not find_notes(read.scores(write(text), metric="test/acc"))


def test_a_name_of_each_run_is_no_setting(write):
    """Though it comes again on each task."""
    text = TEXT.replace("0.01", "0.1").replace("model", "config.arch")
    path = write(text)
    table = read.scores(path, score="test/acc,epoch", model="config.arch")
    assert len(table.tasks) == 2
    assert not find_notes(table)
    with pytest.raises(
        TableError, match=r"name it with model, such as model='config\.arch'"
    ):
        read.scores(path, score="test/acc,epoch")


def test_one_run_twice_is_an_error_whatever_its_last_epoch(write):
    """The step of a run in a table of runs chose one of two settings."""
    path = write(TEXT.replace("resnet,3", "resnet,1"))
    with pytest.raises(TableError, match=r"'config\.lr', .* model='model,config\.lr'"):
        read.scores(path, metric="test/acc")


SCORES = (0.78, 0.79, 0.77, 0.69, 0.71, 0.7)


def write_table(write, column, values, header="model,seed,{},acc"):
    rows = [
        f"{'ours' if k < 3 else 'theirs'},{k},{x},{score}"
        for k, (x, score) in enumerate(zip(values, SCORES, strict=True))
    ]
    return write("\n".join([header.format(column), *rows]))


def find_confounds(table):
    return [x for x in table.notes if "models differ in" in x]


@pytest.mark.parametrize(
    "column", ["data", "eval_split", "lang", "judge", "version", "testSubset", "Fold"]
)
def test_data_are_warned_of_with_the_values_of_models(write, column):
    path = write_table(write, column, ["x1"] * 3 + ["x2"] * 3)
    (said,) = find_confounds(read.scores(path, run="seed"))
    assert isinstance(said, Caution)
    assert f"differ in '{column}', too, so that a difference may be due to it" in said
    assert "ours 'x1', theirs 'x2'" in said
    assert f"--where {column}=VALUE" in said
    choice = Choice(columns={"run": "seed"}, ignored=[column])
    ignored = read_sources([path], choice)
    assert not find_confounds(ignored)


def test_columns_that_describe_models_are_in_one_note(write):
    rows = [
        f"{m},{k},{a},{b},{0.5 + k / 100}"
        for k in range(3)
        for m, a, b in (("ours", "0.1", "vit"), ("theirs", "0.01", "resnet"))
    ]
    table = read.scores(write("\n".join(["model,seed,lr,arch,acc", *rows])))
    (said,) = find_confounds(table)
    assert not isinstance(said, Caution)
    assert "models differ in 'lr', 'arch', too, of which all scores" in said


@pytest.mark.parametrize(
    "values",
    [
        ["x"] * 6,  # alike
        ["x", "x", "z", "y", "y", "y"],  # several of a model
        ["x", "x", "x", "", "", ""],  # unknown of the other
        list("abcdef"),  # another one of each run
    ],
)
def test_other_values_are_no_confounds(write, values):
    path = write_table(write, "data", values)
    assert not find_confounds(read.scores(path, run="seed"))


def test_one_score_of_each_value_tells_nothing(write):
    path = write("model,data,item,acc\na,x,1,0.1\nb,y,1,0.3\n")
    assert not find_confounds(read.scores(path, item="item"))


def test_what_is_chosen_is_no_confound(write):
    path = write_table(write, "data", ["x1"] * 3 + ["x2"] * 3)
    assert not find_confounds(read.scores(path, model="model,data", run="seed"))


def test_a_value_for_each_task_differs_between_models(write):
    """The language of a task is the same for both; that of the judge is not."""
    rows = [
        f"{m},{t},{k},{t}-,{0.5 + k / 100}"
        for m in "ab"
        for t in "pq"
        for k in range(2)
    ]
    header = "model,task,seed,language,acc"
    path = write("\n".join([header, *rows]))
    assert not find_confounds(read.scores(path))
    rows = [x.replace("-,", f"-{x[0]},") for x in rows]
    (said,) = find_confounds(read.scores(write("\n".join([header, *rows]))))
    assert "a 'p-a', 'q-a', b 'p-b', 'q-b'" in said


def test_files_of_models_are_compared(tmp_path):
    for model, data in (("ours", "x1"), ("theirs", "x2")):
        rows = [f"{k},{data},{0.5 + k / 100}" for k in range(3)]
        (tmp_path / f"{model}.csv").write_text("\n".join(["seed,subset,acc", *rows]))
    (said,) = find_confounds(read.scores(*sorted(tmp_path.iterdir())))
    assert "ours 'x1', theirs 'x2'" in said


def test_names_of_columns_of_data():
    assert says_data("test_dataset")
    assert says_data("Annotator")
    for name in ("train_data", "model_version", "dataset_size", "arch", "lr", "date"):
        assert not says_data(name), name


@pytest.mark.parametrize(
    "name", ["gpu", "node", "machine", "worker", "git_sha", "commit", "slurm_job_id"]
)
def test_where_runs_were_made_is_no_setting(write, name):
    rows = [f"{m},{k},0.{8 + k % 2}{k},n{k % 2}" for m in "ab" for k in range(6)]
    path = write("\n".join([f"model,seed,acc,{name}", *rows]))
    assert not find_notes(read.scores(path))


def list_epochs(column, find, state=True):
    """Two models of ten runs in a table of W&B, with a number of epochs for each."""
    rows = [
        f"r{m}{s},finished,{m},{s},{find(m, s)},0.{70 + s}"
        for m in ("a", "b")
        for s in range(10)
    ]
    text = "\n".join([f"Name,State,model,seed,{column},acc", *rows])
    return text if state else text.replace(",finished", "").replace(",State", "")


@pytest.mark.parametrize("state", [True, False])
@pytest.mark.parametrize(
    "column", ["epochs", "steps", "train_steps", "iterations", "config.epochs"]
)
def test_numbers_of_steps_are_settings_in_a_table_of_runs(write, column, state):
    text = list_epochs(column, lambda m, s: 30 if m == "b" and s > 1 else 90, state)
    path = write(text)
    (note,) = find_notes(read.scores(path, metric="acc"))
    assert f"differ in '{column}', and were" in note
    assert f"those of 'b' have {column} 90, 30." in note
    some = read.scores(path, metric="acc", where={column: ["90"]})
    assert [len(x) for x in some.scores.values()] == [10, 2]
    assert not find_notes(read.scores(path, metric="acc", model=f"model,{column}"))
    # All of a model have one: then models differ.
    path = write(list_epochs(column, lambda m, _: 30 if m == "b" else 90, state))
    (note,) = [x for x in read.scores(path, metric="acc").notes if "differ in" in x]
    assert f"models differ in '{column}', too, of which all scores" in note


@pytest.mark.parametrize("column", ["epoch", "steps", "trainer/global_step"])
@pytest.mark.parametrize("ends", [[*range(40, 60)], [100] * 18 + [57, 71]])
def test_where_runs_ended_is_no_setting(write, column, ends):
    """As by early stopping, whose steps seldom all come again."""
    left = iter(ends)
    path = write(list_epochs(column, lambda *_: next(left)))
    assert not find_notes(read.scores(path, metric="acc"))


def test_settings_are_seen_where_each_run_has_its_last_step(write):
    rows = [
        f"r{m}{s},{m},{s},{0.1 if s > 4 else 0.01},500,0.{70 + s}"
        for m in "ab"
        for s in range(10)
    ]
    path = write("\n".join(["Name,model,seed,lr,_step,acc", *rows]))
    (note,) = find_notes(read.scores(path, metric="acc"))
    assert "differ in 'lr', and" in note


@pytest.mark.parametrize("state", [True, False])
def test_what_a_tracker_records_of_runs_is_no_difference(write, state):
    text = list_epochs("Runtime", lambda m, _: 30 if m == "b" else 90, state)
    notes = read.scores(write(text), metric="acc").notes
    assert not any("differ in" in x for x in notes)


def test_runs_that_are_left_out_have_no_settings(write):
    """Where a run crashed is none; runs of each task are counted."""
    draw, ends = random.Random(0), [("finished", 99), ("crashed", 23)]
    rows = [
        f"{m}{d}{k},{state},{m},{d},{k},{end},{draw.random():.4f}"
        for m in ("cnn", "vit")
        for d in "xy"
        for k in range(6)
        for state, end in [ends[(m, k) == ("cnn", 3)]]
    ]
    path = write("\n".join(["Name,State,model,dataset,seed,epoch,acc", *rows]))
    options = {"model": "model", "task": "dataset", "metric": "acc"}
    table = read.scores(path, missing="drop", **options)
    assert not any("differ in" in x for x in table.notes)
    method = compare_models(table).method
    assert "1 crashed run (cnn) on each of 2 tasks was left out" in method
