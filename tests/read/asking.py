"""What a refusal says, and tables of made-up scores."""

import json
import random

DRAW = random.Random(0)


def refuse(done, *words):
    """Expect a refusal of the command that says so, without a number."""
    code, out, err = done
    assert (code, out) == (2, ""), err
    for word in words:
        assert word in err


def numbers(low, high, n=1):
    """Write some scores, as cells of one row."""
    return ",".join(f"{DRAW.uniform(low, high):.4f}" for _ in range(n))


def wide_table(names, rows):
    """Write a table with a column for each of the names."""
    return "\n".join([names, *(",".join(map(str, row)) for row in rows), ""])


def parse(done):
    """Read the document that the command printed."""
    code, out, err = done
    assert code == 0, err
    return json.loads(out)
