"""Beliefs, tested."""
