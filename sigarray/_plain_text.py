"""Show text from files so that it cannot act on a terminal or break a picture."""

import unicodedata
from collections.abc import Callable

# Controls, with those of direction; line and paragraph separators; lone surrogates.
_HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def show_controls(text: str) -> str:
    r"""Show invisible characters by escapes, as in "\x1b[2J".

    A file may hold escape sequences that change a terminal, or marks of direction that
    reverse a sentence.
    """
    return escape_hidden(text, lambda character: ascii(character)[1:-1])


def escape_hidden(text: str, escape: Callable[[str], str]) -> str:
    """Replace invisible characters."""
    if text.isprintable():
        return text
    return "".join(
        escape(character) if unicodedata.category(character) in _HIDDEN else character
        for character in text
    )
