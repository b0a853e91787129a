"""However `advise` is left, the game is not lost without a word; and the number of a move is as good as its name."""

import json
from pathlib import Path

import pytest

from tests.cli.advise.test_command import DEAL, at_prompt
from tests.cli.inside import call, in_words
from uno_pomdp.advise.advisor import Advisor
from uno_pomdp.cli.advise.command import NOT_KEPT
from uno_pomdp.game.notation import parse_record

COACH = "--coach", "flat:sims=60"
LINES = [*DEAL.splitlines(), "r5", "r2"]


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError, "quit"])
def test_a_game_that_lies_nowhere_is_printed_and_can_be_gone_on_with(
    end: str | type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done, _ = at_prompt([*LINES, end], monkeypatch)
    assert done.code == (130 if end is KeyboardInterrupt else 0)
    words, _, text = done.out.rpartition("goes on with it:")
    assert NOT_KEPT in " ".join(words.split())
    assert [str(move.action) for move in parse_record(text.lstrip("\n")).moves] == ["R5", "R2"]
    (tmp_path / "mine.txt").write_text(text.lstrip("\n"), encoding="utf-8")
    told = json.loads(call("advise", *COACH, "--resume", str(tmp_path / "mine.txt"), "--json").out)
    assert told["moves"] == 2


def test_a_person_is_told_at_once_that_the_game_is_not_kept_and_then_where_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done, _ = at_prompt([*LINES, f"save {tmp_path}/x.txt", "r7", KeyboardInterrupt], monkeypatch)
    assert "undo takes the last entry back; save FILE keeps the game." in done.out
    assert "\n\nSaved in " in done.out  # not behind what was being typed
    last = done.out.rpartition("Saved in ")[2]
    assert last == f"{tmp_path}/x.txt: `uno-pomdp advise --resume {tmp_path}/x.txt` goes on with it.\n"
    assert len(parse_record((tmp_path / "x.txt").read_text(encoding="utf-8")).moves) == 3


def test_an_interruption_while_the_coach_thinks_loses_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: Advisor) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Advisor, "advice", stopped)
    done, _ = at_prompt([*DEAL.splitlines()], monkeypatch)
    assert done.code == 130
    assert NOT_KEPT in " ".join(done.out.split())


def test_a_number_is_the_move_that_is_shown_with_it() -> None:
    shown = call("advise", *COACH, typed=DEAL).out.rpartition("type  move")[2].splitlines()[1:]
    moves = dict(line.split()[:2] for line in shown if line[:4].strip().isdigit())
    assert len(moves) > 3
    for number, move in moves.items():
        done = call("advise", *COACH, typed=f"{DEAL}{number}\n")
        assert f"You played {in_words(move)}.\n" in done.out
    assert call("advise", *COACH, typed=f"{DEAL}me 2\n").out.count(f"You played {in_words(moves['2'])}.\n") == 1


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("99\n", "line 4: no move has the number 99: numbers go from 1 to 8; a card is written as in r5"),
        ("0\n", "line 4: no move has the number 0: numbers go from 1 to 8"),
        ("r5\n1\n", "line 5: numbers are those of your own moves: write what the opponent did, as in r5 or draw"),
    ],
)
def test_a_number_that_stands_for_nothing_is_refused(typed: str, sentence: str) -> None:
    done = call("advise", *COACH, typed=DEAL + typed)
    assert done.code == 2
    assert done.err.startswith(f"uno-pomdp: {sentence}")


def test_the_number_of_a_draw_asks_for_the_cards() -> None:
    deal = "me\nr5 r7 y1 g+2 y4 y3 red skip\nb9\n"
    done = call("advise", *COACH, typed=f"{deal}1\n")
    assert done.code == 2
    assert done.err.startswith("uno-pomdp: line 4: 1 is draw: say which you drew, as in draw r5")
