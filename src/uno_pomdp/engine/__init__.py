"""The analysis engine: positions as JSON lines in, analyses as JSON lines out (docs/engine.md)."""
