"""The questions before the first move of a game that is typed in, at the deal or in the middle, and their answers.

Each answer is read and checked at once; a wrong one is refused with a sentence.
"""

import re
from collections.abc import Mapping
from typing import Final

from uno_pomdp.advise.entries import NotUnderstood, parse_cards, parse_colour, parse_first, parse_number
from uno_pomdp.advise.start import Question, Start
from uno_pomdp.cards import COLOUR_NAMES, NO_CARDS, WILD_FOUR, Cards, CardType, Colour, card_name, colour_of, is_black
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.deal import Midgame, check_midgame
from uno_pomdp.game.layout import FIRST, Seat
from uno_pomdp.game.move import Hidden
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.observed_start import check_hand
from uno_pomdp.game.record import GameRecord
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules
from uno_pomdp.session.parse import Unclear, parse_action, parse_card

MIDDLE: Final = frozenset({"middle", "in the middle", "from the middle", "mid"})
"""What is typed at the first question to begin in the middle of a game."""
NOTHING: Final = frozenset({"none", "no", "nothing", "0", "-"})
"""What is typed for no cards."""


def from_the_deal(rules: Rules) -> Start:
    """Return the start of a game from the deal on, before any answer."""
    return Start(rules, FROM_THE_DEAL)


def from_the_middle(rules: Rules, seat: Seat = FIRST) -> Start:
    """Return the start of a game in its middle, before any answer; the seat is the own one."""
    return Start(rules, FROM_THE_MIDDLE, middle=True, seat=seat)


def start_of(record: GameRecord) -> Start:
    """Return the start of an observer's record, as it would have been typed."""
    seat, midgame = record.observer, record.midgame
    assert seat is not None
    own, other = record.hands[seat], record.hands[1 - seat]
    assert isinstance(other, Hidden)
    assert isinstance(record.pile, Hidden)
    start = from_the_deal(record.rules) if midgame is None else from_the_middle(record.rules, seat)
    texts = {"first": "me" if seat == FIRST else "opponent", "hand": str(own), "top": card_name(record.top)}
    if midgame is not None:
        texts |= {
            "turn": "me" if midgame.turn == seat else "opponent",
            "colour": COLOUR_NAMES[midgame.colour],
            "owed": str(midgame.owed),
            "before": "" if midgame.before is None else COLOUR_NAMES[midgame.before],
            "opponent": str(other.count),
            "pile": str(record.pile.count),
            "played": str(midgame.played) or "none",
        }
    while start.next is not None:
        start.answer(texts[start.next])
    return start


# --- what the answers say ----------------------------------------------------------------------------


def _read_who(start: Start, text: str) -> Seat:
    del start
    return parse_first(text)


def _read_dealt_hand(start: Start, text: str) -> Cards:
    hand = Cards.of(parse_cards(text))
    check_hand(start.rules, hand)
    return hand


def _read_dealt_top(start: Start, text: str) -> tuple[CardType, Colour | None]:
    card = parse_card(text)
    ObservedGame(start.rules, start.values["first"], start.hand, card)  # refuses what can't be dealt
    return card, None


def _read_hand(start: Start, text: str) -> Cards:
    hand = Cards.of(parse_cards(text))
    if not hand:
        raise NotUnderstood("name your cards: a game goes on only while you hold some")
    _check_deck(start, hand, "you can't hold")
    if len(hand) > len(start.rules.deck) - 2:
        raise NotUnderstood("these are all cards but one: there is none left for the top card or the opponent")
    return hand


def _read_top(start: Start, text: str) -> tuple[CardType, Colour | None]:
    try:
        card, colour = parse_card(text), None
    except Unclear as error:
        card, colour = _declared(start, text, error)
    if start.hand[card] >= start.rules.deck[card]:
        raise NotUnderstood(f"{card_name(card)} can't be the top card: {_where(start, card)}")
    if not is_black(card):
        return card, colour_of(card)
    return card, start.rules.colours[0] if len(start.rules.colours) == 1 else colour


def _declared(start: Start, text: str, problem: Unclear) -> tuple[CardType, Colour]:
    """Return a black card with its colour; what is none is the problem that it was before."""
    black = [action for action in ACTIONS if action.card is not None and is_black(action.card)]
    try:
        action = parse_action(text, black) if re.search("[a-z]", text.lower()) else None
    except UnoError:
        action = None
    if action is None or action.card is None or action.colour is None:
        raise problem
    _check_colour(start, action.colour)
    return action.card, action.colour


def _read_colour(start: Start, text: str) -> Colour:
    colour = parse_colour(text)
    _check_colour(start, colour)
    return colour


def _check_colour(start: Start, colour: Colour) -> None:
    if colour not in start.rules.colours:
        named = ", ".join(COLOUR_NAMES[each] for each in start.rules.colours)
        raise NotUnderstood(f"{COLOUR_NAMES[colour]} is not in the deck: {named} are")


def _read_owed(start: Start, text: str) -> int:
    owed = 0 if text.strip().lower() in NOTHING else parse_number(text, "cards owed")
    before = start.colour if start.rules.wild_four == "challenge" and start.top == WILD_FOUR and owed else None
    check_midgame(start.rules, start.top, Midgame(start.colour, 0, owed, before, hidden=len(start.rules.deck)), (1, 1))
    return owed


def _read_opponent(start: Start, text: str) -> int:
    number = parse_number(text, "cards in the opponent's hand")
    if number < 1:
        raise NotUnderstood("the opponent holds at least 1 card, or the game would be over")
    if number > start.left:
        raise NotUnderstood(
            f"the opponent can't hold {count_of(number, 'card')}: the rest of the deck has {start.left}"
        )
    return number


def _read_pile(start: Start, text: str) -> int:
    word, _, rest = text.strip().lower().partition(" ")
    left = start.left - int(start.values["opponent"])
    if word == "played":
        played = parse_number(rest, "played cards, as in played 23")
        if not 1 <= played <= left + 1:
            raise NotUnderstood(f"with the top card, from 1 to {left + 1} can have been played, not {played}")
        return left + 1 - played
    number = parse_number(text, "cards in the draw pile, or write played and how many were")
    if number > left:
        raise NotUnderstood(f"the draw pile can't have {count_of(number, 'card')}: the rest of the deck has {left}")
    return number


def _read_played(start: Start, text: str) -> Cards:
    known = NO_CARDS if text.strip().lower() in NOTHING else Cards.of(parse_cards(text))
    if len(known) > start.below:
        raise NotUnderstood(f"below the top card lie {count_of(start.below, 'card')}, but you name {len(known)}")
    for card in known.types():
        if known[card] + start.hand[card] + (start.top == card) > start.rules.deck[card]:
            raise NotUnderstood(f"{known[card]} {card_name(card)} can't lie below the top card: {_where(start, card)}")
    return known


def _check_deck(start: Start, cards: Cards, what: str) -> None:
    for card in cards.types():
        if cards[card] > start.rules.deck[card]:
            raise NotUnderstood(f"{what} {cards[card]} {card_name(card)}: the deck has {start.rules.deck[card]}")


def _where(start: Start, card: CardType) -> str:
    """Return where the cards of a type are that are seen."""
    on_top = "top" in start.values and start.top == card
    held = f", in your hand {start.hand[card]}" * (start.hand[card] > 0)
    return f"the deck has {start.rules.deck[card]}{held}" + ", on top 1" * on_top


HAND: Final = "the hand {}"
TOP: Final = "the top card {}"
CARDS: Final = "r5, gs (skip), yr (reverse), b+2, w and w4, with spaces between them, in any order"
FROM_THE_DEAL: Final[Mapping[str, Question]] = {
    "first": Question(
        "{0.first_question}",
        _read_who,
        "who moves first",
        "me if you take the first turn, opponent if they do; middle if the game is under way already.",
    ),
    "hand": Question(
        "Your {0.rules.hand_size} cards?", _read_dealt_hand, HAND, f"The cards that you were dealt: {CARDS}."
    ),
    "top": Question("The top card?", _read_dealt_top, TOP, "The card that was turned up first, as in r5."),
}
"""The questions of a game from the deal on, by name."""
FROM_THE_MIDDLE: Final[Mapping[str, Question]] = {
    "turn": Question(
        "Whose turn is it, me or opponent?",
        _read_who,
        "whose turn it is",
        "Who is to move now: me or opponent. Begin where nobody decides about a card just drawn.",
    ),
    "hand": Question("Your cards?", _read_hand, HAND, f"The cards that you hold now: {CARDS}."),
    "top": Question(
        "The top card, a black one with its colour?",
        _read_top,
        TOP,
        "The card that lies on top of the played pile, as in r5, w red or w4 b.",
    ),
    "colour": Question(
        "Which colour was declared with it?",
        _read_colour,
        "the colour {}",
        "The colour that has to be matched now: red, yellow, green or blue.",
        lambda start: start.black_top,
    ),
    "owed": Question(
        "How many cards does the player to move owe for it, 0 if none?",
        _read_owed,
        "how many cards are owed, {}",
        "0 if the cards for it were drawn already; else how many are to be drawn, with what was stacked.",
        lambda start: start.may_owe,
    ),
    "before": Question(
        "Which colour was active before the wild +4?",
        _read_colour,
        "the colour before it, {}",
        "The +4 was a lie if who played it holds a card of this colour: that is what a challenge shows.",
        lambda start: start.may_be_challenged,
    ),
    "opponent": Question(
        "How many cards does the opponent hold?",
        _read_opponent,
        "how many cards the opponent holds, {}",
        "Count the backs of the cards in the other hand.",
    ),
    "pile": Question(
        "How many cards are in the draw pile, or were played (played 23)?",
        _read_pile,
        "how many cards are in the draw pile, {}",
        "One of the two is enough, played cards with the top card; a guess will do until the next reshuffle.",
    ),
    "played": Question(
        "Which of the {0.below} cards below the top do you know (name them, or none)?",
        _read_played,
        "the played cards that you know, {}",
        f"Those that you remember: {CARDS}. What is named can't be in the other hand; none will do.",
        lambda start: start.below > 0,
    ),
}
"""The questions of a game that is begun in the middle, by name."""
