"""Scripted policies as kernels: the same code chooses in games, plays rollouts out and models an opponent.

Each policy is given by a set of preferred actions among the legal ones, each equally likely; `greedy` alone
weighs its set by the copies in hand. What a policy sees is its own hand and public numbers, never the state.

`baseline` is the yardstick of every strength that is quoted: it is frozen. `heuristic` scores each card and
prefers the best; its weights come from `benchmarks/tuning/heuristic.py`. Those for swaps, lies and challenges count
under rules that have these, and nowhere else. Where a +4 can be challenged it bluffs and challenges at the rates of
`bluffing`: a coin decides whether to, and the scores decide the rest.

A policy π₀ with *noise* ε takes a uniformly random legal action with probability ε, and otherwise follows π₀:
π(a) = (1 − ε) π₀(a) + ε / |legal|. The noise is part of the policy's number, so whatever takes a policy takes it.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.cards import COLOURED_TYPES, COLOURS, DRAW_TWO, RANKS_PER_COLOUR, REVERSE, SKIP
from uno_pomdp.errors import InvalidAgent, quoted
from uno_pomdp.game.bits import lowest_bit, popcount, random_bit
from uno_pomdp.game.kernels import can_be_challenged, swaps_hands
from uno_pomdp.game.layout import (
    ACTION_CARD,
    BIT,
    CHALLENGE_BIT,
    COLOUR_MASK,
    COLOURED_MASK,
    DRAW_BIT,
    KEEP_BIT,
    NO_COLOUR,
    PLAYABLE,
    RANK_MASK,
    SKIP_AGAIN,
    WILD_ACTIONS,
    WILD_FOUR_ACTIONS,
    Record,
)
from uno_pomdp.game.rng import Stream, below, uniform
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.bluffing import challenge_rate, lie_rate
from uno_pomdp.policies.hands import Rows, fullest_colour, greedy_probability, hand_mask_of, legal_for
from uno_pomdp.quantities import PROBABILITY, naming

Policy = int
"""Which of the policies below, in its low bits; above them its noise, in units of `NOISE_UNIT`."""
RANDOM: Final[Policy] = 0
GREEDY: Final[Policy] = 1
BASELINE: Final[Policy] = 2
HEURISTIC: Final[Policy] = 3
POLICY_NAMES: Final = ("random", "greedy", "baseline", "heuristic")
NOISE_BITS: Final = 8
"""Bits of a policy's number below its noise."""
WITHOUT_NOISE: Final = (1 << NOISE_BITS) - 1
"""The bits that say which policy it is."""
NOISE_UNIT: Final = 1e-12
"""The smallest noise; what people write is rounded to a multiple of it."""

WEIGHT: Final = np.dtype(
    [
        ("draw_two", np.float64),  # a +2
        ("draw_two_late", np.float64),  # more for it if the opponent has few cards
        ("skip_followed", np.float64),  # a skip or reverse with a card to follow
        ("skip_alone", np.float64),  # a skip or reverse without one
        ("colour_left", np.float64),  # for each type of its colour left in hand
        ("followers", np.float64),  # for each type left in hand that could follow it
        ("wild", np.float64),
        ("wild_four", np.float64),
        ("black_late", np.float64),  # more for a black card if the opponent has few cards
        ("black_each", np.float64),  # more for a black card, for each card in hand
        ("number", np.float64),
        ("swap", np.float64),  # a 7 or 0 that swaps the hands
        ("swap_gain", np.float64),  # more for it for each card that the swap saves
        ("lie", np.float64),  # the log-odds of a lie, if the victim has no card
        ("lie_each", np.float64),  # more for it for each card of the victim
        ("challenge", np.float64),  # the log-odds of a challenge, if a lie is as likely as not
        ("challenge_odds", np.float64),  # more for it with the log-odds of a lie
    ]
)
"""The heuristic's features of a card, with their weights. A record, since arrays cost a reference count per call."""
Weights = npt.NDArray[np.void]
"""An array of `WEIGHT`, one for each player or one for all."""
PLAIN_WEIGHTS: Final = (0.396, 0.101, 0.464, -2.135, -1.03, -0.408, -2.786, 0.618, -1.832, -0.473, 0.079)
"""The tuned ones that count under all rules: frozen, for nets and figures rest on them."""
VARIANT_WEIGHTS: Final = (-3.0, 4.0, -0.7, -2.0, 4.0, 1.0)
"""The tuned ones for swaps, lies and challenges."""
WEIGHTS: Final = np.array([PLAIN_WEIGHTS + VARIANT_WEIGHTS], WEIGHT)
"""All of them."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_PASSES = np.uint64(DRAW_BIT | KEEP_BIT | CHALLENGE_BIT)
_DRAW_TWOS = np.uint64(RANK_MASK[DRAW_TWO])
_SKIPS = np.uint64(RANK_MASK[SKIP] | RANK_MASK[REVERSE])
_WILDS = np.uint64(0xF << WILD_ACTIONS)
_WILD_FOURS = np.uint64(0xF << WILD_FOUR_ACTIONS)
_DARING = np.uint64(CHALLENGE_BIT | _WILD_FOURS)
LEAST_DARING: Final = 0.001
"""How rarely, and how nearly always, a player of whom nothing is known lies or challenges."""
FEW: Final = 2
"""An opponent with at most so many cards is about to win."""


def policy_named(text: str) -> Policy:
    """Return the policy of this name; `heuristic:noise=0.1` is one with noise."""
    name, _, option = text.partition(":")
    key, _, value = option.partition("=")
    if name not in POLICY_NAMES or (":" in text and (name != POLICY_NAMES[HEURISTIC] or key.strip() != "noise")):
        raise InvalidAgent(
            f"no policy is called {quoted(text)}: choose one of {', '.join(POLICY_NAMES)}, or heuristic:noise=0.1"
        )
    with naming("noise", InvalidAgent):
        return noisy(POLICY_NAMES.index(name), PROBABILITY.read(value.strip()) if option else 0.0)


def is_policy(text: str) -> bool:
    """Return whether a text names a scripted policy."""
    try:
        policy_named(text)
    except InvalidAgent:
        return False
    return True


def policy_name(policy: Policy) -> str:
    """Return the name of a policy, as `policy_named` reads it."""
    noise = f":noise={noise_of(policy):.12g}" if policy > WITHOUT_NOISE else ""
    return f"{POLICY_NAMES[policy & WITHOUT_NOISE]}{noise}"


def noisy(policy: Policy, noise: float) -> Policy:
    """Return a policy that takes a uniformly random legal action with this probability."""
    return (policy & WITHOUT_NOISE) | round(noise / NOISE_UNIT) << NOISE_BITS


@inner_kernel
def noise_of(policy: Policy) -> float:
    """Return the probability with which a policy takes a uniformly random legal action."""
    return (policy >> NOISE_BITS) * NOISE_UNIT


# --- the preferred actions -------------------------------------------------------------------------------


@inner_kernel
def widest_colour(hand_mask: np.uint64, colours: int) -> int:
    """Return the colour of the deck of which most types are held; red, yellow, green, blue among equals."""
    best = -1
    most = -1
    for colour in range(len(COLOURS)):
        if colours >> colour & 1:
            held = popcount(hand_mask & COLOUR_MASK[colour])
            if held > most:
                best = colour
                most = held
    return best


@inner_kernel
def baseline_set(legal: np.uint64, hand_mask: np.uint64, colours: int) -> np.uint64:
    """Return the baseline's choice: +2, else skip or reverse, else a number, else a wild +4, else a wild.

    So it plays a wild +4 only without the active colour, and never lies; nor does it challenge.
    """
    coloured = legal & COLOURED_MASK
    if coloured:
        if coloured & _DRAW_TWOS:
            return coloured & _DRAW_TWOS
        if coloured & _SKIPS:
            return coloured & _SKIPS
        return coloured
    if legal & (_WILDS | _WILD_FOURS):
        first = WILD_FOUR_ACTIONS if legal & _WILD_FOURS else WILD_ACTIONS
        return BIT[first + widest_colour(hand_mask, colours)]  # type: ignore[no-any-return]
    return legal & ~CHALLENGE_BIT


@inner_kernel
def score_coloured(card: int, hand_mask: np.uint64, opponent_size: int, variant: int, weights: Record) -> float:
    """Return how much the heuristic likes to play a coloured card."""
    colour = card // RANKS_PER_COLOUR
    rest = hand_mask & ~BIT[card]
    followers = popcount(rest & PLAYABLE[colour, card] & COLOURED_MASK)
    score: float = weights["colour_left"] * popcount(rest & COLOUR_MASK[colour]) + weights["followers"] * followers
    if BIT[card] & _DRAW_TWOS:
        score += weights["draw_two"]
        if opponent_size <= FEW:
            score += weights["draw_two_late"]
    elif BIT[card] & _SKIPS and variant & SKIP_AGAIN:
        score += weights["skip_followed"] if followers > 0 else weights["skip_alone"]
    else:
        score += weights["number"]
    return score


@inner_kernel
def heuristic_set(
    legal: np.uint64,
    hand_mask: np.uint64,
    own_size: int,
    opponent_size: int,
    colours: int,
    variant: int,
    weights: Record,
) -> np.uint64:
    """Return the actions with the highest score; drawing, keeping and challenging only when no card can be played."""
    if not legal & ~_PASSES:
        return legal
    best = _NONE
    highest = -np.inf
    coloured = legal & COLOURED_MASK
    while coloured:
        card = lowest_bit(coloured)
        coloured &= coloured - _ONE
        score = score_coloured(card, hand_mask, opponent_size, variant, weights)
        if swaps_hands(card, variant):  # what is left in hand goes to the other
            score = weights["swap"] + weights["swap_gain"] * (own_size - 1 - opponent_size)
        if score > highest:
            highest = score
            best = BIT[card]
        elif score == highest:
            best |= BIT[card]
    if legal & (_WILDS | _WILD_FOURS):
        declared = widest_colour(hand_mask, colours)
        shared = weights["black_each"] * own_size + weights["colour_left"] * popcount(hand_mask & COLOUR_MASK[declared])
        if opponent_size <= FEW:
            shared += weights["black_late"]
        if legal & _WILDS and shared + weights["wild"] > highest:
            highest = shared + weights["wild"]
            best = BIT[WILD_ACTIONS + declared]
        if legal & _WILD_FOURS and shared + weights["wild_four"] > highest:
            best = BIT[WILD_FOUR_ACTIONS + declared]
    return best


@inner_kernel
def preferred(
    policy: Policy,
    legal: np.uint64,
    hand_mask: np.uint64,
    own_size: int,
    opponent_size: int,
    colours: int,
    variant: int,
    weights: Record,
) -> np.uint64:
    """Return the actions that a policy other than greedy chooses among; one without noise."""
    if policy == BASELINE:
        return baseline_set(legal, hand_mask, colours)
    if policy == HEURISTIC:
        return heuristic_set(legal, hand_mask, own_size, opponent_size, colours, variant, weights)
    return legal


@kernel
def greedy_choice(legal: np.uint64, hand: Rows, colours: int, stream: Stream) -> int:
    """Return a playable card, each copy equally likely; a black one in the colour of which most cards are held."""
    copies = 0
    plays = legal & ~_PASSES
    if plays == _NONE:
        return lowest_bit(legal)
    left = plays
    while left:
        action = lowest_bit(left)
        left &= left - _ONE
        if action < COLOURED_TYPES:
            copies += as_int(hand[action])
        else:
            copies += as_int(hand[ACTION_CARD[action]])
            left &= ~(_WILDS if action < WILD_FOUR_ACTIONS else _WILD_FOURS)
    chosen = below(stream, copies)
    left = plays
    action = -1
    while chosen >= 0:
        action = lowest_bit(left)
        left &= left - _ONE
        chosen -= as_int(hand[ACTION_CARD[action]])
        if action >= COLOURED_TYPES:
            left &= ~(_WILDS if action < WILD_FOUR_ACTIONS else _WILD_FOURS)
    if action < COLOURED_TYPES:
        return action
    return (WILD_ACTIONS if action < WILD_FOUR_ACTIONS else WILD_FOUR_ACTIONS) + fullest_colour(hand, colours)


@inner_kernel
def wanted_of(policy: Policy, state: Record, legal: np.uint64, weights: Record) -> np.uint64:
    """Return the actions that a policy other than greedy chooses among for the player to move."""
    seat = as_int(state["turn"])
    return preferred(
        policy & WITHOUT_NOISE,
        legal,
        state["hand_mask"][seat],
        as_int(state["hand_size"][seat]),
        as_int(state["hand_size"][1 - seat]),
        state["colours"],
        state["variant"],
        weights,
    )


@inner_kernel
def choose(policy: Policy, state: Record, legal: np.uint64, weights: Record, stream: Stream) -> int:
    """Return what a policy does for the player to move, which has a choice."""
    if policy > WITHOUT_NOISE:  # to take any legal action is what the random policy does
        policy = RANDOM if uniform(stream) < noise_of(policy) else policy & WITHOUT_NOISE
    if policy == GREEDY:
        return greedy_choice(legal, state["hand"][as_int(state["turn"])], state["colours"], stream)
    if policy == HEURISTIC and can_be_challenged(state["variant"]):
        legal = after_coin(state, legal, weights, stream)
    return random_bit(wanted_of(policy, state, legal, weights), stream)


@kernel
def after_coin(state: Record, legal: np.uint64, weights: Record, stream: Stream) -> np.uint64:
    """Return what of the legal actions is left for the heuristic when a coin has told whether to challenge or to lie.

    Only what the player to move sees is looked at.
    """
    seat = as_int(state["turn"])
    colour = colour_at_issue(legal, state["before"], state["colour"], state["hand_mask"][seat])
    if colour == NO_COLOUR:
        return legal
    played = as_int(state["played_size"])
    open_cards, held = 0, 0
    for place in range(played):
        open_cards += as_int(as_int(state["played"][place]) // RANKS_PER_COLOUR == colour)
    for card in range(colour * RANKS_PER_COLOUR, (colour + 1) * RANKS_PER_COLOUR):
        held += as_int(state["hand"][seat, card])
    own, other, pile = state["hand_size"][seat], state["hand_size"][1 - seat], state["draw_size"]
    rate = coin(legal, open_cards, held, played, own, other, pile, state["colours"], weights)
    return legal & _DARING if uniform(stream) < rate else legal & ~_DARING


@kernel
def coin_of(seen: Record, hand: Rows, hand_mask: np.uint64, legal: np.uint64, weights: Record) -> float:
    """Return the probability of a challenge where one is legal, of a lie where one can be told; else −1."""
    colour = colour_at_issue(legal, seen["before"], seen["colour"], hand_mask)
    if colour == NO_COLOUR:
        return -1.0
    open_cards, held = 0, 0
    for card in range(colour * RANKS_PER_COLOUR, (colour + 1) * RANKS_PER_COLOUR):
        open_cards += as_int(seen["played"][card])
        held += as_int(hand[card])
    own, other, pile = seen["hand_size"], seen["opponent_size"], seen["draw_size"]
    return coin(legal, open_cards, held, seen["played_size"], own, other, pile, seen["colours"], weights)


@kernel
def colour_at_issue(legal: np.uint64, before: int, colour: int, hand_mask: np.uint64) -> int:
    """Return the colour that a +4 was, or would be, a lie about; `NO_COLOUR` where there is nothing to dare."""
    if legal & CHALLENGE_BIT:
        return before
    return colour if legal & _WILD_FOURS and hand_mask & COLOUR_MASK[colour] else NO_COLOUR


@kernel
def coin(
    legal: np.uint64,
    open_cards: int,
    held: int,
    played: int,
    own: int,
    other: int,
    pile: int,
    colours: int,
    weights: Record,
) -> float:
    """Return the rate of challenges where one is legal, else that of lies; cards are those of the colour at issue."""
    cards = own + other + pile + played
    if legal & CHALLENGE_BIT:
        return challenge_rate(open_cards, held, played, own, cards, colours, other, weights)
    return lie_rate(open_cards, played, cards, colours, own - 1, other, weights)


@kernel
def probability(policy: Policy, seen: Record, hand: Rows, drawn: int, action: int, weights: Record) -> float:
    """Return the probability that a policy with this hand takes the action."""
    if policy > WITHOUT_NOISE:
        return noisy_probability(policy, seen, hand, drawn, action, weights)
    return plain_probability(policy, seen, hand, drawn, action, weights)


@kernel
def noisy_probability(policy: Policy, seen: Record, hand: Rows, drawn: int, action: int, weights: Record) -> float:
    """Return the probability that a policy with noise takes the action with this hand."""
    legal = legal_for(seen, hand_mask_of(hand), drawn)
    if not legal & BIT[action]:
        return 0.0
    chance = plain_probability(policy & WITHOUT_NOISE, seen, hand, drawn, action, weights)
    return (1.0 - noise_of(policy)) * chance + noise_of(policy) / popcount(legal)


@inner_kernel
def plain_probability(policy: Policy, seen: Record, hand: Rows, drawn: int, action: int, weights: Record) -> float:
    """Return the probability that a policy without noise takes the action with this hand."""
    if policy == GREEDY:
        return greedy_probability(seen, hand, drawn, action)
    hand_mask = hand_mask_of(hand)
    return scored_probability(policy, seen, hand, hand_mask, legal_for(seen, hand_mask, drawn), action, weights)


@kernel
def scored_probability(
    policy: Policy, seen: Record, hand: Rows, hand_mask: np.uint64, legal: np.uint64, action: int, weights: Record
) -> float:
    """Return the same of a policy other than greedy, given the types in the hand and what is legal with them."""
    chance = 1.0
    if policy == HEURISTIC and can_be_challenged(seen["variant"]):
        rate = coin_of(seen, hand, hand_mask, legal, weights)
        if rate >= 0.0:
            chance = rate if _DARING & BIT[action] else 1.0 - rate
            legal &= _DARING if _DARING & BIT[action] else ~_DARING
    wanted = preferred(
        policy,
        legal,
        hand_mask,
        as_int(seen["hand_size"]),
        as_int(seen["opponent_size"]),
        seen["colours"],
        seen["variant"],
        weights,
    )
    return chance / popcount(wanted) if wanted & BIT[action] else 0.0


@kernel
def chance_and_share(
    policy: Policy, seen: Record, hand: Rows, hand_mask: np.uint64, drawn: int, action: int, weights: Record
) -> tuple[float, float]:
    """Return the probability of the action, and what it is for a player of whom nothing is known; both 0 if not legal.

    That is one over the number of legal actions. Where a lie can be told or a wild +4 challenged, it is so on either
    side, and how often the player dares to is what the policy says: such a player likes other cards, but bluffs as
    often. `hand_mask` are the types in the hand; whoever asks about many hands keeps it.
    """
    legal = legal_for(seen, hand_mask, drawn)
    if not legal & BIT[action]:
        return 0.0, 0.0
    share = 1.0 / popcount(legal)
    plain = policy & WITHOUT_NOISE
    if legal == BIT[action] or plain == RANDOM:
        return share, share
    if plain == GREEDY:
        chance = greedy_probability(seen, hand, drawn, action)
    else:
        chance = scored_probability(plain, seen, hand, hand_mask, legal, action, weights)
    if policy > WITHOUT_NOISE:
        chance += noise_of(policy) * (share - chance)
    if not can_be_challenged(seen["variant"]):
        return chance, share
    if colour_at_issue(legal, seen["before"], seen["colour"], hand_mask) == NO_COLOUR:
        return chance, share
    return chance, daring_share(policy, seen, hand, legal, drawn, action, weights)


@kernel
def daring_share(
    policy: Policy, seen: Record, hand: Rows, legal: np.uint64, drawn: int, action: int, weights: Record
) -> float:
    """Return the probability of an action for a player that dares as often as a policy does, and knows nothing else."""
    rate = 0.0
    left = legal & _DARING
    number = popcount(left)
    while left:
        rate += probability(policy, seen, hand, drawn, lowest_bit(left), weights)
        left &= left - _ONE
    rate = LEAST_DARING if rate < LEAST_DARING else 1.0 - LEAST_DARING if rate > 1.0 - LEAST_DARING else rate
    return rate / number if _DARING & BIT[action] else (1.0 - rate) / popcount(legal & ~_DARING)


@kernel
def policy_of(policy: Policy, seen: Record, hand: Rows, drawn: int, weights: Record, result: Floats) -> None:
    """Write the probability of each action."""
    for action in range(len(result)):
        result[action] = probability(policy, seen, hand, drawn, action, weights)
