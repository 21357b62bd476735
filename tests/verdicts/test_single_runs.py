"""A model of one run, such as a number from a paper, beside others with several."""

import re

import pytest

PUBLISHED = "BERT (published)"
ROWS = [
    "1,84.7,87.8,85.2",
    "2,,87.3,85.6",
    "3,,88.2,85.1",
    "4,,87.5,84.4",
    "5,,87.3,86",
]
HEADER = f"seed,{PUBLISHED},big,ours"
ADVICE = "as docs/which_test.md says under A published number"


def test_they_weaken_verdicts_on_others(write, run):
    path = write("\n".join([HEADER, *ROWS]))
    _, _, err = run("compare", path)
    said = f"{PUBLISHED!r} has one run, which can hardly decide anything"
    assert f"warning: {said}" in err
    _, _, err = run("compare", path, "--ignore", PUBLISHED)
    assert "one run" not in err


def test_as_a_baseline_they_are_named(write, run):
    path = write("\n".join([HEADER, *ROWS]))
    options = ["--baseline", PUBLISHED, "--format", "csv"]
    _, _, err = run("compare", path, *options)
    assert f"warning: 1 score of {PUBLISHED!r} is too few for any verdict" in err
    assert ADVICE in err
    assert err.count("too few") == 1
    code, _, err = run("compare", path, "--baseline", PUBLISHED, "--test", "t")
    assert code == 2
    assert f"expected two scores or more of {PUBLISHED!r}; got 1." in err
    assert f"--ignore '{PUBLISHED}'" in err
    assert ADVICE in err


def test_all_with_few_scores_are_not_named(write, run):
    rows = [f"{k},0.{k},0.{k}1,0.{k}2" for k in (1, 2)]
    path = write("\n".join(["seed,a,b,c", *rows]))
    _, _, err = run("compare", path, "--format", "csv")
    assert "2 scores of each of 3 models are too few for any verdict" in err
    assert "--test t" not in err


@pytest.mark.parametrize("is_repeated", [True, False])
def test_a_number_that_is_repeated_is_no_sample(write, run, is_repeated):
    numbers = ["84.4"] * 5 if is_repeated else ["84.4", "84.1", "84.9", "84", "84.2"]
    rows = [f"{k},{x},85.{k},86.{k}" for k, x in enumerate(numbers)]
    path = write("\n".join([HEADER, *rows]))
    _, _, err = run("compare", path, "--baseline", PUBLISHED)
    assert ("such as a published one, is no sample" in err) == is_repeated


def test_a_baseline_with_few_runs_on_each_of_a_few_tasks_is_named(write, run):
    """That of others with enough is not their fault, on several tasks neither."""
    rows = [
        f"{m},{task},{k},{0.1 * k + lead + 0.01 * task}"
        for m, lead, n in (("base", 4.0, 2), ("ours", 5.0, 9), ("wide", 9.0, 9))
        for task in range(2)
        for k in range(n)
    ]
    path = write("\n".join(["model,task,seed,acc", *rows]))
    _, _, err = run("compare", path, "--baseline", "base", "--test", "aso")
    assert "2 scores of 'base' are too few" in err
    assert "2 to 9" not in err
    single = [x for x in rows if not re.match("base,.,1,", x)]
    path = write("\n".join(["model,task,seed,acc", *single]))
    _, _, err = run("compare", path, "--baseline", "base", "--test", "aso")
    assert "1 score of 'base' is too few" in " ".join(err.split())


def test_a_published_number_has_no_interval(write, run):
    path = write("ours,SOTA\n91.2,90.8\n91.5,\n91.0,\n91.4,\n91.3,\n")
    for name in ("text", "sentences", "latex"):
        _, out, _ = run("compare", path, "--format", name)
        for said in ("its interval", ", interval", "Welch", "95 %", "missing runs"):
            assert said not in out, (name, said)
        assert "1 score of 'SOTA' is too few" in " ".join(out.split()).replace("`", "'")
        assert "--ignore" not in out
    three = write("\n".join([HEADER, *ROWS]), "three.csv")
    _, out, _ = run("compare", three)
    assert "Welch's intervals of differences, 95 %" in out
    assert "sizes differ" not in out
    assert "missing runs" not in out


def test_a_number_is_no_baseline(write, run):
    said = f"A number is no model. How to compare with it, {ADVICE[3:]}."
    for text in ("seed,ours\n1,91.2\n2,91.5\n", "seed,a,b\n1,91.2,90\n2,91.5,91\n"):
        code, _, err = run("compare", write(text), "--baseline", "90.8")
        assert code == 2
        assert said in err
    assert "is no model" not in run("compare", write("a\n1\n2\n"))[2]
