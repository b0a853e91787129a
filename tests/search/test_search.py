"""A search is composed of parts, and does what they say."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from uno_pomdp.agents.agent import Budget, InvalidAgent
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules, preset
from uno_pomdp.search.named_beliefs import closed
from uno_pomdp.search.root import Trial, TrialMaker
from uno_pomdp.search.search import Search
from uno_pomdp.search.threads import Threads
from uno_pomdp.testing import check_agent

HOUSE = preset("house")


class Fixed(Trial):
    """Every action is worth a number of its own in every world."""

    def __init__(self, actions: npt.NDArray[np.int64]) -> None:
        self._worth = actions / 100

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write the same numbers for all worlds."""
        del worlds
        results[:] = self._worth[alive]


class FixedMaker(TrialMaker):
    """Makes such trials, for one set of rules."""

    def check_rules(self, rules: Rules) -> None:
        """Refuse others."""
        if rules != HOUSE:
            raise InvalidAgent(f"no worth is known under {rules.name}")

    def make(self, rules: Rules, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> Trial:
        """Return one."""
        del rules, seed
        return Fixed(actions)


class Lowest:
    """A prior that wants the legal action with the lowest number, and notes what it is told."""

    def __init__(self) -> None:
        self.beliefs: list[Belief] = []
        self.followed = 0

    def check_rules(self, rules: Rules) -> None:
        """Take any rules."""

    def start(self, rules: Rules, seen: Observation, belief: Belief) -> None:
        """Note whose belief it is."""
        del rules, seen
        self.beliefs.append(belief)

    def follow(self, events: Sequence[Event], seen: Observation) -> None:
        """Count actions."""
        del events, seen
        self.followed += 1

    def policy(self, seen: Observation, belief: Belief) -> Floats:
        """Return one action with certainty."""
        self.beliefs.append(belief)
        wanted = np.zeros(ACTIONS)
        wanted[seen.legal_actions()[0].id] = 1.0
        return wanted


def composed(prior: Lowest | None = None, trust: float = 0.0, threads: Threads | None = None) -> Search:
    """Return a search of such parts."""
    return Search("own", Budget(simulations=40), closed, FixedMaker(), prior, trust, threads=threads)


def at_choice() -> Game:
    """Return a game at a choice."""
    game = Game.new(HOUSE, 5)
    while len(game.legal_actions()) < 3:
        game.apply(game.legal_actions()[0])
    return game


@pytest.mark.parametrize("threads", [None, Threads(2)], ids=["alone", "two threads"])
def test_the_trial_decides_and_the_prior_says_what_is_tried(threads: Threads | None) -> None:
    game = at_choice()
    legal, seen = game.legal_actions(), game.observation(game.turn)
    search = composed(threads=threads)
    search.start(HOUSE, seen, 1)
    assert search.decide().action == max(legal, key=lambda action: action.id)
    prior = Lowest()
    led = composed(prior, 0.1, threads)
    led.start(HOUSE, seen, 1)
    decision = led.decide()
    assert decision.action == min(legal, key=lambda action: action.id)
    assert [one.visits > 0 for one in decision.candidates] == [True] + [False] * (len(legal) - 1)
    assert {one.action for one in decision.candidates} == set(legal)


def test_there_is_one_belief_and_the_prior_is_shown_it() -> None:
    game, prior = at_choice(), Lowest()
    seat = game.turn
    search = composed(prior)
    search.start(HOUSE, game.observation(seat), 1)
    number = len(game.moves)
    game.apply(search.decide().action)
    search.update(game.events(seat, number), game.observation(seat))
    assert len(prior.beliefs) == 2
    assert all(belief is search.belief for belief in prior.beliefs)
    assert (prior.followed, search.belief.age) == (1, 1)


def test_rules_that_a_part_does_not_know_are_refused() -> None:
    with pytest.raises(InvalidAgent, match="no worth is known under mini-7"):
        composed().check_game(preset("mini-7"))


def test_a_search_of_ones_own_parts_conforms() -> None:
    check_agent(lambda: composed(Lowest(), 0.1), HOUSE, games=1, seed=2)
