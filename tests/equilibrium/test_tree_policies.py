"""Agents become policies of a tree, and policies of a tree become agents."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.equilibrium.games import GAMES, tree_of
from uno_pomdp.agents.agent import Agent, InvalidAgent
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.agents.tabular import TabularAgent, load_policy
from uno_pomdp.arena.match import Match, play_game
from uno_pomdp.cards import colour_of
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.sequence_form import InvalidPolicy, exploitability, uniform_policy, value_of
from uno_pomdp.equilibrium.tree_policies import policy_of, policy_of_table, scripted_policy, table_of
from uno_pomdp.errors import UnusableFile
from uno_pomdp.game.deal import Deal, Midgame
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import UnknownHistory
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.testing import check_agent


class Slow(ScriptedAgent):
    """A scripted agent that no kernel knows."""


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("mini-7", BASELINE),
        *(("copies", policy) for policy in range(4)),
        *((name, HEURISTIC) for name in ("challenge, few", "first card", "until playable", "swap, stack")),
    ],
)
def test_kernels_say_what_the_agents_say(name: str, policy: int) -> None:
    tree = tree_of(name)
    asked = policy_of(tree, lambda: Slow(policy))
    assert np.array_equal(asked, policy_of(tree, lambda: ScriptedAgent(policy)))
    assert np.array_equal(asked, scripted_policy(tree, policy))


def test_an_agent_that_only_plays_is_refused() -> None:
    with pytest.raises(InvalidPolicy, match="flat:sims=10 has no policy in closed form: it can only be measured"):
        policy_of(tree_of("mini-7"), lambda: make_agent("flat:sims=10"))


# --- files and agents ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of an equilibrium of mini-7."""
    tree = tree_of("mini-7")
    solution = solve(tree, target=1e-5)
    path = tmp_path_factory.mktemp("policies") / "mini-7.npz"
    table_of(tree, solution.policy, {"solver": solution.variant, "iterations": solution.iterations}).save(path)
    return path


def test_a_policy_comes_back_from_its_file(file: Path) -> None:
    tree = tree_of("mini-7")
    table = load_policy(file)
    assert table.rules == preset("mini-7")
    assert table.about == {"solver": "pcfr+", "iterations": 25}
    policy = policy_of(tree, lambda: make_agent(f"policy:file={file}"))
    assert exploitability(tree, policy).exploitability < 1e-5
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_the_agent_says_its_policy_at_every_information_set(file: Path) -> None:
    class Asked(TabularAgent):
        """Not known to `policy_of`: it is led to every information set."""

    table = load_policy(file)
    assert np.array_equal(policy_of(tree_of("mini-7"), lambda: Asked(table)), table.probability)


def test_the_agent_refuses_what_is_in_no_tree(file: Path) -> None:
    agent, deal = make_agent(f"policy:file={file}"), Game.new("mini-7", 1).deal
    middle = Deal(deal.top, deal.hands, deal.pile, Midgame(colour_of(deal.top) or 0, turn=1))
    with pytest.raises(UnknownHistory, match="is for games from the deal, and this one begins in the middle"):
        agent.consider(Game.from_deal(preset("mini-7"), middle))
    game = next(game for seed in range(99) if len((game := one_played(seed)).hand(0)) == 1 and game.turn == 1)
    game.forget_uno(0)
    with pytest.raises(UnknownHistory, match="this history is in no game of these rules"):
        agent.consider(game)


def one_played(seed: int) -> Game:
    """Return a game of mini-7 after its first move."""
    game = Game.new("mini-7", seed)
    game.apply(game.legal_actions()[0])
    return game


def test_the_agent_conforms(file: Path) -> None:
    check_agent(lambda: make_agent(f"policy:file={file}"), preset("mini-7"), games=20, seed=1)


def test_the_agent_earns_its_value_in_games(file: Path) -> None:
    # 400 pairs: the standard error of the mean result is below 1/√800 = 0.036; a miss by 4.5 of them has p < 1e-5
    tree = tree_of("mini-7")
    names = f"policy:file={file}", "baseline"
    points = Match(preset("mini-7"), names, pairs=400, seed=5).play(np.arange(400))["points"].astype(float)
    half = scripted_policy(tree, BASELINE)
    first, second = (load_policy(file).probability.copy() for _ in range(2))
    first[tree.sequence_start[1] :] = half[tree.sequence_start[1] :]
    second[: tree.sequence_start[1]] = half[: tree.sequence_start[1]]
    wanted = (value_of(tree, first) - value_of(tree, second)) / 2
    assert (points - 1).mean() == pytest.approx(wanted, abs=4.5 * 0.036)


def test_other_rules_are_refused(file: Path) -> None:
    agents: tuple[Agent, Agent] = make_agent(f"policy:file={file}"), make_agent("random")
    with pytest.raises(InvalidAgent, match="the policy is for the rules mini-7, not mini-9"):
        play_game(preset("mini-9"), 1, agents, (1, 2))
    with pytest.raises(InvalidPolicy, match="the policy is for the rules mini-7, not custom"):
        policy_of_table(tree_of("copies"), load_policy(file))


def test_a_history_that_the_table_does_not_know_is_an_error_and_no_fallback(file: Path) -> None:
    whole = load_policy(file)
    silent = replace(whole, set_of=np.full_like(whole.set_of, -1))
    agents: tuple[Agent, Agent] = TabularAgent(silent), make_agent("random")
    with pytest.raises(InvalidAgent, match="the policy says nothing about the choices of player 1"):
        [play_game(preset("mini-7"), seed, agents, (1, 2)) for seed in range(20)]
    with pytest.raises(UnknownHistory, match="the policy says nothing here"):
        silent.row(3)


def rewritten(file: Path, folder: Path, **changes: Any) -> Path:
    """Return a copy of a policy file with some of its arrays replaced."""
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive.files} | changes
    path = folder / "other.npz"
    np.savez(path, **arrays)
    return path


def header(file: Path, **changes: Any) -> Any:
    with np.load(file) as archive:
        return np.array(json.dumps(json.loads(str(archive["header"])) | changes))


def test_a_policy_whose_header_names_fewer_fields_of_rules_is_for_the_same_rules(file: Path, tmp_path: Path) -> None:
    fields = preset("mini-7").to_json()
    for name in ("stack", "first_card", "swap"):
        del fields[name]
    assert load_policy(rewritten(file, tmp_path, header=header(file, rules=fields))).rules == preset("mini-7")


def test_files_that_are_no_policies_are_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="can't be read: No such file"):
        load_policy(tmp_path / "nothing.npz")
    text = tmp_path / "text.npz"
    text.write_text("no policy", encoding="utf-8")
    with pytest.raises(UnusableFile, match="is no policy file"):
        load_policy(text)
    with pytest.raises(UnusableFile, match="its header does not say"):
        load_policy(rewritten(file, tmp_path, header=header(file, format="else")))
    with pytest.raises(UnusableFile, match="is of version 2, but only version 1 is read"):
        load_policy(rewritten(file, tmp_path, header=header(file, version=2)))
    with pytest.raises(UnusableFile, match="is damaged: rules have the fields deck, hand_size"):
        load_policy(rewritten(file, tmp_path, header=header(file, rules={"deck": "R0"})))
    with pytest.raises(InvalidAgent, match="policy plays a policy from a file: write policy:file=PATH"):
        make_agent("policy")


@pytest.mark.parametrize("change", [-0.3, -1e-6, 1e-6, 0.3, float("nan")])
def test_probabilities_that_do_not_add_up_to_one_are_refused(file: Path, tmp_path: Path, change: float) -> None:
    """More than one or less, by much or by little, in the first information set or in the last."""
    with np.load(file) as archive:
        sound = archive["probability"]
    held = np.flatnonzero((sound > 0.4) & (sound < 1.0))
    for place in (held[0], held[-1]):
        chances = sound.copy()
        chances[place] += change
        with pytest.raises(UnusableFile, match="is damaged: its arrays do not fit together"):
            load_policy(rewritten(file, tmp_path, probability=chances))
    load_policy(rewritten(file, tmp_path, probability=sound))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_file_with_values_that_are_not_finite_is_refused(file: Path, tmp_path: Path, wrong: float) -> None:
    sets = len(load_policy(file).first)
    assert load_policy(rewritten(file, tmp_path, value=np.zeros(sets))).value is not None
    with pytest.raises(UnusableFile, match="is damaged: its arrays do not fit together"):
        load_policy(rewritten(file, tmp_path, value=np.full(sets, wrong)))


@pytest.mark.parametrize("name", ["parent", "set_of", "first", "end", "action", "probability"])
def test_damaged_files_are_refused(file: Path, tmp_path: Path, name: str) -> None:
    with np.load(file) as archive:
        array = archive[name]
    middle = len(array) // 2
    array[middle] = 0.5 * array[middle] + 0.3 if name == "probability" else min(np.iinfo(array.dtype).max, 10**6)
    for damaged in (array, array[:-1], array.astype(np.float32)):
        with pytest.raises(UnusableFile, match="is damaged: its arrays do not fit together"):
            load_policy(rewritten(file, tmp_path, **{name: damaged}))


def test_a_table_is_made_of_a_policy_alone() -> None:
    tree = tree_of("copies")
    with pytest.raises(InvalidPolicy, match="add up to"):
        table_of(tree, 2 * uniform_policy(tree), {})
    assert table_of(tree, uniform_policy(tree), {}).rules == GAMES["copies"]
