"""The common style of pictures: size, letters and fonts, colours, marks and words.

Properties are set only on artists. Nothing here reads or writes `rcParams`, and pyplot,
which keeps a list of figures, is not imported.
"""

import functools
import re
import unicodedata
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from sigarray._backend.checks import describe
from sigarray._plain_text import shorten_names, show_controls

P = ParamSpec("P")
R = TypeVar("R")

# Names with letters that no font has, while a picture is drawn.
_UNDRAWABLE: ContextVar[dict[str, str] | None] = ContextVar("names", default=None)
_MOST_NAMED = 20
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: the width of a column of a paper, and of both columns.
COLUMN, PAGE = 3.35, 7.0
# Points.
SMALL, LARGE = 7.0, 8.0
THIN, THICK = 0.6, 1.3
INK, GREY, PALE, PAPER = "black", "0.45", "0.9", "white"
# Colours of Okabe and Ito (2008), in an order in which neighbours differ in grey, too.
BLUE, ORANGE = "#0072B2", "#E69F00"
_COLORS = (BLUE, ORANGE, "#000000", "#CC79A7", "#009E73", "#56B4E9", "#D55E00")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (4, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (8, 2)),
)
# The hatch of evidence against a statement.
HATCH = "//////"
# Names are not parsed as mathematics or TeX.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
# A letter by its code.
# Letters within a name, or a word of it.
_PART = r"[^\s(),;:\"']"
_MAX_LETTERS = 24
# With more models than this, the best are drawn, and a line counts the others.
MOST_MODELS = 40
# The small letters in an inch of the figure, without the space beside the axes.
_LETTERS_IN_AN_INCH = 15.5


def draws(function: Callable[P, R]) -> Callable[P, R]:
    """Give the texts of a picture, axes or several, fonts that have their letters."""

    @functools.wraps(function)
    def draw(*args: P.args, **options: P.kwargs) -> R:
        with warn_of_undrawable():
            drawn = function(*args, **options)
            for ax in np.ravel(np.asarray(drawn, dtype=object)):
                choose_fonts(ax)
        return drawn

    return draw


@contextmanager
def warn_of_undrawable() -> Iterator[dict[str, str]]:
    """Warn once of all names within whose letters no font has, and of their words."""
    words = _UNDRAWABLE.get()
    if words is not None:
        yield words
        return
    words = {}
    token = _UNDRAWABLE.set(words)
    try:
        yield words
    finally:
        _UNDRAWABLE.reset(token)
    if words:
        shown = [f"{word} is {name!r}" for name, word in words.items()]
        more = len(words) - _MOST_NAMED
        msg = (
            "No installed font has all letters of some names, for which there are "
            f"words: {', '.join(shown[:_MOST_NAMED])}"
            f"{f', and {more} more' if more > 0 else ''}. Install a font that has "
            "them, such as Noto Sans CJK for Chinese, Japanese and Korean."
        )
        warnings.warn(msg, UserWarning, stacklevel=4)


def _say_undrawable(text: str) -> str:
    """Put "name 1" for the first name with letters that no installed font has."""
    if text.isascii():
        return text
    known = _list_default_letters()
    missing = {x for x in text if ord(x) not in known and find_family(x) is None}
    if not missing:
        return text
    part = rf"{_PART}*[{re.escape(''.join(missing))}]{_PART}*"
    with warn_of_undrawable() as words:
        return re.sub(
            rf"{part}(?:\s+{part})*",
            lambda x: words.setdefault(x[0], f"name {len(words) + 1}"),
            text,
        )


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
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties, findfont

    families = mpl.rcParams["font.family"]
    paths = [findfont(FontProperties(family=[family])) for family in families]
    return frozenset().union(*(_list_letters(str(path)) for path in paths))


class Look(NamedTuple):
    color: str
    marker: str
    dashes: Any


def look_of(k: int) -> Look:
    kinds = _COLORS, _MARKERS, _DASHES
    return Look(*(kind[k % len(kind)] for kind in kinds))


def draw_line(ax: "Axes", k: int, x: Any, y: Any, **properties: Any) -> Any:
    color, marker, dashes = look_of(k)
    look = {"color": color, "marker": marker, "linestyle": dashes}
    (line,) = ax.plot(
        x, y, **{"linewidth": 1.2, "markersize": 3.0, **look, **properties}
    )
    return line


def check_axes(ax: Any, shape: tuple[int, ...] = ()) -> Any:
    """Return the caller's axes, as an array of this shape, or None."""
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        msg = (
            "Expected matplotlib, which draws the pictures; got none. Run: pip "
            'install "sigarray[plot]".'
        )
        raise ImportError(msg) from error
    if ax is None:
        return None
    axes = np.asarray(ax, dtype=object)
    wrong = next((x for x in axes.flat if not isinstance(x, Axes)), None)
    if wrong is not None:
        msg = (
            f"Expected ax to be of matplotlib.axes.Axes; got {describe(wrong)}. Pass "
            f"what figure.subplots() gives, or leave ax out."
        )
        raise TypeError(msg)
    if axes.size != np.prod(shape):
        msg = (
            f"Expected ax to be {np.prod(shape):.0f} axes; got {axes.size}. Pass what "
            f"figure.subplots{tuple(shape)} gives, or leave ax out."
        )
        raise ValueError(msg)
    return axes.reshape(shape)[()]


def make_figure(height: float, width: float = COLUMN) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)


def tidy(ax: "Axes", *, x: str = "", y: str = "") -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_facecolor(PAPER)
    for spine in ax.spines.values():
        spine.set(linewidth=THIN, edgecolor=INK)
    ax.grid(visible=False)
    ax.tick_params(which="both", labelsize=SMALL, width=THIN, length=2.5, colors=INK)
    for axis, text in ((ax.xaxis, x), (ax.yaxis, y)):
        axis.set_label_text(text, fontsize=LARGE, color=INK, **PLAIN)
        axis.get_offset_text().set_fontsize(SMALL)


def thin_ticks(ax: "Axes") -> None:
    """Leave room between long numbers below the axes, such as -0.0025."""
    if ax.get_xscale() == "linear":
        ax.locator_params(axis="x", nbins=5)


def name_rows(ax: "Axes", names: Sequence[str], places: Sequence[float]) -> None:
    ax.set_yticks(places, names, fontsize=SMALL, **PLAIN)
    ax.tick_params(axis="y", length=0.0)
    ax.spines["left"].set_visible(False)


def name_cells(
    ax: "Axes",
    places: Sequence[float],
    columns: Sequence[str],
    rows: Sequence[str],
    *,
    is_flat: bool,
) -> None:
    """Name the columns of a matrix, flat or upwards, and its rows."""
    look: dict[str, Any] = {"fontsize": SMALL, **PLAIN}
    ax.set_xticks(places, columns, rotation=0.0 if is_flat else 90.0, **look)
    ax.set_yticks(range(len(rows)), rows, **look)
    ax.tick_params(length=0.0)
    ax.spines[:].set_visible(False)


def say_left_out(
    ax: "Axes", n: int, noun: str = "model", which: str = " of lower rank"
) -> None:
    """Say below the axes how many models, or others, are not drawn."""
    if n > 0:
        said = f"not drawn: {n:,} {noun}{'' if n == 1 else 's'}{which}"
        label = ax.get_xlabel()
        ax.set_xlabel(f"{label}\n{said}" if label else said, **PLAIN)


def write(ax: "Axes", x: float, y: float, text: str, **properties: Any) -> Any:
    return ax.text(
        x, y, text, **{"fontsize": SMALL, "color": INK, **PLAIN, **properties}
    )


def explain(
    place: "Axes | Figure",
    handles: Sequence[Any],
    labels: Sequence[str],
    *,
    n_columns: int = 1,
    has_names: bool = False,
    **properties: Any,
) -> None:
    """Draw a legend, by default above the axes, and in columns if labels are short.

    If rows have names beside the axes, it ends at the right, and uses the room above
    the names. Without labels there is none.
    """
    if not labels:
        return
    letters = 6 + max(map(measure, labels))
    # A legend may take a whole figure, and for axes the space beside them, too.
    share = min(1.0, 1.3 * getattr(place, "get_position", _whole)().width)
    figure = place.figure
    room = _LETTERS_IN_AN_INCH * share * figure.bbox.width / figure.dpi
    above: dict[str, Any] = {
        "loc": "lower right" if has_names else "lower left",
        "bbox_to_anchor": (float(has_names), 1.0),
        "borderaxespad": 0.2,
        "ncols": max(1, min(n_columns, int(room / letters))),
    }
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": SMALL,
        "labelcolor": INK,
        "handlelength": 1.8,
        "handletextpad": 0.5,
        "columnspacing": 1.0,
        "labelspacing": 0.25,
        "borderpad": 0.1,
    }
    look |= properties if "loc" in properties else above | properties
    # Without the space, a label that starts with an underscore would be left out.
    legend = place.legend(handles, [f" {label}" for label in labels], **look)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set(text=label, **PLAIN)


def lift(ax: "Axes", points: float) -> Any:
    from matplotlib.transforms import ScaledTranslation

    scale = ax.figure.dpi_scale_trans
    return ax.transAxes + ScaledTranslation(0.0, points / 72.0, scale)


def _whole() -> Any:
    from matplotlib.transforms import Bbox

    return Bbox.unit()


def show_name(name: Hashable, limit: int = _MAX_LETTERS) -> str:
    """Show a name in one line, without the middle if it is long.

    Where no installed font has its letters, it is "name 1", or another number.
    """
    text = _say_undrawable(show_controls(str(name)))
    return shorten_names([text], limit).get(text, text)


def show_names(names: Iterable[Hashable], limit: int = _MAX_LETTERS) -> list[str]:
    """Show names in one line each: if one is long, without what all of them share.

    If they are still long, each is without its middle, as far as they stay different.
    """
    with warn_of_undrawable():
        texts = [_say_undrawable(show_controls(str(name))) for name in names]
    short = shorten_names(texts, limit)
    return [show_name(short.get(x, x), limit) for x in texts]


def measure(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(x) in "WF") for x in text)


def show_beside(value: float, threshold: float) -> str:
    """Show a number so that it stays on the right side of a threshold."""
    for digits in range(2, 17):
        text = f"{value:.{digits}f}"
        if (float(text) < threshold) == (value < threshold):
            return text
    return repr(float(value))


def show_share(share: float) -> str:
    return f"{100.0 * share:.3g} %"
