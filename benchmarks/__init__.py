"""Measurements. Each is run as `python -m benchmarks.NAME` and prints a table, or JSON with --json."""
