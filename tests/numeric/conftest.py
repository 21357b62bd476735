"""Numbers are tested on devices without float64, too."""

from tests.backends import EAGER, make_fixture

backend = make_fixture(EAGER)
