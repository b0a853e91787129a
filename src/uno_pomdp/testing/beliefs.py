"""`check_belief`: the laws that every belief keeps, checked after every action of random games."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.event_inference import AMBIGUOUS
from uno_pomdp.cards import Cards
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules, as_rules
from uno_pomdp.testing.belief_readings import (
    check_diagnostics,
    check_hands,
    check_marginals,
    check_repeats,
    check_sampler,
    reading,
)
from uno_pomdp.testing.belief_worlds import check_worlds
from uno_pomdp.testing.laws import Choose, Place, choose_at_random

MakeBelief = Callable[[Rules, Observation], Belief]
"""Makes a belief from the rules and a seat's first observation; asked twice, it makes the same one."""

THOROUGH_EVERY: Final = 8
"""The laws that take longer are checked every so many actions, and at the start and the end."""
UNREAD: Final = "reading a belief has to leave it as it was"
SAME: Final = 1e-6
"""How far apart two numbers may be that are computed in two ways."""


def check_belief(
    make_belief: MakeBelief,
    rules: Rules | str,
    games: int = 5,
    seed: int = 0,
    *,
    choose: Choose = choose_at_random,
    true_hand_possible: bool = True,
    at_most: int = 400,
) -> None:
    """Play random games, with a belief at both seats, and check that each keeps every law after every action.

    A broken law raises an AssertionError whose sentence says which law it is and where: the game with seed
    s is repeated by `games=1, seed=s`. An error of the belief itself is passed on, with the place as a note.

    `choose` plays both seats: for a belief with an opponent model, let it play that model's policy.
    `true_hand_possible` is to be False for a belief made of samples, which may lack the true hand.
    A game is abandoned after `at_most` actions.

    >>> import uno_pomdp as uno
    >>> uno.check_belief(uno.ClosedFormBelief, "mini-9", games=2)
    """
    rules = as_rules(rules)
    for game_seed in range(seed, seed + games):
        _check_game(make_belief, Game.new(rules, game_seed), choose, true_hand_possible, at_most)


def _check_game(make_belief: MakeBelief, game: Game, choose: Choose, true_hand_possible: bool, at_most: int) -> None:
    chance = random.Random(game.seed)
    tables = [_Compared.set(make_belief, game, seat) for seat in SEATS]
    for number in range(at_most + 1):
        last = game.over or number == at_most
        for table in tables:
            place = Place("check_belief", game.seed, number, table.seat)
            try:
                if number:
                    table.move_on(*game.last_step(table.seat))
                true_hand = game.hand(1 - table.seat) if true_hand_possible else None
                table.check(place, true_hand, thorough=last or number % THOROUGH_EVERY == 0)
            except AssertionError:
                raise
            except Exception as error:
                error.add_note(f"check_belief: {place}")
                raise
        if last:
            break
        game.apply(choose(game.observation(game.turn), chance))


@dataclass(frozen=True, slots=True)
class _Compared:
    """Two or three copies of one belief at one seat, updated in as many ways."""

    seat: Seat
    """Whose beliefs they are."""
    read: Belief
    """Given every event, and read after every action."""
    quiet: Belief
    """Given every event, and read rarely."""
    watching: Belief | None
    """Given observations alone, and read rarely; None under rules where observations do not tell what was done."""

    @classmethod
    def set(cls, make_belief: MakeBelief, game: Game, seat: Seat) -> "_Compared":
        first = game.observation(seat)
        read, quiet = (make_belief(game.rules, first) for _ in range(2))
        told_by_events = any(first.variant & bit for bit in AMBIGUOUS)
        return cls(seat, read, quiet, None if told_by_events else make_belief(game.rules, first))

    def move_on(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action."""
        self.read.update(events, observation)
        self.quiet.update(events, observation)
        if self.watching is not None:
            self.watching.observe(observation)

    def check(self, place: Place, true_hand: Cards | None, thorough: bool) -> None:
        """Check all laws here."""
        seed = np.random.SeedSequence((place.seed, place.action, place.seat))
        check_repeats(self.read, place, seed)
        before = reading(self.read, seed)
        place.require(reading(self.read, seed) == before, UNREAD)
        check_marginals(self.read, place, seed)
        check_hands(self.read, place, seed, true_hand)
        check_worlds(self.read, place, seed)
        check_diagnostics(self.read, place)
        if thorough:
            self._check_company(place, seed)
            check_sampler(self.read, place, seed)
        place.require(reading(self.read, seed) == before, UNREAD)

    def _check_company(self, place: Place, seed: np.random.SeedSequence) -> None:
        place.require(
            reading(self.quiet, seed) == reading(self.read, seed),
            "the same updates have to give the same belief, however often it was read in between",
        )
        if self.watching is None:
            return
        place.require(
            np.allclose(self.watching.expected_counts(), self.read.expected_counts(), rtol=0.0, atol=SAME)
            and np.allclose(self.watching.probabilities(), self.read.probabilities(), rtol=0.0, atol=SAME),
            "observations alone have to give the same belief as the events with them",
        )
