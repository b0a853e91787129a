"""The kinds of agents and beliefs: each a dataclass whose fields are its options; it says what it can do, and makes it.

Whatever needs Numba is imported where something is made, so the list of agents can be read without loading it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from uno_pomdp.agent_options import (
    Option,
    Values,
    agent,
    memory,
    number,
    one_of,
    options_of,
    path,
    same_as,
    scripted,
    switch,
)
from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.errors import InvalidAgent, abridged, quoted
from uno_pomdp.quantities import (
    DISCOUNT,
    EXPLORATION,
    HYPOTHESES,
    MILLISECONDS,
    PARTICLES,
    PRIOR_TRUST,
    PROBABILITY,
    RESAMPLING,
    SIMULATIONS,
    STEP_PENALTY,
    STEPS_AHEAD,
    TEMPERATURE,
    THREADS,
)

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Agent, Budget
    from uno_pomdp.policies.kernels import Policy
    from uno_pomdp.policies.opponent_models import OpponentModel
    from uno_pomdp.registry import AgentSpec, BeliefSpec
    from uno_pomdp.search.named_beliefs import MakeBelief
    from uno_pomdp.search.root import TrialMaker
    from uno_pomdp.search.search import Prior


class Options:
    """One kind of agent or belief: a dataclass whose fields are its options."""

    name: ClassVar[str]
    """What it is called in texts."""
    about: ClassVar[str]
    """One sentence for a list."""

    def __init_subclass__(cls, name: str = "", about: str = "") -> None:
        cls.name, cls.about = name, about


# --- beliefs ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BeliefOptions(Options):
    """One kind of belief."""

    def make(self, _: "OpponentModel | None", /) -> "MakeBelief":
        """Return what makes the belief of a new game, for an opponent that plays as the model does."""
        from uno_pomdp.search.named_beliefs import closed, uniform

        return {"closed": closed, "uniform": uniform}[self.name]


class ClosedOptions(BeliefOptions, name="closed", about="the exact posterior, where choices tell nothing"):
    """The options of `closed`."""


class UniformOptions(BeliefOptions, name="uniform", about="uses only the size of the hand and the unseen cards"):
    """The options of `uniform`."""


@dataclass(frozen=True, kw_only=True)
class EnumeratedOptions(BeliefOptions, name="enumerated", about="the exact belief over every hand, on mini decks"):
    """The options of `enumerated`."""

    model: "AgentSpec | None" = agent(
        "whom the opponent is taken for: any agent that states its policy; without it choices tell nothing"
    )
    limit: int = number(HYPOTHESES, "how many hypotheses it may hold; more are refused", "500000")

    def make(self, model: "OpponentModel | None", /) -> "MakeBelief":
        """Return a factory of the exact belief."""
        from uno_pomdp.beliefs.enumerated import EnumeratedBelief

        return lambda rules, seen: EnumeratedBelief(rules, seen, model, limit=self.limit)


@dataclass(frozen=True, kw_only=True)
class ParticleOptions(BeliefOptions, name="particles", about="a particle filter"):
    """The options of `particles`."""

    particles: int = number(PARTICLES, "how many particles it has", "1000")
    model: "AgentSpec | None" = agent(
        "whom the opponent is taken for: any agent that states its policy; without it choices tell nothing"
    )
    resample: float = number(
        RESAMPLING, "the share of the particles below which the effective sample size has them resampled", "0.5"
    )
    doubt: float = number(
        PROBABILITY, "how likely it is beforehand that the opponent does not play as the model does", "0.15"
    )
    cache: str = memory(
        "whether particle sets are kept by information state, for when a game is followed again; `yes` is 256 MB",
        "no",
    )

    def make(self, model: "OpponentModel | None", /) -> "MakeBelief":
        """Return a factory of particle filters."""
        from uno_pomdp.beliefs.particle_cache import limit_of
        from uno_pomdp.search.named_beliefs import particles

        return particles(
            model, size=self.particles, resample=self.resample, doubt=self.doubt, cache_limit=limit_of(self.cache)
        )


BELIEFS: Final[dict[str, type[BeliefOptions]]] = {
    kind.name: kind for kind in (ClosedOptions, UniformOptions, EnumeratedOptions, ParticleOptions)
}
"""All kinds of beliefs by name."""
BELIEF_OPTIONS: Final = options_of(ParticleOptions) | options_of(EnumeratedOptions)
"""Every option of any belief; each kind has some of them."""


def belief_called(text: str) -> str:
    """Return the name of a kind of belief, if there is one."""
    if text in ("random", "greedy", "baseline", "heuristic"):
        raise InvalidAgent(f"no belief is called {quoted(text)}: write belief=particles,model={abridged(text)}")
    if text not in BELIEFS:
        raise InvalidAgent(f"no belief is called {quoted(text)}: choose one of {', '.join(BELIEFS)}")
    return text


def _belief(about: str, default: str) -> "BeliefSpec | None":
    """Declare a belief. Whatever has one takes the options of beliefs as well; their defaults are the belief's own."""
    takes = ", ".join(f"`{name}`" for name in BELIEFS)
    found: BeliefSpec | None = Option(lambda _, text: belief_called(text), takes, about, default).as_field()
    return found


# --- agents ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class AgentOptions(Options):
    """One kind of agent."""

    abilities: ClassVar[Abilities | None] = None
    """What such an agent can do, where that is the same for all options."""

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return its options by name, those of its belief included."""
        own, found = options_of(cls), dict[str, Option]()
        for name, option in own.items():
            found[name] = option
            if name == "belief":
                found |= {key: replace(each, default="") for key, each in BELIEF_OPTIONS.items() if key not in own}
        return found

    def values(self) -> Values:
        """Return its options as they were read."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def check(self) -> None:
        """Refuse options that do not go together."""

    @property
    def can(self) -> Abilities | None:
        """What an agent with these options can do; None if only the agent itself can say."""
        return self.abilities

    @property
    def budget(self) -> "Budget | None":
        """How long it may think about one decision; None if nothing sets it a limit."""
        return None

    def make(self) -> "Agent":
        """Return a new agent."""
        raise NotImplementedError


class ScriptedOptions(AgentOptions):
    """A scripted policy."""

    def policy(self) -> "Policy":
        """Return the policy."""
        from uno_pomdp.policies.kernels import policy_named

        return policy_named(self.name)

    @property
    def can(self) -> Abilities:
        """It plays inside kernels."""
        from uno_pomdp.policies.opponent_models import PolicyModel

        return Abilities(PolicyModel(self.policy()), has_policy=True, looked_up=True)

    def make(self) -> "Agent":
        """Return a new agent."""
        from uno_pomdp.agents.scripted import ScriptedAgent

        return ScriptedAgent(self.policy())


class RandomOptions(ScriptedOptions, name="random", about="every legal action equally likely"):
    """The options of `random`."""


class GreedyOptions(
    ScriptedOptions, name="greedy", about="any playable card, each copy equally likely; black in the colour held most"
):
    """The options of `greedy`."""


class BaselineOptions(
    ScriptedOptions, name="baseline", about="+2, then skip and reverse, then numbers, black last: the yardstick"
):
    """The options of `baseline`."""


@dataclass(frozen=True, kw_only=True)
class HeuristicOptions(ScriptedOptions, name="heuristic", about="scores each card with a few tuned weights"):
    """The options of `heuristic`."""

    noise: float = number(PROBABILITY, "how often it takes any legal action instead, each equally likely", "0")

    def policy(self) -> "Policy":
        """Return the policy with its noise."""
        from uno_pomdp.policies.kernels import noisy

        return noisy(super().policy(), self.noise)


@dataclass(frozen=True, kw_only=True)
class PlannerOptions(AgentOptions):
    """An agent with a budget, which samples worlds from a belief."""

    ms: float | None = number(
        MILLISECONDS, "the budget of a decision in milliseconds; 10 if neither `ms` nor `sims` is given"
    )
    sims: int | None = number(
        SIMULATIONS, "the budget in simulations instead: the same seed then decides the same everywhere"
    )
    belief: "BeliefSpec | None" = _belief("the worlds that it samples", "closed")

    @property
    def budget(self) -> "Budget | None":
        """How long it may think about one decision."""
        return self.limit()

    def limit(self) -> "Budget":
        """Return how long it may think."""
        from uno_pomdp.agents.agent import Budget

        return Budget(self.sims, 10.0 if self.ms is None and self.sims is None else self.ms)

    def worlds(self, model: "OpponentModel | None" = None) -> "MakeBelief":
        """Return what makes its belief, for this model of the opponent or that of the belief itself."""
        from uno_pomdp.search.named_beliefs import closed

        return closed if self.belief is None else self.belief.maker(model)


@dataclass(frozen=True, kw_only=True)
class SearcherOptions(PlannerOptions):
    """A search that values every action in the same worlds."""

    halving: bool | None = switch("sequential halving at the root: the worse half of the actions is dropped in rounds")
    threads: int | None = number(THREADS, "root-parallel search: this many threads, each in its own worlds", "1")

    abilities = Abilities(values_moves=True)

    def search(
        self,
        trial: "TrialMaker",
        endgame: "Policy | None" = None,
        model: "OpponentModel | None" = None,
        prior: "Prior | None" = None,
        trust: float = 0.0,
    ) -> "Agent":
        """Return a search that tries actions in this way, and proves endgames against this policy."""
        from uno_pomdp.search.endgame.endgame import Endgame
        from uno_pomdp.search.search import Search
        from uno_pomdp.search.threads import threads_of

        return Search(
            self.name,
            self.limit(),
            self.worlds(model),
            trial,
            prior,
            trust,
            None if endgame is None else Endgame(endgame),
            threads_of(self.threads or 1),
            self.halving is not False,
        )


@dataclass(frozen=True, kw_only=True)
class FlatOptions(SearcherOptions, name="flat", about="flat Monte Carlo: every action in sampled worlds, played out"):
    """The options of `flat`."""

    rollout: "Policy" = scripted("the policy by which simulations are played out", "heuristic")
    endgame: bool = switch("whether endgames that can be proved are proved")

    def trial(self) -> "TrialMaker":
        """Return how actions are tried."""
        from uno_pomdp.search.trials.playouts import Playouts

        return Playouts(self.rollout)

    def make(self) -> "Agent":
        """Return a new agent."""
        return self.search(self.trial(), self.rollout if self.endgame else None)


@dataclass(frozen=True, kw_only=True)
class IsmctsOptions(
    FlatOptions, name="ismcts", about="information-set MCTS: one search tree over what its seat can tell apart"
):
    """The options of `ismcts`."""

    explore: float = number(EXPLORATION, "the exploration constant of the upper confidence bound", "0.3")

    def check(self) -> None:
        """Refuse a rollout policy that leads the tree nowhere."""
        from uno_pomdp.policies.kernels import GREEDY

        if self.rollout == GREEDY:
            raise InvalidAgent("ismcts needs a rollout policy that prefers some actions: random, baseline or heuristic")

    def trial(self) -> "TrialMaker":
        """Return how actions are tried."""
        from uno_pomdp.search.trials.tree import TreeWalks

        return TreeWalks(self.rollout, self.explore)


@dataclass(frozen=True, kw_only=True)
class PomcpOptions(
    PlannerOptions,
    name="pomcp",
    about="POMCP: plans against a known policy of the opponent (model=AGENT), a search for a best response",
):
    """The options of `pomcp`."""

    belief: "BeliefSpec | None" = _belief("the worlds that it samples; without it, particles with its `model`", "")
    model: "AgentSpec" = agent(
        "the policy that the opponent is taken to play in simulations, and in `belief=particles`", "heuristic"
    )
    rollout: "Policy" = same_as(FlatOptions, "rollout", "heuristic")
    explore: float = same_as(IsmctsOptions, "explore", "1.0")
    gamma: float = number(DISCOUNT, "the discount of a step", "1")
    penalty: float = number(STEP_PENALTY, "what a step costs", "0")
    leaf: str = one_of(("rollout", "value"), "what values a leaf of the tree", "rollout")

    def check(self) -> None:
        """Refuse a belief that its model can't have."""
        if self.belief is not None and self.belief.name != "particles" and not self.model.can.in_kernels:
            raise InvalidAgent(
                f"{self.model} remembers the game, so that its worlds are particles: write belief=particles, or none"
            )

    abilities = Abilities()

    def make(self) -> "Agent":
        """Return a new agent."""
        from uno_pomdp.search.pomcp.pomcp import Pomcp as Planning

        model = self.model.as_model()
        return Planning(
            self.limit(),
            model=model,
            belief=None if self.belief is None else self.worlds(model),
            rollout=self.rollout,
            explore=self.explore,
            discount=self.gamma,
            step_penalty=self.penalty,
            leaf=self.leaf,
        )


@dataclass(frozen=True, kw_only=True)
class ValueOptions(
    SearcherOptions,
    name="value",
    about="one-step lookahead with a value function from fitted value iteration: the package's, or a file's",
):
    """The options of `value`."""

    file: Path | None = path("a value function from `uno-pomdp solve house --against …`")
    model: "AgentSpec | None" = same_as(PomcpOptions, "model", "")
    steps: int = number(STEPS_AHEAD, "how many decisions it looks ahead", "1")

    def make(self) -> "Agent":
        """Return a new agent."""
        from uno_pomdp.policies.kernels import HEURISTIC
        from uno_pomdp.policies.opponent_models import PolicyModel
        from uno_pomdp.pomdp.fitted_value import load_value
        from uno_pomdp.search.trials.linear import LinearValues

        model = None if self.model is None else self.model.as_model()
        fitted = None if self.file is None else load_value(self.file)
        if model is not None and not isinstance(model, PolicyModel):
            raise InvalidAgent(
                f"value looks ahead with a scripted policy, not {model.name}: write model=heuristic, or pomcp:model=…"
            )
        known = HEURISTIC if fitted is None else fitted.policy  # a policy unknown to kernels is taken for heuristic
        chosen = known if model is None else model.policy
        trial = LinearValues(chosen, self.steps, *(() if fitted is None else (fitted.value, fitted.rules)))
        return self.search(trial, model=model)


@dataclass(frozen=True, kw_only=True)
class TableOptions(
    AgentOptions, name="policy", about="tabular policy from a file, such as an equilibrium of a mini deck"
):
    """The options of `policy`."""

    file: Path = path("the policy file", "policy plays a policy from a file: write policy:file=PATH")

    abilities = Abilities(has_policy=True, looked_up=True)

    def make(self) -> "Agent":
        """Return a new agent."""
        from uno_pomdp.agents.tabular import TabularAgent, load_policy

        return TabularAgent(load_policy(self.file))


@dataclass(frozen=True, kw_only=True)
class ChampionOptions(
    SearcherOptions,
    name="champion",
    about="policy net trained by self-play; with ms=… or sims=… it searches with a value net",
):
    """The options of `champion`."""

    file: Path | None = path("another net")
    temperature: float | None = number(TEMPERATURE, "what the net's logits are divided by: below 1 it plays sharper")
    positions: Path | None = path("another net of positions")
    opponent: str | None = one_of(
        ("champion", "random", "greedy", "baseline", "heuristic"), "against whom it searches; without it, itself"
    )
    belief: "BeliefSpec | None" = _belief("the worlds that it samples; without it, the closed form", "")
    trust: float | None = number(PRIOR_TRUST, "how much the policy net's prior counts; 0.02 if not given")
    halving: bool | None = same_as(SearcherOptions, "halving", "")
    threads: int | None = same_as(SearcherOptions, "threads", "")
    endgame: bool | None = same_as(FlatOptions, "endgame", "")

    @property
    def searches(self) -> bool:
        """Whether it searches, and does not only play its net."""
        return self.ms is not None or self.sims is not None

    def check(self) -> None:
        """Refuse options that would do nothing."""
        given = {name for name, value in self.values().items() if value is not None}
        if not self.searches and given - {"file", "temperature"}:
            raise InvalidAgent("without ms=… or sims=… champion does not search: it has file and temperature alone")
        if self.searches and "temperature" in given:
            raise InvalidAgent(
                "with ms=… or sims=… champion plays the best action that it finds: temperature is of no use"
            )

    @property
    def can(self) -> Abilities:
        """Its net states a policy, its search values moves."""
        return Abilities(has_policy=not self.searches, values_moves=self.searches)

    @property
    def budget(self) -> "Budget | None":
        """How long it may think about one decision, if it searches."""
        return self.limit() if self.searches else None

    def make(self) -> "Agent":
        """Return a new agent; the net errs in its values, so what its policy prefers counts too (`root.leaning`)."""
        from uno_pomdp.nets.net_file import load_net

        champion = None if self.file is None else load_net(self.file)
        if not self.searches:
            from uno_pomdp.nets.policy_agent import PolicyNetAgent

            return PolicyNetAgent(champion, 1.0 if self.temperature is None else self.temperature, self.file)
        from uno_pomdp.nets.policy_net import PolicyNet
        from uno_pomdp.nets.position_features import POSITIONS
        from uno_pomdp.policies.kernels import HEURISTIC, POLICY_NAMES
        from uno_pomdp.search.trials.value_net import ValueNets

        opponent = self.opponent or self.name
        simple = POLICY_NAMES.index(opponent) if opponent in POLICY_NAMES else HEURISTIC  # proofs need a scripted one
        return self.search(
            ValueNets(opponent, None if self.positions is None else load_net(self.positions, POSITIONS)),
            None if self.endgame is False else simple,
            prior=PolicyNet(champion),
            trust=0.02 if self.trust is None else self.trust,  # a prior ten times as large outweighs 5 points of 100
        )


@dataclass(frozen=True, kw_only=True)
class OnnxOptions(
    AgentOptions, name="onnx", about="policy net trained anywhere, from an ONNX file; needs the extra onnx"
):
    """The options of `onnx`."""

    file: Path = path("the net", "onnx plays a net from a file: write onnx:file=PATH")
    encoding: str | None = one_of(("champion", "counts"), "what its features are, if the file does not say so")
    temperature: float = same_as(ChampionOptions, "temperature", "1")

    abilities = Abilities(has_policy=True)

    def make(self) -> "Agent":
        """Return a new agent."""
        from uno_pomdp.nets.onnx.onnx_agent import OnnxAgent
        from uno_pomdp.nets.onnx.onnx_net import OnnxNet

        return OnnxAgent(OnnxNet(self.file, self.encoding), self.temperature)


@dataclass(frozen=True, kw_only=True)
class OwnOptions(
    AgentOptions, name="py", about="an agent of your own, from this folder or installed: py:module.Class,option=value"
):
    """The options of `py`."""

    path: str
    """Where it is defined: `module.Class`."""
    given: Mapping[str, str]
    """Its options."""

    def values(self) -> Values:
        """Return its options as texts."""
        return self.given

    def make(self) -> "Agent":
        """Return a new agent."""
        from uno_pomdp.agents.plugin import own_agent

        return own_agent(self.path, self.given)


AGENTS: Final[dict[str, type[AgentOptions]]] = {
    kind.name: kind
    for kind in (
        RandomOptions,
        GreedyOptions,
        BaselineOptions,
        HeuristicOptions,
        FlatOptions,
        IsmctsOptions,
        PomcpOptions,
        ValueOptions,
        TableOptions,
        ChampionOptions,
        OnnxOptions,
        OwnOptions,
    )
}
"""All agents by name."""
