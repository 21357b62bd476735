"""Charts of Weights & Biases: whose curves the columns are."""

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError


def write_chart(write, names, spread=0.0):
    """Write a chart of curves that rise, with their ranges."""
    header = ["Step"]
    for name in names:
        header += [f"{name} - val/acc{end}" for end in ("", "__MIN", "__MAX")]
    rows = [",".join(header)]
    for t in range(1, 5):
        means = [0.1 * t + 0.003 * k for k in range(len(names))]
        cells = [x for y in means for x in (y, y - spread, y + spread)]
        rows.append(",".join([str(t), *(f"{x:.4f}" for x in cells)]))
    return write("\n".join(rows))


NUMBERED = [f"{m}_{k}" for m in ("resnet50", "resnet50_bs256") for k in range(6)]
WORDS = ["silver-sky-1", "brisk-dew-2", "lunar-fog-3", "olive-bird-4"]


def test_numbers_that_all_models_have_are_runs(write):
    table = read.scores(write_chart(write, NUMBERED))
    assert table.models == ("resnet50", "resnet50_bs256")
    assert [len(x) for x in table.scores.values()] == [6, 6]
    assert any("'resnet50_0' was taken for run 0 of 'res" in x for x in table.notes)


@pytest.mark.parametrize(
    "names", [WORDS, ["resnet_18", "resnet_50", "vit_16"], ["v_1", "v_2", "w_1", "w_2"]]
)
def test_other_names_are_of_one_run_each(write, names):
    path = write_chart(write, names)
    assert read.scores(path).models == tuple(names)
    with pytest.raises(ValueError, match="one of each") as error:
        compare_models(read.scores(path))
    said = f"The columns were taken for {len(names)} models of one run each: "
    assert f"{said}'{names[0]}', " in str(error.value)
    assert "columns='{model}_{run} - val/acc'; else export" in str(error.value)


@pytest.mark.parametrize("end", ["", " - val/acc"])
def test_a_template_says_what_names_are_of(write, end):
    path = write_chart(write, ["a_1", "b_1", "a_2", "b_2", "other"])
    table = read.scores(path, columns=f"{{model}}_{{run}}{end}")
    assert table.ids[""] == {"a": ("1", "2"), "b": ("1", "2")}
    assert table.metric == "val/acc"
    assert any("'a_1" in x and "was read as" in x for x in table.notes)
    with pytest.raises(TableError, match=r"got 'a_1 - val/acc', "):
        read.scores(path, columns="{model}-{run} - val/acc")


@pytest.mark.parametrize(("spread", "n"), [(0.01, 1), (0.0, 0)])
def test_a_range_tells_the_mean_of_a_group(write, spread, n):
    path = write_chart(write, ["resnet50", "vit_small"], spread)
    notes = read.scores(path).notes
    said = "'resnet50' looks like the mean of a group of runs, which is one score: expo"
    assert sum(said in x for x in notes) == n
    # Of runs, by their names, it is that of some steps.
    notes = read.scores(write_chart(write, NUMBERED, spread)).notes
    assert not any("looks like the mean" in x for x in notes)


@pytest.mark.parametrize("axis", ["epoch", "global_step", "Relative Time (Process)"])
def test_steps_beside_a_metric_are_none(write, axis):
    """A chart with another axis has them for each run."""
    names = [f"{m}-s{k}" for m in ("cnn", "vit") for k in range(3)]
    columns = [
        f"{name} - {x}{end}"
        for name in names
        for x in ("_step", "val/acc")
        for end in ("", "__MIN", "__MAX")
    ]
    rows = [",".join([axis, *columns])]
    for t in range(1, 5):
        for k in range(6):
            is_own = [j == k or axis[0] != "R" for j in range(6)]
            cells = [f"{100 * t},{100 * t},{100 * t},{t + j / 10},," for j in range(6)]
            cells = [
                x if own else ",,,,," for x, own in zip(cells, is_own, strict=True)
            ]
            rows.append(",".join([f"{t + k / 50 * (axis[0] == 'R')}", *cells]))
            if axis[0] != "R":
                break
    path = write("\n".join(rows))
    for columns in (None, "{model}-s{run} - val/acc"):
        table = read.scores(path, columns=columns)
        assert table.metric == "val/acc"
        assert list(table.scores["cnn"]) == [4.0, 4.1, 4.2]
        assert not table.doubts


def test_runs_of_one_name_are_renamed(write):
    path = write_chart(write, ["cnn"] * 6 + ["vit"] * 6)
    with pytest.raises(TableError, match="more than once") as error:
        read.scores(path)
    assert "'cnn-s0 - val/acc', 'cnn-s1 - val/acc' and so on" in str(error.value)
    path = write_chart(write, [f"{m}-s{k}" for m in ("cnn", "vit") for k in range(6)])
    assert [len(x) for x in read.scores(path).scores.values()] == [6, 6]
