"""Which model keeps the others from a verdict, in a line."""

import re

import numpy as np
import pytest

from sigarray import compare_models
from sigarray.report._rendering import render

BLOCKING = "Inconclusive because of "
RUNS = np.asarray([-2.0, -1.0, 0.0, 1.0, 2.0]) / 1000.0


def spread(n_models):
    """Return models that are far apart, the last of which has a run that is off."""
    scores = {f"m{k}": 0.9 - 0.02 * k + (1 + k / 9) * RUNS for k in range(n_models)}
    scores[f"m{n_models - 1}"][0] = 0.99
    return scores


def say(scores, **options):
    sentences = compare_models(scores, unit="run", **options).sentences
    return [x for x in sentences if x.startswith(BLOCKING)]


@pytest.mark.parametrize("is_turned", [False, True])
def test_one_run_that_is_off_is_found(is_turned):
    scores = spread(4)
    if is_turned:
        scores = {name: -x for name, x in scores.items()}
    (said,) = say(scores, higher_is_better=not is_turned)
    pairs = "m0 vs. m1 (eps_min would be 0.000), m0 vs. m2 (eps_min would be 0.000), m1"
    assert said.startswith(f"{BLOCKING}m3: {pairs}")
    # The words hold: without the model all of these are decided.
    del scores["m3"]
    result = compare_models(scores, unit="run", higher_is_better=not is_turned)
    assert [x.better for x in result.verdicts] == ["m0", "m0", "m1"]


def test_it_is_said_in_all_formats_and_advice_in_no_caption():
    result = compare_models(spread(4), unit="run")
    (said,) = say(spread(4))
    advice = "would make false alarms more frequent than stated."
    assert advice in " ".join(str(result).split())
    assert "- See whether a run of m3 failed; to leave" in result.to_markdown()
    assert said in render(result.content, "sentences")
    assert advice not in render(result.content, "sentences")
    latex = result.to_latex()
    (caption,) = re.findall(r"\\caption\{(Diff.*)\}", latex)
    assert "Inconclusive because of m3: m0" in caption
    assert "See whether" not in caption
    assert "More runs" not in caption
    assert f"{advice}\n" in latex.partition("% See whether a run of m3 failed")[2]


def test_many_pairs_are_counted():
    (said,) = say(spread(5))
    assert said.count(" vs. ") == 3
    assert " and 3 more. " in said


@pytest.mark.parametrize(
    "options", [{"baseline": "m0"}, {"corrected": False}, {"test": "t"}]
)
def test_only_closed_tests_have_sets(options):
    assert not say(spread(4), **options)


def test_pairs_that_no_model_blocks_have_no_line():
    scores = spread(3) | {"m2": 0.86 + RUNS}
    assert not say(scores)
    # Two of one distribution stay inconclusive without the third model, too.
    assert not say({"m0": RUNS, "m1": RUNS[::-1] + 1e-4, "m2": 0.9 + RUNS})
