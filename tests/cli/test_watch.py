"""`uno-pomdp watch`: every move of both, both hands, a belief against the truth, and how it stands."""

import json
import re
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest
from rich.console import Console

from tests.cli.command import uno
from tests.cli.inside import call
from tests.cli.test_views import printed
from uno_pomdp.agents.agent import Decision
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import card_name
from uno_pomdp.cli.commands import watch
from uno_pomdp.cli.stopping import Stopped
from uno_pomdp.cli.ui import annotated_game
from uno_pomdp.cli.ui.annotated_game import play_annotated
from uno_pomdp.cli.ui.spectator import Spectator
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import replay
from uno_pomdp.rules import preset

AGENTS: Final = ("heuristic", "baseline")
SCREEN: Final = Path(__file__).parent / "screens" / "watch.txt"
MOVE: Final = re.compile(r" *(\d+)  +(\d+ : \d+) +(player [12]) (.*)")


@cache
def screens(rules: str = "house", seed: int = 4, seat: int = 0) -> list[str]:
    """Return the screens of a whole game, the deal first."""
    spectator, found = Spectator(AGENTS, seat), []

    def look(game: Game, decision: Decision | None) -> None:
        spectator.look(game, decision)
        found.append("\n".join(printed(spectator.screen(80, 24))) + "\n")

    play_annotated(preset(rules), AGENTS, seed, look)
    return found


def test_the_screen_is_the_golden_one() -> None:
    """Write it anew with `python -m tests.cli.test_watch`."""
    assert screens()[12] == SCREEN.read_text(encoding="utf-8")


def test_the_log_of_a_screen_has_the_sizes_of_both_hands_under_their_heads() -> None:
    for number, screen in enumerate(screens()[1:], 1):
        lines = screen.splitlines()
        head = next(place for place, line in enumerate(lines) if " P1 : P2  move ─" in line)
        colon = lines[head].index(":")
        last = next(line for line in lines[head:] if line.startswith(f"{number:>3}  "))
        held = [int(found[1]) for line in lines if (found := re.search(r"player [12], \w+ +(\d+) card", line))]
        assert last[colon] == ":"
        assert [int(last[colon - 3 : colon]), int(last[colon + 1 : colon + 4])] == held


def test_a_screen_fits_80_columns_and_24_lines_while_hands_are_short() -> None:
    for screen in screens()[:14]:
        lines = screen.splitlines()
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
        assert all(card_name(card) in row[4] for card in move.drawn)
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


def test_a_terminal_gets_a_live_screen_and_then_the_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    file, waited = StringIO(), list[float]()
    terminal = Console(file=file, force_terminal=True, width=80, height=24, highlight=False, _environ={})
    for module in (watch, annotated_game):
        monkeypatch.setattr(module, "out", terminal)
    monkeypatch.setattr("uno_pomdp.cli.commands.watch.time.sleep", waited.append)
    watch.watch(preset("mini-9"), AGENTS, 3, 1, 0.25, None, as_json=False)
    text = file.getvalue()
    moves = len(play_annotated(preset("mini-9"), AGENTS, 3).record.moves)
    assert waited == [0.25] * (moves + 1)
    assert text.count("what player 2 can know of player 1's hand") >= moves + 1
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
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
    monkeypatch.setattr(watch, "out", page)
    with pytest.raises(Stopped):
        watch.watch(preset("house"), AGENTS, 3, 0, 0.0, tmp_path / "game.txt", as_json=False)
    record = load_record(tmp_path / "game.txt")
    assert record.outcome is None
    assert record.moves


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
    ],
)
def test_what_can_not_be_done_is_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    done = call("watch", *arguments)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith(f"uno-pomdp: {sentence}")
    assert "Traceback" not in done.err


if __name__ == "__main__":
    SCREEN.parent.mkdir(exist_ok=True)
    SCREEN.write_text(screens()[12], encoding="utf-8")
