"""The tree is the game: its sizes, its information sets, its endings."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.equilibrium.exact import BestResponse, uniform
from tests.equilibrium.games import GAMES, LATER_GAMES, tree_of
from tests.helpers import PAIRS_OF_VALUES, named, run_python
from uno_pomdp.agents.tabular import TabularAgent
from uno_pomdp.arena.match import play_game
from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.sequence_form import uniform_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, TERMINAL
from uno_pomdp.equilibrium.tree_policies import game_at, table_of
from uno_pomdp.game.actions import DRAW
from uno_pomdp.game.events import Drew, Event, Shown
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import IN_A_TOKEN, find, opening, tokens_told
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.observation import Observation
from uno_pomdp.pomdp.deals import TooLarge
from uno_pomdp.rules import Rules, preset
from uno_pomdp.testing import check_tree


@pytest.mark.parametrize("name", GAMES | LATER_GAMES)
def test_the_tree_is_a_game_of_perfect_recall(name: str) -> None:
    check_tree(tree_of(name))


def test_larger_trees_are_too() -> None:
    tree = tree_of("mini-9")
    check_tree(tree)
    assert 10_000 < tree.sets < 100_000


@pytest.mark.parametrize("name", ["mini-7", "copies", "copies printed", "until playable"])
@pytest.mark.parametrize("seat", SEATS)
def test_there_are_as_many_information_sets_as_the_oracle_tells_apart(name: str, seat: int) -> None:
    assert tree_of(name).size_of(seat) == BestResponse((GAMES | LATER_GAMES)[name], uniform, seat).choices


def remembered(events: tuple[Event, ...]) -> list[Event]:
    """Return events with the cards of a draw in order: how they came is no news."""
    return [
        replace(event, cards=tuple(sorted(event.cards))) if isinstance(event, Drew) and event.cards else event
        for event in events
    ]


@pytest.mark.parametrize(
    "name", ["mini-7", "copies", "stack same", "first card", "until playable", "swap", "swap, stack"]
)
def test_an_information_set_is_what_its_player_has_been_told(name: str) -> None:
    tree = tree_of(name)
    assert check_sets(tree) == tree.sets


def check_sets(tree: GameTree, every: int = 1) -> int:
    """Require that some information sets are what their players remember of the game; return how many they are."""
    told: dict[int, set[str]] = defaultdict(set)
    for node in np.flatnonzero((tree.nodes.kind < CHANCE) & (tree.nodes.information % every == 0)).tolist():
        game = game_at(tree, node)
        seat = game.turn
        assert seat == tree.nodes.kind[node]
        number = int(tree.nodes.information[node])
        place = slice(tree.first[number], tree.end[number])
        assert [action.id for action in game.legal_actions()] == tree.actions[place].tolist()
        start = game.deal
        memory = (seat, start.top, start.hands[seat], remembered(game.events(seat)), game.observation(seat))
        told[number].add(repr(memory))
    assert all(len(memories) == 1 for memories in told.values())
    assert len(set.union(*told.values())) == len(told)
    return len(told)


def test_challenges_are_in_the_tree_with_what_they_show() -> None:
    """`mini-bluff` has 4,040 information sets; a third of the nodes of players, led to by the game itself."""
    tree = tree_of("challenge")
    assert tree.sets == 4040
    told: dict[int, set[str]] = defaultdict(set)
    shown, six = 0, 0
    for node in np.flatnonzero(tree.nodes.kind < CHANCE)[::3].tolist():
        game = game_at(tree, node)
        assert game.turn == tree.nodes.kind[node]
        number = int(tree.nodes.information[node])
        found = find(tree.histories, [*opening(_dealt(game)), *tokens_told(game.events(game.turn), game.turn)])
        assert tree.set_of[found] == number
        shown += any(isinstance(event, Shown) for event in game.events(game.turn))
        six += any(len(move.drawn) == 6 for move in game.moves)
        told[number].add(repr((_dealt(game), remembered(game.events(game.turn)))))
    assert all(len(memories) == 1 for memories in told.values())
    assert len(set.union(*told.values())) == len(told)
    assert shown > 100
    assert six > 50


def _dealt(game: Game) -> Observation:
    return Game.from_deal(game.rules, game.deal).observation(game.turn)


@pytest.mark.parametrize("name", LATER_GAMES)
def test_a_policy_of_the_tree_is_played_from_its_table(name: str) -> None:
    """What the tree calls a history is what an agent is told in a game: no history is unknown, nor is an action."""
    tree = tree_of(name)
    table = table_of(tree, uniform_policy(tree), {})
    for seed in range(12):
        play_game(tree.rules, seed, (TabularAgent(table), TabularAgent(table)), (1, 2))


@pytest.mark.parametrize("name", ["mini-7", "copies printed", "stack same", "until playable", "swap, stack"])
def test_every_ending_pays_what_the_game_says_and_the_other_loses_it(name: str) -> None:
    tree = tree_of(name)
    for node in np.flatnonzero(tree.nodes.kind == TERMINAL).tolist():
        outcome = game_at(tree, node).outcome
        assert outcome is not None
        assert outcome.result(0) == tree.nodes.payoff[node] == -outcome.result(1)


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_the_tree_is_the_game_under_all_rules(variant: dict[str, str]) -> None:
    fields: dict[str, Any] = variant | {"reshuffle": "no"}
    tree = build_tree(Rules(deck=Cards.parse("R0 R7 RS R+2 B0 B7 B1 W4"), hand_size=2, **fields))
    check_tree(tree)
    assert check_sets(tree, every=1 + tree.sets // 40) > 20
    endings = np.flatnonzero(tree.nodes.kind == TERMINAL)
    for node in endings[:: len(endings) // 60].tolist():
        outcome = game_at(tree, node).outcome
        assert outcome is not None
        assert outcome.result(0) == tree.nodes.payoff[node]


@pytest.mark.parametrize(
    "variant",
    [
        each
        for each in PAIRS_OF_VALUES
        if each["swap"] == "no" and each["wild_four"] != "challenge" and each["draw"] != "optional"
    ],
    ids=named,
)
def test_the_oracle_tells_as_many_information_sets_apart_under_all_rules(variant: dict[str, str]) -> None:
    fields: dict[str, Any] = variant | {"reshuffle": "no"}
    rules = Rules(deck=Cards.parse("R0 R+2 B0 B1 G2 G3 W4"), hand_size=1, **fields)
    tree = build_tree(rules)
    for seat in SEATS:
        assert tree.size_of(seat) == BestResponse(rules, uniform, seat).choices


def test_deals_and_draws_are_told_apart_by_type_alone() -> None:
    tree = tree_of("copies")
    assert len(tree.deals.top) == len({(t, h.tobytes()) for t, h in zip(*tree.deals[:2], strict=True)})
    assert tree.deals.probability.sum() == pytest.approx(1.0)
    # R0 on top with both R+2 in the first hand: 2/6 for the top, 1/15 for the hand
    red = (tree.deals.top == 0) & (tree.deals.hands[:, 0, 12] == 2)
    assert tree.deals.probability[red].sum() == pytest.approx(2 / 6 * 1 / 15)


PLAIN = """
from dataclasses import replace

from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.pomdp.clairvoyant import clairvoyant
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.rules import Rules

rules = Rules(deck=Cards.parse("R0 R0 YS Y+2 Y1 W"), hand_size=1, reshuffle="no")
model = UnoPOMDP(rules, PolicyModel(1))
print(solve(build_tree(rules), iterations=5, target=0).result)
print(solve(build_tree(replace(rules, draw="until_playable")), iterations=5, target=0).result)
print(f"{value_iteration(model).value:.9f} {clairvoyant(model).value:.9f}")
"""


def test_kernels_do_the_same_as_plain_python(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(PLAIN, "plain", "exec"), {"__name__": "plain"})
    assert run_python(PLAIN, NUMBA_DISABLE_JIT="1").stdout == capsys.readouterr().out


def test_draws_until_a_card_is_playable_are_as_likely_as_counted() -> None:
    """Every order of the pile at every chance node of a game with draws of up to eight cards, counted."""
    tree = tree_of("until playable, challenge")
    children = np.argsort(tree.nodes.parent, kind="stable")
    starts = np.searchsorted(tree.nodes.parent[children], np.arange(tree.size + 1))
    longest, looked = 0, 0
    for node in np.flatnonzero(tree.nodes.kind == CHANCE)[1::10].tolist():
        game = game_at(tree, node)
        if game.observation(game.turn).penalty or game.legal_actions() != (DRAW,):
            continue
        counted = Counter[str]()
        orders = set(itertools.permutations(game.draw_pile))
        for order in orders:
            twin = game_at(tree, node)
            twin.guess(twin.turn, twin.hand(twin.turn), order)
            twin.apply(DRAW)
            counted[str(sorted(twin.moves[-1].cards))] += 1
        found = {}
        for child in children[starts[node] : starts[node + 1]].tolist():
            after = game_at(tree, child)
            drawn = next(move.cards for move in after.moves[len(game.moves) :])
            found[str(sorted(drawn))] = tree.nodes.probability[child]
            longest = max(longest, len(drawn))
        assert found == pytest.approx({draw: count / len(orders) for draw, count in counted.items()})
        looked += 1
    assert looked > 20
    assert longest > IN_A_TOKEN


# --- refusals --------------------------------------------------------------------------------------------


def test_a_game_with_reshuffles_is_refused() -> None:
    with pytest.raises(TooLarge, match="a game with reshuffles has no finite tree: choose rules with reshuffle: no"):
        build_tree(preset("mini-12"))


def test_a_deck_with_too_many_deals_is_refused() -> None:
    with pytest.raises(TooLarge, match="different first hands are too many to list: at most 1,000,000 deals are"):
        build_tree(replace(preset("house"), reshuffle="no"))


def test_a_tree_beyond_the_limit_is_refused() -> None:
    with pytest.raises(TooLarge, match="the tree has more than 5,000 nodes, which is the limit"):
        build_tree(preset("mini-7"), limit=5_000)


# --- the check catches what is wrong ---------------------------------------------------------------------


def changed(name: str, value: Callable[[Any], Any]) -> GameTree:
    """Return the tree of mini-7 with one array of its nodes changed."""
    tree = tree_of("mini-7")
    return replace(tree, nodes=tree.nodes._replace(**{name: value(getattr(tree.nodes, name).copy())}))


def swap_sets(information: Any) -> Any:
    """Give a node of player 1 the information set of another with as many actions, elsewhere in the tree."""
    tree = tree_of("mini-7")
    first, other = (int(np.flatnonzero(tree.nodes.information == number)[0]) for number in (0, 300))
    assert tree.nodes.kind[first] == tree.nodes.kind[other] == 0
    information[first] = tree.nodes.information[other]
    return information


@pytest.mark.parametrize(
    ("name", "change", "law"),
    [
        ("probability", lambda chances: chances * 0.999, "chance have to add up to one"),
        ("payoff", lambda payoffs: payoffs * 2, "an ending pays"),
        ("kind", lambda kinds: np.where(kinds < 2, 1 - kinds, kinds), "shared between players"),
        ("sequence", lambda rows: rows[::-1].copy(), "add up to one|sequences have to be those of its path"),
        ("information", swap_sets, "does not have|remember|same actions|path|has to have a node"),
    ],
)
def test_a_broken_tree_is_caught(name: str, change: Callable[[Any], Any], law: str) -> None:
    with pytest.raises(AssertionError, match=law):
        check_tree(changed(name, change))
