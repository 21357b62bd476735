"""Names in scripts that the font of pictures does not have."""

import io
import re
import warnings

import pandas as pd
import pytest

from sigarray import compare_models, plot
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
def test_names_without_a_font_have_words_whose_key_is_said_once():
    names = {f"{OF_NONE}{k}": [k, k + 1.0] for k in range(29)}
    with pytest.warns(
        UserWarning, match=r"No installed font has all letters of"
    ) as said:
        ax = plot.scores(names)
    assert len(said) == 1
    message = str(said[0].message)
    assert "and 9 more" in message
    assert said[0].filename == __file__
    words = [x.removesuffix("\nn = 2") for x in read_ticks(ax.yaxis)]
    assert sorted(words) == sorted(f"name {k + 1}" for k in range(29))
    for k, word in zip(range(28, -1, -1), words, strict=True):
        key = f"{word} is '{OF_NONE}{k}'"
        assert (key in message) == (int(word.removeprefix("name ")) <= 20)
    save(ax)


@pytest.mark.usefixtures("_no_other_fonts")
def test_a_name_has_one_word_in_all_pictures():
    """Beside another one, as of a pair, and in the name of an axis."""
    names = [f"{OF_NONE} {OF_NONE}", f"{OF_NONE * 30}-2", "plain"]
    frame = pd.DataFrame(
        [(m, k, 3.0 * i + k % 3) for i, m in enumerate(names) for k in range(6)],
        columns=["model", "seed", f"acc {OF_NONE}3"],
    )
    result = compare_models(frame, test="t", unit="run")
    with pytest.warns(UserWarning, match="for which there are words") as said:
        pictures = result.list_pictures()
    assert len(said) == 1
    found = re.findall(r"(name \d) is '(.*?)'", str(said[0].message))
    word = {name: number for number, name in found}
    assert set(word) == {*names[:2], f"{OF_NONE}3"}
    first, second = (word[x] for x in names[:2])
    rows = {x.get_text() for x in pictures[0].figure.axes[0].get_yticklabels()}
    assert rows == {
        f"plain vs. {second}",
        f"plain vs. {first}",
        f"{second} vs. {first}",
    }
    axes = pictures[0].figure.axes[0]
    assert axes.get_xlabel() == f"difference in acc {word[f'{OF_NONE}3']}"
    assert names[1] in pictures[0].description  # where words have fonts of their own
    (scores,) = (x.figure.axes[0] for x in pictures if x.caption.startswith("Scores"))
    models = [x.removesuffix("\nn = 6") for x in read_ticks(scores.yaxis)]
    assert models == ["plain", second, first]


def test_fonts_of_boxes_have_no_letters():
    from matplotlib.font_manager import fontManager

    last = [x.fname for x in fontManager.ttflist if "Last Resort" in x.name]
    for path in last:
        assert not _style._list_letters(path)
    assert not _style._list_letters("no such file")
    assert ord("a") in _style._list_default_letters()
