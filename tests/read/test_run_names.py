"""A column of seeds or runs beside columns of models: the names of runs, or asked."""

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import parse, refuse
from tests.read.long_tables import as_lists

A, B = [0.8, 0.82, 0.83, 0.84, 0.86], [0.7, 0.75, 0.72, 0.71, 0.74]


def as_table(name, runs, a=A, b=B):
    rows = [f"{x},{y},{z}" for x, y, z in zip(runs, a, b, strict=True)]
    return "\n".join([f"{name},a,b", *rows, ""])


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        *(("seed", [1, 2, 3, 4, 5]), ("Random_Seed", [13, 42, 1337, 0, 7])),
        *(("run", ["r1", "r2", "x", "y", "z"]), ("rep", [5, 4, 3, 2, 1])),
        *(("run_id", [10, 11, 12, 13, 14]), ("trial", [1, 2, 3, 4, 5])),
    ],
)
def test_the_verdict_is_that_without_the_column(write, run, name, runs):
    path = write(as_table(name, runs))
    for options in ((), ("--paired",)):
        done = run("compare", path, "--format", "json", *options)
        assert f"scores.csv: column {name!r} names the runs." in done[2]
        without = run("compare", path, "--ignore", name, "--format", "json", *options)
        assert parse(done) == parse(without)
    scores = {name: runs, "a": A, "b": B}
    frame = pytest.importorskip("pandas").DataFrame(scores)
    for table in (read.scores(path), read.scores(frame), read.scores(scores)):
        assert as_lists(table) == {"": {"a": A, "b": B}}
        assert table.ids[""]["b"] == tuple(map(str, runs))
        assert any(x.endswith(f"column {name!r} names the runs") for x in table.notes)
    assert compare_models({"t": scores}).table.models == ("a", "b")


def test_a_model_may_lack_a_run(write):
    table = read.scores(write(as_table("seed", "13579", A, ["", *B[:3], ""])))
    assert table.ids[""] == {"a": tuple("13579"), "b": tuple("357")}


def test_seeds_of_several_tasks(write, run):
    text = "game,seed,a,b\n" + "".join(
        f"{game},{k},{A[k] + n},{B[k] + n}\n"
        for n, game in enumerate(("pong", "qbert"))
        for k in range(5)
    )
    path = write(text)
    refuse(
        run("compare", path),
        "line 7, column 'seed': expected each run once; got '0' again, as at",
        "names the model of each row, pass it with --model; where it names tasks, such "
        "as 'game', with --task;",
        "--ignore seed",
    )
    table = read.scores(path, task="game")
    assert as_lists(table)["qbert"]["a"] == [x + 1 for x in A]
    assert table.ids["pong"]["a"] == tuple("01234")


def test_a_row_that_is_there_twice(write, run):
    """The place is a line of the file, as in the error for a table in long form."""
    rows = ["seed,a,b", "0,.81,.83", "1,.82,.84", "1,.82,.84", "2,.80,.85"]
    path = write("\n".join(rows))
    said = (
        f"again, as at {path}, line 3, with the same scores. Remove one of these rows."
    )
    refuse(run("compare", path), f"{path}, line 4, column 'seed'", said)
    other = write("\n".join([*rows[:3], "1,.8,.9", *rows[4:]]), "other.csv")
    refuse(run("compare", other), "line 3. Remove one of these rows. Or, where")


def test_a_row_for_each_score_whose_column_of_models_has_another_name(write, run):
    pandas = pytest.importorskip("pandas")
    rows = [f"{x},{k},{y[k]}" for x, y in (("bert", A), ("gpt", B)) for k in range(5)]
    path = write("\n".join(["encoder,seed,GLUE", *rows]))
    advice = "names the model of each row, such as 'encoder', pass it with {}; where"
    refuse(run("compare", path), advice.format("--model"))
    with pytest.raises(TableError, match=advice.format("model")):
        compare_models(pandas.read_csv(path))
    assert as_lists(read.scores(path, model="encoder")) == {"": {"bert": A, "gpt": B}}
    assert run("compare", path, "--model", "encoder")[0] == 0


@pytest.mark.parametrize("name", ["step", "epoch", "id", "time", "index"])
def test_other_indices_are_asked_about(write, run, name):
    refuse(run("compare", write(as_table(name, range(1, 6)))), f"({name}): expected")


@pytest.mark.parametrize("runs", [[0.5, 0.6, 0.7, 0.8, 0.9], [1, 2, "", 4, 5]])
def test_a_column_that_names_no_run_is_asked_about(write, run, runs):
    refuse(run("compare", write(as_table("seed", runs))), "looks like an index, or")


def test_whole_scores_may_be_those_of_a_model_that_is_called_run(write, run):
    whole = [[40, 90, 31, 60, 71], [30, 80, 21, 50, 38]]
    path = write(as_table("run", [12, 40, 9, 70, 33], *whole))
    refuse(run("compare", path), "column 1 (run)")
    scores = {"run": [12, 40, 9, 70], "walk": [10, 30, 8, 60]}
    assert read.scores(scores).models == ("run", "walk")
    assert run("compare", write(as_table("run", [3, 1, 2, 5, 4], *whole)))[0] == 0


@pytest.mark.parametrize("name", ["seed", "Random_Seed", "trial", "rep", "run_id"])
@pytest.mark.parametrize("a", [[871, 866, 870, 868, 869], [88.0] * 5])
def test_seeds_beside_whole_scores_name_the_runs(write, name, a):
    """As they do beside one score with a fraction, whatever numbers seeds are."""
    b = [x + 1 for x in a]
    table = read.scores(write(as_table(name, [1, 2, 3, 42, 1234], a, b)))
    assert as_lists(table) == {"": {"a": a, "b": b}}
    assert table.ids[""]["a"] == ("1", "2", "3", "42", "1234")


def test_runs_that_are_right_or_wrong_are_asked_about(write, run):
    path = write(as_table("trial", range(5), [0, 1, 1, 0, 1], [1, 0, 0, 0, 1]))
    done = run("compare", path)
    refuse(done, "column 'trial', as of runs", "--unit run where", "--item trial")
    assert read.scores(path, unit="run").unit == "run"
    assert read.scores(path, item="trial").unit == "item"


def test_seeds_of_a_mapping_are_different():
    with pytest.raises(TableError, match=r"score 2, column 'seed': .* got '1' again"):
        read.scores({"seed": [1, 1], "a": [0.5, 0.75], "b": [0.25, 0.5]})
