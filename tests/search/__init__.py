"""Searches, tested."""
