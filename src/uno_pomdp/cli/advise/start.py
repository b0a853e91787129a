"""How a game begins that is typed in: the questions before the first move, at the deal or in the middle of a game.

Each answer is read and checked at once. What is kept is the text of each, so that one of them can be corrected and the
others are read again.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from uno_pomdp.cards import COLOUR_NAMES, NO_CARDS, WILD_FOUR, Cards, CardType, Colour, card_name, colour_of, is_black
from uno_pomdp.cli.advise.entries import NotUnderstood, parse_cards, parse_colour, parse_first, parse_number
from uno_pomdp.cli.ui.parse import Unclear, parse_action, parse_card
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.deal import Midgame, check_midgame
from uno_pomdp.game.layout import FIRST, PENALTY, Seat
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.observed_start import check_hand
from uno_pomdp.game.record import GameRecord, Hidden
from uno_pomdp.rules import Rules

MIDDLE: Final = frozenset({"middle", "in the middle", "from the middle", "mid"})
"""What is typed at the first question to begin in the middle of a game."""
NOTHING: Final = frozenset({"none", "no", "nothing", "0", "-"})
"""What is typed for no cards."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question, with what reads its answer."""

    asked: str
    """The question in words; {0} is the start with the answers so far."""
    read: Callable[["Start", str], Any]
    """Reads an answer; a wrong one is refused with a sentence."""
    told: str
    """What an answer says; {} is the answer."""
    help: str
    """What `?` says while it is asked."""
    applies: Callable[["Start"], bool] | None = None
    """Whether it is asked at all, after the answers before it; None if always."""


class Start:
    """The answers to the first questions, as far as they are given."""

    def __init__(self, rules: Rules, middle: bool = False, seat: Seat = FIRST) -> None:
        self.rules: Final = rules
        """The rules of the game."""
        self.middle: Final = middle
        """Whether the game is begun in the middle."""
        self.texts: dict[str, str] = {}
        """The answers as they were typed, by the name of the question."""
        self._values: dict[str, Any] = {}
        self._seat = seat

    @property
    def _questions(self) -> Mapping[str, Question]:
        return FROM_THE_MIDDLE if self.middle else FROM_THE_DEAL

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all questions: what can be corrected."""
        return tuple(self._questions)

    @property
    def next(self) -> str | None:
        """The name of the question that is asked next; None if all are answered."""
        for name, question in self._questions.items():
            if name not in self._values and (question.applies is None or question.applies(self)):
                return name
        return None

    @property
    def question(self) -> str:
        """The question that is asked next; empty if all are answered."""
        return "" if self.next is None else self._questions[self.next].asked.format(self)

    @property
    def help(self) -> str:
        """What there is to say about that question."""
        return "" if self.next is None else self._questions[self.next].help

    def answer(self, text: str) -> None:
        """Take in the answer to the question that is asked; a wrong one changes nothing."""
        name = self.next
        assert name is not None
        self._values[name] = self._questions[name].read(self, text)
        self.texts[name] = text

    def take_back(self) -> str:
        """Take back the last answer and return what it was."""
        name, value = self._values.popitem()
        del self.texts[name]
        return self._questions[name].told.format(_shown(name, value))

    def corrected(self, changes: Mapping[str, str]) -> "Start":
        """Return a start with other answers to some questions; the others are read again."""
        if not self.texts:
            raise NotUnderstood(f"there is nothing to correct yet: {self.question}")
        start = Start(self.rules, self.middle, self._seat)
        texts = self.texts | dict(changes)
        while start.next is not None and start.next in texts:
            name = start.next
            try:
                start.answer(texts[name])
            except UnoError as error:
                if name in changes:
                    raise
                raise NotUnderstood(f"then {name} {self.texts[name]} does not fit: {error}") from error
        if start.next is not None and self.next is None:
            raise NotUnderstood(f"then {start.next} is to be told too ({start.question} …): add ; {start.next} and it")
        for name in changes:
            if name not in start.texts:
                raise NotUnderstood(f"{name} is not asked for here: {', '.join(start.texts)} can be corrected")
        return start

    def table(self) -> ObservedGame:
        """Return the game as it begins; all questions are answered."""
        if not self.middle:
            return ObservedGame(self.rules, self._values["first"], self._values["hand"], self.top)
        below, played = self.below, self._values.get("played", NO_CARDS)
        midgame = Midgame(
            colour=self.colour,
            turn=self._seat if self._values["turn"] == FIRST else 1 - self._seat,
            owed=self._values.get("owed", 0),
            before=self._values.get("before"),
            played=played,
            hidden=below - len(played),
        )
        return ObservedGame(self.rules, self._seat, self.hand, self.top, midgame, self._values["opponent"])

    # --- what is known so far ----------------------------------------------------------------------------

    @property
    def hand(self) -> Cards:
        """The own hand."""
        hand: Cards = self._values["hand"]
        return hand

    @property
    def top(self) -> CardType:
        """The top card."""
        card: CardType = self._values["top"][0]
        return card

    @property
    def colour(self) -> Colour:
        """The active colour; of a black card the one that was declared."""
        declared: Colour | None = self._values["top"][1]
        colour: Colour = self._values.get("colour", 0) if declared is None else declared
        return colour

    @property
    def left(self) -> int:
        """How many cards are neither in the own hand nor on top."""
        return len(self.rules.deck) - len(self.hand) - 1

    @property
    def below(self) -> int:
        """How many cards lie below the top card."""
        number: int = self.left - self._values["opponent"] - self._values["pile"]
        return number

    @property
    def first_question(self) -> str:
        """What is asked about who begins: where the first card acts, it may be the other who moves first."""
        acts = self.rules.first_card == "acts"
        who = "Who is first in turn, before the first card acts" if acts else "Who moves first"
        return f"{who}, me or opponent?"

    # --- what the answers say ----------------------------------------------------------------------------

    def _read_who(self, text: str) -> Seat:
        return parse_first(text)

    def _read_dealt_hand(self, text: str) -> Cards:
        hand = Cards.of(parse_cards(text))
        check_hand(self.rules, hand)
        return hand

    def _read_dealt_top(self, text: str) -> tuple[CardType, Colour | None]:
        card = parse_card(text)
        ObservedGame(self.rules, self._values["first"], self.hand, card)  # refuses what can't be dealt
        return card, None

    def _read_hand(self, text: str) -> Cards:
        hand = Cards.of(parse_cards(text))
        if not hand:
            raise NotUnderstood("name your cards: a game goes on only while you hold some")
        self._check_deck(hand, "you can't hold")
        if len(hand) > len(self.rules.deck) - 2:
            raise NotUnderstood("these are all cards but one: there is none left for the top card or the opponent")
        return hand

    def _read_top(self, text: str) -> tuple[CardType, Colour | None]:
        try:
            card, colour = parse_card(text), None
        except Unclear as error:
            card, colour = self._declared(text, error)
        if self.hand[card] >= self.rules.deck[card]:
            raise NotUnderstood(f"{card_name(card)} can't be the top card: {self._where(card)}")
        if not is_black(card):
            return card, colour_of(card)
        return card, self.rules.colours[0] if len(self.rules.colours) == 1 else colour

    def _declared(self, text: str, problem: Unclear) -> tuple[CardType, Colour]:
        """Return a black card with its colour; what is none is the problem that it was before."""
        black = [action for action in ACTIONS if action.card is not None and is_black(action.card)]
        try:
            action = parse_action(text, black) if re.search("[a-z]", text.lower()) else None
        except UnoError:
            action = None
        if action is None or action.card is None or action.colour is None:
            raise problem
        self._check_colour(action.colour)
        return action.card, action.colour

    def _read_colour(self, text: str) -> Colour:
        colour = parse_colour(text)
        self._check_colour(colour)
        return colour

    def _check_colour(self, colour: Colour) -> None:
        if colour not in self.rules.colours:
            named = ", ".join(COLOUR_NAMES[each] for each in self.rules.colours)
            raise NotUnderstood(f"{COLOUR_NAMES[colour]} is not in the deck: {named} are")

    def _read_owed(self, text: str) -> int:
        owed = 0 if text.strip().lower() in NOTHING else parse_number(text, "cards owed")
        before = self.colour if self.rules.wild_four == "challenge" and self.top == WILD_FOUR and owed else None
        check_midgame(self.rules, self.top, Midgame(self.colour, 0, owed, before, hidden=len(self.rules.deck)), (1, 1))
        return owed

    def _read_opponent(self, text: str) -> int:
        number = parse_number(text, "cards in the opponent's hand")
        if number < 1:
            raise NotUnderstood("the opponent holds at least 1 card, or the game would be over")
        if number > self.left:
            raise NotUnderstood(f"the opponent can't hold {number} cards: {self.left} are left of the deck")
        return number

    def _read_pile(self, text: str) -> int:
        word, _, rest = text.strip().lower().partition(" ")
        left = self.left - int(self._values["opponent"])
        if word == "played":
            played = parse_number(rest, "played cards, as in played 23")
            if not 1 <= played <= left + 1:
                raise NotUnderstood(f"1 to {left + 1} cards can have been played, the top card with them, not {played}")
            return left + 1 - played
        number = parse_number(text, "cards in the draw pile, or write played and how many were")
        if number > left:
            raise NotUnderstood(f"the draw pile can't have {number} cards: {left} are left of the deck")
        return number

    def _read_played(self, text: str) -> Cards:
        known = NO_CARDS if text.strip().lower() in NOTHING else Cards.of(parse_cards(text))
        if len(known) > self.below:
            raise NotUnderstood(f"{self.below} cards lie below the top card, but {len(known)} are named")
        for card in known.types():
            if known[card] + self.hand[card] + (self.top == card) > self.rules.deck[card]:
                raise NotUnderstood(
                    f"{known[card]} {card_name(card)} can't lie below the top card: {self._where(card)}"
                )
        return known

    def _check_deck(self, cards: Cards, what: str) -> None:
        for card in cards.types():
            if cards[card] > self.rules.deck[card]:
                raise NotUnderstood(f"{what} {cards[card]} {card_name(card)}: the deck has {self.rules.deck[card]}")

    def _where(self, card: CardType) -> str:
        """Return where the cards of a type are that are seen."""
        on_top = "top" in self._values and self.top == card
        held = f", in your hand {self.hand[card]}" * (self.hand[card] > 0)
        return f"the deck has {self.rules.deck[card]}{held}" + ", on top 1" * on_top

    # --- whether a question is asked ---------------------------------------------------------------------

    @property
    def black_top(self) -> bool:
        """Whether the top card is black and its colour is not told."""
        return self._values["top"][1] is None

    @property
    def may_owe(self) -> bool:
        """Whether something can be owed for the top card."""
        return PENALTY[self.top] > 0

    @property
    def may_be_challenged(self) -> bool:
        """Whether a wild +4 is owed that can be challenged."""
        return self.rules.wild_four == "challenge" and self.top == WILD_FOUR and bool(self._values["owed"])


def start_of(record: GameRecord) -> Start:
    """Return the start of an observer's record, as it would have been typed."""
    seat, midgame = record.observer, record.midgame
    assert seat is not None
    own, other = record.hands[seat], record.hands[1 - seat]
    assert isinstance(other, Hidden)
    assert isinstance(record.pile, Hidden)
    start = Start(record.rules, midgame is not None, seat)
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


def _shown(name: str, value: Any) -> str:
    """Return a value in words."""
    if name == "top":
        return card_name(value[0])
    return COLOUR_NAMES[value] if name in ("colour", "before") else str(value) or "none"


HAND: Final = "the hand {}"
TOP: Final = "the top card {}"
CARDS: Final = "r5, gs (skip), yr (reverse), b+2, w and w4, with spaces between them, in any order"
FROM_THE_DEAL: Final[Mapping[str, Question]] = {
    "first": Question(
        "{0.first_question}",
        Start._read_who,
        "who moves first",
        "me if you take the first turn, opponent if they do; middle if the game is under way already.",
    ),
    "hand": Question(
        "Your {0.rules.hand_size} cards?", Start._read_dealt_hand, HAND, f"The cards that you were dealt: {CARDS}."
    ),
    "top": Question("The top card?", Start._read_dealt_top, TOP, "The card that was turned up first, as in r5."),
}
"""The questions of a game from the deal on, by name."""
FROM_THE_MIDDLE: Final[Mapping[str, Question]] = {
    "turn": Question(
        "Whose turn is it, me or opponent?",
        Start._read_who,
        "whose turn it is",
        "Who is to move now: me or opponent. Begin where nobody decides about a card just drawn.",
    ),
    "hand": Question("Your cards?", Start._read_hand, HAND, f"The cards that you hold now: {CARDS}."),
    "top": Question(
        "The top card, a black one with its colour?",
        Start._read_top,
        TOP,
        "The card that lies on top of the played pile, as in r5, w red or w4 b.",
    ),
    "colour": Question(
        "Which colour was declared with it?",
        Start._read_colour,
        "the colour {}",
        "The colour that has to be matched now: red, yellow, green or blue.",
        lambda start: start.black_top,
    ),
    "owed": Question(
        "How many cards does the player to move owe for it, 0 if none?",
        Start._read_owed,
        "how many cards are owed, {}",
        "0 if the cards for it were drawn already; else how many are to be drawn, with what was stacked.",
        lambda start: start.may_owe,
    ),
    "before": Question(
        "Which colour was active before the wild +4?",
        Start._read_colour,
        "the colour before it, {}",
        "The +4 was a lie if who played it holds a card of this colour: that is what a challenge shows.",
        lambda start: start.may_be_challenged,
    ),
    "opponent": Question(
        "How many cards does the opponent hold?",
        Start._read_opponent,
        "how many cards the opponent holds, {}",
        "Count the backs of the cards in the other hand.",
    ),
    "pile": Question(
        "How many cards are in the draw pile, or were played (played 23)?",
        Start._read_pile,
        "how many cards are in the draw pile, {}",
        "One of the two is enough, played cards with the top card; a guess will do until the next reshuffle.",
    ),
    "played": Question(
        "Which of the {0.below} cards below the top do you know (none, some or all)?",
        Start._read_played,
        "the played cards that you know, {}",
        f"Those that you remember: {CARDS}. What is named can't be in the other hand; none will do.",
        lambda start: start.below > 0,
    ),
}
"""The questions of a game that is begun in the middle, by name."""
