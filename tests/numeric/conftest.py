"""Numbers are tested on devices without float64, too."""

from collections.abc import Iterator

import pytest

from tests.backends import EAGER, Backend, use_backend


@pytest.fixture(params=EAGER)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Every backend in turn that computes at once."""
    with use_backend(request.param) as backend:
        yield backend
