"""Show text from files so that it cannot act on a terminal or break a picture.

And long names in a few letters, which stay different from each other; and the name that
may have been meant by another one.
"""

import functools
import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

# Controls, with those of direction; line and paragraph separators; lone surrogates.
_HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}
# Where parts of names end: a folder, a word.
_SEPARATOR = re.compile(r"[/\\_\-.:,;=\s]")
# A number, whole: with its sign, which a hyphen behind a word is not, and its exponent.
_NUMBER = re.compile(
    r"(?:(?<![\w)\]])[-+])?(?:(?<!\w)\.)?\d+(?:[.,:]\d+)*(?:[eE][-+]?\d+)?"
)
_WORD = re.compile(rf"(?:{_NUMBER.pattern}|[^/\\_\-.:,;=\s])+")
# Fewer letters that all names share are not cut: an ellipsis is hardly shorter.
_LEAST_SHARED = 4
# Who publishes a model, before it: "org/model", or "org__model" in names of folders;
# but not of ViT-S/16.
_OWNED = re.compile(r"[^/\\_\s][^/\\\s]*?(?:/|__)([^\W\d_][^/\\]*)")
# Names are alike by Ratcliff and Obershelp's share of letters in common; of more names
# than this, only those that are the same but for case and the like are.
_ALIKE = 0.75
# In a name without quotes, these would be taken for what is said of it, or for the
# end of it: a comma, "and", the letters of a group.
_MIXED_UP = re.compile(
    r"""[,;>"]|[.:]$|^\s|\s$|\s\([a-z]{1,3}\)$|\b(and|or|vs|than|is|on|by|with|of)\b""",
    re.IGNORECASE,
)
_MOST_COMPARED = 1000
PASS_AT_K = (
    "pass@k of n samples of a problem, of which c are correct, is a score: write it as "
    "a column, 1 - comb(n - c, k) / comb(n, k)"
)
# Short forms of more names are different alone: each is compared with all names.
_MOST_MATCHED = 100
# Words are cut to as many letters: "acc", "val".
_LEAST_LETTERS = 3


def show_controls(text: str) -> str:
    r"""Show invisible characters by escapes, as in "\x1b[2J".

    A file may hold escape sequences that change a terminal, or marks of direction that
    reverse a sentence.
    """
    return escape_hidden(text, lambda character: ascii(character)[1:-1])


def escape_hidden(text: str, escape: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    return "".join(
        escape(character) if unicodedata.category(character) in _HIDDEN else character
        for character in text
    )


def quote(name: str) -> str:
    """Quote a name with a space, or a sign that lists of names have between them."""
    return f'"{name}"' if re.search(r'[,>()";\s]', name) else name


def unquote_plain(text: str, names: Iterable[str]) -> str:
    """Return a text for a paper, with quotes only of names that it needs them for.

    These have a sign or a word that stands between names, or end as groups do: "a (b)".
    """
    for name in names:
        if not _MIXED_UP.search(name):
            text = text.replace(f'"{name}"', name)
    return text


def list_in_words(
    texts: Sequence[str], word: str = "and", most: int | None = None
) -> str:
    """List texts in a sentence: "a, b and c"; of more than `most`, the first."""
    if most is not None and len(texts) > most:
        texts = [*texts[:most], f"{len(texts) - most} more"]
    *rest, last = texts
    return f"{', '.join(rest)} {word} {last}" if rest else last


def show_range(numbers: Iterable[float], form: str = "") -> str:
    """Show the least number and the largest one: "3 to 5", or "4" for both."""
    every = list(numbers)
    return " to ".join(dict.fromkeys(format(f(every), form) for f in (min, max)))


def raise_initial(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def shorten_names(names: Collection[str], limit: int) -> dict[str, str]:
    """Return short forms of names, if any has more than `limit` letters.

    First those who publish models are left out. An ellipsis is where other letters are:
    those that all names share, or all long ones, up to a separator; then the middle, if
    possible between words; or else all but where names differ. Names stay as they are
    if no short forms were found each of which is of one name alone. Numbers stay whole.
    """
    every = list(dict.fromkeys(names))
    long = [x for x in every if width(x) > limit]
    if not long:
        return {}
    owned = cut_owners(every)
    if owned:
        short = shorten_names(owned.values(), limit)
        return {x: short.get(y, y) for x, y in owned.items() if x != short.get(y, y)}
    cuts = [x for x in map(cut_shared, (every, long)) if x]
    for cut in [*cuts, {}]:
        for way in _list_ways([cut.get(x, x) for x in every], limit):
            if _are_clear(every, way):
                return {x: y for x, y in zip(every, way, strict=True) if x != y}
    return {}


def _are_clear(names: Sequence[str], short: Sequence[str]) -> bool:
    """Tell whether each short form fits its name alone, as "…-base" may not."""
    if len(set(short)) < len(names) or len(names) > _MOST_MATCHED:
        return len(set(short)) == len(names)
    return not any(
        other != name and re.fullmatch(pattern, other, re.DOTALL)
        for name, form in zip(names, short, strict=True)
        for pattern in [re.escape(form).replace("\u2026", ".+")]
        for other in names
    )


def cut_owner(name: str) -> str:
    found = _OWNED.fullmatch(name)
    return found[1] if found else name


def cut_owners(names: Sequence[str]) -> dict[str, str]:
    """Return names without who publishes the models, such as "org/" and "org__".

    Nothing is cut of one name alone, of paths of folders, nor if any two would then be
    the same.
    """
    if len(names) < 2:
        return {}
    cut = {x: cut_owner(x) for x in names}
    are_paths = any(len(re.findall(r"[/\\]", x)) > 1 for x in names)
    are_same = len({*cut.values()}) < len(cut) or [*cut] == [*cut.values()]
    return {} if are_paths or are_same else cut


def cut_shared(names: Sequence[str]) -> dict[str, str]:
    """Return names without the parts at their start and end that all of them share.

    Nothing is cut of one name alone, nor if names share few letters or no whole part.
    """
    if len(names) < 2:
        return {}
    without = [_NUMBER.sub(lambda x: "0" * len(x[0]), name) for name in names]
    start = _end_of_shared(names, without)
    rest = ([x[start:][::-1] for x in kind] for kind in (names, without))
    end = _end_of_shared(*rest)
    if not start and not end:
        return {}
    dots = ("\u2026" if start else "", "\u2026" if end else "")
    return {x: f"{dots[0]}{x[start : len(x) - end]}{dots[1]}" for x in names}


def _end_of_shared(names: Sequence[str], without: Sequence[str]) -> int:
    """Return how many letters all names begin with, up to a separator, or 0.

    `without` are the names without separators within numbers.
    """
    n_shared = _count_shared(names)
    least = min(map(len, names))  # something is left of every name
    places = (
        {match.end() for match in _SEPARATOR.finditer(x, 0, n_shared)} for x in without
    )
    whole = set.intersection(*places)
    place = max((x for x in whole if x < least), default=0)
    return place if place >= _LEAST_SHARED else 0


def _count_shared(names: Iterable[str]) -> int:
    letters = zip(*names, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda x: len({*x}) == 1, letters))


# What is left of "resnet (ours)" alone.
_REMARK = re.compile("\u2026\\s*[(\\[].*")


def _list_ways(names: Sequence[str], limit: int) -> Iterator[list[str]]:
    """Yield names of which those that are too long are cut, in one way for all."""
    long = [x for x in names if width(x) > limit]
    tails = ((limit - 1) // 2, *range(limit - 1))
    start = max(0, _count_shared(long) - limit // 4)
    ways = itertools.chain(
        ({x: _keep(x, limit, tail, _WORD) for x in long} for tail in tails),
        ({x: _keep(x, limit, tail) for x in long} for tail in tails),
        ({x: _cut_ends(x, start, limit - 2) for x in long},),
        ({x: _keep(x, limit, tail, is_any=True) for x in long} for tail in tails),
    )
    for way in ways:
        if all(way.values()):
            yield [way.get(x, x) for x in names]


def _keep(
    text: str,
    limit: int,
    tail: int,
    kind: re.Pattern[str] = _NUMBER,
    *,
    is_any: bool = False,
) -> str:
    """Leave out the middle, and what it would leave of a number, or of a word.

    Nothing is returned if a number is lost so, or most letters, unless `is_any`. Then
    a text of one number stays.
    """
    # In columns of a terminal, letters of Chinese are two wide.
    share = len(text) / width(text)
    head, tail = (math.floor(share * n) for n in (limit - 1 - tail, tail))
    places = head, len(text) - tail
    head, start = (_find_part(text, place, kind)[k] for k, place in enumerate(places))
    short = _balance(f"{text[:head]}\u2026{text[start:]}", limit)
    if _REMARK.fullmatch(short):
        return ""  # of several models, as a rule
    if is_any:
        return short if len(short) > 1 else text
    is_whole = all(_find_part(text, place) == (place, place) for place in places)
    return short if is_whole and width(short) > limit // 2 else ""


def _balance(short: str, limit: int) -> str:
    """Close a bracket whose end was cut, or leave out an end without a beginning."""
    n_open = short.count("(") - short.count(")")
    if n_open > 0 and width(short) < limit:
        return f"{short})"
    return short[:-1] if n_open < 0 and short[-1] == ")" else short


def _cut_ends(text: str, start: int, room: int) -> str:
    """Leave out both ends of a text, but for so many letters from a place on.

    Nothing is returned if a number has no room there.
    """
    start = _find_part(text, start)[0]
    end = _find_part(text, start + room)[1]
    start = _find_part(text, max(start, end - room))[1]
    return f"\u2026{text[start:end]}\u2026" if start < end else ""


def _find_part(
    text: str, place: int, kind: re.Pattern[str] = _NUMBER
) -> tuple[int, int]:
    """Return where the number around a place begins and ends, or the place twice."""
    spans = _find_parts(text, kind)
    return next((x for x in spans if x[0] < place < x[1]), (place, place))


@functools.lru_cache(maxsize=4096)
def _find_parts(text: str, kind: re.Pattern[str]) -> list[tuple[int, int]]:
    return [match.span() for match in kind.finditer(text)]


def width(text: str) -> int:
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def squeeze(name: str) -> str:
    """Return a name without case, spaces, punctuation and the prefix of a tracker."""
    name = re.sub(r"^(params|metrics|tags|config|summary)[./]", "", name)
    return re.sub(r"[\W_]+", "", name).casefold()


def show_number(x: float, digits: int = 3, sign: str = "") -> str:
    """Show so many digits as a person writes them: 103,000, and zero without a sign."""
    rounded = float(f"{x:.{digits}g}") or 0.0
    return f"{rounded:{sign if rounded else ''},.10g}"


def suggest(name: str, known: Iterable[Any]) -> str:
    """Ask whether another name was meant, or return "" if none is like it.

    Names are alike without case, spaces, punctuation and the prefix of a tracker, or
    if words of one are those of the other cut short, as in "val/acc", if one name alone
    has all words of this one, or if they differ in few letters. Of names with commas,
    each is one of several.
    """
    texts = [str(x) for x in known]
    parts = [x.strip() for x in name.split(",")]
    meant = [x if x in texts else _find_like(x, texts) for x in parts]
    if name in texts or None in meant:
        return ""
    if parts == meant:
        return " Name one of them."
    return f" Did you mean {','.join(map(str, meant))!r}?"


def suggest_each(names: Sequence[str], known: Sequence[Any]) -> str:
    """Ask of each of several names whether another one was meant, if any is like it."""
    if len(names) == 1:
        return suggest(names[0], known)
    texts = [str(x) for x in known]
    like = [(x, y) for x in names if (y := _find_like(x, texts)) is not None]
    asked = ", ".join(f"{y!r} for {x!r}" for x, y in like)
    return f" Did you mean {asked}?" if like else ""


def _find_like(name: str, known: Sequence[str]) -> str | None:
    import difflib  # which few programs need

    by = {squeeze(x): x for x in reversed(known)}
    wanted = squeeze(name)
    if not wanted or wanted in by or len(by) > _MOST_COMPARED:
        return by.get(wanted) if wanted else None
    short = next((x for x in known if _is_cut_short(name, x)), None)
    longer = [x for x in known if _is_part(name, x)]
    if short is None and len(longer) == 1:
        return longer[0]
    close = difflib.get_close_matches(wanted, by, n=1, cutoff=_ALIKE)
    return short or (by[close[0]] if close else None)


def _is_part(name: str, other: str) -> bool:
    """Tell whether another name has all words of this one, and more of them."""
    words, others = (set(re.findall(r"[^\W_]+", x.casefold())) for x in (name, other))
    return words < others and max(map(len, words), default=0) >= _LEAST_LETTERS


def _is_cut_short(name: str, other: str) -> bool:
    """Tell whether each word of one of two names begins with that of the other."""
    words, others = (re.findall(r"[^\W_]+", x.casefold()) for x in (name, other))
    return len(words) == len(others) and all(
        x == y or (min(map(len, (x, y))) >= _LEAST_LETTERS and _begins(x, y))
        for x, y in zip(words, others, strict=True)
    )


def _begins(word: str, other: str) -> bool:
    return word.startswith(other) or other.startswith(word)
