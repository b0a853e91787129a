"""`uno-pomdp advise` at a prompt and in a pipe."""

import builtins
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import uno
from tests.cli.inside import Done, call
from uno_pomdp.cli.advise import command
from uno_pomdp.game.notation import load_record

DEAL = "me\nr5 r7 y1 g+2 w4 b3 red skip\nr1\n"
QUICK = "--coach", "heuristic"
SCREEN = Path(__file__).parents[1] / "screens" / "advise.txt"
MIDDLE_SCREEN = SCREEN.with_name("advise-middle.txt")


def test_a_file_is_followed_to_its_end_and_the_record_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    typed = DEAL + "# a comment, then a blank line\n\nr5  # red five\nhe: r2\n"
    done = call("advise", "--coach", "flat:sims=50", "--save", str(path), typed=typed)
    assert done.code == 0, done.err
    assert "The opponent played R2." in done.out
    assert "Top R2 (red); draw pile 93, played 3; opponent holds 6" in done.out
    assert "nothing playable on R2 (red)" in done.out
    assert done.out.count("\nBest ") == 2  # at the deal, and after the opponent's move
    assert max(map(len, done.out.splitlines())) <= 80
    assert [str(move.action) for move in load_record(path).moves] == ["R5", "R2"]


def shown() -> str:
    """Return what is shown of a small game: a penalty, a draw of the opponent, a decision, an entry taken back."""
    typed = "opponent\nr0 y1\nr1\nr+2\ndraw y0 w\nhe draws\nw yellow\nundo\n"
    return call("advise", "--coach", "flat:sims=200", "--rules", "mini-10", typed=typed).out


def test_what_is_shown_is_the_golden_screen() -> None:
    assert shown() == SCREEN.read_text(encoding="utf-8")  # `python -m tests.cli.advise.test_command` writes it anew


def shown_from_the_middle() -> str:
    """Return what is shown of a game from its middle: a debt, hidden played cards, a forgotten UNO, a correction."""
    typed = "opponent\nr0 y1\nr+2\n2\n1\n4\nnone\nopponent forgot uno\ndraw\nlog\nfix hand r0 y0\nr0\nfix 3 y0\n"
    options = ("--coach", "flat:sims=200", "--rules", "mini-10", "--middle")
    done = call("advise", *options, typed=typed)
    return f"{done.out}{done.err}"


def test_what_is_shown_from_the_middle_is_the_golden_screen() -> None:
    assert shown_from_the_middle() == MIDDLE_SCREEN.read_text(encoding="utf-8")


def test_a_saved_game_goes_on_and_keeps_its_file(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    call("advise", *QUICK, "--save", str(path), typed=DEAL + "r5\n")
    done = call("advise", *QUICK, "--resume", str(path), typed="draw\nr7\n")
    assert "The opponent drew 1 card." in done.out
    assert [str(move.action) for move in load_record(path).moves] == ["R5", "draw", "R7"]


def test_what_is_known_before_can_be_given_as_options_and_the_rest_is_asked() -> None:
    done = call("advise", *QUICK, "--hand", "r0 w", "--top", "rs", "--rules", "mini-7", "--json", typed="opponent\n")
    assert json.loads(done.out)["next"] == "opponent"
    done = call("advise", *QUICK, "--first", "opponent", "--hand", "r5 r7", "--top", "r1", "--rules", "mini-7")
    assert done.code == 2
    assert done.err == "uno-pomdp: you can't hold 1 R5: the deck has 0\n"
    done = call("advise", *QUICK, "--first", "opponent", "--hand", "r0 w", "--rules", "mini-7", typed="rs\nr1\n")
    assert done.code == 0
    assert "The opponent played R1." in done.out


def test_the_first_wrong_line_of_a_file_ends_it_with_its_number_and_exit_code_2() -> None:
    done = call("advise", *QUICK, typed=DEAL + "r5\nw w\nr2\n")
    assert done.code == 2
    assert done.err.startswith("uno-pomdp: line 5: 'w w' is nothing that can be done: write a card")
    assert "R2" not in done.out.partition("You played R5.")[2].partition("likeliest")[0]


def test_the_same_in_a_process_of_its_own() -> None:
    done = uno("advise", *QUICK, "--first", "me", "--hand", "w w w w w r1 r2", code=2)
    assert done.stderr == "uno-pomdp: you can't hold 5 W: the deck has 4\n"
    assert done.stdout == ""


def test_undo_and_the_other_words_work_in_a_file_too(tmp_path: Path) -> None:
    words = "r7 undo r5 ? log hand belief r2 best hint".replace(" ", "\n") + "\nhand rs r7 y1 g+2 b3\n"
    done = call("advise", *QUICK, typed=f"{DEAL}{words}save {tmp_path}/x.txt\nquit\nr9\n")
    assert done.code == 0, done.err
    assert "Taken back: R7" in done.out
    assert "take the last entry back" in done.out
    assert "player 1 is you; the first top card was" in done.out
    assert "     you : opp\n  1    6 : 7    you played R5\n" in done.out
    told = " ".join(done.out.split())
    assert "That does not add up: by the entries you also hold W4; an entry is wrong or missing." in told
    assert "Saved in" in done.out
    assert load_record(tmp_path / "x.txt").observer == 0


def test_a_game_is_kept_in_the_file_that_was_named_last_and_never_over_another(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("a letter")
    save = f"save {tmp_path}/x.txt\nr5\nsave\n"
    done = call("advise", *QUICK, typed=f"{DEAL}{save}save {tmp_path}/other.txt\n")
    assert f"line 7: {tmp_path}/other.txt is there already" in done.err
    assert len(load_record(tmp_path / "x.txt").moves) == 1
    assert (tmp_path / "other.txt").read_text() == "a letter"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("undo\n", "line 1: there is nothing to take back: nothing was entered yet"),
        ("belief\n", "line 1: there is no game yet: Who moves first, me or opponent?"),
        ("save\n", "line 1: name the file: save FILE"),
        ("save x\n", "line 1: there is no game to save yet: enter who moves first, your hand and the top card"),
        ("me\nr5 r7\n", "line 2: you are dealt 7 cards, but name 2"),
        (DEAL + "r5\nbest\n", "line 5: there is no move to advise: it is not your turn"),
        (DEAL + "draw b1\n", "line 4: you may draw only with nothing to play, but you can play R5, R7, RS, Y1, W4:R"),
    ],
)
def test_a_refusal_in_a_file_is_one_line(typed: str, message: str) -> None:
    done = call("advise", *QUICK, typed=typed)
    assert done.code == 2
    assert done.err.startswith(f"uno-pomdp: {message}")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "typed", "option"),
    [
        (("--hand", "x"), "", "hand"),
        (("--top", "y0"), "me\n", "top"),
        (("--middle", "--opponent", "3"), "", "opponent"),
    ],
)
def test_an_answer_that_nobody_read_before_the_end_of_the_input_is_refused(
    options: tuple[str, ...], typed: str, option: str
) -> None:
    done = call("advise", *QUICK, *options, typed=typed)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"the input ends before --{option} is read; answer this first: " in done.err
    assert call("advise", *QUICK, *options, typed=f"{typed}quit\n").code == 0, "who leaves may"


def test_json_is_one_document_and_nothing_else() -> None:
    done = call("advise", "--coach", "flat:sims=50", "--json", typed=DEAL + "r5\ndraw\n")
    found = json.loads(done.out)
    assert found["moves"] == 2
    assert found["hand"] == "R7 RS Y1 G+2 B3 W4"
    assert found["opponent"] == 8
    assert found["next"] == "you"
    assert sum(card["expected"] for card in found["belief"]["cards"].values()) == pytest.approx(8)
    assert found["advice"]["action"] == found["advice"]["candidates"][0]["action"]
    assert json.loads(call("advise", "--json", *QUICK).out)["next"] == "Who moves first, me or opponent?"


def test_a_game_that_ends_says_who_won() -> None:
    done = call("advise", *QUICK, "--rules", "mini-7", typed="me\nr0 r1\nrs\nr0\ndraw\nr1\nr1\n")
    assert "You win (emptied hand)." in done.out
    assert done.code == 2
    assert "the game is over, player 1 wins (emptied hand)" in done.err


MIDDLE = "middle\nopponent\nr5 r7 y1\nw4 yellow\n4\n1\nplayed 45\nr1 b3\n"


def test_a_game_in_the_middle_is_typed_kept_and_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    typed = f"{MIDDLE}opponent forgot uno\ndraw\ny1\nfix 3 y1\nlog\n"
    done = call("advise", "--coach", "flat:sims=40", "--save", str(path), typed=typed)
    assert done.code == 0, done.err
    assert "Top W4 (yellow); draw pile 59, played 45 (42 not known); opponent holds 1\n" in done.out
    assert "The opponent forgot to say UNO and drew 2 cards." in done.out
    assert "Corrected: entry 3 is Y1, not Y1. All else fits." in done.out
    assert "player 1 is you; begun in the middle, on top lay W4" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    record = load_record(path)
    assert record.midgame is not None
    assert (record.midgame.hidden, record.midgame.owed, len(record.moves)) == (42, 4, 3)
    done = call("advise", *QUICK, "--resume", str(path), "--json", typed="y2\n")
    found = json.loads(done.out)
    assert (found["moves"], found["played"], found["played_not_known"]) == (4, 47, 42)
    assert call("analyze", str(path), "--coach", "flat:sims=20").code == 0


def test_all_about_the_middle_can_be_given_as_options() -> None:
    given = "--middle --first me --hand r5,y1 --top w4 --colour red --owed 4 --before g --opponent 3 --pile 60"
    done = call("advise", *QUICK, "--rules", "printed", *given.split(), "--played", "r1 r2", "--json")
    found = json.loads(done.out)
    assert (found["next"], found["penalty"], found["colour"], found["draw_pile"]) == ("you", 4, "red", 60)
    assert found["played_not_known"] == 108 - 2 - 1 - 3 - 60 - 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--pile 60", "--pile is for a game that is begun in the middle: add --middle"),
        ("--resume table.txt --middle", "a saved game has its own rules and deal: give none of --rules, --first"),
        ("--middle --first me --hand r5 --top g3 --opponent x", "'x' is no number: write how many cards in the"),
    ],
)
def test_options_about_the_middle_that_can_not_be_are_one_sentence(words: str, message: str) -> None:
    done = call("advise", *QUICK, *words.split())
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith(f"uno-pomdp: {message}")


def test_a_first_card_that_acts_is_told() -> None:
    deal = "me\nr5 r7 y1 g+2 w4 b3 g9\n"
    printed = ("advise", *QUICK, "--rules", "printed")
    skipped = call(*printed, typed=f"{deal}rs\nopponent r2\n")
    assert "The first card, RS, acts: you are passed over, and the opponent begins." in skipped.out
    assert skipped.code == 0
    owing = call(*printed, typed=f"{deal}y+2\ndraw r1 r2\n")
    assert "The first card, Y+2, acts: you owe 2 cards." in owing.out
    assert "You drew R1 R2 as a penalty." in owing.out
    other = call(*printed, typed=f"{deal.replace('me', 'opponent')}yr\nme y1\n")
    assert "The first card, YR, acts: the opponent is passed over: you begin." in other.out
    assert "acts" not in call("advise", *QUICK, typed=f"{deal}rs\n").out


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))


Line = str | type[BaseException] | BaseException


def at_prompt(lines: list[Line], monkeypatch: pytest.MonkeyPatch) -> tuple[Done, list[str]]:
    """Type lines at a prompt; return what the command did and the prompts."""
    prompts: list[str] = []
    left: Iterator[Line] = iter([*lines, EOFError])

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        line = next(left)
        if isinstance(line, str):
            return line
        raise line

    monkeypatch.setattr(builtins, "input", answer)
    return call("advise", *QUICK, terminal=True), prompts


def test_a_person_is_asked_corrected_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["bob", "me", "r5 r7", *DEAL.splitlines()[1:], "r5", "y7", "draw"]
    done, prompts = at_prompt([*lines], monkeypatch)
    assert done.code == 0
    assert prompts[:4] == ["Who moves first, me or opponent? "] * 2 + ["Your 7 cards? "] * 2
    assert prompts[4:] == ["The top card? ", "you> ", "opponent> ", "opponent> ", "you> "]
    assert "'bob' names nobody: write me, or opponent." in done.out
    assert "Y7 does not fit on R5 (red): the opponent can't play it." in done.out
    assert "You are dealt 7 cards, but name 2." in done.out


def test_a_person_is_told_how_to_begin_in_the_middle_and_may_correct(monkeypatch: pytest.MonkeyPatch) -> None:
    done, prompts = at_prompt(["?", *MIDDLE.splitlines(), "draw", "y1", "fix 2 r5", "fix 1 y3", "quit"], monkeypatch)
    assert "If the game is under way already, answer the first question with: middle" in done.out
    assert prompts[2] == "Whose turn is it, me or opponent? "
    said = " ".join(done.out.split())
    assert "Entry 2 can't be that: R5 does not fit on W4 (yellow): you can't play it; nothing" in said
    assert "Entry 1 can't be that: the opponent can't play Y3: first draw 4 cards;" in said
    assert "opponent if they do; middle if the game is under way already. undo takes" in said
    assert prompts[-1] == "opponent> "


def test_what_explains_the_entries_explains_the_position_first(monkeypatch: pytest.MonkeyPatch) -> None:
    done, _ = at_prompt([*DEAL.splitlines(), "?", "r5", "?", "quit"], monkeypatch)
    said = " ".join(done.out.split())
    assert "Red, a 1 or a black card is asked for; R5" in said
    assert "It is the opponent's turn; it holds 7 cards. Write what happens at the table" in said


def test_an_interruption_ends_it_well(monkeypatch: pytest.MonkeyPatch) -> None:
    done, _ = at_prompt(["me", KeyboardInterrupt], monkeypatch)
    assert done.code == 130
    assert done.err == ""


def test_sentences_for_people_begin_large_and_end_with_a_stop() -> None:
    assert command.sentence(command.WrongLine("a card is missing")) == "A card is missing."
    assert command.sentence(command.WrongLine("Which colour?")) == "Which colour?"


if __name__ == "__main__":
    SCREEN.write_text(shown(), encoding="utf-8")
    MIDDLE_SCREEN.write_text(shown_from_the_middle(), encoding="utf-8")


@pytest.mark.parametrize(
    ("last", "moves"), [("fix 2 r4", ["R5", "R4"]), ("undo", ["R5"])], ids=["corrected", "taken back"]
)
def test_a_change_is_saved_like_an_entry(last: str, moves: list[str], tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    done = call("advise", *QUICK, "--save", str(path), typed=f"{DEAL}r5\nr2\n{last}\n")
    assert done.code == 0, done.err
    assert [str(move.action) for move in load_record(path).moves] == moves
