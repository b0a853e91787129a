"""The end of `play` and `analyze` say the same of the same game."""

import re
from pathlib import Path

import pytest

from tests.cli.inside import Done, call
from tests.cli.test_play import TypedTerminal, Typist, moves_of
from tests.cli.watch.games import golden
from uno_pomdp.cards import card_name
from uno_pomdp.cli.play.ending import show_ending
from uno_pomdp.game.move import Hidden
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import replay
from uno_pomdp.rules import preset
from uno_pomdp.session.coach import Coach
from uno_pomdp.session.setup import Setup

SEAT, SEED = 1, 11


def played(path: Path, coach: str) -> Done:
    """Play a whole game in a pipe."""
    lines = moves_of(Setup(preset("house"), SEED, SEAT, "heuristic"))
    deal = "--seat", str(SEAT + 1), "--seed", str(SEED)
    return call("play", "heuristic", *deal, "--coach", coach, "--record", str(path), typed="\n".join(lines) + "\n")


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("coach", ["flat:sims=40", "ismcts:sims=40"])
def test_accuracy_and_costliest_moves_are_those_of_analyze(coach: str, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    ending = flat(played(path, coach).out)
    shown = re.search(r"accuracy ([\d.]+) %", ending)
    assert shown, ending
    assert shown[1] != "100.0"  # with so few simulations another seed gives another figure
    command = ["uno-pomdp", "analyze", str(path), "--coach", coach]
    assert f"Allmovesjudged:{''.join(command)}The" in ending.replace(" ", "")  # a long path is folded
    review = call(*command[1:]).out
    accuracies = next(line.split()[1:] for line in review.splitlines() if line.startswith("accuracy"))
    assert accuracies[SEAT] == shown[1]
    assert f"judged by {coach}, seed 1" in review
    assert f"judged by {coach}, seed 1" in ending


def test_the_list_at_the_end_has_the_sizes_of_both_hands_behind_every_move(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    ending = played(path, "flat:sims=2").out.partition(" moves \n")[2].partition("Luck")[0]
    history = replay(load_record(path)).history(SEAT)
    sizes = {(len(step.observation.hand), step.observation.opponent_size) for step in history.steps}
    listed, _, rest = ending.partition("6:7 behind a move: after it you held 6 cards, the opponent 7\n")
    found = [(int(own), int(other)) for own, other in re.findall(r" (\d+):(\d+)\b", listed)]
    assert len(found) == len(history.steps)
    assert set(found) == sizes
    assert max(map(len, listed.splitlines())) <= 80
    assert f"You still held {history.now.hand}" in rest or not history.now.hand


def test_the_last_turn_of_the_opponent_is_told_in_words_for_no_screen_shows_it(tmp_path: Path) -> None:
    record = golden("house.match")
    last = record.moves[-1].seat
    told = {}
    for seat in (0, 1):
        terminal = TypedTerminal(Typist(1))
        show_ending(
            terminal, Setup(record.rules, 0, seat, "random"), record, Coach("flat:sims=2", 1), tmp_path / "game.txt"
        )
        told[seat] = flat(terminal.text)
    cards = record.moves[-2].drawn
    assert not isinstance(cards, Hidden)
    drawn = " ".join(map(card_name, cards))
    words = f"You drew {drawn} as a penalty. The opponent played {record.moves[-1].action}."
    assert f"{len(record.moves)} moves {words} 1 " in told[1 - last]
    assert f"{len(record.moves)} moves 1 " in told[last]


@pytest.mark.parametrize(("height", "times"), [(100, 1), (24, 2)])
def test_a_result_that_has_scrolled_out_of_sight_is_said_again_below(height: int, times: int, tmp_path: Path) -> None:
    record = golden("house")  # 170 moves: the list alone is higher than 24 lines
    terminal = TypedTerminal(Typist(1))
    terminal.console.size = (80, height)
    show_ending(terminal, Setup(record.rules, 0, 0, "random"), record, Coach("flat:sims=2", 1), tmp_path / "game.txt")
    assert terminal.text.count(f" YOU WIN · emptied hand · {len(record.moves)} moves ") == times
    assert (" YOU WIN" in terminal.text.splitlines()[-1]) == (times == 2)


def test_a_coach_that_fails_in_the_review_leaves_everything_else_as_it_is(tmp_path: Path) -> None:
    record, terminal = golden("house"), TypedTerminal(Typist(1))
    coach = Coach("py:tests.agents.wrong.Wrong,kind=exits,method=move_values", 1)
    setup = Setup(record.rules, 0, 0, "random")
    assert show_ending(terminal, setup, record, coach, tmp_path / "game.txt") is None
    text = flat(terminal.text)
    assert f"No review: {coach.name} failed: SystemExit: 0, in move_values (" in text
    assert "YOU WIN" in text
    assert "of win probability: deal" in text
    assert "Record: " in text
    again = TypedTerminal(Typist(1))
    assert show_ending(again, setup, record, coach, tmp_path / "game.txt") is None
    assert "No review: there is no coach any more: it has failed." in flat(again.text)


def test_a_coach_that_thinks_by_the_clock_is_said_to_vary(tmp_path: Path) -> None:
    path, coach = tmp_path / "game.txt", "flat:ms=1"
    words = f"judged by {coach}, seed 1 (by the clock: another time the figures differ a little)"
    assert words in flat(played(path, coach).out)
    assert words in flat(call("analyze", str(path), "--coach", coach).out)
    assert "by the clock" not in call("analyze", str(path), "--coach", "flat:sims=40").out
