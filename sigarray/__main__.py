"""`python -m sigarray`."""

import sys

from sigarray.cli import main

if __name__ == "__main__":
    sys.exit(main())
