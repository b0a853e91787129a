"""Players that look for the deal in what they are handed, and note whether they found it."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.game.game import MAX_SEED, Game
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.search.move_values import MoveValues

CHILDREN = 4
"""So many of each sequence's children are tried."""
WORD = MAX_SEED + 1
OPPONENTS = 0xD1B54A32D192ED03
"""What environments of Gymnasium separate the opponent's stream from the deal by."""


def deals_in(seed: Seed) -> set[int]:
    """Return every deal seed that can be had from a seed without guessing."""
    whole = [seed] if isinstance(seed, int) else [*_numbers(seed.entropy), *seed.spawn_key]
    found = {number % WORD for number in whole}
    grown = [np.random.SeedSequence(number) for number in whole]
    if not isinstance(seed, int):
        grown.append(np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key))
    for sequence in grown:
        for each in (sequence, *sequence.spawn(CHILDREN)):
            found.update(each.generate_state(4, np.uint64).tolist())
    return found | {_unmixed(number) ^ OPPONENTS for number in found}


def _numbers(entropy: object) -> Iterator[int]:
    for number in entropy if isinstance(entropy, (list, tuple)) else [entropy]:
        assert isinstance(number, int)
        yield number


def _unmixed(z: int) -> int:
    """Return the state that `game.rng.mix` gives these bits for."""
    z = _unshifted(z, 31) * pow(0x94D049BB133111EB, -1, WORD) % WORD
    z = _unshifted(z, 27) * pow(0xBF58476D1CE4E5B9, -1, WORD) % WORD
    return _unshifted(z, 30)


def _unshifted(z: int, bits: int) -> int:
    """Return x where z = x ^ x >> bits."""
    x = z
    for _ in range(64 // bits + 1):
        x = z ^ x >> bits
    return x


class Peeking(ScriptedAgent):
    """Plays as `greedy`, and notes for every game whether it knows the deal."""

    found: ClassVar[list[bool]] = []
    """For every game that it began, in whatever part of the package."""

    def __init__(self) -> None:
        super().__init__(GREEDY)
        self.name = "py:tests.agents.peeking.Peeking"

    def begin(self, seed: Seed) -> None:
        """Look for the deal."""
        deals = (Game.new(self.rules, deal) for deal in deals_in(seed))
        seat = self.observation.seat
        self.found.append(any(deal.observation(seat) == self.observation for deal in deals))
        super().begin(seed)


class PeekingCoach(Peeking):
    """The same as a coach: it thinks that every move is as good as any other."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "py:tests.agents.peeking.PeekingCoach"

    def move_values(self) -> MoveValues:
        """Return a value for every legal move."""
        legal = self.observation.legal_actions()
        found = tuple(Candidate(action, 0.5, 0.0, 1) for action in legal)
        return MoveValues(found, np.zeros((len(legal), len(legal))), legal[:1], 1)

    def decide(self) -> Decision:
        """Return the first legal move."""
        values = self.move_values()
        return Decision(values.best, values.candidates, values.line, 1, 1)
