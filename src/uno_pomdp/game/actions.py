"""Actions and seats as typed values: the 63 actions, their text, and back from a bit mask."""

from dataclasses import dataclass
from typing import Final

from uno_pomdp.cards import (
    CARD_TYPES,
    COLOUR_LETTERS,
    COLOURS,
    CardType,
    Colour,
    card_name,
    is_black,
    parse_card,
    parse_colour,
)
from uno_pomdp.errors import InvalidCard
from uno_pomdp.game import layout
from uno_pomdp.game.layout import ActionId, Seat, action_id


def seat_name(seat: Seat) -> str:
    """Return the name of a seat for people, such as `player 1`."""
    return f"player {seat + 1}"


@dataclass(frozen=True, slots=True)
class Action:
    """One of the 63 actions. Take them from `ACTIONS`, `DRAW`, `KEEP`, `CHALLENGE`, `Action.parse` or a game.

    >>> import uno_pomdp as uno
    >>> action = uno.Action.parse("W:G")
    >>> action.id, str(action)
    (54, 'W:G')
    """

    id: ActionId
    """Its number, the same under all rules."""
    card: CardType | None
    """The card played; None for draw, keep and challenge."""
    colour: Colour | None
    """The colour declared; None for draw, keep and challenge."""

    @staticmethod
    def play(card: CardType, colour: Colour | None = None) -> "Action":
        """Return the action that plays this card; a black one needs the colour it declares."""
        if not 0 <= card < CARD_TYPES:
            raise InvalidCard(f"{card} is no card type: types are numbered 0 to {CARD_TYPES - 1}")
        if colour is not None and colour not in COLOURS:
            raise InvalidCard(f"{colour} is no colour: colours are numbered 0 to {len(COLOURS) - 1}")
        if is_black(card) == (colour is None):
            raise InvalidCard(
                f"{card_name(card)} declares a colour, as in {card_name(card)}:R"
                if is_black(card)
                else f"{card_name(card)} has its own colour and declares no other"
            )
        return ACTIONS[action_id(card, colour or 0)]

    @staticmethod
    def parse(text: str) -> "Action":
        """Return the action that a text names: `R5`, `W:R`, `W4:B`, `draw`, `keep` or `challenge`."""
        word = text.strip().lower()
        if word in CALLED:
            return CALLED[word]
        name, colon, letter = word.partition(":")
        return Action.play(parse_card(name), parse_colour(letter) if colon else None)

    def __str__(self) -> str:
        if self.card is None or self.colour is None:
            return NAMES[self.id]
        name = card_name(self.card)
        return f"{name}:{COLOUR_LETTERS[self.colour]}" if is_black(self.card) else name

    def __repr__(self) -> str:
        return f"Action.parse({str(self)!r})" if self.id < layout.ACTIONS else "FORGOT_UNO"


NAMES: Final = {layout.DRAW: "draw", layout.KEEP: "keep", layout.CHALLENGE: "challenge", layout.ACTIONS: "forgot UNO"}
"""The actions that play no card, by id, and what is none."""
ACTIONS: Final = (
    *(Action(i, int(layout.ACTION_CARD[i]), int(layout.ACTION_COLOUR[i])) for i in range(layout.DRAW)),
    Action(layout.DRAW, None, None),
    Action(layout.KEEP, None, None),
    Action(layout.CHALLENGE, None, None),
)
"""All actions, by id."""
DRAW: Final = ACTIONS[layout.DRAW]
KEEP: Final = ACTIONS[layout.KEEP]
CHALLENGE: Final = ACTIONS[layout.CHALLENGE]
FORGOT_UNO: Final = Action(layout.ACTIONS, None, None)
"""What stands in the place of an action where a player draws two cards for a forgotten UNO: nobody chooses it."""
CALLED: Final = {str(action): action for action in (DRAW, KEEP, CHALLENGE)}
"""The actions that play no card, by name."""


def actions_of(mask: int) -> tuple[Action, ...]:
    """Return the actions whose bits are set, in order of id."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(ACTIONS[lowest.bit_length() - 1])
        mask ^= lowest
    return tuple(found)
