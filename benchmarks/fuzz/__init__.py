"""A search for calls that break a promise: see `python -m benchmarks.fuzz --help`."""
