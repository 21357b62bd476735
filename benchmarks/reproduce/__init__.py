"""Make the published tables and figures again: `python -m benchmarks.reproduce`."""
