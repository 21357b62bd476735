"""The line that says how models were compared."""

import json


def test_the_method_says_how_equality_was_tested(write, run):
    def describe(*arguments):
        _, out, _ = run("compare", *arguments, "--format", "json")
        return json.loads(out)["method"]

    closed, by_pair = "by a closed test of ranks", "by Mann and Whitney's U, two-sided"
    assert f"{closed}, two-sided" in describe()
    assert f"{closed}, all models with forest, two-sided" in describe(
        "--baseline", "forest"
    )
    assert by_pair in describe("--no-correction")
    assert by_pair in describe("--baseline", "forest", "--no-correction")
    assert by_pair in describe("--columns", "forest,linear")
    # A rate is said of designs that were measured, where there can be a verdict.
    rate = "error rate"
    several = "is called better than a given one in"
    assert (
        f"to each other one is 0.2 itself, with spreads of up to 4 : 1, {several}"
        in (describe())
    )
    two = "to the other is 0.2 itself, with spreads of up to 10 : 1, one is called"
    assert two in describe("--columns", "forest,linear")
    assert two in describe("--no-correction")
    assert "one with a violation ratio of 0.2 itself to the other" in describe(
        "--baseline", "forest"
    )
    rows = [f"{m},{t},{k},{k}.5" for m in "ab" for t in "xy" for k in range(9)]
    tasks = write("\n".join(["model,task,run,score", *rows, ""]), "tasks.csv")
    assert f"{rate}: on one task alone, of two normal models" in describe(tasks)
    many = "\n".join(",".join(f"{k + j}.5" for j in range(11)) for k in range(20))
    header = ",".join(f"m{k}" for k in range(11))
    path = write(f"{header}\n{many}\n", "many.csv")
    assert "%, than any more often;" in describe(path, "--unit=run")
    assert rate not in describe("--method", "asymptotic")
    assert rate not in describe("--dt", "0.3")
    assert rate not in describe("--threshold", "0.3")
    assert rate not in describe(write("a,b,c\n1,2,3\n3,1,4\n2,5,3\n"))
