"""Beliefs after a forgotten UNO against every world there is: two more cards of the pile, and nobody's choice."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from tests.beliefs.exact_oracle import (
    World,
    advance,
    agnostic,
    posterior,
    sight,
    sight_of,
    told,
    told_by,
    worlds_at_deal,
)
from tests.beliefs.exactness import assert_equal
from tests.beliefs.games import Moment, Seen, choose, follow, whole_mini_rules
from tests.beliefs.reference import ReferenceBelief
from tests.game.records import can_forget
from tests.helpers import PAIRS_OF_VALUES, named
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import FORGOT_UNO
from uno_pomdp.game.events import Drew
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import NO_CARD
from uno_pomdp.rules import Rules

MOST_WORLDS = 3_000
"""A game is left where more worlds than this are possible."""


def forgetful_game(rules: Rules, seed: int) -> tuple[Seen, Seen]:
    """Return a random game in which UNO is forgotten whenever it can be, half of the times, as both players saw it."""
    game, chance = Game.new(rules, seed), random.Random(seed)
    firsts = [(game.observation(seat), game.hand(1 - seat)) for seat in (0, 1)]
    moments: tuple[list[Moment], list[Moment]] = ([], [])
    for number in range(10):
        if game.over:
            break
        forgetful = can_forget(game)
        if forgetful and chance.random() < 0.5:
            game.forget_uno(forgetful[0])
        else:
            game.apply(choose(game, chance))
        for seat in (0, 1):
            hidden = game.drawn if game.turn != seat else None
            events, seen = game.events(seat, number), game.observation(seat)
            moments[seat].append(Moment(game.last_move.action, events, seen, game.hand(1 - seat), hidden))
    one, two = (Seen(rules, *firsts[seat], tuple(moments[seat])) for seat in (0, 1))
    return one, two


def after_forgetting(worlds: list[World], moment: Moment) -> list[World]:
    """Return the worlds after a player drew two cards, or as many as there are, in which the seat sees what it saw."""
    seat, event = moment.observation.seat, moment.events[-1]
    assert isinstance(event, Drew)
    seen = (*sight_of(moment.observation), *told_by(moment.events, seat))
    after = []
    for world in worlds:
        game = world.game.copy()
        if len(game.pile) < 2 and game.rules.reshuffle == "yes":
            game.pile, game.played = game.pile + game.played[:-1], game.played[-1:]
        number = min(2, len(game.pile))
        for chosen in itertools.combinations(range(len(game.pile)), number):
            drawn = game.copy()
            drawn.just_drawn = [game.pile[place] for place in chosen]
            drawn.pile = [card for place, card in enumerate(game.pile) if place not in chosen]
            drawn.drawer, drawn.hands[event.seat] = event.seat, [*game.hands[event.seat], *drawn.just_drawn]
            if (*sight(drawn, seat), *told(drawn, seat)) == seen:
                after.append(World(drawn, world.weight * Fraction(1, math.comb(len(game.pile), number))))
    return after


def compare(seen: Seen) -> int:
    """Follow a game with all its worlds and three beliefs; return how many forgotten UNOs were among what was equal."""
    worlds, found = worlds_at_deal(seen.rules, seen.first), 0
    exact, reference = EnumeratedBelief(seen.rules, seen.first, exact=True), ReferenceBelief(seen.rules, seen.first)
    fast = ClosedFormBelief(seen.rules, seen.first)
    for moment, _, _ in zip(follow(exact, seen), follow(reference, seen), follow(fast, seen), strict=True):
        forgot = moment.action == FORGOT_UNO
        worlds = after_forgetting(worlds, moment) if forgot else advance(worlds, moment, agnostic)
        total = int(exact.hypotheses.weights.sum())
        shares = {
            (tuple(Cards(hand.tobytes())), None if card == NO_CARD else int(card)): Fraction(int(weight), total)
            for hand, card, weight in zip(*exact.hypotheses[:3], strict=True)
        }
        assert shares == posterior(worlds, seen.first.seat)
        assert_equal(reference, exact)
        np.testing.assert_allclose(fast.expected_counts(), reference.expected_counts(), rtol=1e-8, atol=1e-10)
        found += forgot
        if len(worlds) > MOST_WORLDS:
            break
    return found


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_beliefs_are_what_all_worlds_say(variant: dict[str, str]) -> None:
    games = [forgetful_game(whole_mini_rules(seed, variant, most_unseen=7), seed) for seed in range(12)]
    assert sum(compare(seen) for game in games for seen in game) > 4
