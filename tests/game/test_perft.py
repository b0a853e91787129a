"""Whole trees counted: the engine, the oracle and the numbers written here have to agree.

Without reshuffles a dealt game is a finite tree of actions. A *node* is a position that can be reached
(the deal included), counted once for each way to reach it; a *leaf* is an ending.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.helpers import deal_of
from tests.oracle import Oracle
from uno_pomdp.cards import Cards
from uno_pomdp.game.bindings import apply_one, legal_one
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import States
from uno_pomdp.rules import Rules, preset


class Tree(NamedTuple):
    """What a whole tree holds."""

    nodes: int
    first_wins: int
    second_wins: int
    draws: int
    depth: int


def engine_of(rules: Rules, deal: Deal) -> States:
    return Game.from_deal(rules, deal).to_state()


def oracle_of(rules: Rules, deal: Deal) -> Oracle:
    return Oracle(rules, deal.top, (list(deal.hands[0]), list(deal.hands[1])), deal.pile[::-1])


def engine_children(state: States) -> Iterator[States]:
    mask = int(legal_one(state))
    for action in range(63):
        if mask >> action & 1:
            child = state.copy()
            apply_one(child, action)
            yield child


def oracle_children(game: Oracle) -> Iterator[Oracle]:
    for action in game.legal():
        child = game.copy()
        child.act(action)
        yield child


def engine_sequences(state: States, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(engine_sequences(child, depth - 1) for child in engine_children(state))


def oracle_sequences(game: Oracle, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(oracle_sequences(child, depth - 1) for child in oracle_children(game))


def merge(trees: list[Tree]) -> Tree:
    """Return the tree of a node with these subtrees."""
    sums = (sum(tree[i] for tree in trees) for i in range(4))
    nodes, first, second, draws = sums
    return Tree(1 + nodes, first, second, draws, 1 + max(tree.depth for tree in trees))


def engine_tree(state: States) -> Tree:
    trees = [engine_tree(child) for child in engine_children(state)]
    if trees:
        return merge(trees)
    winner = int(state["winner"][0])
    assert state["status"][0] != 0
    return Tree(1, int(winner == 0), int(winner == 1), int(winner == 2), 0)


def oracle_tree(game: Oracle) -> Tree:
    trees = [oracle_tree(child) for child in oracle_children(game)]
    if trees:
        return merge(trees)
    assert game.reason is not None
    return Tree(1, int(game.winner == 0), int(game.winner == 1), int(game.winner is None), 0)


DEALS = {
    "mini-7": deal_of("R0", "R1 W", "Y1 YS", "RS Y0"),
    "mini-7 b": deal_of("YS", "R0 R1", "W Y0", "RS Y1"),
    "mini-9": deal_of("R0", "R+2 W", "Y1 YS", "RS Y0 R1 Y+2"),
    "mini-10": deal_of("R0", "W4 RS", "Y1 W", "Y0 R1 Y+2 YS R+2"),
    "mini-9 b": deal_of("Y+2", "R+2 W", "Y1 YS", "RS Y0 R1 R0"),
    "mini-10 b": deal_of("R0", "W4 R+2", "Y+2 YS", "Y1 Y0 R1 RS W"),
    "mini-bluff": deal_of("R0", "R0 W4", "Y1 W4", "R0 Y1 Y1 R0 Y1 R0 Y1"),
    "mini-12": deal_of("R0", "R1 Y1", "YS RS", "Y0 R0 RS Y1 YS R1 Y0"),
}
PRINTED = {"drawn_card": "may_play", "wild_four": "last_resort", "draw": "optional"}


def with_fields(name: str, **fields: str) -> Rules:
    """Return a preset with some fields changed."""
    return replace(preset(name), **fields)  # type: ignore[arg-type]


CASES = {
    "mini-7": (preset("mini-7"), DEALS["mini-7"]),
    "mini-7 b": (preset("mini-7"), DEALS["mini-7 b"]),
    "mini-7 pass": (replace(preset("mini-7"), skip="pass"), DEALS["mini-7 b"]),
    "mini-9": (preset("mini-9"), DEALS["mini-9"]),
    "mini-10": (preset("mini-10"), DEALS["mini-10"]),
    "mini-7 printed": (with_fields("mini-7", **PRINTED), DEALS["mini-7"]),
    "mini-10 printed": (with_fields("mini-10", **PRINTED), DEALS["mini-10"]),
    "mini-10 may_play": (replace(preset("mini-10"), drawn_card="may_play"), DEALS["mini-10"]),
    "mini-10 optional": (replace(preset("mini-10"), draw="optional"), DEALS["mini-10"]),
    "mini-12 optional": (replace(preset("mini-12"), draw="optional"), DEALS["mini-12"]),
    "mini-10 challenge": (with_fields("mini-10", wild_four="challenge"), DEALS["mini-10"]),
    "mini-bluff": (preset("mini-bluff"), DEALS["mini-bluff"]),
    "mini-bluff printed": (with_fields("mini-bluff", drawn_card="may_play", draw="optional"), DEALS["mini-bluff"]),
    "mini-10 until": (with_fields("mini-10", draw="until_playable"), DEALS["mini-10 b"]),
    "mini-10 rising": (with_fields("mini-10", stack="rising", draw="optional"), DEALS["mini-10 b"]),
    "mini-10 same": (with_fields("mini-10", stack="same", draw="optional"), DEALS["mini-10 b"]),
    "mini-9 acts": (with_fields("mini-9", first_card="acts", draw="optional"), DEALS["mini-9 b"]),
    "mini-7 acts": (with_fields("mini-7", first_card="acts"), DEALS["mini-7 b"]),
    "mini-7 swap": (with_fields("mini-7", swap="seven_zero"), DEALS["mini-7 b"]),
    "mini-7 until": (with_fields("mini-7", draw="until_playable"), DEALS["mini-7 b"]),
    "mini-10 party": (
        with_fields("mini-10", draw="until_playable", stack="rising", swap="seven_zero"),
        DEALS["mini-10 b"],
    ),
    "house": (preset("house"), Game.new(preset("house"), 1).deal),
    "printed old": (with_fields("house", **PRINTED), Game.new(preset("house"), 2).deal),
    "printed": (preset("printed"), Game.new(preset("printed"), 2).deal),
    "stacking": (preset("stacking"), Game.new(preset("stacking"), 2).deal),
    "party": (preset("party"), Game.new(preset("party"), 4).deal),
}

SEQUENCES = {
    "mini-7": [3, 4, 5, 0],
    "mini-7 b": [1, 3, 5, 7, 4, 3, 1, 0],
    "mini-7 pass": [1, 3, 5, 6, 4, 4, 3, 0],
    "mini-9": [3, 4, 5, 1, 0],
    "mini-10": [3, 4, 2, 6, 11, 8, 2, 0],
    "mini-7 printed": [4, 8, 17, 23, 34, 44, 47, 35, 16, 0],
    "mini-10 printed": [2, 5, 8, 18, 35, 56, 65, 97, 174, 296],
    "mini-10 may_play": [3, 4, 2, 1, 6, 11, 8, 2, 0],
    "mini-10 optional": [4, 8, 19, 44, 87, 150, 264, 491, 644, 660],
    "mini-12 optional": [2, 4, 9, 14, 36, 83, 195],
    "house": [1, 1, 4, 11, 22, 34, 42, 42, 46, 50],
    "printed old": [2, 7, 16, 35, 74, 152, 323, 694, 1522, 3453],
    "mini-10 challenge": [3, 6, 7, 20, 35, 24, 10, 0],
    "mini-bluff": [3, 6, 11, 16, 13, 13, 8, 8, 7, 6],
    "mini-bluff printed": [4, 9, 22, 38, 49, 94, 168, 248, 351, 566],
    "mini-10 until": [3, 3, 4, 2, 6, 10, 8, 4, 0],
    "mini-10 rising": [4, 5, 13, 16, 41, 74, 137, 175, 217, 224],
    "mini-10 same": [4, 5, 11, 16, 37, 70, 127, 165, 189, 172],
    "mini-9 acts": [1, 3, 11, 23, 44, 78, 119, 112, 49, 0],
    "mini-7 acts": [3, 4, 5, 1, 0],
    "mini-7 swap": [1, 3, 6, 6, 6, 4, 0],
    "mini-7 until": [1, 1, 2, 5, 5, 3, 4, 0],
    "mini-10 party": [3, 4, 7, 3, 6, 13, 16, 13, 4, 0],
    "printed": [2, 7, 16, 35, 74, 152, 323, 694, 1522, 3453],
    "stacking": [2, 7, 16, 36, 79, 165, 365, 832, 1944, 4636],
    "party": [6, 6, 17, 30, 58, 145, 312, 815, 1844, 4296],
}
"""How many sequences of 1, 2, 3, … actions there are, as the oracle counted them."""

TREES = {
    "mini-7": Tree(nodes=13, first_wins=4, second_wins=1, draws=0, depth=3),
    "mini-7 b": Tree(nodes=25, first_wins=2, second_wins=5, draws=1, depth=7),
    "mini-7 pass": Tree(nodes=27, first_wins=1, second_wins=4, draws=3, depth=7),
    "mini-9": Tree(nodes=14, first_wins=3, second_wins=2, draws=0, depth=4),
    "mini-10": Tree(nodes=37, first_wins=15, second_wins=0, draws=0, depth=7),
    "mini-7 printed": Tree(nodes=229, first_wins=38, second_wins=28, draws=13, depth=9),
    "mini-10 printed": Tree(nodes=5405, first_wins=639, second_wins=817, draws=359, depth=18),
    "mini-10 may_play": Tree(nodes=38, first_wins=15, second_wins=0, draws=0, depth=8),
    "mini-10 optional": Tree(nodes=3293, first_wins=424, second_wins=555, draws=349, depth=13),
    "mini-10 challenge": Tree(nodes=106, first_wins=15, second_wins=28, draws=0, depth=7),
    "mini-bluff": Tree(nodes=96, first_wins=13, second_wins=25, draws=8, depth=11),
    "mini-bluff printed": Tree(nodes=6314, first_wins=1366, second_wins=1544, draws=295, depth=20),
    "mini-10 until": Tree(nodes=41, first_wins=15, second_wins=0, draws=0, depth=8),
    "mini-10 rising": Tree(nodes=1251, first_wins=267, second_wins=198, draws=88, depth=13),
    "mini-10 same": Tree(nodes=1029, first_wins=193, second_wins=166, draws=64, depth=13),
    "mini-9 acts": Tree(nodes=441, first_wins=53, second_wins=82, draws=18, depth=9),
    "mini-7 acts": Tree(nodes=14, first_wins=1, second_wins=4, draws=0, depth=4),
    "mini-7 swap": Tree(nodes=27, first_wins=4, second_wins=5, draws=0, depth=6),
    "mini-7 until": Tree(nodes=22, first_wins=2, second_wins=4, draws=0, depth=7),
    "mini-10 party": Tree(nodes=70, first_wins=17, second_wins=14, draws=0, depth=9),
}
"""The whole trees, as the oracle counted them."""

FORESTS = {
    "mini-7": Tree(nodes=12564, first_wins=2124, second_wins=1492, draws=232, depth=7),
    "mini-7 pass": Tree(nodes=13008, first_wins=2556, second_wins=1068, draws=324, depth=7),
    "mini-7 printed": Tree(nodes=213304, first_wins=29700, second_wins=28754, draws=11810, depth=9),
    "mini-7 acts": Tree(nodes=12564, first_wins=1836, second_wins=1780, draws=232, depth=7),
    "mini-7 swap": Tree(nodes=12144, first_wins=1892, second_wins=1708, draws=164, depth=7),
    "mini-7 until": Tree(nodes=12092, first_wins=2036, second_wins=1104, draws=194, depth=7),
}
"""Sums over the whole trees of all 1,080 deals, as the oracle counted them."""


def all_deals(rules: Rules) -> Iterator[Deal]:
    """Yield each deal of a deck without copies once: tops, hands, orders of the draw pile."""
    deck = list(rules.deck)
    for top in (card for card in deck if card < 52):
        rest = [card for card in deck if card != top]
        for first in itertools.combinations(rest, rules.hand_size):
            others = [card for card in rest if card not in first]
            for second in itertools.combinations(others, rules.hand_size):
                pile = [card for card in others if card not in second]
                for order in itertools.permutations(pile):
                    yield Deal(top, (Cards.of(first), Cards.of(second)), order)


def add_up(trees: Iterator[Tree]) -> Tree:
    """Return the sums over many trees, and the greatest depth."""
    sums: Counter[str] = Counter()
    deepest = 0
    for tree in trees:
        sums.update(tree._asdict())
        deepest = max(deepest, tree.depth)
    return Tree(**{**sums, "depth": deepest})


@pytest.mark.parametrize("name", CASES)
def test_the_number_of_action_sequences_of_each_length(name: str) -> None:
    rules, deal = CASES[name]
    lengths = range(1, len(SEQUENCES[name]) + 1)
    assert [engine_sequences(engine_of(rules, deal), length) for length in lengths] == SEQUENCES[name]
    assert [oracle_sequences(oracle_of(rules, deal), length) for length in lengths] == SEQUENCES[name]


@pytest.mark.parametrize("name", TREES)
def test_the_whole_tree_of_a_deal(name: str) -> None:
    rules, deal = CASES[name]
    assert engine_tree(engine_of(rules, deal)) == TREES[name]
    assert oracle_tree(oracle_of(rules, deal)) == TREES[name]


def test_mini_7_has_1080_deals() -> None:
    found = list(all_deals(preset("mini-7")))
    assert len(found) == len(set(found)) == 6 * 15 * 6 * 2


@pytest.mark.parametrize("name", FORESTS)
def test_the_whole_trees_of_all_deals_of_mini_7(name: str) -> None:
    rules = CASES[name][0]
    assert add_up(engine_tree(engine_of(rules, deal)) for deal in all_deals(rules)) == FORESTS[name]
    assert add_up(oracle_tree(oracle_of(rules, deal)) for deal in all_deals(rules)) == FORESTS[name]
