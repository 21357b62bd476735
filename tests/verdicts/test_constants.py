"""Scores that do not vary: what tests, and `sigarray power`, say of them."""

import json

import pytest


def test_constant_models(write, run):
    path = write("a,b\n1,2\n1,2\n1,2\n")
    for options in (["t"], ["t", "--paired"], ["bootstrap"]):
        arguments = ["compare", path, "--test", *options, "--format", "json"]
        _, out, err = run(*arguments)
        pair = json.loads(out)["pairs"][0]
        found = pair["statistic"], pair["pvalue"], pair["better"]
        assert found == (None, 1.0, None)
        what = "differences" if "--paired" in options else "scores"
        assert f"The {what} of 'a' and 'b' do not vary" in err
        assert "means cannot be tested, and p counts as 1" in err
    equal = write("a,b\n1,1\n1,1\n1,1\n", "equal.csv")
    assert run("compare", equal, "--test", "t", "--paired")[2] == ""
    for test in ("t", "aso", "permutation"):
        _, _, err = run("compare", equal, "--test", test)
        assert "The scores of 'a' and 'b' do not vary" in err


def test_differences_that_vary_by_rounding_alone(write, run):
    path = write("a,b\n.9,.8\n.7,.6\n.5,.4\n.8,.7\n.3,.2\n")
    for test in ("t", "bootstrap"):
        options = ["--test", test, "--paired", "--format", "json"]
        _, out, err = run("compare", path, *options)
        assert json.loads(out)["pairs"][0]["pvalue"] == 1.0
        assert "The differences of 'a' and 'b' do not vary, so that nothing" in err


def test_scores_that_vary_by_rounding_alone(write, run):
    near = [0.9, 0.9000000000000001, 0.8999999999999999, 0.9, 0.9000000000000001, 0.9]
    for other in (0.95, 0.9000000000000001):
        path = write("a,b\n" + "".join(f"{x!r},{other!r}\n" for x in near))
        for test in ("t", "bootstrap", "aso", "permutation"):
            _, out, err = run("compare", path, "--test", test, "--format", "json")
            assert err.count("The scores of 'a' and 'b' do not vary") == 1, test
            if test in ("t", "bootstrap"):
                assert json.loads(out)["pairs"][0]["pvalue"] == 1.0


def test_one_constant_model(write, run):
    rows = [".9,.8,.4", ".9,.6,.5", ".9,.4,.6", ".9,.7,.4", ".9,.5,.7", ".9,.7,.5"]
    path = write("\n".join(["a,b,c", *rows, ""]))
    for test in ("t", "bootstrap", "aso", "mann-whitney"):
        _, _, err = run("compare", path, "--test", test)
        known = ", and their mean beside others counts as known without error"
        said = f"The scores of 'a' do not vary{known * (test in ('t', 'bootstrap'))}."
        assert err.count("do not vary") == err.count(said) == 1, test


def test_constant_runs_are_doubted_where_they_are_tested(write, run):
    """Few runs that do not vary say nothing of means; of ranks they do."""
    rows = [f"{m},{t},{k},{m == 'a'}" for m in "ab" for t in "xy" for k in range(5)]
    rows = [x.replace("True", "1.5").replace("False", "2") for x in rows]
    tasks = write("\n".join(["model,task,run,score", *rows, ""]))
    said = "The scores of 'a' and 'b' on 'x', 'a' and 'b' on 'y' do not vary"
    for test, expected in (
        ("aso", 1.0),
        ("permutation", 1.0),
        ("mann-whitney", 2.0 / 252.0),
        ("brunner-munzel", 2.0 / 252.0),
    ):
        _, out, err = run("compare", tasks, "--test", test, "--format", "json")
        more = ", so that nothing is known of how others would: means cannot be tested"
        of_this = f"{said}{more}" if expected == 1.0 else f"{said}. See that"
        assert err.count("do not vary") == err.count(of_this) == 1, test
        document = json.loads(out)
        key = "equality_pvalue" if test == "aso" else "pvalue"
        p_values = [x[key] for x in document["pairs"]]
        assert p_values == pytest.approx([expected] * 2), test
        decided = [x["better"] for x in document["pairs"]]
        assert decided == [None if expected == 1.0 else "b"] * 2, test
    of_items = write("item,a,b\nq,1,2\nr,1,2\ns,1,2\nt,1,2\n", "items.csv")
    _, _, err = run("compare", of_items, "--test", "permutation")
    assert "do not vary" not in err


def test_many_runs_that_do_not_vary_are_told_apart_by_order(write, run):
    path = write("a,b\n" + "0.71,0.82\n" * 20)
    for test in ("aso", "permutation"):
        _, out, err = run("compare", path, "--test", test, "--format", "json")
        assert err.count("The scores of 'a' and 'b' do not vary. See that") == 1, test
        key = "equality_pvalue" if test == "aso" else "pvalue"
        assert json.loads(out)["pairs"][0][key] < 1e-3, test


def test_two_constant_models_beside_another_one(write, run):
    path = write("a,b,c\n1.5,2.5,3.1\n1.5,2.5,3.4\n1.5,2.5,3.2\n1.5,2.5,3.7\n")
    _, _, err = run("compare", path, "--test", "t")
    assert (
        "The scores of 'a' and 'b' do not vary, so that nothing is known of how others "
        "would: means of two such models cannot be tested, and p counts as 1, and "
        "their mean beside others counts as known without error."
    ) in err
    assert err.count("do not vary") == 1
    for test in ("aso", "mann-whitney"):
        assert run("compare", path, "--test", test)[2].count("do not vary") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "The scores of 'x', 'y' and 'z' do not vary,"),
        (
            ["--paired"],
            "The differences of 'x' and 'y'; 'x' and 'z'; 'y' and 'z' do not vary,",
        ),
        (["--columns", "x,y"], "The scores of 'x' and 'y' do not vary,"),
    ],
)
def test_models_that_do_not_vary_are_listed_once(write, run, options, said):
    path = write("x,y,z\n" + "1.5,2.5,3.5\n" * 4)
    _, _, err = run("compare", path, "--test", "t", *options)
    assert said in err


def test_no_number_of_constant_runs_is_said_to_do(write, run):
    path = write("a,b,c\n1.5,2.5,3.1\n1.5,2.5,3.4\n1.5,2.5,3.2\n1.5,2.5,3.7\n")
    code, out, _ = run("power", path, "--test", "t", "--n-samples", "5", "--format=csv")
    assert code == 0
    assert "b,a," not in out
    assert "c,a," in out


@pytest.mark.long
def test_a_pilot_that_does_not_vary(write, run):
    path = write("a,b,c\n1,2,3\n1,2,4\n1,2,2\n1,2,3\n")
    _, _, err = run("power", path)
    assert (
        "The scores of 'a' and 'b' do not vary: power, and numbers of runs, count on"
        in err
    )
    assert err.count("do not vary") == 1


@pytest.mark.parametrize("n", [2, 3])
def test_few_runs_tell_no_number(write, run, n):
    rows = "".join(f"{k * 0.1 + 0.2},{k * 0.2 + 0.7}\n" for k in range(n))
    _, out, _ = run("power", write(f"a,b\n{rows}"))
    assert "to more than 10 times as many may be needed" in " ".join(out.split())


@pytest.mark.parametrize(
    ("scores", "is_odd"),
    [
        ("91.3 90.9 0.00 91.1", True),
        ("0.913 0 0.911", True),
        ("2.31 2.29 0 2.30", True),
        ("91.3 90.9 10.00 91.1", False),
        ("91.3 0.01 91.1", False),
        ("1 0 1 1", False),
        ("0 5 6 4", False),
        ("0 0.3 0.2 0.3", False),
        ("0 12.1 14.7 0 9.3", False),
        ("91.3 0 0 91.1", False),
        ("-200 0 180 195", False),
    ],
)
def test_a_score_of_zero_far_from_others_is_asked_about(write, run, scores, is_odd):
    """If others lie ten times as far from it as from each other.

    Of simulated models, up to 0.6 % with 3 runs had one, and 0.01 % with 5, of counts,
    means of ten of these, and hits (of games that are 0 in 20 % of runs 3.5 and 0.2 %);
    and all models with accuracies of 91 +- 0.3 and one run at 0.
    """
    first = scores.split()
    rows = [f"{x},{90 + k}" for k, x in enumerate(first)]
    _, _, err = run("compare", write("\n".join(["a,b", *rows])), "--unit", "run")
    assert ("A score of 'a' is 0, and the others are far from it" in err) == is_odd
    _, _, err = run("compare", write("\n".join(["a,b", *rows])), "--unit", "item")
    assert "far from it" not in err
