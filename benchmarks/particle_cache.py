"""Where particle sets that are kept by information state pay, and where they don't: hits, and the time that they save.

One game of `printed` is come back to in the ways in which people and programs do; every way is timed with the cache and
without it, by turns, with a search so small that beliefs are most of the work. In matches no state is met twice.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from time import perf_counter
from typing import Final

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, run, shown
from uno_pomdp.api import match
from uno_pomdp.arena.match import play_game
from uno_pomdp.beliefs.particle_cache import particle_cache
from uno_pomdp.game.record import GameRecord, replay
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.registry import make_agent
from uno_pomdp.review.game import review_game
from uno_pomdp.rules import preset
from uno_pomdp.session.analysis import analyse, aware_of
from uno_pomdp.session.coach import Coach

PRINTED: Final = preset("printed")
COACH: Final = "flat:sims=100,belief=particles,model=heuristic,cache={}"
Scene = Callable[[str, GameRecord], None]


def positions(record: GameRecord, seat: int = 0) -> list[SeatHistory]:
    """Return what a seat has seen at each of its decisions."""
    history = replay(record).history(seat)
    found = [SeatHistory(history.rules, history.first, history.steps[:number]) for number in range(len(history.steps))]
    return [one for one in found if one.now.turn == seat and len(one.now.legal_actions()) > 1]


def hints(coach: str, record: GameRecord) -> None:
    """Ask for a hint at every decision; each leads an agent along the whole game."""
    asked = Coach(coach, 1)
    for history in positions(record):
        asked.hint(history)


def undo(coach: str, record: GameRecord) -> None:
    """Ask for a hint, take the move back, and ask again."""
    asked, found = Coach(coach, 1), positions(record)[-8:]
    for before, history in pairwise(found):
        asked.hint(history)
        asked.hint(before)


def panel(coach: str, record: GameRecord) -> None:
    """Analyse a position with the policy-aware panel beside the coach."""
    for history in positions(record)[-8:]:
        analyse(history, coach, 1, aware=aware_of(history, "human", coach=coach))


def review(coach: str, record: GameRecord) -> None:
    """Take a hint at the last decision, and review the whole game."""
    Coach(coach, 1).hint(positions(record)[-1])
    review_game(record, coach, seats=(0,))


def queries(coach: str, record: GameRecord) -> None:
    """Analyse every decision of one game by a query of its own, as the engine does."""
    for history in positions(record):
        analyse(history, coach, 1)


SCENES: Final[dict[str, Scene]] = {
    "hints at every decision": hints,
    "undo and retry": undo,
    "coach and panel": panel,
    "review after play": review,
    "engine queries": queries,
}


def timed(scene: Scene, coach: str, records: list[GameRecord]) -> float:
    """Return the seconds that a scene takes over these games."""
    started = perf_counter()
    for record in records:
        particle_cache.clear()
        scene(coach, record)
    return perf_counter() - started


def scenes(run: Run) -> Iterator[Claim]:
    """Measure hits and time in what comes back to the same states."""
    records: list[GameRecord] = []
    for seed in range(run.pick(5, 1)):
        agents = make_agent("heuristic"), make_agent("heuristic")
        record = play_game(PRINTED, 40 + seed, agents, (2 * seed, 2 * seed + 1), record=True).record
        assert record is not None
        records.append(record)
    for name, scene in SCENES.items():
        scene(COACH.format("no"), records[0])  # compiles
        without = timed(scene, COACH.format("no"), records)
        hits = asked = 0
        started = perf_counter()
        for record in records:
            particle_cache.clear()
            scene(COACH.format("yes"), record)
            hits, asked = hits + particle_cache.hits, asked + particle_cache.hits + particle_cache.misses
        took = perf_counter() - started
        yield at_least(f"{name}, updates from the cache", 100 * hits / asked, 25, "%")
        yield shown(f"{name}, hits", hits, "")
        yield shown(f"{name}, time with the cache ÷ without", took / without, "×")
    yield shown("all that one game has left, kept", particle_cache.held / 1e6, "MB")


def in_matches(run: Run) -> Iterator[Claim]:
    """Count hits in a match."""
    particle_cache.clear()
    coach = COACH.format("yes")
    match(coach, "heuristic", pairs=run.pick(20, 1), rules=PRINTED, seed=3)
    yield shown("matches, updates", particle_cache.misses, "")
    yield at_most("matches, updates from the cache", particle_cache.hits, 0, "")


BENCHMARK = Benchmark("particle_cache", (Part("scenes", scenes), Part("matches", in_matches)))

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
