"""Checks that any belief of ours or yours has to pass: call them from a test."""

from uno_pomdp.testing.beliefs import check_belief

__all__ = ["check_belief"]
