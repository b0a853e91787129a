"""Learning values of positions with both hands open, from games of a champion against itself and scripted policies.

The champion plays and does not change. Two nets learn from its games: a large teacher, and the small one that the
search uses. Both learn the same targets: λ-returns, in which the teacher values the positions ahead. At first, while
the teacher is untrained, the targets are the results of whole games (λ = 1).
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn

from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, RANKS_PER_COLOUR
from uno_pomdp.game.layout import DRAW
from uno_pomdp.learning.collector import Collector, arrays_for
from uno_pomdp.learning.nets import chain, exported, imported, through, usable_device
from uno_pomdp.learning.objective import advantages
from uno_pomdp.learning.settings import check_numbers
from uno_pomdp.learning.trainer import share_done
from uno_pomdp.learning.vector_game_kernels import NO_SCRIPT
from uno_pomdp.learning.vector_games import InvalidTraining, VectorGames
from uno_pomdp.nets import policy_features
from uno_pomdp.nets.net_file import NetFile, halved
from uno_pomdp.nets.position_features import COLOUR_SCALE, INPUTS, OPPONENTS, POSITIONS, SHARES
from uno_pomdp.policies.kernels import POLICY_NAMES

UNTAUGHT: Final = 0.15
"""The share of the run, at its beginning, in which the targets are results of whole games."""
WARMING: Final = 5
"""Iterations in which the learning rate rises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionConfig:
    """How to learn the values of positions."""

    seed: int = 0
    """The seed: on the same device it repeats the same run, if that is ended by positions and not by time."""
    decisions: int = 180_000_000
    """Positions after which training ends."""
    games: int = 81_920
    """Games played at once."""
    itself: float = 0.36
    """The share of the games that the champion plays against itself; the scripted policies share the others equally."""
    steps: int = 32
    """Positions of each game in an iteration."""
    hidden: tuple[int, ...] = (160, 48)
    """Widths of the net's layers."""
    teacher: tuple[int, ...] = (512, 256)
    """Widths of the teacher's layers."""
    minibatch: int = 8192
    """The minibatch: positions in a step of the optimiser."""
    rate: float = 2e-3
    """The learning rate at first; it falls to a hundredth."""
    trace: float = 0.97
    """λ of the returns, once the teacher knows something."""

    def __post_init__(self) -> None:
        check_numbers(self)
        if self.games < 2 * len(OPPONENTS):
            raise InvalidTraining(
                f"{self.games} games are too few for all opponents: give at least {2 * len(OPPONENTS)}"
            )

    def tables(self) -> list[int]:
        """Return how many games are played against each opponent."""
        others = (1.0 - self.itself) / len(POLICY_NAMES)
        return [max(1, int(self.games * share)) for share in (self.itself, *[others] * len(POLICY_NAMES))]


class Valuer(nn.Module):
    """The value net: the value of a position to the seat to move, from −1 to 1."""

    def __init__(self, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.layers = chain([INPUTS, *hidden, 1])

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the value of each row."""
        return torch.tanh(through(self.layers, inputs).float()[:, 0])


def inputs_of(features: Tensor, hidden: Tensor, opponent: Tensor) -> Tensor:
    """Return the features of `nets.position_features`, from the rows of an environment and the opponent's number."""
    own, other = features[:, policy_features.OWN : policy_features.UNSEEN], hidden.float()
    pile = features[:, policy_features.UNSEEN : policy_features.EXPECTED] - other
    rank = features[:, policy_features.RANK : policy_features.RANK + RANKS_PER_COLOUR]
    always = torch.ones_like(rank)
    fits = torch.cat([always, *[rank] * (len(COLOURS) - 1), always[:, : CARD_TYPES - COLOURED_TYPES]], 1)
    coloured = pile[:, :COLOURED_TYPES].unflatten(1, (len(COLOURS), RANKS_PER_COLOUR))
    made_of = torch.cat([coloured.sum(2), pile[:, COLOURED_TYPES:], coloured.sum(1)[:, list(SHARES)]], 1)
    return torch.cat(
        [
            own,
            other,
            fits * (own > 0),
            fits * (other > 0),
            features[:, policy_features.LEGAL + DRAW : policy_features.STUCK],
            features[:, policy_features.RANK : policy_features.CHOSEN],
            made_of * float(COLOUR_SCALE),
            nn.functional.one_hot(opponent, len(OPPONENTS)).float(),
        ],
        1,
    )


@dataclass
class PositionProgress:
    """How the training stands."""

    decisions: int = 0
    """Positions so far."""
    seconds: float = 0.0
    """Time spent."""
    done: float = 0.0
    """The share of the run that is done."""
    loss: float = 0.0
    """Mean squared error of the small net, in the last iteration."""
    teacher_loss: float = 0.0
    """The same for the teacher."""

    def __str__(self) -> str:
        return (
            f"{100 * self.done:5.1f} % {self.decisions / 1e6:8.1f} M positions {self.seconds:6.0f} s  "
            f"loss {self.loss:.4f}, teacher {self.teacher_loss:.4f}"
        )


class PositionTrainer:
    """Lets a champion play, and trains value nets on its positions."""

    def __init__(self, champion: NetFile, config: PositionConfig, device: str = "cpu", threads: int = 0) -> None:
        self.champion, self.config = champion, config
        self.device = usable_device(device)
        torch.set_float32_matmul_precision("high")
        self._player = imported(champion.net, self.device)
        chance = np.random.SeedSequence(config.seed)
        deals, nets, choices = chance.spawn(3)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(nets.generate_state(1)[0]))
            self.student, self.teacher = Valuer(config.hidden).to(self.device), Valuer(config.teacher).to(self.device)
        self._chance = torch.Generator(self.device).manual_seed(int(choices.generate_state(1)[0]))
        tables = config.tables()
        self._environments = [
            VectorGames(
                champion.rules, games, deal_seed, "exact", script, script != NO_SCRIPT, threads,
                new_array=arrays_for(self.device),
            )
            for games, deal_seed, script in zip(
                tables, deals.spawn(len(tables)), (NO_SCRIPT, *range(len(POLICY_NAMES))), strict=True
            )
        ]  # fmt: skip
        self._opponents = [torch.full((games,), number, device=self.device) for number, games in enumerate(tables)]
        self._collector = Collector(self._environments, config.steps, self.device)
        self.progress = PositionProgress()
        """How it stands."""

    def run(
        self,
        seconds: float | None = None,
        report: Callable[[PositionProgress], None] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> NetFile:
        """Train until the positions or the seconds are over; return the small net."""
        config, progress = self.config, self.progress
        optimiser = torch.optim.Adam([*self.student.parameters(), *self.teacher.parameters()], config.rate)
        started, iteration = clock(), 0
        progress.done = share_done(progress.decisions, config.decisions, 0.0, seconds)
        while progress.done < 1.0:
            iteration += 1
            for group in optimiser.param_groups:
                group["lr"] = config.rate * max(0.01, 1.0 - progress.done) * min(1.0, iteration / WARMING)
            self._iterate(optimiser)
            progress.seconds = clock() - started
            progress.done = share_done(progress.decisions, config.decisions, progress.seconds, seconds)
            if report is not None:
                report(progress)
        about: dict[str, Any] = {
            "champion": self.champion.checksum,
            "config": asdict(config),
            "progress": asdict(progress),
        }
        return NetFile(self.champion.rules, about, halved(exported(self.student)), POSITIONS)

    def _iterate(self, optimiser: torch.optim.Optimizer) -> None:
        config, progress = self.config, self.progress
        asked = 0

        def judge(features: Tensor, hidden: Tensor) -> Tensor:
            nonlocal asked
            opponent = self._opponents[asked % len(self._opponents)]  # environments are asked about in turn
            asked += 1
            value: Tensor = self.teacher(inputs_of(features, hidden, opponent))
            return value

        ahead, mover = self._collector.collect(self._player, judge, self._chance)
        batch = self._collector.batch
        trace = 1.0 if progress.done < UNTAUGHT else config.trace
        found = advantages(batch, ahead, mover, trace, by_seat=False)
        target = (found + batch.value).clamp(-1.0, 1.0).reshape(-1)
        features, hidden = batch.features.flatten(0, 1), batch.hidden.flatten(0, 1)
        opponent = torch.cat(self._opponents).repeat(config.steps)
        losses = torch.zeros(2, device=self.device)
        parts = torch.randperm(len(target), device=self.device, generator=self._chance).split(config.minibatch)
        for rows in parts:
            inputs = inputs_of(features[rows], hidden[rows], opponent[rows])
            both = torch.stack([(net(inputs) - target[rows]).square().mean() for net in (self.student, self.teacher)])
            optimiser.zero_grad(set_to_none=True)
            both.sum().backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            losses += both.detach()
        progress.loss, progress.teacher_loss = (losses / len(parts)).tolist()
        progress.decisions += len(target)

    def close(self) -> None:
        """End all threads."""
        for environment in self._environments:
            environment.close()
