"""Columns whose names are all pairs of two parts, which may be models and tasks."""

import itertools

import numpy as np
import pytest

from sigarray import read
from sigarray.read import _column_names
from sigarray.read._column_names import find_grid
from tests.read.asking import refuse

TASKS = ["{}_{}", "{}/{}", "{}-{}", "{}.{}", "{} {}", "{}: {}", "{} ({})", "{}[{}]"]


def names(a, b, template="{}_{}"):
    return [template.format(*x) for x in itertools.product(a.split(), b.split())]


def as_csv(columns):
    scores = np.random.default_rng(0).normal(0.8, 0.02, (6, len(columns))).round(4)
    return "\n".join([",".join(columns), *(",".join(map(str, x)) for x in scores)])


class TestKnownTasks:
    """They were models, which were compared with each other on different tasks."""

    @pytest.mark.parametrize("template", TASKS)
    def test_the_pattern_that_is_named_reads_them(self, run, write, template):
        path = write(as_csv(names("ours base", "mnli cola", template)))
        pattern = template.format("{model}", "{task}")
        done = run("compare", path)
        refuse(done, "'ours', 'base' with each of 'mnli', 'cola'", "--columns", pattern)
        assert [*read.scores(path, columns=pattern).tasks] == ["cola", "mnli"]
        assert (
            len(
                read.scores(
                    path, models=[*names("ours base", "mnli cola", template)]
                ).models
            )
            == 4
        )

    @pytest.mark.parametrize(
        ("a", "b", "pattern"),
        [
            ("resnet vit", "cifar10 imagenet", "{model}_{task}"),
            ("CIFAR10 SVHN", "resnet18 wrn28", "{task}_{model}"),
            ("bert_base bert_large", "mnli rte", "{model}_{task}"),
            ("ours base", "arc_easy arc_challenge", "{model}_{task}"),
            ("gpt-4 claude-3", "en fr de", "{model}_{task}"),
        ],
    )
    def test_which_part_is_the_task(self, a, b, pattern):
        found = find_grid(names(a, b))
        assert (found.pattern, found.is_known) == (pattern, True)

    @pytest.mark.parametrize(
        ("models", "tasks"),
        [
            ("ours base", "arc_easy arc_challenge"),
            ("bert vit_s resnet18", "cifar10 cifar100 svhn"),
        ],
    )
    def test_the_pattern_reads_parts_that_have_the_mark_as_well(
        self, run, write, models, tasks
    ):
        path = write(as_csv(names(models, tasks)))
        done = run("compare", path)
        refuse(done, "For these, pass --columns '{model}_{task}'; for models")
        table = read.scores(path, columns="{model}_{task}")
        assert [*table.tasks] == sorted(tasks.split())
        assert {*table.models} == {*models.split()}

    def test_a_pattern_that_would_read_names_in_two_ways(self, run, write, monkeypatch):
        monkeypatch.setattr(_column_names, "match_grid", lambda x, _: [None] * len(x))
        path = write(as_csv(names("ours base", "arc_easy arc_challenge")))
        refuse(run("compare", path), "as in 'ours/arc_easy'", "'{model}/{task}'")
        path = write(as_csv(names("ours base", "arc_easy arc_challenge", "{}/{}")))
        table = read.scores(path, columns="{model}/{task}")
        assert [*table.tasks] == ["arc_challenge", "arc_easy"]


def test_unknown_second_parts_are_said(write):
    table = read.scores(write(as_csv(names("ours theirs", "legal medical"))))
    assert len(table.models) == 4
    (note,) = [x for x in table.notes if "may be models and tasks" in x]
    assert "--columns '{model}_{task}'" in note


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("bert roberta", "base large"),
        ("small large", "ours base"),
        ("llama-2 llama-3", "7b 13b"),
        ("ours base", "lr1 lr2"),
        ("lstm gru", "adam sgd"),
        ("ours base", "0.1 0.01"),
        ("ViT-B ViT-L", "16 32"),
        ("gpt claude", "cot nocot"),
        ("ppo sac", "v1 v2"),
    ],
)
@pytest.mark.parametrize("template", ["{}_{}", "{}-{}", "{}/{}"])
def test_variants_are_models(a, b, template):
    assert find_grid(names(a, b, template)) is None


@pytest.mark.parametrize(
    "text", ["a b c d", "ours ours-aug base base-aug x", "x-a x-b"]
)
def test_other_names_are_models(text):
    assert find_grid(text.split()) is None
