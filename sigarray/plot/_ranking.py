"""Models in order, as in a diagram of critical differences."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._ranking import list_groups, read_pairs
from sigarray.plot._critical_differences import draw_on_axis
from sigarray.plot._fonts import draws
from sigarray.plot._style import MOST_MODELS, check_axes
from sigarray.results import PairwiseAsoResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draws
def ranking(
    result: PairwiseAsoResult,
    /,
    names: Iterable[Hashable] | None = None,
    *,
    threshold: float = 0.2,
    ax: Any = None,
) -> "Axes":
    """Draw models from best to worst; bars join those that nothing tells apart.

    The groups are those of `sigarray.ranking`. Each model is at its mean violation
    ratio over the others: 0 if it dominates them all, 1 if all dominate it; 0.5 is as
    good as the others. The ratio comes from `multi_aso`, which knows whether higher
    scores are better: the best are on the left, with losses too. A bar has a square at
    each model of its group, and at no other one that it passes.

    Parameters
    ----------
    result : PairwiseAsoResult
        The result of `multi_aso` for K models, with arrays of shape (K, K) of any
        library. They are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models, such as the mapping that was passed to `multi_aso`; by
        default their places, 0 to K - 1.
    threshold : float, default: 0.2
        One model is better than another where its bound eps_min is below this; above 0
        and at most 0.5.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

        A new figure is two columns wide for more than 10 models.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. Of more than 40 models the best 40
        are drawn, and a line counts the others.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but a result of `multi_aso`, or a traced one.
    ValueError
        A result of several batch entries, or with NaN; a different number of names, or
        a name twice; a threshold outside (0, 0.5].

    See Also
    --------
    pairwise : the bounds behind it.
    critical_differences : for other tests.

    Examples
    --------
    >>> from sigarray import multi_aso, plot
    >>> scores = {
    ...     "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...     "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...     "boosted": [0.89, 0.90, 0.88, 0.91, 0.90],
    ... }
    >>> ax = plot.ranking(multi_aso(scores), scores)
    >>> [text.get_text() for text in ax.texts if text.get_label() == "model"]
    ['boosted', 'forest', 'linear']
    >>> sum(line.get_label() == "bar" for line in ax.lines)
    1
    """
    given = check_axes(ax)
    labels, beats, ratios = read_pairs(result, threshold, names)
    # Without the diagonal, which is 0.5.
    means = (ratios.sum(axis=1) - 0.5) / max(len(labels) - 1, 1)
    shown = np.argsort(means, kind="stable")[:MOST_MODELS]
    groups = list_groups((beats | beats.T)[np.ix_(shown, shown)])
    return draw_on_axis(
        dict(zip(labels, means.tolist(), strict=True)),
        [[labels[shown[k]] for k in group] for group in groups],
        limits=(0.0, 1.0),
        label="mean violation ratio (best on the left)",
        says=f"no eps_min among them below {threshold:g}",
        ax=given,
    )
