"""Kernels are compiled before a deal is shown: else the first search of an agent would take seconds, for all to see."""

import re
from threading import Lock
from typing import Final

from uno_pomdp.game.game import Game
from uno_pomdp.game.rng import player_seed
from uno_pomdp.jit import working_time
from uno_pomdp.registry import AgentSpec
from uno_pomdp.rules import Rules

SEED: Final = 1
"""The deal of the trial games: nobody plays it."""
MOVES: Final = 8
"""Moves of a trial game: what an agent does at its second decision it does at all later ones."""
SECONDS: Final = 2.0
"""The most that a trial game takes, without compiling."""
BUDGET: Final = "sims=200"
"""What an agent may spend on a move of it: kernels are the same for every budget."""
REMEMBERED: Final = 1000
"""How many kinds of agents under some rules are remembered to be prepared."""

_done: dict[tuple[str, str], None] = {}
_one_at_a_time = Lock()


def prepare(text: str, rules: Rules) -> None:
    """Let an agent play a few moves of a trial game, unless one like it has done so in this process."""
    what = AgentSpec.parse(text).without_numbers, rules.name
    if what in _done:
        return
    with _one_at_a_time:
        if what not in _done:
            _play(AgentSpec.parse(re.sub(r"\b(ms|sims)=[^,()]*", BUDGET, text)), rules)
            _done[what] = None
            if len(_done) > REMEMBERED:
                del _done[next(iter(_done))]


def preparing_words(text: str, rules: Rules) -> str:
    """Return why a game has to wait until this agent is prepared, and about how long, for a person."""
    if (AgentSpec.parse(text).without_numbers, rules.name) in _done:
        return "The cards are dealt …"
    return (
        "The opponent gets ready: its code is compiled. The first time on this machine that takes up to half a minute, "
        "later a few seconds."
    )


def _play(spec: AgentSpec, rules: Rules) -> None:
    agent, game, begun = spec.make(), Game.new(rules, SEED), working_time()
    agent.start(rules, game.observation(0), player_seed(SEED))
    while not game.over and len(game.moves) < MOVES and working_time() - begun < SECONDS:
        game.apply(agent.decide().action if game.turn == 0 else game.legal_actions()[0])
        agent.update(*game.last_step(0))
