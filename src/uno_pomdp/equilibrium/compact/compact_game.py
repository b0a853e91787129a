"""`CompactGame`: a mini game after its first top card, without what makes no difference to its value.

Left out are the order in which a player got its cards, histories that a symmetry of the deck makes of others, hidden
cards of public events, forced moves. Values and exploitability are those of the whole tree (`GameTree`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from uno_pomdp.beliefs.hypotheses import count_hands
from uno_pomdp.cards import COLOURED_TYPES, Cards, CardType
from uno_pomdp.equilibrium.compact.compact_arrays import MERGED, Asked, Records, Side
from uno_pomdp.equilibrium.compact.growing import cut_all, make_room, new_walk
from uno_pomdp.equilibrium.compact.packing import FACTORIAL, packed
from uno_pomdp.equilibrium.compact.public_walk import begin_public, walk_public
from uno_pomdp.equilibrium.compact.symmetry import Which, deck_of
from uno_pomdp.game.layout import template
from uno_pomdp.policies.kernels import WEIGHT, Policy, Weights
from uno_pomdp.pomdp.chance import TooLarge
from uno_pomdp.rules import Rules

KernelPolicy = tuple[Policy, Weights]
"""A scripted policy with its weights."""
TREE_TYPES: Final = 9
"""Types of cards up to which a whole tree is made in a second, and its kernels are compiled sooner."""
ENDING_LIMIT: Final = 20_000_000
"""Endings after one first top card at most, 16 bytes each, and about 100 more for what leads there."""


@dataclass(frozen=True)
class CompactGame:
    """The plans of both players, and what pairs of their entries earn."""

    rules: Rules
    top: CardType
    """The first top card."""
    share: float
    """How likely a first top card is that this one stands for."""
    sides: tuple[Side, Side]
    """What each player can plan."""
    endings: Records
    """What pairs of entries earn player 1."""
    entries: tuple[int, int]
    """How many entries each player has."""
    nodes: float
    """How many nodes of the whole tree it stands for, without the deal."""
    tree_sets: float
    """How many information sets of the whole tree it stands for."""
    visits: int
    """How many public histories were visited."""

    @property
    def sets(self) -> int:
        """How many information sets are left."""
        return sum(int((side.steps["parent"] != MERGED).sum()) for side in self.sides)

    @property
    def bytes(self) -> int:
        """How much memory its arrays take."""
        return sum(array.nbytes for array in (*self.sides[0], *self.sides[1], self.endings))

    def __repr__(self) -> str:
        return f"<CompactGame of {self.rules.name}: {self.sets:,} information sets for {self.nodes:,.0f} nodes>"


def first_tops(rules: Rules, symmetry: Which = "all") -> dict[CardType, int]:
    """Return the first top cards of which none is the image of another, with the cards that each stands for."""
    deck = deck_of(rules, symmetry)[0]
    found: dict[CardType, int] = {}
    for card in rules.deck.types():
        if card < COLOURED_TYPES:
            first = int(deck["action"][: deck["symmetries"], card].min())
            found[first] = found.get(first, 0) + rules.deck[card]
    return found


def build_compact(
    rules: Rules,
    top: CardType,
    cards: int,
    *,
    symmetry: Which = "all",
    scripted: Sequence[KernelPolicy] = (),
    limit: int = ENDING_LIMIT,
) -> CompactGame:
    """Return the game after a first top card that stands for so many cards.

    The probabilities of scripted policies are kept if they are named. They have the symmetries of ranks alone: colours
    have an order, by which ties are broken.
    """
    if rules.reshuffle != "no":
        raise TooLarge("a game with reshuffles has no finite tree: choose rules with reshuffle: no, such as mini-10")
    deck = deck_of(rules, symmetry)
    rest = rules.deck - Cards.of([top])
    share = cards / sum(count for card, count in enumerate(rules.deck.data) if card < COLOURED_TYPES)
    labels = np.prod([FACTORIAL[rest[card]] for card in rest.types()]) * FACTORIAL[rules.hand_size] ** 2
    walk = new_walk(len(scripted))
    weights = np.array([weights[0] for _, weights in scripted], WEIGHT)
    asked = Asked(np.array([policy for policy, _ in scripted], np.int64), weights)
    walk.used[0]["scratch"] = hands = count_hands(rest, rules.hand_size)
    walk.used[0]["more_hands"] = 2 * hands
    make_room(walk)
    weight = share * labels / FACTORIAL[len(rest)]
    begin_public(deck, walk, template(rules), top, rules.hand_size, packed(deck, rest), weight)
    used = walk.used[0]
    while not walk_public(deck, walk, asked):
        if max(used["endings"], *used["entries"]) > limit:
            raise TooLarge(
                f"the game has more than {limit:,} endings or plans, which is the limit: choose a smaller deck"
            )
        make_room(walk)
    cut_all(walk)
    same = cards / rules.deck[top]
    first, second = (int(count) for count in used["entries"])
    return CompactGame(
        rules=rules,
        top=top,
        share=share,
        sides=walk.sides,
        endings=walk.endings,
        entries=(first, second),
        nodes=same * float(used["nodes"]),
        tree_sets=same * float(used["sets"]),
        visits=int(used["visits"]),
    )


def pays_off(rules: Rules) -> bool:
    """Return whether a game is so large that its whole tree would take longer."""
    return rules.reshuffle == "no" and len(set(rules.deck)) > TREE_TYPES
