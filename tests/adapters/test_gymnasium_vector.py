"""The vector environment is many single ones: the same observations, masks, rewards and infos, in every mode."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import (
    FlattenObservation,
    NormalizeObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
    RescaleObservation,
)

from uno_pomdp.adapters.gymnasium import NAME, UnoEnv
from uno_pomdp.adapters.gymnasium_vector import UnoVectorEnv
from uno_pomdp.adapters.views import InvalidEnvironment
from uno_pomdp.errors import IllegalAction, UnoError
from uno_pomdp.game.layout import ACTIONS
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.rules import PRESETS

GAMES = 6


def check_same(one: Any, other: Any, where: str = "") -> None:
    """Require that two results are the same: keys, types of arrays and every number."""
    assert type(one) is type(other), where
    if isinstance(one, tuple):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            check_same(a, b, f"{where}/{number}")
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            check_same(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, np.ndarray) and one.dtype == object:
        for a, b in zip(one, other, strict=True):
            check_same(a, b, where)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        assert np.array_equal(one, other), where
    else:
        assert one == other, where


def both(mode: AutoresetMode, **options: Any) -> tuple[UnoVectorEnv, SyncVectorEnv]:
    many = gymnasium.make_vec(NAME, num_envs=GAMES, autoreset_mode=mode, **options)
    single = gymnasium.make_vec(
        NAME, num_envs=GAMES, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options
    )
    assert isinstance(many, UnoVectorEnv)
    assert many.metadata["autoreset_mode"] == mode
    return many, single


def play_both(mode: AutoresetMode, steps: int, **options: Any) -> int:
    """Play the same actions in both, one in twenty of them whatever; return how many episodes have ended."""
    many, single = both(mode, **options)
    chance = np.random.default_rng(7)
    result: Any = many.reset(seed=7)
    check_same(result, single.reset(seed=7), "reset")
    ended = 0
    for step in range(steps):
        masks = np.array([env.unwrapped.action_masks() for env in single.envs])
        actions = (chance.random(masks.shape) * masks).argmax(1)
        if chance.random() < 0.3:
            actions[chance.integers(GAMES)] = chance.integers(ACTIONS)
        result = many.step(actions)
        check_same(result, single.step(actions), f"{step}")
        ended += int(result[2].sum())
        if mode == AutoresetMode.DISABLED and result[2].any():
            over = result[2]
            again = many.reset(options={"reset_mask": over.copy()})
            check_same(again, single.reset(options={"reset_mask": over.copy()}), f"{step} reset")
    many.close()
    return ended


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("rules", PRESETS)
def test_every_slot_is_the_single_environment(mode: AutoresetMode, rules: str) -> None:
    assert play_both(mode, 60, rules=rules) > 10


@pytest.mark.parametrize("opponent", [*POLICY_NAMES, "heuristic:noise=0.3"])
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_so_it_is_against_every_scripted_opponent_at_every_seat(opponent: str, seat: int | str) -> None:
    assert play_both(AutoresetMode.SAME_STEP, 60, opponent=opponent, seat=seat, rules="printed") > 10


@pytest.mark.parametrize("rules", ["house", "mini-7"])
def test_so_it_is_where_forced_moves_happen_by_themselves(rules: str) -> None:
    assert play_both(AutoresetMode.NEXT_STEP, 60, rules=rules, skip_forced=True) > 10


def test_threads_change_nothing() -> None:
    one = UnoVectorEnv(1100, "house", "heuristic", threads=1)
    four = UnoVectorEnv(1100, "house", "heuristic", threads=4)
    result: Any = one.reset(seed=3)
    check_same(result, four.reset(seed=3))
    for _ in range(30):
        actions = result[-1]["action_mask"].argmax(1)
        result = one.step(actions)
        check_same(result, four.step(actions))
    four.close()


def test_what_is_returned_belongs_to_the_caller() -> None:
    env = UnoVectorEnv(4, "mini-9", autoreset_mode="SameStep")
    kept, infos = env.reset(seed=1)
    kept_mask = infos["action_mask"]
    copies = kept.copy(), kept_mask.copy()
    for _ in range(20):
        observations, _, _, _, infos = env.step(infos["action_mask"].argmax(1))
        assert not np.shares_memory(observations, kept)
    assert np.array_equal(kept, copies[0])
    assert np.array_equal(kept_mask, copies[1])


def test_seeds_may_be_given_one_by_one() -> None:
    env, single = UnoVectorEnv(3, "house"), UnoEnv("house")
    observations, _ = env.reset(seed=[4, 9, 4])
    assert np.array_equal(observations[0], observations[2])
    assert np.array_equal(observations[1], single.reset(seed=9)[0])
    again, _ = env.reset(seed=[4, None, 5])
    assert np.array_equal(again[0], observations[0])
    assert np.array_equal(again[1], single.reset()[0])  # goes on as it was seeded
    with pytest.raises(InvalidEnvironment, match="3 slots need that many seeds, not 2"):
        env.reset(seed=[1, 2])


@pytest.mark.parametrize("seed", [-1, [1, 2, -3], [1, 2, 1.5], "abc", 1.5, [4, 5, "6"]])
def test_what_is_no_seed_is_refused_and_changes_nothing(seed: Any) -> None:
    env, other = UnoVectorEnv(3, "house"), UnoVectorEnv(3, "house")
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(InvalidEnvironment, match="a seed is a whole number of at least 0, or None, not "):
        env.reset(seed=seed)
    check_same(env.reset(), other.reset())


def test_seeds_of_any_integer_type_are_the_same_seeds() -> None:
    env = UnoVectorEnv(3, "house")
    wanted = env.reset(seed=5)
    given: tuple[Any, ...] = (np.int64(5), (5, 6, 7), np.array([5, 6, 7]))
    for seed in given:
        check_same(env.reset(seed=seed), wanted)


@pytest.mark.parametrize("games", [4, 600])
def test_copies_and_pickles_go_on_alike(games: int) -> None:
    env = UnoVectorEnv(games, "house", "heuristic", threads=2)
    _, infos = env.reset(seed=3)
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(20):
        actions = infos["action_mask"].argmax(1)
        result = env.step(actions)
        for other in others:
            check_same(other.step(actions), result)
        infos = result[-1]
    for one in (env, *others):
        one.close()


@pytest.mark.parametrize("games", [4, 600])
def test_a_closed_one_is_refused_and_may_be_closed_again(games: int) -> None:
    env = UnoVectorEnv(games, "house", threads=2)
    env.reset(seed=3)
    env.close()
    env.close()
    for use in (env.reset, lambda: env.step(np.zeros(games, int))):
        with pytest.raises(InvalidEnvironment, match="the environment is closed: make another"):
            use()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_seeds_one_by_one_and_masks_of_resets_together_are_those_of_single_ones(mode: AutoresetMode) -> None:
    many, single = both(mode, rules="mini-9", opponent="heuristic")
    check_same(many.reset(seed=[3, None, 5, 6, 7, 8])[0][[0, 2]], single.reset(seed=[3, None, 5, 6, 7, 8])[0][[0, 2]])
    many.reset(seed=9)
    single.reset(seed=9)
    chance = np.random.default_rng(4)
    for _ in range(20):
        mask = chance.random(GAMES) < 0.5
        mask[chance.integers(GAMES)] = True
        seeds = [int(chance.integers(100)) if chance.random() < 0.5 else None for _ in range(GAMES)]
        options = {"reset_mask": mask}
        check_same(many.reset(seed=seeds, options=dict(options)), single.reset(seed=seeds, options=dict(options)))


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_kits_statistics_of_episodes_are_right_around_it(mode: AutoresetMode) -> None:
    env = RecordEpisodeStatistics(UnoVectorEnv(GAMES, "mini-12", autoreset_mode=mode))
    _, infos = env.reset(seed=5)
    steps, fresh, episodes = np.zeros(GAMES, int), np.zeros(GAMES, bool), 0
    for _ in range(60):
        _, rewards, ended, _, infos = env.step(infos["action_mask"].argmax(1))
        steps += ~fresh  # of NextStep: the step after the end deals a new game
        if ended.any():
            told = infos["episode"]
            assert np.array_equal(told["l"], steps * ended)
            assert np.array_equal(told["r"], rewards * ended)
            episodes += int(ended.sum())
        fresh = ended & (mode == AutoresetMode.NEXT_STEP)
        steps[ended] = 0
        if mode == AutoresetMode.DISABLED and ended.any():
            masks = infos["action_mask"]
            _, infos = env.reset(options={"reset_mask": ended.copy()})
            infos["action_mask"] = np.where(ended[:, None], infos["action_mask"], masks)
    assert episodes > 10


def test_other_wrappers_of_the_kit_take_it() -> None:
    for wrapper in (
        NormalizeObservation,
        NormalizeReward,
        FlattenObservation,
        lambda env: RescaleObservation(env, 0, 1),
    ):
        env = wrapper(UnoVectorEnv(5, "mini-9"))
        _, infos = env.reset(seed=2)
        for _ in range(10):
            observations, _, _, _, infos = env.step(infos["action_mask"].argmax(1))
            assert np.isfinite(observations).all()


def test_without_a_seed_games_differ() -> None:
    observations, _ = UnoVectorEnv(50, "house").reset()
    assert len({row.tobytes() for row in observations}) > 45


def test_a_slot_that_is_over_waits_for_its_reset_where_that_is_disabled() -> None:
    env = UnoVectorEnv(2, "house", autoreset_mode="Disabled")
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(1)
    actions[0] = ACTIONS - 1
    observations, _, ended, _, infos = env.step(actions)
    assert ended.tolist() == [True, False]
    with pytest.raises(InvalidEnvironment, match="the episode of slot 0 is over: reset it"):
        env.step(actions)
    after, _ = env.reset(options={"reset_mask": ended})
    assert np.array_equal(after[1], observations[1])


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (np.array([0, 63]), "63 in slot 1 is no action"),
        (np.array([-1, 0]), "-1 in slot 0 is no action"),
        (np.array([0.0, 1.0]), "2 whole numbers are needed, not float64"),
        (np.array([0]), "2 whole numbers are needed, not int64 of shape"),
    ],
)
def test_what_is_no_action_is_refused_and_changes_nothing(actions: Any, words: str) -> None:
    env, other = UnoVectorEnv(2, "mini-9"), UnoVectorEnv(2, "mini-9")
    _, infos = env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(IllegalAction, match=words):
        env.step(actions)
    legal = infos["action_mask"].argmax(1)
    check_same(env.step(legal), other.step(legal))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_envs": 0}, "num_envs: 0 is not a whole number of at least 1"),
        ({"opponent": "flat:sims=5"}, "kernels can't play flat:sims=5: say vectorization_mode='sync'"),
        ({"observation": "champion"}, "say vectorization_mode='sync'"),
        ({"render_mode": "ansi"}, "say vectorization_mode='sync'"),
        ({"seat": "left"}, "there is no seat 'left'"),
        ({"num_envs": 2.5}, "num_envs: 2.5 is not a whole number of at least 1"),
        ({"num_envs": "2"}, "num_envs: '2' is not a whole number of at least 1"),
        ({"num_envs": True}, "num_envs: True is not a whole number of at least 1"),
        ({"threads": -1}, "threads: -1 is not a whole number of at least 0"),
        ({"threads": 1.5}, "threads: 1.5 is not a whole number of at least 0"),
        ({"autoreset_mode": "sometimes"}, "'sometimes': choose one of NextStep, SameStep, Disabled"),
    ],
)
def test_what_there_is_not_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UnoError, match=words):
        UnoVectorEnv(**options)


def test_a_mask_of_resets_that_is_none_is_refused() -> None:
    env = UnoVectorEnv(2, "mini-7")
    with pytest.raises(InvalidEnvironment, match=r"call reset\(\) without a mask first"):
        env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(InvalidEnvironment, match=r"call reset\(\) first"):
        env.step(np.array([0, 0]))
    env.reset(seed=1)
    for mask in (np.array([True]), np.array([1, 0]), np.array([False, False])):
        with pytest.raises(InvalidEnvironment, match="reset_mask has to be 2 booleans of which one is true"):
            env.reset(options={"reset_mask": mask})
