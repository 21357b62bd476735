"""The backend is tested on all of them."""

from tests.backends import HERE, make_fixture

backend = make_fixture(HERE)
