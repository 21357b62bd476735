"""Fixtures of all tests, those of docstrings too: the backends."""

import faulthandler
import gc
import itertools
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests import network
from tests.backends import HAS_ALL, USUAL, Backend, make_fixture

network.guard()

# Which import a library that may not be here, and have no examples.
collect_ignore = [
    "sigarray/_backend/compiling.py",
    "sigarray/_backend/fused_torch.py",
    "sigarray/_backend/fused_triton.py",
]

_TESTS = itertools.count(1)
# A test that hangs ends its worker, and is named.
_SECONDS_OF_TEST = 600


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out the tests marked `long`, unless they are asked for."""
    is_named = any("::" in argument for argument in config.args)
    if HAS_ALL or is_named or "long" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


def pytest_collection_finish() -> None:
    """Freeze the tests."""
    freeze_objects()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Watch over a test, which pytest-timeout does with a millisecond for each."""
    faulthandler.dump_traceback_later(_SECONDS_OF_TEST, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def freeze_objects() -> None:
    """Take what is here to stay, 12,000 tests above all, from the garbage collector.

    It walks through all of that at each full collection, for most of a second.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _few_programs() -> Iterator[None]:
    """Drop the programs of JAX now and then, before they are too many to map."""
    yield
    if next(_TESTS) % 400 == 0 and "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
        freeze_objects()


backend = make_fixture(USUAL)


@pytest.fixture
def xp(backend: Backend) -> Any:
    """The namespace of the backend."""
    return backend.xp
