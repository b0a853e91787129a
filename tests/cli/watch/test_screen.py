"""A moment as a screen: hands, top card, debt, both beliefs beside the truth; it fits windows of any size."""

import re
from functools import cache
from typing import Final

import pytest

from tests.cli.watch.games import COACH, golden, lines_of, played, terminal, watched
from tests.helpers import do, start
from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.cli.ui.console import cards_text
from uno_pomdp.cli.watch.screen import Look, fitting, screen
from uno_pomdp.cli.watch.viewer import PAUSED, RUNNING, STEPPING
from uno_pomdp.game.layout import COLOUR_MASK, SEATS
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.quantities import percent
from uno_pomdp.review.game import Reviewer
from uno_pomdp.session.policy_aware import PolicyAware
from uno_pomdp.session.watched import WatchedGame

BLUNDER: Final = 15
"""A move of the game that is one."""


@cache
def judged() -> tuple[WatchedGame, Reviewer]:
    """Return a game with what the coach thinks of all of it."""
    found = watched()
    reviewer = Reviewer(found.timeline, COACH)
    while reviewer.behind:
        reviewer.judge_next()
    return found, reviewer


def shown(at: int, width: int = 80, height: int = 24, of: int | None = None) -> list[str]:
    """Return the lines of a screen."""
    found, reviewer = judged()
    console = terminal(width, height)
    return lines_of(screen(found, reviewer, Look(at, of, footer=STEPPING), console), console)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60), (80, 12), (60, 24), (40, 10), (30, 8)])
def test_a_screen_fills_its_window_and_the_keys_are_at_the_bottom(width: int, height: int) -> None:
    for at in range(0, judged()[0].timeline.last + 1, 4):
        lines = shown(at, width, height)
        assert max(map(len, lines)) <= width
        assert len(lines) == height
        assert lines[-1].startswith("← → move")
        assert lines[-1].endswith("q leave")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40)])
def test_a_screen_has_hands_top_card_move_opinion_and_both_beliefs(width: int, height: int) -> None:
    found, reviewer = judged()
    for at in range(1, found.timeline.last + 1, 3):
        text = "\n".join(shown(at, width, height))
        seen = found.timeline.seen(at)
        for seat in SEATS:
            held = found.timeline.hand(at, seat)
            assert held is not None
            assert cards_text(held).plain in text
        assert f"top {card_name(seen.top)}, {COLOUR_NAMES[seen.colour]} to match" in text
        assert f"move {at} of {found.timeline.last}" in text
        assert re.search(rf"^ *{at}  +\d+ : \d+ +player {found.timeline.move(at).seat + 1} ", text, re.MULTILINE)
        assert f"{COACH} to player {found.timeline.move(at).seat + 1} on move {at} " in text
        move = reviewer.of(at)
        assert move is not None
        assert ("Nothing to weigh" if move.forced else f"{move.grade}".capitalize()) in text
        assert ("Better " in text) == (not move.forced and move.action != move.best)
        for colour in found.timeline.rules.colours:
            row = next(line for line in text.splitlines() if line.startswith(f"{COLOUR_NAMES[colour]} "))
            mask = int(COLOUR_MASK[colour])
            told = [percent(1.0 - found.belief(at, seat).avoids(mask)) for seat in SEATS]
            assert re.findall(r"[█░] +(>?\d+ %)", row) == told


def test_the_truth_stands_beside_what_is_believed() -> None:
    found, _ = judged()
    at = BLUNDER
    for line in shown(at, 120, 40):
        for colour in found.timeline.rules.colours:
            if line.startswith(f"{COLOUR_NAMES[colour]} "):
                mask = int(COLOUR_MASK[colour])
                told = [found.timeline.seen(at, 1 - seat).hand for seat in SEATS]
                cards = [[card_name(card) for card in hand if mask >> card & 1] for hand in told]
                assert re.findall(r"[RYGB](?:\d|[SR]|\+2)\b", line) == [name for hand in cards for name in hand]


def test_a_mistake_is_marked_in_the_log_and_a_high_screen_has_all_candidates() -> None:
    low, high = "\n".join(shown(BLUNDER)), "\n".join(shown(BLUNDER, 120, 40))
    for text in (low, high):
        assert re.search(rf"^ *{BLUNDER}  .*  blunder$", text, re.MULTILINE)
    assert "← played" in high
    assert "← played" not in low


@pytest.mark.parametrize("seat", SEATS)
def test_one_belief_in_full_names_the_likeliest_cards_and_on_a_high_screen_the_other_assumption(seat: int) -> None:
    low, high = "\n".join(shown(5, of=seat)), "\n".join(shown(5, 120, 40, seat))
    for text in (low, high):
        assert f"what player {seat + 1} can know of player {2 - seat}'s hand" in text
        assert "likeliest" in text
    assert "choosing as " in high
    assert "choosing as " not in low


def test_a_debt_and_a_challenge_are_told_and_the_lie_is_weighed() -> None:
    game = start("R1", "R2 W4 G1", "Y3 Y+2 G8", "Y4 B5", wild_four="challenge")
    do(game, "W4:G")
    found, console = WatchedGame.of_record(record_of(game)), terminal()
    text = "\n".join(lines_of(screen(found, None, Look(1, footer=STEPPING), console), console))
    assert "player 2 has to draw 4 cards, or to challenge" in " ".join(text.split())
    row = next(line for line in text.splitlines() if line.startswith("lie?"))
    beside = PolicyAware(game.history(1), found.names[0])
    lie = beside.belief.lie()
    assert lie is not None
    assert f"{percent(lie)}  has red" in row
    assert row.count("%") == 1


def test_hidden_cards_stay_hidden() -> None:
    whole, console = watched(), terminal()
    found = WatchedGame.of_record(observed(played(), 0))
    text = "\n".join(lines_of(screen(found, None, Look(9, footer=STEPPING), console), console))
    assert re.search(r"player 2, random +\d+ cards +hidden", text)
    assert cards_text(whole.timeline.seen(9, 1).hand).plain not in text
    assert "in truth" not in text
    assert "who wins" not in text


def test_what_was_taken_back_is_told_where_it_led_back_to() -> None:
    found, console = WatchedGame.of_record(golden("mini-12.practice")), terminal()
    told = [
        "\n".join(lines_of(screen(found, None, Look(at), console), console)) for at in range(found.timeline.last + 1)
    ]
    assert "taken back here: P1 R0\n" in told[0]
    assert "taken back here: P2 R0 P1 draw\n" in told[1]
    assert all("taken back" not in text for text in told[2:])


@pytest.mark.parametrize("footer", [STEPPING, PAUSED, RUNNING.format(delay=0.0625)])
def test_all_keys_are_in_sight_in_80_columns_and_in_fewer_the_way_out(footer: str) -> None:
    assert fitting(footer, 80).plain == footer
    assert fitting(footer, 30).plain.endswith("q leave")
    assert len(fitting(footer, 30)) <= 30
