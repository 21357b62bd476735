"""The backend is tested on all of them."""

from collections.abc import Iterator

import pytest

from tests.backends import HERE, Backend, use_backend


@pytest.fixture(params=HERE)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Every backend in turn."""
    with use_backend(request.param) as backend:
        yield backend
