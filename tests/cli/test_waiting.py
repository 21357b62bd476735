"""What takes long is said beforehand, and ends in one line when it is interrupted."""

import contextlib
import itertools
import signal
import subprocess
import sys

import numpy as np
import pytest

from sigarray import aso
from sigarray._cli import running
from sigarray.read import _messages
from sigarray.report._rendering import STYLES

COMMAND = [sys.executable, "-m", "sigarray"]


class TestWaiting:
    @pytest.mark.long
    def test_what_takes_long_is_said_beforehand(self, write, run, monkeypatch):
        path = write("a,b\n1,2\n3,4\n2,2\n")
        for arguments, task in (
            (["compare", path], "almost stochastic order of 2 models"),
            (["compare", path, "--test", "t"], "t for 1 pair takes"),
            (["compare", path, "--test", "permutation"], "fewer --n-resamples"),
            (["responses", "--n-resamples", "9"], "wins_mae of 9 resamples takes"),
            (
                ["study", "--n-sets", "2", "--n-items", "2", "--n-resamples", "2"],
                "a study of 24 p-values takes",
            ),
            (["power", path], "power of aso for 2 models and 1 pair"),
        ):
            with monkeypatch.context() as patch:
                # A machine with other work takes its time.
                patch.setattr(_messages, "_LONG", 60.0)
                assert "Faster" not in run(*arguments)[2]
                patch.setattr(_messages, "_LONG", 0.0)
                _, out, err = run(*arguments)
            assert task in err
            assert "Faster: " in err
            assert "note" not in out

    def test_what_takes_long_is_told_who_listens(self, capsys):
        said = []
        _messages.announce("Nothing", 4000.0, "Nobody listens.")
        with _messages.heard_by(
            _messages.Listener(said.append, lambda steps, _: iter(steps))
        ):
            _messages.announce("This", 0.9, "")
            _messages.announce("That", 42.0, "Do less.")
            _messages.announce("All", 4000.0, "Do less.")
            _messages.announce("It", 1e5, "Do less.")
        assert said == [
            "That takes about 40 seconds. Do less.",
            "All takes about 70 minutes. Do less.",
            "It takes about 30 hours. Do less.",
        ]
        assert capsys.readouterr().err == ""

    def test_progress_is_for_terminals(self, monkeypatch, capsys):
        assert list(running.track("abc", "Pair")) == ["a", "b", "c"]
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        # Not before a second has passed.
        assert list(running.track("abc", "Pair")) == ["a", "b", "c"]
        assert capsys.readouterr().err == ""
        times = itertools.count(0, 10)
        monkeypatch.setattr(running.time, "monotonic", lambda: float(next(times)))
        steps = running.track("abc", "Pair")
        assert list(steps) == ["a", "b", "c"]
        shown = capsys.readouterr().err
        assert "Pair 1 of 3, about 40 seconds left" in shown
        assert shown.endswith("\r\x1b[K")
        steps = running.track("abc", "Pair")
        next(steps)
        steps.close()
        assert capsys.readouterr().err.endswith("\r\x1b[K")
        with running.quiet(True):
            assert list(running.track("abc", "Pair")) == ["a", "b", "c"]
        assert capsys.readouterr().err == ""

    def test_progress_of_a_single_computation(self, monkeypatch, capsys):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        # Ten seconds pass between any two looks.
        times = itertools.count(0, 10)
        monkeypatch.setattr(running.time, "monotonic", lambda: float(next(times)))
        a, b = np.random.default_rng(0).normal(size=(2, 3000))
        with running.watch():
            aso(a, b, rng=0, n_resamples=10_000)
        assert "of 10000" in capsys.readouterr().err

    def test_an_interrupt_is_one_line(self, monkeypatch, run):
        def interrupt(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("sigarray._cli.files.read_sources", interrupt)
        assert run("compare", "x.csv") == (130, "", "sigarray: interrupted\n")

    @pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
    def test_control_c_at_a_waiting_process(self):
        # Jobs in the background would ignore the signal.
        script = (
            "import signal, sys; from sigarray._cli.main import main; "
            "signal.signal(signal.SIGINT, signal.default_int_handler); "
            "options = ['--test', 'aso', '--lift', '1.01', '--n-samples', '1000']; "
            "sys.exit(main(['power', *options]))"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert "no FILE given" in process.stderr.readline()
        assert "power of aso" in process.stderr.readline()
        # Python loses a signal that comes while it frees an object, now and then.
        for _ in range(6):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                _, err = process.communicate(timeout=10)
                break
        assert process.returncode == 130
        assert err.endswith("sigarray: interrupted\n"), err

    @pytest.mark.parametrize("style", STYLES)
    def test_a_closed_output_is_one_line(self, style):
        process = subprocess.run(
            f"{' '.join(COMMAND)} correct --format {style} >&-",
            shell=True,
            check=False,
            capture_output=True,
            text=True,
            input="0.1\n",
        )
        assert process.returncode == 1
        (line,) = process.stderr.splitlines()
        assert line.endswith("cannot be written: standard output is closed.")

    def test_warnings_do_not_go_to_the_output(self):
        process = subprocess.run(
            f"{' '.join(COMMAND)} compare - 2>&-",
            shell=True,
            check=True,
            capture_output=True,
            text=True,
            input="a,b\n1,2\n2,3\n",
        )
        assert "warning" not in process.stdout

    def test_one_run_is_one_warning(self, write, run):
        _, _, err = run("compare", write("a,b,c\n1,2,3\n2,,\n"), "--format", "json")
        note, warning = err.splitlines()
        assert note.endswith("left out: 1 of 'b', 1 of 'c'.")
        assert warning.startswith("sigarray: warning: 1 to 2 scores of each of 3 mod")
