"""How a game begins: a deal of the deck, or a position in the middle of a game, checked and laid out as a record."""

from dataclasses import dataclass

import numpy as np

from uno_pomdp.cards import COLOUR_NAMES, NO_CARDS, WILD_FOUR, Cards, CardType, Colour, card_name, colour_of, is_black
from uno_pomdp.errors import InvalidDeal
from uno_pomdp.game import layout
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.bindings import arrange_one
from uno_pomdp.game.layout import FIRST, NO_COLOUR, PENALTY, SEATS, Seat, States
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules


@dataclass(frozen=True, slots=True)
class Midgame:
    """How the table stands in a game that is begun in the middle; hands, draw pile and top card are told beside it.

    Nobody may be about to decide about a card just drawn: such a game begins one action earlier or later.
    """

    colour: Colour
    """The active colour."""
    turn: Seat = FIRST
    """Who is to move."""
    owed: int = 0
    """Cards that the player to move owes."""
    before: Colour | None = None
    """The colour before a wild +4 that can be challenged; None if there is none."""
    played: Cards = NO_CARDS
    """The played cards below the top that are known: their order plays no part."""
    hidden: int = 0
    """How many others lie among them, which an observer does not know."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Where every card lies before the first move."""

    top: CardType
    """The first top card: a coloured one, unless the game is begun in the middle."""
    hands: tuple[Cards, Cards]
    """Both hands."""
    pile: tuple[CardType, ...]
    """The draw pile, next card first."""
    midgame: Midgame | None = None
    """How the table stands if the game is begun in the middle; None for a deal."""

    def __repr__(self) -> str:
        first, second = self.hands
        begins = "" if self.midgame is None else ", in the middle of a game"
        piles = f"hands {first} and {second}, {len(self.pile)} in the draw pile"
        return f"<Deal: top {card_name(self.top)}, {piles}{begins}>"


def laid_out(rules: Rules, deal: Deal, seed: int) -> States:
    """Return the record of a game that begins so; the seed is used by reshuffles alone."""
    check_deal(rules, deal)
    states = layout.template(rules)
    hands = np.array([hand.array() for hand in deal.hands])
    arrange_one(states, deal.top, hands, np.array(deal.pile[::-1], np.uint8), np.uint64(seed))
    midgame = deal.midgame
    if midgame is not None:
        state, pile = states[0], [*midgame.played, deal.top]
        state["played"][: len(pile)] = pile
        state["played_size"] = len(pile)
        state["colour"], state["turn"], state["penalty"] = midgame.colour, midgame.turn, midgame.owed
        state["before"] = NO_COLOUR if midgame.before is None else midgame.before
    return states


# --- what is refused -------------------------------------------------------------------------------------


def check_deal(rules: Rules, deal: Deal) -> None:
    """Refuse cards that are no deal of the deck, or no position of a game with it."""
    lying = NO_CARDS if deal.midgame is None else deal.midgame.played
    dealt = Cards.of([deal.top, *deal.hands[0], *deal.hands[1], *deal.pile, *lying])
    if deal.midgame is None:
        _check_dealt(rules, deal)
    else:
        check_midgame(rules, deal.top, deal.midgame, (len(deal.hands[0]), len(deal.hands[1])))
        if deal.midgame.hidden:
            raise InvalidDeal(f"{deal.midgame.hidden} played cards are hidden: name them all to play from here")
    for card, (have, should) in enumerate(zip(dealt.data, rules.deck.data, strict=True)):
        if have != should:
            raise InvalidDeal(f"{card_name(card)} is dealt {have} times, but the deck has {should}")


def _check_dealt(rules: Rules, deal: Deal) -> None:
    for seat, hand in enumerate(deal.hands):
        if len(hand) != rules.hand_size:
            raise InvalidDeal(
                f"{seat_name(seat)} is dealt {count_of(len(hand), 'card')}, but the rules say {rules.hand_size}"
            )
    if is_black(deal.top):
        raise InvalidDeal(f"the first top card is {card_name(deal.top)}, but it has to be a coloured card")


def check_midgame(rules: Rules, top: CardType, midgame: Midgame, sizes: tuple[int, int]) -> None:
    """Refuse a position that no game under these rules has; `sizes` are those of both hands."""
    name, owed = card_name(top), midgame.owed
    if midgame.turn not in SEATS:
        raise InvalidDeal(f"there is no seat {midgame.turn}: player 1 sits at seat 0, player 2 at seat 1")
    for seat in SEATS:
        if sizes[seat] < 1:
            raise InvalidDeal(f"{seat_name(seat)} holds no card, but a game goes on only while both hold some")
    if midgame.hidden < 0:
        raise InvalidDeal(f"{midgame.hidden} is no number of hidden cards: give 0 or more")
    for colour in (midgame.colour, midgame.before):
        if colour is not None and colour not in rules.colours:
            named = ", ".join(COLOUR_NAMES[each] for each in rules.colours)
            raise InvalidDeal(f"a colour that is not in the deck is named: {named} are")
    if not is_black(top) and colour_of(top) != midgame.colour:
        raise InvalidDeal(f"{name} lies on top, so the active colour is its own, not {COLOUR_NAMES[midgame.colour]}")
    if owed and not _can_be_owed(rules, top, midgame):
        raise InvalidDeal(f"{count_of(owed, 'card')} can't be owed for {name} under these rules")
    open_to_challenge = rules.wild_four == "challenge" and top == WILD_FOUR and owed > 0
    if open_to_challenge and midgame.before is None:
        raise InvalidDeal("the wild +4 can be challenged: tell the colour before it")
    if not open_to_challenge and midgame.before is not None:
        raise InvalidDeal("a colour before a wild +4 is told, but there is no wild +4 that can be challenged")


def _can_be_owed(rules: Rules, top: CardType, midgame: Midgame) -> bool:
    """Return whether so much can be owed: for the top card alone, or with answers below it where debts are stacked."""
    step, more = int(PENALTY[top]), midgame.owed - int(PENALTY[top])
    if step == 0 or more < 0:
        return False
    most = most_owed(rules, top, midgame.played) + (step * midgame.hidden if rules.stack != "no" else 0)
    return midgame.owed <= most and more % (2 if rules.stack == "rising" else step) == 0


def most_owed(rules: Rules, top: CardType, below: Cards) -> int:
    """Return how much can be owed for a top card, with what these cards below it may have added."""
    return int(PENALTY[top]) + sum(answered_for(rules, top, card) for card in below)


def answered_for(rules: Rules, top: CardType, card: CardType) -> int:
    """Return what a card below the top card may have added to what is owed for it, where debts are stacked."""
    same = PENALTY[card] == PENALTY[top]
    answered = rules.stack != "no" and (same or (rules.stack == "rising" and top == WILD_FOUR))
    return int(PENALTY[card]) if answered else 0
