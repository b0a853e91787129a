"""Factories of the beliefs that searches use: one function for each kind of belief, given its options."""

from collections.abc import Callable
from hashlib import blake2b

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import SUPPORT_LIMIT, EnumeratedBelief
from uno_pomdp.beliefs.particle_cache import limit_of
from uno_pomdp.beliefs.particle_filter import DOUBT, LOW_ESS, ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.errors import UnoError
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.opponent_models import OpponentModel
from uno_pomdp.rules import Rules

MakeBelief = Callable[[Rules, Observation], Belief]
"""Makes the belief of a new game."""


def check_belief(make: MakeBelief, rules: Rules, seat: Seat | None) -> None:
    """Refuse a belief that is impossible under these rules; without a seat, one that is possible at neither."""
    if make in (closed, uniform):
        return
    game, refused = Game.new(rules, 0), []
    seats = SEATS if seat is None else (seat,)
    for own in seats:
        try:
            make(rules, game.observation(own))
        except UnoError as error:
            refused.append(error)
    if len(refused) == len(seats):
        raise refused[0]


def closed(rules: Rules, seen: Observation) -> Belief:
    """Return the closed form."""
    return ClosedFormBelief(rules, seen)


def uniform(rules: Rules, seen: Observation) -> Belief:
    """Return the belief that uses only the size of the hand and the unseen cards."""
    return UniformBelief(rules, seen)


def enumerated(model: OpponentModel | None = None, limit: int = SUPPORT_LIMIT) -> MakeBelief:
    """Return a factory of the exact belief by enumerating all hands, for an opponent that plays as the model does."""
    return lambda rules, seen: EnumeratedBelief(rules, seen, model, limit=limit)


def particles(
    model: OpponentModel | None = None,
    particles: int = 1000,
    resample: float = LOW_ESS,
    doubt: float = DOUBT,
    cache: str = "no",
) -> MakeBelief:
    """Return a factory of particle filters, for an opponent that plays as the model does.

    The filter's chance comes from what the seat sees at the start alone. So all who follow one game from one seat with
    the same options hold the same particles: the search that advises, the panel beside it, and the review afterwards.
    """
    limit = limit_of(cache)
    return lambda rules, seen: ParticleBelief(rules, seen, model, particles, _seed_of(seen), resample, doubt, limit)


def _seed_of(seen: Observation) -> int:
    """Return a seed that is a function of what a seat sees."""
    held = seen.hand.data, seen.played.data, seen.seat, seen.top, seen.colour, seen.opponent_size, seen.draw_size
    return int.from_bytes(blake2b(repr(held).encode(), digest_size=8).digest(), "little")
