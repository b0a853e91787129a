"""`UnoPOMDP`: the tuple (S, A, T, R, Ω, O, b₀, γ) as one object, with the opponent's policy inside T.

A *step* is one action of the deciding seat (a forced one too), then the opponent's moves until that seat has to act
again or the game is over. A *state* is the position (piles without order), what the opponent remembers, and what the
seat was told during the step that led there: one token for each move of either player. An *observation* is just that
last part, so it is a function of the state: O(o | s′) is 1 or 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from uno_pomdp.cards import card_name
from uno_pomdp.errors import IllegalAction, UnoError
from uno_pomdp.game.actions import Action, actions_of, seat_name
from uno_pomdp.game.bindings import deal_all, legal_one, observe_one
from uno_pomdp.game.information import DEALT, SEAT, TOP, Token
from uno_pomdp.game.layout import FIRST, OBSERVATION, RUNNING, STATE, Observations, Seat, States, cards_of, template
from uno_pomdp.game.rng import Streams
from uno_pomdp.jit import kernel
from uno_pomdp.known_rules import PLAIN_TURNS, check_known
from uno_pomdp.policies.opponent_models import NOTHING, Memory, OpponentModel, PolicyModel, named_model
from uno_pomdp.pomdp.deals import Deals, TooLarge, all_deals, lay_out
from uno_pomdp.pomdp.transitions import canonical_all, list_moves, move_one, result_one, sample_step_one, uniform_one
from uno_pomdp.rules import Rules, as_rules

TokenObservation = tuple[Token, ...]
"""What the deciding seat is told in one step; the first one begins with its hand and the top card."""
SUCCESSOR_LIMIT: Final = 20_000
"""What can follow one move, and one step, at most where it is listed."""
_MOST_MOVES: Final = 512
"""Moves of one step: more than any chain of skips."""

_fields = [STATE.fields[name] for name in STATE.names or ()] if STATE.fields else []
_PACKED: Final = max(int(field[1]) + field[0].itemsize for field in _fields)
"""The bytes of a record without the padding at its end."""


class InvalidModel(UnoError):
    """A model that can't be made, or a question that it can't answer."""


@dataclass(frozen=True, slots=True)
class State:
    """A state of the model, hidden cards included. States that differ in the order of their piles alone are equal."""

    packed: bytes
    """The position: a canonical `STATE` record."""
    memory: Memory
    """What the opponent remembers."""
    told: TokenObservation
    """What the deciding seat was told in the step that led here."""

    def __repr__(self) -> str:
        position = self.record()[0]
        hands = " and ".join(str(cards_of(hand)) or "nothing" for hand in position["hand"])
        return (
            f"<State: top {card_name(int(position['top']))}, hands {hands}, {seat_name(int(position['turn']))} to move>"
        )

    def record(self) -> States:
        """Return the position as an array of one record."""
        return np.frombuffer(self.packed.ljust(STATE.itemsize, b"\0"), STATE).copy()


StateBelief = dict[State, float]
"""States with their probabilities."""


class Transition(NamedTuple):
    """What one step leads to."""

    state: State
    """The next state."""
    observation: TokenObservation
    """What the seat is told: `state.told`."""
    reward: float
    """What it earns."""


class UnoPOMDP:
    """The game as a decision process of one seat against a fixed policy.

    The reward is the result at the end, 1, 0 or −1, less `step_cost` for each step. `discount` is γ, for the solvers.

    >>> import uno_pomdp as uno
    >>> model = uno.UnoPOMDP("mini-7", "greedy")
    >>> belief = model.initial_states()
    >>> len(belief), round(sum(belief.values()), 9)
    (540, 1.0)
    """

    def __init__(
        self,
        rules: Rules | str,
        opponent: OpponentModel | str,
        *,
        seat: Seat = FIRST,
        discount: float = 1.0,
        step_cost: float = 0.0,
    ) -> None:
        if not 0.0 < discount <= 1.0:
            raise InvalidModel(f"{discount} is no discount: give a number above 0 and at most 1")
        if not np.isfinite(step_cost) or step_cost < 0.0:
            raise InvalidModel(f"{step_cost} is no cost of a step: give a number that is not negative")
        if seat not in (0, 1):
            raise InvalidModel(f"there is no seat {seat}: player 1 sits at seat 0, player 2 at seat 1")
        self.rules: Final = as_rules(rules)
        check_known(self.rules, "the decision process", "choose other rules", PLAIN_TURNS, InvalidModel)
        """The rules of the game."""
        self.opponent: Final = named_model(opponent)
        """The policy inside T."""
        self.seat: Final = seat
        """Who decides."""
        self.discount: Final = discount
        """γ."""
        self.step_cost: Final = step_cost
        """λ."""

    def __repr__(self) -> str:
        return (
            f"<UnoPOMDP of {self.rules.name}: {seat_name(self.seat)} against {self.opponent.name}, "
            f"discount {self.discount:g}, step cost {self.step_cost:g}>"
        )

    # --- what a state says -------------------------------------------------------------------------------

    def over(self, state: State) -> bool:
        """Return whether the game has ended."""
        return bool(state.record()["status"][0] != RUNNING)

    def legal_actions(self, state: State) -> tuple[Action, ...]:
        """Return what the seat may do; nothing once the game is over."""
        return actions_of(int(legal_one(state.record())))

    def observation(self, state: State) -> TokenObservation:
        """Return what the seat is told on the way to a state."""
        return state.told

    def observation_probability(self, observation: TokenObservation, state: State) -> float:
        """Return O(o | s′): 1 for what the state says that the seat was told, else 0."""
        return float(observation == state.told)

    def reward(self, state: State, action: Action, after: State) -> float:
        """Return R: the result if the step ends the game, less the cost of the step."""
        self._check(state.record(), action)
        return self.result(after) - self.step_cost

    def result(self, state: State) -> float:
        """Return the seat's result in a state that is over, 1, 0 or −1; 0 while the game goes on."""
        record = state.record()
        return float(result_one(record, self.seat)) if record["status"][0] != RUNNING else 0.0

    # --- sampling ----------------------------------------------------------------------------------------

    def sample_initial(self, stream: Streams) -> State:
        """Return a state drawn from b₀: dealt, and the opponent's moves made if it begins."""
        record = np.zeros(1, STATE)
        seed = np.uint64(int(uniform_one(stream) * 2**53))
        deal_all(record, template(self.rules), self.rules.hand_size, np.array([seed]))
        told = self._opening(record)
        memory = self.opponent.start(self.rules, self._seen_by_opponent(record))
        return self._sampled(record, memory, told, None, stream)

    def sample(self, state: State, action: Action, stream: Streams) -> Transition:
        """Return what a step leads to, drawn from T."""
        record = state.record()
        self._check(record, action)
        if isinstance(self.opponent, PolicyModel):
            told = np.empty(_MOST_MOVES, np.int32)
            policy, weights = self.opponent.policy, self.opponent.weights
            moves = sample_step_one(record, action.id, self.seat, policy, weights, stream, told)
            after = _state(record, NOTHING, tuple(told[:moves].tolist()))
        else:
            after = self._sampled(record, state.memory, [], action, stream)
        return Transition(after, after.told, self.reward(state, action, after))

    def _sampled(
        self, record: States, memory: Memory, told: list[Token], action: Action | None, stream: Streams
    ) -> State:
        """Carry out the seat's action, if there is one, and then the opponent's."""
        pair = np.empty(2, np.int32)
        chosen = action.id if action is not None else self._chosen(record, memory, stream)
        while chosen is not None:
            move_one(record, chosen, stream, pair)
            told.append(int(pair[self.seat]))
            if record["status"][0] == RUNNING:
                memory = self.opponent.follow(memory, int(pair[1 - self.seat]))
            chosen = self._chosen(record, memory, stream)
        return _state(record, memory, tuple(told))

    def _chosen(self, record: States, memory: Memory, stream: Streams) -> int | None:
        """Return what the opponent does, drawn from its policy; None where it is not to move."""
        options = self._opponents(record, memory)
        if not options:
            return None
        left = uniform_one(stream) * sum(chance for _, chance in options)
        for action, chance in options:
            left -= chance
            if left < 0.0:
                return action
        return options[-1][0]

    def _opponents(self, record: States, memory: Memory) -> list[tuple[int, float]]:
        """Return what the opponent may do, with probabilities; nothing where it is not to move."""
        if record["status"][0] != RUNNING or record["turn"][0] == self.seat:
            return []
        legal = actions_of(int(legal_one(record)))
        if len(legal) == 1:
            return [(legal[0].id, 1.0)]
        chances = self.opponent.probabilities(self._seen_by_opponent(record), memory)
        return [(action.id, float(chances[action.id])) for action in legal if chances[action.id] > 0.0]

    # --- probabilities -----------------------------------------------------------------------------------

    def initial_states(self) -> StateBelief:
        """Return b₀ before the seat has seen anything: every state in which it may have to act first."""
        deals = all_deals(self.rules)
        result: StateBelief = {}
        for number, chance in enumerate(deals.probability.tolist()):
            record = template(self.rules)
            lay_out_one(record, deals, number)
            told = tuple(self._opening(record))
            memory = self.opponent.start(self.rules, self._seen_by_opponent(record))
            for state, share in self._settled(record, memory, told, chance):
                result[state] = result.get(state, 0.0) + share
        return result

    def initial_belief(self, observation: TokenObservation) -> StateBelief:
        """Return b₀ given the first observation."""
        fitting = {state: chance for state, chance in self.initial_states().items() if state.told == observation}
        return _normalised(fitting, observation)

    def successors(self, state: State, action: Action) -> StateBelief:
        """Return T(· | s, a), where the successors can be listed."""
        record = state.record()
        self._check(record, action)
        result: StateBelief = {}
        for after, chance, (own, other) in self._moves(record, action.id):
            memory = self.opponent.follow(state.memory, other) if after["status"][0] == RUNNING else state.memory
            for found, share in self._settled(after, memory, (own,), chance):
                result[found] = result.get(found, 0.0) + share
                if len(result) > SUCCESSOR_LIMIT:
                    raise TooLarge(f"more than {SUCCESSOR_LIMIT:,} states can follow: sample steps instead")
        return result

    def update(self, belief: Mapping[State, float], action: Action, observation: TokenObservation) -> StateBelief:
        """Return τ(b, a, o): the belief after an action and what was told, by Bayes' rule."""
        after: StateBelief = {}
        for state, chance in belief.items():
            for found, share in self.successors(state, action).items():
                if found.told == observation:
                    after[found] = after.get(found, 0.0) + chance * share
        return _normalised(after, observation)

    def _settled(
        self, record: States, memory: Memory, told: TokenObservation, chance: float
    ) -> Iterator[tuple[State, float]]:
        """Yield the states in which the seat next has to act or the game is over, after every reply of the opponent."""
        options = self._opponents(record, memory)
        if not options:
            yield _state(record, memory, told), chance
            return
        for action, share in options:
            for after, luck, (own, other) in self._moves(record, action):
                later = self.opponent.follow(memory, other) if after["status"][0] == RUNNING else memory
                yield from self._settled(after, later, (*told, own), chance * share * luck)

    def _moves(self, record: States, action: int) -> Iterator[tuple[States, float, tuple[Token, Token]]]:
        """Yield what can follow a move: the position, its probability, and what seat and opponent are told."""
        room = 64
        found = -1
        while found < 0:
            room *= 4
            if room > 4 * SUCCESSOR_LIMIT:
                raise TooLarge(f"more than {SUCCESSOR_LIMIT:,} draws are possible: sample steps instead")
            after, chances, told = np.empty(room, STATE), np.empty(room), np.empty((room, 2), np.int32)
            found = list_moves(record, action, after, chances, told)
        for index in range(found):
            pair = int(told[index, self.seat]), int(told[index, 1 - self.seat])
            yield after[index : index + 1], float(chances[index]), pair

    # --- help --------------------------------------------------------------------------------------------

    def _check(self, record: States, action: Action) -> None:
        legal = int(legal_one(record))
        if not legal >> action.id & 1:
            may = ", ".join(map(str, actions_of(legal))) or "nothing: the game is over"
            raise IllegalAction(f"{action} is not legal in this state: legal is {may}")

    def _opening(self, record: States) -> list[Token]:
        """Return what the seat is told at the deal."""
        hand = record["hand"][0, self.seat]
        cards = [DEALT | int(card) for card in np.repeat(np.arange(len(hand)), hand)]
        return [SEAT | self.seat, TOP | int(record["top"][0]), *cards]

    def _seen_by_opponent(self, record: States) -> Observations:
        seen = np.zeros(1, OBSERVATION)
        observe_one(seen, record, 1 - self.seat)
        return seen


def _state(record: States, memory: Memory, told: TokenObservation) -> State:
    """Return a record as a state; the record is put into canonical form."""
    canonical_all(record, 1)
    return State(record.tobytes()[:_PACKED], memory, told)


def _normalised(belief: StateBelief, observation: TokenObservation) -> StateBelief:
    total = sum(belief.values())
    if total <= 0.0:
        raise InvalidModel(f"the observation {observation} can't follow here")
    return {state: chance / total for state, chance in belief.items()}


@kernel
def lay_out_one(states: States, deals: Deals, deal: int) -> None:
    """Lay the cards of an undealt record out as one of the deals."""
    lay_out(states[0], deals, deal)
