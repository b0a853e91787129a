"""Watching games at a terminal: a game as far as it has come, its screen, the keys that step through it."""
