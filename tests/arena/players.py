"""Agents and matches for the tests of the arena."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.arena.results import PAIR, Pairs
from uno_pomdp.game.actions import DRAW
from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.kernels import RANDOM
from uno_pomdp.rules import Rules


class Watcher(ScriptedAgent):
    """Plays at random and keeps everything that it is told."""

    def __init__(self) -> None:
        super().__init__(RANDOM)
        self.name = "watcher"
        self.told: list[tuple[Any, ...]] = []

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game."""
        self.told.append(("start", rules, observation))
        super().start(rules, observation, seed)

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in an action."""
        self.told.append(("update", tuple(events), observation))
        super().update(events, observation)

    def decide(self) -> Decision:
        """Return what to do."""
        self.told.append(("decide",))
        return super().decide()


class Cheat(ScriptedAgent):
    """Draws in its third decision, though that is not always legal."""

    def __init__(self) -> None:
        super().__init__(RANDOM)
        self.name = "cheat"
        self.count = 0

    def decide(self) -> Decision:
        """Return what to do."""
        self.count += 1
        return Decision(DRAW) if self.count >= 3 else super().decide()


class Crash(ScriptedAgent):
    """Divides by nothing when it is told of the fifth action of a game, or when it starts."""

    def __init__(self, at: int = 5) -> None:
        super().__init__(RANDOM)
        self.name = "crash"
        self.at = at
        self.count = 0

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game."""
        super().start(rules, observation, seed)
        self.count = 0
        self.divide()

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in an action."""
        super().update(events, observation)
        self.count += 1
        self.divide()

    def divide(self) -> None:
        """Fail when the time has come."""
        if self.count == self.at:
            raise ZeroDivisionError("nothing to divide by")


class Sulk(Agent):
    """Returns no decision at all."""

    name = "sulk"

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        del seed

    def decide(self) -> Decision:
        """Return what to do."""
        return None  # type: ignore[return-value]  # that is the point


def crash_at_start() -> Agent:
    return Crash(at=0)


def indices(count: int, start: int = 0) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.arange(start, start + count, dtype=np.int64)


def pairs_of(*points: tuple[int, int]) -> Pairs:
    """Return pairs with these doubled points of A as player 1 and as player 2."""
    pairs = np.zeros(len(points), PAIR)
    pairs["index"] = np.arange(len(points))
    pairs["points"] = points
    pairs["actions"] = 40
    pairs["decisions"] = (10, 12)
    pairs["seconds"] = (0.25, 0.125)
    pairs["luck"] = (0.1, -0.3)
    pairs["game_actions"] = (22, 18)
    pairs["game_turns"] = (21, 15)
    return pairs


def without_times(pairs: Pairs) -> list[Any]:
    """Return pairs as values, without the seconds, which no two runs share."""
    return [pairs[name].tolist() for name in ("index", "points", "actions", "decisions", "game_actions", "game_turns")]


class Fatal(ScriptedAgent):
    """Takes its whole process with it."""

    def __init__(self) -> None:
        super().__init__(RANDOM)
        self.name = "fatal"

    def decide(self) -> Decision:
        """Return what to do."""
        os._exit(1)
