"""Clusters that are counted anew in each group of another column."""

import pytest

from sigarray.read import scores


def write(path, name_cluster):
    rows = [
        f"{model},{subject},{name_cluster(subject, passage)},"
        f"{subject}-{passage}-{k},{k}"
        for model in "ab"
        for subject in range(4)
        for passage in range(2 + subject)
        for k in range(3)
    ]
    header = "model,subject,passage,question,score"
    path.write_text("\n".join([header, *rows]).replace(",0-", ",s0-"))
    return path


@pytest.mark.parametrize("first", [0, 1])
def test_they_are_doubted(tmp_path, first):
    path = write(tmp_path / "a.csv", lambda _, passage: first + passage)
    table = scores(path, cluster="passage", item="question")
    (said,) = [x for x in table.notes if "counted anew" in x]
    assert "in each of 4 values of 'subject'" in said
    assert "one cluster, of 5 in all" in said
    assert said.endswith("pass --cluster subject,passage")
    table = scores(path, cluster="subject,passage", item="question")
    assert not any("counted anew" in x for x in table.notes)
    assert len({*table.clusters[""]}) == 14


@pytest.mark.parametrize(
    "name_cluster",
    [lambda subject, passage: 10 * subject + passage, lambda s, p: f"p{p}"],
)
def test_others_are_not(tmp_path, name_cluster):
    path = write(tmp_path / "a.csv", name_cluster)
    table = scores(path, cluster="passage", item="question")
    assert not any("counted anew" in x for x in table.notes)
