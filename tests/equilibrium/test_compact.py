"""A compact game is the whole tree without what makes no difference: the same counts, values and best responses."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.equilibrium.games import GAMES, LATER_GAMES, tree_of
from tests.helpers import PAIRS_OF_VALUES, named
from uno_pomdp.api import exploitability as exploitability_by_name
from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.cfr import VARIANTS, InvalidSolver, solve
from uno_pomdp.equilibrium.compact import compact_game
from uno_pomdp.equilibrium.compact.compact_arrays import Walk
from uno_pomdp.equilibrium.compact.compact_cfr import CompactSolver
from uno_pomdp.equilibrium.compact.compact_game import build_compact, first_tops, pays_off
from uno_pomdp.equilibrium.compact.compact_solution import SolvedTop, exploitability_of_scripted, solve_compact
from uno_pomdp.equilibrium.compact.growing import make_room
from uno_pomdp.equilibrium.compact.packing import count_at, first_take, next_take, pack_deck, packed, share, taken
from uno_pomdp.equilibrium.compact.plans import exploitability_of_plans, plan_of_choices, uniform_choices
from uno_pomdp.equilibrium.compact.symmetry import Which, deck_of
from uno_pomdp.equilibrium.nash_report import exact_of
from uno_pomdp.equilibrium.sequence_form import Exploitability, exploitability
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.errors import UnoError
from uno_pomdp.policies.kernels import HEURISTIC, POLICY_NAMES, RANDOM, WEIGHT, WEIGHTS, noisy
from uno_pomdp.pomdp.deals import TooLarge
from uno_pomdp.rules import CHOICES, Rules, preset

RULES: dict[str, Rules] = GAMES | LATER_GAMES | {"mini-9": preset("mini-9")}
"""Every rule that a tree knows, with and without copies of cards."""
POLICIES = [*range(len(POLICY_NAMES)), noisy(HEURISTIC, 0.3)]
EXACT = 1e-9
RANKS = ["0", "1", "2", "7", "S", "R", "+2"]


def gap(one: Exploitability, other: Exploitability) -> float:
    """Return how far apart value and best responses are at most."""
    return max(abs(one.value - other.value), *(abs(mine - its) for mine, its in zip(one.best, other.best, strict=True)))


@cache
def solved_tree(name: str, target: float) -> Exploitability:
    """Return value and bounds of a game from its whole tree."""
    return solve(tree_of(name), target=target, look_every=100).result


def check_scripted(rules: Rules, name: str, policies: list[int], symmetry: Which) -> None:
    tree = tree_of(name)
    found = exploitability_of_scripted(rules, [(policy, WEIGHTS) for policy in policies], symmetry=symmetry)
    for policy, mine in zip(policies, found, strict=True):
        assert gap(mine, exploitability(tree, scripted_policy(tree, policy))) < EXACT


# --- as the whole tree -----------------------------------------------------------------------------------


@pytest.mark.parametrize("symmetry", ["none", "ranks", "all"])
@pytest.mark.parametrize("name", RULES)
def test_it_stands_for_every_node_and_information_set_of_the_tree(name: str, symmetry: Which) -> None:
    rules, tree = RULES[name], tree_of(name)
    games = [build_compact(rules, *top, symmetry=symmetry) for top in first_tops(rules, symmetry).items()]
    assert 1 + sum(game.nodes for game in games) == pytest.approx(tree.size, abs=1e-6)
    assert sum(game.tree_sets for game in games) == pytest.approx(tree.sets, abs=1e-6)
    assert sum(game.share for game in games) == pytest.approx(1.0)
    assert sum(game.sets for game in games) <= tree.sets


@pytest.mark.parametrize("symmetry", ["none", "ranks"])
@pytest.mark.parametrize("name", RULES)
def test_scripted_policies_have_the_value_and_the_best_responses_that_they_have_in_the_tree(
    name: str, symmetry: Which
) -> None:
    check_scripted(RULES[name], name, POLICIES, symmetry)


@pytest.mark.parametrize("name", RULES)
def test_a_policy_that_is_the_same_for_all_colours_may_use_their_symmetry_too(name: str) -> None:
    check_scripted(RULES[name], name, [RANDOM], "all")


@pytest.mark.parametrize("name", ["mini-7", "copies printed", "challenge", "stack same", "swap, stack"])
def test_so_have_policies_with_any_weights(name: str) -> None:
    random = np.random.default_rng(5)
    policies = []
    for _ in range(4):
        weights = np.zeros(1, WEIGHT)
        for field in weights.dtype.names or ():
            weights[field] = random.normal()
        policies.append((noisy(HEURISTIC, 0.1), weights))
    tree, found = tree_of(name), exploitability_of_scripted(RULES[name], policies)
    for (policy, weights), mine in zip(policies, found, strict=True):
        assert gap(mine, exploitability(tree, scripted_policy(tree, policy, weights))) < EXACT
    assert len({round(mine.value, 6) for mine in found}) > 1


def random_game(seed: int) -> tuple[Rules, GameTree]:
    """Return a small game with a random deck under random rules, and its tree."""
    random = Random(seed)
    while True:
        colours, ranks = random.sample("RYGB", random.choice([1, 2, 3])), random.sample(RANKS, 3)
        cards = [colour + rank for colour in colours for rank in ranks]
        cards += random.choices([*cards, "W", "W4"], k=random.randrange(4))
        fields: dict[str, Any] = {name: random.choice(values) for name, values in CHOICES.items()}
        try:
            deck, size = Cards.parse(" ".join(cards)), random.choice([1, 2, 2, 3])
            rules = Rules(deck=deck, hand_size=size, **fields | {"reshuffle": "no"})
            tree = build_tree(rules, limit=20_000)
        except UnoError:  # fields that do not go together, or too large
            continue
        if tree.sets > 50:
            return rules, tree


@pytest.mark.parametrize("seed", range(8))
def test_random_decks_under_random_rules_agree_with_their_trees(seed: int) -> None:
    rules, tree = random_game(seed)
    kinds: tuple[Which, ...] = ("none", "ranks", "all")
    for symmetry in kinds:
        games = [build_compact(rules, *top, symmetry=symmetry) for top in first_tops(rules, symmetry).items()]
        assert (1 + sum(game.nodes for game in games), sum(game.tree_sets for game in games)) == pytest.approx(
            (tree.size, tree.sets), abs=1e-6
        )
        policies = POLICIES if symmetry != "all" else [RANDOM]
        found = exploitability_of_scripted(rules, [(policy, WEIGHTS) for policy in policies], symmetry=symmetry)
        for policy, mine in zip(policies, found, strict=True):
            assert gap(mine, exploitability(tree, scripted_policy(tree, policy))) < EXACT


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_it_has_the_nodes_and_sets_of_the_tree_under_all_rules(variant: dict[str, str]) -> None:
    fields: dict[str, Any] = variant | {"reshuffle": "no"}
    rules = Rules(deck=Cards.parse("R0 R7 RS R+2 B0 B7 B1 W4"), hand_size=2, **fields)
    tree = build_tree(rules)
    games = [build_compact(rules, *top) for top in first_tops(rules).items()]
    assert sum(game.tree_sets for game in games) == pytest.approx(tree.sets)
    assert 1 + sum(game.nodes for game in games) == pytest.approx(tree.size)


def test_on_mini_10_it_is_the_tree_with_a_tenth_of_its_information_sets() -> None:
    rules, tree = preset("mini-10"), tree_of("mini-10")
    check_scripted(rules, "mini-10", list(range(len(POLICY_NAMES))), "ranks")
    solution = solve_compact(rules, target=1e-3)
    assert (solution.nodes, solution.tree_sets) == (tree.size, tree.sets)
    assert solution.sets < tree.sets / 10
    exact, whole = exact_of(rules, "greedy")[0], exact_of(rules, "greedy", tree)[0]  # without the tree, and with it
    assert exact is not None
    assert whole is not None
    assert gap(exact.result, whole.result) < EXACT
    assert exact.game.low <= whole.game.high
    assert whole.game.low <= exact.game.high
    assert exploitability_by_name("greedy", rules) == exact.result


@pytest.mark.parametrize("symmetry", ["none", "all"])
@pytest.mark.parametrize("name", ["mini-7", "mini-9", "challenge", "copies printed", "stack rising", "swap"])
def test_its_equilibrium_has_the_value_of_the_game(name: str, symmetry: Which) -> None:
    near = 1e-7 if name == "mini-9" else EXACT  # the whole tree takes its time
    found = solve_compact(RULES[name], target=near / 4, look_every=100, symmetry=symmetry).result
    whole = solved_tree(name, near / 4)
    assert found.exploitability <= near / 4
    assert abs(found.value - whole.value) < near
    assert found.bracket.low - 1e-12 <= whole.bracket.high  # no best response is missed
    assert whole.bracket.low - 1e-12 <= found.bracket.high


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_comes_close_to_an_equilibrium(variant: str) -> None:
    solution = solve_compact(preset("mini-7"), variant, target=2e-3, iterations=3_000)
    assert solution.result.exploitability <= 2e-3
    low, high = solution.result.bracket.low, solution.result.bracket.high
    assert low <= solve(tree_of("mini-7"), target=1e-6).result.value <= high


def test_two_threads_find_what_one_does() -> None:
    one, two = (solve_compact(preset("mini-7"), iterations=20, threads=threads) for threads in (1, 2))
    assert one.result == two.result
    assert [top.top for top in one.tops] == [top.top for top in two.tops]


def test_single_precision_takes_less_memory_and_comes_as_close() -> None:
    double, single = (solve_compact(preset("mini-9"), target=1e-4, single=single) for single in (False, True))
    assert single.result.exploitability <= 1e-4
    assert abs(single.result.value - double.result.value) < 1e-5
    assert all(one.bytes < 0.8 * other.bytes for one, other in zip(single.tops, double.tops, strict=True))


def test_it_tells_of_each_first_top_card_how_long_it_took() -> None:
    ticks, told = itertools.count(), list[SolvedTop]()
    solution = solve_compact(preset("mini-9"), iterations=5, clock=lambda: float(next(ticks)), report=told.append)
    assert tuple(told) == solution.tops
    assert [(top.top, top.iterations, top.build_seconds, top.solve_seconds) for top in told] == [
        (top, 5, 1.0, 1.0) for top in (0, 10, 12)
    ]
    assert all(0 < top.sets < top.entries < top.visits < top.nodes and top.bytes > 0 for top in told)


def test_it_can_be_gone_on_with() -> None:
    game = build_compact(preset("mini-7"), 0, 4)
    at_once, in_parts = CompactSolver(game), CompactSolver(game)
    at_once.run(7)
    for part in (1, 4, 2):
        in_parts.run(part)
    assert at_once.look() == in_parts.look()
    uniform = exploitability_of_plans(game, plan_of_choices(game, uniform_choices(game)))
    assert at_once.look().exploitability < uniform.exploitability


def test_it_is_used_for_decks_of_many_types_without_reshuffles() -> None:
    assert pays_off(preset("mini-10"))
    assert not pays_off(replace(preset("mini-10"), reshuffle="yes"))
    assert not any(pays_off(preset(name)) for name in ("mini-7", "mini-9", "mini-12", "mini-bluff", "house"))


# --- hands and symmetries --------------------------------------------------------------------------------


def test_every_different_draw_is_made_once_with_its_share() -> None:
    pool = Cards.parse("R0 R0 R0 Y1 Y1 W4")
    (deck,) = pack_deck(Cards.parse("R0 R0 R0 Y1 Y1 Y1 G5 W4"))
    left, take = packed(np.array([deck]), pool), np.zeros(int(deck["types"]), np.int64)
    for count in range(1, 7):
        found = {}
        more = first_take(deck, left, count, take)
        while more:
            hand = taken(deck, take)
            cards = tuple(count_at(deck, hand, place) for place in range(4))
            assert cards not in found
            found[cards] = share(deck, take)
            more = next_take(deck, left, take)
        wanted = {tuple(sorted(hand)) for hand in itertools.combinations(pool, count)}
        assert len(found) == len(wanted)
        by_counts = Counter(math.prod(map(math.factorial, Counter(hand).values())) for hand in wanted)
        assert Counter(round(1 / part) for part in found.values()) == by_counts
    assert not first_take(deck, left, 7, take)


def test_symmetries_are_a_group_that_keeps_deck_and_rules() -> None:
    rules = replace(preset("mini-9"), deck=Cards.parse("R0 R1 R2 RS RR Y0 Y1 Y2 YS YR W W4"))
    (deck,) = deck_of(rules)
    places = {tuple(row[: deck["types"]].tolist()) for row in deck["place"][: deck["symmetries"]]}
    assert len(places) == 2 * math.factorial(3) * 2  # colours, numbers, skip with reverse
    assert all(tuple(one[place] for place in other) in places for one in places for other in places)
    assert first_tops(rules) == {0: 6, 10: 4}
    assert first_tops(rules, "ranks") == {0: 3, 10: 2, 13: 3, 23: 2}
    assert first_tops(rules, "none") == {card: 1 for card in rules.deck.types() if card < 52}
    assert first_tops(replace(rules, swap="seven_zero")) == {0: 2, 1: 4, 10: 4}
    others = replace(rules, deck=Cards.parse("G0 G1 GS B0 B1 BS W"))
    assert first_tops(others) == {26: 4, 36: 2}
    assert first_tops(others, "ranks") == {26: 2, 36: 1, 39: 2, 49: 1}
    uneven = replace(rules, deck=Cards.parse("R0 R0 R1 RS Y0 Y1 YS W"))
    assert first_tops(uneven) == {0: 2, 1: 1, 10: 1, 13: 1, 14: 1, 23: 1}


def test_many_numbers_have_as_many_symmetries_as_a_mask_holds() -> None:
    ranks = " ".join(f"{colour}{rank}" for colour in "RY" for rank in range(8))
    (deck,) = deck_of(replace(preset("mini-9"), deck=Cards.parse(f"{ranks} W")))
    assert deck["symmetries"] == 2 * math.factorial(4)


# --- refusals --------------------------------------------------------------------------------------------


def test_what_has_no_finite_tree_or_is_too_large_is_refused() -> None:
    with pytest.raises(TooLarge, match="a game with reshuffles has no finite tree"):
        build_compact(preset("mini-12"), 0, 4)
    with pytest.raises(TooLarge, match="more than 1,000 endings or plans, which is the limit"):
        build_compact(preset("mini-10"), 0, 4, limit=1_000)
    with pytest.raises(TooLarge, match="54 types of cards are too many"):
        build_compact(replace(preset("house"), reshuffle="no"), 0, 4)
    with pytest.raises(InvalidSolver, match="look_every is a number of iterations"):
        solve_compact(preset("mini-7"), look_every=0)
    with pytest.raises(InvalidSolver, match="0 iterations can't be done"):
        CompactSolver(build_compact(preset("mini-7"), 0, 4)).run(0)
    with pytest.raises(InvalidSolver, match="no solver is called"):
        solve_compact(preset("mini-7"), "lp")


@pytest.mark.parametrize("name", LATER_GAMES)
def test_nothing_is_written_beyond_the_room_that_was_asked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays are longer here than they are said to be; what lies beyond is cleared, and looked at later."""
    walks: list[Walk] = []

    def beyond(walk: Walk) -> bool:
        used = walk.used[0]
        places, hands = walk.places["weight"][int(used["room_places"]) :], walk.lists["ways"][int(used["room_hands"]) :]
        return bool(places.any() or hands.any())

    def no_more_than_wanted(walk: Walk) -> None:
        assert not walks or not beyond(walk)
        used = walk.used[0]
        room = {what: int(used[what] + used[f"more_{what}"]) for what in ("places", "hands")}
        used["more_places"] += 1000
        used["more_hands"] += 1000
        make_room(walk)
        for what, size in room.items():
            used[f"room_{what}"] = max(size, 1)  # the first place is put there without asking
        walk.places["weight"][int(used["places"]) :] = 0.0
        walk.lists["ways"][int(used["hands"]) :] = 0.0
        walks.append(walk)

    monkeypatch.setattr(compact_game, "make_room", no_more_than_wanted)
    for top, cards in first_tops(LATER_GAMES[name], "none").items():
        walks.clear()
        build_compact(LATER_GAMES[name], top, cards, symmetry="none")
        assert not beyond(walks[-1])
        assert len(walks) > 1
