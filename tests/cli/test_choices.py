"""The names that options take are those of the library, which `--help` does without."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sigarray._backend.checks import ALTERNATIVES, MAX_REPLICATES
from sigarray._cli import options as shared
from sigarray._cli import responses, running
from sigarray._cli.main import _COMMANDS, _build_parser, main
from sigarray._verdicts import (
    aggregate_tests,
    asked,
    page,
    request,
)
from sigarray.read._alignment import UNITS
from sigarray.read._missing import TREATMENTS
from sigarray.read._sums import METRICS as STATISTICS
from sigarray.report._rendering import STYLES
from sigarray.responses._models import MODELS
from sigarray.responses._sampling import ITEM_SAMPLERS, RESPONSE_SAMPLERS
from sigarray.responses.metrics import METRICS

SOURCES = {
    "TESTS_OF_PAIRS": asked.TESTS,
    "METHODS_OF_TESTS": asked.METHODS,
    "THRESHOLD": request.ORDERS.threshold,
    "CONFIDENCE_LEVEL": request.ORDERS.confidence_level,
    "ALPHA": asked.ALPHA,
    "UNITS": UNITS,
    "TREATMENTS": TREATMENTS,
    "STATISTICS": tuple(STATISTICS),
    "AGGREGATES": aggregate_tests.AGGREGATES,
    "STYLES": STYLES,
    "PICTURES": page.PICTURES,
    "MAX_RESAMPLES": MAX_REPLICATES - 1,
    "CORRECTIONS": tuple(responses._METHODS),
    "METRICS": tuple(METRICS),
    "MODELS": tuple(MODELS),
    "ITEMS": ITEM_SAMPLERS,
    "RESPONSES": RESPONSE_SAMPLERS,
    "ALTERNATIVES": ALTERNATIVES,
}


def test_choices_are_those_of_the_library():
    named = {name: value for name, value in vars(shared).items() if name.isupper()}
    own = {"FILE_OF_SCORES", *(name for name in named if name.startswith("_"))}
    assert {name: named[name] for name in named.keys() - own} == SOURCES


def test_ways_to_resample_have_words():
    assert tuple(running.ITEMS) == ITEM_SAMPLERS
    assert tuple(running.RESPONSES) == RESPONSE_SAMPLERS


@pytest.mark.parametrize("command", _COMMANDS)
def test_help_starts_without_numpy(command):
    code = (
        "import sys\n"
        "from sigarray._cli.main import main\n"
        "try:\n"
        f"    main(['{command}', '--help'])\n"
        "except SystemExit:\n"
        "    assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("command", _COMMANDS)
def test_help_fits_one_screen_and_names_every_option(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([command, "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    said = {x for line in lines for x in re.findall(r"--[a-z][a-z-]*", line)}
    parser = _build_parser([command]).parse_args([command]).parser
    every = {x for x in parser._option_string_actions if x[:2] == "--"}
    assert every - {"--help"} <= said
    page = (Path(__file__).parents[2] / "docs" / "command.md").read_text(
        encoding="utf-8"
    )
    shared = every & {"--ignore", "--workers", "--higher-is-better"}
    assert all(f"`{x}`" in page for x in shared)


def test_metrics_are_named_behind_either_direction(write, run):
    rows = "".join(f"{m},{k},{k + j}\n" for j, m in enumerate("ab") for k in range(5))
    path = write(f"model,seed,acc\n{rows}")
    higher = ["--higher-is-better", "acc", path], ["--higher-is-better", path]
    found = [run("compare", *x, "--quiet") for x in higher]
    assert found[0][:2] == found[1][:2]
    assert found[0][0] == 0
    code, _, err = run("compare", "--higher-is-better", "acc,f1")
    assert code == 2
    assert "a FILE with metrics for --higher-is-better acc,f1; got none" in err


def test_a_confidence_is_no_level(run, capsys):
    with pytest.raises(SystemExit):
        run("compare", "--test", "t", "--alpha", "0.95")
    assert "expected a number in (0, 0.5]; got 0.95" in capsys.readouterr().err


def test_a_margin_needs_not_four_times_as_many_scores_of_half_a_difference(run, write):
    rows = [f"{0.5 + 0.1 * (k % 3)},{0.4 + 0.1 * (k % 4)}" for k in range(12)]
    path = write("\n".join(["a,b", *rows, ""]))
    options = ("power", path, "--test", "t", "--unit", "run", "--n-samples", "20")
    said = "half the difference needs four times as many"
    assert said in " ".join(run(*options)[1].split())
    assert said not in " ".join(run(*options, "--margin", "0.2")[1].split())
