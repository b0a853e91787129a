"""The drawless game: the endgame up to the first draw, solved exactly against a given policy.

Up to the first draw hands only shrink, so against a given policy the game is a small finite tree over what the
searching player sees. It is solved for all hands that the opponent may have at once, with one choice for each
information set. At a draw it is undecided, unless the searching player, whose turn it then is, can empty its hand
before the opponent plays: a *run*. So each action has bounds: what is undecided counts as lost in the lower one
and as won in the upper one.

    own turn     `turn_ends`     all ways to end it: each skip that moves again is followed by every play
    their turn   `their_turn`    every hand replies as the policy does; equal replies are one information set

The opponent holds one card or two, so it plays at most one before its last.
"""

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts, Floats
from uno_pomdp.game.bits import lowest_bit, popcount
from uno_pomdp.game.kernels import legal_mask_of
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    BIT,
    DRAW_BIT,
    MAY_PLAY,
    NO_CARD,
    NO_COLOUR,
    PENALTY,
    SKIP_AGAIN,
    SKIPS,
    Observations,
    Record,
)
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import WITHOUT_NOISE, Policy, Weights, noise_of, preferred
from uno_pomdp.search.endgame.turn_ends import Ends, covered, exhausted, run_from, turn_ends

Pairs = npt.NDArray[np.uint8]
"""The opponent's possible hands: two types a row, `NO_CARD` for the second where it holds one card."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)


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
) -> tuple[np.uint64, np.uint64]:
    """Return what the policy chooses among with a hand of these types, each equally likely, and what its noise does."""
    legal = legal_mask_of(mask, top, colour, 0, NO_CARD, NO_COLOUR, supply, 1, seen["variant"], seen["colours"])
    wanted = preferred(policy & WITHOUT_NOISE, legal, mask, own, opponent, seen["colours"], seen["variant"], weights)
    return wanted, legal if policy > WITHOUT_NOISE else _NONE


@kernel
def share_of(chance: float, action: np.uint64, wanted: np.uint64, by_noise: np.uint64, noise: float) -> float:
    """Return how likely a hand of this chance is held and replies with an action, which is given as its bit."""
    share = chance * (1.0 - noise) / popcount(wanted) if wanted & action else 0.0
    return share + chance * noise / popcount(by_noise) if by_noise & action else share


@kernel
def after_draw(seen: Record, end: Record, opponent: int) -> tuple[float, float]:
    """Return the bounds where the opponent draws: a run wins, if the turn comes back at once."""
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
    noise = noise_of(policy)
    for index in range(len(cards)):
        wanted, by_noise = replies(seen, BIT[cards[index]], 1, end["size"], top, colour, end["supply"], policy, weights)
        draws += share_of(chances[index], DRAW_BIT, wanted, by_noise, noise)
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
    by_noise = np.empty(len(hands), np.uint64)
    noise = noise_of(policy)
    every = _NONE
    draws = 0.0
    for index in range(len(hands)):
        mask = BIT[hands[index, 0]] | BIT[hands[index, 1]]
        wanted[index], by_noise[index] = replies(
            seen, mask, 2, size, end["top"], end["colour"], supply, policy, weights
        )
        every |= wanted[index] | by_noise[index]
        draws += share_of(chances[index], DRAW_BIT, wanted[index], by_noise[index], noise)
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
        total = 0.0
        for index in range(len(hands)):
            if (wanted[index] | by_noise[index]) & BIT[action]:
                others[found] = hands[index, 1] if hands[index, 0] == card else hands[index, 0]
                shares[found] = share_of(chances[index], BIT[action], wanted[index], by_noise[index], noise)
                total += shares[found]
                found += 1
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
            legal = legal_mask_of(
                end["mask"], card, colour, 0, NO_CARD, NO_COLOUR, left, 1, seen["variant"], seen["colours"]
            )
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
                best_low = least if least > best_low else best_low
                best_high = most if most > best_high else best_high
            low += best_low
            high += best_high
    return low, high


# --- the root --------------------------------------------------------------------------------------------


@kernel
def bound_without_draws(
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
    """Write the bounds of each legal action by its id; if `room` (hands to look at) gets negative, they are invalid."""
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
        if least > low[end["first"]]:
            low[end["first"]] = least
        if most > high[end["first"]]:
            high[end["first"]] = most
        if room[0] < 0:
            return
