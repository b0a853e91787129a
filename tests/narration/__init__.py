"""Positions and moves in words."""
