"""The check that every belief has to pass: it passes a good one, and says what is wrong with each bad one."""

import random

import pytest

from tests.broken_beliefs import BROKEN
from tests.helpers import DECKS, VARIANTS, named, rules_of
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import DRAW, Action
from uno_pomdp.game.events import Drew, Event
from uno_pomdp.game.layout import DRAW_BIT
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import PRESETS, Rules, preset
from uno_pomdp.testing import check_belief
from uno_pomdp.testing.laws import choose_at_random

PRINTED = Rules(
    deck=preset("mini-12").deck, hand_size=2, drawn_card="may_play", wild_four="last_resort", draw="optional"
)
"""Small, with reshuffles, and with decisions about a drawn card."""


# --- good beliefs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_the_uniform_belief_passes_under_every_preset(name: str) -> None:
    check_belief(UniformBelief, preset(name), games=5 if name.startswith("mini") else 1, seed=10, at_most=120)


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_the_uniform_belief_passes_under_every_variant(variant: dict[str, str]) -> None:
    small = [name for name in DECKS if not name.startswith("standard")]
    for deck in small[:: 1 + len(small) // 4]:
        check_belief(UniformBelief, rules_of(deck, variant), games=1, at_most=40)


def test_a_belief_without_probabilities_of_hands_passes() -> None:
    class NoHands(UniformBelief):
        def hand_probability(self, hand: Cards) -> float:
            raise NotImplementedError

    check_belief(NoHands, PRINTED, games=2)


def test_the_games_are_played_as_asked() -> None:
    seen_draws = []

    def never_draw(seen: Observation, chance: random.Random) -> Action:
        actions = seen.legal_actions()
        seen_draws.append(len(actions) > 1 and DRAW in actions)
        return chance.choice([action for action in actions if action != DRAW] or [DRAW])

    class NoDrawByChoice(UniformBelief):
        def _take_in(self, event: Event) -> None:
            forced = not self.observation.legal_mask & ~int(DRAW_BIT)
            assert forced or not isinstance(event, Drew)

    check_belief(NoDrawByChoice, PRINTED, games=3, choose=never_draw)
    assert any(seen_draws)
    with pytest.raises(AssertionError):
        check_belief(NoDrawByChoice, PRINTED, games=30)


def test_random_games_rarely_draw_by_choice() -> None:
    seen = Observation(
        0, Cards.parse("R1"), 1, 5, Cards.parse("R2"), 2, 0, 0, 0, False, None, None, variant=8, colours=15
    )
    chosen = [str(choose_at_random(seen, random.Random(seed))) for seed in range(400)]
    assert set(chosen) == {"R1", "draw"}
    assert chosen.count("draw") < 60


# --- bad beliefs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("broken", "law"), BROKEN.values(), ids=BROKEN)
def test_a_broken_belief_is_caught_with_the_law_it_breaks_and_where(broken: type[UniformBelief], law: str) -> None:
    where = r".*\(player [12]'s seat, after action \d+ of the game with seed \d+\)"
    with pytest.raises(AssertionError, match=f"^check_belief: .*{law}{where}$"):
        check_belief(broken, PRINTED, games=20)


def test_the_seed_of_a_failure_shows_it_again() -> None:
    def failure(games: int, seed: int) -> str:
        with pytest.raises(AssertionError) as caught:
            check_belief(BROKEN["any card just drawn"][0], PRINTED, games=games, seed=seed)
        return str(caught.value)

    first = failure(games=20, seed=3)
    assert failure(games=1, seed=int(first.rstrip(")").split()[-1])) == first


def test_what_a_belief_raises_comes_through_with_the_place() -> None:
    class Raises(UniformBelief):
        def _take_in(self, event: Event) -> None:
            raise ZeroDivisionError(f"no weight left after {type(event).__name__}")

    with pytest.raises(ZeroDivisionError, match="no weight left") as caught:
        check_belief(Raises, PRINTED, games=1, seed=4)
    assert caught.value.__notes__ == ["check_belief: player 1's seat, after action 1 of the game with seed 4"]
