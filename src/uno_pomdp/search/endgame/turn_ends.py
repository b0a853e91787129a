"""One player's turn in the drawless game (`drawless_game`): all ways to end it, and the runs that win in it.

A *run* empties the hand before the opponent plays. (Numba does not cache functions that call themselves: what looks
like recursion is written out.)
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.bits import lowest_bit
from uno_pomdp.game.kernels import legal_mask_of, play_actions, playable_mask
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    BIT,
    DRAW,
    DRAW_BIT,
    KEEP,
    NO_CARD,
    NO_COLOUR,
    PENALTY,
    RESHUFFLE,
    SKIP_AGAIN,
    SKIPS,
    Observations,
    Record,
)
from uno_pomdp.jit import as_int, inner_kernel, kernel

LONGEST: Final = 7
"""The most cards of a run that is looked for."""
END: Final = np.dtype(
    [
        ("mask", np.uint64),
        ("low", np.float64),
        ("high", np.float64),
        ("hand", np.uint8, (CARD_TYPES,)),
        ("size", np.int64),
        ("top", np.int64),
        ("colour", np.int64),
        ("supply", np.int64),
        ("first", np.int64),
        ("passes", np.bool_),
    ],
    align=True,
)
"""One way to end a turn: it passes to the opponent with these cards left, or the game ends with these bounds."""
Ends = npt.NDArray[np.void]
MOST_ENDS: Final = 256
"""Ways to end a turn with four cards: at most 4! orders, and a wild in four colours at the end of each."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)


@inner_kernel
def covered(variant: int) -> int:
    """Return by how many cards a play raises the supply: 1, the card that it covers, where piles are reshuffled."""
    return 1 if variant & RESHUFFLE else 0


@inner_kernel
def exhausted(size: int, opponent: int) -> float:
    """Return the value of a game that ends because no card is left to draw: the smaller hand wins."""
    if size == opponent:
        return 0.5
    return 1.0 if size < opponent else 0.0


@inner_kernel
def without(mask: np.uint64, hand: Counts, card: int) -> np.uint64:
    """Return the types of a hand from which one card has just been taken."""
    return mask if hand[card] else mask & ~BIT[card]


@kernel
def has_run(
    seen: Record, hand: Counts, mask: np.uint64, size: int, legal: np.uint64, opponent: int, supply: int
) -> bool:
    """Return whether one of the legal plays begins a run, which empties the hand before the opponent plays.

    A skip or reverse (where it moves again), a +2 and a +4 keep the turn. `supply` is what the deck can give.
    Where it can't pay a penalty the game ends, and a run has been found if that wins.
    """
    plays = np.empty(LONGEST + 1, np.uint64)
    masks = np.empty(LONGEST + 1, np.uint64)
    given = np.empty(LONGEST + 1, np.int64)
    cards = np.empty(LONGEST + 1, np.int64)
    plays[0] = legal & (DRAW_BIT - _ONE)
    masks[0] = mask
    given[0] = 0
    depth = 0
    found = False
    while depth >= 0 and not found:
        if plays[depth] == _NONE:
            depth -= 1
            if depth >= 0:
                hand[cards[depth]] += 1
            continue
        action = lowest_bit(plays[depth])
        plays[depth] &= plays[depth] - _ONE
        card = as_int(ACTION_CARD[action])
        penalty = as_int(PENALTY[card])
        left = supply + (depth + 1) * covered(seen["variant"]) - given[depth]
        if size - depth == 1:
            found = True
        elif penalty > left:
            found = size - depth - 1 < opponent + given[depth]
        elif penalty > 0 or (SKIPS[card] and seen["variant"] & SKIP_AGAIN):
            hand[card] -= 1
            cards[depth] = card
            masks[depth + 1] = without(masks[depth], hand, card)
            given[depth + 1] = given[depth] + penalty
            follow = playable_mask(masks[depth + 1], card, ACTION_COLOUR[action], seen["variant"])
            plays[depth + 1] = play_actions(follow, seen["colours"])
            depth += 1
    for played in range(depth):
        hand[cards[played]] += 1
    return found


@kernel
def run_from(
    seen: Record, hand: Counts, mask: np.uint64, size: int, top: int, colour: int, opponent: int, supply: int
) -> float:
    """Return 1 if a run begins on this top card, else 0."""
    follow = play_actions(playable_mask(mask, top, colour, seen["variant"]), seen["colours"])
    return 1.0 if has_run(seen, hand, mask, size, follow, opponent, supply) else 0.0


@kernel
def turn_ends(
    seen: Record,
    hand: Counts,
    mask: np.uint64,
    size: int,
    top: int,
    colour: int,
    legal: np.uint64,
    opponent: int,
    supply: int,
    ends: Ends,
) -> int:
    """Write all ways to end the turn that begin with a legal action; return how many."""
    plays = np.empty(LONGEST + 1, np.uint64)
    masks = np.empty(LONGEST + 1, np.uint64)
    cards = np.empty(LONGEST + 1, np.int64)
    plays[0] = legal
    masks[0] = mask
    first = 0
    depth = 0
    count = 0
    while depth >= 0:
        if plays[depth] == _NONE:
            depth -= 1
            if depth >= 0:
                hand[cards[depth]] += 1
            continue
        action = lowest_bit(plays[depth])
        plays[depth] &= plays[depth] - _ONE
        if depth == 0:
            first = action
        end = ends[count]
        count += 1
        end["first"] = first
        end["passes"] = False
        own = size - depth
        left = supply + depth * covered(seen["variant"])
        if action == DRAW:
            end["low"] = 0.0 if left > 0 else exhausted(own, opponent)
            end["high"] = 1.0 if left > 0 else exhausted(own, opponent)
            continue
        card = top
        declared = colour
        if action != KEEP:
            card = as_int(ACTION_CARD[action])
            declared = as_int(ACTION_COLOUR[action])
            left += covered(seen["variant"])
            own -= 1
            if own == 0:
                end["low"] = 1.0
                end["high"] = 1.0
                continue
            hand[card] -= 1
        rest = without(masks[depth], hand, card)
        penalty = as_int(PENALTY[card]) if action != KEEP else 0
        if penalty > left:
            end["low"] = exhausted(own, opponent)
            end["high"] = end["low"]
        elif penalty > 0:
            end["low"] = run_from(seen, hand, rest, own, card, declared, opponent + penalty, left - penalty)
            end["high"] = 1.0
        elif action != KEEP and SKIPS[card] and seen["variant"] & SKIP_AGAIN:
            count -= 1  # the turn goes on
            cards[depth] = card
            depth += 1
            masks[depth] = rest
            plays[depth] = legal_mask_of(
                rest, card, declared, 0, NO_CARD, NO_COLOUR, left, 1, seen["variant"], seen["colours"]
            )
            continue
        else:
            end["passes"] = True
            end["mask"] = rest
            for kind in range(CARD_TYPES):
                end["hand"][kind] = hand[kind]
            end["size"] = own
            end["top"] = card
            end["colour"] = declared
            end["supply"] = left
        if action != KEEP:
            hand[card] += 1
    return count


@kernel
def runs(seen: Observations, legal: np.uint64, hand: Counts, supply: int) -> np.uint64:
    """Return the legal actions that begin a run."""
    s = seen[0]
    found = _NONE
    while legal:
        action = BIT[lowest_bit(legal)]
        legal &= legal - _ONE
        size = as_int(s["hand_size"])
        if has_run(s, hand, s["hand_mask"], size, action, as_int(s["opponent_size"]), supply):
            found |= action
    return found
