"""Whole trees, tested."""
