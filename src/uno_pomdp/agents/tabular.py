"""Policies as tables over histories: their file, and the agent that plays them.

A policy file is a NumPy `.npz` archive without pickled objects:

    header          a JSON text: format, version, package, rules, and what its maker wrote into `about`
    parent, token   the histories as a trie (see `game.information`), node 0 the empty one
    set_of          by history: its information set, −1 where the seat has no choice or the table says nothing
    first, end      by information set: where its actions start in the two arrays below, and where they end
    action          action ids
    probability     of each action, in its information set
    value           by information set: what its owner expects there; may be missing

Docs: `docs/equilibrium.md`.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp._version import __version__
from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.agents.agent import Agent, Clock, Decision, InvalidAgent
from uno_pomdp.agents.mixed_strategy import sampled_decision
from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.errors import UnoError, UnusableFile, quoted
from uno_pomdp.files import written_whole
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.events import Event
from uno_pomdp.game.information import (
    EMPTY,
    SEAT,
    HistoryTrie,
    Token,
    UnknownHistory,
    find,
    opening,
    tokens_told,
    trie_of,
)
from uno_pomdp.game.layout import ACTIONS, SEATS, Observations, Seat
from uno_pomdp.game.observation import observation_of
from uno_pomdp.game.observed_start import is_dealt
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.inputs import read_archive
from uno_pomdp.jit import working_time
from uno_pomdp.policies.opponent_models import Memory, OpponentModel
from uno_pomdp.rules import Rules

FORMAT: Final = "uno-pomdp policy"
VERSION: Final = 1
ROUNDING: Final = 1e-9
"""How far the sum of an information set's probabilities may be from 1."""
_ARRAYS: Final = {
    "parent": np.int32,
    "token": np.int32,
    "set_of": np.int32,
    "first": np.int32,
    "end": np.int32,
    "action": np.uint8,
    "probability": np.float64,
}


@dataclass(frozen=True)
class PolicyTable:
    """A policy for one game as a table: by history, the probability of each action."""

    rules: Rules
    """The rules of the game."""
    about: Mapping[str, Any]
    """Where it comes from: solver, iterations, exploitability …; any JSON values."""
    histories: HistoryTrie
    """What a seat can have been told."""
    set_of: Int32s
    """By history: its information set; −1 where there is none."""
    first: Int32s
    """By information set: its first action."""
    end: Int32s
    """By information set: the place after its last action."""
    action: npt.NDArray[np.uint8]
    """Action ids."""
    probability: Floats
    """The probability of each action in its information set."""
    value: Floats | None = None
    """By information set: what its owner expects there, from −1 to 1; None if not known."""

    def __repr__(self) -> str:
        by = f", by {self.about['solver']}" if "solver" in self.about else ""
        players = " and ".join(map(seat_name, self.seats))
        return f"<PolicyTable for {self.rules.name}: {players}, {len(self.first):,} information sets{by}>"

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """The seats whose choices it covers."""
        count = int(self.histories.total[0])
        parent, token = self.histories.parent[:count], self.histories.token[:count]
        first = np.where(parent == EMPTY, np.arange(count), parent)
        while (first[first] != first).any():  # each round goes up twice as far as the one before
            first = first[first]
        begins = token[first[self.set_of[:count] >= 0]]
        return tuple(seat for seat in SEATS if (begins == SEAT | seat).any())

    def row(self, history: int) -> tuple[npt.NDArray[np.uint8], Floats]:
        """Return the actions and their probabilities after a history with a choice."""
        number = int(self.set_of[history])
        if number < 0:
            raise UnknownHistory("the policy says nothing here: it is one for the other seat")
        place = slice(self.first[number], self.end[number])
        return self.action[place], self.probability[place]

    def save(self, path: str | os.PathLike[str], over: bool = True) -> None:
        """Write the table to a file, whole or not at all; only with `over` in the place of one that is there."""
        rules, about = self.rules.to_json(), dict(self.about)
        header = {"format": FORMAT, "version": VERSION, "package": __version__, "rules": rules, "about": about}
        count = int(self.histories.total[0])
        arrays = {
            "parent": self.histories.parent[:count],
            "token": self.histories.token[:count],
            "set_of": self.set_of[:count],
        } | {name: getattr(self, name) for name in ("first", "end", "action", "probability")}
        if self.value is not None:
            arrays["value"] = self.value
        with written_whole(path, over=over) as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)


def load_policy(path: str | os.PathLike[str]) -> PolicyTable:
    """Read a policy file, and refuse one that is damaged."""
    name = os.fspath(path)
    try:
        header, arrays = read_archive(path, _ARRAYS, ("value",))
    except OSError as error:
        raise UnusableFile(f"{name} can't be read: {error.strerror or error}") from error
    except UnusableFile as error:
        raise UnusableFile(f"{name} is no policy file: {error}") from error
    value = arrays.pop("value", None)
    if header.get("format") != FORMAT:
        raise UnusableFile(f"{name} is no policy file: its header does not say {FORMAT!r}")
    if header.get("version") != VERSION:
        raise UnusableFile(f"{name} is of version {quoted(header.get('version'))}, but only version {VERSION} is read")
    about = header.get("about")
    try:
        rules = Rules.from_json(header.get("rules"))
    except UnoError as error:
        raise UnusableFile(f"{name} is damaged: {error}") from error
    if not isinstance(about, dict):
        raise UnusableFile(f"{name} is damaged: its header says nothing about the policy")
    fits = value is None or (
        value.dtype == np.float64 and value.shape == arrays["first"].shape and bool(np.isfinite(value).all())
    )
    if not (_sound(arrays) and fits):
        raise UnusableFile(f"{name} is damaged: its arrays do not fit together")
    trie = trie_of(arrays.pop("parent"), arrays.pop("token"))
    return PolicyTable(rules, about, trie, **arrays, value=value)


def _sound(arrays: Mapping[str, npt.NDArray[Any]]) -> bool:
    """Return whether the arrays of a file are a trie and a table of probabilities."""
    if any(arrays[name].dtype != kind or arrays[name].ndim != 1 for name, kind in _ARRAYS.items()):
        return False
    parent, set_of, first, end = (arrays[name] for name in ("parent", "set_of", "first", "end"))
    chances, nodes = arrays["probability"], np.arange(len(parent))
    sizes = len(parent) == len(arrays["token"]) == len(set_of) > 0 and len(first) == len(end)
    if not sizes or len(chances) != len(arrays["action"]) or not len(first):
        return False
    ordered = parent[0] == 0 and (parent[1:] >= 0).all() and (parent[1:] < nodes[1:]).all()
    inside = (set_of < len(first)).all() and (first >= 0).all() and (first < end).all() and (end <= len(chances)).all()
    if not (ordered and inside and (chances >= 0.0).all()):
        return False
    rows = np.stack([first, end], axis=1).ravel()
    totals = np.add.reduceat(np.append(chances, 0.0), rows)[::2]
    highest = np.maximum.reduceat(np.append(arrays["action"], 0), rows)[::2]
    return bool((highest < ACTIONS).all() and (np.abs(totals - 1.0) < ROUNDING).all())


class TableModel(OpponentModel):
    """A policy from a table as a model of the opponent; it remembers its whole history, by its number there."""

    def __init__(self, table: PolicyTable, name: str = "policy") -> None:
        self.table: Final = table
        """What it plays."""
        self.name = name

    def __repr__(self) -> str:
        return f"<TableModel {self.name}: {self.table!r}>"

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return the history at the deal; other rules than the table's are refused."""
        check_table(self.table, rules, int(seen["seat"][0]))
        return find(self.table.histories, opening(observation_of(seen)))

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return the history with one token more."""
        assert isinstance(memory, int)
        return find(self.table.histories, [token], memory)

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the table's probabilities."""
        del seen
        assert isinstance(memory, int)
        result = np.zeros(ACTIONS)
        actions, chances = self.table.row(memory)
        result[actions] = chances
        return result


def check_table(table: PolicyTable, rules: Rules, seat: Seat | None = None) -> None:
    """Refuse other rules than a table's, and a seat whose choices it does not cover."""
    if rules != table.rules:
        raise InvalidAgent(f"the policy is for the rules {table.rules.name}, not {rules.name}")
    if seat is not None and seat not in table.seats:
        raise InvalidAgent(
            f"the policy says nothing about the choices of {seat_name(seat)}: it is one for the other seat"
        )


class TabularAgent(Agent):
    """Plays a policy from a table; what the table does not know is an error."""

    can = Abilities(has_policy=True, looked_up=True)

    def __init__(self, table: PolicyTable, clock: Clock = working_time) -> None:
        self.name = "policy"
        self.table: Final = table
        """What it plays."""
        self._clock = clock

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse other rules than the table's, and a seat whose choices it does not cover."""
        check_table(self.table, rules, seat)

    def as_model(self) -> OpponentModel | None:
        """Return the table as a model; None for a subclass, which may play otherwise."""
        return TableModel(self.table, self.name) if self.can.looked_up else None

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self.check_game(self.rules, self.observation.seat)
        if not is_dealt(self.rules, self.observation):
            raise UnknownHistory("a policy in a table is for games from the deal, and this one begins in the middle")
        self._chance = np.random.default_rng(sequence(seed))
        self._history = find(self.table.histories, opening(self.observation))

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        if self.observation.outcome is None:
            tokens = tokens_told(events, self.observation.seat)
            self._history = find(self.table.histories, tokens, self._history)

    def policy(self) -> Floats:
        """Return the probability of each of the 63 actions here."""
        legal = self.observation.legal_actions()
        result = np.zeros(ACTIONS)
        if len(legal) == 1:
            result[legal[0].id] = 1.0
            return result
        actions, chances = self._row()
        result[actions] = chances
        return result

    def _row(self) -> tuple[npt.NDArray[np.uint8], Floats]:
        if self.table.set_of[self._history] < 0:
            raise UnknownHistory(f"the policy says nothing about the choices of {seat_name(self.observation.seat)}")
        return self.table.row(self._history)

    def decide(self) -> Decision:
        """Return an action drawn from the table."""
        return sampled_decision(self.policy, self.observation, self._chance, self._clock)
