"""What `sigarray power` found on each task, and what was asked."""

from dataclasses import dataclass

from sigarray._cli.power_lift import Lift
from sigarray._cli.power_sizes import SizedPair
from sigarray._plain_text import quote
from sigarray._verdicts.comparison import Comparison


@dataclass(frozen=True)
class Goal:
    """How often a difference of scores is to be seen.

    With a margin it is to be seen that the first model of a pair is not worse by it;
    of several tasks, over all of them, with as many scores on each.
    Below a number of runs, the test asks Welch's, too, if it is not None.
    """

    power: float
    unit: str
    asks_welch_below: int | None = None
    margin: float | None = None
    n_tasks: int = 1

    @property
    def units(self) -> str:
        """What models have more or fewer of."""
        return f"{self.unit}s"

    @property
    def each(self) -> str:
        """Says of runs that every model has so many: items are those of all models."""
        each = " of each model" if self.unit == "run" else ""
        return f"{each}{self.where}"

    @property
    def where(self) -> str:
        """Where so many scores are."""
        return f" on each of {self.n_tasks} tasks" if self.n_tasks > 1 else ""

    @property
    def difference(self) -> str:
        """What is to be seen of a pair, A and B, in a title."""
        if self.margin is None:
            return "the difference"
        return f"that A is not worse than B by {self.margin:.10g} or more"

    def say(self, a: str, b: str) -> str:
        """Say what is to be seen of two models."""
        if self.margin is None:
            return f"that {quote(a)} is better than {quote(b)}"
        worse = f"worse than {quote(b)} by {self.margin:.10g} or more"
        return f"that {quote(a)} is not {worse}"


@dataclass(frozen=True)
class Answer:
    """The results of a task, in samples of up to the largest size.

    There are powers to see a lift of the scores of each model if there is a lift.
    """

    task: str
    comparison: Comparison
    powers: dict[str, float]
    pairs: list[SizedPair]
    largest: int
    lift: Lift | None


def say_lift(answers: list[Answer]) -> str:
    """Name the lift that is to be seen, which may be another one on each task."""
    said = {x.lift.said for x in answers if x.lift is not None}
    return said.pop() if len(said) == 1 else "the lift of each task"


def say_jump(answers: list[Answer], goal: Goal) -> list[str]:
    """Say where power may jump, if sizes that were tried are on both sides of it."""
    limit = goal.asks_welch_below
    tried = [size for x in answers for pair in x.pairs for size in pair.shares]
    if limit is None or not tried or not min(tried) < limit <= max(tried):
        return []
    return [
        f"Power may jump at {limit} runs: with fewer, a difference also has to pass "
        "Welch's test."
    ]
