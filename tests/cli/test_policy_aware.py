"""The belief screen says what it assumes of the opponent's choices, and shows what they tell if it is like a policy."""

import json
import re
from typing import Any, Final

import pytest

from tests.cli.inside import call
from tests.cli.test_play_screens import found, text_of, view
from tests.cli.watch.games import lines_of, terminal
from tests.helpers import do, start
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.cli.play.answers import belief_by
from uno_pomdp.cli.play.view import SeatView, seen_by
from uno_pomdp.cli.ui.annotated_game import play_annotated
from uno_pomdp.cli.watch.screen import Look, screen
from uno_pomdp.game.record import record_of, replay
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.rules import preset
from uno_pomdp.session.policy_aware import assumption_about
from uno_pomdp.session.watched import WatchedGame

ROW: Final = re.compile(r"(\w+ |) *(ignored|heuristic|random|greedy|baseline) +[█░]* +[<>]?(\d+) %.*")


def figures(text: str) -> dict[tuple[str, str], int]:
    """Return P(has one) in percent by colour and by how choices are taken."""
    told, colour = {}, ""
    for line in text.splitlines():
        if row := ROW.fullmatch(line.rstrip()):
            colour = row[1].strip() or colour
            told[colour, row[2]] = int(row[3])
    return told


def red_was_chosen(opponent: str = "champion:ms=50") -> SeatView:
    """Return the view of player 1 after the opponent played a wild, chose red, and then played a red 2."""
    game = start("G5", "G1 R9 Y1 Y2 Y3", "W R2 R3 B1 B2", "G6 G7 G8 B3 B4 Y7 R7 G9 Y9 R4 B6 G2 W4", reshuffle="no")
    return seen_by(0, record_of(do(game, "G1 W:R R9 R2")), opponent)


def test_a_colour_that_was_chosen_and_played_is_likelier_than_the_others_and_the_screen_says_so() -> None:
    text = text_of(belief_by()(red_was_chosen(), 80))
    told = figures(text)
    assert told["red", "ignored"] <= told["green", "ignored"]
    assert told["red", "heuristic"] > told["green", "heuristic"]
    assert told["red", "heuristic"] > told["red", "ignored"]
    words = " ".join(text.split())
    assert "ignored which of the cards that fit it chose is taken to tell nothing (exact)" in words
    assert (
        "heuristic it chooses as heuristic does, an assumption: what it plays is not known (particle filter," in words
    )
    assert re.search(r"[\d,]+ particles, effective sample size [\d,]+: ± \d+ points", words)
    assert re.search(r"nothing playable on R2 \(red\): \d+ % ignored, [<>]?\d+ % heuristic", words)
    assert "from all that you have seen" not in words


@pytest.mark.parametrize("opponent", POLICY_NAMES)
def test_a_simple_opponent_is_taken_for_what_it_is(opponent: str) -> None:
    assert assumption_about(opponent).known
    text = " ".join(text_of(belief_by()(red_was_chosen(opponent), 80)).split())
    assert f"{opponent} it chooses as {opponent} does, which is what it plays" in text


def test_an_opponent_with_a_policy_of_its_own_is_an_assumption() -> None:
    for opponent in ("champion:ms=50", "flat:ms=5,rollout=baseline", "py:mine.Agent", "the opponent"):
        assert assumption_about(opponent).policy == "heuristic"
        assert not assumption_about(opponent).known


def test_the_same_question_has_the_same_answer_and_the_second_time_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found("house", lambda seen: seen.opponent_size == 1, 40)
    answer, updates = belief_by(), 0

    def counted(belief: ParticleBelief, *step: Any) -> None:
        nonlocal updates
        updates += 1
        follow(belief, *step)

    follow = ParticleBelief.update
    monkeypatch.setattr(ParticleBelief, "update", counted)
    first = text_of(answer(one, 80))
    worked_out = updates
    assert worked_out == len(one.steps)
    assert text_of(answer(one, 80)) == first
    assert updates == worked_out
    assert text_of(belief_by()(one, 80)) == first


@pytest.mark.parametrize("width", [26, 34, 40, 46, 60, 80, 120])
def test_both_beliefs_keep_to_the_width_and_no_figure_is_cut(width: int) -> None:
    told = figures(text_of(belief_by()(red_was_chosen(), 80)))
    text = text_of(belief_by()(red_was_chosen(), width), width)
    assert max(map(len, text.splitlines())) <= width
    assert figures(text) == told
    assert "…" not in text


def test_advice_has_both_and_so_has_its_document() -> None:
    typed = "opponent\nr5 r7 y1 g+2 w4 b3 red skip\ng1\nw red\nr7\nr2\n"
    options = ("advise", "--coach", "heuristic")
    told = figures(call(*options, typed=typed).out.rpartition("The opponent played R2")[2])
    assert told["red", "heuristic"] > told["red", "ignored"]
    words = " ".join(call(*options, typed=typed + "belief\n").out.rpartition("Best")[2].split())
    assert "it chooses as heuristic does, an assumption: what it plays is not known" in words
    document = json.loads(call(*options, "--json", typed=typed).out)
    assert document["belief"]["choices"] == "ignored"
    assert document["policy_aware_belief"]["choices"] == "heuristic"
    assert document["policy_aware_belief"]["colours"]["red"] > document["belief"]["colours"]["red"]


def test_a_high_screen_of_watch_has_both_and_a_low_one_says_that_choices_are_ignored() -> None:
    game = replay(play_annotated(preset("house"), ("heuristic", "baseline"), 4).record)
    watched = WatchedGame.of_record(record_of(game.earlier(len(game.moves) - 12), ("heuristic", "baseline")))
    high, low = (
        lines_of(screen(watched, None, Look(12, of=0), each), each) for each in map(terminal, (80, 80), (34, 24))
    )
    assert any("choices ignored: exact; choosing as baseline, which it does: ±" in line for line in high)
    assert len(high) == 34
    assert ("red", "baseline") in figures("\n".join(high))
    assert any(line.startswith("what player 1 can know of player 2's hand, its choices ignored ") for line in low)
    assert not any("its choices ignored" in line for line in high)


def test_a_view_of_another_seat_is_no_different() -> None:
    game = do(start("G5", "W R2 R3 B1 B2", "G1 R9 Y1 Y2 Y3", "G6 G7 G8 B3 B4 Y7 R7 G9 R4 B6 G2 W4"), "W:R R9 R2")
    told = figures(text_of(belief_by()(view(game, 1), 80)))
    assert told["red", "heuristic"] > told["green", "heuristic"]
