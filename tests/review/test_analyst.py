"""An analyst goes forward as a history grows and begins anew where it was cut; what it says is the same either way."""

from collections.abc import Sequence

import pytest

from uno_pomdp.agents.agent import Agent, Decision, InvalidAgent
from uno_pomdp.agents.progress import Progress, SearchStopped
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.rng import Seed
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.review.analyst import Analyst, make_coach
from uno_pomdp.rules import preset


class Counting(Agent):
    """Counts how it is led."""

    name = "counting"

    def __init__(self) -> None:
        self.begun = self.followed = 0

    def begin(self, seed: Seed) -> None:
        """Count a game that begins."""
        del seed
        self.begun += 1

    def follow(self, events: Sequence[Event]) -> None:
        """Count an action."""
        del events
        self.followed += 1

    def decide(self) -> Decision:
        """Do anything."""
        return Decision(self.observation.legal_actions()[0])


def history(moves: int, last: int = 0) -> SeatHistory:
    """Return a game after so many moves, of the first legal actions but for the last one."""
    game = Game.new("house", 5)
    for number in range(moves):
        game.apply(game.legal_actions()[last if number + 1 == moves else 0])
    return game.history(0)


def test_it_goes_forward_and_begins_anew_where_the_history_was_cut() -> None:
    counting = Counting()
    analyst = Analyst(counting, 0)
    for past, led in (
        (history(0), (1, 0)),
        (history(3), (1, 3)),
        (history(3), (1, 3)),
        (history(5), (1, 5)),
        (history(4), (2, 9)),
        (history(1, -1), (3, 10)),
        (Game.new("house", 6).history(0), (4, 10)),
    ):
        analyst.follow(past)
        assert (counting.begun, counting.followed) == led
        assert counting.observation == past.now


@pytest.mark.parametrize("coach", ["flat:sims=60", "ismcts:sims=60"])
def test_one_that_was_cut_says_what_a_new_one_says(coach: str) -> None:
    game = Game.new("house", 5)
    while len(game.legal_actions()) < 2 or len(game.moves) < 4:
        game.apply(game.legal_actions()[0])
    now = game.history(game.turn)
    new, cut = Analyst(coach, 7).follow(now), Analyst(coach, 7)
    cut.follow(now.then(now.steps[-1])).follow(now)
    assert new.values_moves
    assert cut.values().candidates == new.values().candidates
    assert (
        cut.follow(now.earlier()).follow(now).decide().candidates == Analyst(coach, 7).follow(now).decide().candidates
    )


def test_it_can_be_stopped_between_two_moves() -> None:
    progress = Progress()
    counting = Counting()
    analyst = Analyst(counting, 0, progress).follow(history(2))
    progress.stop()
    with pytest.raises(SearchStopped):
        analyst.follow(history(4))
    assert counting.followed == 2


def test_who_can_not_value_every_move_is_no_coach() -> None:
    with pytest.raises(InvalidAgent):
        make_coach("greedy", preset("house"), 0)
    assert not Analyst(Counting(), 0).values_moves
