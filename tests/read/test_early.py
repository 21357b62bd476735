"""Runs that end much earlier than others."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_lists

END = 19


def make_chart(last=(), n_runs=4, models=("cnn", "lstm"), end=END):
    """A chart of W&B, in which some runs have another last step."""
    runs = [f"{model}-s{k}" for model in models for k in range(n_runs)]
    last = dict(last)
    header = ["Step", *(f"{x} - acc{y}" for x in runs for y in ("", "__MIN", "__MAX"))]
    rows = [
        [
            step,
            *(
                f"{step / 100 + k / 1000:.3f}" if step <= last.get(run, end) else ""
                for k, run in enumerate(runs)
                for _ in range(3)
            ),
        ]
        for step in range(max(end, *last.values()) + 1 if last else end + 1)
    ]
    return "\n".join(",".join(map(str, row)) for row in [header, *rows])


def make_long(last=(), blank=False, first=0):
    """The same with a row for each score; steps behind the last one are blank."""
    last = dict(last)
    lines = ["model,seed,step,acc"]
    for k, run in enumerate(f"{m}-s{k}" for m in ("cnn", "lstm") for k in range(4)):
        model, _, seed = run.partition("-s")
        for step in range(END + 1):
            is_over = step > last.get(run, END)
            if blank or not is_over:
                score = "" if is_over else f"{step / 100 + k / 1000:.3f}"
                lines.append(f"{model},{seed},{first + step},{score}")
    return "\n".join(lines)


CRASHED = {"lstm-s2": 5}
WHOLE = [0.194, 0.195, 0.197]
MAKERS = {
    "a chart": make_chart,
    "long": make_long,
    "blank cells": lambda last: make_long(last, blank=True),
    "later steps": lambda last: make_long(last, first=1000),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
class TestOneCrashedRun:
    def test_it_is_asked_about(self, write, run, make):
        first = 1000 if make is MAKERS["later steps"] else 0
        refuse(
            run("compare", write(make(CRASHED))),
            "got 1 of 8: 'lstm', run '2', at ",
            f" {first + 5} (most at {first + END})",
            *("--missing drop", "--missing worst", "--missing keep"),
        )

    def test_it_is_left_out(self, write, make):
        table = read.scores(write(make(CRASHED)), missing="drop")
        assert as_lists(table)[""]["lstm"] == WHOLE
        assert (table.missing, table.n_missing) == ("drop", {"": {"lstm": 1}})
        assert table.doubts == ()
        said = "have no score, were left out: 'lstm', run '2'"
        is_blank = make is MAKERS["blank cells"]
        assert any(said in x for x in table.notes), is_blank
        # The curve of its model is that of the others.
        curve = table.curves[""]["lstm"]
        assert curve.scores.shape == (3, END + 1)

    def test_it_is_the_worst(self, write, make):
        table = read.scores(write(make(CRASHED)), missing="worst")
        assert as_lists(table)[""]["lstm"] == [*WHOLE[:2], 0.056, WHOLE[2]]
        loss = read.scores(
            write(make(CRASHED)), missing="worst", higher_is_better=False
        )
        assert loss.scores["lstm"].max() == loss.scores["lstm"][2] == 0.197

    def test_it_is_kept(self, write, make):
        table = read.scores(write(make(CRASHED)), missing="keep")
        assert as_lists(table)[""]["lstm"][2] == 0.056
        assert (table.missing, table.n_missing) == ("keep", {})
        (doubt,) = table.doubts
        assert "'lstm', run '2', at step" in doubt.lower()


def test_the_method_says_it_and_its_signature_repeats_it(write, run):
    path = write(make_chart(CRASHED))
    for missing, said in (
        (
            "drop",
            f"its last Step, {END}; 1 run that ends much earlier has none. 1 run",
        ),
        ("worst", "that ended early (lstm) counts as 0.056, the worst of all runs"),
        ("keep", f"Step, 5 to {END}. Runs that crashed or ended early have the score "),
    ):
        code, out, err = run("compare", path, "--missing", missing, "--format", "json")
        assert code == 0, err
        document = json.loads(out)
        assert said in document["method"]
        assert f"|missing:{missing}|" in document["signature"]
        assert document["missing"] == missing
        code, out, err = run("compare", path, "--verify", document["signature"])
        assert code == 0, err
    arguments = ("--missing", "drop", "--paired", "--test", "permutation")
    _, out, _ = run("compare", path, *arguments, "--format", "json")
    assert "1 of 4 runs, in which 1 score was missing" in json.loads(out)["method"]


@pytest.mark.parametrize(
    "last",
    [
        # Not much earlier: only a warning says so.
        {"lstm-s2": 10},
        # By early stopping, each at a step of its own.
        {f"{m}-s{k}": 3 + 2 * k + 3 * i for i, m in enumerate(("cnn", "lstm"))
         for k in range(4)},
        # A model with other steps than the rest.
        {f"lstm-s{k}": 6 for k in range(4)},
        # Some go on after the others.
        {"lstm-s2": 60, "cnn-s0": 80},
    ],
)  # fmt: skip
def test_what_is_not_asked_about(write, last):
    table = read.scores(write(make_chart(last)))
    assert [len(x) for x in table.scores.values()] == [4, 4]
    assert (table.missing, table.n_missing, len(table.doubts)) == (None, {}, 1)
    again = read.scores(write(make_chart(last)), missing="drop")
    assert as_lists(again) == as_lists(table)


def test_ends_that_are_nearly_the_same(write):
    """As those of episodes are."""
    last = {f"{m}-s{k}": 190 + k for m in ("cnn", "lstm") for k in range(4)}
    path = write(make_chart({**last, "cnn-s1": 60, "cnn-s2": 70, "lstm-s0": 3}))
    with pytest.raises(TableError, match=r"got 3 of 8: 'cnn', run '1', at Step 60 \("):
        read.scores(path)
    assert read.scores(path, missing="drop").n_missing == {"": {"cnn": 2, "lstm": 1}}


def test_each_task_has_its_own_end(write):
    rows = make_long(CRASHED).splitlines()
    text = "task," + rows[0]
    text += "".join(f"\nt,{x}" for x in rows[1:])
    text += "".join(f"\nu,{x}" for x in make_long().splitlines()[1:])
    with pytest.raises(TableError, match=r"'lstm', task 't', run '2', at step 5"):
        read.scores(write(text))
    table = read.scores(write(text), missing="drop")
    assert table.n_missing == {"t": {"lstm": 1}}
    assert len(table.tasks["u"]["lstm"]) == 4


def test_files_of_single_runs(tmp_path):
    for model in "ab":
        for k in range(3):
            n = 2 if (model, k) == ("b", 1) else 10
            lines = [f"{step},{step / 16 + k}" for step in range(n)]
            path = tmp_path / f"{model}_seed{k}.csv"
            path.write_text("\n".join(["epoch,acc", *lines]))
    with pytest.raises(TableError, match=r"got 1 of 6: 'b', run '1', at epoch 1"):
        read.scores(tmp_path)
    assert read.scores(tmp_path, missing="drop").n_missing == {"": {"b": 1}}
    where = {"epoch": ["9"]}
    notes = read.scores(tmp_path, where=where).notes
    assert any(
        x.startswith("files without a row of epoch=9 were left out") and "b_seed1" in x
        for x in notes
    )


class TestLeavingOutColumnsOfAChart:
    @pytest.mark.parametrize("name", ["lstm-s2", "lstm-s2 - acc"])
    def test_a_run(self, write, run, name):
        path = write(make_chart(CRASHED))
        code, out, err = run("compare", path, "--ignore", name, "--format", "json")
        assert code == 0, err
        models = json.loads(out)["models"]
        assert {x: y["n"] for x, y in models.items()} == {"cnn": 4, "lstm": 3}
        ranges = ",".join([name, "lstm-s2 - acc__MIN", "cnn-s0 - acc__MAX"])
        same = run("compare", path, "--ignore", ranges, "--format", "json")[1]
        assert json.loads(same)["models"] == models

    def test_a_name_that_is_not_there(self, write, run):
        done = run("compare", write(make_chart(CRASHED)), "--ignore", "lstm-s22")
        refuse(done, "Did you mean 'lstm-s2'?", "The columns are 'cnn-s0 - acc',")

    def test_the_warning_says_how(self, write):
        (doubt,) = read.scores(write(make_chart({"lstm-s2": 12}))).doubts
        assert doubt.endswith("finished, such as with --ignore 'lstm-s2 - acc'")

    def test_a_step_that_a_run_lacks(self, write, run):
        path = write(make_chart(CRASHED))
        code, _, err = run("compare", path, "--where", f"Step={END}")
        assert code == 0
        said = f"runs without a row of Step={END} were left out: 'lstm', run '2'."
        assert said in " ".join(err.split())
        _, _, err = run("compare", path, "--where", "Step=3")
        assert "runs without a row" not in err
