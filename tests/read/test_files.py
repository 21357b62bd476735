"""Which files there are to read, and their names."""

import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._files import list_tree
from tests.read.long_tables import as_lists


def test_names_for_files(write, tmp_path):
    a, b = write("acc\n1\n", "x.csv"), write("acc\n2\n", "y.csv")
    table = read.scores(f"new model={a}", f"old={b}")
    assert as_lists(table) == {"": {"new model": [1], "old": [2]}}
    with pytest.raises(TableError, match=r"each file once; got .*x.csv twice"):
        read.scores(a, a)


def test_nothing_to_read(tmp_path):
    (tmp_path / "a.png").write_bytes(b"x")
    with pytest.raises(TableError, match=r"files of scores.*; got 'a.png'"):
        read.scores(tmp_path)


class TestFoldersOfSeveralModels:
    """lm_eval writes a folder for each model into one output folder."""

    def write_samples(self, folder, *folders):
        for k, name in enumerate(folders):
            (folder / name).mkdir(parents=True)
            lines = [
                f'{{"doc_id": {i}, "filtered_resps": [], "acc": {(i + k) % 2}}}\n'
                for i in range(8)
            ]
            path = folder / name / f"samples_arc_2026-11-20T10-11-1{k}.123456.jsonl"
            path.write_text("".join(lines))

    def test_each_is_a_model_beside_other_folders(self, tmp_path, monkeypatch):
        self.write_samples(tmp_path, "ours/lab__a", "ours/lab__b", "others/lab__a")
        monkeypatch.chdir(tmp_path)
        table = read.scores("ours", "others")
        assert table.models == ("ours/lab__a", "ours/lab__b", "others")
        # A model with averages alone is not left out silently.
        (tmp_path / "ours" / "lab__c").mkdir()
        document = '{"lm_eval_version": "0.4.9", "results": {"arc": {"acc,none": 0.5}}}'
        path = tmp_path / "ours" / "lab__c" / "results_2026-11-20T10-11-12.123456.json"
        path.write_text(document)
        with pytest.raises(TableError, match="got none of 'lab__c'"):
            read.scores("ours", "others")

    def test_folders_of_runs_are_asked_about(self, tmp_path, monkeypatch):
        self.write_samples(tmp_path, "a/seed1", "a/seed2", "b/x")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(
            TableError, match=r"one file of 'a' on arc; .* are runs: a=a"
        ):
            read.scores("a", "b")

    def test_of_deeper_folders_the_error_has_the_line(self, tmp_path, monkeypatch):
        self.write_samples(tmp_path, "lm/ours/a", "lm/ours/b", "lm/others/a")
        monkeypatch.chdir(tmp_path)
        line = "lm/others/a lm/ours/a lm/ours/b"
        with pytest.raises(TableError, match=rf"one file of 'ours' .*: {line}\.$"):
            read.scores("lm")
        names = ("others/a", "ours/a", "ours/b")
        assert read.scores(*line.split()).models == names


def test_links_to_folders_are_followed(tmp_path):
    for model in ("a", "b"):
        (tmp_path / "all" / model).mkdir(parents=True)
        (tmp_path / "all" / model / "x.csv").write_text("acc\n1\n2\n")
        (tmp_path / "all" / model / "again").symlink_to(tmp_path / "all")
    (tmp_path / "some").mkdir()
    for model in ("a", "b"):
        (tmp_path / "some" / model).symlink_to(tmp_path / "all" / model)
    found = {x.relative_to(tmp_path).as_posix() for x in list_tree(tmp_path / "some")}
    assert {"some/a/x.csv", "some/b/x.csv"} <= found
    assert len(list_tree(tmp_path / "all")) == 2
