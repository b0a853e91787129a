"""Checks that any belief or agent of ours or yours has to pass: call them from a test."""

from uno_pomdp.testing.agents import check_agent
from uno_pomdp.testing.beliefs import check_belief

__all__ = ["check_agent", "check_belief"]
