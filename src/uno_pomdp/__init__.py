"""The solver, laboratory and analysis board for two-player UNO."""

__version__ = "0.1.0"
