"""Watching at a terminal: keys, the course of a game, its screen, stepping."""
