"""The exported tree is the tree, also to open_spiel where it is installed."""

import re

import numpy as np
import pytest

from tests.equilibrium.games import tree_of
from uno_pomdp.equilibrium.gambit import to_efg
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, TERMINAL


@pytest.mark.parametrize("name", ["mini-7", "copies printed"])
def test_every_node_is_a_line_with_what_is_open_there(name: str) -> None:
    tree = tree_of(name)
    title, empty, *lines, last = to_efg(tree).split("\n")
    assert title.startswith('EFG 2 R "')
    assert (empty, last) == ("", "")
    assert len(lines) == tree.size
    kinds = {"c": CHANCE, "t": TERMINAL}
    assert [kinds.get(line[0], line[0]) for line in lines] == [
        kind if kind in kinds.values() else "p" for kind in tree.nodes.kind.tolist()
    ]
    chances = [re.findall(r'" (\S+)', line.partition("{")[2]) for line in lines if line[0] == "c"]
    assert all(sum(map(float, found)) == pytest.approx(1.0) for found in chances)
    players = [re.match(r'p "" (\d) (\d+) "" \{ (.*) \} 0', line) for line in lines if line[0] == "p"]
    sets = {(match[1], match[2]) for match in players if match}
    assert len(sets) == tree.sets
    assert len(players) == int((tree.nodes.kind < CHANCE).sum())
    assert np.array_equal(
        [line.partition("{")[2].split()[0] for line in lines if line[0] == "t"],
        tree.nodes.payoff[tree.nodes.kind == TERMINAL].astype(str),
    )
