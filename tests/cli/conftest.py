"""What several tests of the command have: scores of three models, and a power."""

import json

import numpy as np
import pytest

# 14 runs of each of a, b and c, from the worst to the best.
SCORES = np.random.default_rng(1).normal([0.0, 0.6, 1.5], 1.0, (14, 3)).round(3)


@pytest.fixture
def table(write):
    """Write the scores of a, b and c."""
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in SCORES)
    return write(f"a,b,c\n{rows}")


@pytest.fixture
def power(run):
    """Run `sigarray power`: its document."""

    def power(*arguments):
        code, out, err = run("power", *arguments, "--format", "json")
        assert code == 0, err
        return json.loads(out)

    return power


@pytest.fixture
def wide(write):
    rng = np.random.default_rng(0)
    rows = rng.normal([0.8, 0.85, 0.9], 0.02, (8, 3)).round(4)
    return write("\n".join(["a,b,c", *(",".join(map(str, x)) for x in rows), ""]))


@pytest.fixture
def long(write):
    rng = np.random.default_rng(0)
    rows = [
        f"{m},{t},q{k},{0.5 + 0.2 * i + 0.1 * rng.normal():.4f}"
        for i, m in enumerate("ab")
        for t in ("x", "y")
        for k in range(20)
    ]
    return write("\n".join(["model,task,item,acc", *rows, ""]), "long.csv")
