"""POMCP plans for one seat: its tree follows the game, its particles fit, its play nears a best response."""

from copy import deepcopy
from typing import Any
from unittest import mock

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN, SMALL_RULES, record_bytes, start
from uno_pomdp.agents.agent import Budget, InvalidAgent
from uno_pomdp.agents.tabular import PolicyTable
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.equilibrium.sequence_form import exploitability
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import EMPTY, child_of, find, find_child, opening
from uno_pomdp.game.layout import SEATS, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.search.pomcp.history_tree import CHOSE, DECIDES, NONE, SimulationModel, new_tree, return_after, select
from uno_pomdp.search.pomcp.pomcp import Pomcp


def play(rules_name: str, seed: int, planner: Pomcp) -> list[tuple[int, int]]:
    """Let a planner play against greedy; return the visits that its root had before and after each decision."""
    rules = Rules.parse(rules_name)
    game = Game.new(rules, seed)
    agents = [planner, make_agent("greedy")]
    for seat in SEATS:
        agents[seat].start(rules, game.observation(seat), seed)
    found = []
    while not game.over:
        mover = game.turn
        searching = mover == 0 and len(game.legal_actions()) > 1
        before = visits(planner) if searching else 0
        decision = agents[mover].decide()
        if searching:
            found.append((before, visits(planner)))
            through = sum(candidate.visits for candidate in decision.candidates)
            assert through == found[-1][1] - (before > 0)  # the first visit of a new history goes no further
        len(game.moves)
        game.apply(decision.action)
        for seat in SEATS:
            agents[seat].update(*game.last_step(seat))
        if not game.over and game.turn == 0 and len(game.legal_actions()) > 1:
            check_particles(planner, game)
    return found


def visits(planner: Pomcp) -> int:
    """Return the simulations that came to the decision at hand."""
    node = find_child(planner._histories, planner._root, DECIDES) if planner._root != NONE else NONE
    return int(planner._counts.visits[node]) if node else 0


def check_particles(planner: Pomcp, game: Game) -> None:
    """Every particle at the present history looks like the game to the planner."""
    used = int(planner._kept.used[0])
    node = find_child(planner._histories, planner._root, DECIDES) if planner._root != NONE else NONE
    seen = game.observation(0)
    hand, played, unseen = seen.hand.array(), seen.played.array(), seen.unseen(game.rules).array()
    for world in planner._kept.worlds[:used][planner._kept.node[:used] == node] if node else []:
        assert (world["hand"][0] == hand).all()
        assert (world["hand_size"][1], world["draw_size"]) == (seen.opponent_size, seen.draw_size)
        assert (world["top"], world["colour"], world["turn"]) == (seen.top, seen.colour, seen.turn)
        assert (np.bincount(world["played"][: world["played_size"]], minlength=54) == played).all()
        pile = np.bincount(world["draw_pile"][: world["draw_size"]], minlength=54)
        assert (world["hand"][1] + pile == unseen).all()


@pytest.mark.parametrize(("rules_name", "games"), [("pass", 4), ("house", 6), (PRINTED_PLAIN, 3)])
def test_the_tree_is_kept_between_moves_and_its_particles_fit_the_game(rules_name: str, games: int) -> None:
    inherited = 0
    for seed in range(games):
        found = play(rules_name, seed, Pomcp(Budget(simulations=400), model=GREEDY))
        assert all(after == before + 400 for before, after in found)
        inherited += sum(before > 0 for before, _ in found)
    assert inherited > 2


@pytest.mark.parametrize("rules", [str(rules) for rules in SMALL_RULES.values()], ids=SMALL_RULES)
def test_simulations_are_told_what_the_game_tells_under_all_rules(rules: str) -> None:
    found = [each for seed in range(3) for each in play(rules, seed, Pomcp(Budget(simulations=400)))]
    assert sum(before > 0 for before, _ in found) > len(found) // 10


def test_simulations_begin_in_the_worlds_that_came_to_the_decision_and_only_what_is_missing_is_drawn() -> None:
    """At each later decision: first its particles, in the order in which they were kept, then worlds of the belief."""
    used = 0
    for seed in range(3):
        rules, planner = preset("house"), Pomcp(Budget(simulations=300), model=GREEDY)
        game = Game.new(rules, seed)
        agents = [planner, make_agent("greedy")]
        for seat in SEATS:
            agents[seat].start(rules, game.observation(seat), seed)
        while not game.over:
            if game.turn == 0 and len(game.legal_actions()) > 1:
                kept, (simulated, drawn) = particles_of(planner), worlds_searched(planner)
                assert simulated[: len(kept)] == kept[:300]
                assert simulated[len(kept) :] == drawn
                assert len(simulated) == 300
                used += len(kept) > 0
            len(game.moves)
            game.apply(agents[game.turn].decide().action)
            for seat in SEATS:
                agents[seat].update(*game.last_step(seat))
    assert used > 3


def particles_of(planner: Pomcp) -> list[bytes]:
    """Return the worlds in which simulations came to the decision at hand."""
    node = find_child(planner._histories, planner._root, DECIDES) if planner._root != NONE else NONE
    number = int(planner._kept.used[0]) if node else 0
    return [record_bytes(world) for world in planner._kept.worlds[:number][planner._kept.node[:number] == node]]


def worlds_searched(planner: Pomcp) -> tuple[list[bytes], list[bytes]]:
    """Return the worlds that a decision of a copy of the planner simulates, and those that it draws from its belief."""
    twin = deepcopy(planner)
    simulated: list[bytes] = []
    drawn: list[bytes] = []
    simulate, sample = twin._simulate, twin.belief.sample

    def simulating(worlds: States, *rest: Any) -> None:
        simulated.extend(record_bytes(world) for world in worlds)
        simulate(worlds, *rest)

    def sampling(*asked: Any) -> States:
        worlds = sample(*asked)
        drawn.extend(record_bytes(world) for world in worlds)
        return worlds

    with mock.patch.object(twin, "_simulate", simulating), mock.patch.object(twin.belief, "sample", sampling):
        twin.decide()
    return simulated, drawn


def test_an_action_is_selected_by_its_upper_confidence_bound() -> None:
    """UCB1: the highest q + explore · √(ln N / n); untried ones first, of those what the policy wants."""
    rng, ids = np.random.default_rng(3), [3, 5, 8, 60]
    chosen = set()
    for _ in range(200):
        histories, counts = new_tree()
        node = child_of(histories, EMPTY, DECIDES)
        visits_of, totals = rng.integers(1, 50, 4), rng.normal(size=4)
        counts.visits[node] = visits_of.sum()
        for action, visited, total in zip(ids, visits_of, totals, strict=True):
            child = child_of(histories, node, CHOSE | action)
            counts.visits[child], counts.total[child] = visited, total * visited
        explore = float(rng.choice([0.0, 0.3, 1.0, 3.0]))
        legal = np.uint64(sum(1 << action for action in ids))
        found = select(histories, counts, node, legal, np.uint64(0), explore, streams(1)[0])
        bounds = totals + explore * np.sqrt(np.log(visits_of.sum()) / visits_of)
        assert found == ids[int(bounds.argmax())]
        chosen.add(found)
        wider = legal | np.uint64(1 << 10 | 1 << 12)
        assert select(histories, counts, node, wider, np.uint64(1 << 12), explore, streams(1)[0]) == 12
    assert chosen == set(ids)


def test_a_win_in_one_is_found() -> None:
    game = start("R7", "RS R1", "Y1 Y2", "B2 B3 G1 G2 G3 R4 R5 Y5")
    agent = make_agent("pomcp:sims=400,belief=closed")
    agent.start(game.rules, game.observation(0), 1)
    decision = agent.decide()
    assert str(decision.action) == "RS"
    assert decision.candidates[0].value == pytest.approx(1.0, abs=0.01)


def test_the_same_seed_gives_the_same_decision_and_values() -> None:
    game = Game.new(preset("house"), 5)

    def candidates(seed: int) -> object:
        agent = make_agent("pomcp:sims=300")
        agent.start(game.rules, game.observation(game.turn), seed)
        return agent.decide().candidates

    assert candidates(3) == candidates(3)
    assert candidates(3) != candidates(4)


@pytest.mark.parametrize("gamma", [1.0, 0.95, 0.5])
@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_a_return_is_the_discounted_sum_of_rewards(gamma: float, penalty: float) -> None:
    environment = SimulationModel(0, RANDOM, RANDOM, 1.0, gamma, penalty)
    for moves in range(1, 12):
        for reward in (-1.0, 0.0, 1.0):
            rewards = [-penalty] * (moves - 1) + [reward - penalty]
            expected = sum(gamma**k * r for k, r in enumerate(rewards))
            assert return_after(reward, moves, environment) == pytest.approx(expected, abs=1e-12)


def test_a_discount_above_one_is_refused() -> None:
    with pytest.raises(InvalidAgent, match=r"gamma: '1\.5' is not a number above 0 and up to 1"):
        make_agent("pomcp:gamma=1.5")


def test_on_a_mini_deck_it_nears_the_exact_best_response_and_does_not_pass_it() -> None:
    """400 pairs of games; the margins are those of a normal at 1 : 1,000 (3.3 standard errors)."""
    tree = build_tree(preset("mini-7"))
    exact = exploitability(tree, scripted_policy(tree, RANDOM)).points
    points = run_match(
        Match(preset("mini-7"), ("pomcp:sims=500,model=random", "random"), 400, seed=2, luck=False)
    ).points
    error = (points.high - points.low) / (2 * 1.96)
    assert points.estimate < 0.5 + exact + 3.3 * error
    assert points.estimate > 0.5 + 0.8 * exact - 3.3 * error
    assert 3.3 * error < 0.8 * exact  # a player no better than its opponent would fail


# --- a decision process as the model ---------------------------------------------------------------------


def test_it_plans_for_a_decision_process_with_its_discount_and_cost() -> None:
    """The values at the first choice are those of value iteration, up to what 20,000 simulations leave open."""
    rules = preset("mini-7")
    process = UnoPOMDP(rules, PolicyModel(GREEDY), discount=0.8, step_cost=0.1)
    exact = value_iteration(process).policy
    free = value_iteration(UnoPOMDP(rules, PolicyModel(GREEDY))).policy
    asked = 0
    for seed in range(12):
        seen = Game.new(rules, seed).observation(0)
        if seen.turn != 0 or len(seen.legal_actions()) < 2:
            continue
        planner = Pomcp.of(process, Budget(simulations=20_000))
        planner.start(rules, seen, seed)
        best = max(candidate.value or 0.0 for candidate in planner.decide().candidates)
        assert 2 * best - 1 == pytest.approx(value_at(exact, seen), abs=0.04)
        asked += abs(value_at(free, seen) - value_at(exact, seen)) > 0.1
    assert asked >= 3


def value_at(table: PolicyTable, seen: Observation) -> float:
    """Return what a table says of the first choice of a game."""
    assert table.value is not None
    return float(table.value[table.set_of[find(table.histories, opening(seen))]])


def test_a_process_with_another_seat_or_other_rules_is_refused() -> None:
    planner = Pomcp.of(UnoPOMDP(preset("mini-7"), PolicyModel(GREEDY), seat=1), Budget(simulations=10))
    with pytest.raises(InvalidAgent, match="is for player 2 under the rules mini-7, not for player 1 under mini-7"):
        planner.start(preset("mini-7"), Game.new(preset("mini-7"), 1).observation(0), 1)
    with pytest.raises(InvalidAgent, match="not for player 2 under mini-9"):
        planner.start(preset("mini-9"), Game.new(preset("mini-9"), 1).observation(1), 1)
