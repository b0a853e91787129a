"""The progress of a training: for a bar, for a row of the learning curve, for JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from uno_pomdp.arena.statistics import Interval


@dataclass
class TrainingProgress:
    """The progress of a training."""

    iteration: int = 0
    """Iterations done."""
    decisions: int = 0
    """Choices of learners."""
    moves: int = 0
    """All actions of both players, forced ones included."""
    seconds: float = 0.0
    """Time spent, measurements and checkpoints included."""
    done: float = 0.0
    """The share of the run that is done."""
    rate: float = 0.0
    """Choices in a second, in the last iteration, its update included."""
    move_rate: float = 0.0
    """Actions in a second, in the last iteration, its update included."""
    entropy: float = 0.0
    """The entropy of the policy at choices, in nats."""
    moved: float = 0.0
    """KL between the policy after an update and before it."""
    value_loss: float = 0.0
    """Mean squared error of the player's value."""
    critic_loss: float = 0.0
    """Mean squared error of the critic."""
    forgotten: int = 0
    """How many beliefs did not fit into their records so far and were started again."""
    strength: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By opponent: points and half their interval, when last measured."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        strength = {name: Interval(at, at - half, at + half).to_json() for name, (at, half) in self.strength.items()}
        return vars(self) | {"strength": strength}

    def row(self) -> dict[str, float]:
        """Return it as a row of the curve, with the column names of existing files, which are read again."""
        values = {name: value for name, value in vars(self).items() if name != "strength"}
        for name, (points, half) in self.strength.items():
            values |= {name: points, f"{name} ±": half}
        return values

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "TrainingProgress":
        """Return what a row of the curve tells."""
        measured = {name: (row[name], row[f"{name} ±"]) for name in row if f"{name} ±" in row}
        known = {field.name for field in fields(cls)} - {"strength"}
        return cls(**{name: value for name, value in row.items() if name in known}, strength=measured)
