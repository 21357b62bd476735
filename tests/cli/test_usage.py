"""What the command says of arguments that it does not understand."""

import shlex

import pytest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("compare", "--base", "a"),
            "Expected options of sigarray compare; got --base. Did you mean "
            "--baseline? See: sigarray compare --help",
        ),
        (
            ("compare", "--basline=a"),
            "Expected options of sigarray compare; got --basline. Did you mean "
            "--baseline? See: sigarray compare --help",
        ),
        (("compare", "--n", "3"), "Did you mean --no-correction or --n-resamples?"),
        (
            ("compare", "--bogus"),
            "Expected options of sigarray compare; got --bogus. See: sigarray compare "
            "--help",
        ),
        (
            ("compare", "--test", "permutaton"),
            "Expected --test to be aso, bootstrap, permutation, mann-whitney, "
            "brunner-munzel or t; got 'permutaton'. Did you mean permutation? See:",
        ),
        (
            ("compare", "--unit", "fold"),
            "Expected --unit to be run, item, cluster or run,item; got 'fold'. See:",
        ),
        (("compare", "--test", "t-test"), "got 't-test'. Did you mean t? See:"),
        (("compare", "--test", "wilcoxon"), "Over tasks, Wilcoxon's test is there by"),
        (("compare", "--format", "tex"), "got 'tex'. Did you mean latex? See:"),
        (("compare", "--format", "MD"), "got 'MD'. Did you mean markdown? See:"),
        (("compare", "--format", "jsn"), "got 'jsn'. Did you mean json? See:"),
        (("compare", "--threshold", "x"), "Expected --threshold to be a number; got"),
        (("compare", "--seed", "1.5"), "Expected --seed to be a whole number; got"),
        (("compare", "--baseline"), "Expected a value behind --baseline; got none."),
        (("compare", "--paired=3"), "Expected --paired alone; got '3'."),
        (
            ("compare", "--columns", "a", "--ignore", "b"),
            "Expected --columns or --ignore; got both.",
        ),
        (
            ("compare", "x.csv", "--paired", "y.csv"),
            "Expected files next to each other, before or behind all options, and "
            "commas between values of an option; got 'y.csv' apart from them.",
        ),
        (("study", "x.csv"), "Expected options of sigarray study alone; got 'x.csv'."),
        (("study", "--metric"), "Expected one value or more behind --metric; got none"),
        (("comparee",), "got 'comparee'. Did you mean compare? See: sigarray --help"),
        ((), "Expected a COMMAND; got none. See: sigarray --help"),
        *(
            (
                (x, "compare"),
                f"Expected a COMMAND first, and options behind it; got {x[:6]}",
            )
            for x in ("--basline", "--vers", "-q", "--baseline=x")
        ),
        (
            ("compare", "x.csv", "--plot", "x.pdf", "--plot=x.png"),
            "Expected --plot once; got it twice. See: sigarray compare --help",
        ),
        (
            ("power", "--ignore", "a", "x.csv", "--ignore", "b"),
            "Expected --ignore once, with commas between names; got it twice. See: ",
        ),
        (("correct", "--alpha", ".1", "--alpha", ".1"), "--alpha once; got it twice"),
    ],
)
def test_usage_errors_are_plain(run, capsys, arguments, said):
    with pytest.raises(SystemExit) as stop:
        run(*arguments)
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("sigarray: error: ")
    assert said in line
    assert line.endswith("--help")


@pytest.mark.parametrize("command", ["compare", "power", "correct", "responses"])
def test_options_do_not_stand_for_longer_ones(run, capsys, command):
    """`--base` would change its meaning with the next option that begins so."""
    with pytest.raises(SystemExit):
        run(command, "--alph", "0.05")
    assert "got --alph. Did you mean --alpha?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["my scores.csv", "x.JSONL", "scores"])
def test_a_file_without_a_command(run, capsys, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores").write_text("a,b\n")
    with pytest.raises(SystemExit):
        run(name)
    said = f"Did you mean sigarray compare {shlex.quote(name)}? See"
    assert said in capsys.readouterr().err
