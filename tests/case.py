"""A way to call a public function: arrays of some shapes, options, what to expect."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import sigarray


@dataclass(frozen=True)
class Case:
    """A function of some arrays, the shapes of these, and its options."""

    id: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    options: dict[str, Any] = field(default_factory=dict)
    is_random: bool = False
    has_batch: bool = True
    # Corrections of p-values give one number for each, or a count of them.
    takes_p_values: bool = False
    keeps_axis: bool = False
    # Of items with several responses each, where NaN is a missing one.
    takes_responses: bool = False
    # P-values, or responses on a scale from 0 to 1.
    is_within_one: bool = False
    # What scores may be, where that is a few numbers.
    values: tuple[float, ...] = ()
    # Rounding of results in float32, for numbers around 1.
    float32_error: float = 1e-6
    # The place of a result that depends on the seed.
    drawn: int = -1
    # Gives a number of p-values.
    is_count: bool = False
    # Among the benchmarks.
    is_timed: bool = False
    # Results, by their places, that move with the level of the scores; None: all do.
    moved: tuple[int, ...] | None = ()
    # The public function, where `function` is a way to call it.
    public: Callable[..., Any] | None = None

    @property
    def has_one_result(self) -> bool:
        """A batch entry is NaN as a whole: it has no axis of models or of p-values."""
        is_of_models = (self.public or self.function) is sigarray.multi_aso
        return not is_of_models and not self.keeps_axis

    def samples(self, *leading: int) -> list[np.ndarray]:
        """Scores as float32 holds them, so that every dtype sees the same ones."""
        rng = np.random.default_rng(7)
        if self.is_within_one:
            (shape,) = self.shapes
            shares = rng.uniform(0.0, 1.0, (*leading, *shape)) ** 3
            return [shares.astype(np.float32).astype(np.float64)]
        draws = (
            rng.normal(0.2 * k, 1.0 + 0.3 * k, (*leading, *shape))
            for k, shape in enumerate(self.shapes)
        )
        if self.values:
            last = len(self.values) - 1
            places = (np.clip(np.round(x + 0.5 * last), 0, last) for x in draws)
            return [np.asarray(self.values)[x.astype(int)] for x in places]
        return [draw.astype(np.float32).astype(np.float64) for draw in draws]

    def __call__(self, *arrays: Any, **changes: Any) -> tuple[Any, ...]:
        """Call the function with its options, and give its arrays as a tuple."""
        options = self.options | changes
        if self.is_random:
            options.setdefault("rng", 11)
        return tuple(_leaves(self.function(*arrays, **options)))


def _leaves(result: Any) -> Iterator[Any]:
    """Yield the arrays of a result that may hold other results."""
    if not isinstance(result, tuple):
        yield result
        return
    for part in result:
        yield from _leaves(part)
