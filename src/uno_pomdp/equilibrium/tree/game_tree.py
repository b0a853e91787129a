"""`GameTree`: a whole mini game, made from the engine itself, as nodes and as its sequence form.

An information set is all that its player has been told and has done (perfect recall). What no player can distinguish is
merged: draw piles have no order, copies of a card type are equal, and a forced move is no node.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.equilibrium.tree.growth import GrowingTree, cut, push_deal
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, TERMINAL, Nodes, Sets
from uno_pomdp.game.information import IN_A_TOKEN, HistoryTrie
from uno_pomdp.game.layout import SEATS, Observations, Seat, template
from uno_pomdp.pomdp.chance import Deals, TooLarge, all_deals, most_draws
from uno_pomdp.rules import Rules, as_rules

NODE_LIMIT: Final = 20_000_000
"""Nodes of a tree at most, 38 bytes each and about as much again for histories; `mini-10` has 2.3 million."""
_LONGEST: Final = 3
"""The most moves for each card in any line of play: it is drawn, kept and played at most once."""


class Payoffs(NamedTuple):
    """Player 1's payoff times the probability of chance, summed over the endings of each pair of sequences.

    Row by row, as in a compressed sparse matrix.
    """

    start: Int32s
    """Where each row starts, and the end of the last."""
    column: Int32s
    """The other player's sequence, counted from that player's first."""
    value: Floats
    """Σ p · u₁."""


@dataclass(frozen=True)
class GameTree:
    """All of a game. Information sets and sequences of player 1 come first, then those of player 2.

    A *sequence* is an information set with one of its actions; sequence 0 of each player is the empty one. Parents come
    before children everywhere. A policy for the tree is an array with a probability for each sequence.

    >>> import uno_pomdp as uno
    >>> tree = uno.build_tree("mini-7")
    >>> tree.size, tree.sets
    (5217, 716)
    """

    rules: Rules
    deals: Deals
    """The deals, in the order of the labels of the nodes after the first."""
    nodes: Nodes
    """Every node; `information` and `sequence` as numbered here."""
    histories: HistoryTrie
    """The trie of all histories that a player can have been told."""
    set_of: Int32s
    """By history: its information set; −1 where its owner has no choice."""
    parent: Int32s
    """By information set: the sequence of its player that leads there."""
    first: Int32s
    """By information set: the sequence of its first action; those of its other actions follow."""
    end: Int32s
    """By information set: the sequence after that of its last action."""
    history: Int32s
    """By information set: what its player has been told."""
    met: Int32s
    """By information set: the node where it is met first."""
    seen: Observations
    """By information set: what its player sees there."""
    actions: npt.NDArray[np.uint8]
    """By sequence: the action's id; 255 for the empty sequences."""
    set_start: tuple[int, int, int]
    """Where each player's information sets start, and the end."""
    sequence_start: tuple[int, int, int]
    """Where each player's sequences start, and the end."""

    @property
    def sets(self) -> int:
        """How many information sets both players have."""
        return len(self.parent)

    @property
    def sequences(self) -> int:
        """How many sequences both players have, the two empty ones included."""
        return len(self.actions)

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.nodes.parent)

    @cached_property
    def payoffs(self) -> tuple[Payoffs, Payoffs]:
        """What each player's sequences earn *player 1* against the other's: the matrix and its transpose."""
        ends = np.flatnonzero(self.nodes.kind == TERMINAL)
        ends = ends[self.nodes.payoff[ends] != 0]
        pairs = self.nodes.sequence[ends] - np.array(self.sequence_start[:2], np.int32)
        values = self.nodes.reach[ends] * self.nodes.payoff[ends]
        first, second = (_summed(pairs[:, seat], pairs[:, 1 - seat], values, self._width(seat)) for seat in SEATS)
        return first, second

    def _width(self, seat: Seat) -> int:
        return self.sequence_start[seat + 1] - self.sequence_start[seat]

    def size_of(self, seat: Seat) -> int:
        """Return how many information sets a player has."""
        return self.set_start[seat + 1] - self.set_start[seat]

    def to_json(self) -> dict[str, Any]:
        """Return as JSON values which game it is, and how large."""
        return {"rules": self.rules.name, "nodes": self.size, "information_sets": self.sets}

    def __repr__(self) -> str:
        return f"<GameTree of {self}>"

    def __str__(self) -> str:
        first, second = (self.size_of(seat) for seat in SEATS)
        ends = int((self.nodes.kind == TERMINAL).sum())
        chance = int((self.nodes.kind == CHANCE).sum())
        return (
            f"{self.rules.name}: {len(self.deals.top):,} deals, {self.size:,} nodes ({chance:,} of chance, {ends:,} "
            f"endings), {first:,} + {second:,} information sets"
        )


def _summed(rows: Int32s, columns: Int32s, values: Floats, height: int) -> Payoffs:
    """Return a sparse matrix from its entries, those at one place added up."""
    order = np.lexsort((columns, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    new = np.ones(len(rows), np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    begins = np.flatnonzero(new)
    start = np.searchsorted(rows[begins], np.arange(height + 1)).astype(np.int32)
    return Payoffs(start, columns[begins], np.add.reduceat(values, begins) if len(begins) else values)


# --- making one ------------------------------------------------------------------------------------------


def build_tree(rules: Rules | str, limit: int = NODE_LIMIT, deals: Deals | None = None) -> GameTree:
    """Return the whole tree of a game without reshuffles that has at most `limit` nodes.

    With `deals` the game starts from these and no others: an endgame, with hands and piles of any size.

    >>> import uno_pomdp as uno
    >>> print(uno.build_tree("mini-7"))
    mini-7: 540 deals, 5,217 nodes (601 of chance, 3,080 endings), 364 + 352 information sets
    """
    rules = as_rules(rules)
    if rules.reshuffle != "no":
        raise TooLarge(
            "a game with reshuffles has no finite tree: choose rules with reshuffle: no, such as mini-7, mini-9 or "
            "mini-10"
        )
    deals = all_deals(rules) if deals is None else deals
    told = len(rules.deck) if rules.swap != "no" else 1  # cards that a play shows
    spare = max(2 * most_draws(rules), _room_of_long_draws(rules), _LONGEST * len(rules.deck) * told, 64)
    growing = GrowingTree(spare)
    for deal in range(len(deals.top)):
        growing.make_room()
        push_deal(growing.work, growing.counters, growing.histories, template(rules), deals, deal)
        done = False
        while not done:
            done = growing.walk()
            if growing.counters.nodes[0] > limit:
                raise TooLarge(f"the tree has more than {limit:,} nodes, which is the limit: choose a smaller deck")
            growing.make_room()
    return _finished(rules, deals, growing)


def _room_of_long_draws(rules: Rules) -> int:
    """Return the room that draws until a card is playable may need: each kind of draw, with the tokens that tell it."""
    if rules.draw != "until_playable":
        return 0
    draws = math.prod(rules.deck[card] + 1 for card in rules.deck.types())
    return draws * (2 + len(rules.deck) // IN_A_TOKEN)


def _finished(rules: Rules, deals: Deals, grown: GrowingTree) -> GameTree:
    """Return the tree with the sets and sequences of player 1 before those of player 2, in arrays of their size."""
    count = int(grown.counters.nodes[0])
    sets = Sets(*cut(grown.sets, int(grown.counters.sets[0])))
    total = int(grown.counters.sequences[0])
    order = np.argsort(sets.seat, kind="stable")
    number = np.empty(len(order) + 1, np.int32)
    number[order] = np.arange(len(order))
    number[-1] = -1

    widths = np.diff(np.append(sets.first, total))
    owner = np.concatenate([[0, 1], np.repeat(sets.seat, widths)])  # by sequence as they were met
    by_owner = np.argsort(owner, kind="stable")
    renamed = np.empty(total, np.int32)
    renamed[by_owner] = np.arange(total)

    nodes = Nodes(*cut(grown.nodes, count))
    nodes.information[:] = number[nodes.information]
    nodes.sequence[:] = renamed[nodes.sequence]
    told = int(grown.histories.total[0])
    first = renamed[sets.first[order]]
    splits = int((sets.seat == 0).sum()), int((owner == 0).sum())
    return GameTree(
        rules=rules,
        deals=deals,
        nodes=nodes,
        histories=grown.histories,
        set_of=number[grown.set_of[:told]],
        parent=renamed[sets.parent[order]],
        first=first,
        end=(first + widths[order]).astype(np.int32),
        history=sets.history[order],
        met=sets.node[order],
        seen=sets.seen[order],
        actions=grown.actions[by_owner],
        set_start=(0, splits[0], len(order)),
        sequence_start=(0, splits[1], total),
    )
