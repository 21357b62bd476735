"""Ways to call a public function: arrays of some shapes, options, what to expect."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import sigarray
from sigarray import responses


@dataclass(frozen=True)
class Case:
    """A function of samples of scores, the shapes of these, and its options."""

    id: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    options: dict[str, Any] = field(default_factory=dict)
    is_random: bool = False
    # What scores may be, where that is a few numbers.
    values: tuple[float, ...] = ()
    # Rounding of results in float32, for numbers around 1.
    float32_error: float = 1e-6
    # The place of a result that depends on the seed.
    drawn: int = -1
    # Among the benchmarks.
    is_timed: bool = False
    # Results, by their places, that move with the level of the scores; None: all do.
    moved: tuple[int, ...] | None = ()
    # The public function, where `function` is a way to call it.
    public: Callable[..., Any] | None = None

    # Whether `axis` says where the scores are.
    takes_axis = True

    @property
    def has_batch(self) -> bool:
        """Whether `batch` says how many replicates are computed at a time."""
        return "batch" in inspect.signature(self.public or self.function).parameters

    @property
    def has_one_result(self) -> bool:
        """A batch entry is NaN as a whole: it has no axis of models or of p-values."""
        return (self.public or self.function) is not sigarray.multi_aso

    @property
    def stretch(self) -> int:
        """By how much scores may be multiplied, so that integers of them differ."""
        return 1 if self.values or self.is_within_one else 4

    @property
    def is_within_one(self) -> bool:
        """Whether scores are numbers from 0 to 1."""
        return False

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

    def faults(self, is_on_host: bool) -> Sequence[float]:
        """List what makes a result NaN, where it is among the scores."""
        if (self.public or self.function) in (
            sigarray.mann_whitney_u,
            sigarray.brunner_munzel,
            sigarray.probability_of_improvement,
        ):
            return (np.nan,)  # infinite scores have ranks
        return (np.nan, np.inf, -np.inf)

    def assert_nan(self, results: Sequence[np.ndarray]) -> None:
        """See that the results of an entry with a fault say so."""
        for result in results:
            is_nan = np.isnan(result)
            assert is_nan.all() if self.has_one_result else is_nan.any()

    def assert_dtype(self, xp: Any, result: Any, dtype: Any) -> None:
        """See that a result has the dtype of the scores."""
        assert result.dtype == dtype

    def move_last(self, result: np.ndarray, axis: int) -> np.ndarray:
        """Move the axis of the scores to the end, where a result has it."""
        return result

    def __call__(self, *arrays: Any, **changes: Any) -> tuple[Any, ...]:
        """Call the function with its options, and return its arrays as a tuple."""
        options = self.options | changes
        if self.is_random:
            options.setdefault("rng", 11)
        return tuple(_leaves(self.function(*arrays, **options)))


@dataclass(frozen=True)
class CaseOfResponses(Case):
    """A function of items with several responses each, where NaN is a missing one."""

    # On a scale from 0 to 1.
    is_likert: bool = False

    takes_axis = False

    @property
    def is_within_one(self) -> bool:
        return self.is_likert

    def faults(self, is_on_host: bool) -> Sequence[float]:
        return (np.inf, -np.inf)

    def assert_nan(self, results: Sequence[np.ndarray]) -> None:
        if self.function is not responses.resample:
            super().assert_nan(results)
            return
        gold, *systems = results
        assert np.isnan(gold).all()
        assert not any(np.isnan(x).all() for x in systems)


@dataclass(frozen=True)
class CaseOfPValues(Case):
    """A correction of p-values: one number for each of them, or a count of them."""

    @property
    def is_count(self) -> bool:
        """Whether the result is how many are significant."""
        return self.function is sigarray.count_significant

    @property
    def has_one_result(self) -> bool:
        return self.is_count

    @property
    def is_within_one(self) -> bool:
        return True

    def faults(self, is_on_host: bool) -> Sequence[float]:
        # Others are refused where that waits for no device.
        return (np.nan,) if is_on_host else super().faults(is_on_host)

    def assert_nan(self, results: Sequence[np.ndarray]) -> None:
        if not self.is_count:  # which leaves them out
            super().assert_nan(results)

    def assert_dtype(self, xp: Any, result: Any, dtype: Any) -> None:
        if self.is_count:
            assert xp.isdtype(result.dtype, "integral")
        else:
            super().assert_dtype(xp, result, dtype)

    def move_last(self, result: np.ndarray, axis: int) -> np.ndarray:
        return result if self.is_count else np.moveaxis(result, axis, -1)


def _leaves(result: Any) -> Iterator[Any]:
    """Yield the arrays of a result that may hold other results."""
    if not isinstance(result, tuple):
        yield result
        return
    for part in result:
        yield from _leaves(part)
