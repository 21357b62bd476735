"""Wrong calls: what was expected, what was got, and where it helps what to do."""

import re

import numpy as np
import pandas as pd
import pytest

import sigarray
from sigarray import plot, read, report, responses
from sigarray.responses import metrics

A = [0.92, 0.94, 0.93, 0.96, 0.95]
B = [0.90, 0.92, 0.91, 0.89, 0.93]
RATINGS = np.arange(12.0).reshape(4, 3) / 12.0
RESULT = sigarray.t_test(A, B)

# What is no array of real numbers, by what a user may have meant.
NO_SCORES = {
    "nothing": None,
    "a path": "scores.csv",
    "texts": ["0.9", "0.8"],
    "no scores": [],
    "a mean": 0.5,
    "complex numbers": [1j, 2.0],
    "lists of several lengths": [[0.9, 0.8], [0.7]],
    "several models": {"a": A, "b": B},
    "a set": {0.9, 0.8},
    "a generator": (x for x in A),
    "a function": len,
    "dates": np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    "objects": [None, object()],
    "a result": RESULT,
    "a frame of texts": pd.DataFrame({"model": ["x", "y"]}),
}
# Calls with scores to be replaced; some take several models, or results.
ARRAYS = {
    sigarray.aso: (A, B),
    sigarray.aso_replicates: (A, B, {"start": 0, "count": 3}),
    sigarray.bonferroni: (A,),
    sigarray.bootstrap_ci: (A,),
    sigarray.bootstrap_power_analysis: (A,),
    sigarray.bootstrap_replicates: (A, {"start": 0, "count": 3}),
    sigarray.bootstrap_test: (A, B),
    sigarray.brunner_munzel: (A, B),
    sigarray.compare: (A, B),
    sigarray.count_significant: (A,),
    sigarray.equivalence_test: (A, B, {"low": -0.1, "high": 0.1}),
    sigarray.gather_scores: (A, {"n_items": 5}),
    sigarray.mann_whitney_u: (A, B),
    sigarray.permutation_replicates: (A, B, {"start": 0, "count": 3}),
    sigarray.permutation_test: (A, B),
    sigarray.proportion_ci: (A,),
    sigarray.proportion_test: (A, B),
    sigarray.required_sample_size: (A, B),
    sigarray.t_test: (A, B),
    sigarray.violation_ratio: (A, B),
    sigarray.wilcoxon_test: (A, B),
    plot.dominance: (A, B),
    plot.replicates: (A, RESULT),
    responses.fit: (RATINGS,),
    responses.resample: (RATINGS, RATINGS, RATINGS),
    responses.response_test: (RATINGS, RATINGS, RATINGS),
    metrics.mae: (RATINGS, RATINGS),
}


@pytest.mark.parametrize(
    "function", ARRAYS, ids=lambda x: getattr(x, "__name__", "mae")
)
def test_what_is_no_array_is_refused(function):
    arguments = list(ARRAYS[function])
    options = arguments.pop() if isinstance(arguments[-1], dict) else {}
    for place in range(sum(not hasattr(x, "_fields") for x in arguments)):
        for name, value in NO_SCORES.items():
            wrong = [*arguments[:place], value, *arguments[place + 1 :]]
            refuse(function, *wrong, what=name, **options)


MAPPINGS = {
    sigarray.multi_aso: (),
    sigarray.rank_ci: (),
    plot.scores: (),
    read.scores: (),
    sigarray.compare_models: (),
    report.signature: (RESULT,),
}


@pytest.mark.parametrize("function", MAPPINGS)
def test_what_is_no_collection_of_models_is_refused(function):
    wrong = ("nothing", "a path", "texts", "no scores", "a mean", "a set", "a function")
    for name in (*wrong, "dates", "objects", "a result"):
        refuse(function, NO_SCORES[name], *MAPPINGS[function], what=name)
    for name in ("nothing", "texts", "no scores", "complex numbers", "a mean"):
        scores = {"a": A, "b": NO_SCORES[name]}
        refuse(function, scores, *MAPPINGS[function], what=name)


@pytest.mark.parametrize("write", [report.to_frame, report.to_json, report.to_markdown])
def test_what_is_no_result_is_refused(write):
    wrong = ("nothing", "a path", "texts", "no scores", "complex numbers", "a set")
    for name in (*wrong, "lists of several lengths", "a function", "dates", "objects"):
        refuse(write, NO_SCORES[name], what=name)
    refuse(write, {}, what="no results")
    refuse(write, {"a": RESULT, "b": sigarray.aso(A, B)}, what="two kinds")


def refuse(function, *args, what, **options):
    """Check that a call is refused, in a sentence of ours."""
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*args, **options)
    message = str(caught.value)
    says = re.search(r"[Ee]xpected .*; got .*", message) or "cannot be read" in message
    assert says, (what, message)


# Options of a call with a value that has no meaning, and what is said of it.
OPTIONS = [
    (sigarray.aso, {"confidence_level": 95}, r"in \(0, 1\); got 95\. 95 % is 0\.95"),
    (sigarray.aso, {"confidence_level": "95%"}, "a finite number; got '95%'"),
    (
        sigarray.aso,
        {"confidence_level": float("nan")},
        "a finite number; got nan",
    ),
    (sigarray.aso, {"n_resamples": -5}, "an integer from 1 to 2,147,483,648; got -5"),
    (sigarray.aso, {"n_resamples": 1e3}, r"an integer; got 1000\.0\. Pass 1000\."),
    (sigarray.aso, {"rng": "0"}, "rng to be an int, None.*; got '0'. Pass rng=0"),
    (sigarray.aso, {"rng": -1}, r"rng to be an integer in \[0, 2\*\*64\); got -1"),
    (sigarray.aso, {"axis": 3}, r"axis to be from -1 to 0 for shape \(5,\); got 3"),
    (sigarray.aso, {"workers": "4", "method": "bootstrap"}, "numpy; got a name.* JAX"),
    (sigarray.aso, {"progress": True}, r"such as tqdm\(\); got True"),
    (sigarray.aso, {"dt": np.asarray(0.1)}, "got numpy.ndarray. Pass a plain Python"),
    (sigarray.t_test, {"paired": "yes"}, "True or False; got 'yes'"),
    (
        sigarray.bootstrap_test,
        {"statistic": lambda x: x},
        r"a function that is called as statistic\(x, axis=-1\); got <lambda>\(x\)",
    ),
    (
        sigarray.required_sample_size,
        {"power": 80},
        r"power to be in \(0, 1\); got 80\. 80 % is 0\.8",
    ),
    (plot.dominance, {"threshold": 20}, r"in \(0, 0\.5\]; got 20\. 20 % is 0\.2"),
    (plot.dominance, {"names": "AB"}, "a sequence of 2 names; got str"),
]


@pytest.mark.parametrize(("function", "options", "message"), OPTIONS)
def test_options_without_a_meaning_are_refused(function, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        function(A, B, **options)


def test_metrics_and_models_are_called_with_what_they_take():
    with pytest.raises(TypeError, match=r"called as metric\(gold, system\); got bi"):
        responses.response_test(RATINGS, RATINGS, RATINGS, metric=metrics.binary)
    with pytest.raises(TypeError, match=r"response\(mean, sd, uniform\); got <lambda>"):
        responses.simulate(response=lambda mean: mean)
    with pytest.raises(TypeError, match=r"called as measure\(xp, gold, system\); got"):
        metrics.Metric("bias", lambda gold, system: gold - system)


def test_a_device_needs_its_library():
    with pytest.raises(ValueError, match=r"device with xp.*got device='cuda' alone"):
        responses.simulate(3, 2, device="cuda")
    assert responses.simulate(3, 2, device="cpu", rng=0).gold.shape == (3, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["a", "b", "c"]}, r"Expected 2 names that differ; got \['a'"),
        ({"names": np.zeros(2)}, r"Expected 2 names that differ; got \[0\.0, 0\.0\]"),
        ({"sizes": [5, 5, 5]}, r"sizes of two models.*; got \[5, 5, 5\]"),
        ({"sizes": [0, 5]}, "sizes to be an integer of 1 or more; got 0"),
        ({"alternative": "higher"}, "'greater', 'less'; got 'higher'"),
        ({"confidence_level": 95}, "95 % is 0.95"),
        ({"alpha": 5}, "5 % is 0.05"),
        ({"n_resamples": -1}, "n_resamples to be an integer from 1"),
        ({"seed": "x"}, "seed to be an integer; got 'x'"),
        ({"unit": 5}, "unit to be a str; got 5"),
    ],
)
def test_a_sentence_takes_the_options_of_its_result(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        report.describe(RESULT, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paired": "yes"}, "paired to be True or False; got 'yes'"),
        ({"drop_unmatched": 1}, "drop_unmatched to be True or False; got 1"),
        ({"model": 5}, "model to be a str; got 5"),
        ({"path": 5}, "path to be a str; got 5"),
        ({"models": 5}, "models to be several names; got 5"),
        ({"where": "test"}, r"where to be a mapping .*\['test'\]}; got 'test'"),
        ({"unit": "runs"}, "unit to be one of 'run', .*'run,item'; got 'runs'"),
        ({"tasks": ["qa"]}, "files that name tasks, to choose 'qa'; got none.* task"),
        # In the words of Python, not of the command.
        ({"model": "name"}, r"no column 'name' \(model\)"),
    ],
)
def test_a_reader_takes_options_of_python(options, message):
    frame = pd.DataFrame({"model": list("aabb"), "seed": [1, 2] * 2, "acc": [*B[:4]]})
    with pytest.raises((TypeError, ValueError), match=message):
        read.scores(frame, **options)


def test_a_column_of_texts_is_left_out_in_python():
    frame = pd.DataFrame({"note": ["x", "y", "z"], "a": A[:3], "b": B[:3]})
    with pytest.raises(ValueError, match=r"item='note'.* frame\.drop\(columns=\['note"):
        read.scores(frame)
    with pytest.raises(TypeError, match=r"got list\. Pass several files .*\(\*files\)"):
        read.scores(["a.csv", "b.csv"])


def test_the_result_of_compare_models_has_its_own_sentences_and_tables():
    result = sigarray.compare_models({"a": A, "b": B})
    calls = [report.describe, report.to_frame, report.to_markdown, report.to_latex]
    for call in (*calls, report.to_json, lambda x: report.signature({"a": A}, x)):
        with pytest.raises(TypeError, match=r"which has all of this itself: result\."):
            call(result)
    with pytest.raises(TypeError, match=r"itself: result\.sentences, result\.to_frame"):
        report.describe(result)
    for name in ("sentences", "to_frame", "to_markdown", "to_latex", "to_json"):
        assert hasattr(result, name)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("model", "of sigarray.read.scores: read the scores with it, and pass what"),
        ("drop_unmatched", "It is an argument of sigarray.read.scores"),
        ("cluster", "what it returns. Or pass clusters=."),
        ("seed", "The seed is rng=."),
        ("tests", "Did you mean 'test'?"),
        ("n_samples", "argument 'n_samples'."),
    ],
)
def test_an_option_that_compare_models_has_not(option, said):
    with pytest.raises(TypeError, match="unexpected keyword argument") as caught:
        sigarray.compare_models({"a": A, "b": B}, **{option: 1})
    assert said in str(caught.value)
    if option == "seed":
        with pytest.raises(TypeError, match="The seed is rng="):
            sigarray.aso(A, B, seed=1)


def test_options_of_reading_are_given_as_a_call_to_paste():
    frame = pd.DataFrame(
        [(m, k, k % (5 + (m == "a")), k / 9) for m in "ab" for k in range(6)],
        columns=["model", "seed", "acc", "f1"],
    )
    for options in ({"metric": "acc", "test": "t"}, {"where": {"seed": ["1", "2"]}}):
        with pytest.raises(TypeError, match=r"from sigarray import read\.$") as caught:
            sigarray.compare_models(frame, **options)
        call = re.search(r"Call (.*), after", str(caught.value))[1]
        assert "read.scores(df, " in call
        if "metric" in options:
            names = {"df": frame, "read": read}
            names["compare_models"] = sigarray.compare_models
            assert eval(call, names).better("a", "b") is False
