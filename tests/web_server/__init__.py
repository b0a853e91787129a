"""Tests of the board's server that need no browser: they talk to the application as uvicorn would."""
