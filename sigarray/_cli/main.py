"""The `sigarray` command: which model is better, from a table of scores."""

import argparse
import importlib
import io
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from sigarray import __version__
from sigarray._backend.workers import executed_by, nest_execution
from sigarray._cli.arguments import separate_files
from sigarray._cli.messages import complain, quiet, say, warnings_as_lines
from sigarray._cli.progress import track, watch
from sigarray._plain_text import show_controls
from sigarray._verdicts.notes import Listener, heard_by
from sigarray.report._rendering import Report, print_text, render

# Modules of this folder, which are imported when needed, and their help.
_COMMANDS = {
    "compare": "say which models of a table of scores are better",
    "power": "say whether there are enough runs",
    "correct": "correct p-values for their number",
    "responses": "say which of two systems is nearer to gold responses",
    "study": "say how good p-values from one test set are",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Return 0; 1 if `--verify` or `--fail-unless-better` fails, or the result cannot be
    written; 2 if the file or an option is wrong; 130 if it was interrupted.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _build_parser(given).parse_args(separate_files(given))
    options.command_line = shlex.join(["sigarray", *given])
    if sys.stdout is None or sys.stdout.closed:
        complain("error", "the result cannot be written: standard output is closed.")
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names that the terminal cannot show are shown by their code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        workers = getattr(options, "workers", None)
        with (
            warnings_as_lines(),
            quiet(options.quiet),
            heard_by(Listener(lambda text: complain("note", text), track)),
            executed_by(nest_execution(workers=workers)),
            watch(),
        ):
            report: Report = _find(options.command).run(options)
        if options.format == "text":
            print_text(report)
        else:
            print(render(report, options.format), end="")
        sys.stdout.flush()
        return report.exit_code
    except ValueError as error:
        complain("error", error)
        return 2
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except BrokenPipeError:
        # The reader, such as head, has closed the pipe; leave nothing to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        complain("error", f"the result cannot be written: {error.strerror}.")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    """A parser whose errors contain no control characters for a terminal."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and exit."""
        super().error(show_controls(message))


def _find(command: str) -> Any:
    """Return the module of a command."""
    return importlib.import_module(f"sigarray._cli.{command}")


def _build_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser; it stores the name of the command as `command`."""
    parser = _Parser(
        prog="sigarray", description="Is model A really better than model B?"
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    for name, said in _COMMANDS.items():
        if name not in arguments[:1]:
            commands.add_parser(name, help=said)
            continue
        module = _find(name)
        command = commands.add_parser(name, help=said, description=module.DESCRIPTION)
        module.add_options(command)
    return parser
