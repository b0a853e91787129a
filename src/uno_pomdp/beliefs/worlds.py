"""Complete worlds: a seat's observation with the hidden cards filled in, as records ready for search."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.game import layout
from uno_pomdp.game.kernels import set_hand, shuffle
from uno_pomdp.game.layout import NO_CARD, Record, Seat, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import advance, mix
from uno_pomdp.jit import kernel
from uno_pomdp.rules import Rules


def world_template(rules: Rules, seen: Observation) -> States:
    """Return a record with all that is seen, the opponent's hand empty and all unseen cards in the draw pile.

    The order of the played pile below its top is not known, and nothing depends on it. Played cards that are hidden
    are among the unseen ones too (see `bury`).
    """
    states = layout.template(rules)
    world = states[0]
    unseen = list(seen.unseen(rules))
    below_top = list(seen.played)
    below_top.remove(seen.top)
    set_hand_row(states, seen.seat, seen.hand.array())
    world["draw_pile"][: len(unseen)] = unseen
    world["draw_size"] = len(unseen)
    world["played"][: len(below_top)] = below_top
    world["played"][len(below_top)] = seen.top
    world["played_size"] = len(seen.played)
    world["top"], world["colour"] = seen.top, seen.colour
    world["turn"], world["penalty"] = seen.turn, seen.penalty
    world["drawn"] = NO_CARD if seen.drawn is None else seen.drawn
    world["before"] = layout.NO_COLOUR if seen.before is None else seen.before
    if seen.outcome is not None:
        world["status"] = {"emptied hand": layout.EMPTIED_HAND, "deck exhausted": layout.DECK_EXHAUSTED}[
            seen.outcome.reason
        ]
        world["winner"] = layout.NOBODY if seen.outcome.winner is None else seen.outcome.winner
    return states


def fill_worlds(
    template: States,
    seat: Seat,
    hands: npt.NDArray[np.uint8],
    drawn: npt.NDArray[np.uint8],
    seeds: npt.NDArray[np.uint64],
) -> States:
    """Return one world for each hand of the hidden seat, the rest of the unseen cards as a shuffled draw pile."""
    worlds = np.empty(len(hands), layout.STATE)
    fill_all(worlds, template, seat, hands, drawn, seeds)
    return worlds


def bury(worlds: States, seen: Observation) -> States:
    """Put the played cards that are hidden from a seat below the top card, from draw piles that hold them too.

    Those piles are shuffled: the first cards of each are as good a choice as any.
    """
    hidden = seen.hidden_played
    if hidden:
        known, left, played, pile = len(seen.played), seen.draw_size, worlds["played"], worlds["draw_pile"]
        played[:, known + hidden - 1] = played[:, known - 1]
        played[:, known - 1 : known + hidden - 1] = pile[:, left : left + hidden]
        worlds["played_size"], worlds["draw_size"] = known + hidden, left
    return worlds


@kernel
def set_hand_row(states: States, seat: int, counts: npt.NDArray[np.uint8]) -> None:
    """Replace a hand of the first record."""
    set_hand(states[0], seat, counts)


@kernel
def fill_all(
    worlds: States,
    template: States,
    seat: int,
    hands: npt.NDArray[np.uint8],
    drawn: npt.NDArray[np.uint8],
    seeds: npt.NDArray[np.uint64],
) -> None:
    """Write one world for each hand."""
    for index in range(len(worlds)):
        worlds[index] = template[0]
        world = worlds[index]
        set_hand(world, seat, hands[index])
        if drawn[index] != NO_CARD:
            world["drawn"] = drawn[index]
        rng = take_out(world, hands[index], seeds[index])
        world["rng"] = mix(advance(rng))


@kernel
def take_out(world: Record, hand: npt.NDArray[np.uint8], rng: np.uint64) -> np.uint64:
    """Take a hand out of a draw pile that lies in order of type, and shuffle the rest."""
    pile = world["draw_pile"]
    kept = 0
    card = 0
    left = hand[0]
    for place in range(world["draw_size"]):
        while card != pile[place]:
            card += 1
            left = hand[card]
        if left > 0:
            left -= 1
        else:
            pile[kept] = pile[place]
            kept += 1
    world["draw_size"] = kept
    return shuffle(pile, kept, rng)
