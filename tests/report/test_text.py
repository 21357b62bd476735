"""Tables as text: names that are too long for the terminal."""

from sigarray.report._layout import Table
from sigarray.report._text import fit, shorten_names


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
