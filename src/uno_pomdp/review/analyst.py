"""`Analyst`: one agent that follows one seat, and says what it would do there or what each move is worth.

Hints, advice, reviews, the board and the engine all ask one. Each has its own seed, and deals with an agent that fails
in its own way.
"""

from collections.abc import Sequence

from uno_pomdp.agents.agent import Agent, Decision, InvalidAgent
from uno_pomdp.agents.progress import Progress
from uno_pomdp.default_agents import COACH
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, player_seed
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules
from uno_pomdp.search.move_values import MoveValues, ValuesMoves


class Analyst:
    """An agent at a seat: it goes forward as the seat's history grows, and begins anew where it was cut.

    With `progress` it can be stopped between two moves, too: a belief may take seconds over a long game.
    """

    def __init__(self, agent: Agent | str, seed: Seed, progress: Progress | None = None) -> None:
        self.agent = make_agent(agent) if isinstance(agent, str) else agent
        """Who is asked."""
        self._seed = seed
        self._progress = progress
        self._first: Observation | None = None
        self._steps: list[Step] = []

    def __repr__(self) -> str:
        return f"<Analyst {self.agent.name} after {len(self._steps)} moves>"

    def follow(self, history: SeatHistory) -> "Analyst":
        """Lead it through a history: on from where it is, or anew if the history does not continue from there."""
        if history.first != self._first or list(history.steps[: len(self._steps)]) != self._steps:
            self.agent.start(history.rules, history.first, player_seed(self._seed))
            self._first, self._steps = history.first, []
        for step in history.steps[len(self._steps) :]:
            if self._progress is not None:
                self._progress.check()
            self.update(*step)
        return self

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one more action of either player."""
        self.agent.update(events, observation)
        self._steps.append(Step(tuple(events), observation))

    def decide(self) -> Decision:
        """Return what it would do; it is the seat's turn."""
        self.agent.progress = self._progress
        return self.agent.decide()

    @property
    def values_moves(self) -> bool:
        """Whether it can say what each move is worth."""
        return isinstance(self.agent, ValuesMoves)

    def values(self) -> MoveValues:
        """Return what each move is worth, also where there is only one; it is the seat's turn."""
        assert isinstance(self.agent, ValuesMoves)
        self.agent.progress = self._progress
        return self.agent.move_values()


def make_coach(text: str, rules: Rules, seat: Seat) -> Agent:
    """Return the agent that a text names, if it can judge moves of this seat under these rules."""
    agent = make_agent(text)
    if not agent.can.values_moves:
        raise InvalidAgent(f"{text} can't be a coach: choose one that values every move, such as {COACH} or ismcts")
    agent.check_game(rules, seat)
    return agent
