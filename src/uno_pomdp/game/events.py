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
    """How many; 0 where the deck could not give them (then the game ended, unless it was for a forgotten UNO)."""
    penalty: bool
    """Whether they were owed for a +2 or +4, drawn after a challenge or for a forgotten UNO: no ordinary draw."""
    cards: tuple[CardType, ...] | None
    """Which, in the order drawn; None for an observer who could not see them."""
    forgot: bool = False
    """Whether it was for a forgotten UNO: between two moves, and by no action of anybody."""


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
    hidden: int = 0
    """Cards that went back too and that the observer does not know: played before its game was begun."""


@dataclass(frozen=True, slots=True)
class Challenged:
    """A wild +4 was challenged (`challenge`); the hand is shown, and a draw follows.

    >>> import uno_pomdp as uno
    >>> uno.Challenged(seat=1, guilty=False)
    Challenged(seat=1, guilty=False)
    """

    seat: Seat
    """Who challenged."""
    guilty: bool
    """Whether the other held a card of the colour before the +4."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A challenged player's hand was shown to the challenger.

    >>> import uno_pomdp as uno
    >>> str(uno.Shown(seat=0, hand=uno.Cards.parse("R1 W")).hand)
    'R1 W'
    """

    seat: Seat
    """Whose hand."""
    hand: Cards
    """The hand: both players know it now."""


@dataclass(frozen=True, slots=True)
class Swapped:
    """The hands were swapped after a 7 or a 0 (`seven_zero`): both players have seen both.

    >>> import uno_pomdp as uno
    >>> uno.Swapped((uno.Cards.parse("R1"), uno.Cards.parse("W"))).hands[1]
    Cards.parse('W')
    """

    hands: tuple[Cards, Cards]
    """Both hands after it, player 1's first."""


Event = Played | Drew | Kept | Reshuffled | Challenged | Shown | Swapped
"""One thing that happened. What one action causes, in this order: `Played`, then `Swapped` if it swaps; `Kept`; `Drew`,
with `Reshuffled` before it or between two of them; `Challenged`, `Shown` and such a draw. For a forgotten UNO somebody
draws between two actions."""
