"""Plug-in agents that fail in their own ways."""

import sys

from uno_pomdp.agents.agent import Agent, Candidate, Decision
from uno_pomdp.game.actions import ACTIONS


class Fails(Agent):
    """Raises when it is asked."""

    def decide(self) -> Decision:
        """Fail."""
        raise ValueError("no idea\nof this")


class Exits(Agent):
    """Wants to end the process."""

    def decide(self) -> Decision:
        """Leave."""
        sys.exit(3)


class NotANumber(Agent):
    """Values moves by what is no number."""

    def decide(self) -> Decision:
        """Return a value that JSON does not have."""
        action = self.observation.legal_actions()[0]
        return Decision(action, (Candidate(action, float("nan")),))


class Illegal(Agent):
    """Does what can't be done."""

    def decide(self) -> Decision:
        """Return the first action that is not legal."""
        legal = self.observation.legal_actions()
        return Decision(next(action for action in ACTIONS if action not in legal))
