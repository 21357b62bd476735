"""Columns of an unknown name: which item or run a score is of, and samples of one."""

import json
import random

import pytest

from tests.read.asking import refuse

DRAW = random.Random(0)


def table(header, ids, *, n_each=1, is_right=False, shuffled=True):
    """Write a table of two models with a row for each id, in any order."""
    rows = []
    for model in "ab":
        for name in DRAW.sample(ids, len(ids)) if shuffled else ids:
            for k in range(n_each):
                score = DRAW.randint(0, 1) if is_right else round(DRAW.random(), 3)
                rows.append(f"{model},{name},{k},{score}")
    if n_each == 1:
        rows = [f"{m},{x},{s}" for m, x, _, s in (row.split(",") for row in rows)]
    return "\n".join([header, *rows])


class TestUnknownNames:
    @pytest.mark.parametrize(
        "ids", [[f"q{k}x" for k in range(20)], [str(k) for k in range(900, 960)]]
    )
    def test_texts_and_many_values_are_items(self, write, run, ids):
        path = write(table("model,tag,acc", ids))
        code, out, err = run("compare", path)
        assert code == 0, err
        assert "'tag' was taken for the items" in err
        assert out == run("compare", path, "--item", "tag")[1]
        assert "permutation" in out

    def test_texts_that_were_asked_are_items_before_others(self, write, run):
        header, *rows = table(
            "model,reference,acc", [f"a{k}x" for k in range(20)]
        ).splitlines()
        rows = [x.replace(",", ",what is ", 1) + "," + x.split(",")[1] for x in rows]
        path = write("\n".join([f"{header},instruction", *rows]))
        assert "'instruction' was taken for the items" in run("compare", path)[2]

    @pytest.mark.parametrize("first", [0, 1, 40])
    def test_few_numbers_are_asked_about(self, write, run, first):
        path = write(table("model,tag,acc", [str(first + k) for k in range(20)]))
        refuse(run("compare", path), "'tag'", "--item tag", "--run tag", "--ignore tag")
        assert "permutation" in run("compare", path, "--item", "tag")[1]
        assert "stochastic" in run("compare", path, "--run", "tag")[1]
        assert run("compare", path, "--ignore", "tag")[0] == 0

    def test_names_of_seeds_are_asked_about(self, write, run):
        path = write(table("model,tag,acc", [f"seed_{k}" for k in range(6)]))
        refuse(run("compare", path), "--run tag")

    def test_of_files(self, write, run, tmp_path):
        for model in "ab":
            rows = [f"{k},{DRAW.random()}" for k in range(8)]
            write("\n".join(["tag,acc", *rows]), f"{model}.csv")
        refuse(run("compare", str(tmp_path)), "--item tag")

    def test_measurements_are_no_ids(self, write, run):
        rows = [f"{m},{DRAW.random()},{DRAW.random()}" for m in "ab" for _ in range(6)]
        path = write("\n".join(["model,acc,size", *rows]))
        code, _, err = run("compare", path, "--metric", "acc")
        assert code == 0, err


class TestSamples:
    QUESTIONS = tuple(f"q{k}" for k in range(20))

    @pytest.mark.parametrize(
        "header", ["model,question,sample,correct", "model,question,attempt_id,correct"]
    )
    def test_they_are_averaged_within_a_question(self, write, run, header):
        text = table(header, list(self.QUESTIONS), n_each=5, is_right=True)
        code, out, err = run("compare", write(text))
        assert code == 0, err
        assert "note: several scores of an item were averaged.\n" in err
        assert "each model has 20 items" in err
        assert "permutation" in out

    @pytest.mark.parametrize("column", ["category", "prompt_template", "language"])
    def test_numbers_that_begin_anew_are_asked_about(self, write, run, column):
        """Question 3 of law and of mathematics were two answers to one question."""
        rows = [
            f"{m},{c},{k},{DRAW.randint(0, 1)}"
            for m in "ab"
            for c in ("law", "math", "art")
            for k in range(20)
        ]
        path = write("\n".join([f"model,{column},question,correct", *rows]))
        advice = f"--task {column}", f"--ignore {column}", f"--item {column},question"
        said = f"got 3, one for each value of '{column}'"
        refuse(run("compare", path), said, *advice)
        assert run("compare", path, "--task", column)[0] == 0
        _, _, err = run("compare", path, "--ignore", column)
        assert "each model has 20 items" in err
        done = run("compare", path, "--item", f"{column},question", "--format", "json")
        assert json.loads(done[1])["models"]["a"]["n"] == 60

    @pytest.mark.parametrize("sample", ["sample", "rep"])
    @pytest.mark.parametrize("is_first", [True, False])
    def test_beside_samples_they_are_asked_about_too(
        self, write, run, sample, is_first
    ):
        """Questions 3 of law and of mathematics were one, if answers had samples."""
        rows = [
            (m, c, k, i, DRAW.randint(0, 1))
            for m in "ab"
            for c in ("law", "math", "art")
            for k in range(10)
            for i in range(3)
        ]
        header = f"model,subject,question,{sample},correct"
        if not is_first:
            header = f"model,question,{sample},subject,correct"
            rows = [(m, k, i, c, x) for m, c, k, i, x in rows]
        path = write("\n".join([header, *(",".join(map(str, x)) for x in rows)]))
        options = ("--ignore", "rep") if sample == "rep" else ()
        done = run("compare", path, *options)
        refuse(done, "got 9, some for each value of 'subject'", "--task subject")
        both = ("--item", "subject,question", "--format", "json")
        code, out, err = run("compare", path, *both, *options)
        assert code == 0, err
        assert "several scores of an item were averaged" in err
        assert json.loads(out)["models"]["a"]["n"] == 30
        done = run("compare", path, "--task", "subject", *options)
        assert done[0] == 0, done[2]

    def test_answers_in_words_tell_no_items_apart(self, write, run):
        rows = [
            f"{m},q{k},answer {m}{k}{i},{(k + i) % 2}"
            for m in "ab"
            for k in range(20)
            for i in range(3)
        ]
        path = write("\n".join(["model,question,answer_text,correct", *rows]))
        _, _, err = run("compare", path)
        assert "each model has 20 items" in err

    def test_without_a_number_of_a_sample(self, write, run):
        rows = table("", list(self.QUESTIONS), n_each=3, is_right=True).split("\n")[1:]
        rows = [f"{m},{x},{s}" for m, x, _, s in (row.split(",") for row in rows)]
        _, _, err = run("compare", write("\n".join(["model,item,correct", *rows])))
        assert "each model has 20 items" in err
        # One sample more of one question alone may be a row that was copied.
        rows.append(rows[0])
        done = run("compare", write("\n".join(["model,item,correct", *rows])))
        refuse(done, "expected one score of 'a' for item")

    def test_of_several_runs_each(self, write, run):
        rows = [
            f"{m},{c},{k},{i},{DRAW.randint(0, 1)}"
            for m in "ab"
            for c in ("law", "math")
            for k in range(20)
            for i in range(3)
        ]
        path = write("\n".join(["model,subject,question,seed,correct", *rows]))
        done = run("compare", path, "--unit", "item")
        refuse(done, "differ in 'subject'", "--item subject,question")
        options = ("--item", "subject,question", "--format", "json")
        _, out, _ = run("compare", path, "--unit", "item", *options)
        assert json.loads(out)["models"]["a"]["n"] == 40

    def test_of_other_numbers_they_are_averaged_where_that_is_said(self, write, run):
        rows = [
            f"{m},q{k},{DRAW.randint(0, 1)}"
            for m in "ab"
            for k in range(30)
            for _ in range(3 + k % 3)
        ]
        path = write("\n".join(["model,question,pass", *rows]))
        done = run("compare", path)
        refuse(done, "or ratings, pass --unit item", "Or pass --cluster question")
        assert "Remove" not in done[2]
        code, out, err = run("compare", path, "--unit", "item", "--format", "json")
        assert code == 0, err
        assert "3 to 5 of each, were averaged" in err
        assert json.loads(out)["models"]["a"]["n"] == 30
        # A few rows that are there twice are no samples.
        rows = [f"{m},q{k},{DRAW.randint(0, 1)}" for m in "ab" for k in range(30)]
        path = write("\n".join(["model,question,pass", *rows, rows[3], rows[8]]))
        for options in ((), ("--unit", "item")):
            done = run("compare", path, *options)
            refuse(done, "Remove one")
            assert "--unit" not in done[2]

    def test_of_many_questions_of_an_unknown_name(self, write, run):
        ids = [f"HumanEval/{k}" for k in range(60)]
        text = table("model,task_id,completion_id,passed", ids, n_each=4, is_right=True)
        code, _, err = run("compare", write(text))
        assert code == 0, err
        assert "each model has 60 items" in err

    def test_a_sample_is_no_question(self, write, run):
        header = "model,question_id,sample_id,correct"
        text = table(header, list(self.QUESTIONS), n_each=5, is_right=True)
        refuse(run("compare", write(text)), "--item")
        code, _, err = run("compare", write(text), "--item", "question_id")
        assert code == 0, err
        assert "each model has 20 items" in err


def test_items_of_several_tasks_each(write, run):
    """As of AlpacaEval's five datasets: 805 pairs were compared as unpaired runs."""
    rows = [
        f"{m},d{k // 40},Write text {k}.,{DRAW.random():.3f}"
        for m in "ab"
        for k in range(120)
    ]
    path = write("\n".join(["model,dataset,instruction,preference", *rows]))
    code, _, err = run("compare", path)
    assert code == 0, err
    assert "'instruction' was taken for the items of a test set" in err
    assert "item is 'instruction', model is 'model', task is 'dataset'" in err


def test_cells_that_are_lists(write, run):
    rows = [
        {"question_id": k, "model": m, "judge": ["gpt-4", kind], "score": (7 * k) % 9}
        for k in range(40)
        for m in "ab"
        for kind in ("single", "multi")
    ]
    path = write("\n".join(map(json.dumps, rows)), "judged.jsonl")
    code, _, err = run("compare", path, "--task", "judge")
    assert code == 0, err
