"""Factories of the beliefs that searches use: one function for each kind of belief, given its options."""

from collections.abc import Callable

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import SUPPORT_LIMIT, EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import LOW_ESS, ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.errors import UnoError
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.opponent_models import OpponentModel
from uno_pomdp.rules import Rules

MakeBelief = Callable[[Rules, Observation, Seed], Belief]
"""Makes the belief of a new game."""


def check_belief(make: MakeBelief, rules: Rules, seat: Seat | None) -> None:
    """Refuse a belief that is impossible under these rules; without a seat, one that is possible at neither."""
    if make in (closed, uniform):
        return
    game, refused = Game.new(rules, 0), []
    seats = SEATS if seat is None else (seat,)
    for own in seats:
        try:
            make(rules, game.observation(own), 0)
        except UnoError as error:
            refused.append(error)
    if len(refused) == len(seats):
        raise refused[0]


def closed(rules: Rules, seen: Observation, seed: Seed) -> Belief:
    """Return the closed form."""
    del seed
    return ClosedFormBelief(rules, seen)


def uniform(rules: Rules, seen: Observation, seed: Seed) -> Belief:
    """Return the belief that uses only the size of the hand and the unseen cards."""
    del seed
    return UniformBelief(rules, seen)


def enumerated(model: OpponentModel | None = None, limit: int = SUPPORT_LIMIT) -> MakeBelief:
    """Return a factory of the exact belief by enumerating all hands, for an opponent that plays as the model does."""
    return lambda rules, seen, _: EnumeratedBelief(rules, seen, model, limit=limit)


def particles(model: OpponentModel | None = None, particles: int = 1000, resample: float = LOW_ESS) -> MakeBelief:
    """Return a factory of particle filters, for an opponent that plays as the model does."""
    return lambda rules, seen, seed: ParticleBelief(rules, seen, model, particles, seed, resample)
