"""The `sigarray` command: which model is better, from a table of scores."""

import argparse
import shlex
import sys
from collections.abc import Sequence

from sigarray._cli.usage import Parser, separate_files
from sigarray._version import __version__

# Modules of this folder, imported when needed, and their help.
_COMMANDS = {
    "compare": "say which of several models are better",
    "power": "say whether there are enough runs",
    "profile": "show what share of scores is above each threshold",
    "correct": "adjust p-values for multiple comparisons",
    "responses": "say which of two systems agrees better with gold responses",
    "study": "measure how accurate p-values from one test set are",
}

_WITHOUT_COMMAND = ("-", "-h", "--help", "--version")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Return 0; 1 if `--verify` or `--fail-unless-better` fails, or the result cannot be
    written; 2 if the file or an option is wrong; 130 if it was interrupted.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if sorted(given) == ["--verbose", "--version"]:
        from sigarray._cli.running import list_versions

        sys.stdout.write("".join(f"{line}\n" for line in list_versions()))
        return 0
    try:
        options = _parse(given)
        from sigarray._cli.running import run
    except KeyboardInterrupt:
        sys.stderr.write("sigarray: interrupted\n")
        return 130
    options.command_line = shlex.join(["sigarray", *given])
    return run(options)


def _parse(given: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command, or say what is wrong with them and exit."""
    parser = _build_parser(given)
    if given and given[0].startswith("-") and given[0] not in _WITHOUT_COMMAND:
        parser.error(
            f"Expected a COMMAND first, and options behind it; got {given[0]}."
        )
    options, unknown = parser.parse_known_args(separate_files(given))
    if unknown:
        options.parser.refuse(unknown)
    return options


class _Formatter(argparse.HelpFormatter):
    """A help in which every option takes one line, if its text does."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Name the options that share a line."""
        together: str | None = getattr(action, "together", None)
        return together or super()._format_action_invocation(action)


def _build_parser(arguments: Sequence[str]) -> Parser:
    """Return the parser; it stores the name of the command as `command`."""
    commands = "\n".join(f"  {name:<11}{said}" for name, said in _COMMANDS.items())
    parser = Parser(
        prog="sigarray",
        usage="sigarray [-h] [--version [--verbose]] COMMAND ...",
        description=f"Is model A really better than model B?\n\ncommands:\n{commands}",
        epilog="The options of a command: sigarray COMMAND --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    parsers = parser.add_subparsers(
        required=True,
        dest="command",
        metavar="COMMAND",
        prog="sigarray",
        help=argparse.SUPPRESS,
    )
    for name in _COMMANDS:
        if name not in arguments[:1]:
            parsers.add_parser(name)
            continue
        from sigarray._cli.options.commands import DESCRIPTIONS, OPTIONS

        files, add_options = OPTIONS[name]
        usage = f"sigarray {name} [OPTION ...] {files}".rstrip()
        command = parsers.add_parser(
            name,
            usage=usage,
            description=DESCRIPTIONS[name],
            formatter_class=_Formatter,
            add_help=False,
        )
        command.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
        add_options(command)
        command.takes_files = bool(files)
        command.set_defaults(parser=command)
    return parser
