"""Games from the middle of which a seat does not know all played cards, and the truth about them, world by world.

Hand, draw pile and hidden played cards are filled in every way, each as likely as any other, and led along the game by
the slow rules of `tests.oracle`. Nothing here counts one place with another.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tests.beliefs.exact_oracle import Guess, Likelihood, World, advance, agnostic, posterior
from tests.beliefs.exactness import assert_equal
from tests.beliefs.games import Moment, Seen, follow, play
from tests.beliefs.reference import ReferenceBelief
from tests.game.records import begun_in_the_middle
from tests.oracle import Oracle
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.cards import NO_CARDS, Cards
from uno_pomdp.game.deal import most_owed
from uno_pomdp.game.events import Drew, Event, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import NO_CARD
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

MOST_WORLDS = 6_000
"""A game is left where more worlds than this are possible."""


# --- games of which a seat knows less --------------------------------------------------------------------


def forgetting(seen: Seen, unknown: Cards) -> Seen:
    """Return a game as a seat sees it that does not know these of the cards below the first top."""
    hidden, moments = len(unknown), []
    for moment in seen.moments:
        events = tuple(_less(event, unknown if hidden else NO_CARDS) for event in moment.events)
        hidden = 0 if moment.reshuffled else hidden
        after = moment.observation
        if hidden:
            after = replace(after, played=after.played - unknown, hidden_played=hidden)
        moments.append(Moment(moment.action, events, after, moment.hidden, moment.drawn))
    first = replace(seen.first, played=seen.first.played - unknown, hidden_played=len(unknown))
    return Seen(seen.rules, first, seen.hidden, tuple(moments))


def _less(event: Event, unknown: Cards) -> Event:
    if not isinstance(event, Reshuffled):
        return event
    return replace(event, returned=event.returned - unknown, hidden=len(unknown))


def views(rules: Rules, seed: int, moves: int = 5, at_most: int = 9) -> list[Seen]:
    """Return a random game from its middle on as both seats see it, some played cards unknown where there are any."""
    chance, found = random.Random(seed), []
    for seen in play(begun_in_the_middle(rules, seed, moves), seed, at_most):
        below = list(seen.first.played - Cards.of([seen.first.top]))
        unknown = Cards.of(chance.sample(below, k=min(len(below), chance.randint(1, 4))))
        known = Cards.of(below) - unknown
        if unknown and seen.first.penalty <= most_owed(rules, seen.first.top, known):
            found.append(forgetting(seen, unknown))
    return found


# --- every world -----------------------------------------------------------------------------------------


def worlds_at_start(rules: Rules, first: Observation) -> list[World]:
    """Return every way to put the unseen cards into the other hand, the draw pile and below the known played cards."""
    unseen, below = list(first.unseen(rules)), list(first.played - Cards.of([first.top]))
    places, worlds = set(range(len(unseen))), []
    for held in itertools.combinations(sorted(places), first.opponent_size):
        for lying in itertools.combinations(sorted(places - set(held)), first.hidden_played):
            hand, hidden = [unseen[place] for place in held], [unseen[place] for place in lying]
            pile = [unseen[place] for place in sorted(places - set(held) - set(lying))]
            hands = (list(first.hand), hand) if first.seat == 0 else (hand, list(first.hand))
            game = Oracle(rules, first.top, hands, pile)
            game.played, game.colour = [*hidden, *below, first.top], first.colour
            game.turn, game.penalty, game.colour_before = first.turn, first.penalty, first.before
            worlds.append(World(game, Fraction(1)))
    return merged(worlds, first.hidden_played)


def merged(worlds: list[World], hidden: int) -> list[World]:
    """Return the worlds with those made one that differ in the order of cards alone; all else is seen."""
    found: dict[tuple[object, ...], World] = {}
    for world in worlds:
        game = world.game
        places = (*game.hands, game.pile, game.played[:hidden])
        key = (*(tuple(sorted(place)) for place in places), game.drawn)
        before = found.get(key)
        found[key] = world if before is None else World(game, before.weight + world.weight)
    return list(found.values())


def worlds_of(seen: Seen, likelihood: Likelihood) -> Iterator[list[World]]:
    """Yield all worlds at the start and after each action, as far as there are not too many."""
    worlds = worlds_at_start(seen.rules, seen.first)
    yield worlds
    for moment in seen.moments:
        worlds = merged(advance(worlds, moment, likelihood), moment.observation.hidden_played)
        if len(worlds) > MOST_WORLDS:
            break
        yield worlds


def all_worlds(seen: Seen, likelihood: Likelihood) -> list[dict[Guess, Fraction]]:
    """Return the posterior at the start and after each action, as far as there are not too many worlds."""
    return [posterior(worlds, seen.first.seat) for worlds in worlds_of(seen, likelihood)]


def hypotheses(belief: EnumeratedBelief) -> dict[Guess, Fraction]:
    """Return what an exact enumeration says, in the same form."""
    total = int(belief.hypotheses.weights.sum())
    return {
        (tuple(Cards(hand.tobytes())), None if card == NO_CARD else int(card)): Fraction(int(weight), total)
        for hand, card, weight in zip(*belief.hypotheses[:3], strict=True)
    }


def compare(seen: Seen, met: Counter[str]) -> None:
    """Require that enumeration, the closed form in whole numbers and its kernels say what all worlds say."""
    exact, reference = EnumeratedBelief(seen.rules, seen.first, exact=True), ReferenceBelief(seen.rules, seen.first)
    fast = ClosedFormBelief(seen.rules, seen.first)
    steps = zip(follow(exact, seen), follow(reference, seen), follow(fast, seen), strict=True)
    for number, shares in enumerate(all_worlds(seen, agnostic)):
        if number:
            met.update(_kinds(next(steps)[0], seen.first.seat))
        assert hypotheses(exact) == shares
        assert_equal(reference, exact)
        np.testing.assert_allclose(fast.expected_counts(), reference.expected_counts(), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(fast.probabilities(), reference.probabilities(), rtol=1e-8, atol=1e-10)
        met["posteriors"] += 1


def _kinds(moment: Moment, seat: int) -> list[str]:
    """Return what a moment has that is worth meeting."""
    drew = [event for event in moment.events if isinstance(event, Drew)]
    kinds = ["own draw" if event.seat == seat else "other draw" for event in drew]
    kinds += [type(event).__name__ for event in moment.events if isinstance(event, Shown | Swapped)]
    kinds += ["hidden went back" for event in moment.events if isinstance(event, Reshuffled) and event.hidden]
    return kinds + ["pending"] * (moment.drawn is not None)
