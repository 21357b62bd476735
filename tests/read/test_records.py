"""Rows that say of what their scores are, and what is left over."""

from sigarray import read
from tests.read.long_tables import as_csv


def test_what_is_not_used_is_said(write):
    rows = [("a", "en", 1), ("a", "de", 2), ("b", "en", 3), ("b", "de", 4)]
    table = read.scores(write(as_csv(rows, "model,language,acc")))
    assert table.unit == "item"
    assert any("'language' was taken for the items" in x for x in table.notes)
    table = read.scores(write(as_csv(rows * 2, "model,language,acc")))
    assert any("not used: 'language'; name what tells" in x for x in table.notes)
    (doubt,) = table.doubts
    assert doubt.endswith("as runs. Where these are tasks, pass --task language")
    assert read.scores(
        write(as_csv(rows, "model,language,acc")), task="language"
    ).tasks.keys() == {"en", "de"}


def test_a_group_is_no_cluster(write):
    rows = [(m, g, k, k) for m in "ab" for k, g in enumerate("xxyy")]
    table = read.scores(write(as_csv(rows, "model,Group,seed,acc")))
    assert (table.unit, len(table.scores["a"])) == ("run", 4)
    table = read.scores(write(as_csv(rows, "model,Group,seed,acc")), cluster="Group")
    assert (table.unit, len(table.scores["a"])) == ("cluster", 2)


def test_columns_that_may_group_items_are_named(write):
    lines = ["model,item,document,topic,score"]
    lines += [
        f"{model},q{k},d{k // 3},t{(k + len(model)) % 4},0.{(7 * k + len(model)) % 10}"
        for model in ("a", "bb")
        for k in range(12)
    ]
    table = read.scores(write("\n".join(lines)))
    (said,) = [x for x in table.notes if "may group the items" in x]
    # A topic is not the same for both models.
    assert "'document' may group" in said
    assert "pass --cluster document. If they are fixed" in said


def test_each_column_that_may_group_items_is_named(write):
    """The first may be of fixed groups, and the second of those that were sampled."""
    rows = [(m, k, f"s{k // 6}", f"p{k // 2}", k) for m in "ab" for k in range(12)]
    table = read.scores(write(as_csv(rows, "model,item,subject,passage,acc")))
    (said,) = [x for x in table.notes if "may group the items" in x]
    assert "sampled, as documents are" in said
    assert "pass --cluster subject or --cluster passage." in said
    assert said.endswith(
        "fixed, as subjects are, pass --task subject or --task passage"
    )
