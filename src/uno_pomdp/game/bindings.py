"""The rules as Python calls them: kernels that take arrays, most of them of one record.

Passing an array of length one to a compiled function costs a fraction of what passing a single record costs.
"""

import numpy as np
import numpy.typing as npt

from uno_pomdp.game.kernels import (
    apply,
    apply_noting,
    deal,
    drawer_of,
    first_rng,
    give_card,
    is_guilty,
    legal_mask,
    needs_reshuffle,
    observe,
    pop_card,
    reshuffle,
    set_draw_pile,
    set_hand,
    turn_up,
)
from uno_pomdp.game.layout import Moves, Observations, States
from uno_pomdp.jit import kernel


@kernel
def deal_all(states: States, undealt: States, hand_size: int, seeds: npt.NDArray[np.uint64]) -> None:
    """Deal one game for each seed."""
    for index in range(len(states)):
        deal(states, index, undealt, hand_size, seeds[index])


@kernel
def arrange_one(
    states: States,
    top: int,
    hands: npt.NDArray[np.uint8],
    pile: npt.NDArray[np.uint8],
    seed: np.uint64,
) -> None:
    """Lay the cards of an undealt record out as given; the next card of `pile` is its last."""
    state = states[0]
    for seat in range(2):
        set_hand(state, seat, hands[seat])
    set_draw_pile(state, pile)
    turn_up(state, top)
    state["rng"] = first_rng(seed)


@kernel
def hide_one(
    states: States,
    seat: int,
    hand: npt.NDArray[np.uint8],
    pile: npt.NDArray[np.uint8],
    drawn: int,
) -> None:
    """Replace what the other seat can't see: a hand, the draw pile (next card last), the card just drawn."""
    state = states[0]
    set_hand(state, seat, hand)
    set_draw_pile(state, pile)
    state["drawn"] = drawn


@kernel
def legal_one(states: States) -> np.uint64:
    """Return the legal actions of the first game."""
    return legal_mask(states[0])


@kernel
def apply_one(states: States, action: int) -> np.uint64:
    """Carry out a legal action in the first game; return what is legal then."""
    apply(states[0], action)
    return legal_mask(states[0])


@kernel
def apply_noting_one(states: States, action: int, moves: Moves, number: int) -> np.uint64:
    """Carry out a legal action in the first game and note it in this place of the moves; return what is legal then."""
    apply_noting(states[0], action, moves[number])
    return legal_mask(states[0])


@kernel
def is_guilty_one(states: States) -> bool:
    """Return whether a challenge in the first game would be right."""
    return is_guilty(states[0])


@kernel
def asked_one(states: States, action: int) -> int:
    """Return how many cards a draw or a challenge in the first game asks for."""
    return drawer_of(states[0], action)[1]


@kernel
def needs_reshuffle_one(states: States, action: int) -> bool:
    """Return whether a legal action in the first game would put the played pile back."""
    return needs_reshuffle(states[0], action)


@kernel
def reshuffle_one(states: States) -> bool:
    """Reshuffle the first game's piles, as a draw that needs it would do."""
    return reshuffle(states[0])


@kernel
def draw_cards_one(states: States, seat: int, count: int) -> np.uint64:
    """Give a player so many cards of the first game's draw pile, which has them; return what is legal then."""
    state = states[0]
    for _ in range(count):
        give_card(state, seat, pop_card(state))
    return legal_mask(state)


@kernel
def observe_one(seen: Observations, states: States, seat: int) -> None:
    """Write what a seat sees of the first game."""
    observe(seen[0], states[0], seat)
