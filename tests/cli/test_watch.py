"""`uno-pomdp watch`: every move of both, both hands, a belief against the truth, and how it stands."""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pexpect
import pytest
from rich.console import Console

from tests.cli.command import TIMEOUT, entry_point, uno
from tests.cli.inside import call
from tests.cli.test_play_terminal import as_at_a_terminal
from tests.cli.watch.games import GOLDEN, golden, lines_of, played, terminal
from uno_pomdp.agents.agent import Decision
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import card_name
from uno_pomdp.cli.options import complete_agent_or_game
from uno_pomdp.cli.stopping import Stopped
from uno_pomdp.cli.ui import annotated_game
from uno_pomdp.cli.ui.annotated_game import play_annotated
from uno_pomdp.cli.watch import live
from uno_pomdp.cli.watch.live import Asked
from uno_pomdp.cli.watch.screen import Look, screen
from uno_pomdp.cli.watch.viewer import RUNNING, WAITS
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import record_of, replay
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.rules import preset
from uno_pomdp.session.watched import WatchedGame

AGENTS: Final = ("heuristic", "baseline")
SCREEN: Final = Path(__file__).parent / "screens" / "watch.txt"
MOVE: Final = re.compile(r" *(\d+)  +(\d+ : \d+) +(player [12]) (.*)")


@cache
def screens(rules: str = "house", seed: int = 4) -> list[str]:
    """Return the screens of a whole game, the deal first."""
    games, found = list[WatchedGame](), []
    console = terminal()

    def look(game: Game, decision: Decision | None) -> None:
        if decision is None:
            games.append(WatchedGame.of_deal(game, AGENTS))
        else:
            games[0].grow(game, decision)
        seen = Look(games[0].timeline.last, footer=RUNNING.format(delay=1.0), waits=WAITS)
        found.append("\n".join(lines_of(screen(games[0], None, seen, console), console)) + "\n")

    play_annotated(preset(rules), AGENTS, seed, look)
    return found


def test_the_screen_is_the_golden_one() -> None:
    """Write it anew with `python -m tests.cli.test_watch`."""
    assert screens()[12] == SCREEN.read_text(encoding="utf-8")


def test_the_log_of_a_screen_has_the_sizes_of_both_hands_under_their_heads() -> None:
    for number, text in enumerate(screens()[1:], 1):
        lines = text.splitlines()
        head = next(place for place, line in enumerate(lines) if " P1 : P2  move ─" in line)
        colon = lines[head].index(":")
        last = next(line for line in lines[head:] if line.startswith(f"{number:>3}  "))
        held = [int(found[1]) for line in lines if (found := re.search(r"player [12], \w+ +(\d+) card", line))]
        assert last[colon] == ":"
        assert [int(last[colon - 3 : colon]), int(last[colon + 1 : colon + 4])] == held


def test_a_screen_fits_80_columns_and_24_lines_while_hands_are_short() -> None:
    for text in screens()[:14]:
        lines = text.splitlines()
        assert len(lines) <= 24
        assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(("rules", "seed"), [("house", 4), ("printed", 2), ("mini-12", 5)])
def test_a_page_has_every_move_and_the_file_the_game(rules: str, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    options = ("--rules", rules, "--seed", str(seed), "--record", str(path))
    done = uno("watch", *AGENTS, *options, COLUMNS="80")
    game = replay(load_record(path))
    assert load_record(path).players == AGENTS
    rows = [each for line in done.stdout.splitlines() if (each := MOVE.fullmatch(line))]
    assert [int(row[1]) for row in rows] == list(range(1, len(game.moves) + 1))
    assert [row[3] for row in rows] == [f"player {move.seat + 1}" for move in game.moves]
    again = Game.from_deal(game.rules, game.deal, game.seed)
    for row, move in zip(rows, game.moves, strict=True):
        again.apply(move.action)
        assert row[2] == f"{len(again.hand(0))} : {len(again.hand(1))}"
        if move.action.card is not None:
            assert row[4].startswith(f"played {card_name(move.action.card)}")
        assert all(card_name(card) in row[4] for card in move.cards)
    assert done.stdout.count("what player 1 can know of player 2's hand") == len(game.moves) + 1
    assert f"\n{game.outcome}\n" in done.stdout
    assert "\x1b[" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    if rules == "mini-12":
        assert uno("watch", *AGENTS, *options, "--force", COLUMNS="80").stdout == done.stdout


@pytest.mark.parametrize("seat", SEATS)
def test_the_document_holds_hands_belief_and_chances_of_every_moment(seat: int) -> None:
    document: dict[str, Any] = json.loads(call("watch", *AGENTS, "--json", "--seat", str(seat + 1), "--seed", "9").out)
    game = Game.new(preset("house"), document["deal_seed"])
    belief = ClosedFormBelief(game.rules, game.observation(seat))
    for number, moment in enumerate([document["deal"], *document["moves"]]):
        if number:
            action = next(each for each in game.legal_actions() if str(each) == moment["action"])
            assert moment["player"] == game.turn + 1
            game.apply(action)
            belief.update(game.events(seat, number - 1), game.observation(seat))
        assert moment["number"] == number
        assert moment["hands"] == [[card_name(card) for card in game.hand(each)] for each in SEATS]
        assert moment["belief"]["player"] == seat + 1
        assert moment["belief"]["nothing_playable"] == belief.nothing_playable()
        cards = moment["belief"]["cards"]
        assert sum(card["expected"] for card in cards.values()) == pytest.approx(len(game.hand(1 - seat)))
        assert moment["belief"] == {"player": seat + 1, "choices": "ignored"} | belief.to_json()
        assert 0.0 <= moment["player_1_wins"] <= 1.0
    assert game.outcome is not None
    assert document["result"] == str(game.outcome)
    assert document["moves"][-1]["player_1_wins"] == (1 + game.outcome.result()) / 2


def plain_of(console: Console) -> str:
    """Return what was printed, without colours and moves of the cursor."""
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a text
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_terminal_without_keys_gets_a_live_screen_and_then_the_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    shown = terminal()
    spinning: list[str] = []

    @contextmanager
    def spinner() -> Iterator[None]:
        before = len(plain_of(shown))
        yield
        spinning.extend(re.findall("Ctrl-C ends it", plain_of(shown)[before:]))

    monkeypatch.setattr(live, "showing_compilation", spinner)
    for module in (live, annotated_game):
        monkeypatch.setattr(module, "out", shown)
    monkeypatch.setattr("uno_pomdp.cli.watch.keys.time.sleep", waited.append)
    monkeypatch.setattr("uno_pomdp.cli.watch.viewer.time.monotonic", lambda: sum(waited))
    live.watch_agents(Asked(preset("mini-9"), AGENTS, 3, 1, 0.25), None, None, as_json=False)
    moves = len(play_annotated(preset("mini-9"), AGENTS, 3).record.moves)
    assert waited == [0.25] * (moves + 1)
    plain = plain_of(shown)
    assert plain.count("what player 2 can know of player 1's hand") == moves + 1
    assert plain.count("Ctrl-C ends it") == moves + 1
    assert not spinning, "a spinner would turn where the keys stand, all the evening"
    assert "One game, rules mini-9" in plain  # what stays when the screen has gone
    assert "luck of player 1" in plain


def test_a_game_that_is_broken_off_is_recorded_as_far_as_it_went(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown: list[object] = []

    def stop(*things: object) -> None:
        shown.extend(things)
        if len(shown) > 5:
            raise KeyboardInterrupt

    page = Console(file=StringIO(), force_terminal=False, width=80)
    monkeypatch.setattr(page, "print", stop)
    monkeypatch.setattr(live, "out", page)
    with pytest.raises(Stopped):
        live.watch_agents(Asked(preset("house"), AGENTS, 3), None, tmp_path / "game.txt", as_json=False)
    record = load_record(tmp_path / "game.txt")
    assert record.outcome is None
    assert record.moves


# --- a saved game ----------------------------------------------------------------------------------------


def test_in_a_pipe_a_saved_game_is_a_list_of_its_moves(tmp_path: Path) -> None:
    record = played("house", 16)
    save_record(tmp_path / "game.txt", record)
    told = call("watch", str(tmp_path / "game.txt")).out.splitlines()
    rows = [each for line in told if (each := MOVE.fullmatch(line))]
    assert [int(row[1]) for row in rows] == list(range(1, len(record.moves) + 1))
    assert [row[3] for row in rows] == [f"player {move.seat + 1}" for move in record.moves]
    timeline = Timeline.of_record(record)
    assert [row[2] for row in rows] == [
        f"{first} : {second}" for first, second in map(timeline.sizes, range(1, timeline.last + 1))
    ]
    assert told[0] == "heuristic v random, rules house"
    assert told[-1] == str(record.outcome)
    assert not any("leave" in line or "\x1b" in line for line in told)


@pytest.mark.parametrize("name", ["mini-12.forgotten", "printed.midgame", "house.match"])
def test_records_of_every_kind_are_printed(name: str) -> None:
    told = call("watch", str(GOLDEN / f"{name}.txt")).out
    record = golden(name)
    assert len(MOVE.findall(told)) == len(record.moves)
    assert ("forgot to say UNO" in told) == ("forgotten" in name)
    assert ("begun in the middle" in told) == ("midgame" in name)


def test_what_is_hidden_is_said_to_be_and_what_was_taken_back_stands_in_its_place() -> None:
    told = call("watch", str(GOLDEN / "printed.midgame.seen.txt")).out
    assert "player 1, random, holds 2 hidden cards" in told
    told = call("watch", str(GOLDEN / "mini-12.practice.txt")).out
    assert [line for line in told.splitlines() if "taken back" in line] == [
        "     taken back here: P1 R0",
        "     taken back here: P2 R0, P1 draw",
    ]


def test_an_unfinished_game_is_watched_as_far_as_it_went(tmp_path: Path) -> None:
    game = Game.new(preset("house"), 3)
    game.apply(game.legal_actions()[0])
    save_record(tmp_path / "game.txt", record_of(game))
    told = call("watch", str(tmp_path / "game.txt")).out.splitlines()
    assert told[0].endswith("rules house, unfinished")
    assert told[-1] == "unfinished"


def test_the_document_of_a_saved_game_is_that_of_the_game_when_it_was_played(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    options = ("--seat", "2", "--json")
    live = json.loads(call("watch", *AGENTS, "--rules", "mini-9", "--record", str(path), *options).out)
    again = json.loads(call("watch", str(path), *options).out)
    assert again.pop("file") == str(path)
    del live["seed"]
    assert again.keys() == live.keys()
    assert [again[name] for name in ("rules", "deal_seed", "players", "result", "luck", "deal")] == [
        live[name] for name in ("rules", "deal_seed", "players", "result", "luck", "deal")
    ]
    thought = ("hope", "candidates", "line", "simulations", "worlds", "note")
    for mine, theirs in zip(again["moves"], live["moves"], strict=True):
        assert mine.keys() == theirs.keys()
        assert {name: mine[name] for name in mine if name not in thought} == {
            name: theirs[name] for name in theirs if name not in thought
        }


# --- what can't be ---------------------------------------------------------------------------------------

SAVED: Final = str(GOLDEN / "mini-9.txt")
SEEN: Final = str(GOLDEN / "printed.midgame.seen.txt")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nobody", "random"), "no agent is called 'nobody'"),
        (
            ("random", "random", "--record", "/nowhere/game.txt"),
            "/nowhere/game.txt can't be written: there is no folder",
        ),
        (("random", "random", "--record", "/tmp"), "/tmp can't be written: it is a folder"),
        (("random", "random", "--rules", "nope"), "no rules are called 'nope'"),
        (("nobody",), "'nobody' is neither an agent nor the file of a game: name two agents, or one file"),
        (("heuristic",), "one agent can't play alone: name two, or the file of a saved game"),
        (("flat:sims=0",), "sims: 0 is not a whole number"),
        (("/tmp",), "/tmp can't be read: Is a directory"),
        ((__file__,), f"{__file__} is no record of a game: line 1"),
        ((SAVED, "random"), f"{SAVED} is no agent: to step through the game in that file, give it alone"),
        (("random", SAVED), f"{SAVED} is no agent: to step through the game in that file, give it alone"),
        ((SAVED, "--seed", "3"), "a saved game has its own deal, rules and file: leave out --seed"),
        ((SAVED, "--delay", "0"), "a saved game has its own deal, rules and file: leave out --delay"),
        ((SAVED, "--rules", "house"), "a saved game has its own deal, rules and file: leave out --rules"),
        ((SAVED, "--record", "x.txt"), "a saved game has its own deal, rules and file: leave out --record"),
        ((SAVED, "--force"), "a saved game has its own deal, rules and file: leave out --force"),
        ((SAVED, "--coach", "greedy"), "greedy can't be a coach"),
        (("random", "random", "--coach", "greedy"), "greedy can't be a coach"),
        ((SEEN, "--seat", "1"), f"{SEEN} is player 2's record: what player 1 could know is not in it"),
        ((SEEN, "--json"), f"{SEEN} is player 2's record, in which cards are hidden: only a whole record can be"),
    ],
)
def test_what_can_not_be_done_is_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    done = call("watch", *arguments)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert done.err.splitlines()[-1].startswith(f"uno-pomdp: {sentence}")
    assert "Traceback" not in done.err


def test_agents_and_saved_games_complete_in_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flattery.txt").touch()
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "game.txt").touch()
    (tmp_path / "flat.html").touch()
    assert [name for name, _ in complete_agent_or_game("fla")] == ["flat", "flattery.txt", "flat/"]
    assert [name for name, _ in complete_agent_or_game("flat/")] == ["flat/game.txt"]
    assert [name for name, _ in complete_agent_or_game("flat:si")] == ["flat:sims="]
    assert complete_agent_or_game("[") == []


# --- at a terminal ---------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_game_of_agents_is_paused_stepped_back_and_left_with_its_record(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    command, *first = entry_point()
    child = pexpect.spawn(
        command,
        [*first, "watch", *AGENTS, "--record", str(path), "--delay", "30", "--coach", "flat:sims=2"],
        env=os.environ | {"PYTHONUTF8": "1", "TERM": "xterm-256color", "NO_COLOR": "1"},
        dimensions=(24, 80),
        encoding="utf-8",
        timeout=TIMEOUT,
        preexec_fn=as_at_a_terminal,
    )
    child.expect_exact("space pauses")
    child.send(" ")
    child.expect_exact("space goes on")
    for move in (1, 2):
        child.send("\x1b[C")
        child.expect(rf"move {move}\b")
    child.send("\x1b[D")
    child.expect(r"flat:sims=2 to player 1 on move 1\b")
    child.send(" ")
    child.expect(r"move 3\b")
    child.expect_exact("space pauses")
    child.send("q")
    child.expect_exact(f"left after 3 moves; the game so far is in {path}"[:70])
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert len(load_record(path).moves) == 3


if __name__ == "__main__":
    SCREEN.parent.mkdir(exist_ok=True)
    SCREEN.write_text(screens()[12], encoding="utf-8")
