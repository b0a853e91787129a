"""The opponent of a game that is gone on with, or of which moves were taken back: brought to the state it had."""

from uno_pomdp.agents.agent import Agent
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.rng import Seed, player_seed


def lead_opponent(agent: Agent, game: Game, seat: Seat, seed: Seed) -> None:
    """Lead an agent through a game that it plays at this seat, as far as it has come.

    One with a budget of simulations decides each of its moves again, so that its random state and its memory are as
    they were, and it goes on as if the game had not been interrupted. One with a time budget can't be repeated; it is
    only told the moves.
    """
    history = game.history(seat)
    agent.start(game.rules, history.first, player_seed(seed))
    turn = history.first.turn
    for step in history.steps:
        if turn == seat and not agent.timed:
            agent.decide()
        agent.update(*step)
        turn = step.observation.turn
