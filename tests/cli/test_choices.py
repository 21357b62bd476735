"""The names that options take are those of the library, which `--help` does without."""

import subprocess
import sys

import pytest

from sigarray._backend.checks import ALTERNATIVES, MAX_REPLICATES
from sigarray._cli import correct, samplers
from sigarray._cli.main import _COMMANDS
from sigarray._cli.options import choices
from sigarray._verdicts import aggregates, asked, pair_options, picture_files, request
from sigarray.read._alignment import UNITS
from sigarray.read._missing import TREATMENTS
from sigarray.read._sums import METRICS as STATISTICS
from sigarray.report._rendering import STYLES
from sigarray.responses._models import MODELS
from sigarray.responses._pools import RESPONSE_SAMPLERS
from sigarray.responses._sampling import ITEM_SAMPLERS
from sigarray.responses.metrics import METRICS

SOURCES = {
    "TESTS_OF_PAIRS": pair_options.TESTS,
    "METHODS_OF_TESTS": asked.METHODS,
    "THRESHOLD": request.ORDERS.threshold,
    "CONFIDENCE_LEVEL": request.ORDERS.confidence_level,
    "ALPHA": asked.ALPHA,
    "UNITS": UNITS,
    "TREATMENTS": TREATMENTS,
    "STATISTICS": tuple(STATISTICS),
    "AGGREGATES": aggregates.AGGREGATES,
    "STYLES": STYLES,
    "PICTURES": picture_files.PICTURES,
    "MAX_RESAMPLES": MAX_REPLICATES - 1,
    "CORRECTIONS": tuple(correct._METHODS),
    "METRICS": tuple(METRICS),
    "MODELS": tuple(MODELS),
    "ITEMS": ITEM_SAMPLERS,
    "RESPONSES": RESPONSE_SAMPLERS,
    "ALTERNATIVES": ALTERNATIVES,
}


def test_choices_are_those_of_the_library():
    named = {name: value for name, value in vars(choices).items() if name.isupper()}
    assert named == SOURCES


def test_ways_to_resample_have_words():
    assert tuple(samplers.ITEMS) == ITEM_SAMPLERS
    assert tuple(samplers.RESPONSES) == RESPONSE_SAMPLERS


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
