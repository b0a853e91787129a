"""Beliefs from the middle of a game, all played cards known: at first the hidden hand is any of the unseen cards."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tests.beliefs.exact_oracle import World, advance, agnostic, posterior
from tests.beliefs.exactness import assert_equal
from tests.beliefs.games import Seen, follow, play, whole_mini_rules
from tests.beliefs.reference import ReferenceBelief
from tests.game.records import begun_in_the_middle
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, named
from tests.oracle import Oracle
from uno_pomdp.agents.agent_model import AgentModel
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import CannotEnumerate, EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.cards import Cards
from uno_pomdp.errors import InvalidBelief
from uno_pomdp.game.observation import Observation
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset

MOST_WORLDS = 2_000
"""A game is left where more worlds than this are possible."""


def worlds_at_start(rules: Rules, first: Observation) -> list[World]:
    """Return one world for each set of unseen cards that the opponent may hold when a game is begun in the middle."""
    unseen, below = list(first.unseen(rules)), list(first.played - Cards.of([first.top]))
    worlds = []
    for chosen in itertools.combinations(range(len(unseen)), first.opponent_size):
        hand = [unseen[place] for place in chosen]
        pile = [card for place, card in enumerate(unseen) if place not in chosen]
        game = Oracle(rules, first.top, (list(first.hand), hand) if first.seat == 0 else (hand, list(first.hand)), pile)
        game.played, game.colour = [*below, first.top], first.colour
        game.turn, game.penalty, game.colour_before = first.turn, first.penalty, first.before
        worlds.append(World(game, Fraction(1)))
    return worlds


def compare(seen: Seen) -> int:
    """Follow a game with all its worlds, enumerated and in closed form; return how often all were equal."""
    worlds = worlds_at_start(seen.rules, seen.first)
    exact, reference = EnumeratedBelief(seen.rules, seen.first, exact=True), ReferenceBelief(seen.rules, seen.first)
    fast, equal = ClosedFormBelief(seen.rules, seen.first), 0
    steps = zip(follow(exact, seen), follow(reference, seen), follow(fast, seen), strict=True)
    for moment in (None, *seen.moments):
        if moment is not None:
            next(steps)
            worlds = advance(worlds, moment, agnostic)
        if len(worlds) > MOST_WORLDS:
            break
        total, shares = int(exact.hypotheses.weights.sum()), posterior(worlds, seen.first.seat)
        found = {
            (tuple(Cards(hand.tobytes())), None if card == 255 else int(card)): Fraction(int(weight), total)
            for hand, card, weight in zip(*exact.hypotheses[:3], strict=True)
        }
        assert found == shares
        assert_equal(reference, exact)
        np.testing.assert_allclose(fast.expected_counts(), reference.expected_counts(), rtol=1e-8, atol=1e-10)
        equal += 1
    return equal


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_beliefs_from_the_middle_are_what_all_worlds_say(variant: dict[str, str]) -> None:
    equal = 0
    for seed in range(6):
        game = begun_in_the_middle(whole_mini_rules(seed, variant, most_unseen=8), seed, 3)
        equal += sum(compare(seen) for seen in play(game, seed, at_most=8))
    assert equal > 20


def test_a_model_that_remembers_is_refused_where_the_past_is_not_told() -> None:
    game = begun_in_the_middle(Rules(deck=preset("mini-12").deck, hand_size=3, **VARIANTS[0]), 5, 2)  # type: ignore[arg-type]
    model = AgentModel(lambda: make_agent("heuristic"), "mimic")
    with pytest.raises(CannotEnumerate, match="mimic remembers the whole game: let the enumeration begin at the deal"):
        EnumeratedBelief.after(game, 0, model=model)
    with pytest.raises(InvalidBelief, match="mimic remembers the whole game: let the belief begin at the deal"):
        ParticleBelief.after(game, 0, model=model, size=10)
    game.apply(game.legal_actions()[0])
    assert ParticleBelief.after(game, 0, model="greedy", size=50).hand_probability(game.hand(1)) >= 0.0
