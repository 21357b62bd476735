"""Files that evaluation harnesses and trackers wrote, and their means."""

import csv
import statistics
from pathlib import Path

FILES = Path(__file__).parent / "files"


def means(table, task=None):
    by = table.scores if task is None else table.tasks[task]
    return {model: statistics.fmean(scores.tolist()) for model, scores in by.items()}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
