"""The `sigarray` command: its parser, whose errors are plain, and its commands."""

import argparse
import itertools
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from sigarray._plain_text import PASS_AT_K, list_in_words, show_controls, suggest
from sigarray._version import __version__

_DIRECTIONS = ("--lower-is-better", "--higher-is-better")


def separate_files(arguments: Sequence[str]) -> list[str]:
    """Return arguments in which a FILE behind the direction is no metric."""
    separate = list(arguments)
    for k, (option, after) in enumerate(itertools.pairwise(arguments)):
        path = after if Path(after).exists() else after.partition("=")[2]
        is_file = after == "-" or (bool(path) and Path(path).exists())
        if option in _DIRECTIONS and is_file:
            separate[k] = f"{option}="
    return separate


# What argparse says -> what we do, with the parts of its message.
_SAID = (
    (r"argument (\S+): expected one argument", "Expected a value behind {0}; got none"),
    (
        r"argument (\S+): expected at least one argument",
        "Expected one value or more behind {0}; got none",
    ),
    (r"argument (\S+): invalid (.+) value: (.+)", "Expected {0} to be a {1}; got {2}"),
    (
        r"argument (\S+): not allowed with argument (\S+)",
        "Expected {1} or {0}; got both",
    ),
    (r"argument (\S+): ignored explicit argument (.+)", "Expected {0} alone; got {1}"),
    (r"argument (\S+): expected (.+)", "{0}: expected {1}"),
    (r"the following arguments are required: (.+)", "Expected a {0}; got none"),
)
# Other names of choices, such as the endings of files.
_MEANT = {
    "tex": "latex",
    "md": "markdown",
    "txt": "text",
    "mcc": "matthews_correlation",
    "wer": "word_error_rate",
    **dict.fromkeys(("t-test", "ttest", "welch", "student"), "t"),
    **dict.fromkeys(("u", "mwu", "ranksum"), "mann-whitney"),
}
_WILCOXON = (
    " Over tasks, Wilcoxon's test is there by itself; of pairs of runs or items, pass "
    "permutation with --paired; of runs that are no pairs, mann-whitney."
)
_OF_TABLES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".xlsx", ".parquet", ".npz")
_CHOICE = re.compile(r"argument (\S+): invalid choice: '(.*)' \(choose from (.+)\)")


class _Once(argparse._StoreAction):
    is_given = False

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if option_string is not None and self.is_given:
            by = ", with commas between names" if isinstance(values, list) else ""
            parser.error(f"Expected {option_string} once{by}; got it twice.")
        self.is_given = True
        super().__call__(parser, namespace, values, option_string)


class Parser(argparse.ArgumentParser):
    """A parser that takes no option for another one, and whose errors are plain."""

    takes_files = False

    def __init__(self, **given: Any) -> None:
        super().__init__(**given, allow_abbrev=False)
        # We suggest names ourselves; Python 3.15 would put its own into the message.
        self.suggest_on_error = False
        for name in (None, "store"):
            self.register("action", name, _Once)

    def error(self, message: str) -> NoReturn:
        said = f"{_put_plainly(message)} See: {self.prog} --help"
        self.exit(2, f"sigarray: error: {show_controls(said)}\n")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        options = [x for x in unknown if x.startswith("-")]
        if options:
            name = options[0].partition("=")[0]
            known = [x for x in self._option_string_actions if x.startswith("--")]
            meant = _suggest(name, known)
            self.error(f"Expected options of {self.prog}; got {name}.{meant}")
        self.error(
            "Expected files next to each other, before or behind all options, and "
            f"commas between values of an option; got {unknown[0]!r} apart from them."
            if self.takes_files
            else f"Expected options of {self.prog} alone; got {unknown[0]!r}."
        )


def _put_plainly(message: str) -> str:
    found = _CHOICE.fullmatch(message)
    if found is not None:
        name, got, choices = found.groups()
        known = [x.strip("'") for x in choices.split(", ")]
        other = _MEANT.get(got.lower())
        meant = f" Did you mean {other}?" if other in known else _suggest(got, known)
        meant = _say_average(got.lower(), known) or meant
        meant = f" In files, {PASS_AT_K}." if got.startswith("pass@") else meant
        meant = _WILCOXON if name == "--test" and got.lower() == "wilcoxon" else meant
        is_table = Path(got).suffix.lower() in _OF_TABLES or Path(got).is_file()
        if name == "COMMAND" and is_table:
            meant = f" Did you mean sigarray compare {shlex.quote(got)}?"
        expected = list_in_words(known, "or")
        return f"Expected {name} to be {expected}; got {got!r}.{meant}"
    for pattern, said in _SAID:
        found = re.fullmatch(pattern, message, re.DOTALL)
        if found is not None:
            parts = (x.replace("float", "number") for x in found.groups())
            return f"{said.format(*parts).rstrip('.')}."
    return message


def _say_average(name: str, known: Sequence[str]) -> str:
    average, _, metric = name.partition("_")
    if metric not in known or name in known:
        return ""
    if average == "micro":
        return f" Write {metric}, which is the micro average of all classes."
    if average == "macro":
        others = list_in_words([x for x in known if x.startswith("macro_")])
        return f" {metric} is the micro average; of macro averages there is {others}."
    return ""


def _suggest(name: str, known: Sequence[str]) -> str:
    longer = [x for x in known if len(name) > len("--") and x.startswith(name)]
    if longer:
        return f" Did you mean {' or '.join(longer)}?"
    return suggest(name, known).replace("'", "")


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
        together: str | None = getattr(action, "together", None)
        return together or super()._format_action_invocation(action)


def _build_parser(arguments: Sequence[str]) -> Parser:
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
