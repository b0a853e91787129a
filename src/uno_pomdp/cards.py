"""Colours, ranks, the 54 card types, multisets of cards, and their names in text.

    type = 13 × colour + rank          rank  0 … 9  10    11       12  |  black
    ┌────────┬─────────────────────────────────────────────────────────┼────────────┐
    │ red    │  0 … 12                 0 … 9  skip  reverse  +2        │ wild    52 │
    │ yellow │ 13 … 25                                                 │ wild +4 53 │
    │ green  │ 26 … 38                                                 │            │
    │ blue   │ 39 … 51                                                 │            │
    └────────┴─────────────────────────────────────────────────────────┴────────────┘

Text: a colour letter and a rank, `R5`, `GS` (skip), `YR` (reverse), `B+2`; black cards are `W` and `W4`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, compress, repeat
from operator import add, index, sub
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.errors import InvalidCard, quoted

Colour = int
"""0 to 3: one of `COLOURS`."""
RED: Final[Colour] = 0
YELLOW: Final[Colour] = 1
GREEN: Final[Colour] = 2
BLUE: Final[Colour] = 3
COLOURS: Final = (RED, YELLOW, GREEN, BLUE)
COLOUR_NAMES: Final = ("red", "yellow", "green", "blue")
COLOUR_LETTERS: Final = "RYGB"

Rank = int
"""0 to 9 a number, then `SKIP`, `REVERSE`, `DRAW_TWO`; each black card has a rank of its own."""
SKIP: Final[Rank] = 10
REVERSE: Final[Rank] = 11
DRAW_TWO: Final[Rank] = 12
WILD_RANK: Final[Rank] = 13
WILD_FOUR_RANK: Final[Rank] = 14
RANKS: Final = 15
RANK_NAMES: Final = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "R", "+2")

CardType = int
"""0 to 53: coloured types by colour and rank, then `WILD` and `WILD_FOUR`."""
RANKS_PER_COLOUR: Final = 13
COLOURED_TYPES: Final = 52
WILD: Final[CardType] = 52
WILD_FOUR: Final[CardType] = 53
CARD_TYPES: Final = 54
MAX_CARDS: Final = 108
"""No deck is larger: piles have this many places."""


def card_type(colour: Colour, rank: Rank) -> CardType:
    """Return the coloured type of this colour and rank; neither is checked."""
    return RANKS_PER_COLOUR * colour + rank


def is_black(card: CardType) -> bool:
    """Return whether the card is a wild or a wild +4."""
    return card >= COLOURED_TYPES


def colour_of(card: CardType) -> Colour | None:
    """Return the card's own colour, None for a black card."""
    return None if is_black(card) else card // RANKS_PER_COLOUR


def rank_of(card: CardType) -> Rank:
    """Return the card's rank; the black cards have the ranks 13 and 14."""
    return card - COLOURED_TYPES + WILD_RANK if is_black(card) else card % RANKS_PER_COLOUR


CARD_NAMES: Final = (
    *(letter + rank for letter in COLOUR_LETTERS for rank in RANK_NAMES),
    "W",
    "W4",
)
_TYPE_BY_NAME: Final = {name: card for card, name in enumerate(CARD_NAMES)}
_TYPES: Final = range(CARD_TYPES)
_BITS: Final = tuple(1 << card for card in _TYPES)


def card_name(card: CardType) -> str:
    """Return the card's name in text, such as `R5`."""
    return CARD_NAMES[card]


def parse_card(text: str) -> CardType:
    """Return the card type that a text names, in upper or lower case."""
    card = _TYPE_BY_NAME.get(text.strip().upper())
    if card is None:
        raise InvalidCard(
            f"{quoted(text.strip())} is no card: write a colour (R, Y, G, B) and a rank "
            "(0-9, S skip, R reverse, +2), as in R5 or B+2, or W, or W4"
        )
    return card


def parse_colour(text: str) -> Colour:
    """Return the colour that a letter or a name gives, in upper or lower case."""
    word = text.strip().lower()
    for colour, name in enumerate(COLOUR_NAMES):
        if word in (name, name[0]):
            return colour
    raise InvalidCard(f"{quoted(text.strip())} is no colour: write red, yellow, green or blue, or R, Y, G or B")


@dataclass(frozen=True, slots=True)
class Cards:
    """Any number of cards as a count per type: a deck, a hand, a pile. Immutable, hashable, without order.

    >>> import uno_pomdp as uno
    >>> hand = uno.Cards.parse("R5 R5 W4")
    >>> len(hand), str(hand - uno.Cards.parse("R5"))
    (3, 'R5 W4')
    """

    data: bytes
    """The 54 counts, a byte each."""

    def __post_init__(self) -> None:
        if len(self.data) != CARD_TYPES:
            raise InvalidCard(f"{len(self.data)} counts given: cards are one count for each of {CARD_TYPES} types")

    @classmethod
    def of(cls, cards: Iterable[CardType]) -> "Cards":
        """Return the multiset of the given card types."""
        data = bytearray(CARD_TYPES)
        for card in cards:
            if not 0 <= card < CARD_TYPES:
                raise InvalidCard(f"{card} is no card type: types are numbered 0 to {CARD_TYPES - 1}")
            if data[card] == MAX_CARDS:
                raise InvalidCard(f"more than {MAX_CARDS} cards of type {card_name(card)}")
            data[card] += 1
        return cls(bytes(data))

    @classmethod
    def from_counts(cls, counts: Iterable[int] | npt.NDArray[np.integer]) -> "Cards":
        """Return the cards with these 54 counts."""
        try:
            values = [index(count) for count in counts]
        except TypeError as error:
            raise InvalidCard("counts of cards are whole numbers") from error
        if any(not 0 <= count <= MAX_CARDS for count in values):
            raise InvalidCard(f"a count of cards lies between 0 and {MAX_CARDS}")
        return cls(bytes(values))

    @classmethod
    def parse(cls, text: str) -> "Cards":
        """Return the cards that a text lists, as in `R5 R5 W4`; the empty text is no cards."""
        return cls.of(parse_card(word) for word in text.replace(",", " ").split())

    @property
    def mask(self) -> int:
        """A bit for each type that is present."""
        return sum(compress(_BITS, self.data))

    def types(self) -> Iterator[CardType]:
        """Yield each type that is present, once, in order."""
        return compress(_TYPES, self.data)

    def array(self) -> npt.NDArray[np.uint8]:
        """Return the counts as a fresh array."""
        return np.frombuffer(self.data, np.uint8).copy()

    def __getitem__(self, card: CardType) -> int:
        return self.data[card]

    def __contains__(self, card: object) -> bool:
        return isinstance(card, int) and 0 <= card < CARD_TYPES and self.data[card] > 0

    def __iter__(self) -> Iterator[CardType]:
        return chain.from_iterable(map(repeat, compress(_TYPES, self.data), filter(None, self.data)))

    def __len__(self) -> int:
        return sum(self.data)

    def __add__(self, other: "Cards") -> "Cards":
        return Cards.from_counts(map(add, self.data, other.data))

    def __sub__(self, other: "Cards") -> "Cards":
        left = list(map(sub, self.data, other.data))
        if min(left) < 0:
            card = next(card for card, count in enumerate(left) if count < 0)
            raise InvalidCard(f"can't take {other[card]} {card_name(card)} from cards that hold {self[card]}")
        return Cards(bytes(left))

    def __str__(self) -> str:
        return " ".join(map(card_name, self))

    def __repr__(self) -> str:
        return f"Cards.parse({str(self)!r})"


def _standard_deck() -> Cards:
    per_colour = [1] + [2] * (RANKS_PER_COLOUR - 1)
    return Cards.from_counts(per_colour * len(COLOURS) + [4, 4])


STANDARD_DECK: Final = _standard_deck()
"""The 108 cards of the printed game."""
NO_CARDS: Final = Cards(bytes(CARD_TYPES))
"""The empty multiset."""
