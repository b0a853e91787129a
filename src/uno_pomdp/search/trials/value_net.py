"""Trials by a value net: an action in a world, then a net's value of the next position with a choice.

Every likely action is carried out in each sampled world, then the forced moves after it. The next position with a
choice is valued with both hands open, as if both players went on as the champion does (`nets.position_features`). The
mean over the worlds is the action's value under the champion's policy: one step of policy improvement.
"""

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.arrays import Floats
from uno_pomdp.game.kernels import apply
from uno_pomdp.game.layout import RUNNING, STATE, Record, States
from uno_pomdp.game.rng import Stream, Streams, streams
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.nets.net_file import Net, NetFile
from uno_pomdp.nets.position_features import OPPONENTS, Workspace, new_workspace, worth
from uno_pomdp.nets.pretrained import pretrained_position_values
from uno_pomdp.policies.kernels import WEIGHTS, Weights
from uno_pomdp.policies.rollouts import points, until_choice, until_open
from uno_pomdp.rules import Rules
from uno_pomdp.search.root import Trial, TrialMaker


class ValueNets(TrialMaker):
    """Tries actions by a net's value of the next choice."""

    def __init__(self, opponent: str = OPPONENTS[0], given: NetFile | None = None) -> None:
        self._opponent = OPPONENTS.index(opponent)
        self._given = given

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that the net was not trained with."""
        learnt = self._file_for(rules).rules
        if learnt != rules:
            raise InvalidAgent(
                f"these positions were learnt with the rules {learnt.name}, not {rules.name}: train some "
                "with python -m uno_pomdp.learning positions"
            )

    def _file_for(self, rules: Rules) -> NetFile:
        return pretrained_position_values(rules) if self._given is None else self._given

    def make(self, rules: Rules, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> "ValueNetTrial":
        """Return what tries these actions."""
        return ValueNetTrial(actions, self._file_for(rules).net, self._opponent, seed)


class ValueNetTrial(Trial):
    """Actions are tried by going on to the next choice, and valuing that."""

    def __init__(self, actions: npt.NDArray[np.int64], net: Net, opponent: int, seed: np.random.SeedSequence) -> None:
        self._actions = actions
        self._net = net
        self._opponent = opponent
        self._workspace = new_workspace(net)
        self._stream = streams(seed)
        self._table = np.zeros(1, STATE)

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write what each action that is alive is worth in each world."""
        look_ahead(
            worlds,
            self._table,
            self._actions[alive],
            self._net,
            self._workspace,
            self._opponent,
            WEIGHTS,
            self._stream,
            results,
        )


@kernel
def look_ahead(
    worlds: States,
    table: States,
    actions: npt.NDArray[np.int64],
    net: Net,
    workspace: Workspace,
    opponent: int,
    weights: Weights,
    chance: Streams,
    results: Floats,
) -> None:
    """Write the value in points of each action in each world `[worlds, actions]`."""
    for w in range(len(worlds)):
        seat = as_int(worlds[w]["turn"])
        for a in range(len(actions)):
            table[0] = worlds[w]
            state = table[0]
            apply(state, actions[a])
            until_valued(state, seat, opponent, weights[0], chance[0])
            if state["status"] != RUNNING:
                results[w, a] = points(state["winner"], seat)
                continue
            value = worth(net, workspace, state, opponent)
            results[w, a] = 0.5 + 0.5 * (value if as_int(state["turn"]) == seat else -value)


@kernel
def until_valued(state: Record, seat: int, opponent: int, weights: Record, chance: Stream) -> None:
    """Play on to the next choice that a net can value: anybody's, or the seat's if the opponent is scripted."""
    if opponent > 0:
        until_choice(state, seat, opponent - 1, weights, chance)
    else:
        until_open(state, True)
