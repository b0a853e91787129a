"""Data for imitation: an agent's choices in games, as rows that a net can learn from. Needs no torch."""

import os
from collections.abc import Generator, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.arena.match import Maker, make, play_game
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.rng import Seed
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.policy_features import FEATURES, renamed
from uno_pomdp.nets.pretrained import pretrained_rules
from uno_pomdp.rules import Rules

KINDS: Final = 2
"""Kinds of games, in turn: an agent against itself, and against another."""


class Choices(NamedTuple):
    """Choices of an agent, in order."""

    features: npt.NDArray[np.float16]
    """The features of each (`nets.policy_features`), in half precision to save memory."""
    actions: npt.NDArray[np.int64]
    """The action taken at each, colours renumbered as in `nets.policy_features`."""


class ObservedAgent(Agent):
    """A wrapper of an agent that records what it knew and what it did."""

    def __init__(self, player: Agent, rules: Rules) -> None:
        self.name = player.name
        self._player = player
        self._scribe = PolicyNetAgent(NetFile(rules, {}, random_net((1,), 0)))
        self._features: list[npt.NDArray[np.float16]] = []
        self._actions: list[int] = []

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self._player.start(self.rules, self.observation, seed)
        self._scribe.start(self.rules, self.observation, 0)

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        self._player.update(events, self.observation)
        self._scribe.update(events, self.observation)

    def decide(self) -> Decision:
        """Return what the agent does, and note it."""
        decision = self._player.decide()
        if len(self.observation.legal_actions()) > 1:
            self._scribe.policy()
            self._features.append(self._scribe.net.features.astype(np.float16))
            self._actions.append(renamed(decision.action.id, self._scribe.net.order[1]))
        return decision

    def choices(self) -> Choices:
        """Return all that was noted."""
        rows = np.array(self._features, np.float16).reshape(-1, FEATURES)
        return Choices(rows, np.array(self._actions, np.int64))


def watch_games(agent: Maker, rules: Rules, seed: int, games: int, processes: int = 1) -> Generator[Choices]:
    """Yield the choices of an agent, game by game: against itself, and in every other game against another.

    The first game of each kind is played in this process, so that others need not compile the same kernels all at once.
    """
    numbers = iter(range(games))
    here_first = islice(numbers, games if processes == 1 else KINDS)
    yield from (watch_game(agent, rules, seed, number) for number in here_first)
    if processes == 1:
        return
    import joblib  # what trains from the sources alone does without

    from uno_pomdp.arena.run import Processes, all_alive, deaf_to_interrupts

    here = Path.cwd()
    pool = joblib.Parallel(n_jobs=processes, backend=Processes(), return_as="generator", batch_size=1, max_nbytes=None)
    with deaf_to_interrupts():
        watched = pool(joblib.delayed(_watch_in)(here, agent, rules, seed, number) for number in numbers)
    with all_alive():
        yield from watched


def watch_game(agent: Maker, rules: Rules, seed: int, number: int) -> Choices:
    """Return the choices of an agent in the game with this number: the same number, the same game."""
    chance = np.random.SeedSequence((seed, number))
    deal, *players = chance.spawn(1 + len(SEATS))
    watched = [ObservedAgent(make(agent), rules) for _ in SEATS]
    at_table: list[Agent] = [*watched]
    if number % KINDS:
        other = number // KINDS % len(SEATS)
        at_table[other] = make("champion" if rules.name in pretrained_rules() else "heuristic")
        del watched[other]
    seat_one, seat_two = at_table
    play_game(rules, int(deal.generate_state(1, np.uint64)[0]), (seat_one, seat_two), (players[0], players[1]))
    return joined(each.choices() for each in watched)


def joined(parts: Iterable[Choices]) -> Choices:
    """Return choices concatenated."""
    features, actions = zip(*parts, strict=True)
    return Choices(np.concatenate(features), np.concatenate(actions))


def _watch_in(folder: Path, agent: Maker, rules: Rules, seed: int, number: int) -> Choices:
    """Watch in a folder: the process may be left from work in another."""
    if Path.cwd() != folder:
        os.chdir(folder)
    return watch_game(agent, rules, seed, number)
