"""Scores with a row for each, and what is read of them."""

ROWS = [
    ("lstm", "ner", 1, 0.5),
    ("lstm", "ner", 2, 0.25),
    ("lstm", "pos", 1, 0.125),
    ("cnn", "ner", 1, 0.75),
    ("cnn", "ner", 2, 1.0),
    ("cnn", "pos", 1, 0.375),
]
EXPECTED = {
    "ner": {"lstm": [0.5, 0.25], "cnn": [0.75, 1.0]},
    "pos": {"lstm": [0.125], "cnn": [0.375]},
}


def as_csv(rows, header="model,task,seed,score", end="\n", by=","):
    lines = [header.replace(",", by), *(by.join(map(str, row)) for row in rows)]
    return end.join([*lines, ""])


def as_lists(table):
    return {
        task: {model: scores.tolist() for model, scores in by.items()}
        for task, by in table.tasks.items()
    }
