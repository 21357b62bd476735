"""What is refused or asked about, as users meet it: files, the command, its code."""

import subprocess
import sys

import pytest

LOSS = "model,seed,loss\n" + "".join(
    f"{model},{k},{score + k / 100}\n"
    for model, score in (("a", 0.5), ("b", 0.9))
    for k in range(6)
)
SCORES = "mine,theirs\n0.91,0.71\n0.92,0.72\n0.93,0.74\n0.94,0.73\n0.95,0.75\n"
COMMAND = (sys.executable, "-m", "sigarray", "compare")


def compare(*arguments, **options):
    options = {"stdin": subprocess.DEVNULL} | options
    if "input" in options:
        del options["stdin"]
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


def refuse(done, *words):
    """Expect a refusal that says so, without a number."""
    assert done.returncode == 2, done.stderr
    assert not done.stdout
    for word in words:
        assert word in done.stderr


class TestStandardInput:
    def test_a_pipe_is_read(self):
        done = compare(input=SCORES)
        assert done.returncode == 0, done.stderr
        assert "mine" in done.stdout
        assert "example" not in done.stderr
        assert done.stdout == compare("-", input=SCORES).stdout

    def test_a_file_is_read(self, tmp_path):
        (tmp_path / "f.csv").write_text(SCORES)
        with open(tmp_path / "f.csv") as file:
            done = compare(stdin=file)
        assert done.returncode == 0, done.stderr
        assert "mine" in done.stdout

    @pytest.mark.parametrize("nothing", [{}, {"input": ""}])
    def test_nothing_gives_the_example(self, nothing):
        done = compare(**nothing)
        assert done.returncode == 0, done.stderr
        assert "example" in done.stderr

    @pytest.mark.parametrize("nothing", [{}, {"input": ""}])
    def test_no_gate_is_passed_by_an_example(self, nothing):
        done = compare("--fail-unless-better", "mlp", **nothing)
        refuse(done, "--fail-unless-better", "FILE")

    def test_a_gate_judges_the_pipe(self):
        done = compare("--fail-unless-better", "nobody", input=SCORES)
        refuse(done, "nobody", "mine")


class TestDirection:
    def test_a_gate_on_a_loss_asks(self, tmp_path):
        path = tmp_path / "f.csv"
        path.write_text(LOSS)
        gate = "--fail-unless-better"
        refuse(compare(path, gate, "b"), "--lower-is-better", "--higher-is-better")
        assert compare(path, gate, "b", "--higher-is-better").returncode == 0
        assert compare(path, gate, "b", "--lower-is-better").returncode == 1

    @pytest.mark.parametrize(
        "metric",
        ["bits_per_byte", "total cost", "energy", "flops", "rank", "objective"],
    )
    def test_other_names_of_losses(self, tmp_path, metric):
        path = tmp_path / "f.csv"
        path.write_text(LOSS.replace("loss", metric))
        refuse(compare(path, "--fail-unless-better", "b"), metric, "--lower-is-better")

    def test_a_reciprocal_rank_is_none(self, tmp_path):
        path = tmp_path / "f.csv"
        path.write_text(LOSS.replace("loss", "mean_reciprocal_rank"))
        assert compare(path, "--fail-unless-better", "b").returncode == 0


class TestRowsOfMeans:
    @pytest.mark.parametrize("label", ["mean", "std", "Avg", "average", "±"])
    @pytest.mark.parametrize("column", ["seed", "note"])
    def test_their_label_counts_where_it_is_left_out(self, tmp_path, label, column):
        rows = "".join(f"{k},0.9{k},0.7{k}\n" for k in range(6))
        path = tmp_path / "f.csv"
        path.write_text(f"{column},a,b\n{rows}{label},0.93,0.73\n")
        refuse(compare(path, "--ignore", column), repr(label), "line 8")

    @pytest.mark.parametrize("name", ["average", "mean", "std", "best"])
    def test_a_model_of_that_name_is_asked_about(self, tmp_path, name):
        rows = "".join(
            f"{m},{k},0.{n}{k}\n" for m, n in ((name, 7), ("b", 9)) for k in "1234"
        )
        path = tmp_path / "f.csv"
        path.write_text(f"model,seed,acc\n{rows}")
        refuse(compare(path), f"expected a model; got '{name}'", "--columns")
        assert compare(path, "--columns", f"{name},b").returncode == 0

    @pytest.mark.parametrize("has_deviations", [False, True])
    def test_means_without_a_label(self, tmp_path, has_deviations):
        scores = [
            (0.812, 0.7),
            (0.834, 0.75),
            (0.79, 0.71),
            (0.805, 0.78),
            (0.85, 0.72),
        ]
        rows = [*scores, tuple(sum(x) / 5 for x in zip(*scores, strict=True))]
        rows += [(0.0236, 0.0319)] * has_deviations
        path = tmp_path / "f.csv"
        path.write_text("a,b\n" + "".join(f"{x:.4f},{y:.4f}\n" for x, y in rows))
        refuse(compare(path), "score of each model", "the means of the 5 above")
        refuse(compare(path, "--columns", "a,b"), "--unit run")
        assert compare(path, "--unit", "run").returncode == 0
        path.write_text("a,b\n" + "".join(f"{x:.4f},{y:.4f}\n" for x, y in scores))
        assert compare(path).returncode == 0
