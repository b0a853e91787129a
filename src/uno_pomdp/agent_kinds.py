"""The kinds of agents: name and options of each, what an agent with these options can do, and how it is made.

Each maker imports what it needs when it is called, so the list of agents can be read without loading Numba.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from uno_pomdp import agent_options
from uno_pomdp.agent_options import Option, Values, budget_of, policy_called
from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.errors import InvalidAgent

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Agent
    from uno_pomdp.policies.opponent_models import OpponentModel


@dataclass(frozen=True, slots=True)
class AgentKind:
    """One kind of agent."""

    make: "Callable[..., Agent]"
    """Makes it from its options by name, each with its type."""
    about: str
    """One sentence for a list."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Its options by name."""
    can: Callable[[Values], Abilities] | None = None
    """Returns what an agent with these options can do; None if only the agent itself can say."""
    check: Callable[[Values], None] | None = None
    """Refuses options that do not go together."""
    plans_against: bool = False
    """Whether `model` names the opponent that it plans against; a belief with a model then has the same one."""

    @property
    def defaults(self) -> dict[str, str]:
        """The default of each option, as text."""
        return {name: option.default for name, option in self.options.items()}


def _scripted(name: str, about: str, options: Mapping[str, Option] | None = None) -> AgentKind:
    def make(noise: float = 0.0) -> "Agent":
        from uno_pomdp.agents.scripted import ScriptedAgent
        from uno_pomdp.policies.kernels import noisy

        return ScriptedAgent(noisy(policy_called(name), noise))

    def can(given: Values) -> Abilities:
        from uno_pomdp.policies.kernels import noisy
        from uno_pomdp.policies.opponent_models import PolicyModel

        policy = noisy(policy_called(name), given.get("noise", 0.0))
        return Abilities(PolicyModel(policy), has_policy=True, looked_up=True)

    return AgentKind(make, about, options or {}, can)


def _flat(ms: float | None, sims: int | None, **options: Any) -> "Agent":
    from uno_pomdp.search.searches import flat_monte_carlo

    return flat_monte_carlo(budget_of(ms, sims), **options)


def _ismcts(ms: float | None, sims: int | None, **options: Any) -> "Agent":
    from uno_pomdp.search.searches import information_set_search

    return information_set_search(budget_of(ms, sims), **options)


def _check_ismcts(options: Values) -> None:
    if options["rollout"] == policy_called("greedy"):
        raise InvalidAgent("ismcts needs a rollout policy that prefers some actions: random, baseline or heuristic")


def _pomcp(ms: float | None, sims: int | None, gamma: float, penalty: float, **options: Any) -> "Agent":
    from uno_pomdp.search.pomcp.pomcp import Pomcp

    return Pomcp(budget_of(ms, sims), discount=gamma, step_penalty=penalty, **options)


def _check_pomcp(options: Values) -> None:
    model, belief = options["model"], options["belief"]
    if belief is not None and belief.name != "particles" and not model.can.in_kernels:
        raise InvalidAgent(
            f"{model} remembers the game, so that its worlds are particles: write belief=particles, or none"
        )


def _value(
    ms: float | None, sims: int | None, file: Path | None, model: "OpponentModel | None", **options: Any
) -> "Agent":
    from uno_pomdp.policies.kernels import HEURISTIC
    from uno_pomdp.policies.opponent_models import PolicyModel
    from uno_pomdp.pomdp.fitted_value import load_value
    from uno_pomdp.search.searches import linear_value_search

    fitted = None if file is None else load_value(file)
    known = HEURISTIC if fitted is None else fitted.policy  # a policy that kernels do not know is taken for heuristic
    if model is not None and not isinstance(model, PolicyModel):
        raise InvalidAgent(
            f"value looks ahead with a scripted policy, not {model.name}: write model=heuristic, or pomcp:model=…"
        )
    chosen = known if model is None else model.policy
    return linear_value_search(budget_of(ms, sims), model=chosen, fitted=fitted, **options)


def _table(file: Path) -> "Agent":
    from uno_pomdp.agents.tabular import TabularAgent, load_policy

    return TabularAgent(load_policy(file))


def _check_table(options: Values) -> None:
    if options["file"] is None:
        raise InvalidAgent("policy plays a policy from a file: write policy:file=PATH")


def _champion(
    file: Path | None,
    temperature: float | None,
    ms: float | None,
    sims: int | None,
    positions: Path | None,
    **options: Any,
) -> "Agent":
    from uno_pomdp.nets.net_file import load_net
    from uno_pomdp.nets.policy_agent import PolicyNetAgent
    from uno_pomdp.nets.position_features import POSITIONS

    champion = None if file is None else load_net(file)
    if ms is None and sims is None:
        return PolicyNetAgent(champion, 1.0 if temperature is None else temperature, file)
    from uno_pomdp.search.searches import value_net_search

    values = None if positions is None else load_net(positions, POSITIONS)
    given = {name: value for name, value in options.items() if value is not None}
    return value_net_search(budget_of(ms, sims), champion=champion, positions=values, **given)


def _check_champion(options: Values) -> None:
    given = {name for name, value in options.items() if value is not None}
    if not given & {"ms", "sims"}:
        if given - {"file", "temperature"}:
            raise InvalidAgent("without ms=… or sims=… champion does not search: it has file and temperature alone")
    elif "temperature" in given:
        raise InvalidAgent("with ms=… or sims=… champion plays the best action that it finds: temperature is of no use")


def _can_champion(options: Values) -> Abilities:
    alone = options["ms"] is None and options["sims"] is None
    return Abilities(has_policy=alone, values_moves=not alone)


def _onnx(file: Path, encoding: str | None, temperature: float) -> "Agent":
    from uno_pomdp.nets.onnx.onnx_agent import OnnxAgent
    from uno_pomdp.nets.onnx.onnx_net import OnnxNet

    return OnnxAgent(OnnxNet(file, encoding), temperature)


def _check_onnx(options: Values) -> None:
    if options["file"] is None:
        raise InvalidAgent("onnx plays a net from a file: write onnx:file=PATH")


def _states_policy(_: Values) -> Abilities:
    return Abilities(has_policy=True)


def _own(path: str, /, **options: str) -> "Agent":
    from uno_pomdp.agents.plugin import own_agent

    return own_agent(path, options)


def _plans(_: Values) -> Abilities:
    return Abilities()


def _coaches(_: Values) -> Abilities:
    return Abilities(values_moves=True)


def _plays_table(_: Values) -> Abilities:
    return Abilities(has_policy=True, looked_up=True)


AGENTS: Final[dict[str, AgentKind]] = {
    "random": _scripted("random", "every legal action equally likely"),
    "greedy": _scripted("greedy", "any playable card, each copy equally likely; black in the colour held most"),
    "baseline": _scripted("baseline", "+2, then skip and reverse, then numbers, black last: the yardstick"),
    "heuristic": _scripted("heuristic", "scores each card with a few tuned weights", agent_options.HEURISTIC),
    "flat": AgentKind(
        _flat, "flat Monte Carlo: every action in sampled worlds, played out", agent_options.FLAT, _coaches
    ),
    "ismcts": AgentKind(
        _ismcts,
        "information-set MCTS: one search tree over what its seat can tell apart",
        agent_options.ISMCTS,
        _coaches,
        _check_ismcts,
    ),
    "pomcp": AgentKind(
        _pomcp,
        "POMCP: plans against a known policy of the opponent (model=AGENT), a search for a best response",
        agent_options.POMCP,
        _plans,
        _check_pomcp,
        plans_against=True,
    ),
    "value": AgentKind(
        _value,
        "one-step lookahead with a value function from fitted value iteration: the package's, or a file's",
        agent_options.VALUE,
        _coaches,
        plans_against=True,
    ),
    "policy": AgentKind(
        _table,
        "tabular policy from a file, such as an equilibrium of a mini deck",
        agent_options.TABLE,
        _plays_table,
        _check_table,
    ),
    "champion": AgentKind(
        _champion,
        "policy net trained by self-play; with ms=… or sims=… it searches with a value net",
        agent_options.CHAMPION,
        _can_champion,
        _check_champion,
    ),
    "onnx": AgentKind(
        _onnx,
        "policy net trained anywhere, from an ONNX file; needs the extra onnx",
        agent_options.ONNX,
        _states_policy,
        _check_onnx,
    ),
    "py": AgentKind(_own, "an agent of your own, from this folder or installed: py:module.Class,option=value"),
}
"""All agents by name."""
