"""Models of items and their responses, from which test sets are simulated."""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.checks import check_choice, describe, number, show
from sigarray._backend.library import Library
from sigarray._backend.threefry import exponentials, uniforms

# (item means, item standard deviations, uniforms) -> responses.
Response = Callable[[Array, Array, Array], Array]


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
ModelName = Literal["normal", "likert"]
MODELS: dict[ModelName, Model] = {"normal": NormalModel(), "likert": LikertModel()}


def choose_model(model: Model | ModelName) -> Model:
    """Return a model, or that of a name.

    Raises
    ------
    ValueError, TypeError
        A name that is unknown, or no model at all.
    """
    if isinstance(model, str):
        check_choice("model", model, MODELS)
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
    """Return one float32 normal for two words."""
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
