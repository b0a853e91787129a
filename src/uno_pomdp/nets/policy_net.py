"""A policy net beside one seat: it follows which colours were played, and says how likely each action is.

What the seat infers about the opponent's hand is asked for in closed form. Whoever follows the game with such a belief
hands that in; beside any other belief the net keeps one of its own.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.scripted import own_record
from uno_pomdp.arrays import Floats, Singles
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.mixture.mixture import Mixtures
from uno_pomdp.beliefs.mixture.pool import TRACE, Traces, trace_play
from uno_pomdp.cards import COLOURS
from uno_pomdp.errors import InvalidAgent
from uno_pomdp.game.events import Event, Played
from uno_pomdp.game.layout import ACTIONS as ALL_ACTIONS
from uno_pomdp.game.layout import Observations
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import kernel
from uno_pomdp.nets.net_file import OUTPUTS, Net, NetFile, chances, forward
from uno_pomdp.nets.policy_features import ACTIONS, FEATURES, Order, encode, renamed
from uno_pomdp.nets.pretrained import pretrained_policy
from uno_pomdp.rules import Rules


class PolicyNet:
    """A net's policy at one seat, game after game."""

    def __init__(self, given: NetFile | None = None, temperature: float = 1.0) -> None:
        self.given = given
        """The net that it was made with; None for the package's own."""
        self._temperature = temperature
        self.trace: Traces = np.zeros(1, TRACE)
        """What the plays of both said about colours."""
        self.features = np.zeros(FEATURES, np.float32)
        """What the net was told at the last choice."""
        self.order = np.zeros((2, len(COLOURS)), np.int64)
        """The colour at each place then, and the place of each colour."""
        self.outputs = np.zeros(OUTPUTS, np.float32)
        """What it said: logits of the actions, colours by place, and the value before tanh."""

    def file_for(self, rules: Rules) -> NetFile:
        """Return what it plays by under these rules: what it was made with, or the package's net for them."""
        return pretrained_policy(rules) if self.given is None else self.given

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that the net was not trained with."""
        learnt = self.file_for(rules).rules
        if learnt != rules:
            raise InvalidAgent(
                f"this champion was trained with the rules {learnt.name} and can't play {rules.name}: "
                "train one with uno-pomdp train"
            )

    def start(self, rules: Rules, seen: Observation, belief: Belief) -> None:
        """Begin a game, beside an agent that follows it with this belief."""
        self.check_rules(rules)
        if seen.hidden_played:
            raise InvalidAgent(
                f"{seen.hidden_played} played cards are not known, and a champion was trained to know them all: "
                "name them, or choose flat or ismcts"
            )
        self._rules, self._seen, self._net = rules, seen, self.file_for(rules).net
        self._own = None if isinstance(belief, ClosedFormBelief) else ClosedFormBelief(rules, seen)
        self.trace = np.zeros(1, TRACE)

    def follow(self, events: Sequence[Event], seen: Observation) -> None:
        """Take in one action of either player."""
        for event in events:
            if isinstance(event, Played) and event.action.colour is not None:
                trace_one(self.trace, event.seat, self._seen.colour, event.action.colour, event.action.id)
        if self._own is not None and seen.outcome is None:
            self._own.update(events, seen)
        self._seen = seen

    def policy(self, seen: Observation, belief: Belief) -> Floats:
        """Return the probability of each of the 63 actions, for what a seat sees and believes."""
        legal = seen.legal_actions()
        result = np.zeros(ALL_ACTIONS)
        if len(legal) == 1:
            result[legal[0].id] = 1.0
        else:
            self._ask(seen, belief, result)
        return result

    def value(self, seen: Observation, belief: Belief) -> float:
        """Return what the net expects for the seat, from −1 to 1; only where it has a choice."""
        self._ask(seen, belief, np.zeros(ALL_ACTIONS))
        return self.expected

    @property
    def expected(self) -> float:
        """What the net expected at the last choice, from −1 to 1."""
        return float(np.tanh(self.outputs[ACTIONS]))

    def _ask(self, seen: Observation, belief: Belief, result: Floats) -> None:
        known = belief if isinstance(belief, ClosedFormBelief) else self._own
        assert known is not None, "it was started beside a closed form, and is asked beside another belief"
        record, _, _ = own_record(seen)
        mixtures, front = known.readable()
        unseen = seen.unseen(self._rules).array()
        ask_one(
            self._net, record, unseen, mixtures, front, self.trace, np.uint64(seen.legal_mask), self._temperature,
            self.order, self.features, self.outputs, result,
        )  # fmt: skip


@kernel
def trace_one(traces: Traces, seat: int, before: int, declared: int, action: int) -> None:
    """Note a play in the first trace."""
    trace_play(traces[0], seat, before, declared, action)


@kernel
def ask_one(
    net: Net,
    seen: Observations,
    unseen: npt.NDArray[np.uint8],
    mixtures: Mixtures,
    front: int,
    traces: Traces,
    legal: np.uint64,
    temperature: float,
    order: Order,
    row: Singles,
    outputs: Singles,
    result: Floats,
) -> None:
    """Write the encoding of what the first record sees, the net's outputs, and the probability of each action."""
    encode(seen[0], unseen, mixtures, front, traces[0], legal, order, row)
    forward(net, row, outputs)
    placed = np.empty(ACTIONS)
    chances(outputs, row, temperature, placed)
    for action in range(ACTIONS):
        result[action] = placed[renamed(action, order[1])]
