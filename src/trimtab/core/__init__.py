"""Values and pure functions. Nothing here reads a clock, a file, an environment or a random source."""
