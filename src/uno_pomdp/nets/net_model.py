"""A policy net as an opponent model: its policy needs its belief about the observer's hand, in each hypothesis another.

What is public is the same in all of them and followed once. What a hypothesis adds is the hand that was dealt and the
cards that were drawn since. So no belief is kept: where the net is asked, those that are asked about are led along the
whole game in kernels, and the net is evaluated for all of them at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Agent
from uno_pomdp.agents.agent_model import AgentModel
from uno_pomdp.arrays import Counts, Floats, Int32s, Ints, Singles
from uno_pomdp.beliefs.evidence import evidence
from uno_pomdp.beliefs.mixture.mixture import mixture_dtype
from uno_pomdp.beliefs.mixture.pool import TRACE, Traces
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.events import Drew, Event, Kept, Played, Reshuffled
from uno_pomdp.game.information import Token, move_of
from uno_pomdp.game.kernels import decides_next
from uno_pomdp.game.layout import BIT, DRAW, Observations, Seat
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.game.observed_action import carry_out
from uno_pomdp.nets import history_features
from uno_pomdp.nets.history_features import DEED, DREW_ITSELF, PLAYED, PLAYED_AT_ONCE, RETURNED, encode_all, log_chances
from uno_pomdp.nets.net_file import Net, NetFile
from uno_pomdp.nets.policy_features import FEATURES
from uno_pomdp.nets.policy_net import trace_one
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.model_kernels import legal_rows
from uno_pomdp.policies.opponent_models import UNTOLD, Memories
from uno_pomdp.rules import Rules

Layers = tuple[tuple[Singles, Singles], ...]
"""The weights and biases of each layer of a net."""
Deed = tuple[int, int, int]
"""One `DEED`."""
ANY: Final = 0
"""A card that stands for any, where only their number matters."""


class NetModel(AgentModel):
    """The policy of a net; asked about one history it is an agent that is led along, about many it works in kernels."""

    def __init__(
        self, make: Callable[[], Agent], name: str, file_for: Callable[[Rules], NetFile], temperature: float
    ) -> None:
        super().__init__(make, name)
        self._file_for = file_for
        self._temperature = temperature

    def memories(self, rules: Rules, seen: Observations, hands: Rows) -> Memories:
        """Return what it remembers at the deal for each of many hands."""
        self.start(rules, seen)
        layers, deck = layers_of(self._file_for(rules).net), rules.deck.array()
        none = np.zeros((len(hands), 0), np.int32)
        return NetMemories(layers, self._temperature, deck, PublicGame.begin(seen), hands.copy(), none)


@dataclass(frozen=True, slots=True)
class PublicGame:
    """What both players know of a game, and what the deeds of one tell the model's seat about its hand."""

    seat: Seat
    """The model's seat."""
    seen: Observation
    """The table as the player that is not to move sees it, with any cards in its hand."""
    top: int
    """The first top card."""
    size: int
    """How many cards the other was dealt."""
    trace: Traces
    """What the plays of both said about colours."""
    deeds: tuple[Deed, ...] = ()
    """What was done, as far as it tells the seat anything."""
    returned: tuple[Cards, ...] = ()
    """What went back into the draw pile, each time."""

    @classmethod
    def begin(cls, seen: Observations) -> "PublicGame":
        """Return a game that was just dealt."""
        table, size = observation_of(seen), int(seen["hand_size"][0])
        first = _waiting(replace(table, hand=Cards.of([ANY] * size)))
        return cls(table.seat, first, table.top, table.opponent_size, np.zeros(1, TRACE))

    def after(self, token: Token, drawn: int) -> "PublicGame":
        """Return the game after a move; `drawn` is the column of what the seat drew, if it did."""
        action, _ = move_of(token)
        _, (events, after) = carry_out(self.seen, TYPED_ACTIONS[action])
        game = self
        for event in events:
            game = game._with(event, drawn)
        return replace(game, seen=_waiting(after))

    def _with(self, event: Event, drawn: int) -> "PublicGame":
        if isinstance(event, Reshuffled):
            deed = (RETURNED, len(self.returned), 0)
            return replace(self, deeds=(*self.deeds, deed), returned=(*self.returned, event.returned))
        assert isinstance(event, Played | Drew | Kept), "nets know rules without other events"
        game = self
        if isinstance(event, Played) and event.action.colour is not None:
            trace = self.trace.copy()
            trace_one(trace, event.seat, self.seen.colour, event.action.colour, event.action.id)
            game = replace(self, trace=trace)
        if event.seat != self.seat:
            return replace(game, deeds=(*self.deeds, self._told(event)))
        if isinstance(event, Drew):
            return replace(game, deeds=(*self.deeds, (DREW_ITSELF, drawn, 0)))
        return game

    def _told(self, event: Played | Drew | Kept) -> Deed:
        """Return what a deed of the other player tells about its hand, as the closed form takes it in."""
        pending = isinstance(event, Drew) and decides_next(DRAW, event.penalty, event.count, self.seen.variant)
        told = evidence(event, self.seen, pending=pending)
        if isinstance(event, Played) and event.action.card is not None:
            return PLAYED_AT_ONCE if told.just_drawn else PLAYED, event.action.card, int(told.barred)
        return history_features.DREW, told.kept, int(told.barred)


def _waiting(seen: Observation) -> Observation:
    """Return the table as the player that is not to move sees it; its cards do not matter, only their number."""
    if seen.turn != seen.seat:
        return seen
    own = Cards.of([ANY] * seen.opponent_size)
    return replace(seen, seat=1 - seen.seat, hand=own, opponent_size=len(seen.hand), drawn=None)


@dataclass(frozen=True, slots=True)
class NetMemories(Memories):
    """What the net has to know of the past in each of many hypotheses."""

    layers: Layers
    """The net."""
    temperature: float
    """Logits are divided by it."""
    deck: Counts
    """Cards of each type."""
    game: PublicGame
    """What is the same in all of them."""
    dealt: Rows
    """For each the hand at the deal."""
    drawn: Int32s
    """For each the tokens of its own draws."""

    def __repr__(self) -> str:
        return f"<NetMemories of {len(self.dealt):,} hypotheses>"

    def of(self, places: Ints) -> Self:
        """Return the memories of these hypotheses."""
        return replace(self, dealt=self.dealt[places], drawn=self.drawn[places])

    def joined(self, others: Memories) -> Self:
        """Return these memories and the others."""
        assert isinstance(others, NetMemories)
        dealt, drawn = np.concatenate((self.dealt, others.dealt)), np.concatenate((self.drawn, others.drawn))
        return replace(self, dealt=dealt, drawn=drawn)

    def told(self, tokens: Int32s) -> Self:
        """Return the memories after a move; tokens differ in the cards that were drawn, if at all."""
        heard = tokens[tokens != UNTOLD]
        if not len(heard):
            return self
        own = self.game.seen.turn == self.game.seat and move_of(int(heard[0]))[0] == DRAW
        game = self.game.after(int(heard[0]), self.drawn.shape[1])
        drawn = np.concatenate((self.drawn, tokens[:, None]), axis=1) if own else self.drawn
        return replace(self, game=game, drawn=drawn)

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return what the net says for each; where nothing else is legal it is not asked."""
        legal = np.zeros(len(hands), np.uint64)
        legal_rows(seen, hands, drawn, legal)
        result = np.full(len(hands), -np.inf)
        result[legal == BIT[action]] = 0.0
        asked = np.flatnonzero((legal & BIT[action] != 0) & (legal != BIT[action]))
        if len(asked):
            known = np.concatenate((hands, self.dealt, self.drawn.view(np.uint8).reshape(len(hands), -1)), axis=1)
            rows = np.ascontiguousarray(known[asked]).view(f"V{known.shape[1]}").ravel()
            _, first, same = np.unique(rows, return_index=True, return_inverse=True)
            result[asked] = self._ask(asked[first], seen, hands, legal, action)[same]
        return result

    def _ask(self, places: Ints, seen: Observations, hands: Rows, legal: npt.NDArray[np.uint64], action: int) -> Floats:
        """Return the log-probability of an action in these hypotheses, all of which have a choice."""
        features = np.zeros((len(places), FEATURES), np.float32)
        orders = np.zeros((len(places), 2, 4), np.int64)
        self._encode(places, seen, hands, legal, orders, features)
        values = features
        for number, (weights, biases) in enumerate(self.layers, 1):
            values = values @ weights + biases
            if number < len(self.layers):
                np.maximum(values, 0.0, out=values)
        result = np.empty(len(places))
        log_chances(values, features, orders, self.temperature, action, result)
        return result

    def _encode(
        self,
        places: Ints,
        seen: Observations,
        hands: Rows,
        legal: npt.NDArray[np.uint64],
        orders: npt.NDArray[np.int64],
        features: Singles,
    ) -> None:
        """Write what the net is told; a belief that does not fit is led along again in larger records."""
        game, now = self.game, seen.copy()
        deeds = np.array(list(game.deeds), DEED)
        returned = np.array([cards.array() for cards in game.returned] or [Cards.of([]).array()])
        played = np.zeros_like(self.deck)
        played[game.top] = 1
        waiting, scale = np.arange(len(places)), 1
        while len(waiting):
            rows = places[waiting]
            fits = np.zeros(len(rows), np.bool_)
            order, row = np.zeros((len(rows), 2, 4), np.int64), np.zeros((len(rows), FEATURES), np.float32)
            encode_all(
                deeds, returned, self.deck - played - self.dealt[rows], game.size, self.drawn[rows],
                np.zeros(2, mixture_dtype(scale)), now, self.deck - now["played"][0] - hands[rows], hands[rows],
                game.trace, legal[rows], order, row, fits,
            )  # fmt: skip
            orders[waiting[fits]], features[waiting[fits]] = order[fits], row[fits]
            waiting, scale = waiting[~fits], 2 * scale


def layers_of(net: Net) -> Layers:
    """Return the layers of a net as matrices."""
    found, at, bias = [], 0, 0
    for wide, high in pairwise(net.sizes.tolist()):
        found.append((net.weights[at : at + wide * high].reshape(wide, high), net.biases[bias : bias + high]))
        at, bias = at + wide * high, bias + high
    return tuple(found)
