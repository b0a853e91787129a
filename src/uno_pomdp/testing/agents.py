"""`check_agent`: the laws that any agent has to keep."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from time import sleep
from typing import Final

import numpy as np

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS, SEATS, Seat, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import player_seed, seeds
from uno_pomdp.rules import Rules, as_rules
from uno_pomdp.testing.apart import AgentApart
from uno_pomdp.testing.laws import Place, choose_at_random

CHECK = "check_agent"
SLACK = 3.0
"""How many times its time budget a decision may take on a busy machine before it counts as out of budget."""
GRACE = 50.0
"""Milliseconds above the budget that are always allowed."""
PAUSES: Final = (0.001, 0.01, 0.1, 1.0)
"""Seconds between a decision and its repetition, for the first choices of a check; later ones follow at once."""
NO_PAUSES: Final = repeat(0.0)
REPEATED: Final = "the same seed and the same information have to lead to the same decision"


def check_agent(
    make_agent: Callable[[], Agent],
    rules: Rules | str,
    games: int = 4,
    seed: int = 0,
    *,
    deterministic: bool = True,
    at_most: int = 400,
) -> None:
    """Play games against a random player, from both seats, and raise AssertionError where a law is broken.

    Each decision has to be legal, with reasons that fit it and within the agent's budget, if it has a `budget`. With
    `deterministic`, a second agent from the same factory with the same seed that sees the same has to decide the same
    after a pause, and so has a third one in a process of its own, which holds no game but one in which the cards hidden
    from the agent are permuted. Set it to False for a time budget. The game with seed s is repeated by `games=1,
    seed=s`.

    >>> import uno_pomdp as uno
    >>> uno.check_agent(lambda: uno.make_agent("greedy"), "mini-9", games=2)
    """
    rules = as_rules(rules)
    places = [(number, seat) for number in range(games) for seat in SEATS]
    if not deterministic:
        for number, seat in places:
            _Check(make_agent, rules, seed + number, seat).play(at_most)
        return
    apart, pauses = AgentApart(make_agent), chain(PAUSES, NO_PAUSES)
    try:
        for number, seat in places:
            _Check(make_agent, rules, seed + number, seat, apart, pauses).play(at_most)
    except BaseException:
        apart.close()
        raise
    apart.release()


class _Check:
    """One game of an agent against a random player; the seeds of the deal and of both players are unrelated."""

    def __init__(
        self,
        make_agent: Callable[[], Agent],
        rules: Rules,
        seed: int,
        seat: Seat,
        apart: AgentApart | None = None,
        pauses: Iterator[float] = NO_PAUSES,
    ) -> None:
        deal, own, others = np.random.SeedSequence((seed, seat)).spawn(3)
        self._game = Game.new(rules, int(seeds(deal, 1)[0]))
        self._chance = random.Random(int(seeds(others, 1)[0]))
        self._seat = seat
        self._seed = seed
        self._apart = apart
        self._pauses = pauses
        self._agents = [make_agent() for _ in range(1 if apart is None else 2)]
        first = self._game.observation(seat)
        for agent in self._agents:
            agent.check_game(rules, seat)
        with self._raising():
            for agent in self._agents:
                agent.start(rules, first, player_seed(own))
        if apart is not None:
            dealt = self._permuted()
            assert dealt is not None
            apart.start(rules, first, player_seed(own), dealt)

    def play(self, at_most: int) -> None:
        """Play the game, but not more than so many actions."""
        game, seat = self._game, self._seat
        for _ in range(at_most):
            if game.over:
                return
            if game.turn != seat:
                game.apply(choose_at_random(game.observation(1 - seat), self._chance))
            else:
                game.apply(self._decided().action)
            step = game.last_step(seat)
            with self._raising():
                for agent in self._agents:
                    agent.update(*step)
            if self._apart is not None:
                self._apart.update(*step, self._permuted())

    @property
    def _place(self) -> Place:
        return Place(CHECK, self._seed, len(self._game.moves), self._seat)

    def _decided(self) -> Decision:
        """Return the agent's decision, once it has kept all laws."""
        place = self._place
        if self._apart is not None:
            self._apart.decide()
        with self._raising():
            decision = self._agents[0].decide()
        _check_decision(place, self._agents[0], self._game.observation(self._seat), decision)
        for agent in self._agents[1:]:
            if len(self._game.legal_actions()) > 1:
                sleep(next(self._pauses))
            with self._raising():
                again = agent.decide()
            place.require(again.action == decision.action, f"{REPEATED}: asked again, it was {again.action}")
        if self._apart is not None:
            elsewhere = self._apart.decision()
            place.require(
                elsewhere == decision.action,
                f"{REPEATED}: in a process where other cards are hidden, it was {elsewhere}, not {decision.action}",
            )
        return decision

    @contextmanager
    def _raising(self) -> Iterator[None]:
        """Report what an agent raises, with its place."""
        try:
            yield
        except Exception as error:
            raise AssertionError(
                f"{CHECK}: the agent raised {type(error).__name__}: {error} ({self._place})"
            ) from error

    def _permuted(self) -> States | None:
        """Return the game with the cards that the agent's seat can't see dealt out anew.

        None where it is over, and where the other player decides about a card just drawn.
        """
        game, seat, chance = self._game, self._seat, self._chance
        other: Seat = 1 - seat
        if game.over or (game.drawn is not None and game.turn == other):
            return None
        hidden = [*game.hand(other), *game.draw_pile]
        chance.shuffle(hidden)
        size = len(game.hand(other))
        twin = game.copy()
        twin.guess(other, Cards.of(hidden[:size]), hidden[size:])
        assert twin.observation(seat) == game.observation(seat), f"{seat_name(seat)} sees hidden cards"
        state = twin.to_state()
        state["rng"] = chance.getrandbits(64)
        state["draw_pile"][0, state["draw_size"][0] :] = 0  # cards that were drawn lie there still
        return state


def _check_decision(place: Place, agent: Agent, seen: Observation, decision: Decision) -> None:
    """Require that a decision is legal, within budget, and that its reasons and its policy fit it."""
    legal = seen.legal_actions()
    place.require(decision.action in legal, f"{decision.action} is not legal: an agent has to choose a legal action")
    tried = [candidate.action for candidate in decision.candidates]
    place.require(len(set(tried)) == len(tried) and set(tried) <= set(legal), "candidates have to be legal actions")
    place.require(not tried or decision.action in tried, "the action chosen has to be among the candidates")
    for candidate in decision.candidates:
        fits = candidate.value is None or 0.0 <= candidate.value <= 1.0
        place.require(fits, "a candidate's value has to be a probability of winning")
    place.require(not decision.line or decision.line[0] == decision.action, "the line has to begin with the action")
    budget = agent.budget
    if budget is not None and budget.simulations is not None:
        place.require(decision.simulations <= budget.simulations, "an agent has to keep to its simulations")
    if budget is not None and budget.milliseconds is not None:
        limit = SLACK * budget.milliseconds + GRACE
        place.require(decision.milliseconds <= limit, "an agent has to keep to its time")
    chances = agent.policy()
    if chances is not None:
        place.require(chances.shape == (ACTIONS,), "a policy has to give one number for each of the 63 actions")
        place.require(abs(float(chances.sum()) - 1.0) < 1e-9, "a policy has to add up to one")
        place.require(chances[decision.action.id] > 0.0, "the action chosen has to be possible under the policy")
