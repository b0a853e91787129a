"""A tree as Gambit's extensive form (`.efg`), which open_spiel and Gambit read."""

from collections.abc import Iterator

import numpy as np

from uno_pomdp.cards import card_name
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, TERMINAL
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.information import DREW_MORE, cards_of_token

_OUTCOMES = {1: 1, -1: 2, 0: 3}
"""By player 1's payoff: the number of the outcome."""


def to_efg(tree: GameTree) -> str:
    """Return the text of the tree; nodes stand in the order of their numbers, and so do information sets."""
    return "\n".join([f'EFG 2 R "{tree.rules.name}" {{ "player 1" "player 2" }}', "", *_lines(tree), ""])


def _lines(tree: GameTree) -> Iterator[str]:
    nodes = tree.nodes
    by_parent = np.argsort(nodes.parent[1:], kind="stable") + 1
    starts = np.searchsorted(nodes.parent[by_parent], np.arange(tree.size + 1))
    chances = 0
    for node in range(tree.size):
        kind = int(nodes.kind[node])
        children = by_parent[starts[node] : starts[node + 1]].tolist()
        if kind == TERMINAL:
            payoff = int(nodes.payoff[node])
            yield f't "" {_OUTCOMES[payoff]} "" {{ {payoff} {-payoff} }}'
        elif kind == CHANCE:
            chances += 1
            named = " ".join(f'"{_chance_name(tree, node, c)}" {float(nodes.probability[c])!r}' for c in children)
            yield f'c "" {chances} "" {{ {named} }} 0'
        else:
            number = int(nodes.information[node]) - tree.set_start[kind] + 1
            named = " ".join(f'"{ACTIONS[nodes.label[child]]}"' for child in children)
            yield f'p "" {kind + 1} {number} "" {{ {named} }} 0'


def _chance_name(tree: GameTree, node: int, child: int) -> str:
    """Return what chance does, in words."""
    label = int(tree.nodes.label[child])
    if label >= DREW_MORE:
        return f"draw {label - DREW_MORE + 1}"
    return f"deal {label}" if node == 0 else " ".join(map(card_name, cards_of_token(label)))
