"""Nothing that an agent is handed shows it the deal: as a player, an opponent or a coach, wherever it is asked."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.agents.peeking import Peeking, deals_in
from tests.engine.talk import final
from uno_pomdp.adapters.opponents import AgentOpponent
from uno_pomdp.advise.advisor import Advisor
from uno_pomdp.api import match
from uno_pomdp.arena.match import play_game
from uno_pomdp.cli.ui.annotated_game import play_annotated
from uno_pomdp.equilibrium.nash_report import nash_report
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import record_of
from uno_pomdp.game.rng import mix
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.learning.imitation.observed_choices import watch_game
from uno_pomdp.review.game import Reviewer, review_game
from uno_pomdp.rules import preset
from uno_pomdp.session.analysis import analyse
from uno_pomdp.session.coach import Coach
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup
from uno_pomdp.web.watch_table import Pairing

PLAYER, COACH = "py:tests.agents.peeking.Peeking", "py:tests.agents.peeking.PeekingCoach"
RULES = preset("house")
SEEDS = range(4)


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    Peeking.found.clear()
    yield
    assert Peeking.found, "no agent was asked"
    assert not any(Peeking.found), "an agent has found the deal"


def test_matches(tmp_path: Path) -> None:
    match(Peeking, Peeking, pairs=3, rules=RULES, seed=1, processes=1)
    assert len(Peeking.found) == 12
    match(PLAYER, "greedy", pairs=2, rules=RULES, seed=1, processes=1, store=tmp_path / "store.jsonl")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_game_whose_players_have_the_seed_of_its_deal(seed: int) -> None:
    play_game(RULES, seed, (Peeking(), Peeking()), (seed, np.random.SeedSequence(seed)))
    play_game(RULES, seed, (PLAYER, PLAYER))


@pytest.mark.parametrize("seed", SEEDS)
def test_an_agent_that_considers_a_game(seed: int) -> None:
    game = Game.new(RULES, seed)
    Peeking().consider(game, seed)
    Peeking().consider(Game.new(RULES))
    analyse(game.history(0), PLAYER, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_opponent_and_the_coach_of_a_person(seed: int) -> None:
    setup = Setup(RULES, seed, 0, PLAYER, practice=True)
    session, coach = Session(setup), Coach.of(setup, COACH)
    while not session.over:
        if session.awaits_person:
            coach.hint(session.history)
            session.move(session.game.legal_actions()[-1])
        else:
            session.answer()
    session.undo()
    session.reasons()
    coach.review(Session(setup, session.record).record, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_games_that_are_watched_and_their_reviews(seed: int) -> None:
    record = play_annotated(RULES, (PLAYER, COACH), seed).record
    pairing = Pairing(RULES, (PLAYER, COACH), seed)
    pairing.players(pairing.deal())
    from_watch = play_annotated(RULES, ("random", "greedy"), 1).record  # the usual seed of both commands
    for each in (record, from_watch):
        review_game(each, COACH)
        review_game(each, COACH, seed=seed)


def test_opinions_while_a_game_is_watched() -> None:
    Reviewer(Timeline.of_record(play_annotated(RULES, ("random", "greedy"), 1).record), COACH)


@pytest.mark.parametrize("seed", SEEDS)
def test_opponents_in_environments(seed: int) -> None:
    game = Game.new(RULES, seed)
    stream = int(mix(np.uint64(seed) ^ np.uint64(0xD1B54A32D192ED03)))
    assert seed in deals_in(stream)
    AgentOpponent(Peeking()).begin(game, 1, stream)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_engine(seed: int) -> None:
    text = format_record(record_of(Game.new(RULES, seed), ("one", "two")))
    assert final([{"id": "q", "record": text, "seat": 1, "agent": COACH, "seed": seed}])["done"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_coach_at_a_real_table(seed: int) -> None:
    deal = Game.new(RULES, seed).deal
    Advisor(ObservedGame(RULES, 0, deal.hands[0], deal.top), COACH, seed)


def test_what_is_found_out_about_equilibria_and_imitated() -> None:
    nash_report(RULES, PLAYER, (), 2, 1, processes=1)
    watch_game(Peeking, RULES, 1, 0)
