"""`python -m sigarray`."""

import sys


def main() -> int:
    """Run the command, which may be interrupted while it is still imported."""
    try:
        from sigarray._cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("sigarray: interrupted\n")
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
