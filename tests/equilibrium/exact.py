"""Values and best responses with fractions, slow and obvious: the oracle's rules, lists and recursion.

Cards are labelled and draw piles ordered here, so every probability is a plain count.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from tests.oracle import DRAW, Oracle, card_and_colour, colour_of, rank_of
from uno_pomdp.cards import DRAW_TWO, REVERSE, SKIP, WILD_FOUR
from uno_pomdp.rules import Rules

Chances = dict[int, Fraction]
Policy = Callable[[Oracle], Chances]
"""The probability of each action of the player to move, who looks at its own hand and the table alone."""
World = tuple[Fraction, Oracle, tuple[Any, ...]]
"""How likely it is, the game, and what the responder has been told since its last action."""


def all_worlds(rules: Rules) -> Iterator[tuple[Fraction, Oracle]]:
    """Yield every deal of labelled cards with every order of the pile, all equally likely."""
    deck = list(rules.deck)
    labels = range(len(deck))
    found = []
    for top in (label for label in labels if deck[label] < 52):
        rest = [label for label in labels if label != top]
        for first in itertools.combinations(rest, rules.hand_size):
            others = [label for label in rest if label not in first]
            for second in itertools.combinations(others, rules.hand_size):
                pile = [label for label in others if label not in second]
                found += [(top, first, second, order) for order in itertools.permutations(pile)]
    for top, first, second, order in found:
        hands = [deck[label] for label in first], [deck[label] for label in second]
        yield Fraction(1, len(found)), Oracle(rules, deck[top], hands, [deck[label] for label in order])


def result(game: Oracle, seat: int) -> int:
    """Return +1, 0 or −1 for a seat."""
    return 0 if game.winner is None else 1 if game.winner == seat else -1


def told(game: Oracle, seat: int, mover: int, action: int) -> tuple[Any, ...]:
    """Return what a seat is told of the action just done."""
    drawn = sorted(game.just_drawn) if mover == seat else len(game.just_drawn)
    return (action, str(drawn))


def after(game: Oracle, action: int) -> Oracle:
    twin = game.copy()
    twin.act(action)
    return twin


class BestResponse:
    """The best that a seat can do against a policy, by looking at every information set."""

    def __init__(
        self, rules: Rules, policy: Policy, seat: int, discount: Fraction = Fraction(1), cost: Fraction = Fraction(0)
    ) -> None:
        self.policy, self.seat, self.discount, self.cost = policy, seat, discount, cost
        self.choices = 0
        """Information sets of the seat with more than one legal action."""
        worlds: list[World] = [
            (weight, game, (game.played[0], tuple(sorted(game.hands[seat])))) for weight, game in all_worlds(rules)
        ]
        self.value = self.best(worlds, Fraction(1))
        """Its value, exactly."""

    def best(self, worlds: list[World], discount: Fraction) -> Fraction:
        """Return the value of worlds, those that the seat can tell apart judged apart; what comes later discounted."""
        total = Fraction(0)
        groups: dict[tuple[Any, ...], list[tuple[Fraction, Oracle]]] = {}
        for world in worlds:
            total += self.settle(world, groups)
        for group in groups.values():
            legal = group[0][1].legal()
            assert all(game.legal() == legal for _, game in group)
            self.choices += len(legal) > 1
            paid = self.cost * sum(weight for weight, _ in group)
            values = [self.best([self.done(*world, action) for world in group], self.discount) for action in legal]
            total += discount * (max(values) - paid)
        return total

    def done(self, weight: Fraction, game: Oracle, action: int) -> World:
        """Return the world after an action of the seat."""
        twin = after(game, action)
        return weight, twin, (told(twin, self.seat, self.seat, action),)

    def known(self, game: Oracle, seen: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what the seat tells worlds apart by: what it was told."""
        del game
        return seen

    def settle(self, world: World, groups: dict[tuple[Any, ...], list[tuple[Fraction, Oracle]]]) -> Fraction:
        """Let the opponent move until the seat has to, and sort the world into what it can tell apart."""
        weight, game, seen = world
        if game.reason is not None:
            return weight * result(game, self.seat)
        if game.turn == self.seat:
            groups.setdefault(self.known(game, seen), []).append((weight, game))
            return Fraction(0)
        total = Fraction(0)
        for action, chance in self.policy(game).items():
            twin = after(game, action)
            total += self.settle((weight * chance, twin, (*seen, told(twin, self.seat, 1 - self.seat, action))), groups)
        return total


class Clairvoyant(BestResponse):
    """The best that a seat can do that sees every card, but not in which order the pile lies."""

    def known(self, game: Oracle, seen: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the position."""
        del seen
        hands = [sorted(hand) for hand in game.hands]
        return (repr((hands, sorted(game.pile), game.played[-1], game.colour, game.penalty, game.drawn)),)


def self_play(rules: Rules, policy: Policy) -> Fraction:
    """Return what player 1 earns when both follow a policy."""

    def value(game: Oracle) -> Fraction:
        if game.reason is not None:
            return Fraction(result(game, 0))
        chances = policy(game).items()
        return sum((chance * value(after(game, action)) for action, chance in chances if chance), Fraction(0))

    return sum((weight * value(game) for weight, game in all_worlds(rules)), Fraction(0))


# --- the policies, from the words of their description -----------------------------------------------------


def uniform(game: Oracle) -> Chances:
    """Every legal action equally likely."""
    legal = game.legal()
    return {action: Fraction(1, len(legal)) for action in legal}


def greedy(game: Oracle) -> Chances:
    """Every playable copy equally likely, a black card in the colour held most; draw or keep only if nothing is."""
    hand = game.hands[game.turn]
    plays = [action for action in game.legal() if action < DRAW]
    if not plays:
        return uniform(game)
    held = Counter(colour_of(card) for card in hand)
    colour = max(game.colours, key=lambda c: (held[c], -c))
    copies = Counter[int]()
    for action in plays:
        card, declared = card_and_colour(action)
        if card < 52 or declared == colour:
            copies[action] = 1 if game.drawn is not None else hand.count(card)
    return {action: Fraction(number, copies.total()) for action, number in copies.items()}


def baseline(game: Oracle) -> Chances:
    """+2, else skip or reverse, else a number, else a wild +4, else a wild, in the colour of most types held."""
    legal = game.legal()
    types = set(game.hands[game.turn])
    coloured = [action for action in legal if action < 52]
    groups = [
        [action for action in coloured if rank_of(action) == DRAW_TWO],
        [action for action in coloured if rank_of(action) in (SKIP, REVERSE)],
        coloured,
    ]
    held = Counter(colour_of(card) for card in types)
    colour = max(game.colours, key=lambda c: (held[c], -c))
    black = [action for action in legal if 52 <= action < DRAW and card_and_colour(action)[1] == colour]
    groups += [[a for a in black if card_and_colour(a)[0] == WILD_FOUR], black, legal]
    wanted = next(group for group in groups if group)
    return {action: Fraction(1, len(wanted)) for action in wanted}


POLICIES: dict[str, Policy] = {"random": uniform, "greedy": greedy, "baseline": baseline}
