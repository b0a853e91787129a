"""A session as a state machine: moves, answers and undos in any order, saved at each; what the record says of it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.arena.match import AgentFailure
from uno_pomdp.errors import IllegalAction, UnusableFile
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.record import HUMAN, GameRecord, replay
from uno_pomdp.rules import PRESETS, preset
from uno_pomdp.session import session as sessions
from uno_pomdp.session.session import NoUndo, Session
from uno_pomdp.session.setup import Setup, saved_game


class Evening(RuleBasedStateMachine):
    """A practice game with anything done that can be, left and gone on with at any point."""

    @initialize(
        rules=st.sampled_from([*PRESETS]),
        seed=st.integers(0, 99),
        seat=st.integers(0, 1),
        opponent=st.sampled_from(["random", "greedy", "flat:sims=4"]),
    )
    def deal(self, rules: str, seed: int, seat: int, opponent: str) -> None:
        """Deal."""
        self.kept: list[GameRecord] = []
        setup = Setup(preset(rules), seed, seat, opponent, practice=True)
        self.session = Session(setup, keep=self.kept.append)
        self.session.save()

    @precondition(lambda self: self.session.awaits_person)
    @rule(which=st.integers(0, 62))
    def move(self, which: int) -> None:
        """Make one of the legal moves."""
        legal = self.session.game.legal_actions()
        self.session.move(legal[which % len(legal)])

    @precondition(lambda self: not self.session.over and not self.session.awaits_person)
    @rule()
    def answer(self) -> None:
        """Let the opponent move."""
        decision = self.session.answer()
        assert self.session.game.last_move.action == decision.action
        reasons = self.session.reasons()
        assert reasons is not None
        assert (reasons.number, reasons.decision) == (len(self.session.game.moves) - 1, decision)
        assert decision.action.card is None or decision.action.card in reasons.hand

    @rule()
    def undo(self) -> None:
        """Take a move back, if there is one."""
        before = self.session.record
        if all(move.seat != self.session.seat for move in before.moves):
            with pytest.raises(NoUndo, match="no move of yours"):
                self.session.undo()
            assert self.session.record == before
            return
        count = self.session.undo()
        after = self.session.record
        assert before.moves[len(before.moves) - count].seat == self.session.seat
        assert all(move.seat != self.session.seat for move in before.moves[len(before.moves) - count + 1 :])
        assert after.undone[-1].moves == before.moves[len(before.moves) - count :]
        assert self.session.awaits_person

    @rule()
    def leave_and_return(self) -> None:
        """Go on with what was saved, as text: the opponent is as it was."""
        saved = parse_record(format_record(self.kept[-1]))
        if saved.outcome is not None:
            with pytest.raises(UnusableFile, match="is over"):
                saved_game(saved)
            return
        found = saved_game(saved)
        assert found.setup == self.session.setup
        again = Session(found.setup, found.record, keep=self.kept.append)
        if not again.awaits_person:
            repeated = Session(found.setup, found.record)
            assert repeated.answer().action == Session(found.setup, found.record).answer().action
        self.session = again

    @invariant()
    def what_is_saved_is_the_game(self) -> None:
        """Check that the record on the disk is that of the game, says that it is practice, and replays to it."""
        if not hasattr(self, "session"):
            return
        record = self.session.record
        assert self.kept[-1] == record
        assert record.practice
        assert replay(record) == self.session.game
        assert self.session.history == self.session.game.history(self.session.seat)
        assert self.session.trouble == ""
        assert self.session.open


TestEvening = Evening.TestCase
TestEvening.settings = settings(
    max_examples=30, stateful_step_count=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def session_of(seed: int = 1, **more: Any) -> Session:
    """Return a short game."""
    return Session(Setup(preset("mini-9"), seed, 0, "greedy", **more))


def test_in_a_game_that_counts_no_move_is_taken_back_and_nothing_is_betrayed() -> None:
    session = session_of()
    session.move(session.game.legal_actions()[0])
    with pytest.raises(NoUndo, match=r"can't be taken back in a game that counts: `--practice`"):
        session.undo()
    with pytest.raises(IllegalAction, match="would betray its cards"):
        session.reasons()
    assert not session.record.practice
    assert not session.open


def test_reasons_are_found_again_in_a_game_that_is_gone_on_with() -> None:
    session = Session(Setup(preset("house"), 5, 1, "flat:sims=40", practice=True))
    assert session.reasons() is None
    session.answer()
    again = Session(session.setup, session.record)
    assert again.reasons() is not None
    mine, theirs = session.reasons(), again.reasons()
    assert mine is not None
    assert theirs is not None
    assert (mine.hand, mine.number, mine.colours) == (theirs.hand, theirs.number, theirs.colours)
    assert mine.decision.candidates == theirs.decision.candidates
    assert mine.hand == session.game.deal.hands[0]
    assert all(0 < chance < 1 for chance in mine.colours.values())


def test_after_an_undo_the_reasons_are_those_of_the_move_that_stands() -> None:
    session = Session(Setup(preset("house"), 5, 1, "flat:sims=40", practice=True))
    session.answer()
    first = session.reasons()
    session.move(session.game.legal_actions()[0])
    session.answer()
    assert session.reasons() != first
    session.undo()
    again = session.reasons()
    assert first is not None
    assert again is not None
    assert (again.number, again.hand, again.colours) == (first.number, first.hand, first.colours)
    assert again.decision.action == first.decision.action
    assert again.decision.candidates == first.decision.candidates


def test_nobody_moves_out_of_turn() -> None:
    session = session_of()
    with pytest.raises(IllegalAction, match="the opponent can't move now"):
        session.answer()
    other = Session(replace(session.setup, seat=1))
    with pytest.raises(IllegalAction, match="it is not your turn"):
        other.move(other.game.legal_actions()[0])


def test_after_an_undo_the_same_move_brings_the_same_answer() -> None:
    for seed in range(6):
        session = Session(Setup(preset("house"), seed, 0, "flat:sims=20", practice=True))
        while not session.awaits_person:
            session.answer()
        first = session.game.legal_actions()[0]

        def round_of(action: Any = first, session: Session = session) -> GameRecord:
            session.move(action)
            while not session.over and not session.awaits_person:
                session.answer()
            return session.record

        once = round_of()
        session.undo()
        assert round_of().moves == once.moves


class Failing(Agent):
    """Raises in its second decision, or decides what is no move."""

    name = "failing"
    wrong: Any = None

    def begin(self, seed: object) -> None:
        """Begin."""

    def decide(self) -> Decision:
        """Fail."""
        if self.wrong is None:
            raise KeyError("no idea")
        return self.wrong  # type: ignore[no-any-return]


@pytest.mark.parametrize(("wrong", "said"), [(None, "KeyError: 'no idea'"), (3, "TypeError: decide returned int")])
def test_a_fault_of_the_opponent_ends_the_game_with_its_record(
    wrong: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Failing()
    agent.wrong = wrong
    monkeypatch.setattr(sessions, "make_agent", lambda _: agent)
    session = Session(Setup(preset("mini-9"), 1, 1, "failing"))
    with pytest.raises(AgentFailure, match=f"failing failed: as player 1 after 0 moves, {said}") as caught:
        session.answer()
    assert parse_record(caught.value.record).players == ("failing", HUMAN)
    assert session.game == Game.new(preset("mini-9"), 1)


def test_it_is_saved_and_can_be_shown_before_the_opponent_hears_of_a_move() -> None:
    order: list[str] = []
    session = Session(Setup(preset("house"), 1, 0, "random"), keep=lambda _: order.append("kept"))
    update = session._opponent.update
    session._opponent.update = lambda *told: (order.append("told"), update(*told))[1]  # type: ignore[method-assign, func-returns-value]
    session.move(session.game.legal_actions()[0])
    assert order == ["kept"]  # and whoever plays shows it now
    session.tell()
    assert order == ["kept", "told"]
