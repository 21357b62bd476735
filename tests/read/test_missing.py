"""Missing scores: crashed runs, and items without an answer."""

import json
import re

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse, wide_table
from tests.read.long_tables import as_lists

WIDE = "a,b\n.9,.8\n.7,{0}\n.85,.6\n"
LONG = "model,seed,acc\na,0,.9\na,1,.7\na,2,.85\nb,0,.8\nb,1,{0}\nb,2,.6\n"
A, B = [0.9, 0.7, 0.85], [0.8, 0.6]


@pytest.mark.parametrize(
    "cell",
    ["nan", "", "N/A", "-", "Infinity", "inf", "-inf", "1.7976931348623157e+308"],
)
@pytest.mark.parametrize("text", [WIDE, LONG])
class TestRuns:
    def test_dropped(self, write, text, cell):
        table = read.scores(write(text.format(cell)), missing="drop")
        assert as_lists(table) == {"": {"a": A, "b": B}}
        assert (table.missing, dict(table.n_missing)) == ("drop", {"": {"b": 1}})
        (note,) = (x for x in table.notes if "left out" in x)
        which = "'b', run '1'" if text == LONG else "1 of 'b'"
        assert note.endswith(f"runs without a score were left out: {which}")

    @pytest.mark.parametrize(("higher", "worst"), [(None, 0.6), (False, 0.9)])
    def test_the_worst(self, write, text, cell, higher, worst):
        path = write(text.format(cell))
        table = read.scores(path, missing="worst", higher_is_better=higher)
        assert sorted(table.scores["b"].tolist()) == sorted([*B, worst])
        assert table.scores["a"].tolist() == A
        assert any(f"count as {worst}, the worst of all runs" in x for x in table.notes)
        assert not any("left out" in x for x in table.notes)


def test_blank_cells_are_counted_and_signed(write, run):
    """Without --missing they are left out as with --missing drop."""
    wide = "a,b,c\n.9,.8,.7\n.7,,.75\n,.6,.5\n.8,.7,.6\n.9,.8,\n"
    names = ["seed,", *(f"{k}," for k in range(5))]
    named = "\n".join(map("".join, zip(names, wide.splitlines(), strict=True)))
    rows = [line.split(",") for line in named.splitlines()]
    long = "model,seed,acc\n" + "".join(
        f"{model},{row[0]},{row[k + 1]}\n"
        for k, model in enumerate("abc")
        for row in rows[1:]
    )
    gaps, every = {"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}
    for text, counts, said in (
        (wide, gaps, "2 blank cells were left out: 1 of 'a', 1 of 'b'."),
        (wide, gaps, "1 blank cell below the last score was left out: 1 of 'c'."),
        (named, every, "3 blank cells were left out: 1 of 'a', 1 of 'b', 1 of 'c'."),
        (
            long,
            every,
            "3 rows without a score were left out: 'a', run '2'; 'b', run '1'; 'c', r",
        ),
    ):
        path = write(text)
        code, out, err = run("compare", path, "--format", "json")
        assert code == 0, err
        assert said in err
        document = json.loads(out)
        assert (document["missing"], document["n_missing"]) == ("drop", {"": counts})
        assert f". {len(counts)} missing scores, left out." in document["method"]
        assert "|missing:drop|" in document["signature"]
        signature = document["signature"]
        for line in (signature, signature.replace("|missing:drop", "")):
            assert run("compare", path, "--verify", line)[0] == 0
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(write(wide))
    result = compare_models(frame)
    assert result.table.n_missing == {"": gaps}
    assert len(result.notes) == 2
    assert compare_models(frame.dropna()).table.missing is None


def test_blank_cells_are_counted_by_task_and_file(write):
    text = "task,seed,a,b\n" + "".join(f"t{k % 2},{k},.{k},.5\n" for k in range(1, 9))
    table = read.scores(write(text.replace(".3,", ",")), task="task")
    assert table.n_missing == {"t1": {"a": 1}}
    assert any(
        "task 't1': 1 blank cell was left out: 1 of 'a'" in x for x in table.notes
    )
    rows = "task,seed,acc\n" + "".join(f"t{k % 2},{k},.{k}\n" for k in range(1, 9))
    a, b = write(rows, "a.csv"), write(rows.replace(".3\n", "\n"), "b.csv")
    assert read.scores(a, b).n_missing == {"t1": {"b": 1}}
    assert read.scores(a, f"new={b}").n_missing == {"t1": {"new": 1}}


def test_many_rows_are_counted_and_few_are_named(write):
    """By the names that the file has, and a run by its task."""
    rows = [f"{m},{t},{k},.{k + 1}" for m in "ab" for t in "xy" for k in range(5)]
    header = "model,task,seed,acc"
    for n, said in (
        (1, "1 row without a score was left out: 'a', task 'x', run '0'"),
        (4, "4 rows without a score were left out: 4 of 'a'"),
    ):
        blank = [re.sub(r"[^,]+$", "", x) for x in rows[:n]]
        table = read.scores(write("\n".join([header, *blank, *rows[n:]])))
        assert any(x.endswith(said) for x in table.notes)
    text = "\n".join(
        ["item,acc", *(f"q{k},{'' if k == 2 else k % 2}" for k in range(9))]
    )
    other = write(text.replace("q2,", "q2,1"), "b.csv")
    table = read.scores(write(text, "a.csv"), other, drop_unmatched=True)
    assert any(
        "1 row without a score was left out: item 'q2'" in x for x in table.notes
    )


def test_items_without_a_score_are_unmatched(write):
    text = "model,item,ok\n" + "".join(f"{m},{k},1\n" for m in "abc" for k in range(6))
    path = write(text.replace("b,3,1", "b,3,").replace("c,4,1", "c,4,0"))
    with pytest.raises(TableError, match=r"'b' lacks 1 \('3'\).* drop_unmatched"):
        read.scores(path)
    table = read.scores(path, drop_unmatched=True)
    assert (table.missing, table.n_missing) == (None, {})
    assert len(table.pairs[""]["a", "c"][0]) == 6


@pytest.mark.parametrize("text", [WIDE, LONG])
def test_a_loss_that_has_diverged_is_asked_about(write, run, text):
    for cell in ("Infinity", "-inf", "1.7976931348623157e+308"):
        done = run("compare", write(text.format(cell)))
        refuse(done, f"expected a number; got '{cell}'. Where a run failed")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": [0.9, 0.7, 0.85], "b": [0.8, np.inf, 0.6]})
    path = write("", "scores.parquet")
    frame.to_parquet(path)
    for source in (frame, path, frame.to_dict("list")):
        table = read.scores(source, missing="drop")
        assert as_lists(table) == {"": {"a": A, "b": B}}
        assert table.n_missing == {"": {"b": 1}}
        with pytest.raises(TableError, match=r"missing='drop'|drop, or worst"):
            read.scores(source)


@pytest.mark.parametrize("text", [WIDE, LONG])
def test_what_is_left_out_has_the_name_of_its_unit(write, text):
    named = text
    if text == WIDE:
        rows = zip(("seed", *range(3)), text.splitlines(), strict=True)
        named = "\n".join(f"{k},{row}" for k, row in rows)
    table = read.scores(write(named.format("nan")), missing="drop", paired=True)
    assert any("paired runs without a score of some model" in x for x in table.notes)
    assert not any("items" in x for x in table.notes)


@pytest.mark.parametrize("text", [WIDE, LONG])
def test_other_missing_scores_are_none_that_are_kept(write, text):
    with pytest.raises(TableError, match="got 'nan'"):
        read.scores(write(text.format("nan")), missing="keep")
    blank, kept = (
        read.scores(write(text.format("")), missing=x) for x in (None, "keep")
    )
    assert (kept.notes, kept.missing) == (blank.notes, "drop")
    assert as_lists(kept) == as_lists(blank)


def test_without_missing_scores_nothing_is_said(write):
    table = read.scores(write(WIDE.format(".5")), missing="worst")
    assert (table.missing, table.n_missing, table.notes) == (None, {}, ())


@pytest.mark.parametrize(
    "text",
    [
        "item,a,b\nq1,1,0\nq2,0,nan\nq3,1,1\nq4,,0\nq5,0,0\n",
        "model,item,ok\n"
        + "".join(
            f"{m},q{k + 1},{x}\n"
            for m, cells in (("a", "101?0"), ("b", "0-100"))
            for k, x in enumerate(cells)
        ),
    ],
)
def test_items_are_left_out_for_all_models(write, text):
    path = write(text)
    table = read.scores(path, item="item", missing="drop")
    assert as_lists(table) == {"": {"a": [1, 1, 0], "b": [0, 1, 0]}}
    assert table.ids[""]["a"] == ("q1", "q3", "q5")
    assert table.n_missing == {"": {"a": 1, "b": 1}}
    assert any("left out for all models" in x for x in table.notes)
    with pytest.raises(
        TableError, match=r"no pairs, for missing='worst'|--missing wor"
    ):
        read.scores(path, item="item", missing="worst")


def test_the_worst_is_no_advice_for_items(write):
    """Also where these are in several runs, for which it is refused, too."""
    path = write("model,seed,item,acc\na,0,q,.9\na,1,q,nan\nb,0,q,.8\nb,1,q,.7\n")
    for unit in (None, "item", "run", "run,item"):
        with pytest.raises(TableError, match=r"Where an answer.*drop") as refused:
            read.scores(path, unit=unit)
        assert "missing='worst'" not in str(refused.value)
        with pytest.raises(TableError, match=r"runs that are no pairs"):
            read.scores(path, unit=unit, missing="worst")


def test_what_is_asked(write):
    trailing = write("a,b\n.9,.8\nnan,.7\n.8,\n")
    with pytest.raises(
        TableError, match=r"'b'.* runs that were never made.* Write nan"
    ):
        read.scores(trailing, missing="worst")
    assert as_lists(read.scores(trailing, missing="drop")) == {
        "": {"a": [0.9, 0.8], "b": [0.8, 0.7]}
    }
    with pytest.raises(TableError, match=r"not missing; got none of 'b'"):
        read.scores(write("model,seed,x\na,0,1.5\na,1,2.5\nb,0,nan\n"), missing="drop")
    with pytest.raises(
        ValueError, match="Expected missing to be one of 'drop', 'worst'"
    ):
        read.scores(trailing, missing="mean")


def test_scores_that_were_not_taken_at_a_step_are_not_missing(write):
    """A log has blank cells; a run that crashed has NaN at its last step."""
    rows = [(m, s, k) for m in "ab" for s in range(2) for k in range(4)]
    lines = [f"{m},{s},{k},{'' if k % 2 else k / 10}" for m, s, k in rows]
    lines[-2] = "b,1,2,nan"
    path = write("\n".join(["model,seed,step,acc", *lines]))
    table = read.scores(path, missing="worst")
    assert as_lists(table) == {"": {"a": [0.2, 0.2], "b": [0.2, 0.2]}}
    assert table.n_missing == {"": {"b": 1}}


def test_arrays_in_memory():
    scores = {"a": np.arange(8.0), "b": np.asarray([9.0, np.nan, *range(9, 15)])}
    with pytest.raises(TableError, match=r"got nan at place 1.*drop"):
        read.scores(scores)
    for missing, n in (("drop", 7), ("worst", 8)):
        tasks = read.scores({"t": scores, "u": scores}, missing=missing).tasks
        assert len(tasks["t"]["b"]) == len(tasks["u"]["b"]) == n
    said = r"missing='worst': 1 missing score counts as .* any run, 0 \('b'\)"
    with pytest.warns(UserWarning, match=said):
        result = compare_models(scores, missing="worst", test="mann-whitney")
    assert "1 missing score, taken for the worst of all runs" in result.method
    assert result.table.scores["b"][-1] == 0.0
    with pytest.raises(ValueError, match=r"missing='worst' with test='aso', test='m"):
        compare_models(scores, missing="worst", test="t")
    table = read.scores(scores, missing="worst")
    with pytest.raises(ValueError, match=r"missing='worst' with test='aso', test='m"):
        compare_models(table, test="t")
    way = r"read with missing='drop'; .* Pass read\.scores\(\.\.\., missing='drop'\)\."
    with pytest.raises(ValueError, match=way):
        compare_models(table, missing="drop")


def test_the_command_says_it_and_its_signature_repeats_it(write, run):
    path = write(LONG.format("nan"))
    refuse(run("compare", path), "--missing worst", "--missing drop")
    refuse(run("compare", path, "--missing", "worst", "--test", "t"), "--missing drop")
    documents = {}
    for missing in ("drop", "worst"):
        arguments = ["compare", path, "--missing", missing, "--test", "mann-whitney"]
        code, out, err = run(*arguments, "--format", "json")
        assert code == 0, err
        document = documents[missing] = json.loads(out)
        assert (document["missing"], document["n_missing"]) == (missing, {"": {"b": 1}})
        assert f"|missing:{missing}|" in document["signature"]
        assert "1 missing score" in document["method"]
        code, out, _ = run("compare", path, "--verify", document["signature"])
        assert (code, "repeats it" in " ".join(out.split())) == (0, True)
    assert documents["drop"]["signature"] != documents["worst"]["signature"]
    signature = documents["drop"]["signature"].replace("drop", "worst")
    assert run("compare", path, "--verify", signature)[0] == 1
    again = run("compare", path, "--missing", "drop", "--verify", signature)
    refuse(again, "Expected --missing as in the signature, which has worst; got anoth")


class TestSeveralScoresOfAnItem:
    """A missing score is left out beside others of its item and model."""

    def rate(self, *blank, columns="item,rater,system,rating"):
        rows = [
            (f"q{k}", rater, m, 1 + (k * i + len(rater)) % 5)
            for k in range(10)
            for rater in ("ann", "carl", "edith")
            for i, m in enumerate("ab", 1)
        ]
        names = columns.split(",")
        lines = [columns]
        for item, rater, m, x in rows:
            cell = "nan" if (item, rater, m) in blank else x
            row = {"item": item, "rater": rater, "system": m, "rating": cell}
            lines.append(",".join(str(row[x]) for x in names))
        return "\n".join(lines)

    def test_a_rating(self, write, run):
        path = write(self.rate(("q4", "carl", "a")))
        options = ("--unit", "item", "--ignore", "rater", "--missing", "drop")
        code, out, err = run("compare", path, *options, "--format", "json")
        assert code == 0, err
        said = (
            "1 missing score was left out, beside others of the same item and model: "
            "'a', item 'q4'"
        )
        assert said in " ".join(err.split())
        assert "left out for all models" not in err
        found = json.loads(out)
        assert found["models"]["a"]["n"] == found["models"]["b"]["n"] == 10
        assert ". 1 missing score, left out." in found["method"]
        table = read.scores(path, run="rater", unit="item", missing="drop")
        # Those of ann and edith, for both.
        assert table.scores["a"][4] == (1 + (4 + 3) % 5 + 1 + (4 + 5) % 5) / 2
        assert table.scores["b"][4] == (1 + (8 + 3) % 5 + 1 + (8 + 5) % 5) / 2
        assert dict(table.n_missing[""]) == {"a": 1}

    def test_a_sample_without_a_name(self, write):
        text = self.rate(("q4", "carl", "a"), columns="item,system,rating")
        table = read.scores(write(text), unit="item", missing="drop")
        assert table.averaged[""][2:4] == (2, 3)
        assert len(table.scores["a"]) == 10

    def test_beside_an_item_without_any(self, write, run):
        lacks = [("q7", rater, "b") for rater in ("ann", "carl", "edith")]
        path = write(self.rate(("q4", "carl", "a"), *lacks))
        options = ("--unit", "item", "--run", "rater", "--missing", "drop")
        _, out, err = run("compare", path, *options, "--format", "json")
        text = " ".join(err.split())
        assert (
            "out for all models; missing are 'b', item 'q7', run 'ann'; 'b', i" in text
        )
        assert "same item and model: 'a', item 'q4', run 'carl'." in text
        method = json.loads(out)["method"]
        assert "1 of 10 items, in which 1 score was missing, was left out for" in method
        assert "1 missing score, left out" in method

    def test_of_columns_of_models_a_row(self, write, run):
        rows = [f"q{k},{x},{k % 5},{k % 3}" for k in range(10) for x in ("ann", "bob")]
        rows[7] = "q3,bob,,2"
        path = write("\n".join(["item,rater,a,b", *rows]))
        options = ("--item", "item", "--unit", "item", "--ignore", "rater")
        _, out, err = run("compare", path, *options, "--missing", "drop")
        assert "rows without a score of some model were left out for all mod" in err
        assert "1 of 20 rows, in which 1 score was missing, was left" in " ".join(
            out.split()
        )


class TestTheWorst:
    """What crashed runs had logged counts, and a warning says what it is."""

    ROWS = (
        *((m, k, "finished", 0.8 + 0.01 * k + 0.05 * (m == "b")) for m in "ab"
          for k in range(4)),
        ("b", 4, "crashed", 0.11),
    )  # fmt: skip

    def write_rows(self, write, *more):
        rows = [f"{m}{k},{s},{m},{k},{x}" for m, k, s, x in (*self.ROWS, *more)]
        return write("\n".join(["Name,State,model,seed,acc", *rows, ""]))

    @pytest.mark.parametrize(
        ("more", "lower", "worst"),
        [
            ((), False, 0.11),
            # Of losses it is a good one; what has no number is none.
            ((), True, 0.88),
            ((("a", 5, "crashed", 1.5),), True, 1.5),
            ((("a", 5, "failed", "nan"),), False, 0.11),
            ((("a", 5, "failed", "inf"),), True, 0.88),
        ],
    )
    def test_of_all_runs(self, write, run, more, lower, worst):
        path = self.write_rows(write, *more)
        options = ["--lower-is-better"] if lower else []
        options += ["--missing", "worst", "--quiet"]
        code, _, err = run("compare", path, *options)
        assert code == 0, err
        n = 1 + len(more)
        some = "1 missing score counts" if n == 1 else f"{n} missing scores count"
        of = "'b'" if n == 1 else "'a' and 'b'"
        assert f"{some} as the worst score of any run, {worst:g} ({of}). " in err
        table = read.scores(path, missing="worst", higher_is_better=not lower)
        assert table.scores["b"][-1] == pytest.approx(worst)
        filled = [x[-1] for x in table.scores.values() if len(x) > 4]
        assert filled == pytest.approx([worst] * n)

    def test_on_tasks_each_has_its_own(self):
        scores = {"a": np.arange(8.0), "b": np.asarray([np.nan, *range(9, 16)])}
        tasks = {"t": scores, "u": {m: x + 2.0 for m, x in scores.items()}}
        said = r"2 missing scores count as .* 0 on 't' \('b'\); 2 on 'u' \('b'\)\."
        with pytest.warns(UserWarning, match=said):
            compare_models(tasks, missing="worst", test="mann-whitney")

    def test_without_any_nothing_is_said(self, write, run):
        path = write("a,b\n1.1,2.1\n1.2,2.4\n1.4,2.2\n1.3,2.3\n1.5,2.5\n")
        assert run("compare", path, "--missing", "worst", "--quiet")[2] == ""


ABSENT = (
    "--",
    "\N{EM DASH}",
    "\N{EN DASH}",
    "n.a.",
    "#N/A",
    "missing",
    "TBD",
    "*",
    "#DIV/0!",
)


@pytest.mark.parametrize("cell", ABSENT)
def test_other_marks_of_a_missing_score(write, run, cell):
    path = write(WIDE.format(cell))
    refuse(run("compare", path), f"got '{cell}'. Where a run failed, ")
    assert run("compare", path, "--missing", "drop")[0] == 0


NO_NUMBERS = ("17{}/200", "1.7{}k", "$ 0.8{}", "**0.8{}**", "[0.8{}]", "'0.8{}")


@pytest.mark.parametrize("cell", NO_NUMBERS)
def test_cells_that_are_no_numbers_alone(write, run, cell):
    one = WIDE.format(cell.format(3))
    refuse(run("compare", write(one)), "number; got ", ". Write it as a number alone")
    rows = [f"{cell.format(k)},{cell.format(k + 1)}" for k in range(5)]
    done = run("compare", write("\n".join(["a,b", *rows])))
    refuse(done, ". If that is a score, write it as a number alone. Where the column")
    rows = [f"{m},{k},{cell.format(k)}" for m in "ab" for k in range(5)]
    done = run("compare", write("\n".join(["model,seed,acc", *rows])))
    refuse(done, "write scores as numbers alone")


def test_errors_name_all_ways_in_the_same_words(write, run):
    """Of NaN, of crashed runs, and of those that ended early."""
    words = (
        "pass --missing drop, which leaves such runs out, or --missing worst, which "
        "counts each as the worst score of any run"
    )
    runs = [(m, k) for m in "ab" for k in range(5)]
    nan = [(m, k, "nan" if k == 3 else k / 10 + 0.05) for m, k in runs]
    refuse(run("compare", write(wide_table("model,seed,acc", nan))), words)
    with pytest.raises(TableError, match=r"missing='drop', which .* missing='worst'"):
        read.scores({"a": [0.1, float("nan"), 0.3], "b": [0.1, 0.2, 0.3]})
    words += "; to take what each has logged last, pass --missing keep"
    crashed = [(m, k, k / 10, ["finished", "crashed"][k == 3]) for m, k in runs]
    path = write(wide_table("model,seed,acc,state", crashed))
    refuse(run("compare", path), words.capitalize()[0] + words[1:])
    early = [(m, k, t, k / 7 + t) for m, k in runs for t in range(9 if k - 3 else 3)]
    path = write(wide_table("model,seed,step,acc", early))
    refuse(run("compare", path), f"Where these have crashed, {words}, as of those")


@pytest.mark.parametrize("options", ["", "--test mann-whitney"])
def test_worst_is_offered_where_it_is_taken(write, run, options):
    path = write(CRASHED_ON_A_TASK)
    refuse(run("compare", path, *options.split()), "or --missing worst, which")
    code, _, err = run("compare", path, *options.split(), "--missing", "worst")
    assert code == 0, err


@pytest.mark.parametrize(
    "options",
    [
        *("--statistic iqm", "--statistic mean", "--statistic improvement", "--test t"),
        *("--paired", "--test bootstrap", "--margin 0.01"),
    ],
)
def test_worst_is_not_offered_with_what_refuses_it(write, run, options):
    path = write(CRASHED_ON_A_TASK)
    code, _, err = run("compare", path, *options.split())
    assert code == 2
    assert "Pass --missing drop, which leaves such runs out; to take" in err
    code, _, err = run("compare", path, *options.split(), "--missing", "worst")
    assert code == 2, err


CRASHED_ON_A_TASK = "model,task,seed,state,accuracy\n" + "".join(
    f"{model},{task},{seed},{'crashed' if (seed, model) == (3, 'a') else 'ok'}"
    f",0.{80 + (7 * seed + 3 * len(task)) % 11 + 3 * (model == 'a')}\n"
    for model in "ab"
    for task in ("t1", "t2")
    for seed in range(6)
)
