"""What the examples work on: made by code from a seed, so that every run has the same."""
