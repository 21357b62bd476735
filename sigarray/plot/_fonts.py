"""Fonts for names in any script: which installed font has the letters, if any."""

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

# Names with letters that no font has, while a picture is drawn.
_UNDRAWABLE: ContextVar[dict[str, None] | None] = ContextVar("names", default=None)
_MOST_NAMED = 5


def draws(function: Callable[P, R]) -> Callable[P, R]:
    """Give the texts of a picture fonts that have their letters.

    The picture is what the function returns: axes, or several of them.

    Warns
    -----
    UserWarning
        Names with letters that no installed font has.
    """

    @functools.wraps(function)
    def draw(*args: P.args, **options: P.kwargs) -> R:
        with warn_of_undrawable():
            drawn = function(*args, **options)
            for ax in np.ravel(np.asarray(drawn, dtype=object)):
                choose_fonts(ax)
        return drawn

    return draw


@contextmanager
def warn_of_undrawable() -> Iterator[None]:
    """Warn once of all names within whose letters no font has."""
    if _UNDRAWABLE.get() is not None:
        yield
        return
    names: dict[str, None] = {}
    token = _UNDRAWABLE.set(names)
    try:
        yield
    finally:
        _UNDRAWABLE.reset(token)
    if names:
        # Without labels that are made of other names.
        names = {x: None for x in names if not any(y != x and y in x for y in names)}
        shown = ", ".join(map(repr, list(names)[:_MOST_NAMED]))
        more = len(names) - _MOST_NAMED
        msg = (
            f"No installed font has all letters of {shown}"
            f"{f' and {more} more names' if more > 0 else ''}: those are shown by "
            r"their codes, as in \u6a21. Install a font that has them, such as Noto "
            "Sans CJK for Chinese, Japanese and Korean."
        )
        warnings.warn(msg, UserWarning, stacklevel=4)


def escape_undrawable(text: str) -> str:
    r"""Show letters that no installed font has by escapes, as in "\u6a21"."""
    if text.isascii():
        return text
    known = _list_default_letters()
    missing = {x for x in text if ord(x) not in known and find_family(x) is None}
    if not missing:
        return text
    names = _UNDRAWABLE.get()
    if names is not None:
        names[text] = None
    return "".join(ascii(x)[1:-1] if x in missing else x for x in text)


def choose_fonts(artist: Any) -> None:
    """Add fonts to texts of an artist with letters that their own font lacks."""
    from matplotlib.text import Text

    known: frozenset[int] | None = None
    for text in artist.findobj(Text):
        shown = text.get_text()
        if shown.isascii():
            continue
        known = known if known is not None else _list_default_letters()
        missing = [x for x in shown if ord(x) not in known and not x.isspace()]
        families = dict.fromkeys(map(find_family, missing))
        added = [x for x in families if x is not None]
        if added:
            text.set_fontfamily([*text.get_fontfamily(), *added])


@functools.cache
def find_family(letter: str) -> str | None:
    """Return the name of an installed font that has a letter, or None."""
    families = _list_families()
    return next((x for x, path in families if ord(letter) in _list_letters(path)), None)


@functools.cache
def _list_families() -> list[tuple[str, str]]:
    """List upright fonts of medium weight, those for texts of many scripts first."""
    from matplotlib.font_manager import fontManager

    paths: dict[str, str] = {}
    for font in fontManager.ttflist:
        is_plain = font.style == "normal" and font.weight in (400, 500, "normal")
        if is_plain and font.size == "scalable":
            paths.setdefault(font.name, font.fname)

    def rank(name: str) -> tuple[bool, bool, str]:
        words = name.casefold()
        return "cjk" not in words, "sans" not in words, name

    return [(name, paths[name]) for name in sorted(paths, key=rank)]


@functools.cache
def _list_letters(path: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(path)
    except (OSError, RuntimeError):
        return frozenset()  # a file that is gone, or no font
    letters = font.get_charmap() if font.scalable else {}
    # A font of last resort has one glyph, a box, for many letters.
    is_of_boxes = len(letters) > 2 * font.num_glyphs
    return frozenset() if is_of_boxes else frozenset(letters)


def _list_default_letters() -> frozenset[int]:
    """Return the letters of the fonts that texts have by default."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties, findfont

    families = mpl.rcParams["font.family"]
    paths = [findfont(FontProperties(family=[family])) for family in families]
    return frozenset().union(*(_list_letters(str(path)) for path in paths))
