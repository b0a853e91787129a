"""`Wrong`: an agent that does one thing wrong in one of its methods, and otherwise all that agents can do."""

import os
import signal
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from uno_pomdp.agents.agent import Agent, Candidate, Decision
from uno_pomdp.arrays import Floats
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.events import Event
from uno_pomdp.game.information import Token
from uno_pomdp.game.layout import Observations, Seat
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.kernels import RANDOM
from uno_pomdp.policies.opponent_models import Memory, MemorylessModel, OpponentModel, PolicyModel
from uno_pomdp.rules import Rules
from uno_pomdp.search.move_values import MoveValues


class Sulking(BaseException):
    """No `Exception`."""

    def __str__(self) -> str:
        raise ValueError("can't be read")


RAISED: Final[dict[str, Any]] = {
    "raises": lambda: ValueError("no idea\nof this"),
    "exits": lambda: SystemExit(0),
    "interrupts": KeyboardInterrupt,
    "sulks": Sulking,
    "closes": GeneratorExit,
    "ends": StopIteration,
}
"""By kind: what a method raises."""
FIGURES: Final = {"nan": float("nan"), "inf": float("inf"), "above": 1.5, "below": -0.5, "word": "half"}
"""By kind: the value of a move."""
RETURNED: Final = ("none", "illegal", "number")
"""What else can be wrong with what is returned."""


class Wrong(Agent):
    """Does one thing wrong."""

    name = "wrong"

    def __init__(self, kind: str = "raises", method: str = "decide") -> None:
        self.kind, self.method = kind, method
        self._err("__init__")

    def _err(self, method: str) -> None:
        """Do it, if it is for this method."""
        if self.method != method:
            return
        if self.kind in RAISED:
            raise RAISED[self.kind]()
        if self.kind == "prints":
            print("I am", method)
        if self.kind == "pressed":
            os.kill(os.getpid(), signal.SIGINT)
        if self.kind == "swallows":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except BaseException:  # which it should not
                self.kind = "fine"
        if self.kind == "hidden":  # what the person pressed behind an error of its own
            try:
                os.kill(os.getpid(), signal.SIGINT)
            finally:
                raise ValueError("interrupted")

    def _value(self) -> Any:
        return FIGURES.get(self.kind, 0.5)

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Play all rules."""
        del rules, seat
        self._err("check_game")

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        del seed
        self._err("begin")

    def follow(self, events: Sequence[Event]) -> None:
        """Take in an action."""
        del events
        self._err("follow")

    def decide(self) -> Decision:
        """Do the first thing that is legal."""
        self._err("decide")
        legal = self.observation.legal_actions()
        if self.method != "decide":
            return Decision(legal[0], tuple(Candidate(action, 0.5, 0.1, 5) for action in legal))
        if self.kind in ("none", "number"):
            return None if self.kind == "none" else 3  # type: ignore[return-value]  # that is the point
        if self.kind == "illegal":
            return Decision(next(action for action in ACTIONS if action not in legal))
        return Decision(legal[0], tuple(Candidate(action, self._value(), 0.1, 5) for action in legal))

    def move_values(self) -> MoveValues:
        """Value all moves alike."""
        self._err("move_values")
        legal = self.observation.legal_actions()
        if self.method == "move_values":
            if self.kind in ("none", "number"):
                return None if self.kind == "none" else 3  # type: ignore[return-value]  # that is the point
            if self.kind == "illegal":
                legal = (next(action for action in ACTIONS if action not in legal),)
        value = self._value() if self.method == "move_values" else 0.5
        return MoveValues(tuple(Candidate(action, value, 0.1, 5) for action in legal), np.zeros((len(legal),) * 2))


class WrongPolicy(Wrong):
    """The same with a policy."""

    def policy(self) -> Floats | None:
        """Do anything that is legal."""
        self._err("policy")
        if self.method == "policy" and self.kind == "none":
            return None
        legal = self.observation.legal_actions()
        found = np.zeros(63)
        found[[action.id for action in legal]] = 1 / len(legal)
        if self.method == "policy":
            found[legal[0].id] *= {"nan": np.nan, "inf": np.inf, "above": 2.0, "below": -1.0}.get(self.kind, 1.0)
            if self.kind == "illegal":
                found = np.ones(63) / 63
            if self.kind == "number":
                return 3  # type: ignore[return-value]  # that is the point
        return found


class Modelled(WrongPolicy):
    """The same with an opponent model of its own."""

    def as_model(self) -> OpponentModel | None:
        """Return the model."""
        self._err("as_model")
        return Model(self)


class MemorylessModelled(WrongPolicy):
    """The same with one that keeps nothing."""

    def as_model(self) -> OpponentModel | None:
        """Return the model."""
        return Memoryless(self)


class Model(OpponentModel):
    """A model that does one thing wrong."""

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Remember nothing."""
        del rules, seen
        self.wrong._err("start")
        return 0

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Remember nothing."""
        del token
        self.wrong._err("follow")
        return memory

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return what is no policy, unless it raises."""
        self.wrong._err("probabilities")
        return PolicyModel(RANDOM).probabilities(seen, memory) * (2.0 if self.wrong.kind == "above" else 1.0)


class Memoryless(MemorylessModel):
    """A model without a memory that does one thing wrong."""

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return what is no logarithm, unless it raises."""
        self.wrong._err("log_probabilities")
        return PolicyModel(RANDOM).log_probabilities(seen, hands, drawn, action) + (self.wrong.kind == "above")


class Stated(Agent):
    """Says of itself what can't be."""

    def __init__(self, about: str) -> None:
        setattr(self, about, 3)

    def decide(self) -> Decision:
        """Do the first thing that is legal."""
        return Decision(self.observation.legal_actions()[0])
