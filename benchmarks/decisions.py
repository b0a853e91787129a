"""How good decisions are: regret against a search with a hundred times the simulations, rules `house`, one core.

Positions are decisions with a choice from games of `heuristic` v `heuristic`. Each action's value is that of flat Monte
Carlo with 120,000 simulations. The *regret* of a decision is the best action's value less that of the action chosen, in
points of a hundred. Searches have 1,000 simulations. `flat` decides with and without halving in the same positions; the
difference has an interval over positions. The regret of `ismcts` is no measure of its strength, for it expects better
play later than flat playouts do, but it shows how much its choices differ.
"""

import copy
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.experiments.belief_quality import estimate
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, run, shown
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, STATE
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS
from uno_pomdp.policies.rollouts import play_worlds_out
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.search.search import Search

HOUSE = preset("house")
SIMULATIONS = 1_000
"""What each search may use."""
EVERY = 7
"""Of so many decisions with a choice, one is a position."""


@dataclass(frozen=True)
class Position:
    """A decision, what its player believes, and what each action is worth."""

    seen: Observation
    """What the player sees."""
    belief: ClosedFormBelief
    """What it believes."""
    values: dict[int, float]
    """By action id: its probability of winning."""


def valued(seen: Observation, belief: ClosedFormBelief, simulations: int, seed: int) -> Position:
    """Return a position with the values of its actions."""
    actions = np.array([action.id for action in seen.legal_actions()])
    results = np.empty((simulations // len(actions), len(actions)))
    worlds = belief.sample(len(results), seed)
    play_worlds_out(worlds, np.zeros(1, STATE), actions, HEURISTIC, WEIGHTS, False, streams(seed + 1), results)
    return Position(seen, belief, dict(zip(actions.tolist(), results.mean(axis=0).tolist(), strict=True)))


def positions(count: int, simulations: int) -> list[Position]:
    """Return positions from games."""
    found: list[Position] = []
    choices = 0
    for seed in range(100 * count):
        game = Game.new(HOUSE, seed)
        agents = [make_agent("heuristic") for _ in SEATS]
        beliefs = [ClosedFormBelief(HOUSE, game.observation(seat)) for seat in SEATS]
        for seat in SEATS:
            agents[seat].start(HOUSE, game.observation(seat), seed)
        while not game.over and len(found) < count:
            if len(game.legal_actions()) > 1:
                choices += 1
                if choices % EVERY == 0:
                    seen, belief = game.observation(game.turn), copy.deepcopy(beliefs[game.turn])
                    found.append(valued(seen, belief, simulations, choices))
            len(game.moves)
            game.apply(agents[game.turn].decide().action)
            for seat in SEATS:
                agents[seat].update(*game.last_step(seat))
                beliefs[seat].update(*game.last_step(seat))
        if len(found) == count:
            break
    return found


def regrets(text: str, places: list[Position], repeats: int) -> npt.NDArray[np.float64]:
    """Return the mean regret of an agent in each position, in points of a hundred."""
    means = np.zeros(len(places))
    for number, place in enumerate(places):
        best = max(place.values.values())
        for repeat in range(repeats):
            agent = make_agent(text)
            assert isinstance(agent, Search)
            agent.start(HOUSE, place.seen, repeat)
            agent.belief = place.belief  # of the game so far
            means[number] += 100 * (best - place.values[agent.decide().action.id]) / repeats
    return means


def regret(run: Run) -> Iterator[Claim]:
    """Measure the regret of each search."""
    places = positions(run.pick(2_000, 3), run.pick(120_000, 200))
    repeats, simulations = run.pick(8, 1), run.pick(SIMULATIONS, 20)
    found = {
        text: regrets(f"{text},sims={simulations},endgame=no", places, repeats)
        for text in ("flat:halving=yes", "flat:halving=no", "ismcts:halving=yes")
    }
    found["heuristic"] = np.array(
        [100 * (max(place.values.values()) - place.values[_scripted(place)]) for place in places]
    )
    for name, each in found.items():
        yield shown(f"{name}, regret a decision", each.mean(), "points")
    gain = estimate(found["flat:halving=no"] - found["flat:halving=yes"])
    yield shown("what halving takes off that, half the interval", gain.half_width, "points")
    yield at_least("what halving takes off that, low end", gain.mean - gain.half_width, 0, "points")


def _scripted(place: Position) -> int:
    agent = make_agent("heuristic")
    agent.start(HOUSE, place.seen, 0)
    return agent.decide().action.id


BENCHMARK = Benchmark("decisions", (Part("regret", regret),))

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
