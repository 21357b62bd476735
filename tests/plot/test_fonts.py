"""Names in scripts that the font of pictures does not have."""

import io
import warnings

import pytest

from sigarray import plot
from sigarray.plot import _style
from tests.plot.conftest import read_ticks

# A letter that matplotlib's own STIX fonts have and DejaVu Sans has not, and one of
# Chinese, which is taken to be in no font.
OF_STIX, OF_NONE = "\u1d81", "\u6a21"


@pytest.fixture
def _no_other_fonts(monkeypatch):
    """Have the fonts of matplotlib alone, wherever the tests run."""
    families = [x for x in _style._list_families() if "mpl-data" in x[1]]
    monkeypatch.setattr(_style, "_list_families", lambda: families)
    _style.find_family.cache_clear()
    yield
    _style.find_family.cache_clear()


def save(ax):
    """Write a picture, in which no warning is allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.savefig(io.BytesIO(), format="png")


@pytest.mark.usefixtures("_no_other_fonts")
def test_names_have_a_font_with_their_letters():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = plot.scores({f"{OF_STIX}-1": [1.0, 2.0], "plain": [0.0, 1.0]})
    other, plain = ax.get_yticklabels()
    assert other.get_text().startswith(OF_STIX)
    assert other.get_fontfamily()[-1] == _style.find_family(OF_STIX)
    assert "STIX" in other.get_fontfamily()[-1]
    assert len(plain.get_fontfamily()) == 1
    save(ax)


@pytest.mark.usefixtures("_no_other_fonts")
def test_names_without_a_font_are_shown_by_codes_and_said_once():
    names = {f"{OF_NONE}{k}": [k, k + 1.0] for k in range(9)}
    with pytest.warns(
        UserWarning, match=r"No installed font has all letters of"
    ) as said:
        ax = plot.scores(names)
    assert len(said) == 1
    message = str(said[0].message)
    assert f"'{OF_NONE}8', " in message or f"'{OF_NONE}0', " in message
    assert "and 4 more names" in message
    assert said[0].filename == __file__
    assert read_ticks(ax.yaxis)[0] == r"\u6a218" + "\nn = 2"
    save(ax)


def test_fonts_of_boxes_have_no_letters():
    from matplotlib.font_manager import fontManager

    last = [x.fname for x in fontManager.ttflist if "Last Resort" in x.name]
    for path in last:
        assert not _style._list_letters(path)
    assert not _style._list_letters("no such file")
    assert ord("a") in _style._list_default_letters()
