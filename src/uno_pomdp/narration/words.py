"""Moves in words: what happened, and to whom, as the parts of a sentence. Who shows them gives the cards their colours.

R5 played by player 1, to its opponent:    "the opponent ", "played ", R5
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from uno_pomdp.cards import COLOUR_NAMES, CardType, Colour, card_name, colour_of, is_black
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.quantities import count_of


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence: plain words, or a name that has a colour."""

    text: str
    """What is said."""
    colour: Colour | None = None
    """The colour of what is named; None for words, and for black cards that declare none."""
    named: bool = False
    """Whether it names a card, an action or a colour."""


Parts = tuple[Part, ...]
"""A sentence, or a piece of one."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Tells a game, and knows what its listener calls the players."""

    names: tuple[str, str]
    """The players in a sentence, by seat."""
    labels: tuple[str, str]
    """The same in the heads of columns."""
    first: Seat = 0
    """Whose hand is counted first."""

    def parts(self, event: Event) -> Parts:
        """Return an event as a sentence without capital and full stop."""
        if isinstance(event, Reshuffled):
            return deed_parts(event)
        if isinstance(event, Swapped):
            (own, other), hands = (self.first, 1 - self.first), event.hands
            return (
                Part(f"the hands were swapped: {self.names[own]} got "),
                *_cards(hands[own]),
                Part(f", {self.names[other]} got "),
                *_cards(hands[other]),
            )
        return Part(f"{self.names[event.seat]} "), *deed_parts(event)

    def told(self, events: Iterable[Event]) -> str:
        """Return events as plain sentences."""
        return " ".join(f"{capitalised(plain(self.parts(event)))}." for event in events)

    def debt(self, seen: Observation) -> str:
        """Return who has to draw a penalty, and what else is open, as a sentence without capital and full stop."""
        who = self.names[seen.turn]
        owed = f"{who} {'have' if who == 'you' else 'has'} to draw {count_of(seen.penalty, 'card')}"
        if seen.before is not None:
            return f"{owed}, or to challenge (the colour before: {COLOUR_NAMES[seen.before]})"
        answers = seen.turn != seen.seat or any(action.card is not None for action in seen.legal_actions())
        return f"{owed}, or to answer" if seen.answers and answers else owed


PLAYERS: Final = Speaker((seat_name(0), seat_name(1)), ("P1", "P2"))
"""Tells those who watch."""


def speaker_for(seat: Seat) -> Speaker:
    """Return who tells the game to the person at this seat."""
    own, other = ("you", "you"), ("the opponent", "opp")
    first, second = (own, other) if seat == 0 else (other, own)
    return Speaker((first[0], second[0]), (first[1], second[1]), seat)


def deed_parts(event: Event) -> Parts:
    """Return what happened, without who did it."""
    match event:
        case Reshuffled(returned=returned):
            size = len(returned) + event.hidden
            played = f"{count_of(size, 'played card')} {'was' if size == 1 else 'were'}"
            return (Part(f"{played} shuffled back into the draw pile"),)
        case Played(action=action) if action.card is not None and action.colour is not None and is_black(action.card):
            chosen = Part(COLOUR_NAMES[action.colour].upper(), action.colour, named=True)
            return Part("played "), _card(action.card), Part(" and chose "), chosen
        case Played(action=action):
            return Part("played "), _action(action)
        case Drew(forgot=True, cards=cards, count=count):
            return Part("forgot to say UNO and drew "), *(_cards(cards) if cards else _number(count))
        case Drew(count=0):
            return (Part("had to draw, but the deck is exhausted"),)
        case Drew(cards=cards, count=count, penalty=penalty):
            end = (Part(" as a penalty"),) if penalty else ()
            return Part("drew "), *(_number(count) if cards is None else _cards(cards)), *end
        case Kept():
            return (Part("kept the card"),)
        case Challenged(guilty=guilty):
            return (Part(f"challenged the +4, {'rightly' if guilty else 'wrongly'}"),)
        case Shown(hand=hand):
            return Part("showed "), *_cards(hand)
        case Swapped():
            return (Part("swapped the hands"),)


def _number(count: int) -> Parts:
    return (Part(count_of(count, "card")),)


def _card(card: CardType) -> Part:
    return Part(card_name(card), colour_of(card), named=True)


def _action(action: Action) -> Part:
    return Part(str(action), action.colour, named=True)


def _cards(cards: Iterable[CardType]) -> Parts:
    parts: list[Part] = []
    for card in cards:
        parts += [Part(" "), _card(card)] if parts else [_card(card)]
    return tuple(parts)


def plain(parts: Parts) -> str:
    """Return a sentence without its colours."""
    return "".join(part.text for part in parts)


def capitalised(words: str) -> str:
    """Return words as a sentence begins, names within it as they are."""
    return words[:1].upper() + words[1:]
