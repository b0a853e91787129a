"""The configuration of a training run: it is stored with every checkpoint and every net."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal, get_args

from uno_pomdp.errors import quoted
from uno_pomdp.known_rules import check_known
from uno_pomdp.learning.settings import changed, check_numbers
from uno_pomdp.learning.vector_games import FLOORS, BeliefKind, InvalidTraining
from uno_pomdp.policies.kernels import POLICY_NAMES, is_policy
from uno_pomdp.rules import Rules, as_rules

Critic = Literal["both", "own"]

VERSION: Final = 2
"""Of what is written: another one is refused."""
TRAINABLE: Final = "printed,wild_four=last_resort,first_card=plain"
"""The rules closest to `printed` that nets know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """How to train. A setting of two numbers `a, b` is a linear schedule from a to b over the run."""

    rules: str = "house"
    """The rules, by a text as in `house` or `pass,hand_size=5`."""
    seed: int = 0
    """The seed: on the same device it repeats the same run, if that is ended by decisions and not by time."""
    decisions: int = 600_000_000
    """After how many choices of learners (between two actions or more) training ends."""
    belief: BeliefKind = "exact"
    """The belief behind the features: the closed form, a coarser one, or hand sizes alone."""
    critic: Critic = "both"
    """What the critic sees: both hands, or only what the seat itself sees."""
    games: int = 32_768
    """Games played at once."""
    steps: int = 32
    """Choices of each game in an iteration."""
    hidden: tuple[int, ...] = (512, 512, 512)
    """Widths of the net's layers."""
    critic_hidden: tuple[int, ...] = (512, 512)
    """Widths of the critic's layers."""
    minibatch: int = 32_768
    """The minibatch: choices in a step of the optimiser."""
    epochs: int = 2
    """Epochs: passes over the choices of an iteration."""
    rate: tuple[float, float] = (7e-4, 5e-5)
    """The learning rate."""
    trace: float = 0.95
    """λ of the generalised advantage estimate; the discount is 1."""
    clip: float = 0.2
    """PPO's clipping range of the ratio of new to old probability; 0 for no clipping."""
    entropy: tuple[float, float] = (0.02, 0.004)
    """The weight of the entropy."""
    magnet: tuple[float, float] = (0.0, 0.0)
    """The weight of the KL divergence from the magnet."""
    stay: float = 0.0
    """The weight of the KL divergence from the policy that played (mirror descent)."""
    magnet_rate: float = 0.002
    """The share by which the magnet moves towards the net in an iteration."""
    average_rate: float = 0.01
    """The share by which the averaged net moves towards the net in an iteration, once the first ones are over."""
    gradient: float = 1.0
    """Gradients with a larger norm are clipped to it."""
    checkpoint: int = 25
    """Iterations between checkpoints; games are dealt anew then, so that a checkpoint needs none."""
    measure: int = 50
    """Iterations between measurements of strength."""
    measure_games: int = 20_000
    """Games of each measurement, against each of the opponents."""
    opponents: tuple[str, ...] = ("random", "baseline", "heuristic")
    """Scripted policies to measure against."""
    against: str = ""
    """For a best response: a scripted policy, the file of a net, or `imitation of AGENT`; empty for self-play."""
    start: str = ""
    """The file of a net to begin with; if empty, a response to a net of the same size begins with that net."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", str(as_rules(self.rules)))  # one text for one value
        check_known(self.game_rules, "training", f"train under house, or {TRAINABLE}", error=InvalidTraining)
        if self.belief not in FLOORS:
            raise InvalidTraining(f"belief {quoted(self.belief)}: choose one of {', '.join(FLOORS)}")
        if self.critic not in get_args(Critic):
            raise InvalidTraining(f"critic {quoted(self.critic)}: choose one of {', '.join(get_args(Critic))}")
        check_numbers(self)
        for name in self.opponents:
            if not is_policy(name):
                raise InvalidTraining(
                    f"opponents: no policy is called {quoted(name)}: choose of {', '.join(POLICY_NAMES)}"
                )
        if self.measure_games % 2:
            raise InvalidTraining(f"measure_games {self.measure_games}: give an even number, for duplicate deals")

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self) | {"version": VERSION}

    @property
    def game_rules(self) -> Rules:
        """The rules as a value."""
        return as_rules(self.rules)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "TrainConfig":
        """Return the configuration that was written."""
        values = dict(values)
        version = values.pop("version", 1)
        if version != VERSION:
            raise InvalidTraining(f"a training of version {version} can't go on, only one of {VERSION}: train anew")
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise InvalidTraining(
                f"no setting is called {quoted(unknown[0])}: choose one of {', '.join(sorted(known))}"
            )
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**given)


MIRROR: Final[Mapping[str, Any]] = {"clip": 0.0, "magnet": (0.02, 0.004), "stay": 0.2, "entropy": (0.004, 0.0)}
"""The settings with which the loss is that of magnetic mirror descent."""
SMALL: Final[Mapping[str, Any]] = {
    "games": 1024,
    "steps": 32,
    "hidden": (128, 128),
    "critic_hidden": (128,),
    "minibatch": 4096,
    "decisions": 4_000_000,
    "checkpoint": 10,
    "measure": 10,
    "measure_games": 4000,
}
"""For two cores."""
MINI: Final[Mapping[str, Any]] = {
    "rules": "mini-9",
    "games": 16_384,
    "steps": 16,
    "hidden": (256, 256),
    "critic_hidden": (256, 256),
    "minibatch": 16_384,
    "decisions": 150_000_000,
}
"""For mini decks, where the result can be compared with the exact equilibrium."""
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "champion": {},
    "mirror": MIRROR,
    "small": SMALL,
    "mini": MINI,
    "mini-mirror": {**MINI, **MIRROR},
}
"""Configurations by name, as their differences from the default."""


def responding(config: TrainConfig, against: str) -> TrainConfig:
    """Return a configuration for a best response: it can be deterministic, so the entropy's weight falls to 0."""
    return replace(
        config,
        against=against,
        opponents=(against,) if is_policy(against) else (),
        entropy=(config.entropy[0], 0.0),
        magnet=(0.0, 0.0),
    )


def config_of(name: str, settings: Mapping[str, str] | None = None) -> TrainConfig:
    """Return a configuration by name, with settings given as texts: numbers, names, or numbers with commas."""
    if name not in PRESETS:
        raise InvalidTraining(f"no configuration is called {quoted(name)}: choose one of {', '.join(PRESETS)}")
    return changed(TrainConfig(**PRESETS[name]), settings or {})
