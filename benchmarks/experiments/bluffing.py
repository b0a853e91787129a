"""Bluffs and challenges in the whole tree of a game: where they can be made, how often a policy does, what habits cost.

A *bluff* is a wild +4 played with a card of the active colour in hand: it can be challenged, and its player is guilty.
A *habit* is a restriction of one player: never, or always, to bluff or to challenge where there is the choice.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from benchmarks.experiments.restricted_game import Flags, by_sequence
from uno_pomdp.arrays import Floats
from uno_pomdp.cards import WILD_FOUR
from uno_pomdp.equilibrium.sequence_form import add_up, plan_of, policy_of_plan
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE
from uno_pomdp.game.layout import ACTION_CARD, CHALLENGE, COLOUR_MASK, DRAW, NO_COLOUR, Seat

Choice = Literal["bluff", "challenge"]
"""What there may be a choice about."""
Habit = tuple[Literal["never", "always"], Choice]
"""What a player may be known to do."""
HABITS: Final[tuple[Habit, ...]] = (
    ("never", "bluff"),
    ("always", "bluff"),
    ("never", "challenge"),
    ("always", "challenge"),
)
"""All of them."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Where in a tree one may bluff, or challenge."""

    sets: Flags
    """By information set: whether there is the choice."""
    does: Flags
    """By sequence: whether it bluffs, or challenges."""
    others: Flags
    """By sequence: whether it is what one does there instead."""


def choices_of(tree: GameTree, choice: Choice) -> Choices:
    """Return where a tree has the choice to bluff, or to challenge."""
    seen = tree.seen
    accusing = seen["before"] != NO_COLOUR
    if choice == "challenge":
        does = by_sequence(tree, accusing) & (tree.actions == CHALLENGE)
        return Choices(accusing, does, by_sequence(tree, accusing) & ~does)
    holds = (seen["hand_mask"] & COLOUR_MASK[seen["colour"]]) != 0
    plays = np.isin(tree.actions, np.flatnonzero(ACTION_CARD[:DRAW] == WILD_FOUR))
    sets = holds & ~accusing & _some(tree, plays) & _some(tree, ~plays)
    there = by_sequence(tree, sets)
    return Choices(sets, there & plays, there & ~plays)


def _some(tree: GameTree, sequences: Flags) -> Flags:
    """Return by information set whether one of its actions is among these."""
    totals = np.empty(tree.sets)
    add_up(tree.first, tree.end, sequences.astype(np.float64), totals)
    return totals > 0.0


# --- how often -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a policy bluffs, or challenges, at some information sets."""

    sets: int
    """How many they are."""
    reached: int
    """At how many of them both players' policies and chance ever arrive."""
    mixed: int
    """At how many of these it does both, each at least once in a hundred times."""
    reach: float
    """How often one of them is met in a game, on average."""
    rate: float
    """How often it then bluffs or challenges; not a number where it never arrives."""


REACHED: Final = 1e-6
"""The least probability with which an information set counts as reached."""
MIXED: Final = 0.01
"""The least probability of each side of a choice that counts as mixed."""


def rate_of(tree: GameTree, policy: Floats, choice: Choices, sets: Flags | None = None) -> Rate:
    """Return how often a policy makes a choice, at all information sets that have it or at some of them."""
    chosen = choice.sets if sets is None else choice.sets & sets
    reach, chance = reach_of(tree, policy)[chosen], np.empty(tree.sets)
    add_up(tree.first, tree.end, np.where(choice.does, policy, 0.0), chance)
    chance = chance[chosen]
    met = reach > REACHED
    total = float(reach.sum())
    return Rate(
        sets=int(chosen.sum()),
        reached=int(met.sum()),
        mixed=int((met & (chance > MIXED) & (chance < 1.0 - MIXED)).sum()),
        reach=total,
        rate=float(reach @ chance) / total if total > REACHED else float("nan"),
    )


def reach_of(tree: GameTree, policy: Floats) -> Floats:
    """Return by information set how likely it is met when both follow the policy."""
    nodes, plan = tree.nodes, plan_of(tree, policy)
    there = nodes.kind < CHANCE
    reach = nodes.reach[there] * plan[nodes.sequence[there]].prod(axis=1)
    total: Floats = np.bincount(nodes.information[there], reach, tree.sets).astype(np.float64)
    return total


def guilt_of(tree: GameTree, policy: Floats) -> float:
    """Return how likely a wild +4 that can be challenged is a bluff, when both follow the policy."""
    bluffs = rate_of(tree, policy, choices_of(tree, "bluff"))
    accused = rate_of(tree, policy, choices_of(tree, "challenge"))
    return bluffs.reach * bluffs.rate / accused.reach if bluffs.reach and accused.reach else 0.0


# --- habits ----------------------------------------------------------------------------------------------


def allowed_by(tree: GameTree, habit: Habit, seat: Seat, sets: Flags | None = None) -> Flags:
    """Return what a habit of one player leaves of the tree, at all information sets that have the choice or at some."""
    when, choice = habit
    found = choices_of(tree, choice)
    forbidden = found.does if when == "never" else found.others
    if sets is not None:
        forbidden = forbidden & by_sequence(tree, sets)
    allowed = ~forbidden
    other = slice(tree.sequence_start[1 - seat], tree.sequence_start[2 - seat])
    allowed[other] = True
    return allowed


def with_habit(tree: GameTree, policy: Floats, habit: Habit, seat: Seat) -> Floats:
    """Return a policy with one player's choice replaced by a habit: what is left is done in the same proportions.

    Where the policy did nothing of what is left, all of that is equally likely.
    """
    allowed = allowed_by(tree, habit, seat).astype(np.float64)
    left = policy * allowed
    totals = np.empty(tree.sets)
    add_up(tree.first, tree.end, left, totals)
    none = by_sequence(tree, totals <= 0.0)
    return policy_of_plan(tree, np.where(none, allowed, left))
