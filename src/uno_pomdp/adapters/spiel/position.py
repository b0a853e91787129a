"""A position of the OpenSpiel game: a value that never changes, so that copies of a state share it.

Chance is explicit: the first top card, each card of a hand and each card that is drawn is an outcome, numbered by its
type. So no node of chance has more than 54 outcomes, whatever the deck. The draw pile has no order here: it lies in
order of type, and a reshuffle is no chance at all, only the draws after it are.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.adapters.spiel.chance_draws import Outcomes, next_in_order, next_of_all
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, Cards, CardType
from uno_pomdp.game.bindings import (
    apply_noting_one,
    arrange_one,
    asked_one,
    legal_one,
    observe_one,
    reshuffle_one,
)
from uno_pomdp.game.information import Token, opening, tokens_told
from uno_pomdp.game.kernels import draws_until
from uno_pomdp.game.layout import (
    CHALLENGE,
    DRAW,
    MOVE,
    NOBODY,
    OBSERVATION,
    PLAYABLE,
    RESHUFFLE,
    SEATS,
    STATE,
    ActionId,
    Seat,
    States,
    cards_of,
    template,
)
from uno_pomdp.game.move import events, move_at
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.rules import Rules

NO_DRAW: Final = -1
"""In `Position.drawing`: chance has no draw to make."""
Told = tuple[tuple[Token, ...], tuple[Token, ...]]
"""What both seats were told."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position, between two actions or while chance deals or draws."""

    record: bytes
    """The state record, hidden cards included; its piles lie in order of type."""
    legal: int = 0
    """The legal actions as bits; none before the deal and after the end."""
    told: Told = ((), ())
    """What each seat was told, as tokens of `game.information`: its information state."""
    drawing: ActionId = NO_DRAW
    """The action whose draw chance is making."""
    named: tuple[CardType, ...] = ()
    """The cards that chance has named of the deal, or of that draw."""
    first: int = 0
    """How many of these were drawn before a reshuffle that cuts the draw in two (`until_playable`)."""
    actions: int = 0
    """Actions of both players so far."""

    def __deepcopy__(self, memo: object) -> "Position":
        return self

    def __copy__(self) -> "Position":
        return self

    @property
    def dealt(self) -> bool:
        """Whether the deal is done."""
        return bool(self.told[0])

    @property
    def of_chance(self) -> bool:
        """Whether chance is to name a card."""
        return not self.dealt or self.drawing != NO_DRAW

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.dealt and not self.legal and self.drawing == NO_DRAW

    @property
    def draws_until(self) -> bool:
        """Whether chance makes a draw that goes on until a card is playable: its cards come in the order drawn."""
        row = self._row
        return draws_until(self.drawing, int(row["penalty"]), int(row["variant"]))

    @property
    def turn(self) -> Seat:
        """Who is to move, or had to."""
        return int(self._row["turn"])

    @property
    def winner(self) -> Seat | None:
        """Who has won; None for nobody."""
        winner = int(self._row["winner"])
        return None if winner == NOBODY else winner

    @property
    def _row(self) -> np.void:
        return np.frombuffer(self.record, STATE)[0]

    def hand(self, seat: Seat) -> Cards:
        """Return a hand, hidden from the other seat or not."""
        return cards_of(self._row["hand"][seat])

    def pile(self) -> Cards:
        """Return the draw pile."""
        row = self._row
        return Cards.of(row["draw_pile"][: row["draw_size"]].tolist())

    def observation(self, seat: Seat) -> Observation:
        """Return what a seat sees after the deal."""
        seen = np.zeros(1, OBSERVATION)
        observe_one(seen, writable(self.record), seat)
        return observation_of(seen)

    # --- chance ------------------------------------------------------------------------------------------

    def outcomes(self, rules: Rules) -> Outcomes:
        """Return the cards that chance may name next."""
        if not self.dealt:
            return self._dealing(rules)
        row = self._row
        pile = _counts(row["draw_pile"][: row["draw_size"]])
        if self.draws_until:
            return next_of_all(_without(pile, self.named))
        return next_in_order(pile, self.named, asked_one(writable(self.record), self.drawing))

    def _dealing(self, rules: Rules) -> Outcomes:
        """Return the next card of the deal: the top uniform over the coloured cards, then each hand of the rest."""
        pile = list(rules.deck.data)
        if not self.named:
            return next_of_all(pile[:COLOURED_TYPES])
        hands = self.named[1:]
        done = len(hands) // rules.hand_size * rules.hand_size
        return next_in_order(_without(pile, self.named[: 1 + done]), hands[done:], rules.hand_size)

    def after_card(self, rules: Rules, card: CardType) -> "Position":
        """Return the position after chance has named a card."""
        here = replace(self, named=(*self.named, card))
        if not self.dealt:
            return here if len(here.named) <= 2 * rules.hand_size else here._begun(rules)
        states = writable(self.record)
        row = states[0]
        if not self.draws_until:
            return here._drawn(states) if len(here.named) == asked_one(states, self.drawing) else here
        if int(PLAYABLE[row["colour"], row["top"]]) >> card & 1:
            return here._drawn(states)
        if len(here.named) == row["draw_size"] and not here.first:
            here = here._cut(states)
        return here._drawn(states) if len(here.named) == states[0]["draw_size"] else here

    def _begun(self, rules: Rules) -> "Position":
        """Return the game with all its cards dealt."""
        size = rules.hand_size
        top, first, second = self.named[0], Cards.of(self.named[1 : 1 + size]), Cards.of(self.named[1 + size :])
        pile = list(rules.deck - Cards.of(self.named))
        states = template(rules)
        arrange_one(states, top, np.array([first.array(), second.array()]), np.array(pile, np.uint8), np.uint64(0))
        here = Position(states.tobytes(), int(legal_one(states)))
        openings = [tuple(opening(here.observation(seat))) for seat in SEATS]
        return replace(here, told=(openings[0], openings[1]))

    def _cut(self, states: States) -> "Position":
        """Return the position after a reshuffle within a draw, if there is one; what was drawn stays in the pile."""
        if not states[0]["variant"] & RESHUFFLE or not reshuffle_one(states):
            return self
        _sort_pile(states)
        return replace(self, record=states.tobytes(), first=len(self.named))

    def _drawn(self, states: States) -> "Position":
        """Return the position after a draw of which all cards are named."""
        row = states[0]
        size = int(row["draw_size"])
        rest = [
            card
            for card, number in enumerate(_without(_counts(row["draw_pile"][:size]), self.named))
            for _ in range(number)
        ]
        row["draw_pile"][:size] = [*rest, *self.named[::-1]]
        return self._carried_out(states, self.drawing)

    # --- actions -----------------------------------------------------------------------------------------

    def after_action(self, action: ActionId) -> "Position":
        """Return the position after a legal action, at which chance may have cards to name."""
        states = writable(self.record)
        row = states[0]
        here = replace(self, actions=self.actions + 1)
        if action not in (DRAW, CHALLENGE):
            return here._carried_out(states, action)
        wanted = asked_one(states, action)
        if row["draw_size"] < wanted and row["variant"] & RESHUFFLE and reshuffle_one(states):
            _sort_pile(states)
        if row["draw_size"] < wanted:
            return here._carried_out(states, action)
        return replace(here, record=states.tobytes(), drawing=action, legal=0)

    def _carried_out(self, states: States, action: ActionId) -> "Position":
        """Return the position after the kernels have carried an action out, and both were told."""
        noted = np.zeros(1, MOVE)
        legal = apply_noting_one(states, action, noted, 0)
        move, table = move_at(noted, 0)
        happened = events(table, move._replace(first=self.first))
        first, second = ((*told, *tokens_told(happened, seat)) for seat, told in zip(SEATS, self.told, strict=True))
        return Position(states.tobytes(), int(legal), (first, second), actions=self.actions)


def start(rules: Rules) -> Position:
    """Return the position before the deal."""
    return Position(template(rules).tobytes())


def writable(record: bytes) -> States:
    """Return a record as an array of one that kernels can change."""
    return np.frombuffer(bytearray(record), STATE)


def _counts(cards: npt.NDArray[np.uint8]) -> list[int]:
    return np.bincount(cards, minlength=CARD_TYPES).tolist()


def _without(pile: list[int], cards: tuple[CardType, ...]) -> list[int]:
    """Return counts without some cards."""
    left = pile.copy()
    for card in cards:
        left[card] -= 1
    return left


def _sort_pile(states: States) -> None:
    """Put the draw pile in order of type: which card comes next is for chance to say."""
    row = states[0]
    row["draw_pile"][: row["draw_size"]].sort()
