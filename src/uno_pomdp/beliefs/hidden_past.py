"""The opponent's hidden past as steps: all that a seat was told which bears on the other hand, in order.

A hidden past is the type of each card that the opponent ever took, dealt or drawn: its *slots*. With the public plays
these give its hand at every moment; which slot a play came from is not kept. The steps say what a past has to fit, and
how likely it is:

    TAKE    a card comes from the pile: one slot, the next one, is filled; its type has to be among some
    SEEN    a card is drawn by the observer
    BAR     the hand holds none of some types
    CHOICE  the opponent chose, by its policy
    PLAY    a card leaves the hand, that of a given slot or any
    TELL    the opponent's model is told a token: nothing that a past has to fit

Nothing here is changed in place: a step makes a new record.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts
from uno_pomdp.cards import CARD_TYPES, CardType
from uno_pomdp.game.information import Token
from uno_pomdp.game.layout import ACTION_CARD, DRAW, NO_CARD, OBSERVATION, ActionId, Observations

TAKE: Final = 0
SEEN: Final = 1
BAR: Final = 2
CHOICE: Final = 3
PLAY: Final = 4
TELL: Final = 5
ANY_SLOT: Final = -1
"""In `slot`: no slot in particular."""
ALL_TYPES: Final = (1 << CARD_TYPES) - 1
"""A bit for every type."""

STEP: Final = np.dtype(
    [
        ("types", np.uint64),  # TAKE: what the card may be; BAR: what is not held
        ("token", np.int32),  # TELL
        ("place", np.int32),  # CHOICE: which of the observations is what the opponent saw
        ("slot", np.int16),  # TAKE: the slot; CHOICE, PLAY: that of a card just drawn; TELL: the first that it is about
        ("count", np.int16),  # TELL: how many slots it is about
        ("kind", np.uint8),
        ("card", np.uint8),  # SEEN, PLAY: the type; CHOICE: what is played, NO_CARD otherwise
        ("action", np.uint8),  # CHOICE
    ],
    align=True,
)
Steps = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class HiddenPast:
    """What a hidden past has to fit."""

    known: Counts
    """The hand at the beginning, as far as it is known: all of it after it was shown or swapped, else none."""
    steps: Steps
    """What happened since."""
    unseen: npt.NDArray[np.uint8]
    """A row of counts for each step: the unseen cards before it; the last row is now."""
    seen: Observations
    """What the opponent saw at each of its choices, less its hand."""
    slots: int
    """How many slots there are."""

    def __len__(self) -> int:
        return len(self.steps)

    @classmethod
    def begin(cls, unseen: Counts, known: Counts | None = None) -> Self:
        """Return a past in which nothing has happened, with these unseen cards."""
        none = np.zeros(CARD_TYPES, np.uint8)
        return cls(
            none if known is None else known, np.zeros(0, STEP), unseen[None].copy(), np.zeros(0, OBSERVATION), 0
        )

    @property
    def unseen_now(self) -> Counts:
        """The unseen cards now."""
        now: Counts = self.unseen[-1]
        return now

    def take(self, count: int, types: int = ALL_TYPES) -> Self:
        """Return the past after the opponent took so many cards of these types."""
        rows = np.zeros(count, STEP)
        rows["kind"], rows["types"] = TAKE, types
        rows["slot"] = np.arange(self.slots, self.slots + count)
        return replace(self._with(rows), slots=self.slots + count)

    def saw(self, card: CardType) -> Self:
        """Return the past after the observer drew a card."""
        return self._with(_step(SEEN, card=card), gone=card)

    def bar(self, types: int) -> Self:
        """Return the past after the opponent turned out to hold nothing of these types."""
        return self._with(_step(BAR, types=types))

    def chose(self, seen: Observations, action: ActionId, slot: int = ANY_SLOT) -> Self:
        """Return the past after a choice of the opponent; `slot` is that of the card just drawn, if it is about one."""
        card = int(ACTION_CARD[action]) if action < DRAW else NO_CARD
        row = _step(CHOICE, place=len(self.seen), action=action, slot=slot, card=card)
        return replace(self._with(row), seen=np.concatenate((self.seen, seen)))

    def play(self, card: CardType, slot: int = ANY_SLOT) -> Self:
        """Return the past after a card left the opponent's hand, from this slot if it was just drawn."""
        return self._with(_step(PLAY, card=card, slot=slot), gone=card)

    def tell(self, token: Token, slot: int = ANY_SLOT, count: int = 0) -> Self:
        """Return the past after the opponent was told something, in each past with the cards of these slots."""
        return self._with(_step(TELL, token=token, slot=slot, count=count))

    def give_back(self, returned: Counts) -> Self:
        """Return the past after played cards went back into the pile."""
        unseen = self.unseen.copy()
        unseen[-1] += returned
        return replace(self, unseen=unseen)

    @property
    def known_slots(self) -> Steps:
        """The plays of a card just drawn: each says what its slot held."""
        plays: Steps = self.steps[(self.steps["kind"] == PLAY) & (self.steps["slot"] != ANY_SLOT)]
        return plays

    @property
    def free(self) -> npt.NDArray[np.int64]:
        """The slots whose card is not known."""
        return np.setdiff1d(np.arange(self.slots), self.known_slots["slot"])

    def _with(self, rows: Steps, gone: int = -1) -> Self:
        unseen = np.repeat(self.unseen[-1:], len(rows), axis=0)
        if gone >= 0:
            unseen[-1, gone] -= 1
        return replace(self, steps=np.concatenate((self.steps, rows)), unseen=np.concatenate((self.unseen, unseen)))


def _step(kind: int, **fields: int) -> Steps:
    row = np.zeros(1, STEP)
    row["kind"] = kind
    for name, value in fields.items():
        row[name] = value
    return row
