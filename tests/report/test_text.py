"""Tables as text: names that are too long for the terminal."""

from sigarray._plain_text import cut_shared, shorten_names
from sigarray.plot._style import show_name, show_names
from sigarray.report._layout import Table
from sigarray.report._text import fit


def test_short_names_stay_different():
    names = {f"a_long_prefix_of_names_{k}_and_a_long_suffix" for k in range(12)}
    for limit in (24, 16, 12):
        short = shorten_names(names | {"other"}, limit)
        assert set(short) == names
        assert len(set(short.values())) == len(names)
        assert all(len(x) <= limit and "…" in x for x in short.values())
    # Where no place is left in which they differ, they stay as they are.
    same = {"x" * 30, *("x" * 15 + c + "x" * 15 for c in "ab"), "y" * 3 + "x" * 30}
    assert shorten_names({*same, "x" * 40}, 12) == {}


def test_tables_fit_the_width():
    name = "models--bert-large-uncased-whole-word-masking-finetuned"
    table = Table("", ["A", "B", "better"], [[name, "b", name]], name_columns=2)
    assert fit(table, 200) == table
    (row,) = fit(table, 60).rows
    assert row[0] == row[2]
    assert row[0].startswith("models--")
    assert row[0].endswith("finetuned")
    assert len(row[0]) == 27
    # Numbers are never cut, and names to twelve letters at least.
    (row,) = fit(table, 10).rows
    assert len(row[0]) == 12


FOLDER = "runs/exp1/checkpoint-1000"


def test_what_all_names_share_is_cut_first():
    names = [f"{FOLDER}/{x}" for x in ("resnet-50-a", "resnet-50-b", "vit-large")]
    short = ["…resnet-50-a", "…resnet-50-b", "…vit-large"]
    assert list(shorten_names(names, 20).values()) == short
    assert shorten_names(names, 100) == {}
    assert show_names(names, 16) == short
    # Only whole parts are cut, at the end too, and something is left of each.
    assert cut_shared(["model-1000/a/eval.json", "model-1500/a/eval.json"]) == {
        "model-1000/a/eval.json": "…1000…",
        "model-1500/a/eval.json": "…1500…",
    }
    assert cut_shared(["checkpoint1000", "checkpoint2000"]) == {}
    assert cut_shared(["runs/a/", "runs/a/b"]) == {"runs/a/": "…a/", "runs/a/b": "…a/b"}
    assert cut_shared(names[:1]) == {}
    # Long names that stand beside another one have their own shared start.
    assert shorten_names([*names, "b"], 16) == dict(zip(names, short, strict=True))


def test_numbers_in_names_stay_whole():
    """Of 0.4 and 0.1, "4" and "1" would be other numbers."""
    for a, b in (
        ("0.4", "0.1"),
        (".4", ".1"),
        ("-4", "-1"),
        ("1e-4", "1e-5"),
        ("2.0.1", "2.0.2"),
        ("1,024", "1,048"),
    ):
        names = [f"model, lr={x}" for x in (a, b)]
        assert list(cut_shared(names).values()) == [f"…{a}", f"…{b}"]
        assert list(shorten_names(names, 8).values()) == [f"…{a}", f"…{b}"]
    # At the end of names, too, and where the shared part is a number in one of them.
    assert list(cut_shared(["a=0.5 mixup", "a=2.5 mixup"]).values()) == [
        "a=0.5…",
        "a=2.5…",
    ]
    assert cut_shared(["model1.b", "model1.5"]) == {}
    # Hyphens behind words are no signs.
    assert list(cut_shared(["model-4", "model-1"]).values()) == ["…4", "…1"]


def test_numbers_stay_whole_where_the_middle_of_names_is_cut():
    name = "transformer-wd-0.00025"
    assert [show_name(name, n) for n in (7, 8, 12)] == [
        "tra…",
        "…0.00025",
        "tran…0.00025",
    ]
    other = "transformer-wd-0.00125-x"
    assert shorten_names([name, other, "b"], 12) == {
        name: "…0.00025",
        other: "…0.00125-x",
    }
    assert show_name("a-0.125-of-all-the-others", 9) == "a-…hers"
    between = [f"{'x' * 30}-{k}-{'y' * 30}" for k in (0.125, 0.25)]
    assert list(shorten_names(between, 12).values()) == ["…0.125…", "…0.25…"]
    # A number that is too long for its place is shown.
    assert shorten_names(["20240115093012"], 12) == {}
    assert show_name("20240115093012", 12) == "20240115093012"


def test_names_in_headers_and_lists_are_cut_too():
    names = [f"{FOLDER}/a", f"{FOLDER}/a-b"]
    rows = [["task", f"{names[1]} > {names[0]}"]]
    table = Table("", ["", names[0]], rows, name_columns=1, names=names)
    assert fit(table, 100) == table
    cut = fit(table, 40)
    assert cut.header == ["", "…a"]
    assert cut.rows == [["task", "…a-b > …a"]]


def test_names_that_need_more_letters_than_there_is_room_for_are_cut_as_far_as_can_be():
    """In twelve letters two of these would be the same."""
    ends = (
        "deep, lr=0.1, augmented with cutmix",
        "wide, lr=0.01, augmented with mixup",
    )
    names = [f"resnet, {x}" for x in (*ends, "wide, lr=0.1, augmented with mixup")]
    assert shorten_names(names, 12) == {}
    rows = [[names[0], names[1], names[0]], [names[1], names[2], names[1]]]
    cut = fit(Table("", ["A", "B", "better"], rows, name_columns=2), 40)
    shown = {cell for row in cut.rows for cell in row}
    assert len(shown) == 3
    assert max(map(len, shown)) < 20
