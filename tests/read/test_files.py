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


def test_names_of_hubs_have_slashes(write, tmp_path, monkeypatch):
    a, b = write("acc\n1\n", "x.csv"), write("acc\n2\n", "y.csv")
    (tmp_path / "lr=0.1").mkdir()
    (tmp_path / "lr=0.1" / "z.csv").write_text("acc\n3\n")
    monkeypatch.chdir(tmp_path)
    table = read.scores(f"lab/new model={a}", f"lab/x=y={b}", "lab/z=lr=0.1/z.csv")
    assert table.models == ("lab/new model", "lab/x=y", "lab/z")
    for path in ("/lr=0.1/none.csv", "a/lr=none.csv"):
        with pytest.raises(TableError, match=f"{path}"):
            read.scores(path)
    with pytest.raises(TableError, match=r"(?<!=)none.csv"):
        read.scores("a=none.csv")


# Folders of lm_eval: /me/ckpt, ./ckpt, ../ckpt and _/x; and what is of no model.
KEPT = ("__me__ckpt", ".__ckpt", "..__ckpt", "_x", "__x", "a")
HIDDEN = ("__MACOSX", "__pycache__", ".cache", ".git", ".ipynb_checkpoints")


@pytest.mark.parametrize("of_file", ["__me__{}.csv", "{}/x.csv"])
def test_only_hidden_files_are_left_out_of_folders(tmp_path, of_file):
    names = KEPT if of_file[0] == "{" else ("a", "b")
    for k, name in enumerate(names):
        path = tmp_path / of_file.format(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"acc\n{k}\n{k + 1}\n")
        path.with_name(f"._{path.name}").write_bytes(b"\0\5")
    for name in HIDDEN:
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.csv").write_text("acc\n1\n")
    table = read.scores(tmp_path)
    models = names if of_file[0] == "{" else ("__me__a", "__me__b")
    assert sorted(table.models) == sorted(models)


@pytest.mark.parametrize("name", HIDDEN)
def test_a_folder_of_hidden_files_names_them(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "x.csv").write_text("model,acc\na,1\nb,2\na,2\nb,3\n")
    said = rf"got '{name}/x.csv', which are left out in folders: name those to read"
    with pytest.raises(TableError, match=said):
        read.scores(tmp_path)
    assert read.scores(tmp_path / name / "x.csv").models == ("a", "b")
    assert read.scores(tmp_path / name).models == ("a", "b")


def test_the_folder_one_is_in_is_one_of_several(tmp_path, monkeypatch):
    """It ended in a traceback, for "." has no name."""
    for k, model in enumerate("abab"):
        (tmp_path / model).mkdir(exist_ok=True)
        (tmp_path / model / f"seed{k}.json").write_text(f'{{"acc": 0.{k + 1}}}')
    monkeypatch.chdir(tmp_path / "a")
    found = read.scores(".", "../b", unit="run").tasks[""]
    assert {x: [*map(float, y)] for x, y in found.items()} == {
        "a": [0.1, 0.3],
        "b": [0.2, 0.4],
    }


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
