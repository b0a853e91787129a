"""The opponent of a best response: a scripted policy, the net of a file, or an agent that is imitated first."""

from pathlib import Path
from typing import Final

from uno_pomdp.arena.match import Maker, make
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.registry import AgentSpec
from uno_pomdp.rules import CUSTOM, Rules

IMITATION: Final = "imitation.npz"
"""The file name, in a training's folder, of the net that imitates the opponent."""

IMITATED: Final = "imitation of "
"""How the name of an imitated agent begins."""


def frozen_name(agent: Maker, rules: Rules) -> str | None:
    """Return how training names an agent: a scripted policy, or the file of its net; None if it has to be imitated."""
    if rules.name == CUSTOM:
        raise InvalidTraining("a best response is learnt for rules with a name: choose a preset, or change its fields")
    if isinstance(agent, str) and (is_file_of_net(agent) or AgentSpec.parse(agent).can.in_kernels):
        return agent
    player = make(agent)
    if isinstance(player, PolicyNetAgent) and player.temperature == 1.0:
        player.champion_for(rules)  # which says it where the package has none
        file = player.file_for(rules)
        return None if file is None else str(file)
    return None


def is_file_of_net(agent: str) -> bool:
    """Return whether a text is a file, or would be one, and not an agent with options."""
    return Path(agent).is_file() or (agent.endswith(".npz") and ":" not in agent)


def imitation_of(agent: Maker) -> str:
    """Return how training names an agent that is imitated: unlike any scripted policy or file."""
    return f"{IMITATED}{make(agent).name}"


def is_imitation(against: str) -> bool:
    """Return whether this is the name of an imitated agent."""
    return against.startswith(IMITATED)
