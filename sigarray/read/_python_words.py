"""Messages that speak of options of the command, in words of a call in Python."""

import contextlib
import re
import warnings
from collections.abc import Iterator

# Options that are called otherwise, or are flags.
_ARGUMENTS = {
    "lower-is-better": "higher_is_better=False",
    "higher-is-better": "higher_is_better=True",
    "paired": "paired=True",
    "drop-unmatched": "drop_unmatched=True",
    "no-correction": "corrected=False",
    "columns": "models",
    "seed": "rng",
}
_WITH_VALUE = (
    *("test", "unit", "method", "baseline", "model", "item", "run", "task", "cluster"),
    *("score", "metric"),
)
# What may follow an option, and is no value of it.
_WORDS = "a|and|as|for|for|in|is|it|of|or|says|that|the|to|where|which|with|names"
_VALUE = rf"'(?P<quoted>[^']*)'|(?!(?:{_WORDS})\b)(?P<value>[\w.-]*\w)"
_OPTION = re.compile(
    rf"--(?P<option>{'|'.join(_WITH_VALUE)}) (?:{_VALUE})|--(?P<name>[a-z][a-z-]*)"
)


def say_in_python(message: str) -> str:
    """Write the options of the command in a message as arguments of a call."""

    def translate(match: re.Match[str]) -> str:
        if match["option"]:
            value = match["value"] or match["quoted"]
            return f"{match['option']}={value!r}"
        name = match["name"]
        return _ARGUMENTS.get(name, name.replace("-", "_"))

    return _OPTION.sub(translate, message)


@contextlib.contextmanager
def in_words_of_python() -> Iterator[None]:
    """Let errors and warnings of a public function speak of its arguments."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        except ValueError as error:
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (say_in_python(error.args[0]),)
            raise
    for message in dict.fromkeys(str(x.message) for x in caught):
        # Of the caller of the function that has this for a block.
        warnings.warn(say_in_python(message), UserWarning, stacklevel=4)
