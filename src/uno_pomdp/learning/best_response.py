"""Best responses by learning: a player trained against a frozen one, and how much it wins.

Its margin over duplicate deals bounds the exploitability of the frozen player from below.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from uno_pomdp.game.rng import later_seed
from uno_pomdp.learning.checkpoint import CHECKPOINT, load_checkpoint
from uno_pomdp.learning.config import TrainConfig, responding
from uno_pomdp.learning.nets import exported
from uno_pomdp.learning.progress import TrainingProgress
from uno_pomdp.learning.strength import Measure, Strength
from uno_pomdp.learning.trainer import Report, Trainer
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import NetFile, halved

RESPONSE: Final = "response.npz"
"""The name of a best response in its folder."""


@dataclass(frozen=True)
class LearnedResponse:
    """What was learnt against a frozen player."""

    against: str
    """The frozen player: a scripted policy, the file of a net, or an agent, which a net imitates."""
    points: Strength
    """Points of the response in a game, measured after training on deals of its own."""
    champion: NetFile
    """The response."""
    decisions: int
    """Choices that it was trained on."""
    curve: Sequence[dict[str, float]]
    """Its learning curve."""

    @property
    def margin(self) -> float:
        """Points above one half: a lower bound on the exploitability in points."""
        return self.points.points - 0.5

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, without the net."""
        return {
            "against": self.against,
            "imitated": self.champion.about.get("imitates", ""),
            "choices": self.decisions,
            "points": self.points.to_json(),
            "curve": [TrainingProgress.from_row(row).to_json() for row in self.curve],
        }

    def __str__(self) -> str:
        imitated = self.champion.about.get("imitates")
        whom = f"a net that imitates {imitated}" if imitated else self.against
        more = f"; against {imitated} itself: nash {imitated} --response FILE" if imitated else ""
        return (
            f"best response to {whom} after {self.decisions:,} decisions: {self.points}, "
            f"margin {100 * self.margin:+.2f} ± {100 * self.points.half_width:.2f} points of 100{more}"
        )


def respond(
    config: TrainConfig,
    against: str,
    device: str = "cpu",
    threads: int = 0,
    seconds: float | None = None,
    folder: Path | None = None,
    games: int = 200_000,
    report: Report | None = None,
    imitation: NetFile | None = None,
) -> LearnedResponse:
    """Train a best response to a scripted policy, the net of a file or an imitating net, and measure it.

    With a folder, its checkpoint, curve and net are kept there, and training goes on from the checkpoint.
    """
    trainer = begun(responding(config, against), device, threads, folder, imitation)
    try:
        trainer.run(seconds, folder, report)
        found = measured(trainer, games)
    finally:
        trainer.close()
    if folder is not None:
        found.champion.save(folder / RESPONSE)
    return found


def begun(
    config: TrainConfig, device: str, threads: int, folder: Path | None, imitation: NetFile | None = None
) -> Trainer:
    """Return a trainer at its beginning, or where the checkpoint of a folder left off, which must have its settings."""
    if folder is None or not (folder / CHECKPOINT).exists():
        return Trainer(config, device, threads, imitation)
    saved = load_checkpoint(folder, device)
    before, now = TrainConfig.from_json(saved["config"]).to_json(), config.to_json()
    other = [name for name in now if now[name] != before[name]]
    if other:
        raise InvalidTraining(f"{folder} holds a training with another {', '.join(other)}: name another folder")
    trainer = Trainer(config, device, threads, imitation)
    trainer.restore(saved)
    return trainer


def measured(trainer: Trainer, games: int, command: str = "") -> LearnedResponse:
    """Return the response: the last or the averaged player, whichever is better on other deals, measured afresh."""
    config = trainer.config
    rules = config.game_rules
    opponent = trainer.frozen if trainer.frozen is not None else config.against
    measure = Measure(rules, opponent, games, trainer.device, config.belief, trainer.threads)
    try:
        trial = {net: measure(net, later_seed(config.seed, 1)).points for net in (trainer.player, trainer.average)}
        best = max(trial, key=lambda net: trial[net])
        points = measure(best, later_seed(config.seed, 2))
    finally:
        measure.close()
    about = {
        "kind": "best response",
        "config": config.to_json(),
        "command": command,
        "decisions": trainer.progress.decisions,
        "answers": config.against,
    }
    if trainer.opponent is not None:
        frozen = trainer.opponent.about
        imitated = {"imitates": frozen["imitates"]} if frozen.get("kind") == "imitation" else {}
        about |= {"answers": trainer.opponent.checksum, **imitated}
    champion = NetFile(rules, about, halved(exported(best)))
    return LearnedResponse(config.against, points, champion, trainer.progress.decisions, trainer.curve)
