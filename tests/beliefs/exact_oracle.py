"""Every way a game can have gone, world by world: the slow truth about what a seat may believe.

Nothing here comes from the package's beliefs or rules. A world is a whole game of `tests.oracle` with a weight.
At the deal there is one for each set of labelled cards that the opponent may have got; each action multiplies
the weight by the opponent's probability of it, each draw splits a world into all sets of cards that may come, and
a world in which the seat would see anything else than it did is dropped. Worlds are never merged or rounded.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from tests.beliefs.games import Moment
from tests.oracle import CHALLENGE, DRAW, KEEP, Oracle, card_and_colour, colour_of
from uno_pomdp.cards import COLOURED_TYPES
from uno_pomdp.game.events import Drew, Event, Shown
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

Likelihood = Callable[[Oracle, int], Fraction]
"""How likely the player to move takes a legal action."""
Guess = tuple[tuple[int, ...], int | None]
"""A hand in order, and the card just drawn that its holder decides about."""


@dataclass(frozen=True)
class World:
    """One way a game can have gone."""

    game: Oracle
    """All its cards."""
    weight: Fraction
    """How likely it is, up to a common factor."""


def worlds_at_deal(rules: Rules, first: Observation) -> list[World]:
    """Return one world for each set of unseen cards that the opponent may hold."""
    unseen = list(first.unseen(rules))
    worlds = []
    for chosen in itertools.combinations(range(len(unseen)), first.opponent_size):
        hand = [unseen[place] for place in chosen]
        pile = [card for place, card in enumerate(unseen) if place not in chosen]
        hands = (list(first.hand), hand) if first.seat == 0 else (hand, list(first.hand))
        worlds.append(World(Oracle(rules, first.top, hands, pile), Fraction(1)))
    return worlds


def advance(worlds: list[World], moment: Moment, likelihood: Likelihood) -> list[World]:
    """Return the worlds after an action in which the seat sees what it saw."""
    seat, action = moment.observation.seat, moment.action.id
    hidden = moment.observation.hidden_played
    seen = (*sight_of(moment.observation), *told_by(moment.events, seat))
    after = []
    for world in worlds:
        if action in world.game.legal():
            choice = likelihood(world.game, action) if world.game.turn != seat else Fraction(1)
            for game, chance in outcomes(world.game, action):
                if choice and (*sight(game, seat, hidden), *told(game, seat)) == seen:
                    after.append(World(game, world.weight * choice * chance))
    return after


def outcomes(game: Oracle, action: int) -> Iterator[tuple[Oracle, Fraction]]:
    """Return each game that an action can lead to, with its chance."""
    if action == DRAW and not game.penalty and game.rules.draw == "until_playable":
        yield from draws_until_playable(game)
        return
    count = game.penalty or 1
    if action == CHALLENGE:
        count = 4 if game.is_guilty() else 6
    together = game.pile + (game.played[:-1] if game.needs_reshuffle(action) else [])
    if action not in (DRAW, CHALLENGE) or len(together) < count:
        after = game.copy()
        after.act(action, together)
        yield after, Fraction(1)
        return
    for chosen in itertools.combinations(range(len(together)), count):
        rest = [card for place, card in enumerate(together) if place not in chosen]
        order = rest + [together[place] for place in chosen]  # the next card is the last
        after = game.copy()
        if game.needs_reshuffle(action):
            after.act(action, order)
        else:
            after.pile = order
            after.act(action)
        yield after, Fraction(1, math.comb(len(together), count))


def draws_until_playable(game: Oracle) -> Iterator[tuple[Oracle, Fraction]]:
    """Return each game that drawing until a card is playable can lead to: what came before it counts as a set."""
    returned = game.played[:-1] if game.needs_reshuffle(DRAW) else None
    before_it = game.pile if returned is not None else []  # none of these can be played, or the draw would end there
    for order, chance in stretches(game, game.pile if returned is None else returned):
        after = game.copy()
        if returned is None:
            after.pile = order
            after.act(DRAW)
        else:
            after.pile = list(before_it)
            after.act(DRAW, order)
        yield after, chance


def stretches(game: Oracle, pile: list[int]) -> Iterator[tuple[list[int], Fraction]]:
    """Return orders of a pile, next card last, one for each set of cards before the first playable one and that one."""
    size = len(pile)
    misses = [place for place in range(size) if not game.fits(pile[place])]
    hits = [place for place in range(size) if game.fits(pile[place])]
    if not hits:
        yield list(pile), Fraction(1)
    for hit in hits:
        for number in range(len(misses) + 1):
            for chosen in itertools.combinations(misses, number):
                first = [*chosen, hit]
                rest = [card for place, card in enumerate(pile) if place not in first]
                ways = math.factorial(number) * math.factorial(size - number - 1)  # orders of the chosen, of the rest
                order = rest + [pile[place] for place in reversed(first)]
                yield order, Fraction(ways, math.factorial(size))


def told(game: Oracle, seat: int) -> tuple[object, ...]:
    """Return what a seat is told of the last action beside what it sees: a hand shown, own cards before a reshuffle."""
    cards = (game.just_drawn if game.drawer == seat else []) or []
    shown = None if game.shown is None else sorted(game.shown)
    return shown, sorted(cards[: game.drawn_first]), sorted(cards[game.drawn_first :])


def told_by(events: tuple[Event, ...], seat: int) -> tuple[object, ...]:
    """Return the same of events."""
    shown = next((list(event.hand) for event in events if isinstance(event, Shown)), None)
    drawn = [sorted(event.cards or ()) for event in events if isinstance(event, Drew) and event.seat == seat]
    first, late = ([], *drawn)[-2:] if drawn else ([], [])
    return shown, first, late


def sight(game: Oracle, seat: int, hidden: int = 0) -> tuple[object, ...]:
    """Return all that a seat sees of a game; so many cards at the bottom of the played pile it does not know."""
    mine = game.turn == seat
    return (
        sorted(game.hands[seat]),
        len(game.hands[1 - seat]),
        len(game.pile),
        sorted(game.played[hidden:]),
        game.played[-1],
        game.colour,
        game.turn,
        game.penalty if game.reason is None else None,
        game.drawn is not None,
        game.drawn if mine else None,
        game.colour_before if game.reason is None else None,
        game.reason,
    )


def sight_of(seen: Observation) -> tuple[object, ...]:
    """Return the same of an observation."""
    return (
        list(seen.hand),
        seen.opponent_size,
        seen.draw_size,
        list(seen.played),
        seen.top,
        seen.colour,
        seen.turn,
        seen.penalty if seen.outcome is None else None,
        seen.deciding,
        seen.drawn,
        seen.before if seen.outcome is None else None,
        None if seen.outcome is None else str(seen.outcome.reason),
    )


def posterior(worlds: list[World], seat: int) -> dict[Guess, Fraction]:
    """Return how likely each hand of the opponent is, with the card just drawn while it decides."""
    total = sum(world.weight for world in worlds)
    shares: dict[Guess, Fraction] = {}
    for world in worlds:
        game = world.game
        guess = (tuple(sorted(game.hands[1 - seat])), game.drawn if game.turn != seat else None)
        shares[guess] = shares.get(guess, Fraction(0)) + world.weight / total
    return shares


# Who the opponent may be


def agnostic(game: Oracle, action: int) -> Fraction:
    """Return 1 for every labelled card that can be meant: no player, but a model."""
    if action in (DRAW, KEEP, CHALLENGE) or game.drawn is not None:
        return Fraction(1)
    return Fraction(game.hands[game.turn].count(card_and_colour(action)[0]))


def uniform(game: Oracle, action: int) -> Fraction:
    """Return the probability of a legal action for one who takes any."""
    assert action in game.legal()
    return Fraction(1, len(game.legal()))


def greedy(game: Oracle, action: int) -> Fraction:
    """Return the probability of a legal action for one who plays any card it can, black ones in its best colour."""
    hand = game.hands[game.turn]
    allowed = {card_and_colour(legal)[0] for legal in game.legal() if legal not in (DRAW, KEEP, CHALLENGE)}
    playable = [card for card in ([game.drawn] if game.drawn is not None else hand) if card in allowed]
    if action == CHALLENGE:
        return Fraction(0)
    if not playable or action in (DRAW, KEEP):
        return Fraction(not playable and action in (DRAW, KEEP))
    card, colour = card_and_colour(action)
    best = max(game.colours, key=lambda one: [colour_of(held) for held in hand].count(one))
    if card >= COLOURED_TYPES and colour != best:
        return Fraction(0)
    return Fraction(playable.count(card), len(playable))
