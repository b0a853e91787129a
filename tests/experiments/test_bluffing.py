"""Bluffs and challenges in trees: where they are, how often they are made, and one that was solved on paper."""

from fractions import Fraction
from typing import Final

import numpy as np
import pytest

from benchmarks.experiments.bluffing import (
    HABITS,
    Habit,
    allowed_by,
    choices_of,
    guilt_of,
    rate_of,
    reach_of,
    with_habit,
)
from benchmarks.experiments.linear_program import solve_program
from benchmarks.experiments.restricted_game import restricted
from tests.equilibrium.games import endgame, tree_of
from uno_pomdp.arrays import Floats
from uno_pomdp.cards import WILD_FOUR, YELLOW, Cards
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.sequence_form import check_policy, uniform_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree_policies import game_at
from uno_pomdp.game.actions import ACTIONS, CHALLENGE
from uno_pomdp.game.bindings import is_guilty_one
from uno_pomdp.game.layout import CHALLENGE as CHALLENGE_ID
from uno_pomdp.game.layout import SEATS, Seat


def test_a_bluff_is_a_wild_four_that_a_challenge_finds_guilty() -> None:
    """Every 20th node of a choice in `mini-bluff`, played out by the game itself."""
    tree = tree_of("challenge")
    bluffs, challenges = choices_of(tree, "bluff"), choices_of(tree, "challenge")
    found = 0
    for node in np.flatnonzero(tree.nodes.kind < 2)[::20].tolist():
        number = int(tree.nodes.information[node])
        game = game_at(tree, node)
        assert challenges.sets[number] == (CHALLENGE in game.legal_actions())
        for sequence in range(tree.first[number], tree.end[number]):
            action = ACTIONS[tree.actions[sequence]]
            guilty = False
            if action.card == WILD_FOUR and len(game.hand(game.turn)) > 1:
                then = game_at(tree, node)
                then.apply(action)
                guilty = is_guilty_one(then.to_state())
            assert bluffs.does[sequence] == guilty
            assert challenges.does[sequence] == (tree.actions[sequence] == CHALLENGE_ID)
            found += guilty
    assert found > 50


def test_rates_are_weighted_by_how_often_one_gets_there() -> None:
    tree = tree_of("challenge")
    policy = uniform_policy(tree)
    challenges = rate_of(tree, policy, choices_of(tree, "challenge"))
    assert challenges.rate == pytest.approx(0.5)
    assert challenges.sets == challenges.reached == challenges.mixed == int(choices_of(tree, "challenge").sets.sum())
    bluffs = choices_of(tree, "bluff")  # by hand: two of the three actions of R0 W4 on red bluff
    first = rate_of(tree, policy, bluffs, np.arange(tree.sets) == int(np.flatnonzero(bluffs.sets)[0]))
    assert first.rate == pytest.approx(2 / 3)
    dealt = reach_of(tree, policy)[: tree.set_start[1]][tree.parent[: tree.set_start[1]] == 0]
    assert dealt.max() < 1.0 < reach_of(tree, policy).sum()
    assert 0.0 < guilt_of(tree, policy) < 1.0
    honest = with_habit(tree, with_habit(tree, policy, ("never", "bluff"), 0), ("never", "bluff"), 1)
    assert guilt_of(tree, honest) == 0.0
    assert rate_of(tree, honest, bluffs).rate == 0.0


@pytest.mark.parametrize("habit", HABITS)
@pytest.mark.parametrize("seat", SEATS)
def test_a_habit_is_one_players_and_leaves_all_else(habit: Habit, seat: Seat) -> None:
    tree = tree_of("challenge")
    when, choice = habit
    found = choices_of(tree, choice)
    mine = slice(tree.sequence_start[seat], tree.sequence_start[seat + 1])
    changed = with_habit(tree, uniform_policy(tree), habit, seat)
    check_policy(tree, changed)
    other = slice(tree.sequence_start[1 - seat], tree.sequence_start[2 - seat])
    assert np.array_equal(changed[other], uniform_policy(tree)[other])
    gone = found.does if when == "never" else found.others
    assert gone[mine].any()
    assert not changed[mine][gone[mine]].any()
    untouched = ~(found.does | found.others)
    assert np.array_equal(changed[untouched], uniform_policy(tree)[untouched])
    assert np.array_equal(allowed_by(tree, habit, seat)[mine], ~gone[mine])


def test_in_mini_bluff_honest_players_who_always_challenge_lose_nothing() -> None:
    """Its mixtures are ties: the pure habits are as good as the equilibrium, and their opposites are not."""
    tree = tree_of("challenge")
    value = solve(tree, target=1e-7).result.value
    for habit in HABITS:
        for seat in SEATS:
            left = solve(restricted(tree, allowed_by(tree, habit, seat)), target=1e-6).result.value
            cost = (value - left) * (1 - 2 * seat)
            if habit in (("never", "bluff"), ("always", "challenge")):
                assert abs(cost) < 1e-5
            else:
                assert cost > 0.05


SEATS_OF_HABITS: Final[tuple[Seat, ...]] = (0, 0, 1, 1)
"""In the endgame below player 1 may bluff and player 2 challenge."""


# --- worked out on paper: MATH.md, "Bluffing, worked out by hand" ------------------------------------------


def chance_at(tree: GameTree, policy: Floats, hand: str, actions: tuple[str, ...], owed: int) -> float:
    """Return how likely one of these actions is with this hand, at a player's first choice."""
    (number,) = [
        number
        for number in range(tree.sets)
        if str(Cards(tree.seen["hand"][number].tobytes())) == hand
        and tree.seen["penalty"][number] == owed
        and (owed == 0 or tree.seen["colour"][number] == YELLOW)
        and tree.seen["draw_size"][number] == 6
        and tree.seen["played_size"][number] == 1 + (owed > 0)
    ]
    place = range(tree.first[number], tree.end[number])
    return float(sum(policy[each] for each in place if str(ACTIONS[tree.actions[each]]) in actions))


def test_the_solver_finds_what_was_worked_out_by_hand() -> None:
    tree = endgame()
    found = solve(tree, target=1e-10, iterations=100_000, look_every=1000)
    # the page: W4 on three reds in seven, −3/5 for playing the red card, 4/5 and 1 for an honest +4, 0 and −1 for a lie
    guilty, plain, honest, caught, lucky, lie = map(Fraction, ("3/7", "-3/5", "4/5", "-1", "1", "0"))
    challenge = (lie - plain) / (lie - caught)
    posterior = (lucky - honest) / ((lucky - honest) + (lie - caught))
    bluff = posterior / (1 - posterior) * (1 - guilty) / guilty
    value = guilty * plain + (1 - guilty) * (challenge * lucky + (1 - challenge) * honest)
    assert (challenge, posterior, bluff, value) == tuple(map(Fraction, ("3/5", "1/6", "4/15", "47/175")))
    assert found.result.value == pytest.approx(float(value), abs=1e-9)
    assert solve_program(tree)[0] == pytest.approx(float(value), abs=1e-9)
    assert chance_at(tree, found.policy, "R0 Y1 W4", ("W4:R", "W4:Y"), 0) == pytest.approx(float(bluff), abs=1e-6)
    assert chance_at(tree, found.policy, "Y1 W", ("challenge",), 4) == pytest.approx(float(challenge), abs=1e-6)


def test_on_paper_every_way_of_not_mixing_loses() -> None:
    tree = endgame()
    lost = map(Fraction, ("12/175", "22/175", "33/175", "8/175"))
    for habit, seat, cost in zip(HABITS, SEATS_OF_HABITS, lost, strict=True):
        first = (tree.parent == tree.sequence_start[seat]) & ((seat == 0) | (tree.seen["colour"] == YELLOW))
        left, _ = solve_program(restricted(tree, allowed_by(tree, habit, seat, first)))
        assert (float(Fraction(47, 175)) - left) * (1 - 2 * seat) == pytest.approx(float(cost), abs=1e-9)
