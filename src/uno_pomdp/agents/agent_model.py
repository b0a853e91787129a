"""Any agent that states its policy, as an opponent model: it is led through what its seat was told, and asked there."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, TypeVar

from uno_pomdp.agents.agent import Agent, checked_policy
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.arrays import Floats
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.information import Token, carried, move_of, opening
from uno_pomdp.game.layout import Observations
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.game.observed_action import carry_out
from uno_pomdp.game.observed_start import first_observation
from uno_pomdp.game.rng import player_seed
from uno_pomdp.known_rules import PLAIN_TURNS, check_known
from uno_pomdp.policies.opponent_models import Memory, OpponentModel
from uno_pomdp.rules import Rules

KEPT: Final = 4096
"""The size of two caches by history: agents that have followed it, and policies that they stated."""

_SEED: Final = player_seed(0)

Value = TypeVar("Value")
History = tuple[int, ...]
"""A memory: the number of the rules among those that were played, then all tokens since the deal."""


class AgentModel(OpponentModel):
    """An agent's stated policy, worked out where it is asked for; its memory is its whole history.

    An agent stands after one history at a time. To answer for another one, the agent that stands nearest before it goes
    on, or a new one is led from the deal.
    """

    def __init__(self, make: Callable[[], Agent], name: str, kept: int = KEPT) -> None:
        self.name = name
        self._make = make
        self._kept = kept
        self._rules: list[Rules] = []
        self._standing: OrderedDict[History, Agent] = OrderedDict()
        self._said: OrderedDict[History, Floats] = OrderedDict()

    def __repr__(self) -> str:
        return f"<AgentModel {self.name}>"

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return the history at the deal; rules that the agent can't play are refused."""
        if rules not in self._rules:
            check_known(rules, f"{self.name} as a model", "a scripted policy does", PLAIN_TURNS)
            self._make().check_game(rules, int(seen["seat"][0]))
            self._rules.append(rules)
        return (self._rules.index(rules), *opening(observation_of(seen)))

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return the history with one token more."""
        assert isinstance(memory, tuple)
        return (*memory, token)

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return what the agent says after this history."""
        del seen
        assert isinstance(memory, tuple)
        said = self._said.pop(memory, None)
        if said is None:
            agent = self._led_to(memory)
            said = self._checked(agent)
            _keep(self._standing, memory, agent, self._kept)
        _keep(self._said, memory, said, self._kept)
        return said

    def _led_to(self, history: History) -> Agent:
        """Return an agent that has followed a history."""
        rules = self._rules[history[0]]
        dealt = 3 + rules.hand_size
        done = len(history)
        while done >= dealt and history[:done] not in self._standing:
            done -= 1
        if done >= dealt:
            agent = self._standing.pop(history[:done])
        else:
            agent, done = self._make(), dealt
            agent.start(rules, _first(rules, history[:dealt]), _SEED)
        seen = agent.observation
        for token in history[done:]:
            action, drawn = move_of(token)
            _, step = carry_out(seen, TYPED_ACTIONS[action], drawn)
            agent.update(*step)
            seen = step.observation
        return agent

    def _checked(self, agent: Agent) -> Floats:
        """Return the policy that an agent states, if it is one."""
        said = agent.policy()
        if said is None:
            raise AgentFailure(self.name, "policy returned None, but 63 probabilities are needed")
        try:
            return checked_policy(said, agent.observation.legal_actions())
        except ValueError as error:
            raise AgentFailure(self.name, f"policy returned {error}") from error


def _first(rules: Rules, tokens: History) -> Observation:
    """Return what the tokens at the beginning of a history say that the seat saw at the deal."""
    _, seat, top, *hand = tokens
    return first_observation(rules, carried(seat), Cards.of(map(carried, hand)), carried(top))


def _keep(kept: OrderedDict[History, Value], history: History, value: Value, most: int) -> None:
    """Keep a value as the one used last; the one unused for longest goes."""
    kept[history] = value
    if len(kept) > most:
        kept.popitem(last=False)
