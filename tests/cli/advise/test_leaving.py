"""However `advise` is left, the game is not lost without a word; and the number of a move is as good as its name."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from tests.cli.advise.test_command import DEAL, at_prompt
from tests.cli.inside import call, in_words
from uno_pomdp.advise.advisor import Advisor
from uno_pomdp.cli.advise.command import NOT_KEPT
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.game.notation import load_record, parse_record

COACH = "--coach", "flat:sims=60"
LINES = [*DEAL.splitlines(), "r5", "r2"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where tables are saved whose file nobody has named."""
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))
    return tmp_path / "games" / "tables"


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError, "quit", Leave(129, "ended by SIGHUP", hung_up=True)])
def test_a_game_is_saved_at_every_entry_and_the_last_one_is_offered_and_gone_on_with(
    end: str | type[BaseException] | BaseException, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    done, _ = at_prompt([*DEAL.splitlines(), "r5", end], monkeypatch)
    (path,) = home.iterdir()
    assert [str(move.action) for move in load_record(path).moves] == ["R5"]
    if isinstance(end, Leave):
        assert (done.code, done.err) == (129, "")
    else:
        assert done.code == (130 if end is KeyboardInterrupt else 0)
        assert f"Saved in {path}: `uno-pomdp advise --resume {path}` goes on with it." in done.out
    when = f"{datetime.fromtimestamp(path.stat().st_mtime):%m-%d %H:%M}"
    offered, _ = at_prompt(["quit"], monkeypatch)
    assert f"The table of {when} is unfinished; go on with: uno-pomdp advise --resume\n" in offered.out
    assert list(home.iterdir()) == [path]  # nothing was entered
    again = call("advise", "--resume", typed="r2\n")
    assert again.code == 0, again.err
    assert [str(move.action) for move in load_record(path).moves] == ["R5", "R2"]


def test_a_file_of_entries_is_not_saved_besides(home: Path) -> None:
    assert call("advise", *COACH, typed=DEAL).code == 0
    assert not home.exists()
    done = call("advise", "--resume")
    assert done.code == 2
    assert done.err == f"uno-pomdp: no unfinished table lies in {home}: name its file, as in --resume table.txt\n"


def test_a_table_goes_on_with_its_coach_and_its_belief_unless_others_are_named(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    belief = "particles,particles=50,model=greedy"
    given = ("--coach", "flat:sims=7", "--belief", belief, "--save", str(path))
    assert call("advise", *given, typed=DEAL).code == 0
    assert (load_record(path).coach, load_record(path).belief) == ("flat:sims=7", belief)
    told = json.loads(call("advise", str(path), "--json").out)
    assert told["coach"] == "flat:sims=7"
    call("advise", "--resume", str(path), "--coach", "flat:sims=9", typed="r5\n")
    assert (load_record(path).coach, load_record(path).belief) == ("flat:sims=9", belief)


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError, "quit"])
def test_a_game_that_lies_nowhere_is_printed_and_can_be_gone_on_with(
    end: str | type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "games").touch()  # no folder can be made of it
    done, _ = at_prompt([*LINES, end], monkeypatch)
    assert done.code == (130 if end is KeyboardInterrupt else 0)
    words, _, text = done.out.rpartition("goes on with it:")
    assert NOT_KEPT in " ".join(words.split())
    assert "NOT SAVED: " in words
    assert [str(move.action) for move in parse_record(text.lstrip("\n")).moves] == ["R5", "R2"]
    (tmp_path / "mine.txt").write_text(text.lstrip("\n"), encoding="utf-8")
    told = json.loads(call("advise", *COACH, "--resume", str(tmp_path / "mine.txt"), "--json").out)
    assert told["moves"] == 2


def test_a_person_is_told_at_once_that_the_game_is_saved_and_then_where_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path
) -> None:
    done, _ = at_prompt([*LINES, f"save {tmp_path}/x.txt", "r7", KeyboardInterrupt], monkeypatch)
    assert "undo takes the last entry back; the game is saved at every entry.\n" in done.out
    assert list(home.iterdir()) == []  # its file stood in for the one that was named
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
    assert "Saved in " in done.out


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
