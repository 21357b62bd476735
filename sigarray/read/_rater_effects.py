"""How strict raters are, and whether that, or their taste, differs between models."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sigarray.read._codes import Coded
from sigarray.read._records import Records

# In so many cases, or fewer, chance leads to a doubt; and if noise is skewed or not the
# same for all raters, if ratings are rounded, and with few items or raters.
_LEVEL, _N_DRAWN = 0.005, 999
# The most ratings, and products of raters and models, that are looked at.
_MAX_RATINGS, _MAX_COLUMNS = 10_000, 300
# Of a model, the share of ratings whose raters cannot be compared with others.
_MAX_APART = 0.05
# The most variance of what raters add to differences, in parts of that of these.
_MAX_NOISE = 2.0


class Ratings(NamedTuple):
    """Ratings, and the numbers of their models, items and raters, from 0."""

    scores: np.ndarray
    models: np.ndarray
    items: np.ndarray
    raters: np.ndarray


class Shift(NamedTuple):
    """By how much raters alone lower the mean of one model below that of another.

    `ends` are both. It `is_beyond` chance, or raters `are_apart`, if those of models
    can hardly be compared, and not by chance.
    """

    ends: tuple[int, int]
    size: float
    is_beyond: bool
    are_apart: bool


def list_ratings(records: Records, raters: Coded) -> Ratings:
    codes = [*(records.factors[x].codes for x in ("model", "item")), raters.codes]
    is_known = np.all([x >= 0 for x in codes], axis=0) & ~np.isnan(records.scores)
    return Ratings(*(x[is_known] for x in (records.scores, *codes)))


def depend_on_raters(parts: Iterable[Ratings]) -> bool:
    """Tell whether raters prefer some models, more than by chance.

    This is the score test of rater-by-model effects beside effects of raters and of
    items by model, with random signs of items.
    """
    return _exceed(_find_tastes(_choose(x)[0]) for x in parts)


def find_shift(ratings: Ratings) -> Shift:
    """Find by how much models differ because of their raters, who vary in severity.

    Chance swaps the raters of an item between models, and makes them seem strict.
    """
    ratings, known = _choose(ratings)
    n_models = max(1, len(known))
    table, starts, n_cells = _tabulate(ratings, n_columns=0)
    n_raters = table.shape[1] - 1 - n_models
    effects, inner = table[:, 1:], table[:, 1:].T @ table[:, 1:]
    inverse = np.linalg.pinv(inner, hermitian=True, rcond=1e-9)
    severities = inverse @ (effects.T @ table[:, 0])
    # Shares (items, models, raters) of the ratings.
    shares = np.zeros((len(starts), n_models, n_raters))
    items = np.repeat(np.arange(len(starts)), np.diff([*starts, len(table)]))
    np.add.at(shares, (items, ratings.models, ratings.raters), 1.0)
    sizes = np.sum(shares, axis=2, keepdims=True)
    are_of_all = np.all(sizes > 0.0, axis=(1, 2))
    sizes = sizes[are_of_all]
    shares = shares[are_of_all] / sizes
    weights = np.sqrt(np.maximum(np.sum(shares, axis=(0, 1)), 1.0))
    shares -= np.mean(shares, axis=1, keepdims=True)
    of_items = np.round(shares @ severities[:n_raters], 9)
    unlike = np.zeros((n_models, len(inner)))
    if len(shares):
        unlike[:, :n_raters] = np.mean(shares, axis=0)
    unknown = np.abs(unlike - unlike @ inverse @ inner)[:, :n_raters].sum(axis=1)
    is_known = bool(unknown.max() <= _MAX_APART)
    are_apart = not is_known
    means = unlike[:, :n_raters] @ severities[:n_raters]
    low, high = np.argmin(means), np.argmax(means)
    # Means of raters who are as strict as each other are noise, as means of items are.
    added = effects @ (inverse @ unlike.T)
    lengths = np.linalg.eigvalsh(added.T @ added)
    noise = (1.0 - 1.0 / n_models) * np.sum(1.0 / sizes) / max(len(sizes), 1) ** 2
    are_apart |= bool(np.sum(lengths) > _MAX_NOISE * noise)
    left = table[:, 0] - effects @ severities
    df = max(len(table) - n_cells - np.sum(inverse * inner), 1.0)
    generator = np.random.default_rng(0)
    drawn = generator.normal(size=(_N_DRAWN, n_models)) ** 2 @ lengths
    drawn *= (left @ left) / generator.chisquare(df, _N_DRAWN)
    is_known &= bool(np.count_nonzero(drawn >= means @ means) < _LEVEL * _N_DRAWN)
    return Shift(
        (int(known[low]), int(known[high])) if len(known) else (0, 0),
        float(means[high] - means[low]),
        is_known and _exceed([(of_items, 1.0)]),
        are_apart and _exceed([((shares / weights).reshape(len(shares), -1), 1.0)]),
    )


def _choose(ratings: Ratings) -> tuple[Ratings, np.ndarray]:
    """Return ratings of the first items, by who rated most; and their models."""
    order = np.lexsort((ratings.models, ratings.items))[:_MAX_RATINGS]
    some = Ratings(*(x[order] for x in ratings))
    n_models = len(np.unique(some.models))
    counts = np.bincount(some.raters)
    most = np.argsort(-counts, kind="stable")[: max(2, _MAX_COLUMNS // (n_models or 1))]
    some = Ratings(*(x[np.isin(some.raters, most)] for x in some))
    codes = (np.unique(x, return_inverse=True)[1] for x in some[1:])
    return Ratings(some.scores, *codes), np.unique(some.models)


def _tabulate(ratings: Ratings, n_columns: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return columns of scores, tastes, raters and models, without means of cells.

    These are items by model, or items if few of such cells have several ratings. And
    where items start, and the number of means. No tastes are `n_columns` of 0.
    """
    scores, models, items, raters = ratings
    n_models = int(models.max(initial=0)) + 1
    cells = items * n_models + models
    columns = [scores[:, None]]
    if n_columns:
        columns.append(np.eye(n_columns)[raters * n_models + models])
    columns += [np.eye(int(x.max(initial=0)) + 1)[x] for x in (raters, models)]
    table = np.concatenate(columns, axis=1)
    starts, at = (np.flatnonzero(np.diff(x, prepend=-1)) for x in (items, cells))
    if 2 * len(at) > len(scores):
        at = starts
    if len(scores):
        sizes = np.diff([*at, len(scores)])
        means = np.add.reduceat(table, at) / sizes[:, None]
        table -= np.repeat(means, sizes, axis=0)
    return table, starts, len(at)


def _find_tastes(ratings: Ratings) -> tuple[np.ndarray, float]:
    """Return what each item adds to the tastes of raters: a row of numbers.

    And the share of the noise that is left in them.
    """
    n_models, n_raters = (
        int(x.max(initial=0)) + 1 for x in (ratings.models, ratings.raters)
    )
    n_columns = n_models * n_raters
    table, starts, n_cells = _tabulate(ratings, n_columns)
    spread = np.std(ratings.scores) if len(ratings.scores) else 0.0
    if spread == 0.0:
        return np.zeros((0, 1)), 1.0
    others, own = table[:, 1 + n_columns :], table[:, : 1 + n_columns]
    inner = others.T @ others
    inverse = np.linalg.pinv(inner, hermitian=True, rcond=1e-9)
    own = own - others @ (inverse @ (others.T @ own))
    residuals, tastes = np.round(own[:, 0] / spread, 9), own[:, 1:]
    values, vectors = np.linalg.eigh(tastes.T @ tastes)
    is_known = values > 1e-9 * max(values[-1], 1.0)
    tastes = tastes @ (vectors[:, is_known] / np.sqrt(values[is_known]))
    found = np.add.reduceat(residuals[:, None] * tastes, starts)
    # Residuals are smaller than noise, of which effects of raters take their part.
    n_taken = np.sum(inverse * inner)
    left = 1.0 - n_taken / max(len(table) - n_cells, n_taken + 1.0)
    return found / (np.std(residuals) or 1.0), left


def _exceed(parts: Iterable[tuple[np.ndarray, float]]) -> bool:
    """Tell whether sums of rows are larger than those with random signs of rows.

    These are made larger, if rows have a share of their noise alone.
    """
    squares, generator = np.zeros(_N_DRAWN + 1), np.random.default_rng(0)
    for rows, share in parts:
        signs = 1.0 - 2.0 * generator.integers(0, 2, (len(squares), len(rows)))
        signs[0] = np.sqrt(share)
        squares += np.sum((signs @ rows) ** 2, axis=1) / share
    n_beyond = np.count_nonzero(squares >= squares[0] * (1.0 - 1e-9))
    return bool(n_beyond <= _LEVEL * len(squares))
