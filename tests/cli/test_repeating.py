"""Signatures: their options, given to the command, repeat its numbers."""

import json
import random

import pytest

from tests.read.asking import refuse

_FLAGS = {
    ("correction", "none"): "--no-correction",
    ("better", "lower"): "--lower-is-better",
    ("paired", "yes"): "--paired",
}
_OPTIONS = (
    *("test", "threshold", "confidence_level", "alpha", "baseline", "dt", "method"),
    *("test_share", "n_resamples", "seed", "missing", "unit"),
)


def make_long(*blank, tasks=("",), models="abc", n_runs=6):
    """Write a row for each task, model and seed; some have a blank score."""
    draw = random.Random(3)
    lines = ["task,model,seed,acc"] if tasks != ("",) else ["model,seed,acc"]
    for task in tasks:
        for model in models:
            for seed in range(n_runs):
                score = f"{draw.random():.3f}"
                names = (task, model, seed) if task else (model, seed)
                is_blank = names in blank or names[:-1] in blank
                lines.append(",".join(map(str, [*names, "" if is_blank else score])))
    return "\n".join(lines)


def make_wide(*blank):
    draw = random.Random(4)
    rows = [[f"{draw.random():.3f}" for _ in "abc"] for _ in range(6)]
    for row, column in blank:
        rows[row][column] = ""
    return "\n".join(["a,b,c", *map(",".join, rows)])


def list_options(signature):
    """List the options that a signature names."""
    fields = dict(x.split(":", 1) for x in signature.split("|"))
    options = [y for x, y in _FLAGS.items() if x in fields.items()]
    for name in _OPTIONS:
        if name in fields:
            options += [f"--{name.replace('_', '-')}", fields[name]]
    return options


MARKS = "\n".join(["a,b", *(f"{k % 2},{k // 3 % 2}" for k in range(20))])
CURVES = "model,seed,step,acc\n" + "".join(
    f"{m},{seed},{step},{step + seed / 10 + (m == 'a')}\n"
    for m in "ab"
    for seed in range(6)
    for step in (1, 2, 3)
)


@pytest.mark.parametrize(
    ("text", "options", "missing"),
    [
        (make_long(), (), None),
        (make_long(("a", 2), ("b", 5)), (), "drop"),
        (
            make_long(("a", 2)),
            ("--test", "mann-whitney", "--missing", "worst"),
            "worst",
        ),
        # With --missing drop, a model without any score is an error.
        (make_long(("a", 2), ("c",)), (), None),
        (make_long(("a", 2), ("c",)), ("--ignore", "c"), "drop"),
        (make_long(("a", 2), ("c",)), ("--columns", "a,b"), "drop"),
        (make_long(("a", 2)) + "\nb,,", (), "drop"),
        (make_long(("t", "a", 2), ("u", "b"), tasks="tuv"), (), None),
        (make_long(("t", "a", 2), ("u", "b"), tasks="tuv"), ("--tasks", "t,v"), "drop"),
        (make_wide((2, 0), (5, 1)), ("--test", "t", "--seed", "4"), "drop"),
        (make_wide(), ("--baseline", "b", "--lower-is-better"), None),
        (MARKS, (), None),
        (MARKS, ("--unit", "run"), None),
        (make_long(), ("--paired", "--test", "permutation", "--no-correction"), None),
        (make_long(), ("--test", "t", "--paired", "--test-share", "0.2"), None),
        (make_long(), ("--test", "bootstrap", "--n-resamples", "500"), None),
        (make_long(), ("--test", "brunner-munzel", "--alpha", "0.1"), None),
        (make_long(), ("--threshold", "0.3", "--confidence-level", "0.9"), None),
        (make_long(), ("--dt", "0.05", "--seed", "3"), None),
        (make_long(tasks="tuv"), ("--test", "permutation"), None),
        (CURVES, (), None),
        (CURVES.replace("a,0,3,4.0", "a,0,3,"), (), None),
        (CURVES.replace("a,0,3,4.0", "a,0,3,"), ("--missing", "drop"), "drop"),
        (CURVES.replace("3.0", "").replace("2.0", "").replace("1.0", ""), (), "drop"),
    ],
)
def test_the_options_of_a_signature_give_its_numbers(
    write, run, text, options, missing
):
    of_file = ("--ignore", "--columns", "--tasks")
    kept = [x for k, x in enumerate(options) if {*options[k - 1 : k], x} & {*of_file}]
    path = write(text)
    code, out, err = run("compare", path, *options, "--format", "json")
    assert code == 0, err
    signature = json.loads(out)["signature"]
    said = list_options(signature)
    assert ("--missing" in said, missing is not None) in ((True, True), (False, False))
    assert missing is None or missing in said
    code, out, err = run("compare", path, *kept, *said, "--format", "json")
    assert code == 0, err
    again = json.loads(out)["signature"]
    assert again.split("|")[-2:] == signature.split("|")[-2:]
    assert run("compare", path, *kept, "--verify", signature)[0] == 0
    assert run("compare", path, *options, "--verify", signature)[0] == 0


def test_the_unit_is_repeated(write, run):
    lines = ["model,item,seed,acc"]
    draw = random.Random(5)
    lines += [
        f"{model},{item},{seed},{draw.random():.3f}"
        for model in "ab"
        for item in range(4)
        for seed in range(5)
    ]
    path = write("\n".join(lines))
    for unit in ("run", "item"):
        out = run("compare", path, "--unit", unit, "--format", "json")[1]
        signature = json.loads(out)["signature"]
        assert run("compare", path, "--verify", signature)[0] == 0
    other = run("compare", path, "--unit", "run", "--verify", signature)
    assert other[0] == 1


def test_a_row_without_a_name_is_no_run(write, run):
    path = write(make_long(("a", 2)) + "\nb,,")
    refuse(
        run("compare", path, "--missing", "worst", "--test", "mann-whitney"),
        "expected the run of a score; got a blank cell",
    )
    document = json.loads(
        run("compare", path, "--missing", "drop", "--format", "json")[1]
    )
    assert document["n_missing"] == {"": {"a": 1, "b": 1}}


@pytest.mark.parametrize(
    ("options", "repeats"),
    [
        (("--test", "bootstrap"), True),
        (("--test", "bootstrap", "--margin", "0.1"), True),
        (("--test", "t", "--statistic", "iqm", "--n-resamples", "199"), True),
        (("--test", "t", "--statistic", "median", "--n-resamples", "199"), True),
        (("--test", "permutation", "--n-resamples", "199"), False),
    ],
)
@pytest.mark.filterwarnings("ignore:statistic=|--statistic|The adjusted p")
def test_another_order_of_rows(write, run, options, repeats):
    """No numbers of draws depend on it but those of random permutations of runs."""
    draw = random.Random(7)
    scores = [(m, f"{draw.random():.3f}") for m in "ab" for _ in range(24)]
    path = write("\n".join(["model,acc", *map(",".join, scores)]))
    _, out, err = run("compare", path, *options, "--format", "json")
    signature = json.loads(out)["signature"]
    path = write("\n".join(["model,acc", *map(",".join, scores[::-1])]))
    code, out, err = run("compare", path, "--verify", signature)
    assert code == 1 - repeats, out + err
    asked = "Are its rows in another order?"
    assert (asked in " ".join(out.split())) is not repeats


def test_what_a_signature_does_not_hold_is_said(write, run):
    """Which columns and rows were read, without which a file is read otherwise."""
    rows = [f"{m},{k},0.{k},0.{k}5" for m in "ab" for k in range(4)]
    path = write("\n".join(["arch,seed,acc,f1", *rows]))
    options = ("--model", "arch", "--metric", "f1")
    signature = json.loads(run("compare", path, *options, "--format", "json")[1])
    verify = ("--verify", signature["signature"])
    said = "A signature does not hold the options that say what to read"
    assert run("compare", path, *options, *verify)[0] == 0
    refuse(run("compare", path, *verify), said)
    _, out, _ = run("compare", path, *options[:3], "acc", *verify)
    assert f"(metric was f1, is acc). {said}" in " ".join(out.split())
    assert said not in run("compare", path)[2]
