"""Search with the champion: its policy as the prior, exact-belief worlds, and a net's value where somebody can choose.

Every likely action is carried out in each imagined world, moves without a choice follow, and the next choice is valued
with both hands open, as if both went on as the champion does (`champion.positions`). The mean over the worlds is what
the action is worth to a champion that goes on as usual: one step of policy improvement. The net errs, so what the
champion itself prefers counts too (`root.leaning`).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Budget, Clock, Decision, InvalidAgent
from uno_pomdp.arrays import Floats
from uno_pomdp.game.bits import lowest_bit
from uno_pomdp.game.events import Event
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import RUNNING, STATE, Record, Seat, States
from uno_pomdp.game.rng import Seed, Stream, Streams, streams
from uno_pomdp.jit import as_int, kernel, working_time
from uno_pomdp.nets.net_file import Net, NetFile
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.position_features import OPPONENTS, Workspace, new_workspace, worth
from uno_pomdp.nets.pretrained import pretrained_position_values
from uno_pomdp.policies.kernels import WEIGHTS, Weights
from uno_pomdp.policies.rollouts import points
from uno_pomdp.pomdp.lookahead import until_choice
from uno_pomdp.quantities import PRIOR_TRUST, naming
from uno_pomdp.rules import Rules
from uno_pomdp.search.root import RootSearch, Trial

_NONE = np.uint64(0)
_ONE = np.uint64(1)
TRUST: Final = 0.02
"""How much the logarithm of the prior counts: a tenth of the probability outweighs about five points of 100."""


class ValueNetSearch(RootSearch):
    """Looks one choice ahead with the champion's nets."""

    def __init__(
        self,
        budget: Budget,
        belief: str = "closed",
        trust: float = TRUST,
        opponent: str = "champion",
        champion: NetFile | None = None,
        positions: NetFile | None = None,
        halving: bool = True,
        clock: Clock = working_time,
        threads: int = 1,
        endgame: bool = True,
    ) -> None:
        with naming("trust", InvalidAgent):
            PRIOR_TRUST.checked(trust)
        super().__init__(budget, belief, clock, threads, endgame)
        self.name = "champion"
        self.halving = halving
        self.trust = trust
        self.guide = PolicyNetAgent(champion)
        """The champion, which says what it would play."""
        self._given = positions
        self._opponent = OPPONENTS.index(opponent)
        if self._opponent:
            self._rollout = self._opponent - 1  # endgames are proved against him too

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse rules that its nets were not trained with."""
        self.guide.check_game(rules, seat)
        learnt = self._positions(rules).rules
        if learnt != rules:
            raise InvalidAgent(
                f"these positions were learnt with the rules {learnt.name}, not {rules.name}: train some "
                "with python -m uno_pomdp.learning positions"
            )

    def _positions(self, rules: Rules) -> NetFile:
        return pretrained_position_values(rules) if self._given is None else self._given

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self.check_game(self.rules, self.observation.seat)
        super().begin(seed)
        self.guide.start(self.rules, self.observation, 0)  # it is asked for its policy, never for a choice
        self._net = self._positions(self.rules).net
        self._policy: Floats | None = None

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        super().follow(events)
        self.guide.update(events, self.observation)
        self._policy = None

    def _considered(self, started: float) -> Decision:
        self._policy = self.guide.policy()  # once, before threads share it
        return super()._considered(started)

    def _prior(self, actions: list[int]) -> Floats:
        return (self.guide.policy() if self._policy is None else self._policy)[actions]

    def _trial(self, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> Trial:
        return ValueNetTrial(actions, self._net, self._opponent, seed)


class ValueNetTrial(Trial):
    """Actions are tried by going on to the next choice, and valuing that."""

    def __init__(self, actions: npt.NDArray[np.int64], net: Net, opponent: int, seed: np.random.SeedSequence) -> None:
        self._actions = actions
        self._net = net
        self._opponent = opponent
        self._desk = new_workspace(net)
        self._stream = streams(seed)
        self._table = np.zeros(1, STATE)

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write what each action that is alive is worth in each world."""
        look_ahead(
            worlds,
            self._table,
            self._actions[alive],
            self._net,
            self._desk,
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
    desk: Workspace,
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
            value = worth(net, desk, state, opponent)
            results[w, a] = 0.5 + 0.5 * (value if as_int(state["turn"]) == seat else -value)


@kernel
def until_valued(state: Record, seat: int, opponent: int, weights: Record, chance: Stream) -> None:
    """Play on to the next choice that a net can value: anybody's, or the seat's if the opponent is a simple policy."""
    if opponent > 0:
        until_choice(state, seat, opponent - 1, weights, chance)
        return
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        if legal & (legal - _ONE) != _NONE:
            return
        apply(state, lowest_bit(legal))
