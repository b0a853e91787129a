"""`play` in this process: many games, saving, resuming, leaving; and in a pipe, as a process of its own."""

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.cli.command import uno
from tests.cli.inside import call
from uno_pomdp.agents.agent import Budget, Decision
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.cards import COLOUR_NAMES, card_name, colour_of
from uno_pomdp.cli.commands.play import play
from uno_pomdp.cli.keeping import Keeper
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.interfaces import PipeInterface, PlayerInterface, TerminalInterface
from uno_pomdp.cli.play.saves import new_file, newest, resumed, write_copy
from uno_pomdp.cli.play.session import RESUME, Evening, copying, keeping
from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.errors import PlaceTaken, UnoError, UnusableFile
from uno_pomdp.files import SavedFile
from uno_pomdp.game.actions import Action
from uno_pomdp.game.deal import Deal, Midgame
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import GameRecord, record_of, replay
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import PRESETS, preset
from uno_pomdp.session.opponent import lead_opponent
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup

COACH = "flat:sims=20"


class Typist:
    """Types random legal moves, in many spellings, with a wrong one now and then."""

    def __init__(self, seed: int, mistakes: bool = False, leave_after: int = 10_000) -> None:
        self.chance = random.Random(seed)
        self.mistakes = mistakes
        self.left = leave_after
        self.view: SeatView | None = None

    def types(self, question: str) -> str:
        """Return the next line."""
        assert self.view is not None
        seen = self.view.now
        if question:
            return self.chance.choice([name for n, name in enumerate(COLOUR_NAMES) if n in self.view.rules.colours])
        if self.mistakes and self.chance.random() < 0.2:
            return self.chance.choice(["", "x", "0", "99", "?", "log", "hint", "belief", "keep it", "draw", "r9", "w"])
        if not self.left:
            raise Leave
        self.left -= 1
        return spelled(self.chance.choice(seen.legal_actions()), self.chance)


def spelled(action: Action, chance: random.Random) -> str:
    """Return a way to write an action."""
    if action.card is None or action.colour is None:
        return chance.choice([str(action), str(action)[0], str(action).upper()])
    colour, name = COLOUR_NAMES[action.colour], card_name(action.card)
    if name in ("W", "W4"):
        word = "wild" if name == "W" else chance.choice(["+4", "wild +4"])
        return chance.choice([str(action), f"{word} {colour}", f"{colour} {word}", word])
    return chance.choice([name, name.lower(), f"{colour} {name[1:]}"])


class TypedTerminal(TerminalInterface):
    """A terminal of 80 columns without colour at which a typist sits."""

    def __init__(self, typist: Typist) -> None:
        super().__init__(Console(file=StringIO(), width=80, height=24, color_system=None, force_terminal=True))
        self.typist = typist

    def turn(self, view: SeatView) -> None:
        """Draw the screen."""
        self.typist.view = view
        super().turn(view)

    def ask(self, question: str) -> str:
        """Return what is typed."""
        return "" if question.startswith("Enter") else self.typist.types(question)

    @property
    def text(self) -> str:
        """All that was shown."""
        assert isinstance(self.console.file, StringIO)
        return self.console.file.getvalue()


class TypedPipe(PipeInterface):
    """A pipe into which a typist writes; it sees what the person would."""

    def __init__(self, typist: Typist) -> None:
        super().__init__(Console(file=StringIO(), width=80, color_system=None))
        self.typist = typist

    def turn(self, view: SeatView) -> None:
        """Show the position."""
        self.typist.view = view
        super().turn(view)

    def ask(self, question: str) -> str:
        """Return what is typed; a colour left out is written after all."""
        return self.typist.types(question)


def kept(
    terminal: PlayerInterface, setup: Setup, path: Path, coach: str, given: GameRecord | None = None
) -> GameRecord:
    """Play a game that is saved in a file."""
    with SavedFile(path) as file:
        file.accept()
        keeper = Keeper(file, RESUME)
        session = Session(replace(setup, coach=coach), given, keeping(keeper))
        Evening().play_at(terminal, session, copying(keeper))
        return session.record


def no_copy(record: GameRecord, name: str) -> str:
    """Save no copy either."""
    del name
    unsaved(record)
    return ""


def played(terminal: PlayerInterface, setup: Setup) -> GameRecord:
    """Play a game on a disk that is full."""
    session = Session(replace(setup, coach=COACH), keep=unsaved)
    Evening().play_at(terminal, session, no_copy)
    return session.record


def setup_of(rules: str, seed: int, opponent: str = "greedy") -> Setup:
    """Return a game at either seat."""
    return Setup(preset(rules), seed, seed % 2, opponent)


def test_a_thousand_games_are_played_to_their_end_and_lie_on_disk_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # no power cut is tested here, and a disk takes its time
    path = tmp_path / "game.txt"
    counts = {
        "mini-7": 800,
        "mini-9": 80,
        "mini-12": 35,
        "mini-10": 30,
        "mini-bluff": 30,
        "house": 8,
        "pass": 4,
        "printed": 5,
        "stacking": 4,
        "party": 4,
    }
    assert set(counts) == set(PRESETS)
    assert sum(counts.values()) == 1000
    won = 0
    for rules, games in counts.items():
        for seed in range(games):
            setup = setup_of(rules, seed)
            record = kept(TypedPipe(Typist(seed)), setup, path, COACH)
            assert record.outcome is not None
            assert load_record(path) == record
            assert replay(record).outcome == record.outcome
            assert record.players[setup.seat] == "human"
            won += record.outcome.result(setup.seat) > 0
    assert 300 < won < 700  # random play against greedy


@pytest.mark.parametrize("rules", ["house", "printed", "party"])
def test_mistakes_and_questions_change_nothing_and_every_screen_fits_80_columns(rules: str, tmp_path: Path) -> None:
    for seed in range(3):
        setup = setup_of(rules, seed)
        terminal = TypedTerminal(Typist(seed, mistakes=True))
        record = kept(terminal, setup, tmp_path / "game.txt", COACH)
        assert replay(record).outcome is not None
        plain = terminal.text.replace("\x1b[2J", "").replace("\x1b[H", "")
        assert "\x1b" not in plain
        assert max(map(len, plain.splitlines())) <= 80


# --- saving and resuming ---------------------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["random", "flat:sims=24", "pomcp:sims=30"])
def test_a_game_left_anywhere_and_resumed_goes_on_as_if_nothing_had_been(opponent: str, tmp_path: Path) -> None:
    setup = setup_of("house", 4, opponent)
    moves = Scripted(Typist(1))
    whole = kept(moves, setup, tmp_path / "whole.txt", COACH)
    own = len(moves.typed)
    for left in sorted({1, own // 2, own - 1}):
        path = tmp_path / f"{left}.txt"
        with pytest.raises(Leave):
            kept(Replayed(moves.typed[:left]), setup, path, COACH)
        again = resumed(path)
        assert again.setup == replace(setup, coach=COACH)
        assert kept(Replayed(moves.typed[left:]), again.setup, path, COACH, again.record) == whole
        assert load_record(path) == whole


class Scripted(TypedPipe):
    """Keeps what was typed."""

    def __init__(self, typist: Typist) -> None:
        super().__init__(typist)
        self.typed: list[str] = []

    def ask(self, question: str) -> str:
        """Return what is typed."""
        assert self.typist.view is not None
        assert not question
        self.typed.append(str(self.typist.chance.choice(self.typist.view.now.legal_actions())))
        return self.typed[-1]


class Replayed(PipeInterface):
    """Types given lines, then leaves."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(Console(file=StringIO(), width=80, color_system=None))
        self.lines: Iterator[str] = iter(lines)

    def ask(self, question: str) -> str:
        """Return the next line."""
        del question
        for line in self.lines:
            return line
        raise Leave


def test_an_agent_with_a_time_budget_follows_a_saved_game_without_deciding_again() -> None:
    class Unasked(ScriptedAgent):
        budget: Budget | None = Budget(milliseconds=1)

        def decide(self) -> Decision:
            raise AssertionError("it can't decide the same again")

    agent = Unasked(0)
    agent.name = "unasked"
    game = Game.new(preset("mini-7"), 7)
    game.apply(game.legal_actions()[0])
    lead_opponent(agent, game, 0, 1)
    assert agent.observation == game.observation(0)
    agent.budget = None
    with pytest.raises(AssertionError, match="decide the same"):
        lead_opponent(agent, game, 0, 1)


def test_what_thinks_by_the_clock() -> None:
    assert make_agent("flat:ms=5").timed
    assert make_agent("pomcp:ms=5").timed
    assert not make_agent("ismcts:sims=5").timed
    assert not ScriptedAgent(0).timed


def unfinished(setup: Setup, moves: int = 4) -> GameRecord:
    """Return a game after some first legal actions."""
    game = Game.new(setup.rules, setup.seed)
    for _ in range(moves):
        game.apply(game.legal_actions()[0])
    return record_of(game, setup.players)


@pytest.mark.parametrize(("seat", "told"), [(0, "you 120, opponent 60"), (1, "you 60, opponent 120")])
def test_a_round_begins_with_the_persons_own_points_first(seat: int, told: str, tmp_path: Path) -> None:
    setup = Setup(preset("mini-9"), 5, seat, "greedy", match=MatchRound(500, 3, (120, 60)))
    save_record(tmp_path / "round.txt", setup.record(()))
    done = call("play", "--resume", str(tmp_path / "round.txt"), typed="quit\n")
    assert f"round 3 of a match to 500; {told}\n" in done.out, done.err


def test_the_newest_unfinished_game_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))
    with pytest.raises(UnusableFile, match="no unfinished game lies in"):
        newest()
    noon = datetime(2026, 1, 2, 12, 0, 0)
    paths = []
    for nth in range(3):
        with new_file(None, noon) as file:
            save_record(file.path, unfinished(setup_of("house", nth)))
            paths.append(file.path)
    assert [path.name for path in paths] == [f"2026-01-02-120000{end}.txt" for end in ("", "-2", "-3")]
    for age, path in enumerate(paths):
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    assert newest() == paths[0]
    kept(TypedPipe(Typist(1)), resumed(paths[0]).setup, paths[0], COACH)
    os.utime(paths[0], (2_000_000, 2_000_000))
    assert newest() == paths[1]


def test_a_game_is_not_written_over_another(tmp_path: Path) -> None:
    mine, other = setup_of("house", 1), setup_of("house", 2)
    path = tmp_path / "game.txt"
    write_copy(path, unfinished(mine, 2))
    write_copy(path, unfinished(mine, 5))
    assert len(load_record(path).moves) == 5
    with pytest.raises(PlaceTaken, match="is not this game: name another file"):
        write_copy(path, unfinished(other))
    (tmp_path / "notes.txt").write_text("shopping", encoding="utf-8")
    with pytest.raises(PlaceTaken, match="is not this game"):
        write_copy(tmp_path / "notes.txt", unfinished(mine))
    with pytest.raises(PlaceTaken, match="is there already: name another file"):
        new_file(path, datetime(2026, 1, 2))


def test_what_can_not_be_resumed_is_refused_with_the_reason(tmp_path: Path) -> None:
    setup = setup_of("mini-7", 7)
    path = tmp_path / "game.txt"
    refusals = {
        "can't be read: No such file": None,
        "is no record of a game: line 1": "nonsense",
    }
    for reason, text in refusals.items():
        if text is not None:
            path.write_text(text, encoding="utf-8")
        with pytest.raises(UnusableFile, match=reason):
            resumed(path)
    save_record(path, record_of(Game.new(setup.rules, 7), ("random", "random")))
    with pytest.raises(UnusableFile, match="has to be called human"):
        resumed(path)
    save_record(path, record_of(Game.from_deal(setup.rules, Game.new(setup.rules, 8).deal, 7), setup.players))
    with pytest.raises(UnusableFile, match="are not those of its seed"):
        resumed(path)
    game = Game.new(setup.rules, 7)
    game.apply(game.legal_actions()[0])
    position = Deal(game.deal.top, game.deal.hands, game.deal.pile, Midgame(colour_of(game.deal.top) or 0))
    begun = record_of(Game.from_deal(setup.rules, position, 7), setup.players)
    save_record(path, begun)
    with pytest.raises(UnusableFile, match="is more than a deal and its moves: it can be read, but not resumed"):
        resumed(path)
    path.unlink()
    kept(TypedPipe(Typist(1)), setup, path, COACH)
    with pytest.raises(UnusableFile, match=r"is over, .* `uno-pomdp analyze"):
        resumed(path)


def unsaved(record: GameRecord) -> None:
    """Save nothing."""
    del record
    raise UnusableFile("the disk is full")


def test_a_disk_that_takes_nothing_more_does_not_end_the_game() -> None:
    terminal = TypedTerminal(Typist(3))
    record = played(terminal, setup_of("mini-7", 3))
    assert record.outcome is not None
    assert "NOT SAVED: the disk is full" in terminal.text


# --- a pipe ----------------------------------------------------------------------------------------------


def moves_of(setup: Setup) -> list[str]:
    """Return what a random typist types in a whole game."""
    moves = Scripted(Typist(5))
    played(moves, setup)
    return moves.typed


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Return the moves of player 2 in a game."""
    return moves_of(Setup(preset("house"), 11, 1, "heuristic"))


def test_a_whole_game_in_a_pipe(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ["play", "heuristic", "--seat", "2", "--seed", "11", "--coach", COACH, "--record", str(path)]
    done = uno(*arguments, stdin="# my moves\n" + "\n".join(lines) + "\n")
    record = load_record(path)
    assert record.outcome is not None
    assert done.stdout.startswith("rules house; you are player 2 against heuristic\n")
    for number in range(1, len(record.moves) + 1):
        assert f"\n{number}. " in done.stdout
    assert str(record.outcome.reason) in done.stdout
    assert "> " not in done.stdout
    assert "\x1b" not in done.stdout
    assert "Luck" in done.stdout
    assert str(path) in done.stdout.replace("\n", "")


@pytest.mark.parametrize("how", [["--resume"], []], ids=["--resume FILE", "FILE"])
def test_moves_that_end_too_early_and_the_rest_later(how: list[str], lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ["play", "heuristic", "--seat", "2", "--seed", "11", "--coach", COACH]
    done = uno(*arguments, "--record", str(path), stdin="\n".join(lines[:3]), code=2)
    assert done.stderr.startswith("uno-pomdp: the moves end before the game does\n")
    assert f"uno-pomdp play --resume {path}" in done.stderr
    assert call("play", *how, str(path), "--coach", COACH, typed="\n".join(lines[3:])).code == 0
    assert load_record(path).outcome is not None


def test_a_wrong_move_in_a_pipe_ends_it_with_its_line_and_reason(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ["play", "heuristic", "--seat", "2", "--seed", "11", "--record", str(path)]
    done = call(*arguments, typed=f"{lines[0]}\n# a comment\nred 77\n{lines[1]}\n")
    assert done.code == 2
    assert done.err.startswith("uno-pomdp: line 3: 'red 77' is no move: ")
    assert load_record(path).outcome is None


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"agent": "nobody"}, "no agent is called 'nobody'"),
        ({"coach": "nobody"}, "no agent is called 'nobody'"),
        ({"coach": "greedy"}, "greedy can't be a coach"),
        ({"rules": "nope"}, "no rules are called 'nope'"),
        ({"seed": 2**64}, "is no deal seed"),
        ({"resume": True, "agent": "x.txt", "seed": 3}, "a saved game has its own seat, seed, rules and file"),
        ({"resume": True}, "no unfinished game lies in"),
        ({}, "can't be made: Not a directory; name a file with --record"),
    ],
)
def test_a_request_that_can_not_be_met_is_refused(
    wrong: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNO_POMDP_GAMES", "/dev/null/games")
    asked: dict[str, Any] = dict.fromkeys(("agent", "seat", "seed", "rules", "record", "coach")) | {"resume": False}
    if "seed" in wrong and "resume" not in wrong:
        asked["record"] = Path("/dev/null/game.txt")
    with pytest.raises(UnoError, match=reason):
        play(**(asked | wrong))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--resume", "missing.txt"], "uno-pomdp: missing.txt can't be read: No such file or directory\n"),
        (["--record", "/dev/null/x"], "uno-pomdp: /dev/null/x can't be written: Not a directory\n"),
    ],
)
def test_a_refusal_is_one_sentence_and_exit_code_2(arguments: list[str], reason: str) -> None:
    done = call("play", *arguments)
    assert (done.code, done.err) == (2, reason)
