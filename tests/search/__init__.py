"""Planners, tested."""
