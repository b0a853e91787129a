"""Playing on stops where it says: at the end, at a seat's choice, where something is open."""

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN, record_bytes
from uno_pomdp.game.bindings import apply_one, legal_one
from uno_pomdp.game.kernels import deal, legal_mask
from uno_pomdp.game.layout import DRAW, RUNNING, SEATS, STATE, States, template
from uno_pomdp.game.rng import Streams, streams
from uno_pomdp.jit import kernel
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, WEIGHTS, Weights
from uno_pomdp.policies.rollouts import move, play_out, until_choice, until_open
from uno_pomdp.rules import Rules


@kernel
def played_out(states: States, weights: Weights, chance: Streams) -> tuple[int, int]:
    """Play the first game out."""
    return play_out(states[0], HEURISTIC, BASELINE, weights[0], chance[0])


@kernel
def to_choice(states: States, seat: int, weights: Weights, chance: Streams) -> int:
    """Play the first game on to a seat's choice."""
    return until_choice(states[0], seat, BASELINE, weights[0], chance[0])


@kernel
def to_open(states: States, draws: bool) -> np.uint64:
    """Play the first game on while nothing is open."""
    return until_open(states[0], draws)


def dealt(name: str, seed: int) -> States:
    """Return a game just dealt."""
    rules, states = Rules.parse(name), np.zeros(1, STATE)
    deal(states, 0, template(rules), rules.hand_size, np.uint64(seed))
    return states


def choices(states: States) -> int:
    """Return how many actions are legal."""
    return int(legal_one(states)).bit_count()


@pytest.mark.parametrize("name", ["house", PRINTED_PLAIN, "mini-12"])
def test_a_game_stepped_through_by_hand_has_the_moves_that_are_counted(name: str) -> None:
    for seed in range(10):
        whole, stepped, players = dealt(name, seed), dealt(name, seed), streams(seed)
        moves = played_out(whole, WEIGHTS, streams(seed))
        assert whole["status"][0] != RUNNING
        counted = [0, 0]
        while stepped["status"][0] == RUNNING:
            mover = int(stepped["turn"][0])
            one_move(stepped, WEIGHTS, players)
            counted[mover] += 1
        assert tuple(moves) == tuple(counted)
        assert record_bytes(whole) == record_bytes(stepped)


@kernel
def one_move(states: States, weights: Weights, chance: Streams) -> None:
    """Make one move of the first game, as `play_out` does."""
    from_turn = HEURISTIC if states[0]["turn"] == 0 else BASELINE
    move(states[0], legal_mask(states[0]), from_turn, weights[0], chance[0])


@pytest.mark.parametrize("seat", SEATS)
def test_a_seat_is_asked_at_each_of_its_choices_and_at_no_other_time(seat: int) -> None:
    asked = 0
    for seed in range(10):
        states, players = dealt("house", seed), streams(seed)
        while True:
            to_choice(states, seat, WEIGHTS, players)
            if states["status"][0] != RUNNING:
                break
            assert states["turn"][0] == seat
            assert choices(states) > 1
            apply_one(states, int(legal_one(states)).bit_length() - 1)
            asked += 1
    assert asked > 20


def test_what_is_forced_happens_up_to_a_choice_or_a_draw() -> None:
    stops = set()
    for seed in range(40):
        for draws in (True, False):
            states = dealt("mini-12", seed)
            while states["status"][0] == RUNNING:
                legal = int(to_open(states, draws))
                assert legal == int(legal_one(states))
                if not legal:
                    break
                assert legal.bit_count() > 1 or (not draws and legal == 1 << DRAW)
                stops.add((draws, legal == 1 << DRAW))
                apply_one(states, legal.bit_length() - 1)
    assert stops == {(True, False), (False, False), (False, True)}
