"""What a pipe brings, and what no file and no pipe mean, in processes of their own."""

import subprocess
import sys

import pytest

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

    @pytest.mark.long
    @pytest.mark.parametrize("nothing", [{}, {"input": ""}])
    def test_nothing_gives_the_example(self, nothing):
        done = compare(**nothing)
        assert done.returncode == 0, done.stderr
        assert "example" in done.stderr

    @pytest.mark.parametrize(
        "nothing", [{}, pytest.param({"input": ""}, marks=pytest.mark.long)]
    )
    def test_no_gate_is_passed_by_an_example(self, nothing):
        done = compare("--fail-unless-better", "mlp", **nothing)
        refuse(done, "--fail-unless-better", "FILE")

    def test_a_gate_judges_the_pipe(self):
        done = compare("--fail-unless-better", "nobody", input=SCORES)
        refuse(done, "nobody", "mine")
