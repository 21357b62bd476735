"""Folders of tables with the same columns, one for each task, which are models."""

import pytest

from tests.read.asking import numbers, refuse, wide_table

MODELS = "seed,resnet50,deit_s,ours"


def grow(folder, names, header=MODELS):
    for name in names:
        n = header.count(",")
        first = range(4) if "seed" in header else (numbers(90, 95) for _ in range(4))
        rows = [(cell, numbers(90, 95, n)) for cell in first]
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(wide_table(header, rows))
    return str(folder)


@pytest.mark.parametrize("header", [MODELS, "resnet50,deit_s,ours,base"])
@pytest.mark.parametrize("form", ["{task}.csv", "{task}/scores.csv"])
def test_a_table_of_models_for_each_task(tmp_path, run, form, header):
    names = [form.format(task=x) for x in ("cifar10", "svhn")]
    folder = grow(tmp_path / "out", names, header)
    options = ("--columns", "{model}", "--path", form)
    said = f"pass --columns '{{model}}' --path '{form}'; or, where each column"
    refuse(run("compare", folder), said, "and each file of a model", "--score resnet50")
    code, out, _ = run("compare", folder, *options)
    assert code == 0
    assert "2 tasks" in out
    said = "Where each column is of a model, pass --columns '{model}', too."
    refuse(run("compare", folder, *options[2:]), said)


@pytest.mark.parametrize(
    ("names", "header"),
    [
        (("a.csv", "b.csv"), "seed,acc,f1"),
        (("a.csv", "b.csv"), "seed,mnli,cola,sst2"),
        (("seed0.csv", "seed1.csv"), MODELS),
    ],
)
def test_other_columns_are_no_models(tmp_path, run, names, header):
    done = run("compare", grow(tmp_path / "out", names, header))
    refuse(done, "expected one column of scores", "Choose one, such as --metric")


@pytest.mark.parametrize(("name", "path"), [("seed{}", "seed{run}"), ("{}", "{run}")])
def test_a_table_of_models_for_each_run(tmp_path, run, name, path):
    header = MODELS.removeprefix("seed,")
    folder = tmp_path / "out"
    for k in range(4):
        file = f"{name.format(k)}.csv"
        grow(folder, [file], header)
        lines = (folder / file).read_text().splitlines(keepends=True)
        (folder / file).write_text("".join(lines[:2]))
    options = ("--columns", "{model}", "--path", f"{path}.csv")
    said = f"each file of a run, pass --columns '{{model}}' --path '{path}.csv'"
    refuse(run("compare", str(folder)), said)
    for files in ([str(folder)], [*map(str, sorted(folder.glob("*.csv")))]):
        code, out, err = run("compare", *files, *options)
        assert code == 0, err
        assert "ours" in out
