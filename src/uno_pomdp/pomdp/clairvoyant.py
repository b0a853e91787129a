"""The clairvoyant game: the seat sees every card, the opponent keeps to its policy. Its value is an upper bound.

Its states are positions, so with reshuffles there are finitely many, in a graph with cycles.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.game.bits import lowest_bit
from uno_pomdp.game.kernels import legal_mask, observe
from uno_pomdp.game.layout import NO_CARD, OBSERVATION, RUNNING, STATE, States, template
from uno_pomdp.game.rng import mix
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import Policy, Weights
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.deals import Deals, TooLarge, all_deals, lay_out, most_draws
from uno_pomdp.pomdp.level_expansion import chance_of
from uno_pomdp.pomdp.mdp import TOLERANCE, Longs, Process, Values, iterate_values
from uno_pomdp.pomdp.model import InvalidModel, UnoPOMDP
from uno_pomdp.pomdp.position_keys import Packing, pack, packing_of, unpack
from uno_pomdp.pomdp.transitions import list_moves, result_for

POSITION_LIMIT: Final = 20_000_000
"""Positions at most, about 100 bytes each with what follows them."""
Keys = npt.NDArray[np.uint64]


class Graph(NamedTuple):
    """Positions and what follows them, while they grow; `total` counts positions, choices and outcomes."""

    key: Keys
    """By position: its number."""
    table: Int32s
    """Open addressing by key: a position and one more, 0 for an empty place."""
    first: Longs
    """By position: its first choice."""
    decides: npt.NDArray[np.bool_]
    """By position: whether the seat is to move."""
    start: Longs
    """By choice: its first outcome."""
    reward: Floats
    """By choice: the expected payoff of outcomes that end the game."""
    action: npt.NDArray[np.uint8]
    """By choice: the seat's action; `NO_CARD` where it does not decide."""
    target: Int32s
    """By outcome: the position."""
    probability: Floats
    """By outcome: how likely it is."""
    total: Longs
    """How many positions, choices and outcomes there are, and how many positions have been visited."""


@dataclass(frozen=True)
class SolvedClairvoyance:
    """What value iteration found for the clairvoyant game."""

    process: Process
    """The positions as a process, those with the seat or the opponent to move alike."""
    values: Values
    """Their values, and how exact they are."""
    start: Floats
    """By position: how likely it is the first in which the seat has to act."""
    at_once: float
    """The share of the expected payoff from games that end before the seat's first action."""

    def __repr__(self) -> str:
        return f"<SolvedClairvoyance: value {self.value:+.6f}, {self.process.states:,} positions>"

    @cached_property
    def value(self) -> float:
        """What the seat expects before anything is dealt."""
        return self.at_once + float(self.start @ self.values.value)


def clairvoyant(model: UnoPOMDP, *, tolerance: float = TOLERANCE, most_sweeps: int = 100_000) -> SolvedClairvoyance:
    """Return the values of the game in which the seat of a model sees all cards.

    >>> import uno_pomdp as uno
    >>> round(uno.clairvoyant(uno.UnoPOMDP("mini-7", "greedy")).value, 6)
    0.516667
    """
    if not isinstance(model.opponent, PolicyModel):
        raise InvalidModel("the clairvoyant game needs an opponent without memory: a scripted policy")
    deals = all_deals(model.rules)
    packing = packing_of(model.rules)
    spare = 64 * (most_draws(model.rules) + 1)
    graph = _new_graph(max(1 << 14, 2 * len(deals.top) + 4 * spare))
    roots = np.empty(len(deals.top), np.int32)
    add_deals(graph, packing, template(model.rules), deals, roots)
    moves = np.zeros(most_draws(model.rules) + 2, STATE), np.zeros(spare), np.zeros((spare, 2), np.int32)
    while not visit_all(
        graph, packing, template(model.rules), model.seat, model.opponent.policy, model.opponent.weights, moves, spare
    ):
        if graph.total[0] > POSITION_LIMIT:
            raise TooLarge(f"the game has more than {POSITION_LIMIT:,} positions, the limit: choose a smaller deck")
        graph = _grown(graph, spare)
    process = _process(graph, model)
    values = iterate_values(process, tolerance=tolerance, most_sweeps=most_sweeps)
    decides = graph.decides[: process.states]
    return SolvedClairvoyance(process, values, *_first_decisions(process, decides, roots, deals.probability))


def _process(graph: Graph, model: UnoPOMDP) -> Process:
    positions, choices, outcomes, _ = graph.total.tolist()
    decides = graph.decides[:positions]
    owner = np.repeat(np.arange(positions), np.diff(np.append(graph.first[:positions], choices)))
    return Process(
        np.append(graph.first[:positions], choices),
        np.append(graph.start[:choices], outcomes),
        graph.reward[:choices] - model.step_cost * decides[owner],
        graph.target[:outcomes],
        graph.probability[:outcomes],
        np.where(decides, model.discount, 1.0),
    )


def _first_decisions(
    process: Process, decides: npt.NDArray[np.bool_], roots: Int32s, chances: Floats
) -> tuple[Floats, float]:
    """Return how likely the seat first acts in each position, and what is earned before: the opponent may begin."""
    reached = np.zeros(process.states)
    np.add.at(reached, roots, chances)
    earned = 0.0
    waiting = np.flatnonzero((reached > 0.0) & ~decides).tolist()
    while waiting:
        for position in waiting:
            chance, reached[position] = float(reached[position]), 0.0
            choice = process.first[position]
            earned += chance * float(process.reward[choice])
            outcomes = slice(process.start[choice], process.start[choice + 1])
            np.add.at(reached, process.target[outcomes], chance * process.probability[outcomes])
        waiting = np.flatnonzero((reached > 0.0) & ~decides).tolist()
    return reached, earned


def _new_graph(room: int) -> Graph:
    columns: list[Any] = [
        np.zeros(size, kind)
        for size, kind in [
            (room, np.uint64),
            (2 * 2 ** (room - 1).bit_length(), np.int32),
            (room, np.int64),
            (room, np.bool_),
            (2 * room, np.int64),
            (2 * room, np.float64),
            (2 * room, np.uint8),
            (4 * room, np.int32),
            (4 * room, np.float64),
            (4, np.int64),
        ]
    ]
    return Graph(*columns)


def _grown(graph: Graph, spare: int) -> Graph:
    """Return the graph with twice the room in each array that is short of it."""
    positions, choices, outcomes, _ = graph.total.tolist()
    columns: dict[str, Any] = graph._asdict()
    short = {
        ("key", "first", "decides"): positions,
        ("start", "reward", "action"): choices,
        ("target", "probability"): outcomes,
    }
    for names, used in short.items():
        for name in names:
            if len(columns[name]) - used < 2 * spare:
                columns[name] = np.concatenate([columns[name], np.zeros_like(columns[name])])
    if len(columns["table"]) < 2 * len(columns["key"]):
        columns["table"] = np.zeros(2 * len(columns["table"]), np.int32)
    wide = Graph(**columns)
    if len(wide.table) != len(graph.table):
        rehash(wide)
    return wide


# --- the graph -------------------------------------------------------------------------------------------


@kernel
def place_of(graph: Graph, key: np.uint64) -> int:
    """Return where in the table a key lies, or the empty place where it would."""
    mask = len(graph.table) - 1
    place = as_int(mix(key) & np.uint64(mask))
    while graph.table[place] and graph.key[graph.table[place] - 1] != key:
        place = (place + 1) & mask
    return place


@kernel
def position_of(graph: Graph, key: np.uint64) -> int:
    """Return the position with a key, made if it is new; there must be room."""
    place = place_of(graph, key)
    if not graph.table[place]:
        graph.key[graph.total[0]] = key
        graph.total[0] += 1
        graph.table[place] = graph.total[0]
    return as_int(graph.table[place]) - 1


@kernel
def rehash(graph: Graph) -> None:
    """Fill an empty table."""
    for position in range(graph.total[0]):
        graph.table[place_of(graph, graph.key[position])] = position + 1


@kernel
def add_deals(graph: Graph, packing: Packing, undealt: States, deals: Deals, roots: Int32s) -> None:
    """Make the positions of all deals."""
    states = np.empty(1, STATE)
    for deal in range(len(deals.top)):
        states[0] = undealt[0]
        lay_out(states[0], deals, deal)
        roots[deal] = position_of(graph, pack(states[0], packing))


@kernel
def visit_all(
    graph: Graph,
    packing: Packing,
    undealt: States,
    seat: int,
    policy: Policy,
    weights: Weights,
    moves: tuple[States, Floats, Int32s],
    spare: int,
) -> bool:
    """Write what follows every position, new ones included; False if an array is short of room."""
    here = np.empty(1, STATE)
    seen = np.empty(1, OBSERVATION)
    while graph.total[3] < graph.total[0]:
        if (
            graph.total[0] + spare > len(graph.key)
            or graph.total[1] + spare > len(graph.start)
            or graph.total[2] + spare > len(graph.target)
        ):
            return False
        position = graph.total[3]
        graph.total[3] += 1
        unpack(here, graph.key[position], packing, undealt)
        decides = here[0]["turn"] == seat
        graph.decides[position] = decides
        graph.first[position] = graph.total[1]
        legal = legal_mask(here[0])
        forced = legal & (legal - np.uint64(1)) == np.uint64(0)
        if not decides:
            observe(seen[0], here[0], 1 - seat)
            add_choice(graph, as_int(NO_CARD))
        while legal:
            action = lowest_bit(legal)
            legal &= legal - np.uint64(1)
            chance = 1.0
            if decides:
                add_choice(graph, action)
            elif not forced:
                chance = chance_of(policy, seen[0], action, weights[0])
            if chance > 0.0:
                add_outcomes(graph, packing, here, seat, action, chance, moves)
    return True


@kernel
def add_choice(graph: Graph, action: int) -> None:
    """Begin a new choice."""
    graph.start[graph.total[1]] = graph.total[2]
    graph.reward[graph.total[1]] = 0.0
    graph.action[graph.total[1]] = action
    graph.total[1] += 1


@kernel
def add_outcomes(
    graph: Graph,
    packing: Packing,
    here: States,
    seat: int,
    action: int,
    chance: float,
    moves: tuple[States, Floats, Int32s],
) -> None:
    """Add what may follow an action to the last choice."""
    after, luck, told = moves
    for index in range(list_moves(here, action, after, luck, told)):
        state = after[index]
        if state["status"] != RUNNING:
            graph.reward[graph.total[1] - 1] += chance * luck[index] * result_for(state, seat)
        else:
            graph.target[graph.total[2]] = position_of(graph, pack(state, packing))
            graph.probability[graph.total[2]] = chance * luck[index]
            graph.total[2] += 1
