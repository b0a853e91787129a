"""A search that is followed: the same result, reports on the way, and an end when it is stopped."""

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest

from uno_pomdp.agents.agent import Agent, Candidate, Decision
from uno_pomdp.agents.progress import Progress, SearchStopped
from uno_pomdp.game.game import Game
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.search.move_values import ValuesMoves
from uno_pomdp.search.root import STOPPABLE

SEARCHES = [
    "flat:sims=4000",
    "flat:sims=4000,halving=no,belief=particles,model=heuristic",
    "ismcts:sims=4000",
    "value:sims=4000",
    "champion:sims=4000",
    "pomcp:sims=2500",
    "flat:sims=4000,threads=2",
]
ENDLESS = [
    *("flat:ms=60000", "ismcts:ms=60000", "value:ms=60000", "champion:ms=60000", "pomcp:ms=60000"),
    *("champion:ms=60000,threads=2", "flat:sims=900000000"),
]


def led(text: str, game: Game | None = None) -> Agent:
    game = Game.new(preset("house"), 5) if game is None else game
    agent = make_agent(text)
    game.history(game.turn).lead(agent, 3)
    return agent


def later(seed: int, moves: int) -> Game:
    """Return a game of random moves, with a choice now."""
    game, chance = Game.new(preset("house"), seed), random.Random(seed)
    while not game.over and (moves > 0 or len(game.legal_actions()) < 2):
        game.apply(chance.choice(game.legal_actions()))
        moves -= 1
    return game


def without_time(decision: Decision) -> Decision:
    return replace(decision, milliseconds=0.0)


@pytest.mark.parametrize("text", SEARCHES)
def test_a_search_that_is_followed_finds_the_same_and_reports(text: str) -> None:
    reports: list[tuple[Sequence[Candidate], int]] = []
    alone, followed = led(text), led(text)
    followed.progress = Progress(lambda candidates, simulations: reports.append((candidates, simulations)), every=0.0)
    decision = followed.decide()
    assert without_time(decision) == without_time(alone.decide())
    spent = [simulations for _, simulations in reports]
    assert len(spent) > 1
    assert spent == sorted(set(spent))
    assert spent[-1] <= decision.simulations
    if "threads" not in text:
        assert spent[-1] == decision.simulations
        assert reports[-1][0] == decision.candidates
    for candidates, simulations in reports:
        assert {one.action for one in candidates} == set(followed.observation.legal_actions())
        assert sum(one.visits for one in candidates) == simulations
        assert candidates[0].value is not None


@pytest.mark.parametrize("text", ["flat:sims=4000", "ismcts:sims=4000", "value:sims=4000", "champion:sims=4000"])
def test_move_values_that_are_followed_are_the_same(text: str) -> None:
    reports: list[Sequence[Candidate]] = []
    alone, followed = led(text), led(text)
    followed.progress = Progress(lambda candidates, _: reports.append(candidates), every=0.0)
    assert isinstance(alone, ValuesMoves)
    assert isinstance(followed, ValuesMoves)
    values = followed.move_values()
    assert values == alone.move_values()
    assert reports[-1] == values.candidates


def test_endgames_are_proved_the_same() -> None:
    proved = 0
    for seed in range(150):
        game = later(seed, 40 + seed % 30)
        if game.over or len(game.hand(0)) + len(game.hand(1)) > 5:
            continue
        alone, followed = led("flat:sims=3000", game), led("flat:sims=3000", game)
        followed.progress = Progress()
        decision = alone.decide()
        assert without_time(followed.decide()) == without_time(decision)
        proved += "endgame" in decision.note
    assert proved >= 5


def test_reports_come_no_more_often_than_asked_for() -> None:
    ticks = count()
    times: list[int] = []
    agent = led("flat:sims=40000")
    agent.progress = Progress(lambda *_: times.append(next(ticks)), every=4.0, clock=lambda: float(next(ticks)))
    agent.decide()
    assert len(times) >= 2
    assert all(after - before >= 4 for before, after in zip([0, *times], times, strict=False))


@pytest.mark.parametrize("text", ENDLESS)
def test_a_search_ends_soon_after_it_is_stopped(text: str) -> None:
    """A look is due every few milliseconds; a second is what a busy machine is given."""
    agent = led(text)
    agent.progress = progress = Progress()
    stopped: list[float] = []

    def stop() -> None:
        stopped.append(time.monotonic())
        progress.stop()

    timer = threading.Timer(0.05, stop)
    timer.start()
    with pytest.raises(SearchStopped, match="stopped before its end"):
        agent.decide()
    assert time.monotonic() - stopped[0] < 1.0
    timer.join()
    again = led(text.replace("ms=60000", "ms=5").replace("900000000", "100"))
    assert again.decide().candidates


def test_a_model_that_is_asked_in_python_is_stopped_too() -> None:
    agent = led("pomcp:ms=60000,model=champion")
    agent.progress = progress = Progress()
    threading.Timer(0.05, progress.stop).start()
    with pytest.raises(SearchStopped):
        agent.decide()


def test_a_search_that_was_stopped_before_it_began_ends_at_once() -> None:
    for text in ("flat:ms=60000", "pomcp:ms=60000"):
        agent = led(text)
        agent.progress = Progress()
        agent.progress.stop()
        with pytest.raises(SearchStopped):
            agent.decide()


def test_few_simulations_lie_between_two_looks() -> None:
    looks = 0

    class Counting(Progress):
        def check(self) -> None:
            nonlocal looks
            looks += 1
            super().check()

    agent = led("flat:sims=50000")
    agent.progress = Counting()
    agent.decide()
    assert looks > 50000 / (2 * STOPPABLE)
    followed = repr(agent.progress)
    agent.progress.stop()
    assert (followed, repr(agent.progress)) == ("<Progress, every 0.1 s>", "<Progress, stopped>")
