"""What solving endgames does to the searches: rules `house`, one core.

Positions are those decisions of `heuristic` v `heuristic` in which the solver has something to say: a win before the
opponent plays, or both hands small. From each the game is played to its end twice with the same seeds, by the same
search with `endgame=yes` and with `endgame=no`, against `heuristic`. The figure is the mean difference in points, by
position, with its 95 % interval; the bar says that the solver does not lower the win rate: the interval does not lie
below zero. Decisions changed are counted at the positions themselves.
"""

import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, run, shown
from uno_pomdp.agents.agent import Decision
from uno_pomdp.arena.statistics import Z95
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.observation import Observation
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.search.endgame.endgame import BOTH, THEIRS, winning_runs
from uno_pomdp.search.search import Search

HOUSE = preset("house")


@dataclass(frozen=True)
class Position:
    """An endgame, with the belief of the player to move."""

    game: Game
    """The game so far."""
    belief: ClosedFormBelief
    """What the player to move believes."""
    seed: int
    """For the agents' randomness."""


def in_range(seen: Observation) -> bool:
    """Return whether the solver has something to say."""
    small = len(seen.hand) + seen.opponent_size <= BOTH and seen.opponent_size <= THEIRS
    return small or winning_runs(seen) != 0


def endgames(count: int) -> tuple[list[Position], int]:
    """Return so many positions, and how many decisions with a choice the games had in which they were found."""
    found: list[Position] = []
    decisions = 0
    seed = 0
    while len(found) < count:
        seed += 1
        game = Game.new(HOUSE, seed)
        agents = [make_agent("heuristic") for _ in SEATS]
        beliefs = [ClosedFormBelief(HOUSE, game.observation(seat)) for seat in SEATS]
        for seat in SEATS:
            agents[seat].start(HOUSE, game.observation(seat), seed)
        while not game.over:
            if len(game.legal_actions()) > 1:
                decisions += 1
                if in_range(game.observation(game.turn)):
                    found.append(Position(game.copy(), deepcopy(beliefs[game.turn]), len(found)))
            len(game.moves)
            game.apply(agents[game.turn].decide().action)
            for seat in SEATS:
                agents[seat].update(*game.last_step(seat))
                beliefs[seat].update(*game.last_step(seat))
    return found, decisions


def play(place: Position, text: str) -> tuple[Decision, float]:
    """Return the first decision of an agent at a position, and its points when it plays on against `heuristic`."""
    game, seat = place.game.copy(), place.game.turn
    agent, other = make_agent(text), make_agent("heuristic")
    assert isinstance(agent, Search)
    agent.start(HOUSE, game.observation(seat), place.seed)
    agent.belief = deepcopy(place.belief)
    other.start(HOUSE, game.observation(1 - seat), place.seed)
    first: Decision | None = None
    while not game.over:
        decision = (agent if game.turn == seat else other).decide()
        first = first or decision
        len(game.moves)
        game.apply(decision.action)
        agent.update(*game.last_step(seat))
        other.update(*game.last_step(1 - seat))
    assert first is not None
    assert game.outcome is not None
    return first, (1 + game.outcome.result(seat)) / 2


def effect(text: str, positions: int) -> Callable[[Run], Iterator[Claim]]:
    """Return the part that measures the solver in one search."""

    def measure(run: Run) -> Iterator[Claim]:
        places, decisions = endgames(run.pick(positions, 3))
        with_it, without = ([play(place, f"{text},endgame={choice}") for place in places] for choice in ("yes", "no"))
        gains = np.array([ours[1] - theirs[1] for ours, theirs in zip(with_it, without, strict=True)])
        half = Z95 * float(gains.std()) / len(gains) ** 0.5
        mean = float(gains.mean())
        name = f"endgames of {text}"
        yield at_least(
            f"{name}, points with v without the solver, upper end of the interval", 100 * (mean + half), 0, "% more"
        )
        yield shown(f"{name}, points with v without the solver", 100 * mean, "% more")
        yield shown(f"{name}, half the interval", 100 * half, "%")
        solved = [first for first, _ in with_it if first.note.startswith("endgame solved")]
        changed = sum(ours[0].action != theirs[0].action for ours, theirs in zip(with_it, without, strict=True))
        yield shown(f"{name}, decisions in its range", 100 * len(places) / decisions, "% of all with a choice")
        yield shown(f"{name}, solved without a search", 100 * len(solved) / len(places), "% of those in its range")
        yield shown(f"{name}, decisions changed", 100 * changed / len(places), "% of those in its range")
        yield shown(f"{name}, decisions changed", 100 * changed / decisions, "% of all with a choice")

    return measure


BENCHMARK = Benchmark(
    "endgame",
    (
        Part("endgames of flat", effect("flat:sims=1000", 4_000)),
        Part("endgames of ismcts", effect("ismcts:sims=1000", 4_000)),
    ),
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
