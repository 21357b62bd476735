"""Folders of files, one for each model, task and run."""

import json
import random

import pytest

DRAW = random.Random(0)
MODELS, TASKS = ("bert", "gpt"), ("mnli", "squad")


@pytest.fixture
def grow(tmp_path):
    """Write a file for each model, task and run, and give their folder."""

    def grow(template, tasks=TASKS, n=5, **more):
        for task in tasks:
            for i, model in enumerate(MODELS):
                for k in range(n):
                    place = template.format(
                        task=task, model=model, run=k, job=n * i + k
                    )
                    path = tmp_path / "out" / place
                    path.parent.mkdir(parents=True, exist_ok=True)
                    score = i + round(DRAW.random(), 4)
                    path.write_text(json.dumps({"acc": score, **more}))
        return str(tmp_path / "out")

    return grow
