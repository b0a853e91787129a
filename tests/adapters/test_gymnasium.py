"""Gymnasium's own checks pass for all rules, and what they do not ask: opponents, seats, masks, illegal actions."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import NormalizeObservation, RecordEpisodeStatistics, TimeLimit

import uno_pomdp.adapters.gymnasium
from tests.agents.peeking import Peeking
from tests.test_docs import blocks, output_of, page
from uno_pomdp.adapters.gymnasium import NAME, UnoEnv
from uno_pomdp.adapters.gymnasium_vector import UnoVectorEnv
from uno_pomdp.adapters.views import InvalidEnvironment
from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.errors import IllegalAction, UnoError
from uno_pomdp.game.layout import ACTIONS, DRAW
from uno_pomdp.rules import PRESETS


@pytest.mark.parametrize("rules", PRESETS)
def test_the_kits_check_passes_without_a_warning(rules: str) -> None:
    check_env(gymnasium.make(NAME, rules=rules).unwrapped)


def test_it_passes_with_the_champions_encoding_and_an_agent_that_searches() -> None:
    env = gymnasium.make(NAME, rules="mini-9", observation="champion", opponent="flat:sims=20", seat=1)
    check_env(env.unwrapped)


def episode(env: Any, seed: int | None = None) -> tuple[float, int, list[Any]]:
    """Play an episode by chance; return its reward, its steps and what was seen."""
    observation, info = env.reset(seed=seed)
    chance, seen = np.random.default_rng(seed), [observation]
    while True:
        action = chance.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, ended, cut, info = env.step(action)
        seen.append(observation)
        assert not cut
        if ended:
            return reward, len(seen) - 1, seen
        assert reward == 0.0


def test_nothing_that_an_opponent_is_handed_shows_it_the_deal() -> None:
    Peeking.found.clear()
    env = UnoEnv(opponent=Peeking())
    for seed in range(4):
        env.reset(seed=seed)
    assert Peeking.found == [False] * 4


class FirstChoice(Agent):
    """Takes the first legal action."""

    name = "first"

    def decide(self) -> Decision:
        """Return it."""
        return Decision(self.observation.legal_actions()[0])


@pytest.mark.parametrize("opponent", ["random", "greedy", "heuristic:noise=0.5", "flat:sims=10", FirstChoice()])
@pytest.mark.parametrize("seat", [0, 1])
def test_any_agent_sits_opposite(opponent: str | Agent, seat: int) -> None:
    env = UnoEnv("mini-9", opponent, seat)
    for seed in range(3):
        reward, _, _ = episode(env, seed)
        outcome = env.game.outcome
        assert outcome is not None
        assert reward == outcome.result(seat)
    assert env.seat == seat


def test_an_agent_as_the_opponent_is_asked_for_its_own_seat_alone() -> None:
    env = UnoEnv("house", FirstChoice(), seat=1)
    env.reset(seed=2)
    first = env.game.moves[0]
    assert first.seat == 0
    assert first.action == env.game.earlier(len(env.game.moves)).legal_actions()[0]


def test_both_seats_are_played_if_none_is_named() -> None:
    env = gymnasium.make(NAME, rules="mini-7")
    env.reset(seed=1)
    seats = [env.reset()[1]["seat"] for _ in range(200)]
    assert 60 < sum(seats) < 140  # of 200 fair coins that fails once in 10⁸ seeds


def test_masks_are_what_is_legal_and_never_empty() -> None:
    env = gymnasium.make(NAME, rules="mini-7", seat=1)
    over_at_once = 0
    for seed in range(60):
        _, info = env.reset(seed=seed)
        game, ended = env.unwrapped.game, False
        over_at_once += game.over
        while not ended:
            legal = [action.id for action in game.legal_actions()] or [DRAW]
            assert np.flatnonzero(info["action_mask"]).tolist() == legal
            assert info["action_mask"].dtype == np.int8
            masks = env.unwrapped.action_masks()
            assert masks.dtype == np.bool_
            assert np.array_equal(masks, info["action_mask"])
            _, reward, ended, _, info = env.step(legal[-1])
        assert np.flatnonzero(info["action_mask"]).tolist() == [DRAW]
        assert reward == game.outcome.result(1)
    assert over_at_once > 0  # the opponent began with a skip and its last card


def test_an_illegal_action_ends_the_episode_with_minus_1() -> None:
    env = gymnasium.make(NAME, rules="house")
    before, info = env.reset(seed=3)
    assert not info["illegal_action"]
    after, reward, ended, cut, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert (reward, ended, cut) == (-1.0, True, False)
    assert info["illegal_action"]
    assert np.array_equal(before, after)
    assert not env.reset()[1]["illegal_action"]


@pytest.mark.parametrize("action", [-1, ACTIONS, 0.5, None, "draw", float("nan"), np.array([1, 2]), np.array([])])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = UnoEnv("mini-7")
    env.reset(seed=1)
    with pytest.raises(IllegalAction, match="is no action: give a whole number from 0 to 62"):
        env.step(action)


def test_forced_moves_happen_by_themselves_if_asked_to() -> None:
    asked, skipped = UnoEnv("house"), UnoEnv("house", skip_forced=True)
    steps, fewer = 0, 0
    for seed in range(10):
        steps += episode(asked, seed)[1]
        _, info = skipped.reset(seed=seed)
        assert skipped.game.deal == asked.game.deal
        ended = False
        while not ended:
            assert info["action_mask"].sum() > 1 or skipped.game.over
            action = int(np.flatnonzero(info["action_mask"])[0])
            _, _, ended, _, info = skipped.step(action)
            fewer += 1
    assert fewer < steps


def test_the_same_seed_gives_the_same_episodes() -> None:
    first, second = UnoEnv("printed", "heuristic"), UnoEnv("printed", "heuristic")
    for seed in (5, None, None):
        one, two = episode(first, seed), episode(second, seed)
        if seed is not None:
            assert one[:2] == two[:2]
            assert all(np.array_equal(a, b) for a, b in zip(one[2], two[2], strict=True))
        assert first.game.deal == second.game.deal


def test_the_seat_sees_itself_alone_when_it_is_shown() -> None:
    text = gymnasium.make(NAME, rules="house", render_mode="ansi", seat=1)
    text.reset(seed=1)
    game = text.unwrapped.game
    assert text.render() == f"{game.observation(1)}\n"
    assert str(game.hand(0)) not in text.render()
    picture = gymnasium.make(NAME, rules="house", render_mode="svg", seat=1)
    picture.reset(seed=1)
    assert picture.render() == game.observation(1)._repr_svg_()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rules": "hose"}, "no rules are called 'hose'"),
        ({"opponent": "nobody"}, "no agent is called 'nobody'"),
        ({"seat": 2}, "give 0 .who begins., 1 or 'random'"),
        ({"observation": "pixels"}, "choose one of counts, champion"),
        ({"render_mode": "human"}, "choose one of ansi, svg, or None"),
        ({"rules": "party", "observation": "champion"}, "does not know the rules"),
        ({"rules": None}, "rules are a text such as 'house', or Rules, not None"),
        ({"rules": 3}, "rules are a text such as 'house', or Rules, not 3"),
        ({"opponent": 3}, "an opponent is a text such as 'heuristic', or an Agent, not 3"),
        ({"opponent": None}, "an opponent is a text such as 'heuristic', or an Agent, not None"),
        ({"opponent": FirstChoice}, "an opponent is a text such as 'heuristic', or an Agent, not <class"),
    ],
)
def test_what_there_is_not_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UnoError, match=words) as refused:
        UnoEnv(**options)
    assert "\n" not in str(refused.value)
    if not options.keys() & {"observation", "render_mode"}:  # of which the other has one value alone
        with pytest.raises(UnoError, match=words):
            UnoVectorEnv(**options)


def test_made_by_name_what_there_is_not_gets_the_same_sentence() -> None:
    for make in (gymnasium.make, lambda name, **options: gymnasium.make_vec(name, num_envs=2, **options)):
        with pytest.raises(UnoError, match=r"^no rules are called 'hose': choose one of house, "):
            make(NAME, rules="hose")
        with pytest.raises(UnoError, match=r"^no agent is called 'nobody': choose one of random, "):
            make(NAME, opponent="nobody")


def test_steps_out_of_order_are_refused() -> None:
    env = UnoEnv("mini-7")
    with pytest.raises(InvalidEnvironment, match=r"call reset\(\) first"):
        env.step(0)
    with pytest.raises(InvalidEnvironment, match=r"call reset\(\) first"):
        env.action_masks()
    env.reset(seed=1)
    env.step(ACTIONS - 1)
    with pytest.raises(InvalidEnvironment, match=r"call reset\(\) before"):
        env.step(0)


@pytest.mark.parametrize("opponent", ["heuristic", "flat:sims=5"])
@pytest.mark.parametrize("observation", ["counts", "champion"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_in_the_middle_of_a_game_goes_on_alike(
    copied: Callable[[UnoEnv], UnoEnv], observation: str, opponent: str
) -> None:
    env = UnoEnv("mini-12", opponent, observation=observation)
    _, info = env.reset(seed=6)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    other = copied(env)
    for _ in range(60):
        if env.game.over:
            first, second = env.reset()[0], other.reset()[0]
        else:
            action = int(np.flatnonzero(env.action_masks())[-1])
            (first, reward, *_), (second, same, *_) = env.step(action), other.step(action)
            assert reward == same
        assert np.array_equal(first, second)
    assert env.game == other.game


def test_wrappers_of_the_kit_take_it() -> None:
    for wrapper in (NormalizeObservation, RecordEpisodeStatistics, lambda env: TimeLimit(env, 3)):
        env = wrapper(gymnasium.make(NAME, rules="mini-9", seat=0))
        _, info = env.reset(seed=2)
        for _ in range(3):
            observation, _, ended, cut, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
            assert np.isfinite(observation).all()
            if ended or cut:
                break
    assert cut or ended


def test_it_says_what_it_is() -> None:
    assert repr(UnoEnv("mini-9", "flat:sims=5", 1)) == "<UnoEnv: mini-9, seat 1 against flat:sims=5>"
    assert repr(UnoEnv(opponent=FirstChoice())) == "<UnoEnv: house, seat random against first>"


def test_the_first_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    single, many = output_of(blocks(page("docs/gymnasium.md"), "python")[0], capsys)
    assert single in ("won", "lost")
    share = float(many.split()[0])
    assert 40.0 < share < 60.0  # random against random: 8 standard errors


def test_the_module_registers_the_name() -> None:
    assert gymnasium.spec(NAME).vector_entry_point is not None
    assert uno_pomdp.adapters.gymnasium.NAME == "uno_pomdp/Uno-v0"
