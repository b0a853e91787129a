"""The coach: a hint from what the seat has seen, a review of that seat alone, and who can't be one."""

import pytest

from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import UnoError
from uno_pomdp.rules import preset
from uno_pomdp.session.coach import Coach, NoCoach
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup

SETUP = Setup(preset("house"), 5, 0, "greedy")


def test_a_hint_is_a_legal_move_and_the_same_each_time() -> None:
    session, coach = Session(SETUP), Coach.of(SETUP, "flat:sims=60")
    first, second = coach.hint(session.history), coach.hint(session.history)
    assert first is not None
    assert second is not None
    assert first.action in session.game.legal_actions()
    assert first.candidates == second.candidates


def test_where_one_thing_alone_can_be_done_there_is_no_hint() -> None:
    session, coach = Session(SETUP), Coach.of(SETUP, "flat:sims=10")
    forced = 0
    while not session.over:
        legal = session.game.legal_actions()
        if session.awaits_person:
            forced += len(legal) == 1
            assert (coach.hint(session.history) is None) == (len(legal) == 1)
            session.move(legal[0])
        else:
            session.answer()
    assert forced
    review = coach.review(session.record, session.seat)
    assert review.seats == (0,)
    assert review.accuracy(0) is not None


def test_the_usual_coach_is_that_of_the_rules_and_one_that_values_no_moves_is_refused() -> None:
    assert Coach.of(SETUP).name == coach_for(SETUP.rules)
    with pytest.raises(UnoError, match="greedy can't be a coach"):
        Coach.of(SETUP, "greedy")


def test_a_coach_that_has_failed_is_not_asked_again() -> None:
    session, coach = Session(SETUP), Coach.of(SETUP, "py:tests.agents.wrong.Wrong")
    with pytest.raises(NoCoach, match=r"failed: ValueError: no idea.*, in decide .*goes on without the coach$"):
        coach.hint(session.history)
    for ask in (lambda: coach.hint(session.history), lambda: coach.review(session.record, session.seat)):
        with pytest.raises(NoCoach, match=r"^there is no coach any more: it has failed$"):
            ask()
