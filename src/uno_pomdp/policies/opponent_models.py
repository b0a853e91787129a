"""Opponent models: a policy π(a | own information) of the other seat, for beliefs, planners and the decision process.

A model speaks about one decision of the opponent. `seen` is what the opponent sees there, as an `OBSERVATION` record of
its seat (an array of one). What it needs of the past it keeps in a *memory*: made at the deal, moved on by every token
that its seat is told (`game.information`), and never changed in place. Where the hand is a hypothesis, many are asked
about at once: `Memories` has the memory of each, and `seen` is without a hand then.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Final, Self

import numpy as np

from uno_pomdp.arrays import Floats, Int32s, Ints
from uno_pomdp.errors import InvalidAgent, quoted
from uno_pomdp.game.actions import actions_of
from uno_pomdp.game.information import Token
from uno_pomdp.game.layout import ACTIONS, BIT, NO_CARD, NO_COLOUR, NOBODY, OBSERVATION, Observations
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.kernels import (
    GREEDY,
    POLICY_NAMES,
    RANDOM,
    WEIGHTS,
    Policy,
    Weights,
    is_policy,
    policy_name,
    policy_named,
)
from uno_pomdp.policies.model_kernels import greedy_all, legal_rows, log_probabilities_all, policy_one, uniform_all
from uno_pomdp.rules import Rules

Memory = Hashable
"""What a model keeps of the past, in a form of its own making; it is part of the decision process' state."""
NOTHING: Final[Memory] = 0
"""The memory of a model that keeps nothing."""
UNTOLD: Final[Token] = 0
"""No token: what stands for one where a hypothesis is excluded, and its memory of no further use."""


class Memories(ABC):
    """What a model remembers for each of many hypotheses about its hand; never changed in place."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    @abstractmethod
    def of(self, places: Ints) -> Self:
        """Return the memories of these hypotheses, in this order."""

    @abstractmethod
    def joined(self, others: "Memories") -> Self:
        """Return these memories and others of the same model and game, one after the other."""

    @abstractmethod
    def told(self, tokens: Int32s) -> Self:
        """Return the memories after each was told of a move, its own included; `UNTOLD` for one that is given up."""

    @abstractmethod
    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log-probability of the action; −inf where it is not legal."""


class OpponentModel(ABC):
    """What the opponent is taken to play, with a memory where its policy needs one.

    >>> import uno_pomdp as uno
    >>> uno.as_model("greedy").name
    'greedy'
    """

    name: str
    """What to call it in a report."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self, 'name', 'without a name')}>"

    @abstractmethod
    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return its memory at the deal; refuse rules that it can't play."""

    @abstractmethod
    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return its memory after it was told of a move, its own included."""

    @abstractmethod
    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the probability of each of the 63 actions where it is to move and has a choice."""

    def memories(self, rules: Rules, seen: Observations, hands: Rows) -> Memories:
        """Return its memories at the deal for each of many hands."""
        return SeparateMemories(self, [self.start(rules, with_hand(seen, hand)) for hand in hands])


class MemorylessModel(OpponentModel):
    """A model that depends on the present observation alone, asked about many hands in one call."""

    @abstractmethod
    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log-probability of the action; −inf where it is not legal.

        `drawn` has the card just drawn where the opponent decides about one, `NO_CARD` elsewhere.
        """

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return nothing: there is nothing to remember."""
        del rules, seen
        return NOTHING

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return the same."""
        del token
        return memory

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the probability of each action, one after the other."""
        del memory
        result = np.zeros(ACTIONS)
        hands, drawn = seen["hand"], seen["drawn"]
        legal = np.zeros(1, np.uint64)
        legal_rows(seen, hands, drawn, legal)
        for action in actions_of(int(legal[0])):
            result[action.id] = np.exp(self.log_probabilities(seen, hands, drawn, action.id)[0])
        return result

    def memories(self, rules: Rules, seen: Observations, hands: Rows) -> Memories:
        """Return what stands for no memories at all."""
        del rules, seen, hands
        return NoMemories(self)


class PolicyModel(MemorylessModel):
    """A scripted policy as a model of the opponent."""

    def __init__(self, policy: Policy, weights: Weights = WEIGHTS) -> None:
        self.name = policy_name(policy)
        self.policy: Final = policy
        """Which policy."""
        self.weights: Final = weights
        """The heuristic's weights; other policies do not look at them."""

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log-probability of the action; −inf where it is not legal."""
        result = np.empty(len(hands))
        if self.policy == GREEDY:
            greedy_all(seen, hands, drawn, action, result)
        elif self.policy == RANDOM:
            uniform_all(seen, hands, drawn, action, result)
        else:
            log_probabilities_all(self.policy, seen, hands, drawn, action, self.weights, result)
        return result

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the policy's probabilities."""
        del memory
        result = np.empty(ACTIONS)
        policy_one(self.policy, seen, seen["hand"][0], int(seen["drawn"][0]), self.weights, result)
        return result


# --- many hypotheses -------------------------------------------------------------------------------------


class NoMemories(Memories):
    """What stands for the memories of a model without any."""

    def __init__(self, model: MemorylessModel) -> None:
        self._model = model

    def of(self, places: Ints) -> Self:
        """Return the same."""
        del places
        return self

    def joined(self, others: Memories) -> Self:
        """Return the same."""
        del others
        return self

    def told(self, tokens: Int32s) -> Self:
        """Return the same."""
        del tokens
        return self

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return what the model says."""
        return self._model.log_probabilities(seen, hands, drawn, action)


class SeparateMemories(Memories):
    """The memories of any model, one by one; what was asked about the same memory and hand is asked once."""

    def __init__(self, model: OpponentModel, each: Sequence[Memory]) -> None:
        self._model = model
        self._each = list(each)

    def of(self, places: Ints) -> Self:
        """Return the memories of these hypotheses."""
        return type(self)(self._model, [self._each[place] for place in places])

    def joined(self, others: Memories) -> Self:
        """Return these memories and the others."""
        assert isinstance(others, SeparateMemories)
        return type(self)(self._model, [*self._each, *others._each])

    def told(self, tokens: Int32s) -> Self:
        """Return the memories after a move."""
        found: dict[tuple[Memory, Token], Memory] = {}
        keys = list(zip(self._each, tokens.tolist(), strict=True))
        for memory, token in keys:
            if (memory, token) not in found:
                found[memory, token] = memory if token == UNTOLD else self._model.follow(memory, token)
        return type(self)(self._model, [found[key] for key in keys])

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return what the model says for each; where nothing else is legal it is not asked."""
        legal = np.zeros(len(hands), np.uint64)
        legal_rows(seen, hands, drawn, legal)
        result = np.full(len(hands), -np.inf)
        result[legal == BIT[action]] = 0.0
        said: dict[tuple[Any, ...], float] = {}
        for index in np.flatnonzero((legal & BIT[action] != 0) & (legal != BIT[action])).tolist():
            key = self._each[index], hands[index].tobytes(), int(drawn[index])
            if key not in said:
                asked = with_hand(seen, hands[index], int(drawn[index]))
                said[key] = float(self._model.probabilities(asked, self._each[index])[action])
            result[index] = np.log(said[key]) if said[key] > 0.0 else -np.inf
        return result


# --- what the opponent sees ------------------------------------------------------------------------------


def other_side(seen: Observation) -> Observations:
    """Return what the opponent sees of a running game, as a record with an empty hand for the hypothesis."""
    records = public_side(seen)
    record = records[0]
    record["hand_size"], record["opponent_size"] = seen.opponent_size, len(seen.hand)
    record["drawn"], record["winner"] = NO_CARD, NOBODY
    record["seat"] = 1 - seen.seat
    return records


def public_side(seen: Observation) -> Observations:
    """Return what both players see, as a record; sizes of hands and the seat are left to fill in."""
    records = np.zeros(1, OBSERVATION)
    record = records[0]
    record["played"] = seen.played.array()
    record["draw_size"], record["played_size"] = seen.draw_size, seen.played_size
    record["top"], record["colour"] = seen.top, seen.colour
    record["turn"], record["penalty"], record["deciding"] = seen.turn, seen.penalty, seen.deciding
    record["before"] = NO_COLOUR if seen.before is None else seen.before
    record["variant"], record["colours"] = seen.variant, seen.colours
    return records


def with_hand(seen: Observations, hand: Rows, drawn: int = NO_CARD) -> Observations:
    """Return what the opponent sees with a hypothesis in its hand."""
    records = seen.copy()
    record = records[0]
    record["hand"], record["drawn"] = hand, drawn
    record["hand_mask"] = sum(1 << card for card in np.flatnonzero(hand).tolist())
    return records


def named_model(model: OpponentModel | str) -> OpponentModel:
    """Return a model as it is, or the scripted policy that a text names."""
    if not isinstance(model, str):
        return model
    if not is_policy(model):
        raise InvalidAgent(
            f"no policy is called {quoted(model)}: choose one of {', '.join(POLICY_NAMES)}, "
            "or give uno_pomdp.as_model(…) of any agent that states its policy"
        )
    return PolicyModel(policy_named(model))
