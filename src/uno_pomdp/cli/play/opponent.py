"""The opponent of a resumed game, brought back to the state it had when the game was saved."""

from collections import deque
from collections.abc import Sequence

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.cli.ui.console import showing_compilation
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.rules import Rules


class ResumedAgent(Agent):
    """An agent that first makes the moves of a saved game, and then its own.

    One with a budget of simulations decides each of those again, so that its random state and its memory are as they
    were, and it goes on as if the game had not been interrupted. One with a time budget can't be repeated; it is only
    told the moves.
    """

    def __init__(self, agent: Agent, given: Sequence[Action] = ()) -> None:
        self.name = agent.name
        self._agent = agent
        self._given = deque(given)

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game."""
        with showing_compilation():
            self._agent.start(rules, observation, seed)

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action, of the saved game while that lasts."""
        if self._given:
            self._given.popleft()
        with showing_compilation():
            self._agent.update(events, observation)

    def decide(self) -> Decision:
        """Return the move of the saved game, or a new one."""
        with showing_compilation():
            if not self._given:
                return self._agent.decide()
            if not self._agent.timed:
                self._agent.decide()
        return Decision(self._given[0])
