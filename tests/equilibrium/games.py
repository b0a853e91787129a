"""The small games of these tests, each with its tree made once."""

from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.pomdp.chance import Deals
from uno_pomdp.rules import Rules, preset

_COPIES: Final = Rules(deck=Cards.parse("R0 R0 Y0 Y1 R+2 R+2 W"), hand_size=2, reshuffle="no")
GAMES: Final[dict[str, Rules]] = {
    "mini-7": preset("mini-7"),
    "mini-7 pass": replace(preset("mini-7"), skip="pass"),
    "copies": _COPIES,
    "copies printed": replace(
        _COPIES,
        deck=Cards.parse("R0 R0 Y0 Y1 R+2 W"),
        drawn_card="may_play",
        wild_four="last_resort",
        draw="optional",
    ),
}
"""Decks with and without copies, with and without a choice to draw."""
LATER_GAMES: Final[dict[str, Rules]] = {
    "challenge": preset("mini-bluff"),
    "challenge, few": replace(preset("mini-bluff"), deck=Cards.parse("R0 R0 R0 R0 Y1 Y1 Y1 Y1 W4 W4")),
    "challenge, drawn and played": Rules(
        deck=Cards.parse("R0 R0 R0 R0 Y1 Y1 Y1 Y1 W4 W4 W4"),
        hand_size=2,
        wild_four="challenge",
        drawn_card="may_play",
        reshuffle="no",
    ),
    "stack same": replace(_COPIES, deck=Cards.parse("R0 R+2 R+2 Y+2 Y1 Y1 Y1 Y1 W4"), stack="same"),
    "stack rising": replace(_COPIES, deck=Cards.parse("R+2 Y+2 Y1 R1 R1 R1 Y1 Y1 W4 W4"), stack="rising"),
    "first card": replace(_COPIES, deck=Cards.parse("R0 RS Y0 Y1 R+2 R+2 W"), first_card="acts"),
    "until playable": replace(preset("mini-7"), draw="until_playable"),
    "until playable, challenge": Rules(
        deck=Cards.parse("R0 R0 R0 Y1 Y1 Y1 Y1 Y1 Y1 W W4"),
        hand_size=2,
        wild_four="challenge",
        draw="until_playable",
        reshuffle="no",
    ),
    "swap": replace(preset("mini-7"), swap="seven_zero"),
    "swap, stack": replace(_COPIES, swap="seven_zero", stack="same", first_card="acts"),
}
"""Decks for challenges, debts, long draws and swaps."""


@cache
def tree_of(name: str) -> GameTree:
    """Return the tree of one of the games, or of a preset."""
    return build_tree((GAMES | LATER_GAMES).get(name) or preset(name))


@cache
def endgame() -> GameTree:
    """Return the endgame of MATH.md, "Bluffing, worked out by hand": Y1 W4 and one of R0 R0 R0 Y1 Y1 Y1 Y1 v Y1 W."""
    unseen, known, other = Cards.parse("R0 R0 R0 Y1 Y1 Y1 Y1"), Cards.parse("Y1 W4"), Cards.parse("Y1 W")
    top = Cards.parse("R0")
    rules = Rules(deck=top + unseen + known + other, hand_size=2, wild_four="challenge", reshuffle="no")
    hidden = [Cards.of([card]) for card in unseen.types()]
    deals = Deals(
        np.array([*top, *top], np.uint8),
        np.array([[(known + card).array(), other.array()] for card in hidden], np.uint8),
        np.array([list(unseen - card) for card in hidden], np.uint8),
        np.array([3 / 7, 4 / 7]),
    )
    return build_tree(rules, deals=deals)
