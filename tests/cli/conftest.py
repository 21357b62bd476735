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
