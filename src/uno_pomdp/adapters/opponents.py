"""Who sits opposite: a scripted policy, by kernels and the game's own random stream, or any agent."""

from typing import Protocol

import numpy as np

from uno_pomdp.adapters.episodes import opponent_action
from uno_pomdp.agents.agent import Agent
from uno_pomdp.errors import InvalidAgent, quoted
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.rng import STREAM, player_seed
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.registry import AgentSpec, make_agent


class Opponent(Protocol):
    """A player of one game at a time."""

    def begin(self, game: Game, seat: Seat, seed: int) -> None:
        """Begin with a game that was just dealt."""

    def follow(self, game: Game) -> None:
        """Take in the last move."""

    def action(self, game: Game) -> Action:
        """Return what it does; it is to move."""


class ScriptedOpponent:
    """A scripted policy: the same choices as in the vector environment."""

    def __init__(self, model: PolicyModel) -> None:
        self._model = model
        self._stream = np.zeros(1, STREAM)

    def begin(self, game: Game, seat: Seat, seed: int) -> None:
        """Begin with a game that was just dealt."""
        del game, seat
        self._stream["state"] = seed

    def follow(self, game: Game) -> None:
        """Remember nothing."""
        del game

    def action(self, game: Game) -> Action:
        """Return what it does; it is to move."""
        state, model = game.to_state(), self._model
        return TYPED_ACTIONS[int(opponent_action(state, model.policy, model.weights, self._stream))]


class AgentOpponent:
    """Any agent, asked as in every match."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def begin(self, game: Game, seat: Seat, seed: int) -> None:
        """Begin with a game that was just dealt."""
        self._agent.check_game(game.rules, seat)
        self._seat = seat
        self._agent.start(game.rules, game.observation(seat), player_seed(seed))

    def follow(self, game: Game) -> None:
        """Take in the last move."""
        self._agent.update(*game.last_step(self._seat))

    def action(self, game: Game) -> Action:
        """Return what it does; it is to move."""
        del game
        return self._agent.decide().action


def scripted_model(opponent: str | Agent) -> PolicyModel | None:
    """Return the scripted policy by which kernels play in an opponent's place; None if they can't."""
    if not isinstance(opponent, str | Agent):
        raise InvalidAgent(f"an opponent is a text such as 'heuristic', or an Agent, not {quoted(opponent)}")
    can = AgentSpec.parse(opponent).can if isinstance(opponent, str) else opponent.can
    return can.kernel_policy


def opponent_of(opponent: str | Agent) -> Opponent:
    """Return the opponent that a text names, or that is given."""
    model = scripted_model(opponent)
    if model is not None:
        return ScriptedOpponent(model)
    return AgentOpponent(make_agent(opponent) if isinstance(opponent, str) else opponent)
