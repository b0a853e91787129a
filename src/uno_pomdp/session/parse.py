"""Parsing of what a person types: cards and actions in many spellings, each with one meaning.

r5  R5  red 5  5 red  red five          a coloured card; ranks are also s skip, r rev reverse, +2 d2 draw two
w   wild                                a wild: in a hand; as an action with its colour: wild red, w r, red wild
w4  +4  wild +4  wild draw four         a wild +4, likewise: +4 blue, w4:b
d   draw   take   k   keep   pass       draw, keep the card just drawn
c   challenge   doubt                   challenge a wild +4
3                                       a number alone: the third of `choices`
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final

from uno_pomdp.cards import (
    CARD_NAMES,
    COLOUR_NAMES,
    COLOURS,
    RANK_NAMES,
    WILD,
    WILD_FOUR,
    CardType,
    Colour,
    card_name,
    card_type,
    is_black,
)
from uno_pomdp.errors import IllegalAction, UnoError, quoted
from uno_pomdp.game.actions import CHALLENGE, DRAW, KEEP, Action
from uno_pomdp.game.observation import Observation
from uno_pomdp.quantities import count_of

NUMBER_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
RANK_WORDS: Final = (
    *((name, word) for name, word in zip(RANK_NAMES, NUMBER_WORDS, strict=False)),
    ("s", "skip"),
    ("r", "rev", "reverse"),
    ("+2", "d2", "draw2", "draw two", "draw 2", "plus2", "plus two", "plus 2", "+ 2"),
)
BLACK_WORDS: Final = {
    WILD: ("w", "wild"),
    WILD_FOUR: (
        *("w4", "w+4", "+4", "+ 4", "d4", "w +4", "w 4", "wild4", "wild 4", "wild+4", "wild +4", "plus4", "plus 4"),
        *("plus four", "wild four", "wild draw four", "wild draw 4"),
    ),
}
PASSING: Final = {
    DRAW: ("d", "draw", "take", "pick up"),
    KEEP: ("k", "keep", "pass"),
    CHALLENGE: ("c", "challenge", "doubt"),
}
NOT_NOW: Final = {
    DRAW: "You can't draw: a card fits",
    KEEP: "You can't keep: no card was just drawn",
    CHALLENGE: "You can't challenge: no wild +4 was just played that could be",
}
"""Why an action without a card is not legal, as a rule."""
MOST_LISTED: Final = 16
"""Of more choices a sentence names the first and the last."""
HOW: Final = "write a card as r5, gs (skip), yr (reverse), b+2, w or w4"


class Unclear(UnoError):
    """A text that names no card or no action."""


class ColourWanted(Unclear):
    """A black card without the colour that it is to declare."""

    def __init__(self, card: CardType) -> None:
        name = "wild" if card == WILD else "+4"
        super().__init__(f"Which colour? Write it too, as in `{name} red` or `{name} b`.")
        self.card = card
        """The black card."""


@cache
def _spellings() -> tuple[dict[str, CardType], dict[str, tuple[CardType, Colour]]]:
    """Return every way to write a card, and a black card with a colour."""
    cards: dict[str, CardType] = {}
    declared: dict[str, tuple[CardType, Colour]] = {}
    for colour in COLOURS:
        name = COLOUR_NAMES[colour]
        for rank, words in enumerate(RANK_WORDS):
            cards |= {text: card_type(colour, rank) for text in _together((name[0], name), words)}
        for card, words in BLACK_WORDS.items():
            declared |= dict.fromkeys(_together((name[0], name), words), (card, colour))
    cards |= {word: card for card, words in BLACK_WORDS.items() for word in words}
    return cards, {text: told for text, told in declared.items() if text not in cards}


def _together(colours: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Yield a colour and a word in either order, apart or as one."""
    for colour, word in product(colours, words):
        yield from (f"{colour}{word}", f"{colour} {word}", f"{word}{colour}", f"{word} {colour}")


def _plain(text: str) -> str:
    """Return a text in lower case, with single spaces for all separators."""
    return re.sub(r"[\s:,;/_().-]+", " ", text.lower()).strip()


def parse_card(text: str) -> CardType:
    """Return the card that a text names; a black one without a colour."""
    cards, declared = _spellings()
    plain = _plain(text)
    if plain in declared:
        raise Unclear(f"{quoted(text.strip())} names a colour too, but a black card in a hand has none: write w or w4")
    if plain not in cards:
        raise Unclear(f"{quoted(text.strip())} is no card: {HOW}")
    return cards[plain]


def choices(legal: Sequence[Action]) -> tuple[Action | CardType, ...]:
    """Return what the numbers stand for: each card that can be played once, then draw, keep or challenge."""
    cards = dict.fromkeys(action.card for action in legal if action.card is not None)
    return (*cards, *(action for action in legal if action.card is None))


def parse_action(text: str, legal: Sequence[Action], seen: Observation | None = None) -> Action:
    """Return the legal action that a text names; with an observation a refusal says why."""
    number = re.fullmatch(r"#?([0-9]+)[.)]?", text.strip())
    if number is not None:
        return _numbered(number[1], legal)
    plain = re.sub(r"^(play|p) (?=.)", "", _plain(text))
    passing = re.sub(r"^(draw|take|pick up) (it|\d|a card|cards|\d cards?)$", r"\1", plain)
    for action, words in PASSING.items():
        if passing in words:
            return _checked(action, legal, seen)
    cards, declared = _spellings()
    if plain in declared:
        card, colour = declared[plain]
        return _checked(Action.play(card, colour), legal, seen)
    if plain not in cards:
        what = "nothing was written" if not plain else f"{quoted(text.strip())} is no move"
        raise Unclear(f"{what[0].upper()}{what[1:]}: {HOW}, draw or keep, or a number shown. You can: {listed(legal)}.")
    return _with_card(cards[plain], legal, seen)


def _numbered(digits: str, legal: Sequence[Action]) -> Action:
    known = choices(legal)
    number = int(digits[:3])
    if not 1 <= number <= len(known):
        most = "the only number is 1" if len(known) == 1 else f"numbers go from 1 to {len(known)}"
        raise Unclear(f"There is no number {digits[:9]}: {most}; a card is written with its colour, as in r5.")
    chosen = known[number - 1]
    return chosen if isinstance(chosen, Action) else _with_card(chosen, legal, None)


def _with_card(card: CardType, legal: Sequence[Action], seen: Observation | None) -> Action:
    """Return the one way to play a card."""
    ways = [action for action in legal if action.card == card]
    if len(ways) > 1:
        raise ColourWanted(card)
    if not ways:
        raise IllegalAction(_why_not(card, legal, seen))
    return ways[0]


def _checked(action: Action, legal: Sequence[Action], seen: Observation | None) -> Action:
    if action in legal:
        return action
    if action.card is not None:
        raise IllegalAction(_why_not(action.card, legal, seen))
    why = NOT_NOW[action]
    if KEEP in legal:
        why = "You have just drawn: play that card or keep it"
    elif seen is not None and seen.deciding:
        why = "You have drawn until a card fits: it has to be played"
    raise IllegalAction(f"{why}. You can: {listed(legal)}.")


def _why_not(card: CardType, legal: Sequence[Action], seen: Observation | None) -> str:
    """Return why a card can't be played."""
    name = CARD_NAMES[card]
    if seen is None:
        why = f"{name} can't be played now"
    elif card not in seen.hand:
        why = f"You don't hold {name}"
    elif seen.penalty and seen.answers:
        why = f"{name} does not answer {card_name(seen.top)}: you owe {count_of(seen.penalty, 'card')}"
    elif seen.penalty:
        why = f"{name} has to wait: you owe {count_of(seen.penalty, 'card')}"
    elif seen.deciding:
        why = f"{name} has to wait: only the card just drawn can be played"
    elif any(action.card == card for action in legal):
        why = f"{name} can't declare that colour: it is not in this deck"
    elif is_black(card):
        why = f"{name} is for a hand without {COLOUR_NAMES[seen.colour]}, and you have some"
    else:
        why = f"{name} does not fit on {card_name(seen.top)} ({COLOUR_NAMES[seen.colour]})"
    return f"{why}. You can: {listed(legal)}."


def listed(legal: Sequence[Action]) -> str:
    """Return the choices with their numbers, as in `1 R5, 2 W, 3 draw`."""
    named = [str(each) if isinstance(each, Action) else CARD_NAMES[each] for each in choices(legal)]
    shown = [f"{number} {name}" for number, name in enumerate(named, 1)]
    return ", ".join(shown if len(shown) <= MOST_LISTED else [*shown[: MOST_LISTED - 2], "…", shown[-1]])
