"""PettingZoo's own tests pass for all rules, and what they do not ask: rewards, masks, illegal actions, pictures."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from tests.test_docs import blocks, output_of, page
from uno_pomdp.adapters import pettingzoo
from uno_pomdp.adapters.views import InvalidEnvironment
from uno_pomdp.errors import IllegalAction, InvalidAgent, UnoError
from uno_pomdp.game.layout import ACTIONS, DRAW
from uno_pomdp.nets.policy_features import FEATURES
from uno_pomdp.rules import PRESETS

CUSTOM = ("mini-9,hand_size=3,skip=pass", "house,stack=same,draw=optional", "mini-7,deck=R0 R1 R2 Y0 Y1 Y2 W W")


@pytest.mark.parametrize("rules", [*PRESETS, *CUSTOM])
def test_the_kits_tests_pass_without_a_warning(rules: str) -> None:
    api_test(pettingzoo.env(rules=rules), num_cycles=100)
    seed_test(lambda: pettingzoo.env(rules=rules))


@pytest.mark.parametrize("rules", ["house", "mini-12"])
def test_they_pass_with_the_champions_encoding_too(rules: str) -> None:
    api_test(pettingzoo.env(rules=rules, observation="champion"), num_cycles=50)
    seed_test(lambda: pettingzoo.env(rules=rules, observation="champion"))


def played(env: Any, seed: int) -> list[tuple[Any, ...]]:
    """Play a game by chance; return what was told at each step."""
    env.reset(seed=seed)
    chance = np.random.default_rng(seed)
    told = []
    for agent in env.agent_iter():
        observation, reward, ended, cut, info = env.last()
        told.append((agent, observation, reward, ended, cut, info["action_mask"]))
        env.step(None if ended else int(chance.choice(np.flatnonzero(info["action_mask"]))))
    return told


@pytest.mark.parametrize("observation", ["counts", "champion"])
def test_a_game_ends_with_1_for_the_winner_and_minus_1_for_the_other(observation: str) -> None:
    env = pettingzoo.env(rules="mini-9", observation=observation)
    drawn = 0
    for seed in range(40):
        told = played(env, seed)
        ends = {agent: reward for agent, _, reward, ended, _, _ in told if ended}
        outcome = env.unwrapped.game.outcome
        assert ends == {agent: outcome.result(seat) for seat, agent in enumerate(pettingzoo.AGENTS)}
        assert all(reward == 0.0 for _, _, reward, ended, _, _ in told if not ended)
        assert not any(cut for _, _, _, _, cut, _ in told)
        drawn += outcome.winner is None
    assert 0 < drawn < 40


@pytest.mark.parametrize("rules", ["house", "printed"])
def test_masks_are_the_legal_actions_of_who_is_to_move(rules: str) -> None:
    env = pettingzoo.env(rules=rules)
    env.reset(seed=4)
    for agent in env.agent_iter():
        game, (_, _, ended, _, info) = env.unwrapped.game, env.last()
        if ended:
            assert np.flatnonzero(info["action_mask"]).tolist() == [DRAW]  # TorchRL can't sample from an empty one
            env.step(None)
            continue
        assert info["action_mask"].dtype == np.int8
        assert np.flatnonzero(info["action_mask"]).tolist() == [action.id for action in game.legal_actions()]
        assert not env.infos[pettingzoo.AGENTS[1 - game.turn]]["action_mask"].any()
        assert agent == pettingzoo.AGENTS[game.turn]
        env.step(np.flatnonzero(info["action_mask"])[-1])


def test_with_the_champions_encoding_actions_have_their_colours_by_place() -> None:
    env = pettingzoo.env(rules="house", observation="champion")
    env.reset(seed=9)
    renamed = 0
    for _ in range(60):
        observation, _, ended, _, info = env.last()
        if ended:
            break
        game, mask = env.unwrapped.game, info["action_mask"]
        assert np.array_equal(observation[162:224], mask[:62])
        true = {action.id for action in game.legal_actions()}
        assert mask.sum() == len(true)
        renamed += set(np.flatnonzero(mask).tolist()) != true
        chosen = int(np.flatnonzero(mask)[0])
        before = len(game.moves)
        active = game.observation(game.turn).colour
        env.step(chosen)
        action = game.moves[before].action
        assert action.id in true
        if chosen < 13:  # the first place is the active colour
            assert action.colour == active
    assert renamed > 5


def test_an_illegal_action_loses_the_game() -> None:
    env = pettingzoo.env(rules="mini-7")
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(int(np.flatnonzero(env.infos[loser]["action_mask"] == 0)[0]))
    other = next(agent for agent in pettingzoo.AGENTS if agent != loser)
    assert env.rewards == {loser: -1.0, other: 1.0}
    assert all(env.terminations.values())
    assert env.infos[loser]["illegal_action"]
    assert "illegal_action" not in env.infos[other]
    for _ in env.agent_iter():
        env.step(None)
    assert not env.agents


@pytest.mark.parametrize("action", [-1, ACTIONS, 2.5, None, "draw"])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = pettingzoo.raw_env(rules="mini-7")
    env.reset(seed=1)
    with pytest.raises(IllegalAction, match="is no action: give a whole number from 0 to 62"):
        env.step(action)
    checked = pettingzoo.env(rules="mini-7")
    checked.reset(seed=1)
    with pytest.raises(AssertionError, match="action is not in action space"):
        checked.step(action)


def test_a_seed_gives_the_same_games_and_another_seed_others() -> None:
    first, second = pettingzoo.env(rules="house"), pettingzoo.env(rules="house")
    deals = []
    for env in (first, second):
        env.reset(seed=11)
        one = env.unwrapped.game.deal
        env.reset()
        deals.append((one, env.unwrapped.game.deal))
    assert deals[0] == deals[1]
    assert deals[0][0] != deals[0][1]
    first.reset(seed=12)
    assert first.unwrapped.game.deal not in deals[0]


def test_a_game_is_shown_as_text_and_as_a_picture() -> None:
    text = pettingzoo.env(rules="mini-7", render_mode="ansi")
    text.reset(seed=1)
    shown = text.render()
    game = text.unwrapped.game
    assert [line.partition(":")[0] for line in shown.splitlines()[:2]] == ["player 1", "player 2"]
    assert all(str(game.hand(seat)) in shown for seat in range(2))
    picture = pettingzoo.env(rules="mini-7", render_mode="svg")
    picture.reset(seed=1)
    assert picture.render() == game._repr_svg_()
    silent = pettingzoo.env(rules="mini-7")
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="name a mode"):
        assert silent.render() is None


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rules": "hose"}, UnoError, "no rules are called 'hose'"),
        ({"observation": "pixels"}, UnoError, "choose one of counts, champion"),
        ({"render_mode": "human"}, UnoError, "choose one of ansi, svg, or None"),
        ({"rules": "printed", "observation": "champion"}, InvalidAgent, "does not know the rules"),
    ],
)
def test_what_there_is_not_is_refused(options: dict[str, str], error: type[UnoError], words: str) -> None:
    with pytest.raises(error, match=words):
        pettingzoo.env(**options)


def test_it_can_be_pickled() -> None:
    env = pickle.loads(pickle.dumps(pettingzoo.env(rules="mini-9", observation="champion")))
    env.reset(seed=1)
    assert env.last()[0].shape == (FEATURES,)


@pytest.mark.parametrize("observation", ["counts", "champion"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_in_the_middle_of_a_game_goes_on_alike(copied: Any, observation: str) -> None:
    env = pettingzoo.env(rules="mini-12", observation=observation)
    env.reset(seed=3)
    env.step(int(np.flatnonzero(env.last()[4]["action_mask"])[0]))
    other = copied(env)
    assert other.unwrapped.game is not env.unwrapped.game
    while env.agents:
        (seen, reward, ended, _, info), (same, *_) = env.last(), other.last()
        assert np.array_equal(seen, same)
        action = None if ended else int(np.flatnonzero(info["action_mask"])[-1])
        env.step(action)
        other.step(action)
    assert not other.agents
    assert reward == other.unwrapped.rewards.get(env.agent_selection, reward)
    env.reset()
    other.reset()
    assert env.unwrapped.game == other.unwrapped.game


def test_two_environments_do_not_disturb_each_other() -> None:
    alone = played(pettingzoo.env(rules="house"), 4)
    first, second = pettingzoo.env(rules="house"), pettingzoo.env(rules="printed")
    first.reset(seed=4)
    second.reset(seed=5)
    chance, other = np.random.default_rng(4), np.random.default_rng(8)
    for agent, observation, reward, ended, _, mask in alone:
        seen, got, over, _, info = first.last()
        assert (first.agent_selection, got, over) == (agent, reward, ended)
        assert np.array_equal(seen, observation)
        assert np.array_equal(info["action_mask"], mask)
        first.step(None if ended else int(chance.choice(np.flatnonzero(mask))))
        if not any(second.terminations.values()):
            second.step(int(other.choice(np.flatnonzero(second.last()[4]["action_mask"]))))


def test_before_the_first_reset_it_says_what_to_do() -> None:
    env = pettingzoo.raw_env(rules="mini-7", render_mode="ansi")
    for use in (env.render, lambda: env.observe("player_0"), lambda: env.step(0), lambda: env.game):
        with pytest.raises(InvalidEnvironment, match=r"no game is dealt: call reset\(\) first"):
            use()


def test_only_its_two_agents_are_known() -> None:
    env = pettingzoo.raw_env(rules="mini-7")
    env.reset(seed=1)
    with pytest.raises(InvalidEnvironment, match="no agent is called 'nobody': choose player_0 or player_1"):
        env.observe("nobody")


def test_a_game_that_an_illegal_action_has_ended_is_shown_so() -> None:
    env = pettingzoo.env(rules="mini-7", render_mode="ansi")
    env.reset(seed=1)
    assert env.render().endswith(": player 1 to move\n")
    env.step(int(np.flatnonzero(env.infos["player_0"]["action_mask"] == 0)[0]))
    assert env.render().endswith(": player 2 wins (illegal action)\n")
    env.reset()
    assert env.render().endswith(": player 1 to move\n")  # which is another game


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    *shown, result = output_of(blocks(page("docs/pettingzoo.md"), "python")[0], capsys)
    assert shown[0].startswith("player 1: ")
    assert result in ("player_0 wins", "player_1 wins")


def test_what_an_agent_has_been_paid_is_not_paid_again() -> None:
    """`last` tells the rewards since the agent's own last step: that of a game is 0 before its end."""
    env = pettingzoo.raw_env(rules="house")
    env.reset(seed=1)
    agent = env.agent_selection
    env._cumulative_rewards = dict.fromkeys(pettingzoo.AGENTS, 0.5)
    env.step(int(np.flatnonzero(env.infos[agent]["action_mask"])[0]))
    (other,) = set(pettingzoo.AGENTS) - {agent}
    assert env._cumulative_rewards == {agent: 0.0, other: 0.5}
