"""POMCP against models that are asked: the same search as in kernels, and best responses to what they do not know."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from tests.pomdp.test_model import Wrapped
from tests.search.test_pomcp import value_at
from uno_pomdp.agents.agent import Budget, Decision, InvalidAgent
from uno_pomdp.agents.tabular import TableModel
from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy, table_of
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import Token, move_of, opening
from uno_pomdp.game.layout import ACTIONS, DRAW, KEEP, SEATS, Observations
from uno_pomdp.game.observation import observation_of
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import Memory, OpponentModel, PolicyModel
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.registry import AgentSpec, make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.search.pomcp.pomcp import Pomcp

SEVEN = preset("mini-7")


def decision_of(
    model: OpponentModel | str,
    game: Game,
    simulations: int,
    seed: int = 1,
    *,
    discount: float = 1.0,
    step_cost: float = 0.0,
) -> Decision:
    process = UnoPOMDP(game.rules, model, seat=game.turn, discount=discount, step_cost=step_cost)
    planner = Pomcp.of(process, Budget(simulations=simulations))
    return planner.consider(game, seed)


# --- the same search -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "deal", "simulations"),
    [("mini-7", 6, 6000), ("mini-7", 3, 6000), ("house", 5, 1500), (PRINTED_PLAIN, 3, 1500)],
)
def test_a_scripted_policy_that_is_asked_gives_the_values_of_the_kernels(
    rules: str, deal: int, simulations: int
) -> None:
    """Two searches with their own chance: actions with a tenth of the simulations within 4.5 standard errors.

    Less than one in 100,000 of such comparisons fails by chance; 0.03 more is for the bias of a tree that grows.
    """
    game = Game.new(rules, deal)
    inside, asked = (decision_of(model, game, simulations) for model in (PolicyModel(GREEDY), Wrapped(GREEDY)))
    found = {one.action: one for one in asked.candidates}
    assert sum(one.visits for one in inside.candidates) == sum(one.visits for one in asked.candidates) == simulations
    compared = 0
    for one in inside.candidates:
        other = found[one.action]
        if min(one.visits, other.visits) < simulations / 10 or one.value is None or other.value is None:
            continue
        error = np.hypot(one.error or 0.0, other.error or 0.0)
        assert abs(one.value - other.value) <= 4.5 * error + 0.03, one.action
        compared += 1
    assert compared >= 1


def test_discount_and_cost_of_steps_are_those_of_the_process() -> None:
    """Values at first choices are those of value iteration, up to what 6,000 simulations leave open."""
    exact = value_iteration(UnoPOMDP(SEVEN, PolicyModel(GREEDY), discount=0.8, step_cost=0.1)).policy
    looked = 0
    for seed in range(6):
        game = Game.new(SEVEN, seed)
        if game.turn != 0 or len(game.legal_actions()) < 2:
            continue
        decision = decision_of(Wrapped(GREEDY), game, 6000, discount=0.8, step_cost=0.1)
        best = max(one.value or 0.0 for one in decision.candidates)
        assert 2 * best - 1 == pytest.approx(value_at(exact, game.observation(0)), abs=0.06)
        looked += 1
    assert looked >= 2


def test_the_same_seed_gives_the_same_decision() -> None:
    game = Game.new(SEVEN, 6)
    one, again, other = (decision_of(Wrapped(GREEDY), game, 200, seed).candidates for seed in (3, 3, 4))
    assert one == again
    assert one != other


# --- memory ----------------------------------------------------------------------------------------------


class Witness(OpponentModel):
    """Plays anything, and remembers all that it was told; asked, it compares that with what it sees."""

    name = "witness"

    def __init__(self) -> None:
        self.asked = 0

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return the size of a hand, and what is seen at the deal."""
        return (rules.hand_size, *opening(observation_of(seen)))

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return all tokens so far."""
        assert isinstance(memory, tuple)
        return (*memory, token)

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Every move takes or gives a card: those of both are as many as the sizes of hands and piles say."""
        assert isinstance(memory, tuple)
        size, tokens = memory[0], memory[1:]
        told = [move_of(token) for token in tokens[2 + size :]]
        own, drawn = observation_of(seen), [card for _, cards in told for card in cards]
        plays = [action for action, _ in told if action not in (DRAW, KEEP)]
        assert len(plays) == len(own.played) - 1
        dealt = np.zeros(54, np.int64)
        for token in tokens[2 : 2 + size]:
            dealt[token & 0xFF] += 1
        for card in drawn:
            dealt[card] += 1
        assert (dealt >= own.hand.array()).all()
        assert dealt.sum() - len(own.hand) <= len(plays)
        self.asked += 1
        result = np.zeros(ACTIONS)
        legal = [action.id for action in own.legal_actions()]
        result[legal] = 1.0 / len(legal)
        return result


@pytest.mark.parametrize("seat", SEATS)
def test_the_model_is_told_every_move_in_the_game_and_in_simulations(seat: int) -> None:
    rules = preset("mini-10")
    witness = Witness()
    planner = Pomcp.of(UnoPOMDP(rules, witness, seat=seat), Budget(simulations=40))
    other = make_agent("random")
    for deal in range(6):
        game = Game.new(rules, deal)
        agents = (planner, other) if seat == 0 else (other, planner)
        for number, agent in enumerate(agents):
            agent.start(rules, game.observation(number), deal)
        while not game.over:
            game.apply(agents[game.turn].decide().action)
            for number, agent in enumerate(agents):
                agent.update(*game.last_step(number))
    assert witness.asked > 60


# --- best responses --------------------------------------------------------------------------------------


def test_its_values_against_an_equilibrium_are_those_of_value_iteration() -> None:
    """First choices against an equilibrium of mini-7, four searches each.

    Worlds come from 1,000 particles, whose values lie between −1 and 1: a standard error of 0.032 at most, 0.016 of the
    four. The bar is four of those: one in 15,000 fails by chance, and the tree has converged to less than the rest.
    """
    tree = build_tree(SEVEN)
    model = TableModel(table_of(tree, solve(tree, target=1e-4).policy, {}))
    exact = value_iteration(UnoPOMDP(SEVEN, model)).policy
    for deal in (1, 3, 6):
        game = Game.new(SEVEN, deal)
        found = [decision_of(model, game, 3000, seed).candidates for seed in range(4)]
        values = [2 * max(one.value or 0.0 for one in candidates) - 1 for candidates in found]
        assert np.mean(values) == pytest.approx(value_at(exact, game.observation(0)), abs=0.064)


MINE = '''
import numpy as np
from uno_pomdp import Agent, Decision

class Policy(Agent):
    """Plays the first legal action three times of four, else any."""

    name = "mine"

    def decide(self):
        return Decision(self.observation.legal_actions()[0])

    def policy(self):
        legal = [action.id for action in self.observation.legal_actions()]
        result = np.zeros(63)
        result[legal] = 0.25 / len(legal)
        result[legal[0]] += 0.75
        return result
'''


def test_an_agent_of_ones_own_and_the_champion_can_be_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    game = Game.new(SEVEN, 6)
    asked = make_agent("pomcp:sims=300,model=py:mine.Policy").consider(game)
    assert asked.simulations == 300
    assert AgentSpec.parse("pomcp:model=py:mine.Policy").reads == (Path("mine.py"),)
    house = Game.new(preset("house"), 5)
    assert make_agent("pomcp:sims=8,model=champion").consider(house).simulations == 8
    monkeypatch.delitem(sys.modules, "mine", raising=False)


def test_what_a_model_can_not_play_is_refused_before_the_game(tmp_path: Path) -> None:
    tree = build_tree(SEVEN)
    table_of(tree, scripted_policy(tree, RANDOM), {}).save(tmp_path / "both.npz")
    value_iteration(UnoPOMDP(SEVEN, "greedy")).policy.save(tmp_path / "first.npz")
    with pytest.raises(InvalidAgent, match="the policy is for the rules mini-7, not house"):
        make_agent(f"pomcp:model=policy:file={tmp_path}/both.npz").check_game(preset("house"))
    planner = make_agent(f"pomcp:model=policy:file={tmp_path}/first.npz")  # which plays player 1
    planner.check_game(SEVEN, 1)
    planner.check_game(SEVEN)
    with pytest.raises(InvalidAgent, match="the policy says nothing about the choices of player 2"):
        planner.check_game(SEVEN, 0)
    with pytest.raises(InvalidAgent, match=r"flat:ms=1 does not state its policy"):
        make_agent("pomcp:model=flat:ms=1")
    with pytest.raises(InvalidAgent, match="champion remembers the game, so that its worlds are particles"):
        make_agent("pomcp:model=champion,belief=closed").check_game(preset("house"))
    make_agent("pomcp:model=champion,belief=particles,particles=50").check_game(preset("house"))
