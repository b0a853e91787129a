"""The last words of a game are said from the person's side, whichever seat that is."""

import re

import pytest

from uno_pomdp.cards import Cards
from uno_pomdp.cli.play.ending import luck_text, points, result
from uno_pomdp.cli.ui import console
from uno_pomdp.evaluation.luck import Chance, Luck
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.outcome import Outcome, Reason
from uno_pomdp.game.scoring import MatchRound, RoundScore
from uno_pomdp.rules import preset
from uno_pomdp.session.setup import Setup

LUCK = Luck(
    (
        Chance(None, 0, (), (0.10,), 0.6),
        Chance(3, 0, (5,), (0.04,), 0.6),
        Chance(4, 1, (5, 6), (-0.03, -0.20), 0.4),
        Chance(9, 0, (7,), (-0.01,), 0.4),
    )
)
"""All of it player 1's: the deal +10, its own draws +3, the other's draws −23."""


@pytest.mark.parametrize(("seat", "figures"), [(0, (-10, 10, 3, -23)), (1, (10, -10, 23, -3))])
def test_luck_is_that_of_the_person_whichever_seat_it_has(seat: Seat, figures: tuple[int, ...]) -> None:
    """In all, in the deal, in the person's own draws, in the opponent's; what one has the other lacks."""
    text = luck_text(LUCK, seat).plain
    assert re.findall(r"(deal|your draws|the opponent's)", text) == ["deal", "your draws", "the opponent's"]
    assert tuple(int(number) for number in re.findall(r"[+-]\d+", text)) == figures
    assert 100 * LUCK.of(seat) == pytest.approx(figures[0])


@pytest.mark.parametrize(("winner", "seat", "says"), [(0, 0, "WIN"), (0, 1, "LOSE"), (1, 1, "WIN"), (None, 1, "DRAW")])
def test_who_has_won_is_said_to_the_person(winner: Seat | None, seat: Seat, says: str) -> None:
    assert says in result(Outcome(winner, Reason.EMPTIED_HAND), seat, 12)


@pytest.mark.parametrize(("to", "says"), [(99, "YOU WIN THE MATCH"), (100, "YOU WIN THE MATCH"), (101, "MATCH TO 101")])
def test_a_match_is_over_with_exactly_the_points_that_win_it(to: int, says: str) -> None:
    match = MatchRound(to, 3, (80, 10))
    setup = Setup(preset("house"), 1, 0, "greedy", match)
    with console.out.capture() as shown:
        console.out.print(points(setup, match, RoundScore(0, 20, Cards.parse("RS"), Cards.parse(""))))
    assert f" {says} " in shown.get()
