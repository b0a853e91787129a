"""Best responses by learning: a player trained against a frozen one, and how much it wins.

Its margin over duplicate deals bounds the exploitability of the frozen player from below.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from uno_pomdp.champion.net import Champion, halved
from uno_pomdp.learning.config import TrainConfig, responding
from uno_pomdp.learning.nets import exported
from uno_pomdp.learning.strength import Measure, Strength
from uno_pomdp.learning.trainer import Report, Trainer
from uno_pomdp.rules import preset


@dataclass(frozen=True)
class Response:
    """What was learnt against a frozen player."""

    against: str
    """The frozen player: a simple policy, or the file of a net."""
    points: Strength
    """Points of the response in a game, measured after training on deals of its own."""
    champion: Champion
    """The response."""
    decisions: int
    """Choices that it was trained on."""
    curve: Sequence[dict[str, float]]
    """How it stood on the way."""

    @property
    def margin(self) -> float:
        """Points above one half: a lower bound on the exploitability in points."""
        return self.points.points - 0.5

    def __str__(self) -> str:
        return (
            f"best response to {self.against} after {self.decisions:,} decisions: {self.points}, "
            f"margin {100 * self.margin:+.2f} ± {100 * self.points.half_width:.2f} points of 100"
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
) -> Response:
    """Train a best response to a simple policy or to the net of a file, and measure it on fresh deals."""
    trainer = Trainer(responding(config, against), device, threads)
    try:
        trainer.run(seconds, folder, report)
        return measured(trainer, games)
    finally:
        trainer.close()


def measured(trainer: Trainer, games: int) -> Response:
    """Return what a trainer found, measured over so many games; of player and average the better one on other deals."""
    config = trainer.config
    rules = preset(config.rules)
    opponent = trainer.frozen if trainer.frozen is not None else config.against
    measure = Measure(rules, opponent, games, trainer.device, config.belief, trainer.threads)
    try:
        trial = {net: measure(net, config.seed + 1).points for net in (trainer.player, trainer.average)}
        best = max(trial, key=lambda net: trial[net])
        points = measure(best, config.seed + 2)
    finally:
        measure.close()
    about = {"kind": "best response", "config": config.to_json(), "decisions": trainer.progress.decisions}
    champion = Champion(rules, about, halved(exported(best)))
    return Response(config.against, points, champion, trainer.progress.decisions, trainer.curve)
