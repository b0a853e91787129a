"""What a seat sees before the first move: after a deal, or in a game that is begun in the middle."""

from dataclasses import replace

from uno_pomdp.cards import Cards, CardType, card_name, is_black
from uno_pomdp.errors import InvalidDeal
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.deal import Midgame, check_midgame
from uno_pomdp.game.layout import FIRST, FIRST_ACTS, PENALTY, SECOND, SKIP_AGAIN, SKIPS, Seat, variant_bits
from uno_pomdp.game.observation import Observation
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules


def first_observation(rules: Rules, seat: Seat, hand: Cards, top: CardType) -> Observation:
    """Return what a seat sees at the deal; nothing is checked."""
    variant = variant_bits(rules)
    return Observation(
        seat=seat,
        hand=hand,
        opponent_size=rules.hand_size,
        draw_size=len(rules.deck) - 2 * rules.hand_size - 1,
        played=Cards.of([top]),
        top=top,
        colour=ACTIONS[top].colour or 0,
        turn=SECOND if SKIPS[top] and variant & FIRST_ACTS and variant & SKIP_AGAIN else FIRST,
        penalty=int(PENALTY[top]) if variant & FIRST_ACTS else 0,
        deciding=False,
        drawn=None,
        outcome=None,
        variant=variant,
        colours=sum(1 << colour for colour in rules.colours),
    )


def midgame_observation(
    rules: Rules, seat: Seat, hand: Cards, top: CardType, midgame: Midgame, opponent_size: int
) -> Observation:
    """Return what a seat sees of a game that is begun in the middle, if there can be such a game."""
    sizes = (len(hand), opponent_size) if seat == FIRST else (opponent_size, len(hand))
    check_midgame(rules, top, midgame, sizes)
    played = midgame.played + Cards.of([top])
    for card in (hand + played).types():
        if hand[card] + played[card] > rules.deck[card]:
            seen = f"{hand[card]} in your hand and {played[card]} on the pile"
            raise InvalidDeal(f"the deck has {rules.deck[card]} {card_name(card)}, but you name {seen}")
    draw_size = len(rules.deck) - len(hand) - len(played) - opponent_size - midgame.hidden
    if draw_size < 0:
        raise InvalidDeal(f"the deck has {len(rules.deck)} cards, but hands and played cards are {-draw_size} more")
    return replace(
        first_observation(rules, seat, hand, top),
        opponent_size=opponent_size,
        draw_size=draw_size,
        played=played,
        colour=midgame.colour,
        turn=midgame.turn,
        penalty=midgame.owed,
        before=midgame.before,
        hidden_played=midgame.hidden,
    )


def is_dealt(rules: Rules, seen: Observation) -> bool:
    """Return whether a game begins with a deal, or with what can't be told from one: not in the middle."""
    return not is_black(seen.top) and seen == first_observation(rules, seen.seat, seen.hand, seen.top)


def check_hand(rules: Rules, hand: Cards) -> None:
    """Refuse a hand that can't have been dealt."""
    for card in hand.types():
        if hand[card] > rules.deck[card]:
            raise InvalidDeal(f"you can't hold {hand[card]} {card_name(card)}: the deck has {rules.deck[card]}")
    if len(hand) != rules.hand_size:
        raise InvalidDeal(f"you are dealt {count_of(rules.hand_size, 'card')}, but name {len(hand)}")


def check_dealt(rules: Rules, hand: Cards, top: CardType) -> None:
    """Refuse a hand and a top card that can't have been dealt."""
    check_hand(rules, hand)
    if is_black(top):
        raise InvalidDeal(f"the first top card is {card_name(top)}, but it has to be a coloured card: deal again")
    if hand[top] >= rules.deck[top]:
        has = f"the deck has {rules.deck[top]} {card_name(top)}"
        raise InvalidDeal(
            f"{card_name(top)} can't be the top card: {has}" + f", in your hand {hand[top]}" * (hand[top] > 0)
        )
