"""What docstrings and pages say of rates, as `benchmarks.reproduce` found them."""

import re
from importlib.resources import files

from benchmarks.reproduce import corpus_metrics
from sigarray import compare_models, read
from tests.committed import (
    USUAL,
    around,
    choose,
    choose_from,
    committed,
    cover,
    ends,
    highest,
    listed,
    most,
)
from tests.recipes import say_in_tools, say_in_training


def say_placements():
    by_size = {
        n: choose("function", function="brunner_munzel", n=n, m=n, scores=USUAL)
        for n in (5, 10)
    }
    families = choose("family", test="brunner-munzel", n=10)
    return [
        f"At level 0.01 it is {ends(by_size[5], 'rate_at_1')} % with five scores "
        f"each, and {ends(by_size[10], 'rate_at_1')} % with ten, but for those of "
        "which nine of ten are the same. So corrected p-values are too small for "
        "longer. `sigarray compare` gives the exact p-value of U where that is larger: "
        "of 20 tasks, or of 5 models, with ten runs each that are the same, some were "
        f"then significant after Holm's correction in {ends(families)} % of 4000 "
        "cases.",
    ]


def say_splits():
    first, second = (
        listed(x for x in committed() if (x["unit"], x["options"]) == ("splits", how))
        for how in ("test_share", "")
    )
    return [
        "Of 4000 data sets of 100 items and two learners that are as good (least "
        "squares on either half of six features), p <= 0.05 in "
        f"{first[0]} % of 10 folds, {first[1]} % of 3 times 5 and {first[2]} % of 10 "
        f"times 10, and without it in {second[0]}, {second[1]} and {second[2]} %."
    ]


def say_proportions():
    return [
        "Summed over all outcomes, intervals of 95 % for n of 20, 50 and 100 and "
        "proportions of 0.5, 0.9 and 0.98 hold one proportion in "
        f"{cover(options='one proportion')}, no difference of two equal ones in "
        f"{cover(options='independent')}, and none of pairs with correlations of 0, "
        f"0.3 and 0.6 in {cover(options='pairs')}. Other proportions, and differences "
        "that are not 0, were not looked at."
    ]


def choose_responses(*answers, items=("all", "bootstrap")):
    names = tuple(f"items {x}, responses {y}" for x in items for y in answers)
    return choose("responses", options=names)


RESAMPLED = ("all", "bootstrap", "one", "first", "without_replacement")


def say_responses():
    assert highest(choose_responses("bootstrap", "one")) == 0.0
    whole, first = (
        listed(choose_responses(x, items=("all",))) for x in ("all", "first")
    )
    largest = highest(choose_responses(*RESAMPLED, items=("bootstrap",)))
    names = [
        f"items {x}, responses all, of runs, 400 items" for x in ("all", "bootstrap")
    ]
    of_runs = [listed(choose("responses", options=x))[0] for x in names]
    return [
        "Of 500 pairs of systems that are the same (normal, 100 items, 5 responses, M "
        f'= 100, two-sided; "mae" and "wins_mae"), p <= 0.05 in {whole[0]} and '
        f'{whole[1]} % with all items and "all", {first[0]} and {first[1]} % with '
        f'"first", none with "bootstrap" or "one", and {largest:.1f} % at most with '
        "bootstrapped items.",
        "of 500 equal pairs of five runs whose noise varied by 20 % from run to run, "
        f"on 400 items, p <= 0.05 in {of_runs[0]} % with all items, and in "
        f'{of_runs[1]} % with bootstrapped ones ("all", "mae", M = 100)',
    ]


def say_intervals():
    normal, lognormal = (
        listed(choose("interval", options="studentized", scores=x))
        for x in ("normal", "lognormal")
    )
    few, more, many = (
        [calibrated(method, n) for method in ("bca", "percentile", "basic")]
        for n in (5, 20, 100)
    )
    return [
        f'in {few[0]} % ("bca"), {few[1]} % ("percentile") and {few[2]} % ("basic") at '
        f"n = 5; in {more[0]} %, {more[1]} % and {more[2]} % at 20; and in {many[0]} "
        f"%, {many[1]} % and {many[2]} % at 100",
        "Of 4000 samples of 5, 10 and 20 scores, those of 95 % held the mean of a "
        f"normal distribution in {normal[0]}, {normal[1]} and {normal[2]} %, and of a "
        f"lognormal one in {lognormal[0]}, {lognormal[1]} and {lognormal[2]} %.",
    ]


def calibrated(method, n):
    rows = choose_from("calibration", claim="bootstrap_ci", method=method, n=str(n))
    return ends(rows)


def bca():
    few, more, many = (calibrated("bca", n) for n in (5, 20, 100))
    return (
        f"BCa intervals of 95 % held the mean in {few} % of samples of 5, {more} % of "
        f"20 and {many} % of 100"
    )


def published(n):
    (row,) = choose("published", n=n)
    return f"{100 * row['rate']:.0f} %"


def say_published():
    first, second, third = (published(n).removesuffix(" %") for n in (3, 5, 20))
    return [f"{first}, {second} and {third} % of pairs of 3, 5 and 20 normal scores"]


DOCSTRINGS = {
    "aso": say_published,
    "bootstrap_ci": say_intervals,
    "brunner_munzel": say_placements,
    "proportion_ci": say_proportions,
    "responses.response_test": say_responses,
    "t_test": say_splits,
}


def say_on_which_test():
    mean = {"function": "bootstrap_test", "options": '"mean"', "scores": "normal"}
    few, pairs = (
        listed(
            choose("function", **mean, unit=unit, n=n, m=n, spread=1.0)[0]
            for n in (5, 20)
        )
        for unit in ("runs", "pairs of runs")
    )
    placements = choose("function", function="brunner_munzel")
    placements = [x for x in placements if min(x["n"], x["m"]) == 5]
    usual = [x for x in placements if x["scores"] in USUAL]
    resampled = choose_responses(*RESAMPLED, items=("bootstrap",))
    wide = {"unit": "runs", "scores": "lognormal", "spread": (4.0, 0.25)}
    skewed, few_of_one = (
        [
            [x for x in choose("command", test=test, **by) if min(x["n"], x["m"]) > 3]
            for test in ("t", "bootstrap", "permutation")
        ]
        for by in (wide, wide | {"spread": 1.0, "n": 5, "m": 50})
    )
    three = [
        [x for x in choose("command", test=test, **wide) if min(x["n"], x["m"]) == 3]
        for test in ("t", "bootstrap", "permutation")
    ]
    ranges = [ends(x) for x in skewed]
    rates = [listed(x)[0] for x in few_of_one]
    studentized = (
        ends(choose("interval", options="studentized", scores=x))
        for x in ("normal", "lognormal")
    )
    return [
        f"of two equal normal models, p <= 0.05 in {few[0]} % with 5 scores each and "
        f"{few[1]} % with 20; of pairs in {pairs[0]} and {pairs[1]} %",
        f"{bca()}; "
        '"studentized" ones in {} % of normal and {} % of lognormal samples of 5, 10 '
        "and 20".format(*studentized),
        f"with 5, p <= 0.05 in {ends(usual)} %, and in {highest(placements):.0f} % "
        "if 5 scores that hardly vary are compared with 50",
        f"then, with 5, it is {few_equal()} % of equal models, and up to "
        f"{few_others()} % of others; of 3 scores against 20, up to "
        f"{highest(of_three()):.0f} %",
        f"then p <= 0.05 in up to {ranks_for_share()} % if",
        f"two-sided p <= 0.05 in {highest(resampled):.1f} % of equal systems at most",
        f"Welch's t has p <= 0.05 in {ranges[0]} %, the bootstrap of t in {ranges[1]} "
        f"%, and `--test permutation` in {ranges[2]} %; of 3 scores against 20, in up "
        f"to {listed_highest(three)} %. Of 5 scores against 50 of one "
        f"lognormal distribution, p <= 0.05 in {rates[0]}, {rates[1]} and "
        f"{rates[2]} %",
    ]


def say_on_leaf_of_order():
    (closed,) = choose_from("verdicts", family="2 x 5", scores="normal")
    return [
        f"5 runs of each of two equal models: `multi_aso` calls one better in "
        f"{highest([closed]):.1f} %; the bound of the papers in {published(5)}."
    ]


def listed_highest(tests):
    *first, last = (f"{highest(rows):.0f}" for rows in tests)
    return f"{', '.join(first)} and {last}"


def few_placements(**by):
    rows = choose("command", test="brunner-munzel", scores=USUAL, **by)
    return [x for x in rows if min(x["n"], x["m"]) == 5]


def few_equal():
    return ends(few_placements(spread=1.0))


def few_others():
    return f"{highest(few_placements(spread=(4.0, 0.25))):.0f}"


def say_in_command():
    return [
        f"one with 5 scores, {few_equal()} % have p <= 0.05 where they are equal, and "
        f"up to {few_others()} % where one varies 4 times as much; of 3 scores against "
        f"20, up to {highest(of_three()):.0f} %.",
        f"sizes with P(A > B) = 1/2, up to {ranks_for_share()} % had p <= 0.05 where",
    ]


def ranks_for_share():
    return f"{highest(choose('function', function='mann_whitney_u')):.0f}"


def of_three():
    rows = choose("command", test="brunner-munzel", spread=(4.0, 0.25))
    return [x for x in rows if min(x["n"], x["m"]) == 3]


def say_on_reading():
    bounds = choose_from("verdicts", kind="bound")
    covered = [{"rate": x["covered"]} for x in bounds]
    of_two = [
        x
        for x in choose_from("verdicts", kind="threshold")
        if re.match(r"2 x \d+,|\d+ v \d+,", x["family"])
    ]
    spreads = choose_from("verdicts", kind="equal means")
    return [
        f"the bound of 95 % held in {around(covered)} % of cases",
        f"A was called better in {around(of_two)} % of cases by `multi_aso` with 3 to "
        "50 runs, equal or unequal numbers, and up to 10 times the spread",
        f"`multi_aso` called any better in up to {highest(spreads):.1f} % of the "
        f"families that were measured; but in {long_tails()} % where spreads were 4 : "
        "1 and few runs did not show it",
        bca(),
    ]


def long_tails():
    return around(choose_from("verdicts", kind="equal means, long tails"))


def say_on_mathematics():
    spreads = choose_from("verdicts", kind="equal means")
    found = choose_from("verdicts", kind="discovery")
    return [
        f"one is called better in {highest(spreads):.1f} % of cases at most",
        f"run in ten fails, or nine in ten are the same, {long_tails()} %.",
        f"at most {highest(found):.1f} % of claims were false, on average.",
    ]


def say_on_first_page():
    equal = choose_from("verdicts", kind="equal")
    families = ("2 x 5", "2 x 20", "5 x 5", "10 x 10", "20 x 20", "50 x 10")
    by = {"kind": "equal", "scores": "normal"}
    every = [choose_from("verdicts", family=x, **by) for x in families]
    rates = [f"{highest(rows):.1f}" for rows in every]
    return [
        f"calls any of them better in at most {most(equal)} %",
        f"| models x runs | {' | '.join(families)} |",
        f"| any is called better | {' | '.join(rates)} |",
    ]


def say_on_seeds():
    return [
        f"calls one of two equal normal models better in {published(3)} of cases with "
        f"3 runs each, {published(5)} with 5 and {published(20)} with 20."
    ]


def say_on_reporting():
    families = choose("family", null="2 models, 20 tasks", unit="runs")
    by = {"null": "2 models, 20 tasks", "unit": "items"}
    of_items = {
        test: f"{highest(choose('family', test=test, **by)):.1f}"
        for test in ("bootstrap", "permutation")
    }
    few = choose("function", function="brunner_munzel", n=5, m=5, scores=USUAL)
    few = [x for x in few if x["spread"] == 1.0]
    scores = read.scores(str(files("sigarray") / "data" / "digits.csv")).scores
    records = {(x["model_a"], x["model_b"]): x for x in compare_models(scores).records}
    ahead, other = records["wide_network", "forest"], records["linear", "network"]
    bounds = [x["eps_min_a_over_b"] for x in (ahead, other)]
    shown = [f"{x:.3f}" for x in (*bounds, other["eps_min_b_over_a"])]
    equal = other["equality_pvalue"]
    pair = [scores[name] for name in ("wide_network", "forest")]
    assert [len(x) for x in pair] == [12, 20]
    means = [f"{x.mean():.4f}" for x in pair]
    deviation = pair[0].std(ddof=1)
    return [
        f"`brunner_munzel` has p <= 0.01 in {ends(few, 'rate_at_1')} % of equal pairs "
        "of 5 runs",
        f"leaves any significant in {highest(families):.1f} % of cases at most",
        f"`--test bootstrap` has any in up to {of_items['bootstrap']} % of cases",
        f"`--test permutation`, in up to {of_items['permutation']} %",
        f"eps_min = {shown[0]} < 0.2, confidence 0.95 for all 6 comparisons",
        f"12 and 20 runs, which differ in their seed; means {means[0]} and {means[1]};",
        f"(eps_min = {float(shown[1]):.2f} and {float(shown[2]):.2f} at confidence",
        f'"{means[0]} ± {deviation:.4f}" alone',
        f"are not equal (p = {equal:.3f}), but",
    ]


def say_on_faults():
    by = {"metric": "BLEU", "n": "300", "test": corpus_metrics.SACREBLEU}
    (sizes,) = choose_from("corpus_metrics", **by)
    (closed,) = choose_from("verdicts", family="2 x 5", scores="normal")
    return [
        f"one is declared better in {published(2)} of cases with 2 runs, "
        f"{published(5)} with 5",
        f"one of two is called better by `multi_aso` in {highest([closed]):.1f} %",
        f"better in {published(3)} of cases, and with 5 in {published(5)}.",
        f"on 300 segments, it has p <= 0.05 in {highest([sizes]):.1f} % (BLEU)",
    ]


def say_in_warning():
    return [
        f"one of two equal models better in {published(3)} of cases with 3 runs each, "
        f"{published(5)} with 5 and {published(20)} with 20"
    ]


PAGES = [
    ("docs/training.md", say_in_training),
    ("docs/tools.md", say_in_tools),
    ("docs/which_test.md", say_on_which_test),
    ("docs/which_test.md", say_on_leaf_of_order),
    ("docs/reading.md", say_on_reading),
    ("docs/mathematics.md", say_on_mathematics),
    ("README.md", say_on_first_page),
    ("docs/how_many_seeds.md", say_on_seeds),
    ("docs/reporting.md", say_on_reporting),
    ("docs/faults.md", say_on_faults),
    ("sigarray/deepsig/aso.py", say_in_warning),
    ("sigarray/_verdicts/request.py", say_in_command),
]
