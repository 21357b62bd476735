"""Of several metrics, the first that a task has."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse, wide_table
from tests.read.long_tables import as_lists

# Task -> metric -> the scores of models, of two runs each.
SCORES = {
    "summaries": {"rouge": {"a": [0.5, 0.6], "b": [0.3, 0.4]}},
    "qa": {
        "rouge": {"a": [0.1, 0.2], "b": [0.2, 0.1]},
        "accuracy": {"a": [0.7, 0.9], "b": [0.6, 0.8]},
    },
    "translation": {"bleu": {"a": [21, 22], "b": [23, 24]}},
}
ROWS = [
    (task, metric, model, run, x)
    for task, by in SCORES.items()
    for metric, of_models in by.items()
    for model, scores in of_models.items()
    for run, x in enumerate(scores)
]


def write_rows():
    """Write a row for each score, with a column of metrics."""
    rows = [",".join(map(str, row)) for row in ROWS]
    return "\n".join(["task,metric,model,seed,value", *rows])


def write_columns():
    """Write a column for each metric, blank where a task has none."""
    names = ("rouge", "accuracy", "bleu")
    cells = {}
    for task, metric, model, run, x in ROWS:
        cells.setdefault((task, model, run), {})[metric] = x
    rows = [
        ",".join(map(str, [*key, *(by.get(x, "") for x in names)]))
        for key, by in cells.items()
    ]
    return "\n".join([f"task,model,seed,{','.join(names)}", *rows])


@pytest.mark.parametrize("text", [write_rows(), write_columns()])
class TestTasks:
    def test_each_has_the_first_that_it_has(self, write, text):
        path = write(text)
        every = "accuracy,rouge,bleu"
        table = read.scores(path, metric=every)
        assert as_lists(table) == {
            "qa": SCORES["qa"]["accuracy"],
            "summaries": SCORES["summaries"]["rouge"],
            "translation": SCORES["translation"]["bleu"],
        }
        assert set(table.metric.split(", ")) == {"accuracy", "rouge", "bleu"}
        assert as_lists(read.scores(path, metric=every.split(","))) == as_lists(table)
        other = read.scores(path, metric="rouge, accuracy")
        assert as_lists(other)["qa"] == SCORES["qa"]["rouge"]
        note = "task 'translation' left out, without metric 'rouge', 'accuracy'"
        assert any(note in x for x in other.notes)

    def test_directions_of_several_metrics(self, write, text):
        options = {"metric": "accuracy,bleu", "higher_is_better": {"bleu": False}}
        with pytest.raises(TableError, match=r"one direction; got 'bleu'"):
            read.scores(write(text), **options)

    def test_one_that_all_tasks_have_is_enough(self, write, text):
        rows = "\n".join(x for x in text.splitlines() if "qa" in x or "task" in x)
        with pytest.raises(TableError, match=r"got 'accuracy', 'rouge' \(metric\)"):
            read.scores(write(rows), metric="accuracy,rouge")

    def test_no_task_has_one(self, write, text):
        with pytest.raises(TableError, match=r"has no metric 'bleau'\. Did you mean"):
            read.scores(write(text), metric="bleau,f1")


def test_the_question_leads_there(write, run):
    path = write(write_rows())
    every = "rouge,bleu"
    refuse(run("compare", path), "Choose one, such as --metric rouge.\n")
    code, out, _ = run("compare", path, "--metric", every, "--format", "csv")
    assert (code, "translation" in out) == (0, True)


def test_the_likeliest_is_advised(write, run):
    rows = "\n".join(f"{m},{k},1{k},{k}.5,0.{k}1,0.{k}7" for m in "ab" for k in "123")
    for others in ("length,total_time,loss", "train_acc,sps,mse", "score_std,x,y"):
        for name in ("human_normalized_score", "episodic_return", "f1", "win_rate"):
            text = f"model,seed,{others},{name}\n{rows}"
            refuse(run("compare", write(text)), f"such as --metric {name}")


def test_a_name_with_a_comma_is_one_metric(write):
    text = write_rows().replace("rouge", '"rouge,none"').replace("accuracy", "none")
    table = read.scores(write(text), metric="rouge,none")
    assert as_lists(table)["qa"] == SCORES["qa"]["rouge"]
    several = read.scores(write(text), metric='bleu, "rouge,none"')
    assert as_lists(several)["qa"] == as_lists(table)["qa"]
    said = read.scores(write(text), metric="bleu,rouge,nine").notes[0]
    assert "no task has metric 'nine' (--metric). " in said
    assert "'rouge,none'" in said
    with pytest.raises(TableError, match=r"no metric 'nine'.*'rouge,none'"):
        read.scores(write(text), metric="nine,ten")


class TestRunsOfOneModel:
    ROWS = "model,seed,acc,loss,optimizer.lr"

    def write_text(self):
        rows = [
            f"{'xabc'[m]},{s},0.{m}{s},{4 - m}.{s},0.{s}"
            for m in (1, 2, 3)
            for s in range(3)
        ]
        return "\n".join([self.ROWS, *rows])

    def write(self, write):
        return write(self.write_text())

    def test_a_loss_beside_others_is_no_benchmark(self, write, run):
        path = self.write(write)
        error = run("compare", path)[2]
        assert error.endswith("got 'acc', 'loss'. Choose one, such as --metric acc.\n")
        error = run("compare", path, "--score", "acc,loss")[2]
        assert "got 'loss', which may be a loss, beside 'acc'" in error
        assert "One call has one direction: compare them in two, by --metric" in error
        assert "--metric acc, and by --metric loss --lower-is-better; or, if" in error
        said = run("compare", path, "--score", "acc,loss", "--higher-is-better")
        assert said[0] == 0
        losses = run("compare", path, "--score", "loss,optimizer.lr,acc")
        assert losses[0] == 2

    def test_several_of_a_table_without_tasks_are_refused(self, write, run):
        path = self.write(write)
        done = run("compare", path, "--metric", "acc,optimizer.lr")
        said = "got 'acc', 'optimizer.lr' (--metric). Choose one, such as --metric acc,"
        refuse(done, "expected one metric to compare", said)
        assert "higher acc is better" in run("compare", path, "--metric", "acc")[1]
        refuse(run("compare", path, "--metric", "foo,acc"), "has no metric 'foo'")

    def test_a_score_beside_a_metric_is_one_of_several(self, write, run):
        """As an accuracy is, whose column is not named "score"."""
        path = write(self.write_text().replace("acc", "score"))
        said = "expected one column of scores; got 'score', 'loss'. Choose one,"
        refuse(run("compare", path), said)
        for option in ("--metric", "--score"):
            code, _, err = run("compare", path, option, "score")
            assert code == 0, err
        path = write(self.write_text().replace("acc", "score").replace("loss", "time"))
        assert run("compare", path)[0] == 0


def test_a_metric_that_is_no_column_beside_the_column_score(write, run):
    rows = [f"{m},{k},0.{k}" for m in "ab" for k in range(4)]
    path = write("\n".join(["model,seed,score", *rows]))
    _, _, err = run("compare", path, "--metric", "scroe")
    assert "no metric 'scroe'. Did you mean 'score'? Those in it: 'score'." in err
    assert run("compare", path, "--metric", "score")[0] == 0


def test_counts_of_samples_lead_to_pass_at_k(write, run):
    rows = [[m, f"q{k}", 20, k % 20] for m in "ab" for k in range(20)]
    for names in ("n,c", "total,correct"):
        path = write(wide_table(f"model,problem,{names}", rows))
        done = run("compare", path)
        refuse(done, "pass@k of n samples", "1 - comb(n - c, k) / comb(n, k).")
        assert "--score n,c" not in done[2]


def test_columns_of_raters_lead_to_their_average(write, run):
    rows = [[k, k % 3, k % 4, k % 5, m] for m in "ab" for k in range(20)]
    path = write(wide_table("item,rater_1,rater_2,rater_10,model", rows))
    options = ("--columns", "rater_{rater}", "--unit", "item", "--run", "rater")
    refuse(run("compare", path), "--columns 'rater_{rater}' --unit item --run rater.")
    assert run("compare", path, *options)[0] == 0
    table = read.scores(path, columns="rater_{rater}", unit="item", run="rater")
    assert table.scores["a"].tolist()[1] == 1.0
