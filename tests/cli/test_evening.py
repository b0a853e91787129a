"""An evening of `play`: undo, rounds of a match, rematches; in this process, at terminals, and after a kill."""

import re
import signal
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Final

import pexpect
import pytest
from rich.console import Console

from tests.cli.inside import call
from tests.cli.test_play import COACH, Typist
from tests.cli.test_play_screens import found, opening, text_of
from tests.cli.test_play_terminal import COLOUR, PROMPT, Seated, plain
from tests.cli.test_play_windows import in_sight
from uno_pomdp.cli.keeping import Keeper
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.afterwards import Afterwards, ask_what_next
from uno_pomdp.cli.play.ending import points
from uno_pomdp.cli.play.interfaces import TerminalInterface
from uno_pomdp.cli.play.person import Person
from uno_pomdp.cli.play.saves import latest_round, newest, round_file
from uno_pomdp.cli.play.screen import PRACTICE_PROMPTS, screen
from uno_pomdp.cli.play.session import RESUME, Evening, copying, keeping
from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.files import SavedFile
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import GameRecord, replay
from uno_pomdp.game.scoring import MatchRound, round_score
from uno_pomdp.rules import preset
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup, saved_game

needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
SHORT: Final = ("play", "random", "--rules", "mini-7", "--seed", "4", "--coach", "flat:sims=2")


class Answering(TerminalInterface):
    """A terminal at which a typist plays, and lines are typed after the end of a game."""

    def __init__(self, *after: str, before: tuple[str, ...] = (), seed: int = 1) -> None:
        super().__init__(Console(file=StringIO(), width=80, height=24, color_system=None, force_terminal=True))
        self.typist = Typist(seed)
        self.before = [*before]
        self.after = [*after]
        self.asked: list[str] = []

    def turn(self, view: SeatView) -> None:
        """Draw the screen."""
        self.typist.view = view
        super().turn(view)

    def ask(self, question: str) -> str:
        """Return what is typed."""
        self.asked.append(question)
        if question.startswith(("Again", "Enter: round")):
            if not self.after:
                raise Leave
            return self.after.pop(0)
        if question.startswith("Enter"):
            return ""
        return self.before.pop(0) if self.before and not question else self.typist.types(question)

    @property
    def text(self) -> str:
        """All that was shown."""
        assert isinstance(self.console.file, StringIO)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.console.file.getvalue())


def evening(terminal: Answering, setup: Setup, path: Path) -> tuple[Setup | None, GameRecord]:
    """Play a game that is saved in a file, to what follows it."""
    with SavedFile(path) as file:
        keeper = Keeper(file, RESUME)
        session = Session(replace(setup, coach=COACH), keep=keeping(keeper))
        return Evening().play_kept(terminal, session, keeper), session.record


# --- practice --------------------------------------------------------------------------------------------


def test_a_move_is_taken_back_in_a_practice_game_and_the_record_says_so(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    done = call(*SHORT, "--practice", "--record", str(path), typed="1\nundo\nundo\nundo\n")
    assert done.code == 2  # nothing more to take back: in a pipe wrong input ends it
    assert "There is no move of yours to take back." in done.err
    record = load_record(path)
    assert (record.practice, record.moves, len(record.undone)) == (True, (), 1)
    assert call("play", "--resume", str(path), "--coach", "flat:sims=2", typed="1\nundo\nquit\n").code == 0
    assert len(load_record(path).undone) == 2


def test_in_a_game_that_counts_undo_is_refused_in_a_sentence(tmp_path: Path) -> None:
    done = call(*SHORT, "--record", str(tmp_path / "game.txt"), typed="1\nundo\n")
    assert done.code == 2
    assert "line 2: Moves can't be taken back in a game that counts: `--practice` begins one" in done.err
    assert not load_record(tmp_path / "game.txt").practice


def test_a_game_that_is_over_goes_on_after_an_undo(tmp_path: Path) -> None:
    setup = Setup(preset("mini-7"), 4, 0, "random", practice=True)
    terminal = Answering("u", "undo", "")
    following, record = evening(terminal, setup, tmp_path / "game.txt")
    assert following is None
    assert record.outcome is not None
    assert len(record.undone) == 2
    assert load_record(tmp_path / "game.txt") == record
    assert "A practice game, which does not count (2 undos)." in terminal.text


def test_why_tells_all_in_practice_and_after_the_end_and_little_before(tmp_path: Path) -> None:
    for practice in (True, False):
        setup = Setup(preset("house"), 4, 1, "greedy", practice=practice)
        terminal = Answering("why", "", before=("why", "?", "help", "log"))
        with SavedFile(tmp_path / f"{practice}.txt") as file:
            keeper = Keeper(file, RESUME)
            session = Session(replace(setup, coach=COACH), keep=keeping(keeper))
            Evening().play_kept(terminal, session, keeper)
        during, _, after = terminal.text.partition("6:7 behind a move")
        assert ("It held " in during) == practice
        assert ("would betray its cards" in during) != practice
        assert "It held " in after
        assert "is asked for" in during or "Nothing in your hand fits" in during or "You owe" in during


def test_a_question_where_a_colour_is_asked_for_may_take_a_move_back(tmp_path: Path) -> None:
    setup = Setup(preset("house"), 3, 0, "random", practice=True)  # a wild is all that player 1 can begin with
    lines = iter(("wild red", "", "undo", "w", "undo", "quit"))

    class Typed(Answering):
        def ask(self, question: str) -> str:
            self.asked.append(question)
            return "quit" if len(self.asked) > 12 else next(lines)

    with SavedFile(tmp_path / "game.txt") as file:
        keeper = Keeper(file, RESUME)
        session = Session(replace(setup, coach=COACH), keep=keeping(keeper))
        with pytest.raises(Leave):
            Evening().play_at(Typed(), session, copying(keeper))
    assert session.record == load_record(tmp_path / "game.txt")
    assert len(session.record.undone) >= 1


# --- what is kept of a game, and what of its choices -------------------------------------------------------


@pytest.mark.parametrize("typed", ["quit\n", "log\nquit\n", ""])
@pytest.mark.parametrize("seat", ["1", "2"])
def test_a_game_in_which_the_person_has_not_moved_is_not_kept(
    typed: str, seat: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))
    words = ("play", "random", "--rules", "house", "--seed", "4", "--coach", "flat:sims=2", "--seat", seat)
    done = call(*words, typed=typed)
    assert "The game is not kept, for you have not moved in it\n" in done.out + done.err
    assert done.code == (0 if typed else 2)
    assert list((tmp_path / "games").iterdir()) == []
    before = call("play", "--resume")
    assert (before.code, before.out) == (2, "")
    assert "no unfinished game lies in" in before.err
    call(*words, typed="1\nquit\n")
    assert len(list((tmp_path / "games").iterdir())) == 1


def test_a_round_in_which_nobody_has_moved_is_gone_on_with_from_the_one_before(tmp_path: Path) -> None:
    path, line = tmp_path / "a.txt", ("--coach", "flat:sims=2")
    begin = ("play", "random", "--rules", "mini-7", "--seed", "2", "--to", "500", "--record", str(path), *line)
    done = call(*begin, typed="1\n1\n")
    assert load_record(path).outcome is not None  # the second move ends the round
    said = f"The game is not kept, for you have not moved in it; the match goes on with: {RESUME} {path}\n"
    assert said in done.out + done.err
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
    again = call("play", "--resume", str(path), typed="quit\n")
    assert again.code == 0
    assert "round 2" in again.out.lower()


def test_a_resumed_game_and_the_rounds_after_it_keep_coach_and_belief_unless_others_are_named(tmp_path: Path) -> None:
    path, belief = tmp_path / "a.txt", "particles,particles=50,model=greedy"
    match = ("play", "random", "--seed", "4", "--to", "500", "--record", str(path))
    call(*match, "--coach", "flat:sims=7", "--belief", belief, typed="1\nquit\n")
    assert (load_record(path).coach, load_record(path).belief) == ("flat:sims=7", belief)
    resumed = call("play", "--resume", str(path), typed="hint\nbelief\n1\nquit\n")
    assert "7 simulations" in resumed.out or "sims=7" in resumed.out
    assert (load_record(path).coach, load_record(path).belief) == ("flat:sims=7", belief)
    move = replay(load_record(path)).legal_actions()[0]
    call("play", "--resume", str(path), "--coach", "flat:sims=9", typed=f"{move}\nquit\n")
    assert (load_record(path).coach, load_record(path).belief) == ("flat:sims=9", belief)
    following = replace(saved_game(load_record(path)).setup, match=MatchRound(500, 2, (0, 0)))
    assert (following.coach, following.belief) == ("flat:sims=9", belief)


# --- rematch ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "seed"), [("s", 4), ("same", 4), ("n", None), ("yes", None)])
def test_a_rematch_is_of_the_same_cards_or_of_new_ones_with_seats_swapped(
    typed: str, seed: int | None, tmp_path: Path
) -> None:
    setup = Setup(preset("mini-7"), 4, 0, "random")
    terminal = Answering("what", typed)
    following, _ = evening(terminal, setup, tmp_path / "game.txt")
    assert following is not None
    assert following.seat == 1
    assert (following.seed == 4) == (seed == 4)
    assert "'what' is no answer here: type s, n or Enter." in terminal.text


@pytest.mark.parametrize("typed", ["", "no", "q"])
def test_no_rematch(typed: str, tmp_path: Path) -> None:
    assert evening(Answering(typed), Setup(preset("mini-7"), 4, 0, "random"), tmp_path / "game.txt")[0] is None


def test_the_question_fits_a_line_of_80_columns(tmp_path: Path) -> None:
    for practice in (True, False):
        terminal = Answering("")
        evening(terminal, Setup(preset("mini-7"), 4, 0, "random", practice=practice), tmp_path / f"{practice}.txt")
        assert len(terminal.asked[-1]) + len("> ") <= 80


# --- matches ---------------------------------------------------------------------------------------------


def test_a_match_in_a_pipe_goes_on_after_every_break(tmp_path: Path) -> None:
    """Each run is given one line; the next goes on where it ended, in mid-round or after a round."""
    path = tmp_path / "game.txt"
    line = ("--coach", "flat:sims=2")
    done = call(*SHORT[:-2], "--to", "30", "--record", str(path), *line, typed="1\n")
    for number in range(200):
        rounds = sorted(tmp_path.glob("*.txt"), key=lambda one: load_record(one).match.round)  # type: ignore[union-attr]
        if "THE MATCH" in done.out:
            break
        done = call("play", "--resume", str(rounds[-1]), *line, typed="1\n" if number % 2 else "wild red\n1\n")
        assert done.code in (0, 2), done.err
    records = [load_record(one) for one in rounds]
    assert len(records) > 1
    assert [one.name for one in rounds] == ["game.txt", *(f"game-{n}.txt" for n in range(2, len(rounds) + 1))]
    score = (0, 0)
    for number, record in enumerate(records, 1):
        assert record.match is not None
        assert (record.match.round, record.match.to) == (number, 30)
        seat = record.players.index("human")
        assert seat == (number + 1) % 2
        assert (record.match.score[seat], record.match.score[1 - seat]) == score
        assert record.outcome is not None
        after = record.match.score_after(round_score(Session(Setup(record.rules, 0, 0, "random"), record).game))
        score = after[seat], after[1 - seat]
    assert max(score) >= 30
    assert f"THE MATCH · you {score[0]} : {score[1]} opponent · {len(records)} rounds" in done.out


def test_a_round_that_ended_is_gone_on_from_only_if_the_next_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path))
    setup = Setup(preset("mini-7"), 4, 0, "random", MatchRound(500))
    first = tmp_path / "a.txt"
    following, _ = evening(Answering(""), setup, first)
    assert following is not None
    assert newest() == first
    second = tmp_path / "a-2.txt"
    save_record(second, following.record(()))  # of a round in which nobody has moved: as good as none
    assert newest() == latest_round(first) == first
    second.unlink()
    evening(Answering("q"), following, second)
    assert newest() == latest_round(first) == second


def test_rounds_lie_beside_each_other(tmp_path: Path) -> None:
    for name, number, expected in (("a.txt", 2, "a-2.txt"), ("a-2.txt", 3, "a-3.txt"), ("a-9.txt", 10, "a-10.txt")):
        with round_file(tmp_path / name, number) as file:
            assert file.path.name == expected
    (tmp_path / "a-2.txt").write_text("something else")
    with round_file(tmp_path / "a.txt", 2) as file:
        assert file.path.name == "a-2-2.txt"


@pytest.mark.parametrize("height", [24, 16, 10])
def test_the_score_is_in_sight_however_long_the_log_is(height: int) -> None:
    one = replace(found("house", lambda seen: len(seen.hand) > 9, 110, 43), match=MatchRound(500, 3, (120, 85)))
    own, other = (120, 85)[one.seat], (120, 85)[1 - one.seat]
    lines = in_sight(one, 80, height)
    assert sum(f"ound 3 · YOU {own} : {other} OPPONENT" in line for line in lines) == 1, lines


def test_the_first_line_says_that_it_is_practice() -> None:
    one = replace(found("house", opening), match=MatchRound(500, 3, (120, 85)), practice=True)
    assert text_of(screen(one, 80)).startswith(f"UNO  practice · you are player {one.seat + 1} · rules house")
    assert len(PRACTICE_PROMPTS[0]) <= 80


@pytest.mark.parametrize("seat", [0, 1])
def test_the_end_of_a_round_shows_the_hand_the_last_draw_and_the_points(seat: int) -> None:
    drawn = exhausted = 0
    for seed in range(60):
        game = Game.new(preset("mini-9"), seed)
        while not game.over:
            game.apply(game.legal_actions()[0])
        scored = round_score(game)
        match = MatchRound(500, 2, (30, 40))
        text = text_of(points(Setup(preset("mini-9"), seed, seat, "random", match), match, scored))
        after = match.score_after(scored)
        assert f" MATCH TO 500 · you {after[seat]} : {after[1 - seat]} opponent · 2 rounds" in text
        if scored.winner is None:
            exhausted += 1
            assert "nobody emptied the hand, no points" in text
            continue
        who = "You score" if scored.winner == seat else "The opponent scores"
        assert f"{who} {scored.points} point" in text
        assert str(scored.hand - scored.drawn) in text
        if scored.drawn:
            drawn += 1
            assert f"for the last card {scored.drawn} = " in text
        assert max(map(len, text.splitlines())) <= 80
    assert drawn
    assert exhausted


@needs_terminals
def test_a_match_is_killed_between_two_rounds_and_in_one_and_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    more = {"UNO_POMDP_GAMES": str(folder)}
    person = Seated("random", "--rules", "mini-7", "--seed", "4", "--to", "500", **more)
    play_round(person)
    person.child.kill(signal.SIGKILL)  # after the round, before the next is dealt
    person.child.expect(pexpect.EOF)
    (first,) = folder.glob("*.txt")
    person = Seated("--resume", **more)
    shown = plain(person.sees(PROMPT))
    assert "round 2 · YOU" in shown
    person.types("1")
    person.sees(f"{PROMPT}|Enter: round|{COLOUR}")
    person.child.kill(signal.SIGKILL)
    person.child.expect(pexpect.EOF)
    second = first.with_name(f"{first.stem}-2.txt")
    before = load_record(second)
    assert before.moves
    person = Seated("--resume", **more)
    if before.outcome is None:
        assert "round 2 · YOU" in plain(person.sees(PROMPT))
        person.types("quit")
        person.ends(0)
        assert load_record(second).moves[: len(before.moves)] == before.moves
    else:
        assert "round 3 · YOU" in plain(person.sees(PROMPT))
        person.types("quit")
        person.ends(0)


def play_round(person: Seated) -> None:
    """Take the first card offered until the round is over."""
    while (seen := person.child.expect([PROMPT, r"Which colour\? [^>]*> ", r"Enter: round 2"])) != 2:
        person.types("1" if seen == 0 else "r")


def test_after_a_match_nothing_follows_without_a_person(tmp_path: Path) -> None:
    session = Session(Setup(preset("mini-7"), 4, 0, "random"))
    while not session.over:
        session.move(session.game.legal_actions()[0]) if session.awaits_person else session.answer()
    terminal = Answering()  # the end of input is a no
    with SavedFile(tmp_path / "game.txt") as file:
        person = Person(terminal, session, copying(Keeper(file, RESUME)), {})
        assert ask_what_next(terminal, person) is Afterwards.NOTHING
