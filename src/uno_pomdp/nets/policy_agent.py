"""The agent `champion`: a net that plays by itself, without any search."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Agent, Clock, Decision, InvalidAgent
from uno_pomdp.agents.mixed_strategy import drawn_from
from uno_pomdp.agents.scripted import own_record
from uno_pomdp.arrays import Floats, Singles
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.mixture.mixture import Mixtures
from uno_pomdp.beliefs.mixture.pool import TRACE, Traces, trace_play
from uno_pomdp.cards import COLOURS
from uno_pomdp.game.events import Event, Played
from uno_pomdp.game.layout import ACTIONS, Observations, Seat
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import kernel, working_time
from uno_pomdp.nets.net_file import OUTPUTS, Net, NetFile, chances, forward
from uno_pomdp.nets.policy_features import FEATURES, Order, encode, renamed
from uno_pomdp.nets.pretrained import WEIGHTS_FOLDER, pretrained_policy, pretrained_rules
from uno_pomdp.quantities import TEMPERATURE, naming
from uno_pomdp.rules import Rules


class PolicyNetAgent(Agent):
    """Plays a mixed strategy that a net gives for what it knows: the closed form of the belief, and the public past."""

    def __init__(
        self,
        champion: NetFile | None = None,
        temperature: float = 1.0,
        file: Path | None = None,
        name: str = "champion",
        clock: Clock = working_time,
    ) -> None:
        with naming("temperature", InvalidAgent):
            TEMPERATURE.checked(temperature)
        self.name = name
        self._given = champion
        self.temperature: Final = temperature
        """Logits are divided by it: below 1 the policy is sharper than it was trained."""
        self.file: Final = file
        """Where the net was read from."""
        self._clock = clock
        self.features = np.zeros(FEATURES, np.float32)
        """What the net was told at the last choice."""
        self.order = np.zeros((2, len(COLOURS)), np.int64)
        """The colour at each place then, and the place of each colour."""
        self.outputs = np.zeros(OUTPUTS, np.float32)
        """What it said: logits of the actions, colours by place, and the value before tanh."""

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse rules that its net was not trained with."""
        del seat
        learnt = self.champion_for(rules).rules
        if learnt != rules:
            raise InvalidAgent(
                f"this champion was trained with the rules {learnt.name} and can't play {rules.name}: "
                "train one with uno-pomdp train"
            )

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self.check_game(self.rules, self.observation.seat)
        self.champion = self.champion_for(self.rules)
        """What it has learnt."""
        self._chance = np.random.default_rng(sequence(seed))
        self.belief = ClosedFormBelief(self.rules, self.observation)
        """What it infers about the opponent's hand."""
        self.trace: Traces = np.zeros(1, TRACE)
        """What the plays of both said about colours."""

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        before = self.belief.observation.colour
        for event in events:
            if isinstance(event, Played) and event.action.colour is not None:
                trace_one(self.trace, event.seat, before, event.action.colour, event.action.id)
        if self.observation.outcome is None:
            self.belief.update(events, self.observation)

    def file_for(self, rules: Rules) -> Path | None:
        """Return the file of the net that it plays under these rules; None if there is none."""
        if self.file is not None or self._given is not None:
            return self.file
        return WEIGHTS_FOLDER / f"{rules.name}.npz" if rules.name in pretrained_rules() else None

    def champion_for(self, rules: Rules) -> NetFile:
        """Return what it plays by under these rules: what it was made with, or the package's net for them."""
        return pretrained_policy(rules) if self._given is None else self._given

    def policy(self) -> Floats:
        """Return the probability of each of the 62 actions here."""
        legal = self.observation.legal_actions()
        result = np.zeros(ACTIONS)
        if len(legal) == 1:
            result[legal[0].id] = 1.0
            return result
        self._ask(result)
        return result

    def _ask(self, result: Floats) -> None:
        seen, _, _ = own_record(self.observation)
        mixtures, front = self.belief.readable()
        unseen = self.observation.unseen(self.rules).array()
        legal = np.uint64(self.observation.legal_mask)
        ask_one(
            self.champion.net, seen, unseen, mixtures, front, self.trace, legal, self.temperature,
            self.order, self.features, self.outputs, result,
        )  # fmt: skip

    def value(self) -> float:
        """Return what the net expects for this seat, from −1 to 1; only where it has a choice."""
        self._ask(np.zeros(ACTIONS))
        return float(np.tanh(self.outputs[ACTIONS]))

    def decide(self) -> Decision:
        """Return an action drawn from the policy."""
        started = self._clock()
        legal = self.observation.legal_actions()
        if len(legal) == 1:
            return Decision(legal[0], note="forced", milliseconds=1000 * (self._clock() - started))
        action, candidates = drawn_from(self.policy(), legal, self._chance)
        chance = 0.5 + 0.5 * float(np.tanh(self.outputs[ACTIONS]))
        return Decision(
            action,
            candidates,
            milliseconds=1000 * (self._clock() - started),
            belief=self.belief.diagnostics(),
            note=f"expects {100 * chance:.0f} % before it moves",
        )


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
