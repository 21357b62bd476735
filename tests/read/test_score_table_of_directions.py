"""Which metrics are better if lower, and files that have others too."""

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import parse, refuse
from tests.read.tool_files import FILES

ROWS = [
    (m, k, 0.9 + i / 20 + k / 999, 0.5 + i + k / 99)
    for i, m in enumerate("ab")
    for k in range(5)
]
TEXT = "\n".join(["model,seed,acc,loss", *(",".join(map(str, x)) for x in ROWS)])


@pytest.mark.parametrize(("metric", "is_higher"), [("acc", True), ("loss", False)])
def test_names_of_metrics(write, run, recwarn, metric, is_higher):
    path = write(TEXT)
    done = run(
        "compare", path, "--metric", metric, "--lower-is-better", "loss,perplexity",
        "--test", "t", "--format", "json",
    )  # fmt: skip
    assert parse(done)["higher_is_better"] == is_higher
    assert "may be a loss" not in done[2]
    table = read.scores(path, metric=metric, higher_is_better={"loss": False})
    assert table.higher_is_better == (None if is_higher else False)
    result = compare_models(table, test="t", higher_is_better={"loss": False})
    assert result.better("b", "a") == is_higher
    assert result.better("a", "b") != is_higher
    assert not recwarn.list


def test_a_name_that_is_not_there_is_refused(write, run):
    """It would turn no score, and the worst model would be the best."""
    done = run("compare", write(TEXT), "--metric", "loss", "--lower-is-better", "lss")
    refuse(done, "for --lower-is-better; got 'lss'", "of 'loss'", "Did you mean 'loss'")
    with pytest.raises(TableError, match=r"Expected|expected names of metrics"):
        read.scores(write(TEXT), metric="loss", higher_is_better={"lss": False})


def test_a_file_behind_the_option_is_a_file(write, run):
    path = write("a,b\n.9,.8\n.7,.6\n.85,.65\n", "loss.csv")
    for option in (["--lower-is-better", path], [path, "--lower-is-better"]):
        document = parse(run("compare", *option, "--format", "json"))
        assert document["higher_is_better"] is False
        assert list(document["models"]) == ["a", "b"]
    of_metric = run("compare", path, "--lower-is-better", "loss")
    refuse(
        of_metric, "for --lower-is-better; got 'loss'", "pass --lower-is-better alone"
    )
    with pytest.raises(SystemExit):
        run("compare", "--lower-is-better", "no.csv", path)


class TestOneMetricForEachTask:
    FOLDERS = tuple(FILES / "lm_eval" / f"toy-org__model-{x}" for x in "ab")

    def test_the_first_that_a_task_has(self):
        metrics = ["acc", "exact_match,strict-match"]
        table = read.scores(*self.FOLDERS, metric=metrics, drop_unmatched=True)
        for task, metric in zip(("toy_mc", "toy_arith"), metrics, strict=True):
            alone = read.scores(
                *self.FOLDERS, metric=metric, tasks=[task], drop_unmatched=True
            )
            for model, x in alone.scores.items():
                assert x.tolist() == table.tasks[task][model].tolist()
        assert set(table.tasks) == {"toy_mc", "toy_arith"}
        assert table.higher_is_better is True

    def test_two_filters_are_asked_about(self):
        with pytest.raises(TableError, match=r"'exact_match,strict-match', 'exact_mat"):
            read.scores(*self.FOLDERS, metric=["acc", "exact_match"])

    def test_both_directions_are_refused(self):
        said = {"acc": True, "exact_match": False}
        metrics = ["acc", "exact_match,strict-match"]
        with pytest.raises(TableError, match=r"one direction; got 'exact_match,strict"):
            read.scores(
                *self.FOLDERS,
                metric=metrics,
                drop_unmatched=True,
                higher_is_better=said,
            )
