"""What a seat is told, for OpenSpiel: strings, and tensors made of named pieces.

The observation, which is of the present alone:

    piece     size  what it holds
    player       2  whose observation it is, one-hot
    hand        54  how many of each type are in the own hand                         (private)
    drawn       54  the card just drawn about which the seat decides, one-hot         (private)
    turn         2  who is to move, one-hot; zeros before the deal and after the end  (public, as are all below)
    played      54  how many of each type lie on the played pile
    top         54  the top card, one-hot
    colour       4  the active colour, one-hot
    sizes        4  cards in the hands of player 1 and 2, in the draw pile, in the played pile
    owed         1  cards that the player to move has to draw
    deciding     1  1 if the player to move decides about a card just drawn
    before       4  the colour before a wild +4 that can be challenged, one-hot

The information state, with perfect recall, is `player` and a row of `told` for each token of `game.information`, in
order: 9 places for its kind, one-hot, and 63 for what it says: an action, a card or a seat one-hot, cards drawn as
counts, and of the other's draw how many they are in the first place. It exists where a game can't go on for ever: under
rules without reshuffles.
"""

from typing import Final

import numpy as np
import pyspiel

from uno_pomdp.adapters.spiel.position import Position
from uno_pomdp.arrays import Singles
from uno_pomdp.cards import CARD_TYPES, COLOUR_NAMES, COLOURS, card_name
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.information import (
    ACTED,
    DEALT,
    DREW,
    DREW_MORE,
    OTHER_DREW,
    RECEIVED,
    SEAT,
    SHOWN,
    TOP,
    Token,
    cards_of_token,
    carried,
    history_text,
)
from uno_pomdp.game.layout import ACTIONS, Seat
from uno_pomdp.game.observation import Observation

KINDS: Final = (SEAT, TOP, DEALT, ACTED, DREW, DREW_MORE, OTHER_DREW, SHOWN, RECEIVED)
"""The kinds of tokens, in the order of their places in a row."""
PRIVATE: Final = {"hand": CARD_TYPES, "drawn": CARD_TYPES}
PUBLIC: Final = {
    "turn": 2,
    "played": CARD_TYPES,
    "top": CARD_TYPES,
    "colour": len(COLOURS),
    "sizes": 4,
    "owed": 1,
    "deciding": 1,
    "before": len(COLOURS),
}


class CannotObserve(UnoError):
    """A kind of observation that the game does not have."""


class Observer:
    """What OpenSpiel calls a PyObserver: `tensor`, its pieces by name in `dict`, `set_from` and `string_from`."""

    def __init__(self, kind: pyspiel.IIGObservationType, longest: int | None) -> None:
        """Make room for an observation; `longest` is the most tokens of a game, None if there is no most."""
        whole = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if (kind.perfect_recall and not whole) or kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise CannotObserve(
                "with perfect recall there is the whole information state of one player alone: public_info=True and "
                "private_info=SINGLE_PLAYER; no observation has the private information of both"
            )
        self._recalls, self._public = kind.perfect_recall, kind.public_info
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        shapes: dict[str, tuple[int, ...]] = {"player": (2,)}
        if self._recalls:
            shapes["told"] = (longest or 0, len(KINDS) + ACTIONS)
        else:
            sizes = (PRIVATE if self._private else {}) | (PUBLIC if self._public else {})
            shapes |= {name: (size,) for name, size in sizes.items()}
        self.dict: dict[str, Singles] = {}
        """The pieces by name, as views of the tensor."""
        self.tensor: Singles | None = np.zeros(sum(map(int, map(np.prod, shapes.values()))), np.float32)
        """All pieces in one row; None for an information state without a tensor."""
        end = 0
        for name, shape in shapes.items():
            begin, end = end, end + int(np.prod(shape))
            self.dict[name] = self.tensor[begin:end].reshape(shape)
        if self._recalls and longest is None:
            self.tensor, self.dict = None, {}

    def set_from(self, state: "pyspiel.State", player: Seat) -> None:
        """Write what a player is told in this state."""
        position: Position = state.position
        if self.tensor is None:
            return
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if not position.dealt:
            return
        if self._recalls:
            for row, token in zip(self.dict["told"], position.told[player], strict=False):
                _write_token(row, token)
            return
        seen = position.observation(player)
        if self._private:
            self._write_private(seen)
        if self._public:
            self._write_public(seen)

    def _write_private(self, seen: Observation) -> None:
        self.dict["hand"][:] = seen.hand.array()
        if seen.drawn is not None:
            self.dict["drawn"][seen.drawn] = 1

    def _write_public(self, seen: Observation) -> None:
        if seen.outcome is None:
            self.dict["turn"][seen.turn] = 1
        self.dict["played"][:] = seen.played.array()
        self.dict["top"][seen.top] = 1
        self.dict["colour"][seen.colour] = 1
        self.dict["sizes"][:] = (*seen.hand_sizes, seen.draw_size, seen.played_size)
        self.dict["owed"][0] = seen.penalty
        self.dict["deciding"][0] = seen.deciding
        if seen.before is not None:
            self.dict["before"][seen.before] = 1

    def string_from(self, state: "pyspiel.State", player: Seat) -> str:
        """Return the same in words."""
        position: Position = state.position
        if not position.dealt:
            return f"{seat_name(player)}, before the deal" if self._private else "before the deal"
        if self._recalls:
            return history_text(position.told[player])
        seen = position.observation(player)
        private = f"{seat_name(player)} holds {seen.hand}"
        if seen.drawn is not None:
            private += f", just drew {card_name(seen.drawn)}"
        return "; ".join([private] * self._private + [public_text(seen)] * self._public)


def public_text(seen: Observation) -> str:
    """Return what both players see."""
    sizes = "hands of {} and {}".format(*seen.hand_sizes)
    text = f"top {card_name(seen.top)} ({COLOUR_NAMES[seen.colour]}), {sizes}, {seen.draw_size} in the draw pile"
    text += f", played {seen.played}"
    if seen.outcome is not None:
        return f"{text}; {seen.outcome}"
    text += f"; {seat_name(seen.turn)} to move"
    text += f", {seen.penalty} to draw" if seen.penalty else ""
    text += ", about a card just drawn" if seen.deciding else ""
    return text + ("" if seen.before is None else f", {COLOUR_NAMES[seen.before]} before the wild +4")


def _write_token(row: Singles, token: Token) -> None:
    """Write one thing told."""
    kind, said = token - carried(token), row[len(KINDS) :]
    row[KINDS.index(kind)] = 1
    if kind in (DREW, DREW_MORE):
        for card in cards_of_token(token):
            said[card] += 1
    elif kind == OTHER_DREW:
        said[0] = carried(token)
    else:
        said[carried(token)] = 1
