"""The typed values of a game: actions, events, observations, outcomes. All immutable, none holds a state."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from uno_pomdp.cards import (
    CARD_TYPES,
    COLOUR_LETTERS,
    COLOUR_NAMES,
    COLOURS,
    Cards,
    CardType,
    Colour,
    card_name,
    is_black,
    parse_card,
    parse_colour,
)
from uno_pomdp.errors import InvalidCard
from uno_pomdp.game import layout
from uno_pomdp.game.kernels import legal_mask_of
from uno_pomdp.game.layout import ActionId, Observations, Seat, action_id
from uno_pomdp.rules import Rules


def seat_name(seat: Seat) -> str:
    """Return how a person calls this seat."""
    return f"player {seat + 1}"


@dataclass(frozen=True, slots=True)
class Action:
    """One of the 62 actions. Take them from `ACTIONS`, `DRAW`, `KEEP`, `Action.parse` or a game."""

    id: ActionId
    """Its number, the same under all rules."""
    card: CardType | None
    """The card played; None for draw and keep."""
    colour: Colour | None
    """The colour declared; None for draw and keep."""

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
        """Return the action that a text names: `R5`, `W:R`, `W4:B`, `draw` or `keep`."""
        word = text.strip().lower()
        if word in ("draw", "keep"):
            return DRAW if word == "draw" else KEEP
        name, colon, letter = word.partition(":")
        return Action.play(parse_card(name), parse_colour(letter) if colon else None)

    def __str__(self) -> str:
        if self.card is None or self.colour is None:
            return "draw" if self.id == layout.DRAW else "keep"
        name = card_name(self.card)
        return f"{name}:{COLOUR_LETTERS[self.colour]}" if is_black(self.card) else name

    def __repr__(self) -> str:
        return f"Action.parse({str(self)!r})"


ACTIONS: Final = (
    *(Action(i, int(layout.ACTION_CARD[i]), int(layout.ACTION_COLOUR[i])) for i in range(layout.DRAW)),
    Action(layout.DRAW, None, None),
    Action(layout.KEEP, None, None),
)
"""All actions, by id."""
DRAW: Final = ACTIONS[layout.DRAW]
KEEP: Final = ACTIONS[layout.KEEP]


def actions_of(mask: int) -> tuple[Action, ...]:
    """Return the actions whose bits are set, in order of id."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(ACTIONS[lowest.bit_length() - 1])
        mask ^= lowest
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Played:
    """A card was played."""

    seat: Seat
    """Who played it."""
    action: Action
    """The card and the colour it declares."""
    just_drawn: bool = False
    """Whether it is the very card drawn a moment ago (`may_play`): public, for the turn had not passed."""


@dataclass(frozen=True, slots=True)
class Drew:
    """Cards were drawn, or had to be and could not."""

    seat: Seat
    """Who drew."""
    count: int
    """How many; 0 where the deck could not give them and the game ended."""
    penalty: bool
    """Whether they were owed for a +2 or +4."""
    cards: tuple[CardType, ...] | None
    """Which, in the order drawn; None for an observer who could not see them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The card just drawn was kept (`may_play`)."""

    seat: Seat
    """Who kept it."""


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The played pile except its top card went back into the draw pile; the draw that needed it follows."""

    returned: Cards
    """What went back: public, for it had all been played."""
    pile: tuple[CardType, ...] | None
    """The new draw pile, next card first; None for an observer: nobody at the table sees it."""


Event = Played | Drew | Kept | Reshuffled
"""One thing that happened. An action causes one event, or two when a draw needs a reshuffle first."""


class Reason(StrEnum):
    """Why a game ended."""

    EMPTIED_HAND = "emptied hand"
    """A player has no card left."""
    DECK_EXHAUSTED = "deck exhausted"
    """A draw could not be made: fewer cards in hand wins, equal hands are a draw."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: Seat | None
    """Who won; None for a draw."""
    reason: Reason
    """Why it ended."""

    def result(self, seat: Seat = layout.FIRST) -> int:
        """Return +1 for a win of this seat, −1 for a loss, 0 for a draw."""
        return 0 if self.winner is None else 1 if self.winner == seat else -1

    def __str__(self) -> str:
        who = "draw" if self.winner is None else f"{seat_name(self.winner)} wins"
        return f"{who} ({self.reason})"


def outcome_of(status: int, winner: int) -> Outcome | None:
    """Return a record's ending as a value; None while it is running."""
    if status == layout.RUNNING:
        return None
    reason = Reason.EMPTIED_HAND if status == layout.EMPTIED_HAND else Reason.DECK_EXHAUSTED
    return Outcome(None if winner == layout.NOBODY else winner, reason)


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one seat sees at one moment. It holds these values alone: no way leads to hidden cards."""

    seat: Seat
    """Whose observation it is."""
    hand: Cards
    """The own hand."""
    opponent_size: int
    """Cards in the opponent's hand."""
    draw_size: int
    """Cards in the draw pile."""
    played: Cards
    """The played pile, its top card included."""
    top: CardType
    """The top card of the played pile."""
    colour: Colour
    """The active colour: the top card's own, or the one declared with it."""
    turn: Seat
    """Who is to move; once the game is over, who moved last or had to."""
    penalty: int
    """Cards that the player to move has to draw for a +2 or +4."""
    deciding: bool
    """Whether the player to move has just drawn and decides about that card (`may_play`)."""
    drawn: CardType | None
    """That card, if it is this seat's decision."""
    outcome: Outcome | None
    """How the game ended; None while it is running."""
    variant: int
    """The rules' variant fields as bits of `layout`."""
    colours: int
    """A bit for each colour in the deck."""

    @property
    def legal_mask(self) -> int:
        """The legal actions as bits; none when this seat is not to move."""
        if self.outcome is not None or self.turn != self.seat:
            return 0
        drawn = layout.NO_CARD if self.drawn is None else self.drawn
        mask = legal_mask_of(
            np.uint64(self.hand.mask),
            self.top,
            self.colour,
            self.penalty,
            drawn,
            self.draw_size,
            len(self.played),
            self.variant,
            self.colours,
        )
        return int(mask)

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what this seat may do now."""
        return actions_of(self.legal_mask)

    def unseen(self, rules: Rules) -> Cards:
        """Return the cards that are in the opponent's hand or in the draw pile."""
        return rules.deck - self.hand - self.played

    def __str__(self) -> str:
        penalty = f", {self.penalty} to draw" if self.penalty else ""
        return (
            f"{seat_name(self.seat)} holds {self.hand}; top {card_name(self.top)} ({COLOUR_NAMES[self.colour]}); "
            f"opponent {self.opponent_size}, draw pile {self.draw_size}, played {len(self.played)}; "
            f"{seat_name(self.turn)} to move{penalty}"
        )


def observation_of(records: Observations) -> Observation:
    """Return an observation record (an array of one) as a value."""
    seen = records[0]
    return Observation(
        seat=int(seen["seat"]),
        hand=Cards(seen["hand"].tobytes()),
        opponent_size=int(seen["opponent_size"]),
        draw_size=int(seen["draw_size"]),
        played=Cards(seen["played"].tobytes()),
        top=int(seen["top"]),
        colour=int(seen["colour"]),
        turn=int(seen["turn"]),
        penalty=int(seen["penalty"]),
        deciding=bool(seen["deciding"]),
        drawn=None if seen["drawn"] == layout.NO_CARD else int(seen["drawn"]),
        outcome=outcome_of(int(seen["status"]), int(seen["winner"])),
        variant=int(seen["variant"]),
        colours=int(seen["colours"]),
    )
