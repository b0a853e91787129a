"""Checks that any belief, agent or game tree of ours or yours has to pass: call them from a test."""

from uno_pomdp.testing.agents import check_agent
from uno_pomdp.testing.beliefs import check_belief
from uno_pomdp.testing.trees import check_tree

__all__ = ["check_agent", "check_belief", "check_tree"]
