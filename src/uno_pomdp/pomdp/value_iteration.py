"""Value iteration over the information states of a model: values and a best response, to be printed, saved and played.

Exact: a Bellman backup at an information state averages over the belief that goes with it. With discount 1 and no cost
of a step the value is that of the best response to the opponent's policy.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from uno_pomdp.agents.tabular import PolicyTable
from uno_pomdp.arrays import Floats
from uno_pomdp.game.actions import ACTIONS, seat_name
from uno_pomdp.game.information import history_text, tokens_of
from uno_pomdp.pomdp.information_states import InformationStates, Report, information_states, silent
from uno_pomdp.pomdp.mdp import TOLERANCE, Values, iterate_values
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.quantities import count_of


@dataclass(frozen=True)
class SolvedModel:
    """What value iteration found at every information state."""

    states: InformationStates
    values: Values
    """Their values, and how exact they are."""

    def __repr__(self) -> str:
        return f"<SolvedModel: value {self.value:+.6f}, {self.states!r}>"

    @cached_property
    def value(self) -> float:
        """What the seat expects before anything is dealt."""
        roots = slice(0, self.states.roots)
        return self.states.at_once + float(self.states.weight[roots] @ self.values.value[roots])

    def action_values(self, state: int) -> Floats:
        """Return Q of each choice of an information state."""
        process = self.states.process
        result = []
        for choice in range(process.first[state], process.first[state + 1]):
            place = slice(process.start[choice], process.start[choice + 1])
            target = process.target[place]
            later = process.probability[place] @ (process.discount[target] * self.values.value[target])
            result.append(process.reward[choice] + later)
        return np.array(result)

    @cached_property
    def policy(self) -> PolicyTable:
        """The best actions as a policy that an agent can play, with the values."""
        process, model = self.states.process, self.states.model
        widths = np.diff(process.first)
        open_ = np.flatnonzero(widths > 1)
        set_of = np.full(int(self.states.histories.total[0]), -1, np.int32)
        set_of[self.states.history[open_]] = np.arange(len(open_))
        probability = np.zeros(len(self.states.action))
        probability[self.values.choice] = 1.0
        about = {
            "solver": "value iteration",
            "opponent": model.opponent.name,
            "seat": model.seat,
            "discount": model.discount,
            "step_cost": model.step_cost,
            "value": self.value,
            "residual": self.values.residual,
            "sweeps": self.values.sweeps,
        }
        first, end = process.first[:-1][open_].astype(np.int32), process.first[1:][open_].astype(np.int32)
        value = self.values.value[open_]
        rules, histories = model.rules, self.states.histories
        return PolicyTable(rules, about, histories, set_of, first, end, self.states.action, probability, value)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values without the policy, which has a file of its own; payoffs from −1 to 1."""
        model = self.states.model
        return {
            "rules": model.rules.name,
            "against": model.opponent.name,
            "seat": seat_name(model.seat),
            "value": self.value,
            "information_states": self.states.process.states,
            "residual": self.values.residual,
        }

    def text(self, most: int = 20) -> str:
        """Return values and best actions of the first information states with a choice, as lines for people."""
        process, model = self.states.process, self.states.model
        lines = [
            f"{model.rules.name}, {seat_name(model.seat)} against {model.opponent.name}: value {self.value:+.6f}, "
            f"{count_of(process.states, 'information state')}, {count_of(self.values.sweeps, 'sweep')}, "
            f"residual {self.values.residual:.1e}"
        ]
        for state in np.flatnonzero(np.diff(process.first) > 1)[:most].tolist():
            told = history_text(tokens_of(self.states.histories, int(self.states.history[state])))
            first = int(process.first[state])
            options = ", ".join(
                f"{ACTIONS[self.states.action[first + nth]]} {value:+.4f}"
                for nth, value in enumerate(self.action_values(state).tolist())
            )
            best = ACTIONS[self.states.action[self.values.choice[state]]]
            lines.append(f"{self.values.value[state]:+.4f}  {best}  [{options}]  {told}")
        return "\n".join(lines)


def value_iteration(
    model: UnoPOMDP, *, tolerance: float = TOLERANCE, most_sweeps: int = 100_000, report: Report = silent
) -> SolvedModel:
    """Return the values of all information states of a model without reshuffles.

    Against an opponent that kernels don't know this takes as long as the opponent takes to answer: `report` is called
    with how many worlds of a step have been expanded, and how many there are.

    >>> import uno_pomdp as uno
    >>> solved = uno.value_iteration(uno.UnoPOMDP("mini-7", "greedy"))
    >>> round(solved.value, 6)
    0.45
    """
    states = information_states(model, report)
    return SolvedModel(states, iterate_values(states.process, tolerance=tolerance, most_sweeps=most_sweeps))
