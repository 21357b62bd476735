"""Search for calls that break a promise, and print each as a program.

    python -m benchmarks.fuzz --seconds 3600 --seed 0 --backends numpy,torch,jax

The same seed makes the same search, as far as the time reaches. The exit status is 1
where something was found.
"""

import argparse
import itertools
import math
import random
import sys
import time
from collections.abc import Collection, Iterator, Sequence

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from benchmarks.fuzz.checks import CHECKS, Check, Fault, Key
from benchmarks.fuzz.functions import FUNCTIONS
from benchmarks.fuzz.options import Function

BACKENDS = ("numpy", "torch", "jax.numpy", "array_api_strict")
SETTINGS = hypothesis.settings(
    max_examples=12,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
    verbosity=Verbosity.quiet,
    print_blob=False,
)
# Programs of JAX take memory that is never given back.
SEARCHES_PER_CACHE = 200


def fuzz(
    seconds: float, seed: int, backends: Sequence[str], off: Collection[str] = ()
) -> Iterator[Fault]:
    """Search until the time is over; kinds of faults that are off do not count."""
    known: set[Key] = set()
    end = time.monotonic() + seconds
    for round_ in itertools.count():
        searches = list(itertools.product(CHECKS, FUNCTIONS))
        random.Random(f"{seed} {round_}").shuffle(searches)
        for place, (check, function) in enumerate(searches):
            if time.monotonic() > end:
                return
            number = hash((seed, round_, place))
            found = search(
                check, function, backends, number, off=off, known=known, end=end
            )
            yield from found.values()
            known |= found.keys()
            if place % SEARCHES_PER_CACHE == 0 and "jax" in sys.modules:
                sys.modules["jax"].clear_caches()


def search(
    check: Check,
    function: Function,
    backends: Sequence[str],
    seed: int,
    *,
    off: Collection[str] = (),
    known: Collection[Key] = (),
    end: float = math.inf,
) -> dict[Key, Fault]:
    """Draw some calls, and shrink those that are at fault and not known to be."""
    found: dict[Key, Fault] = {}

    @hypothesis.seed(seed)
    @SETTINGS
    @hypothesis.given(st.data())
    def run(data: st.DataObject) -> None:
        if time.monotonic() > end and not found:
            return
        try:
            check(data.draw, function, backends)
        except Fault as fault:
            if fault.kind not in off and fault.key not in known:
                # The last time is the smallest.
                found[fault.key] = fault
                raise

    try:
        run()
    except (Fault, HypothesisException, BaseExceptionGroup):
        # Hypothesis wonders where a search is cut short.
        if not found and time.monotonic() <= end:
            raise
    return found


def main() -> int:
    """Read the options, search, and print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backends", default=",".join(BACKENDS))
    options = parser.parse_args()
    names = {"jax": "jax.numpy"}
    backends = [names.get(name, name) for name in options.backends.split(",")]
    count = 0
    for fault in fuzz(options.seconds, options.seed, backends):
        count += 1
        name, kind, about = fault.key
        print(f"# {name}: {kind}{f' ({about})' if about else ''}\n# {fault.detail}")
        print(fault.call.snippet(), end="\n\n", flush=True)
    print(f"# {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main())
