"""`Batch`: n games over one array do what n separate games do."""

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.helpers import record_bytes, rules_of
from uno_pomdp.errors import IllegalAction, InvalidDeal
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.batch import Batch
from uno_pomdp.game.bindings import observe_one
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import OBSERVATION
from uno_pomdp.game.rng import seeds
from uno_pomdp.rules import Rules, preset

PRINTED = {"drawn_card": "may_play", "wild_four": "last_resort", "draw": "optional"}
RULES = {
    "house": preset("house"),
    "printed": preset("printed"),
    "stacking": preset("stacking"),
    "party": preset("party"),
    "mini-10": preset("mini-10"),
    "tight": rules_of("few of four colours", PRINTED),
}


def random_actions(batch: Batch, chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a legal action for each running game, and nonsense for the finished ones."""
    rows = [np.flatnonzero(row) for row in batch.legal_masks()]
    return np.array([chance.choice(row) if len(row) else 999 for row in rows])


def observation_bytes(game: Game, seat: int) -> bytes:
    seen = np.zeros(1, OBSERVATION)
    observe_one(seen, game.to_state(), seat)
    return seen.tobytes()


def same(batch: Batch, games: list[Game]) -> None:
    """Require that a batch shows everywhere what separate games show."""
    assert batch.legal_bits().tolist() == [game.legal_mask for game in games]
    assert batch.legal_masks().tolist() == [[bool(game.legal_mask >> a & 1) for a in range(63)] for game in games]
    assert batch.running.tolist() == [not game.over for game in games]
    assert batch.turn.tolist() == [game.turn for game in games]
    assert batch.results().tolist() == [game.outcome.result() if game.outcome else 0 for game in games]
    assert record_bytes(batch.states) == record_bytes(np.concatenate([game.to_state() for game in games]))
    for seat in (0, 1):
        assert batch.observe(seat).tobytes() == b"".join(observation_bytes(game, seat) for game in games)
    assert batch.observe().tobytes() == b"".join(observation_bytes(game, game.turn) for game in games)


@pytest.mark.parametrize("name", RULES)
def test_a_batch_is_so_many_separate_games_step_by_step(name: str) -> None:
    rules = RULES[name]
    batch = Batch.deal(rules, 12, seed=5)
    games = [Game.new(rules, int(seed)) for seed in seeds(5, 12)]
    fresh = iter(seeds(6, 1000).tolist())
    chance = np.random.default_rng(7)
    same(batch, games)
    for number in range(60):
        actions = random_actions(batch, chance)
        batch.step(actions)
        for game, action in zip(games, actions, strict=True):
            if not game.over:
                game.apply(ACTIONS[action])
        same(batch, games)
        if number % 10 == 9:
            over = [index for index, game in enumerate(games) if game.over]
            new = [next(fresh) for _ in over]
            assert batch.restart(np.array([*new, 1, 2], np.uint64)) == len(over)
            for index, seed in zip(over, new, strict=True):
                games[index] = Game.new(rules, seed)
            same(batch, games)


def test_a_batch_has_the_length_of_its_games() -> None:
    assert len(Batch.deal(preset("mini-7"), 3, 0)) == 3
    assert Batch.deal(preset("mini-7"), 3, 0).states.shape == (3,)


def test_masks_are_written_into_an_array_that_is_given() -> None:
    batch = Batch.deal(preset("house"), 4, 1)
    out = np.ones((4, 63), np.bool_)
    assert batch.legal_masks(out) is out
    assert out.tolist() == batch.legal_masks().tolist()


def test_the_turns_that_are_handed_out_are_a_copy() -> None:
    batch = Batch.deal(preset("house"), 4, 1)
    batch.turn[:] = 1
    assert batch.turn.tolist() == [0, 0, 0, 0]


def finished(rules: Rules, games: int) -> Batch:
    batch = Batch.deal(rules, games, 1)
    chance = np.random.default_rng(1)
    while batch.running.any():
        batch.step(random_actions(batch, chance))
    return batch


def test_finished_games_stay_as_they_are_whatever_is_asked_of_them() -> None:
    batch = finished(preset("mini-7"), 6)
    before = batch.states.tobytes()
    batch.step(np.array([-1, 62, 61, 63, 999, 60]))
    assert batch.states.tobytes() == before
    assert not batch.legal_masks().any()
    assert set(batch.results().tolist()) <= {-1, 0, 1}
    assert batch.results().dtype == np.int8


@pytest.mark.parametrize(
    ("action", "name"), [(61, "keep"), (-1, "no action"), (63, "no action"), (62, "challenge"), (59, "W4:B")]
)
@pytest.mark.parametrize("index", [0, 3])
def test_one_illegal_action_is_named_and_leaves_every_game_as_it_was(action: int, name: str, index: int) -> None:
    batch = Batch.deal(preset("mini-10"), 4, 1)
    actions = random_actions(batch, np.random.default_rng(0))
    actions[index] = action
    before = batch.states.tobytes()
    message = f"game {index}: action {action} ({name}) is not legal; ask legal_masks() first"
    with pytest.raises(IllegalAction, match=re.escape(message)):
        batch.step(actions)
    assert batch.states.tobytes() == before


@pytest.mark.parametrize("shape", [(3,), (5,), (4, 1), ()])
def test_a_wrong_number_of_actions_is_refused(shape: tuple[int, ...]) -> None:
    message = f"4 games need that many actions, but the shape is {shape}"
    with pytest.raises(IllegalAction, match=re.escape(message)):
        Batch.deal(preset("mini-7"), 4, 1).step(np.zeros(shape, np.int64))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_actions_of_any_integer_type_are_taken(dtype: Any) -> None:
    batch, other = (Batch.deal(preset("house"), 8, 1) for _ in range(2))
    actions = random_actions(batch, np.random.default_rng(0))
    batch.step(actions)
    other.step(actions.astype(dtype))
    assert record_bytes(batch.states) == record_bytes(other.states)


@pytest.mark.parametrize("games", [0, -1])
def test_a_number_of_games_below_one_is_refused(games: int) -> None:
    with pytest.raises(InvalidDeal, match=f"{games} games can't be dealt: give a number of at least 1"):
        Batch.deal(preset("house"), games, 1)


def test_too_few_seeds_for_a_restart_are_refused_and_no_running_game_is_touched() -> None:
    batch = finished(preset("mini-7"), 6)
    batch.states[2:4] = Batch.deal(preset("mini-7"), 2, 9).states
    before = record_bytes(batch.states[2:4])
    with pytest.raises(InvalidDeal, match="games are over, but only"):
        batch.restart(seeds(1, 3))
    assert record_bytes(batch.states[2:4]) == before
