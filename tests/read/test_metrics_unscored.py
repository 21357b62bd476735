"""Tasks and items without any score are named in notes and in the method line."""

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.tool_files import FILES

METRICS = {"arc": ("acc", "f1"), "gsm": ("em",), "qa": ("acc",)}


def write_rows(unit="item"):
    """Write a row for each metric; item 3 of arc has no acc of any model."""
    rows = [f"model,task,{unit},metric,score"]
    for m in "ab":
        for task, metrics in METRICS.items():
            for k in range(8):
                for x in metrics:
                    score = f"0.{k * (2 + len(task)) % 7}{ord(m) % 5}"
                    is_blank = (task, k, x) == ("arc", 3, "acc")
                    rows.append(f"{m},{task},{k},{x},{'' if is_blank else score}")
    return "\n".join([*rows, ""])


def write_columns(unit="item"):
    """Write a column for each metric."""
    rows = [f"model,task,{unit},acc,f1,em"]
    for m in "ab":
        for task, metrics in METRICS.items():
            for k in range(8):
                score = f"0.{k * (2 + len(task)) % 7}{ord(m) % 5}"
                cells = [score if x in metrics else "" for x in ("acc", "f1", "em")]
                if (task, k) == ("arc", 3):
                    cells[0] = ""
                rows.append(",".join([m, task, str(k), *cells]))
    return "\n".join([*rows, ""])


@pytest.mark.parametrize("form", [write_rows, write_columns])
class TestTables:
    def test_tasks_without_the_metric(self, write, form):
        for unit in ("item", "seed"):
            table = read.scores(write(form(unit)), metric="acc")
            assert list(table.tasks) == ["arc", "qa"]
            assert table.left_out == table.without_metric == ("gsm",)
            note = (
                "task 'gsm' left out, without metric 'acc'. With --metric acc,NAME, "
                "each task has the first of these that it has"
            )
            assert table.notes.count(note) == 1
            method = compare_models(table).method
            assert method.count("Task gsm was left out, without acc.") == 1

    def test_of_several_metrics_too(self, write, form):
        table = read.scores(write(form()), metric=["f1", "em"])
        assert table.without_metric == ("qa",)
        assert "Task qa was left out, without f1 or em." in compare_models(table).method
        table = read.scores(write(form()), metric=["em", "acc"])
        assert table.without_metric == ()
        said = "Item 3 on 1 of 3 tasks was left out, without em or acc of any model."
        assert said in compare_models(table).method

    def test_items_of_which_no_model_has_a_score(self, write, form):
        table = read.scores(write(form()), metric="acc")
        assert table.unscored == {"arc": ("3",)}
        said = "Item 3 on 1 of 2 tasks was left out, without acc of any model."
        assert said in compare_models(table).method

    def test_chosen_tasks_without_the_metric_are_an_error(self, write, run, form):
        path = write(form())
        with pytest.raises(
            TableError, match=r"of 'acc'; got tasks=\['gsm'\], which has no"
        ):
            read.scores(path, metric="acc", tasks=["arc", "gsm"])
        table = read.scores(path, metric="acc", tasks=["qa"])
        assert (table.without_metric, table.unscored) == ((), {})
        assert run("compare", path, "--metric", "acc", "--tasks", "qa")[0] == 0


def test_blank_items_without_a_choice_of_metric(write):
    text = "model,item,score\n" + "".join(
        f"{m},q{k},{'' if k in blank else k % 3 + (m == 'b') * k % 2}\n"
        for blank in [(2, 5, 6, 7, 8)]
        for m in "ab"
        for k in range(20)
    )
    table = read.scores(write(text))
    assert table.unscored == {"": ("q2", "q5", "q6", "q7", "q8")}
    said = "5 items were left out, without a score of any model."
    assert said in compare_models(table).method


def test_an_item_that_another_model_has_is_no_such_item(write):
    rows = [f"{m},{k},0.{k}{m == 'b':d}" for m in "abc" for k in range(6)]
    rows[2], rows[8] = "a,2,", "b,2,"
    path = write("\n".join(["model,item,acc", *rows, ""]))
    assert read.scores(path, drop_unmatched=True).unscored == {}


def test_the_tasks_of_averages_are_items():
    paths = [str(x) for x in sorted((FILES / "lm_eval").glob("*model-[ab]/results*"))]
    table = read.scores(*paths, metric="exact_match,strict-match", item="task")
    assert table.ids[""]["toy-org/model-a"] == ("toy_arith",)
    assert table.unscored == {"": ("toy_mc", "toy_qa", "toy_ppl")}
    note = "items 'toy_mc', 'toy_qa', 'toy_ppl' left out, without metric 'exact_match,"
    assert any(x.startswith(note) for x in table.notes)


def test_samples_of_a_task_name_the_metric_that_it_has(run):
    folders = [str(FILES / "lm_eval" / f"toy-org__model-{x}") for x in "ab"]
    options = ["--tasks", "toy_mc,toy_arith", "--drop-unmatched"]
    done = run("compare", *folders, "--metric", "acc", *options)
    refuse(done, "got --tasks toy_arith", "metric of it, 'exact_match,strict-match', ")
    said = ["--metric", "acc", "--metric", "exact_match,strict-match"]
    assert run("compare", *folders, *said, *options)[0] == 0
    out = run("compare", *folders, "--metric", "acc", "--drop-unmatched")[1]
    assert "Tasks toy_arith, toy_ppl and toy_qa were left out, without acc." in out
