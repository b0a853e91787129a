"""What a review measures: accuracy of known players, and how sure its losses are. Rules `house`, one core.

Each player meets `heuristic` as player 1 and is judged by the usual coach with a seed that it does not use; accuracy
and loss are those of all its choices together. The last player is the coach itself: its loss comes from noise in the
simulations, for the maximum of several noisy values is overestimated. *Same worlds* compares the squared standard error
of a loss with that of two independent sets of worlds.
"""

import sys
from collections.abc import Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, run, shown
from uno_pomdp.arena.match import play_game
from uno_pomdp.default_agents import coach_for
from uno_pomdp.game.rng import seeds
from uno_pomdp.registry import make_agent
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import ReviewedMove
from uno_pomdp.rules import preset

HOUSE = preset("house")
PLAYERS = ("random", "greedy", "baseline", "heuristic", "flat:sims=1000")
"""Who is judged, beside the coach itself."""


def choices(player: str, coach: str, games: int) -> list[ReviewedMove]:
    """Return a player's judged moves against the heuristic."""
    found: list[ReviewedMove] = []
    for number, seed in enumerate(seeds(1, games).tolist()):
        agents = make_agent(player), make_agent("heuristic")
        record = play_game(HOUSE, seed, agents, (2 * number, 2 * number + 1), record=True).record
        assert record is not None
        found += review_game(record, coach, seed=10_000 + number, seats=(0,)).judged(0)
    return found


def accuracy(moves: list[ReviewedMove]) -> float:
    """Return the share of what was at stake in all of them that was kept, in percent."""
    return 100 * (1 - sum(move.loss or 0.0 for move in moves) / sum(move.stake for move in moves))


def players(run: Run) -> Iterator[Claim]:
    """Measure the accuracy of players, and of the coach itself."""
    games, coach = run.pick(30, 1), run.pick(coach_for(HOUSE), "flat:sims=100")
    found = {name: choices(name, coach, games) for name in (*PLAYERS, coach)}
    for name, moves in found.items():
        yield shown(f"{name}, accuracy", accuracy(moves), "%")
        yield shown(f"{name}, lost a choice", 100 * sum(move.loss or 0.0 for move in moves) / len(moves), "points")
    yield at_least("the coach by another seed, accuracy", accuracy(found[coach]), 98, "%")
    yield at_least("heuristic less random, accuracy", accuracy(found["heuristic"]) - accuracy(found["random"]), 30, "%")


def errors(run: Run) -> Iterator[Claim]:
    """Measure the standard errors of losses."""
    games, coach = run.pick(10, 3), run.pick(coach_for(HOUSE), "flat:sims=100")
    moves = [move for move in choices("random", coach, games) if move.action != move.best and move.error]
    yield shown("the coach, standard error of a loss", 100 * sum(m.error or 0.0 for m in moves) / len(moves), "points")
    apart = sum(sum((c.error or 0.0) ** 2 for c in m.candidates if c.action in (m.best, m.action)) for m in moves)
    together = sum((move.error or 0.0) ** 2 for move in moves)
    yield shown("same worlds, squared error of a loss ÷ with worlds of their own", together / apart, "×")


BENCHMARK = Benchmark("review", (Part("players", players), Part("errors", errors)))

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
