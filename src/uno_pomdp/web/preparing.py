"""Kernels are compiled before a deal is shown: else the first search of an agent would take seconds, for all to see."""

from threading import Lock
from typing import Final

from uno_pomdp.game.game import Game
from uno_pomdp.jit import working_time
from uno_pomdp.registry import AgentSpec
from uno_pomdp.rules import Rules

SEED: Final = 1
"""The deal of the trial games: nobody plays it."""
MOVES: Final = 8
"""Moves of a trial game: what an agent does at its second decision it does at all later ones."""
SECONDS: Final = 2.0
"""The most that a trial game takes, without compiling."""

_done: set[tuple[str, str]] = set()
_one_at_a_time = Lock()


def prepare(text: str, rules: Rules) -> None:
    """Let an agent play a few moves of a trial game, unless one like it has done so in this process."""
    what = AgentSpec.parse(text).without_numbers, rules.name
    if what in _done:
        return
    with _one_at_a_time:
        if what in _done:
            return
        agent, game, begun = AgentSpec.parse(text).make(), Game.new(rules, SEED), working_time()
        agent.start(rules, game.observation(0), SEED)
        while not game.over and len(game.moves) < MOVES and working_time() - begun < SECONDS:
            action = game.legal_actions()[0]
            if game.turn == 0:
                action = agent.decide().action
            game.apply(action)
            agent.update(*game.last_step(0))
        _done.add(what)
