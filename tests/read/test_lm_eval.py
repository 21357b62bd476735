"""Files of lm-evaluation-harness: the numbers are its own."""

import json
import shutil
from pathlib import Path

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import parse, refuse
from tests.read.long_tables import as_lists
from tests.read.tool_files import FILES, means

LM_EVAL = FILES / "lm_eval"


@pytest.fixture
def write_ppl(tmp_path):
    """Write a folder of samples of the metric perplexity, with results beside."""

    def write_folder(values):
        beside = {"higher_is_better": {"lambada": {"perplexity": False}}}
        for model, of_model in values.items():
            folder = tmp_path / "out" / model
            folder.mkdir(parents=True)
            lines = [
                {"doc_id": k, "filtered_resps": [], "filter": "none", "perplexity": x}
                for k, x in enumerate(of_model)
            ]
            text = "\n".join(map(json.dumps, lines))
            (folder / "samples_lambada.jsonl").write_text(text)
            (folder / "results_1.json").write_text(json.dumps(beside))
        return str(tmp_path / "out")

    return write_folder


class TestLmEval:
    NAMES = ("toy-org__model-a", "toy-org__model-b")

    @pytest.mark.parametrize(
        ("task", "metric"),
        [
            ("toy_mc", "acc"),
            ("toy_mc", "acc_norm"),
            ("toy_arith", "exact_match,strict-match"),
            ("toy_arith", "exact_match,flexible-extract"),
            ("toy_qa", "token_f1"),
        ],
    )
    def test_averages_are_those_of_the_harness(self, task, metric):
        for name in self.NAMES:
            table = read.scores(LM_EVAL / name, metric=metric, tasks=[task])
            (path,) = (LM_EVAL / name).glob("results_*.json")
            results = json.loads(path.read_text())["results"][task]
            key = metric if "," in metric else f"{metric},none"
            assert means(table, task) == {name: pytest.approx(results[key])}
            assert table.unit == "item"

    def test_models_are_paired_by_document(self):
        folders = [LM_EVAL / name for name in self.NAMES]
        with pytest.raises(TableError, match=r"'toy-org__model-b' lacks 1 \('5'\)"):
            read.scores(*folders, metric="acc")
        table = read.scores(*folders, metric="acc", drop_unmatched=True)
        assert table.is_paired
        ids = table.ids["toy_mc"]
        assert len(set(ids.values())) == 1
        assert "5" not in ids[self.NAMES[0]]
        assert len(ids[self.NAMES[0]]) == 11
        assert any(
            "'toy-org__model-b' lacks 1 ('5'); left out" in x for x in table.notes
        )

    @pytest.mark.parametrize("of_parent", [True, False])
    def test_a_model_without_samples_is_named(self, tmp_path, of_parent):
        """Tasks of the other one would be taken for models."""
        for name in self.NAMES:
            shutil.copytree(LM_EVAL / name, tmp_path / name)
        for path in (tmp_path / self.NAMES[1]).glob("samples_*"):
            path.unlink()
        sources = [tmp_path] if of_parent else [tmp_path / x for x in self.NAMES]
        said = r"got none of 'toy-org__model-b', .* Run lm_eval with --log_samples"
        with pytest.raises(TableError, match=said):
            read.scores(*sources, metric="acc")

    def test_what_a_document_says_is_a_column(self, tmp_path):
        """Questions of one passage are a cluster, which only `doc` names."""
        for name in self.NAMES:
            (path,) = (LM_EVAL / name).glob("samples_toy_qa_*")
            lines = [json.loads(x) for x in path.read_text("utf-8").splitlines()]
            for x in lines:
                x["doc"]["passage"] = f"p{x['doc_id'] // 2}"
            text = "\n".join(map(json.dumps, lines))
            (tmp_path / name).mkdir()
            (tmp_path / name / path.name).write_text(text, "utf-8")
        said = {"metric": "token_f1", "drop_unmatched": True}
        items = read.scores(tmp_path, **said)
        clusters = read.scores(
            tmp_path, cluster="doc.passage", **said | {"unit": "cluster"}
        )
        assert clusters.unit == "cluster"
        assert means(clusters) == pytest.approx(means(items))
        ids = {int(x) // 2 for x in items.ids["toy_qa"][self.NAMES[0]]}
        assert clusters.ids["toy_qa"][self.NAMES[0]] == tuple(
            f"p{k}" for k in sorted(ids)
        )
        some = read.scores(tmp_path, where={"doc.passage": ["p0", "p1"]}, **said)
        assert len(some.scores[self.NAMES[0]]) <= 4

    def test_another_document_of_the_same_number_is_an_error(self):
        folders = [LM_EVAL / self.NAMES[0], LM_EVAL / "toy-org__model-b-unsorted"]
        with pytest.raises(TableError, match=r"one text.* pass item='doc_hash'"):
            read.scores(*folders, metric="acc", drop_unmatched=True)
        joined = read.scores(
            *folders, metric="acc", item="doc_hash", drop_unmatched=True
        )
        right = [LM_EVAL / name for name in self.NAMES]
        assert sorted(means(joined).values()) == sorted(
            means(read.scores(*right, metric="acc", drop_unmatched=True)).values()
        )

    def test_files_without_a_folder(self):
        paths = [next((LM_EVAL / x).glob("samples_toy_mc_*")) for x in self.NAMES]
        table = read.scores(*paths, metric="acc", drop_unmatched=True)
        assert table.models == self.NAMES
        assert list(table.tasks) == ["toy_mc"]
        named = [f"{x}={path}" for x, path in zip("ab", paths, strict=True)]
        named = read.scores(*named, metric="acc", drop_unmatched=True)
        assert named.models == ("a", "b")
        assert list(means(named).values()) == list(means(table).values())

    def test_samples_without_the_hash_of_their_document(self, tmp_path):
        paths, bare = [], []
        for name in self.NAMES:
            path = next((LM_EVAL / name).glob("samples_toy_mc_*"))
            records = [json.loads(x) for x in path.read_text("utf-8").splitlines()]
            for record in records:
                del record["doc_hash"]
            (tmp_path / name).mkdir()
            lines = "\n".join(json.dumps(x) for x in records)
            (tmp_path / name / path.name).write_text(lines, "utf-8")
            paths.append(path)
            bare.append(tmp_path / name / path.name)
        options = {"metric": "acc", "drop_unmatched": True}
        hashed, table = read.scores(*paths, **options), read.scores(*bare, **options)
        assert means(hashed) == means(table)
        assert table.is_paired

    def test_a_document_that_is_there_twice_is_an_error(self, tmp_path):
        """By one filter; another one gives more metrics of the same item."""
        line = '{{"doc_id": {}, "filter": "{}", "filtered_resps": [], "acc": {}}}'
        for model in ("a", "b"):
            (tmp_path / model).mkdir()
            rows = [(0, "none", 1.0), (1, "none", 0.0), (1, "none", 1.0)]
            path = tmp_path / model / "samples_toy.jsonl"
            path.write_text("\n".join(line.format(*x) for x in rows))
        with pytest.raises(TableError, match=r"line 3: expected one score .* item '1'"):
            read.scores(*(str(tmp_path / model) for model in ("a", "b")))

    def test_several_metrics_are_listed(self):
        with pytest.raises(TableError, match=r"got 'acc', 'acc_norm'\. Choose one"):
            read.scores(LM_EVAL / self.NAMES[0], tasks=["toy_mc"])

    def test_tasks_without_the_metric_are_named(self):
        table = read.scores(LM_EVAL / self.NAMES[0], metric="acc")
        assert list(table.tasks) == ["toy_mc"]
        note = (
            "task 'toy_arith', task 'toy_ppl', task 'toy_qa' left out, without metric "
            "'acc'. With --metric acc,exact_match,strict-match, each task has the "
            "first of these that it has"
        )
        assert note in table.notes

    def test_two_dated_files_of_one_task(self, tmp_path):
        source = next((LM_EVAL / self.NAMES[0]).glob("samples_toy_mc_*"))
        for date in ("2026-01-01T00-00-00.0", "2026-01-02T00-00-00.0"):
            path = tmp_path / "m" / f"samples_toy_mc_{date}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(source.read_bytes())
        with pytest.raises(TableError, match=r"one file of 'm' on toy_mc; got .* Pass"):
            read.scores(tmp_path / "m", metric="acc")

    def test_the_newest_of_dated_files_is_taken(self, tmp_path, run):
        """As tools of `lm_eval` do; both are read where the user names them."""
        source = next((LM_EVAL / self.NAMES[0]).glob("samples_toy_mc_*")).read_text()
        lines = source.splitlines()
        older = [x.replace('"acc": 1.0', '"acc": 0.0') for x in lines]
        for model, date, text in (
            ("m", "2026-01-01T00-00-00.0", older),
            ("m", "2026-01-02T00-00-00.0", lines),
            ("n", "2026-01-01T00-00-00.0", older),
        ):
            path = tmp_path / model / f"samples_toy_mc_{date}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(text))
        files = sorted(map(str, tmp_path.glob("*/*")))
        for sources in ([str(tmp_path)], files):
            table = read.scores(*sources, metric="acc")
            assert table.models == ("m", "n")
            assert table.scores["m"].mean() > table.scores["n"].mean()
        _, _, err = run("compare", *files, "--metric", "acc")
        assert "warning: older samples of the same model and task were left out" in err
        named = [f"{x}={file}" for x, file in zip("abc", files, strict=True)]
        assert read.scores(*named, metric="acc").models == ("a", "b", "c")

    def test_directions_are_those_of_the_harness(self):
        table = read.scores(LM_EVAL / self.NAMES[0], metric="answer_len")
        assert table.higher_is_better is False
        assert read.scores(LM_EVAL / self.NAMES[0], metric="acc").higher_is_better

    @pytest.mark.parametrize("metric", ["perplexity", "perplexity,none"])
    def test_perplexities_of_samples_are_log_likelihoods(self, write_ppl, run, metric):
        """The harness takes exp(-mean), so the model with the higher mean is better."""
        good = [-0.2 - k / 50 for k in range(20)]
        folder = write_ppl({"good": good, "bad": [x - 1 - x * x for x in good]})
        code, out, err = run("compare", folder, "--metric", metric)
        assert (code, "good is better than bad" in out) == (0, True)
        assert "higher log-likelihood is better" in out
        assert "perplexity of samples is the log-likelihood of each document" in err
        table = read.scores(folder, metric=metric)
        assert table.scores["good"].tolist() == good
        refuse(
            run("compare", folder, "--metric", metric, "--lower-is-better"),
            "direction of 'log-likelihood'",
            "Leave out --lower-is-better",
        )

    def test_perplexities_of_documents_are_what_they_say(self, write_ppl, run):
        many = [2 + k / 50 for k in range(20)]
        folder = write_ppl({"good": many, "bad": [x + x * x for x in many]})
        out = run("compare", folder, "--metric", "perplexity")[1]
        assert "lower perplexity is better" in out
        assert "good is better than bad" in out

    @pytest.mark.parametrize(
        ("metric", "numbers", "statistic"),
        [
            ("word_perplexity", "nll,words", ["perplexity"]),
            ("byte_perplexity", "nll,bytes", ["perplexity"]),
            ("bits_per_byte", "bits,bytes", ["ratio", "--lower-is-better"]),
        ],
    )
    def test_metrics_of_pairs_are_of_their_sums(self, run, metric, numbers, statistic):
        """The numbers are those of the harness."""
        folders = [str(LM_EVAL / x) for x in self.NAMES]
        columns = ",".join(f"{metric}.{x}" for x in numbers.split(","))
        said = f"--statistic {' '.join(statistic)} --score {columns}"
        refuse(run("compare", *folders, "--metric", metric), repr(metric), said)
        paths = [str(next(Path(x).glob("samples_toy_ppl_*"))) for x in folders]
        refuse(run("compare", *paths), "word_perplexity", "--statistic perplexity")
        options = ["--score", columns, "--format", "json"]
        scores = parse(run("compare", *paths, "--statistic", *statistic, *options))
        for folder in folders:
            (path,) = Path(folder).glob("results_*.json")
            known = json.loads(path.read_text())["results"]["toy_ppl"]
            mean = scores["models"][Path(folder).name]["mean"]
            assert mean == pytest.approx(known[f"{metric},none"], rel=1e-12)

    def test_a_metric_with_several_filters(self):
        match = r"one metric for metric='exact_match'; got 'exact_match,strict-match'"
        with pytest.raises(TableError, match=match):
            read.scores(LM_EVAL / self.NAMES[0], metric="exact_match")

    @pytest.mark.parametrize(
        ("metric", "taken"),
        [
            ("acc,none", "acc"),
            ("acc,exact_match,strict-match", "acc, exact_match,strict-match"),
            ("exact_match,strict-match,acc,none", "exact_match,strict-match, acc"),
            (["acc,none", "exact_match,strict-match"], "acc, exact_match,strict-match"),
        ],
    )
    def test_names_of_results_are_those_of_samples(self, metric, taken):
        """Also in lists, though names have commas, too."""
        tasks = ["toy_mc", "toy_arith"] if len(taken) > 3 else ["toy_mc"]
        table = read.scores(LM_EVAL / self.NAMES[0], metric=metric, tasks=tasks)
        assert set(table.metric.split(", ")) == set(taken.split(", "))
        assert len(table.tasks) == len(tasks)

    def test_errors_name_a_metric_that_can_be_passed(self, run):
        folder = str(LM_EVAL / self.NAMES[0])
        options = ["compare", folder, str(LM_EVAL / self.NAMES[1]), "--drop-unmatched"]
        for given in ("exact_match", "acc,exact_match", "acc,none,exact_match"):
            done = run(*options, "--metric", given)
            advised = given.replace("exact_match", "exact_match,strict-match")
            refuse(done, f"Name one of them, such as --metric {advised}.")
            assert run(*options, "--metric", advised)[0] == 0
        refuse(run(*options, "--metric", "ac,exact_mach"), "'token_f1'", "'exact_mach")
        said = "no task has metric 'exact_mach' (--metric). Did you mean 'exact_match'?"
        assert said in run(*options, "--metric", "acc,exact_mach")[2]
        results = [str(next((LM_EVAL / x).glob("results_*"))) for x in self.NAMES]
        done = run("compare", *results, "--metric", "exact_match", "--item", "task")
        refuse(done, "Name one of them, such as --metric exact_match,strict-match.")

    def test_the_filter_is_a_choice_of_rows(self, run):
        folders = [str(LM_EVAL / x) for x in self.NAMES]
        options = ["--metric", "exact_match", "--drop-unmatched"]
        table = read.scores(
            *folders,
            metric="exact_match",
            where={"filter": ["flexible-extract"]},
            drop_unmatched=True,
        )
        whole = read.scores(
            *folders, metric="exact_match,flexible-extract", drop_unmatched=True
        )
        assert as_lists(table) == as_lists(whole)
        results = [str(next((LM_EVAL / x).glob("results_*"))) for x in self.NAMES]
        samples = [str(x) for y in folders for x in Path(y).glob("samples_toy_a*")]
        where = ["--where", "filter=strict-match"]
        assert run("compare", *samples, *results, *options, *where)[0] == 0
        done = run("compare", *folders, *options, "--where", "filter=strict")
        refuse(done, "got 'strict'", "'strict-match', 'flexible-extract', 'none'")
        done = run("compare", *results, *options, *where)
        refuse(done, "has no column 'filter'")

    def test_the_metrics_of_each_task_are_named(self, run):
        """They differ, and toy_ppl has none."""
        said = (
            "toy_mc has 'acc', 'acc_norm'",
            "toy_arith has 'exact_match,strict-match', 'exact_match,flexible-extract'",
            "Pass one of each to --metric, with commas between them",
        )
        path = str(LM_EVAL / self.NAMES[0])
        refuse(run("compare", path), "Choose one, such as --metric")
        done = run("compare", path, "--metric", "accc")
        refuse(done, "got 'accc'. Did you mean 'acc'?", *said)

    @pytest.mark.parametrize("metric", ["f1,acc_norm,acc", "acc,f1", "f1,acc"])
    @pytest.mark.parametrize("task", ["toy_mc", "toy_"])
    def test_a_metric_that_no_task_has_is_noted(self, run, metric, task):
        """A list for many tasks was an error with some of them."""
        paths = [x for m in self.NAMES for x in (LM_EVAL / m).glob(f"samples_{task}*")]
        named = [f"{x.parent.name}={x}" for x in paths]
        done = run("compare", *named, "--metric", metric, "--drop-unmatched")
        said = "no task has metric 'f1' (--metric)."
        assert (done[0], said in done[2]) == (0, True), done[2]
        first = metric.removeprefix("f1,").split(",")[0]
        assert f"igher {first} is better" in done[1]
        done = run("compare", *named, "--metric", "f2,f1")
        refuse(done, "'acc_norm'")
        assert "f1" in done[2]

    def test_several_metrics_are_listed_in_words(self, run):
        folders = [str(LM_EVAL / x) for x in self.NAMES]
        metric = ("--metric", "acc,exact_match,strict-match")
        out = run("compare", *folders, *metric, "--drop-unmatched")[1]
        said = "igher exact_match (strict-match) and acc are better"
        assert f"h{said}, 2 of 4 tasks" in " ".join(out.split())
        assert f". H{said}. " in out
        paths = [str(next(Path(x).glob("samples_toy_mc_*"))) for x in folders]
        done = run("compare", *paths, "--metric", "acc,acc_norm")
        refuse(done, "of each task, the first that it has is taken")

    def test_results_beside_their_samples_are_not_noted(self, tmp_path):
        """Samples are read, of which these are the averages."""
        folder = LM_EVAL / self.NAMES[0]
        table = read.scores(folder, metric="acc")
        assert not any("left out: 'results" in x for x in table.notes)
        shutil.copytree(folder, tmp_path / "m")
        (tmp_path / "m" / "results_2020-01-01T00-00-00.0.json").write_text("{}")
        noted = read.scores(tmp_path / "m", metric="acc").notes
        said = "1 other file was left out: 'results_2020-01-01T00-00-00.0.json'"
        assert any(said in x for x in noted)

    def test_a_metric_that_no_task_has(self):
        match = r"metric to be one of 'exact_match,strict-match'.*'token_f1'.*; got 'x'"
        with pytest.raises(TableError, match=match):
            read.scores(LM_EVAL / self.NAMES[0], metric="x")

    def test_results_are_averages(self):
        (path,) = (LM_EVAL / self.NAMES[0]).glob("results_*.json")
        table = read.scores(path, metric="acc,none")
        assert read.scores(path, metric="acc").metric == "acc,none"
        # Not of the group, of which it is one.
        assert {task: means(table, task) for task in table.tasks} == {
            "toy_mc": {"toy-org/model-a": 0.75}
        }

    def test_averages_alone_are_no_scores_of_items(self, tmp_path, run):
        paths = [str(next((LM_EVAL / x).glob("results_*.json"))) for x in self.NAMES]
        done = run("compare", *paths, "--metric", "acc")
        refuse(done, "got one of each", "writes with --log_samples, or")
        assert "--item task" not in done[2]
        assert done[2].count("error") == 1
        refuse(run("compare", *paths), "These are averages", "samples_*.jsonl, which")
        document = {"lm_eval_version": "0.4.13", "model_name": "a", "results": {}}
        for k, model in enumerate("ab"):
            document["model_name"] = model
            document["results"] = {f"t{j}": {"acc,none": j + k} for j in range(6)}
            (tmp_path / f"{model}.json").write_text(json.dumps(document))
        refuse(
            run("compare", str(tmp_path)),
            "--log_samples",
            "pass --item task, without --task.",
        )
        del document["lm_eval_version"]
        document |= {"configs": {"t0": {"metric_list": [{"metric": "acc"}]}}}
        (tmp_path / "b.json").write_text(json.dumps(document | {"n-shot": {"t0": 0}}))
        refuse(
            run("compare", str(tmp_path)),
            "--log_samples",
            "pass --item task, without --task.",
        )
        table = read.scores(tmp_path, item="task")
        assert table.ids[""]["b"] == tuple(f"t{j}" for j in range(6))
        assert table.scores["b"].tolist() == [1, 2, 3, 4, 5, 6]


def test_averages_beside_samples_are_left_out():
    paths = sorted((LM_EVAL / "toy-org__model-a").glob("*toy_mc*.jsonl"))
    (averages,) = (LM_EVAL / "toy-org__model-a").glob("results_*.json")
    (other,) = (LM_EVAL / "toy-org__model-b").glob("*toy_mc_*.jsonl")
    options = {"metric": "acc", "drop_unmatched": True}
    alone = read.scores(f"a={paths[0]}", f"b={other}", **options)
    table = read.scores(f"a={paths[0]}", f"b={other}", averages, **options)
    assert as_lists(table) == as_lists(alone)
    said = "averages of lm-evaluation-harness beside its samples left out: "
    assert f"{said}{averages}" in table.notes
