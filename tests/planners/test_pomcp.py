"""POMCP plans for one seat: its tree follows the game, its particles fit, its play nears a best response."""

import numpy as np
import pytest

from tests.helpers import start
from uno_pomdp.agents.histories import find_child
from uno_pomdp.agents.policies import GREEDY, RANDOM
from uno_pomdp.agents.protocol import Budget, InvalidAgent
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.parallel import run_match
from uno_pomdp.equilibrium.policies import scripted_policy
from uno_pomdp.equilibrium.sequence_form import exploitability
from uno_pomdp.equilibrium.tree import build_tree
from uno_pomdp.game.engine import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.planners.history_tree import DECIDES, NONE, Environment, return_after
from uno_pomdp.planners.pomcp import Pomcp
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset


def play(rules_name: str, seed: int, planner: Pomcp) -> list[tuple[int, int]]:
    """Let a planner play against greedy; return the visits that its root had before and after each decision."""
    rules = preset(rules_name)
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
        number = len(game.moves)
        game.apply(decision.action)
        for seat in SEATS:
            agents[seat].update(game.events(seat, number), game.observation(seat))
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
    for world in planner._kept.worlds[:used][planner._kept.node[:used] == node] if node else []:
        assert (world["hand"][0] == seen.hand.array()).all()
        assert (world["hand_size"][1], world["draw_size"]) == (seen.opponent_size, seen.draw_size)
        assert (world["top"], world["colour"], world["turn"]) == (seen.top, seen.colour, seen.turn)
        played = np.bincount(world["played"][: world["played_size"]], minlength=54)
        assert (played == seen.played.array()).all()
        unseen = world["hand"][1] + np.bincount(world["draw_pile"][: world["draw_size"]], minlength=54)
        assert (unseen == seen.unseen(game.rules).array()).all()


@pytest.mark.parametrize(("rules_name", "games"), [("pass", 4), ("house", 6), ("printed", 3)])
def test_the_tree_is_kept_between_moves_and_its_particles_fit_the_game(rules_name: str, games: int) -> None:
    inherited = 0
    for seed in range(games):
        found = play(rules_name, seed, Pomcp(Budget(simulations=400), model=GREEDY))
        assert all(after == before + 400 for before, after in found)
        inherited += sum(before > 0 for before, _ in found)
    assert inherited > 2


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
    environment = Environment(0, RANDOM, RANDOM, 1.0, gamma, penalty)
    for moves in range(1, 12):
        for reward in (-1.0, 0.0, 1.0):
            rewards = [-penalty] * (moves - 1) + [reward - penalty]
            expected = sum(gamma**k * r for k, r in enumerate(rewards))
            assert return_after(reward, moves, environment) == pytest.approx(expected, abs=1e-12)


def test_a_discount_above_one_is_refused() -> None:
    with pytest.raises(InvalidAgent, match=r"the discount is 1\.5: it has to be above 0 and at most 1"):
        make_agent("pomcp:gamma=1.5")


def test_on_a_mini_deck_it_nears_the_exact_best_response_and_does_not_pass_it() -> None:
    """400 pairs of games; the margins are those of a normal at 1 : 1,000 (3.3 standard errors)."""
    tree = build_tree(preset("mini-7"))
    exact = exploitability(tree, scripted_policy(tree, RANDOM)).points
    points = run_match(Match(preset("mini-7"), ("pomcp:sims=500,model=random", "random"), 400, seed=2)).points
    error = (points.high - points.low) / (2 * 1.96)
    assert points.estimate < 0.5 + exact + 3.3 * error
    assert points.estimate > 0.5 + 0.8 * exact - 3.3 * error
    assert 3.3 * error < 0.8 * exact  # a player no better than its opponent would fail
