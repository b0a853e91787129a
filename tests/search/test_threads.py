"""Several threads decide as one: the same every time, with all that each of them found."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from math import sqrt
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import PRINTED_PLAIN, do, record_bytes, start
from uno_pomdp.agent_options import BELIEFS
from uno_pomdp.agents.agent import Budget, Candidate, Decision, InvalidAgent
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.jit import working_time
from uno_pomdp.registry import BeliefSpec, make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.search.meter import BudgetMeter
from uno_pomdp.search.root import CHUNK, ranked
from uno_pomdp.search.search import Search
from uno_pomdp.search.searches import flat_monte_carlo, information_set_search
from uno_pomdp.search.threads import Threads, merged, shares
from uno_pomdp.testing import check_agent

PLANNERS = ["flat:sims=401", "flat:sims=401,halving=no", "ismcts:sims=401", "champion:sims=401"]
RED, YELLOW, BLUE = (Action.parse(text) for text in ("R1", "Y1", "B1"))


def planner(text: str, seed: int = 3) -> Search:
    game = Game.new(preset("house"), 5)
    agent = make_agent(text)
    assert isinstance(agent, Search)
    agent.start(game.rules, game.observation(game.turn), seed)
    return agent


def by_value(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=attrgetter("value"), reverse=True)


# --- sharing the budget ----------------------------------------------------------------------------------


@given(st.integers(1, 10_000), st.integers(1, 40))
def test_simulations_are_shared_out_evenly_and_none_is_lost(simulations: int, threads: int) -> None:
    found = [budget.simulations or 0 for budget in shares(Budget(simulations=simulations), threads)]
    assert sum(found) == simulations
    assert max(found) - min(found) <= 1
    assert len(found) == min(threads, simulations)


def test_every_thread_has_all_the_time() -> None:
    budget = Budget(milliseconds=2.0)
    assert shares(budget, 3) == [budget] * 3


# --- merging ---------------------------------------------------------------------------------------------


def test_counts_are_added_and_means_weighted() -> None:
    first = Decision(RED, (Candidate(RED, 0.5, 0.1, 30), Candidate(BLUE, 0.25, 0.2, 10)), (RED, BLUE), 40, 40)
    second = Decision(YELLOW, (Candidate(YELLOW, 0.75, 0.1, 50), Candidate(RED, 0.8, 0.3, 10)), (YELLOW,), 60, 60)
    found = merged([first, second], by_value)
    assert found.action == YELLOW
    assert found.candidates[0] == Candidate(YELLOW, 0.75, 0.1, 50)
    red = found.candidates[1]
    assert (red.action, red.visits) == (RED, 40)
    assert red.value == pytest.approx((30 * 0.5 + 10 * 0.8) / 40)
    assert red.error == pytest.approx(sqrt((0.75 * 0.1) ** 2 + (0.25 * 0.3) ** 2))
    assert found.line == (YELLOW,)
    assert (found.worlds, found.simulations) == (100, 100)


def test_the_line_belongs_to_the_action_that_is_chosen_together() -> None:
    one = Decision(BLUE, (Candidate(BLUE, 0.9, 0.1, 10), Candidate(RED, 0.8, 0.1, 10)), (BLUE, RED))
    two = Decision(YELLOW, (Candidate(YELLOW, 0.9, 0.1, 10), Candidate(RED, 0.8, 0.1, 10)), (YELLOW, RED))
    found = merged([one, two], lambda candidates: sorted(candidates, key=lambda candidate: -candidate.visits))
    assert found.action == RED
    assert found.line == ()


def test_flat_takes_the_best_mean_among_what_was_tried_long_enough() -> None:
    few, good, best = Candidate(RED, 0.9, 0.1, 40), Candidate(YELLOW, 0.6, 0.1, 100), Candidate(BLUE, 0.7, 0.1, 50)
    assert ranked([few, good, best], 0.0) == [best, good, few]


# --- deciding --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", PLANNERS)
@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_seed_and_number_of_threads_decide_the_same(text: str, threads: int) -> None:
    decisions = [planner(f"{text},threads={threads}").decide() for _ in range(5)]
    assert len({replace(decision, milliseconds=0.0) for decision in decisions}) == 1
    alone = planner(text).decide()
    assert decisions[0].candidates != alone.candidates
    assert {one.action for one in decisions[0].candidates} == {one.action for one in alone.candidates}
    assert sum(one.visits for one in decisions[0].candidates) == decisions[0].simulations


@pytest.mark.parametrize("text", PLANNERS)
def test_threads_find_what_as_many_searches_find_one_after_the_other(text: str) -> None:
    agent = planner(text)
    seeds = agent._seed.spawn(1)[0].spawn(2)
    budgets = Budget(simulations=201), Budget(simulations=200)
    prior = None if agent.prior is None else agent.prior.policy(agent.observation, agent.belief)
    meter = BudgetMeter(agent.budget, working_time, 0.0)
    alone = [agent.search_alone(meter, prior, budget, seed) for budget, seed in zip(budgets, seeds, strict=True)]
    together = planner(f"{text},threads=2").decide()
    assert together.candidates == merged(alone, agent.ranking).candidates
    assert together.simulations == alone[0].simulations + alone[1].simulations


def test_fewer_simulations_than_threads_are_kept_to() -> None:
    for text in ("flat:sims=2,threads=4", "ismcts:sims=2,threads=4", "flat:sims=1,threads=4"):
        agent = planner(text)
        assert agent.decide().simulations == agent.budget.simulations


def test_a_fault_in_any_thread_is_raised() -> None:
    def fails(budget: Budget, _: np.random.SeedSequence) -> Decision:
        if budget.simulations == 1:
            raise ZeroDivisionError
        return Decision(RED, (Candidate(RED, 0.5, 0.1, 2),))

    with pytest.raises(ZeroDivisionError):
        Threads(2).search(fails, Budget(simulations=3), np.random.SeedSequence(1), list)


def test_threads_have_to_be_a_number_of_threads() -> None:
    with pytest.raises(InvalidAgent, match="threads: 0 is not a whole number from 1 to 1,024"):
        make_agent("flat:sims=10,threads=0")
    with pytest.raises(InvalidAgent, match=r"threads: '1\.5' is not a whole number"):
        make_agent("ismcts:sims=10,threads=1.5")


@pytest.mark.parametrize("text", ["flat:sims=40,threads=2", "ismcts:sims=40,threads=3"])
@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN, "mini-12"])
def test_planners_in_threads_conform(text: str, rules: str) -> None:
    check_agent(lambda: make_agent(text), Rules.parse(rules), games=1, seed=5)


@pytest.mark.parametrize("compose", [flat_monte_carlo, information_set_search])
def test_threads_keep_to_the_clock_that_was_given(compose: Callable[..., Search]) -> None:
    ticks = count()
    game = Game.new(preset("house"), 5)
    agent = compose(Budget(milliseconds=10.0), clock=lambda: next(ticks) * 0.001, threads=2)
    agent.start(game.rules, game.observation(0), 1)
    decision = agent.decide()
    assert decision.simulations > 2 * CHUNK
    assert decision.milliseconds == pytest.approx(14.0, abs=8.0)


# --- beliefs are read by many ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BELIEFS, "particles,model=greedy", "enumerated,model=random"])
def test_a_belief_is_sampled_by_several_threads_at_a_time(name: str) -> None:
    """What each thread gets is what it would have got alone."""
    game = start("R7", "R1 Y2 B3", "G4 Y5 G3", "B5 B6 B7 R5 R6 Y7 Y8 G8 G7 W RS YS BS")
    belief = BeliefSpec.parse(name).maker()(game.rules, game.observation(0))
    for move in ("R1", "draw", "draw", "draw"):
        do(game, move)
        belief.update(*game.last_step(0))
    alone = [record_bytes(belief.sample(200, seed)) for seed in range(40)]
    with ThreadPoolExecutor(4) as pool:
        together = [record_bytes(worlds) for worlds in pool.map(lambda seed: belief.sample(200, seed), range(40))]
    assert together == alone
    assert len(set(alone)) == 40
