"""Many games at once, over one array of records: the basis of learning, search and tournaments."""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.errors import IllegalAction, InvalidDeal
from uno_pomdp.game import layout
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.bindings import deal_all
from uno_pomdp.game.kernels import apply, deal, legal_mask, observe
from uno_pomdp.game.layout import (
    ACTIONS,
    BIT,
    FIRST,
    NOBODY,
    OBSERVATION,
    RUNNING,
    SEATS,
    STATE,
    Observations,
    States,
)
from uno_pomdp.game.rng import seeds as grow_seeds
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.rules import Rules, as_rules

ALL_FINE: Final = -1
"""What `step_all` returns when every action was legal; otherwise the first index that was not."""


class Batch:
    """`n` games of the same rules. `states` is the array itself: read it, hand it to kernels, copy it.

    >>> import uno_pomdp as uno
    >>> batch = uno.Batch.deal("house", games=1000, seed=1)
    >>> batch.legal_masks().shape, bool(batch.running.all())
    ((1000, 63), True)
    """

    def __init__(self, rules: Rules, states: States) -> None:
        self.rules = rules
        """The rules of every game."""
        self.states = states
        """One `STATE` record for each game, hidden cards included."""
        self._undealt = layout.template(rules)

    @classmethod
    def deal(cls, rules: Rules | str, games: int, seed: int) -> "Batch":
        """Deal `games` games; game i is `Game.new(rules, seeds(seed, games)[i])`."""
        if games < 1:
            raise InvalidDeal(f"{games} games can't be dealt: give a number of at least 1")
        rules = as_rules(rules)
        batch = cls(rules, np.zeros(games, STATE))
        deal_all(batch.states, batch._undealt, rules.hand_size, grow_seeds(seed, games))
        return batch

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"<Batch of {len(self):,} games of {self.rules.name}: {int(self.running.sum()):,} running>"

    @property
    def running(self) -> npt.NDArray[np.bool_]:
        """Which games go on."""
        return np.asarray(self.states["status"] == RUNNING)

    @property
    def turn(self) -> npt.NDArray[np.uint8]:
        """Who is to move in each game."""
        return self.states["turn"].copy()

    def legal_bits(self) -> npt.NDArray[np.uint64]:
        """Return the legal actions of each game as bits; 0 where a game is over."""
        bits = np.empty(len(self.states), np.uint64)
        legal_bits_all(self.states, bits)
        return bits

    def legal_masks(self, out: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.bool_]:
        """Return the legal actions as booleans `[n, 63]`, in `out` if given; all false where a game is over."""
        shape = (len(self.states), ACTIONS)
        masks = np.empty(shape, np.bool_) if out is None else out
        if masks.shape != shape or masks.dtype != np.bool_:
            raise IllegalAction(f"out has to be a boolean array of shape {shape}, not {masks.dtype} of {masks.shape}")
        legal_masks_all(self.states, masks)
        return masks

    def step(self, actions: npt.NDArray[np.integer]) -> None:
        """Carry out one action in each game that goes on; entries of finished games are not looked at.

        All are checked before the first is carried out: an illegal one leaves every game as it was.
        """
        if not np.issubdtype(actions.dtype, np.integer):
            raise IllegalAction(f"actions are whole numbers, not {actions.dtype}")
        if actions.shape != (len(self.states),):
            raise IllegalAction(f"{len(self.states)} games need that many actions, but the shape is {actions.shape}")
        wrong = int(step_all(self.states, np.ascontiguousarray(actions, np.int64)))  # one kernel for all types
        if wrong != ALL_FINE:
            action = int(actions[wrong])
            name = str(TYPED_ACTIONS[action]) if 0 <= action < ACTIONS else "no action"
            raise IllegalAction(f"game {wrong}: action {action} ({name}) is not legal; ask legal_masks() first")

    def restart(self, deal_seeds: npt.NDArray[np.uint64]) -> int:
        """Deal each finished game anew from the next seed, in order; return how many seeds were used."""
        finished = int(restart_all(self.states, self._undealt, self.rules.hand_size, deal_seeds))
        if finished > len(deal_seeds):
            raise InvalidDeal(f"{finished} games are over, but only {len(deal_seeds)} seeds were given")
        return finished

    def observe(self, seat: int | None = None) -> Observations:
        """Return what a seat sees of each game, as `OBSERVATION` records; by default the player to move."""
        if seat is not None and seat not in SEATS:
            raise IllegalAction(f"there is no seat {seat}: player 1 sits at seat 0, player 2 at seat 1")
        seen = np.zeros(len(self.states), OBSERVATION)
        observe_all(seen, self.states, -1 if seat is None else seat)
        return seen

    def results(self) -> npt.NDArray[np.int8]:
        """Return +1 where player 1 has won, −1 where player 2 has, 0 for a draw or a game that goes on."""
        winner = self.states["winner"]
        return np.where(winner == NOBODY, 0, np.where(winner == FIRST, 1, -1)).astype(np.int8)


@kernel
def legal_bits_all(states: States, bits: npt.NDArray[np.uint64]) -> None:
    """Write the legal actions of each game as bits."""
    for index in range(len(states)):
        bits[index] = legal_mask(states[index])


@kernel
def legal_masks_all(states: States, masks: npt.NDArray[np.bool_]) -> None:
    """Write the legal actions of each game as a row of booleans."""
    for index in range(len(states)):
        bits = legal_mask(states[index])
        for action in range(ACTIONS):
            masks[index, action] = (bits & BIT[action]) != 0


@kernel
def step_all(states: States, actions: npt.NDArray[np.integer]) -> int:
    """Carry out one action in each running game, if all are legal; else return the first that is not."""
    for index in range(len(states)):
        action = as_int(actions[index])
        if states[index]["status"] == RUNNING and not (
            0 <= action < ACTIONS and legal_mask(states[index]) & BIT[action]
        ):
            return index
    for index in range(len(states)):
        if states[index]["status"] == RUNNING:
            apply(states[index], as_int(actions[index]))
    return ALL_FINE


@kernel
def restart_all(states: States, undealt: States, hand_size: int, deal_seeds: npt.NDArray[np.uint64]) -> int:
    """Deal each finished game anew, unless the seeds are too few for them; return how many are finished."""
    finished = 0
    for index in range(len(states)):
        finished += states[index]["status"] != RUNNING
    if finished > len(deal_seeds):
        return finished
    used = 0
    for index in range(len(states)):
        if states[index]["status"] != RUNNING:
            deal(states, index, undealt, hand_size, deal_seeds[used])
            used += 1
    return used


@kernel
def observe_all(seen: Observations, states: States, seat: int) -> None:
    """Write what a seat sees of each game; seat −1 is the player to move."""
    for index in range(len(states)):
        state = states[index]
        observe(seen[index], state, as_int(state["turn"]) if seat < 0 else seat)
