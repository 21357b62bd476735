"""What holds for every picture: axes, names, libraries, letters."""

import inspect
import io
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import sigarray
from sigarray import plot, responses
from sigarray.plot._style import look_of, measure, show_beside, show_name
from tests.backends import require

SIZES = (5, 10, 20)
STUDY = {
    "metrics": ["mae", "wins_mae"],
    "items": ["all"],
    "responses": ["all", "one"],
    "perturbations": [0.0, 0.3],
}
# With what some program takes for mathematics, markup or a command.
NAMES = ["_a", "b $x_1$ & 50 % | #1", "c\x1b[2J\n\u202e", "d" * 60]
SHOWN = ["_a", "b $x_1$ & 50 % | #1", r"c\x1b[2J\n\u202e", "d" * 12 + "…" + "d" * 11]


def scores_of(xp, *shape, seed=0):
    """Return scores of a library, of models that are far apart."""
    values = np.random.default_rng(seed).normal(size=shape)
    if len(shape) > 1:
        values = values + 5.0 * np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1))
    return xp.asarray(values)


def draw_all(xp, ax=lambda shape: None):
    """Draw every picture, each on `ax(shape)`."""
    a, b = scores_of(xp, 10), scores_of(xp, 12, seed=1)
    models = scores_of(xp, 4, 8)
    table = sigarray.multi_aso(models, n_resamples=50, rng=0)
    batch = sigarray.bootstrap_ci(models, models[:1, :], n_resamples=50, rng=0)
    drawn = sigarray.bootstrap_replicates(a, b, start=0, count=100, rng=0)
    found = sigarray.bootstrap_test(a, b, n_resamples=100, rng=0)
    size = sigarray.required_sample_size(a, b, sizes=SIZES, n_resamples=50, rng=0)
    study = responses.study(
        **STUDY, n_items=20, n_sets=20, n_resamples=20, xp=xp, rng=0
    )
    tasks = {
        name: {x: models[k, ...] for k, x in enumerate(NAMES)} for name in NAMES[:2]
    }
    rng = np.random.default_rng(0)
    hits = [xp.asarray((rng.uniform(size=20) < 0.6) * 1.0) for _ in range(2)]
    tau = xp.asarray([0.2, 0.5, 0.8])
    profile = sigarray.performance_profile(models, tau, n_resamples=50, rng=0)
    one, two, grid = ax(()), ax((2,)), ax((1, 2))
    return {
        "contingency": plot.contingency(*hits, names=NAMES[:2], ax=ax((2,))),
        "critical_differences": plot.critical_differences(
            xp.asarray([1.0, 2.5, 2.5, 4.0]), [NAMES[1:3]], names=NAMES, ax=ax(())
        ),
        "differences": plot.differences(batch, labels=NAMES, ax=one),
        "dominance": plot.dominance(a, b, names=NAMES[:2], rng=0, ax=two),
        "leaderboard": plot.leaderboard(tasks, ax=ax(())),
        "learning_curves": plot.learning_curves(
            scores_of(xp, 4, 3, 8), names=NAMES, ax=ax(())
        ),
        "looks": plot.looks(a, sizes=(3, 4), n_sets=10, rng=0, ax=ax(())),
        "pairwise": plot.pairwise(table, NAMES, ax=ax(())),
        "power": plot.power(SIZES, {NAMES[0]: size, NAMES[1]: size}, ax=ax(())),
        "profiles": plot.profiles(profile, tau, names=NAMES, ax=ax(())),
        "ranking": plot.ranking(table, NAMES, ax=ax(())),
        "replicates": plot.replicates(drawn, found, test="bootstrap", ax=ax(())),
        "scores": plot.scores(models, names=NAMES, ax=ax(())),
        "study": plot.study(study, **STUDY, ax=grid),
    }


@pytest.fixture(scope="module")
def pictures():
    return draw_all(np)


def list_texts(figure):
    from matplotlib.text import Text

    return [x for x in figure.findobj(Text) if x.get_text() and x.get_visible()]


def test_all_are_drawn(pictures):
    assert list(pictures) == plot.__all__


@pytest.mark.parametrize("name", plot.__all__)
def test_figures_are_of_their_own(pictures, name):
    axes = np.ravel(pictures[name])
    assert all(isinstance(ax, Axes) for ax in axes)
    assert len({ax.figure for ax in axes}) == 1
    assert axes[0].figure.get_figwidth() == pytest.approx(3.35, abs=0.4)
    assert axes[0].figure.canvas.manager is None


@pytest.mark.parametrize("name", plot.__all__)
def test_letters_are_large_enough_and_inside(pictures, name):
    figure = np.ravel(pictures[name])[0].figure
    FigureCanvasAgg(figure).draw()
    for text in list_texts(figure):
        assert text.get_fontsize() >= 7.0, text
    box = figure.get_tightbbox()
    assert box.x0 >= -0.02
    assert box.y0 >= -0.02
    assert box.x1 <= figure.get_figwidth() + 0.02
    assert box.y1 <= figure.get_figheight() + 0.02


@pytest.mark.parametrize("name", plot.__all__)
@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_files_are_written(pictures, name, kind):
    """What a PNG has is drawn above."""
    file = io.BytesIO()
    np.ravel(pictures[name])[0].figure.savefig(file, format=kind)
    assert len(file.getvalue()) > 1000


def test_names_are_shown_as_they_are(pictures):
    texts = {}
    for name, axes in pictures.items():
        texts[name] = "\n".join(
            text.get_text() for text in list_texts(np.ravel(axes)[0].figure)
        )
        for text in list_texts(np.ravel(axes)[0].figure):
            if "x_1" in text.get_text():
                assert not text.get_parse_math()
                assert not text.get_usetex()
    for name in ("differences", "leaderboard", "learning_curves", "pairwise", "scores"):
        for shown in SHOWN:
            assert shown in texts[name], (name, shown)
    for name in ("dominance", "power"):
        for shown in SHOWN[:2]:
            assert shown in texts[name], (name, shown)
    for name in ("contingency", "critical_differences", "ranking"):
        assert SHOWN[0] in texts[name], name


def test_the_axes_given_are_the_ones_returned():
    given = []

    def make(shape):
        axes = Figure().subplots(*shape) if shape else Figure().subplots()
        given.append(axes)
        return axes

    found = draw_all(np, make)
    for axes in found.values():
        assert any(
            all(x is y for x, y in zip(np.ravel(axes), np.ravel(one), strict=True))
            for one in given
            if np.size(one) == np.size(axes)
        )


@pytest.mark.long
@pytest.mark.parametrize("library", ["torch", "jax.numpy", "array_api_strict", "cupy"])
def test_arrays_of_every_library(pictures, library):
    """The same numbers are drawn; of a seed, the same resamples."""
    for name, axes in draw_all(require(library)).items():
        for ax, expected in zip(np.ravel(axes), np.ravel(pictures[name]), strict=True):
            assert len(ax.lines) == len(expected.lines)
            if name == "study":
                continue  # its scores are drawn in the library's own width
            for line, other in zip(ax.lines, expected.lines, strict=True):
                xy, wanted = line.get_xydata(), other.get_xydata()
                np.testing.assert_allclose(xy, wanted, rtol=1e-4, atol=1e-4)


def test_traced_arrays_are_refused():
    jax = require("jax")
    table = sigarray.multi_aso(np.random.default_rng(0).normal(size=(3, 5)))

    def draw(eps_min):
        return plot.pairwise(table._replace(eps_min=eps_min)) and 0.0

    with pytest.raises(TypeError, match=r"got a traced array of JAX\. Return"):
        jax.jit(draw)(jax.numpy.asarray(table.eps_min))


def test_axes_that_are_none():
    a, b = np.random.default_rng(0).normal(size=(2, 6))
    with pytest.raises(TypeError, match=r"matplotlib.axes.Axes; got .*Figure. Pass"):
        plot.scores([a, b], ax=Figure())
    with pytest.raises(ValueError, match="Expected ax to be 2 axes; got 1"):
        plot.dominance(a, b, ax=Figure().subplots())
    with pytest.raises(ValueError, match="Expected ax to be 1 axes; got 2"):
        plot.scores([a, b], ax=Figure().subplots(2))


def run(program):
    return subprocess.run(
        [sys.executable, "-c", inspect.cleandoc(program)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
def test_matplotlib_is_imported_where_it_draws():
    process = run(
        """
        import sys
        from sigarray import plot
        assert not {"matplotlib", "torch", "jax", "pandas"} & set(sys.modules)
        plot.scores([[1.0, 2.0]]).figure
        assert "matplotlib" in sys.modules
        assert "matplotlib.pyplot" not in sys.modules
        """
    )
    assert process.returncode == 0, process.stderr


def test_a_missing_matplotlib_is_told_first():
    process = run(
        """
        import sys
        sys.modules["matplotlib"] = None
        from sigarray import plot
        TWO = ("contingency", "dominance", "power", "profiles", "replicates")
        for name in plot.__all__:
            try:
                if name == "study":
                    axes = dict.fromkeys("metrics items responses".split(), ["all"])
                    plot.study(None, **axes, perturbations=[0.0])
                elif name in TWO:
                    getattr(plot, name)(None, None)
                else:
                    getattr(plot, name)(None)
            except ImportError as error:
                assert 'pip install "sigarray[plot]"' in str(error)
            else:
                raise AssertionError(name)
        """
    )
    assert process.returncode == 0, process.stderr


@pytest.mark.long
def test_the_ground_is_white_and_letters_are_black_in_every_style():
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    plain = {"text.color": "w", "axes.labelcolor": "w", "xtick.color": "w"}
    ground = {"figure.facecolor": "k", "axes.facecolor": "k", "axes.grid": True}
    with mpl.rc_context(plain | ground | {"ytick.color": "w", "axes.edgecolor": "w"}):
        for name, axes in draw_all(np).items():
            figure = np.ravel(axes)[0].figure
            FigureCanvasAgg(figure).draw()
            colours = {to_hex(figure.get_facecolor())}
            colours |= {to_hex(ax.get_facecolor()) for ax in figure.axes}
            assert colours == {"#ffffff"}, name
            letters = {to_hex(x.get_color()) for x in list_texts(figure)}
            # White ones are on dark cells.
            assert letters <= {"#000000", "#737373", "#ffffff"}, name
            assert "#ffffff" not in letters or name in ("leaderboard", "pairwise")
            assert not any(x.get_visible() for x in figure.axes[0].get_xgridlines())


def test_curves_differ_without_colour():
    looks = [look_of(k)[1:] for k in range(40)]
    assert len(set(looks)) == 40


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1996, "0.1996"),
        (0.2, "0.20"),
        (0.2004, "0.20"),
        (0.19, "0.19"),
        (1.0, "1.00"),
    ],
)
def test_numbers_stand_on_their_side_of_the_threshold(value, shown):
    assert show_beside(value, 0.2) == shown


def test_long_names_keep_both_ends():
    assert show_name("abcdefghij", 5) == "ab…ij"
    assert show_name("abcde", 5) == "abcde"
    assert show_name(("x", 1)) == "('x', 1)"
    # Letters of Greek are one wide, and full-width ones two.
    assert show_name("αβγδε", 5) == "αβγδε"
    assert measure("\uff41\uff42c") == 5
