"""Events: what one seat is told of each action. Immutable, without a reference to hidden cards."""

from dataclasses import dataclass

from uno_pomdp.cards import (
    Cards,
    CardType,
)
from uno_pomdp.game.actions import Action
from uno_pomdp.game.layout import Seat


@dataclass(frozen=True, slots=True)
class Played:
    """A card was played.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("house", seed=5)
    >>> game.play("Y9")
    >>> game.events(seat=1)
    (Played(seat=0, action=Action.parse('Y9'), just_drawn=False),)
    """

    seat: Seat
    """Who played it."""
    action: Action
    """The card and the colour it declares."""
    just_drawn: bool = False
    """Whether it is the very card drawn a moment ago (`may_play`): public, for the turn had not passed."""


@dataclass(frozen=True, slots=True)
class Drew:
    """Cards were drawn, or had to be and could not.

    >>> import uno_pomdp as uno
    >>> uno.Drew(seat=1, count=2, penalty=True, cards=None).count
    2
    """

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
    """The card just drawn was kept (`may_play`).

    >>> import uno_pomdp as uno
    >>> uno.Kept(seat=0)
    Kept(seat=0)
    """

    seat: Seat
    """Who kept it."""


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The played pile except its top card went back into the draw pile; the draw that needed it follows.

    >>> import uno_pomdp as uno
    >>> len(uno.Reshuffled(uno.Cards.parse("R1 R2"), None).returned)
    2
    """

    returned: Cards
    """What went back: public, for it had all been played."""
    pile: tuple[CardType, ...] | None
    """The new draw pile, next card first; None for an observer: nobody at the table sees it."""


Event = Played | Drew | Kept | Reshuffled
"""One thing that happened. An action causes one event, or two when a draw needs a reshuffle first."""
