"""Raters who prefer a model, or who are strict and rate more of it."""

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read._rater_effects import Ratings, depend_on_raters, find_shift

KINDS = {
    "rounded": lambda x, _: np.clip(np.round(x), 1, 5),
    "at the top": lambda x, _: np.clip(np.round(x + 1.4), 1, 5),
    "skewed": lambda x, rng: x + 0.5 * rng.exponential(size=x.shape) ** 1.5,
    "0 or 1": lambda x, _: (x > 3.2) * 1.0,
}


def rate(  # one argument for each of what data vary in
    seed,
    taste=0.0,
    *,
    tilt=1.0,
    strict=-0.8,
    matched=False,
    kind="rounded",
    n=60,
    n_raters=10,
    each=3,
):
    """Three of the raters rate an item for each of three models, which are equal.

    With a `tilt`, strict ones rate more of the second one; all are, if `strict` is 0.
    """
    rng = np.random.default_rng(seed)
    severity, tastes = rng.normal(0, 0.5, n_raters), rng.normal(0, taste, (n_raters, 3))
    if tilt > 1.0:
        severity[:3] = strict
        severity *= strict < 0
    items = np.repeat(np.arange(n), 3 * each)
    models = np.tile(np.repeat(np.arange(3), each), n)
    weights = np.ones((3, n_raters))
    weights[1, :3] *= tilt
    keys = rng.exponential(size=(n, 1 if matched else 3, n_raters)) / weights[None, :]
    if matched:
        keys = np.repeat(keys[:, :1], 3, axis=1)
    raters = np.argsort(keys, axis=2)[:, :, :each].reshape(-1)
    scores = (
        3.2 + rng.normal(0, 0.6, n)[items] + rng.normal(0, 0.3, (n, 3))[items, models]
    )
    scores += severity[raters] + tastes[raters, models] + rng.normal(0, 0.7, len(items))
    return Ratings(KINDS[kind](scores, rng), models, items, raters)


@pytest.mark.parametrize("matched", [False, True])
def test_tastes_are_found_whether_raters_are_matched_or_not(matched):
    for taste, least in ((0.3, 20), (0.6, 29)):
        found = [depend_on_raters([rate(k, taste, matched=matched)]) for k in range(30)]
        assert sum(found) >= least


@pytest.mark.parametrize("matched", [False, True])
def test_tastes_are_found_in_one_rating_of_each_item_and_model(matched):
    """And not, if raters are many: effects of theirs leave less than all noise."""
    for taste, n_raters, at_most in ((0.0, 30, 1), (0.0, 10, 1), (0.6, 10, 20)):
        options = {"matched": matched, "each": 1, "n": 200 if taste else 100}
        options |= {"n_raters": n_raters}
        found = [depend_on_raters([rate(k, taste, **options)]) for k in range(20)]
        assert (17 if taste else 0) <= sum(found) <= at_most


def test_tastes_are_found_over_tasks():
    parts = [rate(k, 0.35, n=30) for k in range(4)]
    assert depend_on_raters(parts)
    assert not depend_on_raters([rate(k, 0.0, n=30) for k in range(4)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"matched": True}, {"n": 15, "n_raters": 5}])
def test_raters_at_random_are_no_doubt(kind, options):
    every = [rate(k, kind=kind, **options) for k in range(15)]
    assert sum(depend_on_raters([x]) for x in every) <= 1
    shifts = [find_shift(x) for x in every]
    assert sum(x.is_beyond for x in shifts) <= 1
    assert not any(x.are_apart for x in shifts)


@pytest.mark.parametrize(("tilt", "least"), [(2.0, 4), (3.0, 20), (4.0, 26)])
def test_strict_raters_of_one_model_are_found(tilt, least):
    shifts = [find_shift(rate(k, tilt=tilt)) for k in range(30)]
    found = [x for x in shifts if x.is_beyond]
    assert len(found) >= least
    assert {x.ends[0] for x in found} == {1}
    assert 0.1 < np.mean([x.size for x in found]) < 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_unequal_shares_of_raters_who_are_equally_strict_are_no_doubt(kind):
    for tilt in (3.0, 20.0):
        shifts = [
            find_shift(rate(k, tilt=tilt, strict=0, kind=kind)) for k in range(15)
        ]
        assert sum(x.is_beyond for x in shifts) <= 1


def test_raters_of_one_model_alone_are_apart():
    """Whether they rate one answer, or several, and whatever they think."""
    rng = np.random.default_rng(0)
    for n_each in (1, 3):
        models, items, k = (x.ravel() for x in np.indices((2, 40, n_each)))
        scores = rng.integers(1, 6, len(k)).astype(float)
        own = models * 5 + (items + k) % 5
        assert find_shift(Ratings(scores, models, items, own)).are_apart
        assert not find_shift(Ratings(scores, models, items, own % 5)).are_apart
        # Each of many who rate a single answer is no more than noise.
        many = Ratings(scores, models, items, np.arange(len(k)))
        assert not find_shift(many).are_apart
    # Of one rating each, few tell raters apart from models.
    models, items = (x.ravel() for x in np.indices((2, 20)))
    scores = rng.integers(1, 6, 40).astype(float)
    for n_of_one, are_apart in ((19, True), (11, False)):
        own = ((items < n_of_one) == (models == 0)).astype(int)
        assert find_shift(Ratings(scores, models, items, own)).are_apart == are_apart


@pytest.mark.parametrize("n", [0, 1])
def test_few_ratings_are_no_doubt(n):
    few = Ratings(np.ones(n), *[np.zeros(n, int)] * 3)
    assert not depend_on_raters([few])
    assert not find_shift(few).is_beyond


def write_rows(folder, ratings):
    path = folder / "ratings.csv"
    rows = zip(*(x.tolist() for x in ratings), strict=True)
    lines = [f"p{i},{'abc'[m]},r{r},{x:g}" for x, m, i, r in rows]
    path.write_text("\n".join(["item,model,rater,rating", *lines, ""]))
    return str(path)


def test_the_command_says_so(tmp_path, run):
    path = write_rows(tmp_path, rate(0, 0.6))
    _, out, err = run("compare", path, "--unit", "item", "--run", "rater")
    advice = "--unit item --item rater --ignore item"
    assert "depend on 'rater', more than by chance, and verdicts are" in err
    assert f"pass {advice} in place of --run rater." in err
    err = run("compare", path, "--unit", "item", "--ignore", "rater")[2]
    assert f"pass {advice} in place of --ignore rater." in err
    assert f"pass {advice}." in run("compare", path, "--unit", "item")[2]
    said = (
        "Not all models have a rating of the item by the same rater; raters are taken"
    )
    assert said in " ".join(out.split())
    code, _, err = run("compare", path, *advice.split())
    assert code == 0
    assert "depend on" not in err
    path = write_rows(tmp_path, rate(1, tilt=4.0))
    _, out, err = run("compare", path, "--unit", "item", "--run", "rater")
    assert "in unequal shares, by which alone 'b' is 0." in err
    assert "taken to be assigned at random" not in " ".join(out.split())


def test_raters_of_all_models_are_not_taken_to_be_assigned(tmp_path):
    path = write_rows(tmp_path, rate(0, matched=True))
    table = read.scores(path, unit="item", run="rater")
    assert "assigned at random" not in compare_models(table).method


def test_without_options_raters_of_one_model_are_asked_about(tmp_path, run):
    """Whatever their column is called; those of all models are averaged."""
    every = {}
    for matched in (False, True):
        path = write_rows(tmp_path, rate(0, matched=matched))
        for name in ("rater", "annotator_id"):
            with open(path) as file:
                text = file.read().replace(",rater,", f",{name},", 1)
            other = tmp_path / f"{name}.csv"
            other.write_text(text)
            every[matched, name] = run("compare", str(other))
            code, _, err = every[matched, name]
            assert code == (0 if matched else 2)
            averaged = f": pass --run {name}, with --unit item, to average the ratings"
            assert (averaged in err) == (not matched)
            options = ("--run", name, "--unit", "item")
            assert run("compare", str(other), *options)[0] == 0
    assert "--where rater=" in every[False, "rater"][2]


def test_the_help_says_where_raters_go(run, capsys):
    with pytest.raises(SystemExit):
        run("compare", "--help")
    assert "--run (raters)" in capsys.readouterr().out


def draw(seed, taste=0.0, *, of=("ours", "base"), n_raters=10, each=3):
    """Rows of items, rated for each model by some of a pool, drawn anew."""
    rng = np.random.default_rng(seed)
    severity = rng.normal(0, 0.4, n_raters)
    tastes = rng.normal(0, taste, (n_raters, len(of)))
    for item in range(60):
        mean = 3.5 + rng.normal(0, 0.6)
        for k, model in enumerate(of):
            own = mean + rng.normal(0, 0.4)
            for rater in rng.choice(n_raters, each, replace=False):
                x = own + severity[rater] + tastes[rater, k] + rng.normal(0, 0.7)
                yield f"i{item},{model},p{rater},{np.clip(round(x), 1, 5):g}"


def write_drawn(folder, column, *args, **kwargs):
    path = folder / f"{column}.csv"
    lines = [f"item,system,{column},rating", *draw(*args, **kwargs), ""]
    path.write_text("\n".join(lines))
    return str(path)


@pytest.mark.parametrize("column", ["annotator", "user_id", "PROLIFIC_PID"])
@pytest.mark.parametrize(
    "design", [{}, {"of": "abc", "n_raters": 6}, {"of": "abc", "n_raters": 7}]
)
def test_raters_drawn_for_each_model_are_averaged(tmp_path, run, column, design):
    """Though of some items no rater has rated all models; what they prefer is said."""
    path = write_drawn(tmp_path, column, 0, **design)
    advice = ("--run", column, "--unit", "item")
    if column == "annotator":
        asked = run("compare", path)
        assert asked[0] == 2
        assert "pass --run annotator, with --unit item, to average" in asked[2]
    code, out, err = run("compare", path, *advice)
    assert code == 0
    assert "warning" not in err
    assert f"by the same {column}; raters are taken to be assigned at random" in (
        " ".join(out.split())
    )
    rows = [x.split(",") for x in list(draw(0, **design))]
    table = read.scores(path, unit="item", run=column)
    first = sorted(of := {x[1] for x in rows})[0]
    assert {*table.models} == of
    mean = np.mean([float(x[3]) for x in rows if x[:2] == ["i0", first]])
    names = table.ids[""][first]
    assert table.scores[first][list(names).index("i0")] == pytest.approx(mean)
    path = write_drawn(tmp_path, column, 1, 1.2, **design)
    for options in (advice, ("--ignore", column))[: 2 - (column == "user_id")]:
        code, _, err = run("compare", path, *options)
        assert code == 0
        assert f"depend on {column!r}, more than by chance" in err


def test_raters_drawn_for_each_model_as_the_sample(tmp_path, run):
    """What is advised warns of nothing; in Python, it can be pasted into a call."""
    pandas = pytest.importorskip("pandas")
    path = write_drawn(tmp_path, "annotator", 1, 1.2)
    options = ("--unit", "item", "--item", "annotator", "--ignore", "item")
    code, out, err = run("compare", path, *options)
    assert code == 0
    assert "warning" not in err
    said = "rating by the annotator of the same item; items are taken to be assigned at"
    assert said in " ".join(out.split())
    frame = pandas.read_csv(path)
    with pytest.warns(UserWarning, match="depend on") as caught:
        compare_models(read.scores(frame, unit="item", run="annotator"))
    arguments = "frame.drop(columns=['item']), unit='item', item='annotator'"
    said = f"and these items, pass {arguments} in place of run='annotator'."
    assert str(caught[0].message).endswith(said)
    frame = frame.drop(columns=["item"])
    table = read.scores(frame, unit="item", item="annotator")
    assert len(table.ids[""]["ours"]) == 10


@pytest.mark.parametrize("options", [{"run": "annotator"}, {}])
def test_the_last_of_two_ratings_by_one_is_kept_as_is_said(tmp_path, options):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(write_drawn(tmp_path, "annotator", 1))
    frame = pandas.concat([frame, frame.iloc[[7]].assign(rating=4)])
    with pytest.raises(read.TableError, match="keeps the last") as caught:
        read.scores(frame, unit="item", **options)
    call = (
        str(caught.value).partition("In pandas, ")[2].removesuffix(" keeps the last.")
    )
    last = eval(call, {"frame": frame})
    assert len(last) == len(frame) - 1
    kept = last.set_index(["item", "system", "annotator"])["rating"]
    assert kept.loc[tuple(frame.iloc[7][["item", "system", "annotator"]])] == 4
    assert read.scores(last, unit="item", **options).models
