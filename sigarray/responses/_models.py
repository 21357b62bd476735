"""Models of items and responses: to simulate test sets, or fitted to real ones."""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from sigarray._backend.callers import Array, Seed
from sigarray._backend.checks import choice, describe, number, show
from sigarray._backend.chunks import map_entries
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import exponentials, normals, seed_words, uniforms
from sigarray._backend.threefry import random_words
from sigarray.responses._measures import add_up, average, standardize_responses

# (item means, item standard deviations, uniforms) -> responses.
Response = Callable[[Array, Array, Array], Array]
ModelName = Literal["normal", "likert"]
# The mode of the deviations of a `LikertModel`, as a share between the ends.
_MODE_SHARE = 0.52
# The number of items that are simulated for a Likert scale, and of rounds.
_ITEMS, _ROUNDS = 2**14, 12


def check_parameter(name: str, value: Any) -> Any:
    """Return a number as a float, or an array of shape () as it is."""
    if isinstance(value, int | float | np.generic):
        return number(name, value)
    if getattr(value, "shape", None) == ():
        return value
    got = f"shape {tuple(value.shape)}" if hasattr(value, "shape") else show(value)
    msg = f"Expected {name} to be a number, or an array of shape (); got {got}."
    raise TypeError(msg)


class NormalModel(NamedTuple):
    """Items of uniform mean and standard deviation, with normal responses.

    It is Algorithm 3 of [1]_. The text has 0.2 as the largest standard deviation; 0.3
    reproduces its tables.

    Attributes
    ----------
    mean_low, mean_high : float or array of shape ()
        Range of the means of items. A perturbed mean is clamped to it.
    sd_low, sd_high : float or array of shape ()
        Range of the standard deviations of the responses to an item.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`
    """

    mean_low: float | Array = 0.0
    mean_high: float | Array = 1.0
    sd_low: float | Array = 0.0
    sd_high: float | Array = 0.3

    def check(self) -> None:
        """Raise where numbers are out of order; nothing is known of arrays."""
        _check_ascending(self, "mean_low", "mean_high")
        _check_ascending(self, 0.0, "sd_low", "sd_high")

    def draw_items(self, xp: Library, words: Array, dtype: Any) -> tuple[Array, Array]:
        """Return means and standard deviations for words of shape (3, ...)."""
        u, _, v = (xp.astype(uniforms(xp, words[i, ...]), dtype) for i in range(3))
        mean = self.mean_low + (self.mean_high - self.mean_low) * u
        return mean, self.sd_low + (self.sd_high - self.sd_low) * v

    def clamp_means(self, xp: Library, mean: Array) -> Array:
        """Move means into their range."""
        return xp.where(
            mean < self.mean_low,
            self.mean_low,
            xp.where(mean > self.mean_high, self.mean_high, mean),
        )

    def respond(self, xp: Library, normal: Array) -> Array:  # noqa: ARG002
        """Return the responses for normal ones."""
        return normal


class LikertModel(NamedTuple):
    """Items like those of ratings of toxicity: most means low, responses on a scale.

    It is that of section 6 and appendix B of [1]_, on [0, 1]. An item's mean is
    min(abs(N(0, mean_scale^2)), mean_high), its standard deviation triangular and then
    clamped to [0, 1]; responses are normal, clamped to [0, 1] and floored to one of
    `n_levels` levels, 0, 0.2, ..., 0.8 by default.

    Attributes
    ----------
    mean_scale, mean_high : float or array of shape ()
        Scale and bound of the means of items.
    sd_low, sd_mode, sd_high : float or array of shape ()
        Ends and mode of the triangular distribution of standard deviations.
    n_levels : int
        Levels of the scale.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`
    """

    mean_scale: float | Array = 0.28
    mean_high: float | Array = 0.8
    sd_low: float | Array = -0.05
    sd_mode: float | Array = 0.21
    sd_high: float | Array = 0.45
    n_levels: int | Array = 5

    def check(self) -> None:
        """Raise where numbers are out of order; nothing is known of arrays."""
        _check_ascending(self, 0.0, "mean_scale")
        _check_ascending(self, 0.0, "mean_high", 1.0)
        _check_ascending(self, "sd_low", "sd_mode", "sd_high")
        _check_ascending(self, 1, "n_levels")
        if isinstance(self.n_levels, float) and self.n_levels % 1.0:
            msg = f"Expected n_levels to be an integer; got {self.n_levels}."
            raise ValueError(msg)

    def draw_items(self, xp: Library, words: Array, dtype: Any) -> tuple[Array, Array]:
        """Return means and standard deviations for words of shape (3, ...)."""
        normal = _box_muller(xp, words[0, ...], words[1, ...])
        mean = xp.astype(xp.abs(normal), dtype) * self.mean_scale
        mean = xp.where(mean > self.mean_high, self.mean_high, mean)
        u = xp.astype(uniforms(xp, words[2, ...]), dtype)
        width = self.sd_high - self.sd_low
        rise, fall = self.sd_mode - self.sd_low, self.sd_high - self.sd_mode
        is_rising = u * width < rise
        rising = self.sd_low + (u * (width * rise)) ** 0.5
        falling = self.sd_high - ((1.0 - u) * (width * fall)) ** 0.5
        return mean, xp.clip(xp.where(is_rising, rising, falling), 0.0, 1.0)

    def clamp_means(self, xp: Library, mean: Array) -> Array:
        """Move means into [0, 1]."""
        return xp.clip(mean, 0.0, 1.0)

    def respond(self, xp: Library, normal: Array) -> Array:
        """Return the responses for normal ones."""
        level = xp.floor(xp.clip(normal, 0.0, 1.0) * self.n_levels)
        return xp.where(level == self.n_levels, level - 1.0, level) / self.n_levels


Model = NormalModel | LikertModel
MODELS: dict[ModelName, Model] = {"normal": NormalModel(), "likert": LikertModel()}


def choose_model(model: Model | ModelName) -> Model:
    if isinstance(model, str):
        choice(*MODELS)("model", model)
        model = MODELS[model]
    if isinstance(model, NormalModel | LikertModel):
        kind = type(model)
        model = kind(*map(check_parameter, model._fields, model))
        model.check()
        return model
    msg = (
        f"Expected model to be 'normal', 'likert', a NormalModel or a LikertModel; got "
        f"{describe(model)}. Responses of another distribution are the option response."
    )
    raise TypeError(msg)


def _box_muller(xp: Library, radius_words: Array, angle_words: Array) -> Array:
    radius = xp.sqrt(2.0 * exponentials(xp, uniforms(xp, radius_words)))
    return radius * xp.cos((2.0 * math.pi) * uniforms(xp, angle_words))


def _check_ascending(model: Any, *fields: str | float) -> None:
    values = [getattr(model, x) if isinstance(x, str) else x for x in fields]
    if not all(isinstance(x, int | float) for x in values):
        return
    if values != sorted(values):
        names = " <= ".join(map(str, fields))
        numbers = ", ".join(f"{x:g}" for x in values)
        msg = f"Expected {names} in {type(model).__name__}; got {numbers}."
        raise ValueError(msg)


class _Moments(NamedTuple):
    mean: Array
    variance: Array
    mean_sd: Array
    sd_variance: Array


@checked(model=choice(*MODELS))
def fit(gold: Array, /, *, model: ModelName = "normal") -> Model:
    """Fit a model of items and raters to real responses.

    With it, `simulate` and `power` tell how many items and raters an evaluation like
    this one needs.

    Parameters
    ----------
    gold : array, shape (..., n_items, k), real
        Responses; NaN is a missing one. Leading axes are batches.
    model : {"normal", "likert"}, default: "normal"
        The model to fit. "likert" is for responses on [0, 1] of which many are low, of
        one system or of gold.

    Returns
    -------
    NormalModel or LikertModel
        Its parameters are arrays of shape (...), on the device and of the float dtype
        of the responses. NaN for a batch entry with an infinite response, with an item
        without any, or without any item that has two; for "likert", with a response
        outside [0, 1].

    Raises
    ------
    TypeError
        Responses that are not real numbers.
    ValueError
        A shape without items, or a model that is unknown.

    Notes
    -----
    Moments are matched: mean and variance of the item means, less the part of the
    responses; mean and variance of the items' standard deviations, which for k normal
    responses are c_4(k) on average, with unbiased squares. A Likert scale cuts off
    responses beyond its ends, so that its parameters are those with which simulated
    responses have these moments (only the mean square of the means; the triangle keeps
    its shape, and `mean_high` and `n_levels` their defaults).

    Examples
    --------
    >>> from sigarray import responses
    >>> ratings = responses.simulate(2000, 5, rng=0).gold
    >>> model = responses.fit(ratings)
    >>> round(float(model.mean_high), 1), round(float(model.sd_high), 1)
    (1.0, 0.3)
    """
    xp, (gold,) = standardize_responses(gold)
    if model == "normal":
        return _fit_normal(xp, gold)
    return _fit_likert(xp, gold, seed_words(xp, 0))


@array_kernel
def _fit_normal(xp: Library, gold: Array) -> NormalModel:
    """Return the uniform ranges with the same means and variances."""
    moments = _find_moments(xp, gold)
    half = xp.sqrt(3.0 * xp.clip(moments.variance, 0.0, None))
    sd_half = xp.sqrt(3.0 * moments.sd_variance)
    # A lower end of 0 rather than below, with the same mean.
    sd_half = xp.where(sd_half > moments.mean_sd, moments.mean_sd, sd_half)
    return NormalModel(
        moments.mean - half,
        moments.mean + half,
        moments.mean_sd - sd_half,
        moments.mean_sd + sd_half,
    )


@array_kernel
def _fit_likert(xp: Library, gold: Array, seed: Seed) -> LikertModel:
    """Return the parameters with which simulated responses have the same moments.

    A scale cuts off many responses, so that their moments are not those of the items.
    So the parameters are corrected by the moments of simulated responses, with the same
    random numbers in every round.
    """
    k = gold.shape[-1]
    n_pairs = -(-_ITEMS * k // 2)
    width = 3 * _ITEMS + 2 * n_pairs
    words = random_words(xp, seed, 0, 1, width)[0, ...]
    item_words = xp.reshape(words[: 3 * _ITEMS], (3, _ITEMS))
    uniform = uniforms(xp, words[3 * _ITEMS :])
    normal = normals(xp, uniform[:n_pairs], uniform[n_pairs:])[: _ITEMS * k]
    normal = xp.astype(xp.reshape(normal, (_ITEMS, k)), gold.dtype)

    twin = xp.arange(_ITEMS) % gold.shape[-2]

    fit_entries = functools.partial(_fit_entries, xp, item_words, normal, twin)
    leading = gold.shape[:-2]
    flat = xp.reshape(gold, (math.prod(leading), *gold.shape[-2:]))
    rows = map_entries(xp, fit_entries, [flat], elements=_ITEMS * k)
    return LikertModel(*(xp.reshape(rows[i, ...], leading) for i in range(6)))


def _fit_entries(
    xp: Library, item_words: Array, normal: Array, twin: Array, gold: Array
) -> Array:
    off_scale = xp.any((gold < 0.0) | (gold > 1.0), axis=(-2, -1), keepdims=True)
    gold = xp.where(off_scale, math.nan, gold)
    # Simulated items have as many responses as the given ones.
    is_there = xp.take(~xp.isnan(gold), twin, axis=-2)
    goal = _find_moments(xp, gold)
    sizes = goal_sizes = _find_sizes(xp, goal)
    fault = goal.mean - goal.mean
    for _ in range(_ROUNDS):
        # Axes for items and for their responses follow.
        parameters = [x[:, None, None] for x in _make_likert(sizes, fault)]
        model = LikertModel(*parameters)
        mean, sd = model.draw_items(xp, item_words[..., None], gold.dtype)
        drawn = model.respond(xp, mean + sd * normal)
        drawn = xp.where(is_there, drawn, math.nan)
        simulated = _find_sizes(xp, _find_moments(xp, drawn))
        sizes = [
            # A size of 0 gives no correction.
            x * xp.clip(wanted / xp.where(size > 0.0, size, 1.0), 0.5, 2.0)
            for x, size, wanted in zip(sizes, simulated, goal_sizes, strict=True)
        ]
    return xp.stack(_make_likert(sizes, fault))


def _find_sizes(xp: Library, moments: _Moments) -> list[Array]:
    """Return root mean square of item means, and mean and deviation of deviations."""
    square = moments.variance + moments.mean * moments.mean
    scale = xp.sqrt(xp.clip(square, 0.0, None))
    return [scale, moments.mean_sd, xp.sqrt(moments.sd_variance)]


def _make_likert(sizes: list[Array], fault: Array) -> list[Array]:
    scale, mean_sd, sd_spread = sizes
    width = sd_spread * math.sqrt(18.0 / (1.0 - _MODE_SHARE * (1.0 - _MODE_SHARE)))
    low = mean_sd - width * (1.0 + _MODE_SHARE) / 3.0
    default = LikertModel()
    parameters = (
        scale,
        default.mean_high,
        low,
        low + _MODE_SHARE * width,
        low + width,
        default.n_levels,
    )
    return [x + fault for x in parameters]


def _find_moments(xp: Library, gold: Array) -> _Moments:
    """Return the moments of the items, less the part of the responses."""
    is_there = ~xp.isnan(gold)
    count = add_up(xp, xp.astype(is_there, gold.dtype))
    # Relative to the smallest, beside which responses may vary little.
    smallest = xp.min(xp.where(is_there, gold, math.inf), axis=(-2, -1))
    middle = xp.where(xp.isfinite(smallest), smallest, math.nan)
    gold = gold - middle[..., None, None]
    item_mean = average(xp, gold, "mean")
    deviation = xp.where(is_there, gold - item_mean[..., None], 0.0)
    has_several = count > 1.5
    df = xp.where(has_several, count - 1.0, 1.0)
    variance = add_up(xp, deviation * deviation) / df
    # Faults make these NaN, through the item means.
    n_several = xp.sum(xp.astype(has_several, gold.dtype), axis=-1)
    n_several = xp.where(n_several > 0.0, n_several, math.nan)

    def mean_of_items(x: Array) -> Array:
        return xp.sum(xp.where(has_several, x, 0.0), axis=-1) / n_several

    mean_variance = mean_of_items(variance)
    mean_sd = mean_of_items(xp.sqrt(variance) / _sd_bias(xp, df))
    noise = mean_variance * xp.mean(1.0 / xp.where(count > 0.0, count, 1.0), axis=-1)
    mean = xp.mean(item_mean, axis=-1)
    return _Moments(
        middle + mean,
        xp.mean((item_mean - mean[..., None]) ** 2, axis=-1) - noise,
        mean_sd,
        xp.clip(mean_variance - mean_sd * mean_sd, 0.0, None),
    )


def _sd_bias(xp: Library, df: Array) -> Array:
    """Return c_4: the mean standard deviation of a standard normal sample.

    Gamma(x + 1/2) / Gamma(x) / x^1/2 with x = df / 2, by its series at x + 2.
    """
    x = 0.5 * df
    y = 1.0 / (x + 2.0)
    series = 1.0 + y * (-1 / 8 + y * (1 / 128 + y * (5 / 1024 - y * 21 / 32768)))
    shift = x * (x + 1.0) / ((x + 0.5) * (x + 1.5))
    return series * shift * xp.sqrt((x + 2.0) / x)
