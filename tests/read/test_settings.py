"""Runs of one model that differ in a setting, such as a learning rate."""

import pytest

from sigarray import read
from sigarray.read import TableError
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


def test_one_run_twice_is_an_error_whatever_its_last_epoch(write):
    """The step of a run in a table of runs chose one of two settings."""
    path = write(TEXT.replace("resnet,3", "resnet,1"))
    with pytest.raises(TableError, match=r"'config\.lr', .* model='model,config\.lr'"):
        read.scores(path, metric="test/acc")
