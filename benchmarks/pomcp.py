"""How fast POMCP is: ours on UNO, pomdp-py's on its Tiger at depth 10, both in simulations a second, one core.

Ours is `pomcp:sims=3000,model=heuristic` at the first choice of a game, rules `house`: worlds drawn from the belief,
the walk down the tree, the game played out to its end, whatever its length. Making the belief is not counted. Theirs is
planning from the first belief of Tiger, which has two states, three actions and a depth of ten by our choice: a far
smaller problem than ours. Different problems, so the ratio says what a user gets, not whose code is better.
"""

import sys
import time
from collections.abc import Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, median, median_ratio, peer, run, shown
from uno_pomdp.game.game import Game
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

DEPTH = 10


def ours(simulations: int, decisions: int, seed: int) -> float:
    """Return simulations a second of first decisions."""
    done, spent, number = 0, 0.0, 0
    while done < simulations * decisions:
        number += 1
        game = Game.new(preset("house"), 1_000 * seed + number)
        if len(game.legal_actions()) < 2:
            continue
        agent = make_agent(f"pomcp:sims={simulations},model=heuristic")
        agent.start(game.rules, game.observation(game.turn), number)
        started = time.perf_counter()
        done += agent.decide().simulations
        spent += time.perf_counter() - started
    return done / spent


def theirs(simulations: int) -> float:
    """Return simulations a second of pomdp-py on Tiger."""
    package, tiger = peer("pomdp_py"), peer("pomdp_py.problems.tiger.tiger_problem")
    problem = tiger.TigerProblem.create("tiger-left", 0.5, 0.15)
    belief = package.Particles.from_histogram(problem.agent.belief, num_particles=1_000)
    problem.agent.set_belief(belief, prior=True)
    planner = package.POMCP(
        max_depth=DEPTH,
        discount_factor=0.95,
        num_sims=simulations,
        exploration_const=50,
        rollout_policy=problem.agent.policy_model,
    )
    started = time.perf_counter()
    planner.plan(problem.agent)
    return simulations / (time.perf_counter() - started)


def speed(run: Run) -> Iterator[Claim]:
    """Measure both in turn."""
    simulations = run.pick(3_000, 20)
    ours(simulations, 1, 999)  # compiled before the clock starts
    us, them = run.interleaved(
        lambda repeat: ours(simulations, run.pick(40, 1), repeat), lambda _: theirs(run.pick(10_000, 20))
    )
    yield shown("POMCP on UNO, whole games, here", median(us), "simulations/s")
    yield shown("POMCP on Tiger, depth 10, pomdp-py", median(them), "simulations/s")
    yield at_least("ours by theirs", median_ratio(us, them), 20, "×")


BENCHMARK = Benchmark("pomcp", (Part("simulations a second", speed, peer="pomdp_py"),))

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
