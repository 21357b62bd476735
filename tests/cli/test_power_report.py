"""What `sigarray power` says of a pilot."""

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

from sigarray._cli.power_answers import Goal
from sigarray._cli.power_report import _count_pairs
from sigarray.report._rendering import STYLES


class TestWhatIsSaid:
    def test_the_default_is_that_of_compare(self, table, write, power):
        document = power(table, "--n-samples", "5")
        assert (document["test"], document["correction"]) == ("aso", "closed")
        assert "almost stochastic order: eps_min < 0.2 and" in document["method"]
        assert (document["n_samples"], document["seed"]) == (5, 0)
        rows = "".join(f"m{m},{k},{k % 7 + 2 * m}\n" for m in (1, 2) for k in range(20))
        path = write(f"model,item,score\n{rows}", "items.csv")
        arguments = ["--metric", "score", "--n-samples", "5"]
        document = power(path, *arguments)
        assert document["test"] == "permutation"
        assert "by item" in document["method"]

    def test_items_are_drawn_with_all_models(self, write, power):
        """Each item is right once more for b: their difference hardly varies."""
        easy = np.random.default_rng(3).integers(0, 50, 30)
        rows = "".join(
            f"{name},{k},{x + (name == 'b') + 0.1 * (k % 3)}\n"
            for name in "ab"
            for k, x in enumerate(easy)
        )
        path = write(f"model,item,score\n{rows}")
        (pair,) = power(path, "--n-samples", "20")["pairs"]
        assert pair["better"] == "b"
        assert pair["required_sample_size"] <= 8
        (pair,) = power(path, "--test", "brunner-munzel", "--n-samples", "20")["pairs"]
        assert pair["required_sample_size"] is None

    @pytest.mark.long
    def test_losses(self, table, power):
        arguments = [table, "--test", "t", "--n-samples", "50"]
        losses = power(*arguments, "--lower-is-better")
        gains = power(*arguments)
        sizes = [
            {(x["better"], x["worse"]): x["required_sample_size"] for x in y["pairs"]}
            for y in (losses, gains)
        ]
        assert sizes[0] == {(b, a): size for (a, b), size in sizes[1].items()}
        losses = power(*arguments, "--lower-is-better", "--lift", "1.25")
        assert losses["power_to_see_lift"]["c"] > 0.0

    @pytest.mark.parametrize("style", STYLES)
    def test_all_formats(self, table, run, style):
        arguments = ["power", table, "--n-samples", "5", "--format", style]
        arguments += ["--lift", "1.25"]
        code, out, err = run(*arguments)
        assert code == 0
        # A machine with other work says how long that takes.
        assert not err or "takes about" in err
        assert "c" in out
        if style == "csv":
            assert len(list(csv.DictReader(io.StringIO(out)))) == 6
        if style == "text":
            assert "14 runs of a are too few to see a lift by a factor of 1.25" in out
            text = " ".join(out.split())
            assert "an estimate from 14: by that alone 0.58 to 2.2 times as" in text
            assert text.index("The present 14 runs of each model show") < text.index(
                "lift"
            )

    def test_a_lift_is_of_one_model_or_asked_for(self, table, run, power):
        """Or else there is nothing to be said of several models."""
        arguments = ["power", table, "--n-samples", "5", "--test", "t"]
        assert "a lift by" not in run(*arguments)[1]
        assert "lift" not in run(*arguments, "--format", "csv")[1]
        document = power(table, *arguments[2:])
        assert "power_to_see_lift" not in document
        assert document["models"]["a"]["n"] == 14
        alone = power(table, *arguments[2:], "--columns", "a")
        assert [x["lifted_model"] for x in alone["alone"]] == ["a"] * 3
        assert list(alone["models"]) == ["a"]

    def test_columns_say_of_which_number_a_power_is(self, table, run):
        arguments = ["power", table, "--n-samples", "40", "--test", "t"]
        out = run(*arguments, "--lift", "3", "--format", "csv")[1]
        rows = list(csv.DictReader(io.StringIO(out)))
        assert list(rows[0]) == [
            *("better", "worse", "n", "n_better", "n_worse", "power_at_n"),
            *(
                "required_power",
                "required_sample_size",
                "power_at_required_sample_size",
            ),
            *("lifted_model", "lift", "power_at_n_low", "power_at_n_high"),
        ]
        of_pairs = [x for x in rows if x["better"]]
        assert len(of_pairs) == 3
        for x in of_pairs:
            is_enough = int(x["required_sample_size"]) <= int(x["n"]) == 14
            assert is_enough == (float(x["power_at_n"]) >= 0.8)
            assert float(x["power_at_required_sample_size"]) >= 0.8
            assert x["lifted_model"] == x["lift"] == ""
        assert [x["lifted_model"] for x in rows[3:]] == ["a", "b", "c"]
        assert all(x["required_sample_size"] == "" for x in rows[3:])

    def test_one_model_is_enough(self, write, run):
        path = write("a\n1\n2\n4\n")
        code, out, _ = run("power", path, "--n-samples", "20")
        assert code == 0
        assert "With 3 runs of each model and power 0.8, no difference shows" in out
        assert "another" not in out
        assert "for one comparison" in " ".join(out.split())

    def test_no_difference(self, write, run):
        code, out, _ = run("power", write("a,b\n1,1\n2,2\n4,4\n"), "--n-samples", "20")
        assert code == 0
        assert "runs needed" not in out

    def test_more_runs_than_were_tried(self, write, run):
        path = write("a,b\n1,1\n2,2\n4,4.001\n")
        _, out, _ = run("power", path, "--test", "t", "--n-samples", "20")
        assert "More than 100 runs each would be needed to see that b is" in " ".join(
            out.split()
        )
        assert "> 100" in out

    def test_more_runs_are_tried_than_there_are(self, write, power):
        rng = np.random.default_rng(0)
        rows = "".join(f"{x},{x + 0.25}\n" for x in rng.normal(size=130).round(3))
        arguments = [write(f"a,b\n{rows}"), "--unit", "run"]
        arguments += ["--test", "t", "--n-samples", "100"]
        document = power(*arguments)
        assert document["largest_size_tried"] == 800
        assert 130 <= document["pairs"][0]["required_sample_size"] <= 400

    def test_many_models_are_counted(self, write, run):
        columns = np.random.default_rng(0).normal(size=(3, 13)).round(3)
        names = [f"m{k}" for k in range(13)]
        rows = [",".join(map(str, row)) for row in [names, *columns]]
        path = write("\n".join(rows))
        arguments = ["power", path, "--test", "t", "--n-samples", "2", "--lift", "1.1"]
        code, out, _ = run(*arguments)
        assert code == 0
        assert "of 13 models have enough runs to see a lift" in out
        assert "of 78 differences between two models" in " ".join(out.split())
        assert "The numbers of all pairs are in --format csv" in out
        assert len(out.splitlines()) < 30
        document = json.loads(run(*arguments, "--format", "json")[1])
        assert len(document["pairs"]) == 78

    def test_no_order_of_columns_matters(self, table, power):
        found = [
            power(
                *(table, "--columns", names, "--n-samples", "30", "--test", "t"),
                *("--lift", "1.25"),
            )
            for names in ("a,b,c", "c,a,b")
        ]
        pairs = [
            {(x["better"], x["worse"], x["power_at_n"]) for x in document["pairs"]}
            for document in found
        ]
        assert pairs[0] == pairs[1]
        key = "power_to_see_lift"
        assert found[0][key] == found[1][key]

    def test_tasks_may_have_other_differences(self, write, run):
        rows = "a,x,.9\na,x,.8\nb,x,.7\nb,x,.6\na,y,9\na,y,8\nb,y,7\nb,y,6\n"
        path = write(f"model,task,acc\n{rows}")
        arguments = ["power", path, "--n-samples", "20", "--test", "t", "--unit", "run"]
        arguments += ["--columns", "a"]
        out = run(*arguments)[1]
        assert "The least difference that shows with power 0.8" in out
        rows = [x.split() for x in out.splitlines() if x.startswith(("x  ", "y  "))]
        assert [x[0] for x in rows] == ["x"] * 4 + ["y"] * 4
        document = json.loads(run(*arguments, "--format", "json")[1])
        least = [
            document["tasks"][task]["alone"][0]["least_difference"] for task in "xy"
        ]
        assert least[1] == pytest.approx(10.0 * least[0], rel=0.3)

    def test_a_lift_above_one_is_doubted(self, write, run):
        path = write("a,b\n0.9,0.95\n0.91,0.96\n")
        arguments = ["power", path, "--n-samples", "5"]
        said = "A lift by a factor of 1.25 takes scores above 1, and none is"
        assert said in run(*arguments, "--lift", "1.25")[2]
        assert run(*arguments, "--lift", "1.01")[2] == ""
        arguments[1] = write("a,b\n99.29,99.31\n99.30,99.32\n99.28,99.31\n99.27,99.3\n")
        assert "takes scores above 100" in run(*arguments, "--lift", "1.1")[2]

    def test_what_is_refused(self, table, write, run):
        for options, message in (
            (["--test", "t", "--threshold", "0.1"], "--threshold with --test aso"),
            (["--baseline", "z"], "Expected a model of"),
        ):
            code, out, err = run("power", table, *options)
            assert (code, out) == (2, "")
            assert message in err
        code, _, err = run("power", write("a,b\n1,2\n2,\n"))
        assert code == 2
        assert "expected two scores or more of 'b'; got 1. Run it with more" in err


@pytest.mark.long
def test_tables_claim_nothing_of_pairs_that_are_not_decided(write, run):
    rows = "\n".join(f"{k % 5 + 0.2},{k % 4 + 0.3},{k % 3 + 1.1}" for k in range(9))
    _, out, _ = run("power", write(f"a,b,c\n{rows}\n"), "--unit", "run")
    header = next(x.split("  ") for x in out.splitlines() if "runs needed" in x)
    assert [x.strip() for x in header if x.strip()][:3] == ["A", "B", "A - B"]
    table = out[out.index("runs needed") : out.index("Method:")]
    assert "than" not in table.split("\n\n")[0]


@pytest.mark.parametrize(
    ("sizes", "shares", "said"),
    [
        ((5, 5, 5, 5, 7, 8), (1, 1, 1, 1, 0.5, 0.4), ["About 8 runs show 6 of 6."]),
        ((5, 5, 5, 5, 5, 5), (1, 1, 1, 1, 1, 1), []),
        ((6, 6, 6, 6, 6, 6), (0, 0, 0, 0, 0, 0), ["About 6 runs show 6 of 6."]),
        (
            (5, 6, 7, 8, 9, 20),
            (1, 0, 0, 0, 0, 0),
            ["About 7 runs show 3 of 6; about 20 runs show 6 of 6."],
        ),
    ],
)
def test_more_runs_are_said_to_show_more(sizes, shares, said):
    pairs = [
        SimpleNamespace(share_now=p, present=(5, 5), size=n, is_enough=True)
        for n, p in zip(sizes, shares, strict=True)
    ]
    answers = [SimpleNamespace(pairs=pairs)]
    first, *more = _count_pairs(answers, Goal(0.8, "run"))
    n_now = sum(p >= 0.8 for p in shares)
    assert first.startswith(f"The present 5 runs of each model show {n_now} of 6 diff")
    assert more == said
