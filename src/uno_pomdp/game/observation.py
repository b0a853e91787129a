"""`Observation`: what one seat sees now, and nothing else."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from uno_pomdp.cards import (
    COLOUR_NAMES,
    Cards,
    CardType,
    Colour,
    card_name,
)
from uno_pomdp.game import layout
from uno_pomdp.game.actions import DRAW, Action, actions_of, seat_name
from uno_pomdp.game.kernels import answering_types, cards_asked, decides_next, draws_until, legal_mask_of, swaps_hands
from uno_pomdp.game.layout import Observations, Seat
from uno_pomdp.game.move import Tabletop
from uno_pomdp.game.outcome import Outcome, outcome_of
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules

if TYPE_CHECKING:
    from uno_pomdp.display.position import ShownHand

_FIELDS: Final = layout.OBSERVATION.names or ()
"""The fields of a record, in order."""


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one seat sees at one moment. It holds these values alone, and no reference to hidden cards.

    >>> import uno_pomdp as uno
    >>> seen = uno.Game.new("house", seed=5).observation(0)
    >>> str(seen.hand), seen.opponent_size, seen.turn
    ('R6 Y9 YR Y+2 G3 G+2 B8', 7, 0)
    """

    seat: Seat
    """Whose observation it is."""
    hand: Cards
    """The seat's own hand."""
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
    """Whether the player to move has just drawn and decides about that card (`may_play`, `until_playable`)."""
    drawn: CardType | None
    """That card, if it is this seat's decision."""
    outcome: Outcome | None
    """How the game ended; None while it is running."""
    variant: int
    """The rules' variant fields as bits of `layout`."""
    colours: int
    """A bit for each colour in the deck."""
    before: Colour | None = None
    """The colour before a wild +4 that can still be challenged; None if there is none."""
    hidden_played: int = 0
    """Played cards that this seat does not know, in a game begun in the middle: a reshuffle puts them back too."""

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
            layout.NO_COLOUR if self.before is None else self.before,
            self.draw_size,
            self.played_size,
            self.variant,
            self.colours,
        )
        return int(mask)

    @property
    def played_size(self) -> int:
        """Cards in the played pile, known or not."""
        return len(self.played) + self.hidden_played

    @property
    def hand_sizes(self) -> tuple[int, int]:
        """How many cards each player holds, by seat: what everybody at the table can see."""
        own, other = len(self.hand), self.opponent_size
        return (own, other) if self.seat == layout.FIRST else (other, own)

    @property
    def table(self) -> Tabletop:
        """What lies open, as far as the events of the next move tell of it."""
        return Tabletop(self.deciding, self.penalty > 0, self.played - Cards.of([self.top]), self.hidden_played)

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what this seat may do now."""
        return actions_of(self.legal_mask)

    # --- what the rules ask for ---------------------------------------------------------------------------

    def asked_by(self, action: Action, guilty: bool = False) -> int:
        """Return how many cards a draw, a challenge or a forgotten UNO asks for; 1 for a draw until one is playable."""
        return cards_asked(action.id, self.penalty, guilty, self.variant)

    def draws_until(self, action: Action = DRAW) -> bool:
        """Return whether an action draws until a card is playable."""
        return draws_until(action.id, self.penalty, self.variant)

    @property
    def may_play_drawn(self) -> bool:
        """Whether a card just drawn may be played or kept."""
        return decides_next(DRAW.id, False, 1, self.variant)

    @property
    def must_play_drawn(self) -> bool:
        """Whether a card just drawn has to be played: it was drawn until one was playable."""
        return draws_until(DRAW.id, 0, self.variant)

    def swaps(self, action: Action) -> bool:
        """Return whether an action swaps the hands: a card that does so and is not the mover's last."""
        held = len(self.hand) if self.turn == self.seat else self.opponent_size
        return action.card is not None and held > 1 and swaps_hands(action.card, self.variant)

    @property
    def answers(self) -> int:
        """The types that answer what is owed, as bits; none where debts are not stacked."""
        return int(answering_types(self.top, self.variant))

    @property
    def available(self) -> int:
        """How many cards there are to draw, with those that a reshuffle puts back."""
        return self.draw_size + (self.played_size - 1 if self.variant & layout.RESHUFFLE else 0)

    def unseen(self, rules: Rules) -> Cards:
        """Return the cards that are in the opponent's hand or in the draw pile, or hidden among those played."""
        return rules.deck - self.hand - self.played

    def __str__(self) -> str:
        penalty = f", {self.penalty} to draw" if self.penalty else ""
        return (
            f"{seat_name(self.seat)} holds {self.hand}; top {card_name(self.top)} ({COLOUR_NAMES[self.colour]}); "
            f"opponent {self.opponent_size}, draw pile {self.draw_size}, played {self.played_size}; "
            f"{seat_name(self.turn)} to move{penalty}"
        )

    def __repr__(self) -> str:
        return f"<Observation: {self}>"

    def _repr_svg_(self) -> str:
        """Return the picture of it for a notebook: the seat's own hand open, hidden cards face down."""
        from uno_pomdp.display.position import ShownHand

        own = ShownHand(f"{seat_name(self.seat)} (own hand)", len(self.hand), self.hand, self.legal_cards)
        other = ShownHand(seat_name(1 - self.seat), self.opponent_size, None)
        return self.picture(f"What {seat_name(self.seat)} sees", other, own)

    @property
    def legal_cards(self) -> frozenset[CardType]:
        """The types that this seat may play now."""
        return frozenset(action.card for action in self.legal_actions() if action.card is not None)

    def picture(self, title: str, above: "ShownHand", below: "ShownHand") -> str:
        """Return the table as an SVG picture between two hands."""
        from uno_pomdp.display.position import position_svg

        return position_svg(
            title,
            above,
            below,
            draw_size=self.draw_size,
            played_size=self.played_size,
            top=self.top,
            colour=self.colour,
            lines=self._standing(),
        )

    def _standing(self) -> list[str]:
        """Return how the game stands, in a line or two."""
        if self.outcome is not None:
            return [str(self.outcome)]
        lines = [f"{seat_name(self.turn)} to move"]
        if self.penalty:
            lines.append(f"has to draw {count_of(self.penalty, 'card')}")
        if self.deciding:
            which = "the card just drawn" if self.drawn is None else f"{card_name(self.drawn)}, just drawn"
            lines.append(f"plays or keeps {which}")
        return lines


def observation_of(records: Observations) -> Observation:
    """Return an observation record (an array of one) as a value."""
    seen = dict(zip(_FIELDS, records[0].item(), strict=True))
    return Observation(
        seat=seen["seat"],
        hand=Cards(seen["hand"].tobytes()),
        opponent_size=seen["opponent_size"],
        draw_size=seen["draw_size"],
        played=Cards(seen["played"].tobytes()),
        top=seen["top"],
        colour=seen["colour"],
        turn=seen["turn"],
        penalty=seen["penalty"],
        deciding=bool(seen["deciding"]),
        drawn=None if seen["drawn"] == layout.NO_CARD else seen["drawn"],
        outcome=outcome_of(seen["status"], seen["winner"]),
        variant=seen["variant"],
        colours=seen["colours"],
        before=None if seen["before"] == layout.NO_COLOUR else seen["before"],
    )
