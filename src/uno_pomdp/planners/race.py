"""The race: what the cards in both hands decide by themselves, before anybody's draw matters.

Up to the first draw hands only shrink, so against a given policy the game is a small finite tree over what the
searching player sees. It is solved exactly, for all hands that the opponent may have at once; one choice serves
all hands that look the same. At a draw the race is undecided, unless the searching player, whose turn it then is,
can empty its hand before the opponent plays: a *run*. So each action has bounds: what is undecided counts as lost
in the lower one and as won in the upper one.

    own turn     turn_ends    all ways to end it: each skip that moves again is followed by every play
    their turn   their_turn   every hand replies as the policy does; equal replies are one information set

The opponent holds one card or two, so it plays at most one before its last. (Numba does not cache functions that
call themselves: what looks like recursion is written out.)
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.policies import Policy, Weights, preferred
from uno_pomdp.beliefs.models import Floats
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.bits import lowest_bit, popcount
from uno_pomdp.game.kernels import legal_mask_of, play_actions, playable_mask
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    BIT,
    DRAW,
    DRAW_BIT,
    KEEP,
    MAY_PLAY,
    NO_CARD,
    PENALTY,
    RESHUFFLE,
    SKIP_AGAIN,
    SKIPS,
    Observations,
    Record,
)
from uno_pomdp.jit import as_int, inner_kernel, kernel

Counts = npt.NDArray[np.uint8]
Pairs = npt.NDArray[np.uint8]
"""The opponent's possible hands: two types a row, `NO_CARD` for the second where it holds one card."""

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
"""One way to end a turn: it passes to the opponent with these cards left, or the race ends with these bounds."""
Ends = npt.NDArray[np.void]
MOST_ENDS: Final = 256
"""Ways to end a turn with four cards: at most 4! orders, and a wild in four colours at the end of each."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)


# --- the own turn ----------------------------------------------------------------------------------------


@inner_kernel
def covered(variant: int) -> int:
    """Return what a play adds to what the deck can give: the card that it covers, where played cards come back."""
    return 1 if variant & RESHUFFLE else 0


@inner_kernel
def exhausted(size: int, opponent: int) -> float:
    """Return what a game is worth that ends because the deck can't give: fewer cards win."""
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
    plays = np.zeros(LONGEST + 1, np.uint64)
    masks = np.zeros(LONGEST + 1, np.uint64)
    given = np.zeros(LONGEST + 1, np.int64)
    cards = np.zeros(LONGEST + 1, np.int64)
    plays[0] = legal & (DRAW_BIT - _ONE)
    masks[0] = mask
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
    plays = np.zeros(LONGEST + 1, np.uint64)
    masks = np.zeros(LONGEST + 1, np.uint64)
    cards = np.zeros(LONGEST + 1, np.int64)
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
            plays[depth] = legal_mask_of(rest, card, declared, 0, NO_CARD, left, 1, seen["variant"], seen["colours"])
            continue
        else:
            end["passes"] = True
            end["mask"] = rest
            end["hand"][:] = hand
            end["size"] = own
            end["top"] = card
            end["colour"] = declared
            end["supply"] = left
        if action != KEEP:
            hand[card] += 1
    return count


# --- their turn ------------------------------------------------------------------------------------------


@kernel
def replies(
    seen: Record,
    mask: np.uint64,
    own: int,
    opponent: int,
    top: int,
    colour: int,
    supply: int,
    policy: Policy,
    weights: Record,
) -> np.uint64:
    """Return what the policy chooses among with a hand of these types, each equally likely."""
    legal = legal_mask_of(mask, top, colour, 0, NO_CARD, supply, 1, seen["variant"], seen["colours"])
    return preferred(policy, legal, mask, own, opponent, seen["colours"], seen["variant"], weights)


@kernel
def after_draw(seen: Record, end: Record, opponent: int) -> tuple[float, float]:
    """Return the bounds where the opponent draws: a run wins, if the turn comes back without more ado."""
    if end["supply"] < 1:
        value = exhausted(end["size"], opponent)
        return value, value
    if seen["variant"] & MAY_PLAY:
        return 0.0, 1.0
    return (
        run_from(
            seen, end["hand"], end["mask"], end["size"], end["top"], end["colour"], opponent + 1, end["supply"] - 1
        ),
        1.0,
    )


@kernel
def last_card(
    seen: Record, end: Record, top: int, colour: int, cards: Counts, chances: Floats, policy: Policy, weights: Record
) -> tuple[float, float]:
    """Return the bounds, times the chances, where the opponent has one card and moves: it wins with it or draws."""
    draws = 0.0
    for index in range(len(cards)):
        wanted = replies(seen, BIT[cards[index]], 1, end["size"], top, colour, end["supply"], policy, weights)
        if wanted & DRAW_BIT:
            draws += chances[index] / popcount(wanted)
    if draws == 0.0:
        return 0.0, 0.0
    end["top"] = top
    end["colour"] = colour
    low, high = after_draw(seen, end, 1)
    return draws * low, draws * high


@kernel
def their_turn(
    seen: Record,
    end: Record,
    hands: Pairs,
    chances: Floats,
    policy: Policy,
    weights: Record,
    ends: Ends,
    room: npt.NDArray[np.int64],
) -> tuple[float, float]:
    """Return the bounds, times the chances, where the opponent has two cards and moves."""
    size = as_int(end["size"])
    supply = as_int(end["supply"])
    wanted = np.empty(len(hands), np.uint64)
    every = _NONE
    draws = 0.0
    for index in range(len(hands)):
        mask = BIT[hands[index, 0]] | BIT[hands[index, 1]]
        wanted[index] = replies(seen, mask, 2, size, end["top"], end["colour"], supply, policy, weights)
        every |= wanted[index]
        if wanted[index] & DRAW_BIT:
            draws += chances[index] / popcount(wanted[index])
    room[0] -= len(hands)
    least, most = after_draw(seen, end, 2)
    low = draws * least
    high = draws * most
    every &= DRAW_BIT - _ONE
    others = np.empty(len(hands), np.uint8)
    shares = np.empty(len(hands))
    while every and room[0] >= 0:
        action = lowest_bit(every)
        every &= every - _ONE
        card = ACTION_CARD[action]
        colour = as_int(ACTION_COLOUR[action])
        found = 0
        for index in range(len(hands)):
            if wanted[index] & BIT[action]:
                others[found] = hands[index, 1] if hands[index, 0] == card else hands[index, 0]
                shares[found] = chances[index] / popcount(wanted[index])
                found += 1
        total = shares[:found].sum()
        penalty = as_int(PENALTY[card])
        left = supply + covered(seen["variant"])
        if penalty > left:
            low += total * exhausted(size, 1)
            high += total * exhausted(size, 1)
        elif penalty > 0:
            high += total
        elif SKIPS[card] and seen["variant"] & SKIP_AGAIN:
            ends[0] = end
            ends[0]["supply"] = left
            least, most = last_card(seen, ends[0], card, colour, others[:found], shares[:found], policy, weights)
            low += least
            high += most
            room[0] -= found
        else:
            legal = legal_mask_of(end["mask"], card, colour, 0, NO_CARD, left, 1, seen["variant"], seen["colours"])
            count = turn_ends(seen, end["hand"], end["mask"], size, card, colour, legal, 1, left, ends)
            best_low = 0.0
            best_high = 0.0
            for place in range(count):
                if ends[place]["passes"]:
                    reply = ends[place]
                    least, most = last_card(
                        seen, reply, reply["top"], reply["colour"], others[:found], shares[:found], policy, weights
                    )
                    room[0] -= found
                else:
                    least = total * ends[place]["low"]
                    most = total * ends[place]["high"]
                best_low = max(best_low, least)
                best_high = max(best_high, most)
            low += best_low
            high += best_high
    return low, high


# --- the root --------------------------------------------------------------------------------------------


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


@kernel
def race(
    seen: Observations,
    legal: np.uint64,
    hand: Counts,
    supply: int,
    hands: Pairs,
    chances: Floats,
    policy: Policy,
    weights: Weights,
    ends: Ends,
    low: Floats,
    high: Floats,
    room: npt.NDArray[np.int64],
) -> None:
    """Write the bounds of each legal action by its id; where `room` (hands to look at) gets negative, no good ones."""
    s = seen[0]
    opponent = as_int(s["opponent_size"])
    size = as_int(s["hand_size"])
    low[:] = 0.0
    high[:] = 0.0
    cards = hands[:, 0].copy()
    count = turn_ends(s, hand, s["hand_mask"], size, s["top"], s["colour"], legal, opponent, supply, ends[0])
    for place in range(count):
        end = ends[0, place]
        if not end["passes"]:
            least = end["low"]
            most = end["high"]
        elif opponent == 1:
            least, most = last_card(s, end, end["top"], end["colour"], cards, chances, policy, weights[0])
            room[0] -= len(cards)
        else:
            least, most = their_turn(s, end, hands, chances, policy, weights[0], ends[1], room)
        low[end["first"]] = max(low[end["first"]], least)
        high[end["first"]] = max(high[end["first"]], most)
        if room[0] < 0:
            return
