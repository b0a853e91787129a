"""What an action tells a seat in POMCP's tree under the rules that came later: a simulation and a game say the same."""

import random

import pytest

from tests.helpers import PAIRS_OF_VALUES, choose, do, named, rules_of, start
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import EMPTY, SEAT, HistoryTrie, child_of, tokens_of
from uno_pomdp.game.layout import CHALLENGE, SEATS, States
from uno_pomdp.jit import kernel
from uno_pomdp.search.pomcp.history_tree import new_tree, told_later, with_room
from uno_pomdp.search.pomcp.pomcp import later_tokens


@kernel
def told_one(histories: HistoryTrie, node: int, states: States, action: int, seat: int) -> int:
    """Carry out an action in the first state; return the history that the seat has then."""
    return told_later(histories, node, states[0], action, seat)


def compare(game: Game, moves: int, chance: random.Random) -> None:
    """Play on at random, and compare every action's tokens by events with those of a simulation."""
    histories, counts = new_tree()
    for _ in range(moves):
        if game.over:
            break
        action, states = choose(game, chance), [game.to_state() for _ in SEATS]
        game.apply(action)
        for seat in SEATS:
            histories, counts = with_room(histories, counts, 600)
            node = told_one(histories, child_of(histories, EMPTY, SEAT), states[seat], action.id, seat)
            if game.over:
                continue
            expected = later_tokens(game.last_step(seat).events, seat, choice=False)
            assert list(tokens_of(histories, node)[1:]) == expected, (action, seat)


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_a_simulation_tells_what_a_game_tells(variant: dict[str, str]) -> None:
    chance = random.Random(3)
    for seed, deck in enumerate(["standard, hands of 4", "all penalties", "skips"]):
        compare(Game.new(rules_of(deck, variant), seed), 60, chance)


def test_a_challenge_a_swap_and_a_long_draw_tell_several_things() -> None:
    pile = "B1 B2 B3 B4 B5 B6 G3 G4"
    right = do(start("R7", "W4 R1 R2", "Y1 Y2 Y3", pile, wild_four="challenge"), "W4:R challenge")
    assert len(later_tokens(right.last_step(1).events, 1, choice=True)) == 2 + 2 + 1  # chosen, shown two, other drew
    assert len(later_tokens(right.last_step(0).events, 0, choice=False)) == 1 + 4  # challenged, four cards drawn
    swap = do(start("R5", "R7 R1 G2", "Y1 Y2 Y3", pile, swap="seven_zero"), "R7")
    assert len(later_tokens(swap.last_step(1).events, 1, choice=False)) == 1 + 2
    long = do(start("R7", "Y1 Y2 Y3", "G1 G2 G5", "B1 B2 R3 B4", draw="until_playable"), "draw")
    assert len(later_tokens(long.last_step(0).events, 0, choice=False)) == 3
    assert len(later_tokens(long.last_step(1).events, 1, choice=False)) == 2


def test_the_same_history_is_found_again() -> None:
    """Two orders of the same cards are one history; another hand shown is another one."""
    found = []
    histories, _ = new_tree()
    for hand, pile in (("W4 R1", "B1 B2 B3 B4 G2"), ("W4 R1", "B4 B3 B2 B1 G2"), ("W4 G2", "B1 B2 B3 B4 R1")):
        rest = "Y3 Y4 Y5 Y6 Y7"
        game = do(start("R7", hand, "Y1 Y2", f"{pile} {rest}", wild_four="challenge"), "W4:B")
        found.append(told_one(histories, child_of(histories, EMPTY, SEAT), game.to_state(), CHALLENGE, 1))
    assert found[0] == found[1] != found[2]
