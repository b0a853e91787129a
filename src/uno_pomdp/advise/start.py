"""How a game begins that is typed in: the answers to the questions before its first move, as far as they are given.

What is kept is the text of each answer, so that one of them can be corrected and the others are read again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from uno_pomdp.advise.entries import NotUnderstood
from uno_pomdp.cards import COLOUR_NAMES, NO_CARDS, WILD_FOUR, Cards, CardType, Colour, card_name
from uno_pomdp.errors import UnoError
from uno_pomdp.game.deal import Midgame
from uno_pomdp.game.layout import FIRST, PENALTY, Seat
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.rules import Rules


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

    def __init__(
        self, rules: Rules, questions: Mapping[str, Question], middle: bool = False, seat: Seat = FIRST
    ) -> None:
        self.rules: Final = rules
        """The rules of the game."""
        self.middle: Final = middle
        """Whether the game is begun in the middle."""
        self.texts: dict[str, str] = {}
        """The answers as they were typed, by the name of the question."""
        self.values: dict[str, Any] = {}
        """The same as they were read."""
        self._questions = questions
        self._seat = seat

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all questions: what can be corrected."""
        return tuple(self._questions)

    @property
    def next(self) -> str | None:
        """The name of the question that is asked next; None if all are answered."""
        for name, question in self._questions.items():
            if name not in self.values and (question.applies is None or question.applies(self)):
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
        self.values[name] = self._questions[name].read(self, text)
        self.texts[name] = text

    def take_back(self) -> str:
        """Take back the last answer and return what it was."""
        name, value = self.values.popitem()
        del self.texts[name]
        return self._questions[name].told.format(_shown(name, value))

    def corrected(self, changes: Mapping[str, str]) -> "Start":
        """Return a start with other answers to some questions; the others are read again."""
        if not self.texts:
            raise NotUnderstood(f"there is nothing to correct yet: {self.question}")
        start = Start(self.rules, self._questions, self.middle, self._seat)
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
            return ObservedGame(self.rules, self.values["first"], self.values["hand"], self.top)
        below, played = self.below, self.values.get("played", NO_CARDS)
        midgame = Midgame(
            colour=self.colour,
            turn=self._seat if self.values["turn"] == FIRST else 1 - self._seat,
            owed=self.values.get("owed", 0),
            before=self.values.get("before"),
            played=played,
            hidden=below - len(played),
        )
        return ObservedGame(self.rules, self._seat, self.hand, self.top, midgame, self.values["opponent"])

    # --- what is known so far ----------------------------------------------------------------------------

    @property
    def hand(self) -> Cards:
        """The own hand."""
        hand: Cards = self.values["hand"]
        return hand

    @property
    def top(self) -> CardType:
        """The top card."""
        card: CardType = self.values["top"][0]
        return card

    @property
    def colour(self) -> Colour:
        """The active colour; of a black card the one that was declared."""
        declared: Colour | None = self.values["top"][1]
        colour: Colour = self.values.get("colour", 0) if declared is None else declared
        return colour

    @property
    def left(self) -> int:
        """How many cards are neither in the own hand nor on top."""
        return len(self.rules.deck) - len(self.hand) - 1

    @property
    def below(self) -> int:
        """How many cards lie below the top card."""
        number: int = self.left - self.values["opponent"] - self.values["pile"]
        return number

    @property
    def first_question(self) -> str:
        """What is asked about who begins: where the first card acts, it may be the other who moves first."""
        acts = self.rules.first_card == "acts"
        who = "Who is first in turn, before the first card acts" if acts else "Who moves first"
        return f"{who}, me or opponent?"

    # --- whether a question is asked ---------------------------------------------------------------------

    @property
    def black_top(self) -> bool:
        """Whether the top card is black and its colour is not told."""
        return self.values["top"][1] is None

    @property
    def may_owe(self) -> bool:
        """Whether something can be owed for the top card."""
        return bool(PENALTY[self.top] > 0)

    @property
    def may_be_challenged(self) -> bool:
        """Whether a wild +4 is owed that can be challenged."""
        return self.rules.wild_four == "challenge" and self.top == WILD_FOUR and bool(self.values["owed"])


def _shown(name: str, value: Any) -> str:
    """Return a value in words."""
    if name == "top":
        return card_name(value[0])
    return COLOUR_NAMES[value] if name in ("colour", "before") else str(value) or "none"
