"""`check_agent`: the laws that any agent has to keep."""

import random
from collections.abc import Callable

import numpy as np

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS, SEATS, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules, as_rules
from uno_pomdp.testing.laws import Place, choose_at_random

CHECK = "check_agent"
SLACK = 3.0
"""How many times its time budget a decision may take on a busy machine before it counts as out of budget."""
GRACE = 50.0
"""Milliseconds above the budget that are always allowed."""


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

    Each decision has to be legal, with reasons that fit it and within the agent's budget, if it has a `budget`.
    With `deterministic`, a second agent from the same factory with the same seed that sees the same has to decide the
    same, and so has one that plays games in which the cards hidden from it are permuted. Set it to False for a time
    budget. The game with seed s is repeated by `games=1, seed=s`.

    >>> import uno_pomdp as uno
    >>> uno.check_agent(lambda: uno.make_agent("greedy"), "mini-9", games=2)
    """
    rules = as_rules(rules)
    for number in range(games):
        for seat in SEATS:
            _check_game(make_agent, rules, seed + number, seat, deterministic, at_most)


def _check_game(
    make_agent: Callable[[], Agent], rules: Rules, seed: int, seat: Seat, deterministic: bool, at_most: int
) -> None:
    game = Game.new(rules, seed)
    chance = random.Random(seed)
    agents = [make_agent() for _ in range(2 if deterministic else 1)]
    for agent in agents:
        agent.start(rules, game.observation(seat), np.random.SeedSequence(seed))
    for action in range(at_most):
        if game.over:
            return
        place = Place(CHECK, seed, action, seat)
        if game.turn != seat:
            game.apply(choose_at_random(game.observation(1 - seat), chance))
        else:
            decisions = [agent.decide() for agent in agents]
            _check_decision(place, agents[0], game.observation(seat), decisions[0])
            same = all(decision.action == decisions[0].action for decision in decisions)
            place.require(same, "the same seed and the same information have to lead to the same decision")
            game.apply(decisions[0].action)
        events, observation = game.last_step(seat)
        seen = [observation, _permuted(game, seat, chance).observation(seat)]
        for agent, now in zip(agents, seen, strict=False):
            agent.update(events, now)


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


def _permuted(game: Game, seat: Seat, chance: random.Random) -> Game:
    """Return the game with the cards that this seat can't see dealt out anew."""
    other: Seat = 1 - seat
    if game.over or game.drawn is not None:
        return game
    hidden = [*game.hand(other), *game.draw_pile]
    chance.shuffle(hidden)
    size = len(game.hand(other))
    twin = game.copy()
    twin.guess(other, Cards.of(hidden[:size]), hidden[size:])
    assert twin.observation(seat) == game.observation(seat), f"{seat_name(seat)} sees hidden cards"
    return twin
