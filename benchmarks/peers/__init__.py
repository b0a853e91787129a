"""Peers of our own, for what no library has."""
