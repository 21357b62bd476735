"""Tables as text, and names that are too long for the terminal."""

from dataclasses import replace

from sigarray._plain_text import (
    cut_owners,
    cut_shared,
    shorten_names,
    unquote_plain,
)
from sigarray.plot._style import show_name, show_names
from sigarray.report._layout import Table
from sigarray.report._text import _list_lines, _render_plain, fit, split, wrap


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
    """What takes less room and loses nothing comes first, then names are cut."""
    name = "models--bert-large-uncased-whole-word-masking-finetuned"
    table = Table("", ["A", "B", "better"], [[name, "b", name]], name_columns=2)
    assert fit(table, 200) == table
    short = "models--bert-…masking-finetuned"
    (row,) = fit(table, 70).rows
    assert row == [short, "b", short]
    (row,) = fit(table, 40).rows
    assert row == ["models--bert-…", "b", "models--bert-…"]
    # Numbers are never cut, and names to nine letters at least.
    (row,) = fit(table, 10).rows
    assert row == ["models…", "b", "models…"]


def test_headers_take_two_lines_where_they_are_wide():
    header = ["A", "B", "adjusted p", "eps_min(A>B)", "P(A>B)", "wins A : B"]
    table = Table("", header, [["a", "b", "0.01", "0.123", "1", "1 : 0"]], names=["B"])
    assert fit(table, 50) == table
    cut = fit(table, 40)
    assert cut.header == [
        *("A", "B", "adjusted\np", "eps_min\n(A>B)", "P(A>B)", "wins\nA : B")
    ]
    assert cut.rows == table.rows
    lines = _render_plain(replace(cut, name_columns=2), 40).split("\n")
    assert lines[2:] == [
        "      adjusted  eps_min           wins",
        "A  B         p    (A>B)  P(A>B)  A : B",
        "-  -  --------  -------  ------  -----",
        "a  b      0.01    0.123       1  1 : 0",
    ]


def test_a_baseline_is_in_the_title_where_its_column_has_no_room():
    name, others = "a, with-a-long-name", ("with-another-name", "with-a-name")
    rows = [[others[0], name, "+0.1", others[0]], [others[1], name, "-0.2", name]]
    table = Table("T", ["A", "B", "A - B", "better"], rows, frozenset({(1, 3)}), 2)
    assert fit(table, 80) == table
    cut = fit(table, 60)
    assert cut.title == f'T; B is "{name}"'
    assert cut.header == ["A", "A - B", "better"]
    said = f'T; B is the baseline "{name}"'
    assert fit(replace(table, title=said), 40).title == said
    assert cut.rows == [[others[0], "+0.1", others[0]], [others[1], "-0.2", name]]
    assert (cut.marked, cut.name_columns) == (frozenset({(1, 2)}), 1)
    # The name is cut with others, and verdicts are not.
    open_row = [others[0], name, "-0.1", "inconclusive"]
    rows = [[others[1], name, "-0.2", f"{name} not worse"], open_row]
    cut = fit(replace(table, rows=rows), 30)
    assert [row[-1] for row in cut.rows] == ["a, …-a-long… not worse", "inconclusive"]
    # Not of a model whose name is a number in the table.
    models = Table("T", ["model", "n"], [["6" * 20, "6" * 20]])
    assert fit(models, 30).rows[0][1] == "6" * 20


def test_columns_without_room_are_below_each_other():
    names = [f"net{k}" for k in range(9)]
    rows = [[name, *("<0.0001" for _ in names)] for name in names]
    table = Table("T", ["", *names], rows, frozenset({(0, 1), (2, 9)}), names=names)
    assert split(table, 85) == [table]
    first, second = split(table, 80)
    assert first.header == ["", *names[:5]]
    assert second.header == ["", *names[5:]]
    assert second.rows[2] == ["net2", *["<0.0001"] * 4]
    assert (first.marked, second.marked) == (
        frozenset({(0, 1)}),
        frozenset({(2, 4)}),
    )
    assert [len(x.header) for x in split(table, 5)] == [2] * 9
    text = _render_plain(table, 80)
    assert max(map(len, text.split("\n"))) <= 80
    assert text.count("\n\nnet") == 0
    assert text.count("T\n") == 1
    # A table without numbers has no such parts.
    lists = Table("", ["task", "ranking"], [["t", "a > b"]], name_columns=2)
    assert split(lists, 3) == [lists]


def test_lists_of_models_are_wrapped():
    names = ["resnet-50", "convnext-small", "vit-b-16"]
    rows = [["task", " > ".join(names)]]
    table = Table("", ["task", "ranking"], rows, name_columns=2, names=names)
    (row,) = fit(table, 39).rows
    assert row == ["task", "resnet-50 > convnext-small >\nvit-b-16"]
    text = _render_plain(table, 39)
    assert text.endswith("\ntask  resnet-50 > convnext-small >\n      vit-b-16")


def test_text_is_not_wrapped_at_hyphens():
    assert wrap("aaa resnet-50-b", 12) == "aaa\nresnet-50-b"


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
    assert [show_name(name, n) for n in (8, 12)] == ["transfo…", "transformer…"]
    other = "transformer-wd-0.00125-x"
    assert shorten_names([name, other, "b"], 12) == {
        name: "…0.00025",
        other: "…0.00125-x",
    }
    assert show_name("a-0.125-of-all-the-others", 9) == "a-0.125-…"
    between = [f"{'x' * 30}-{k}-{'y' * 30}" for k in (0.125, 0.25)]
    assert list(shorten_names(between, 12).values()) == ["…0.125…", "…0.25…"]
    # A number that is too long for its place is shown.
    assert shorten_names(["20240115093012"], 12) == {}
    assert show_name("20240115093012", 12) == "20240115093012"


def test_names_in_headers_and_lists_are_cut_too():
    names = [f"{FOLDER}/a", f"{FOLDER}/a-b"]
    rows = [["task", f"{names[1]} > {names[0]}"]]
    table = Table("", ["task", "ranking"], rows, name_columns=2, names=names)
    assert fit(table, 100) == table
    assert fit(table, 30).rows == [["task", "…a-b > …a"]]
    table = Table("", ["", *names], [[names[0], "0.1", "0.2"]], names=names)
    cut = fit(table, 40)
    assert cut.header == ["", "…a", "…a-b"]
    assert cut.rows == [["…a", "0.1", "0.2"]]


def test_names_that_need_more_letters_than_there_is_room_for_are_cut_as_far_as_can_be():
    """In twelve letters two of these would be the same."""
    ends = (
        "deep, lr=0.1, augmented with cutmix",
        "wide, lr=0.01, augmented with mixup",
    )
    names = [f"resnet, {x}" for x in (*ends, "wide, lr=0.1, augmented with mixup")]
    assert shorten_names(names, 12) == {}
    rows = [[names[0], names[1], names[0]], [names[1], names[2], names[1]]]
    cut = fit(Table("", ["A", "B", "better"], rows, name_columns=2), 50)
    shown = {cell for row in cut.rows for cell in row}
    assert shown == {
        *(f"…{x}, lr=0.1,…" for x in ("deep", "wide")),
        "…wide, lr=0.01…",
    }


def test_who_publishes_models_is_left_out_of_long_names():
    llama, mistral = "meta-llama__Llama-3.1-8B", "mistralai__Mistral-7B-v0.3"
    short = {llama: "Llama-3.1-8B", mistral: "Mistral-7B-v0.3"}
    assert shorten_names([llama, mistral], 16) == short
    assert shorten_names([llama, mistral, "ours"], 16) == short
    of_hub = [x.replace("__", "/") for x in (llama, mistral)]
    assert list(shorten_names(of_hub, 16).values()) == list(short.values())
    kinds = [f"{llama}-{kind}" for kind in ("Base", "Instruct")]
    assert list(shorten_names(kinds, 24).values()) == [
        "Llama-3.1-8B-Base",
        "Llama-3.1-8B-Instruct",
    ]
    assert list(shorten_names(kinds, 16).values()) == ["\u2026Base", "\u2026Instruct"]
    # Names that have room stay, as do a patch size, paths, and two that were the same.
    assert shorten_names([llama, mistral], 30) == {}
    with_size = ["ViT-S/16", "published (ResNet-50)"]
    assert "ViT-S/16" not in shorten_names(with_size, 12)
    assert cut_owners(["runs/a/x", "runs/b/y"]) == {}
    assert cut_owners(["a/model", "b/model"]) == {}
    assert cut_owners([llama]) == {}


def test_names_in_a_paper_have_quotes_where_they_need_them():
    plain = ["ours w/o aux", "DrQ(eps)", "BERT-base (published)"]
    mixed = ["ours, tuned", "a and b", "model (ab)", "big vs. small", "a > b"]
    text = "; ".join(f'"{name}"' for name in [*plain, *mixed])
    said = unquote_plain(text, [*plain, *mixed])
    assert said.split("; ") == [*plain, *(f'"{name}"' for name in mixed)]


def test_brackets_of_short_names_are_whole():
    assert shorten_names(["model (lr=0.0001)"], 12) == {
        "model (lr=0.0001)": "model (lr=…)"
    }
    other = "other model name with words"
    assert shorten_names(["model (lr=0.0001)", other], 14)["model (lr=0.0001)"] == (
        "model …0.0001"
    )


def test_short_names_are_of_one_name_alone():
    names = ["RoBERTa-base", "BERT-base", "ELECTRA", "DeBERTa-v3"]
    for limit in range(9, 13):
        short = shorten_names(names, limit)
        assert "…-base" not in short.values()
        assert short.get("BERT-base", "BERT").startswith("BERT")
    pairs = ["convnext_t, adamw", "vit_small, adamw", "resnet50, sgd"]
    for limit in range(9, 17):
        for name, form in shorten_names(pairs, limit).items():
            assert form[:3] == name[:3]


def test_columns_stand_closer_before_names_are_cut():
    row = ["resnet18_mixup", "convnext_tiny", "+0.02 [-0.41, +0.45]", "inconclusive"]
    table = Table("", ["A", "B", "interval", "better"], [row], name_columns=2)
    assert fit(table, 65) == table
    narrow = fit(table, 62)
    assert narrow.rows == [row]
    assert all(x == " ".join(row) for x in _list_lines(narrow) if "[" in x)
    assert "resnet18_mixup" not in fit(table, 61).rows[0]


def test_a_remark_alone_is_no_short_form():
    name = "ResNet-18 (ours)"
    for limit in range(7, 16):
        short = shorten_names([name, "ResNet-50", "ViT-S"], limit)[name]
        assert not short.startswith(("\u2026(", "\u2026[", "\u2026 (", "\u2026 ["))
