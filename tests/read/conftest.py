"""Files to read, and the command."""

import pytest

from sigarray._cli.main import main


@pytest.fixture
def write(tmp_path):
    """Write a file, and give its path."""

    def write(content, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def run(capsys):
    """Run the command: its exit code, and what it printed to either output."""

    def run(*arguments):
        code = main(arguments)
        output = capsys.readouterr()
        return code, output.out, output.err

    return run
