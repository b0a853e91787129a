"""Whom a best response is trained against: a simple policy, the net of a file, or an agent that is imitated first."""

from pathlib import Path
from typing import Final

from uno_pomdp.agents.policies import POLICY_NAMES
from uno_pomdp.arena.match import Maker, make
from uno_pomdp.champion.agent import ChampionAgent
from uno_pomdp.learning.environment import InvalidTraining
from uno_pomdp.rules import PRESETS, Rules

IMITATION: Final = "imitation.npz"
"""The name, in the folder of a training, of the net that imitates whom it is against."""


def frozen_name(agent: Maker, rules: Rules) -> str | None:
    """Return how training names an agent: a simple policy, or the file of its net; None if it has to be imitated."""
    if rules.name not in PRESETS:
        raise InvalidTraining("a best response is learnt for rules with a name: choose a preset")
    if isinstance(agent, str) and is_frozen(agent):
        return agent
    player = make(agent)
    if isinstance(player, ChampionAgent) and player.temperature == 1.0:
        player.champion_for(rules)  # which says it where the package has none
        file = player.file_for(rules)
        return None if file is None else str(file)
    return None


def is_frozen(against: str) -> bool:
    """Return whether this names what can be trained against as it is: a simple policy, or the file of a net."""
    return against in POLICY_NAMES or Path(against).is_file() or (against.endswith(".npz") and ":" not in against)
