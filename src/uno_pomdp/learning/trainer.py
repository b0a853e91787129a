"""The training loop: collect choices, estimate their advantages, update; measure and save at intervals."""

import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from uno_pomdp.files import make_folder
from uno_pomdp.game.rng import seeds
from uno_pomdp.learning.checkpoint import load_checkpoint, save_checkpoint, write_curve
from uno_pomdp.learning.collector import Collector, arrays_for
from uno_pomdp.learning.config import TrainConfig
from uno_pomdp.learning.frozen_opponent import IMITATION, is_imitation
from uno_pomdp.learning.nets import CriticNet, PlayerNet, imported, usable_device
from uno_pomdp.learning.objective import ChoiceBatch, Weights, advantages, between, policy_loss
from uno_pomdp.learning.progress import TrainingProgress
from uno_pomdp.learning.strength import Measure
from uno_pomdp.learning.vector_game_kernels import MOVES, NO_SCRIPT
from uno_pomdp.learning.vector_games import InvalidTraining, VectorGames
from uno_pomdp.nets.net_file import NetFile, load_net
from uno_pomdp.policies.kernels import is_policy, policy_named
from uno_pomdp.quantities import SECONDS, naming

Report = Callable[[TrainingProgress], None]
Clock = Callable[[], float]


class Trainer:
    """Trains a player by self-play, or a best response to a frozen one."""

    def __init__(
        self, config: TrainConfig, device: str = "cpu", threads: int = 0, imitation: NetFile | None = None
    ) -> None:
        self.config = config
        """How it trains."""
        self.opponent = imitation or net_against(config)
        """The net that it is trained against, given by the caller if it imitates; None for self-play or a policy."""
        self.device = usable_device(device)
        """The torch device."""
        torch.set_float32_matmul_precision("high")  # TF32 where there is any
        self.threads = threads
        """Threads for games; 0 for one a core."""
        self._rules = config.game_rules
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(self._seed("nets")))
            self.player = PlayerNet(config.hidden)
            """The player: the net that is trained."""
            self.critic = CriticNet(config.critic_hidden, config.critic == "both")
            """The critic."""
        script = policy_named(config.against) if is_policy(config.against) else NO_SCRIPT
        self.frozen = None if self.opponent is None else self._imported(self.opponent, config.against)
        beginning = self._imported(load_net(config.start), config.start) if config.start else self.frozen
        if beginning is not None and beginning.hidden == self.player.hidden:
            self.player.load_state_dict(beginning.state_dict())
        elif beginning is not None and config.start:
            raise InvalidTraining(f"{config.start} has layers of {beginning.hidden}: set hidden to the same")
        self.player.to(self.device)
        self.critic.to(self.device)
        self.average = deepcopy(self.player)
        """The average of the player over the run: of all iterations at first, then an exponential moving one."""
        self.magnet = deepcopy(self.player)
        """The magnet: the policy towards which the loss regularises the player."""
        parameters = [*self.player.parameters(), *self.critic.parameters()]
        self.optimiser = torch.optim.Adam(parameters, lr=config.rate[0], fused=self.device.type == "cuda")
        """The optimiser of both nets."""
        self.progress = TrainingProgress()
        """The progress so far."""
        self.curve: list[dict[str, float]] = []
        """The learning curve: the progress at each measurement."""
        halves = [config.games - config.games // 2, config.games // 2] if config.games > 1 else [1]
        self._environments = [
            VectorGames(
                self._rules, games, 0, config.belief, script, bool(config.against), threads,
                new_array=arrays_for(self.device),
            )
            for games in halves
        ]  # fmt: skip
        self._collector = Collector(self._environments, config.steps, self.device)
        self._measures = {
            name: Measure(self._rules, name, config.measure_games, self.device, config.belief, threads)
            for name in config.opponents
        }
        if self.frozen is not None:
            self._measures["frozen"] = Measure(
                self._rules, self.frozen, config.measure_games, self.device, config.belief, threads
            )

    def _imported(self, champion: NetFile, name: str) -> PlayerNet:
        """Return a net of this name, which must be for the rules."""
        if champion.rules != self._rules:
            raise InvalidTraining(f"{name} was trained with the rules {champion.rules.name}, not {self._rules.name}")
        return imported(champion.net, self.device)

    def _seed(self, *what: str | int) -> np.uint64:
        """Return the seed for one use of randomness; it depends on nothing but the run's seed and the use."""
        key = [part if isinstance(part, int) else int.from_bytes(part.encode(), "little") for part in what]
        return seeds(np.random.SeedSequence([self.config.seed, *key]), 1)[0] >> np.uint64(1)

    # --- the loop ------------------------------------------------------------------------------------------

    def run(
        self,
        seconds: float | None = None,
        folder: Path | None = None,
        report: Report | None = None,
        clock: Clock = time.perf_counter,
        iterations: int | None = None,
    ) -> TrainingProgress:
        """Train until the decisions, the seconds (of all runs together) or so many more iterations are over."""
        config, progress = self.config, self.progress
        started = clock() - progress.seconds
        stop = None if iterations is None else progress.iteration + iterations
        while True:
            progress.done = share_done(progress.decisions, config.decisions, progress.seconds, seconds)
            if progress.done >= 1.0 or progress.iteration == stop:
                break
            if progress.iteration % config.checkpoint == 0:
                self._deal_anew()
            self._iterate(clock)
            progress.seconds = clock() - started
            if progress.iteration % config.measure == 0:
                self._measure()
                progress.seconds = clock() - started
            if folder is not None and progress.iteration % config.checkpoint == 0:
                self.save(folder)
            if report is not None:
                report(progress)
        if self.curve == [] or self.curve[-1]["iteration"] != progress.iteration:
            self._measure()
        progress.seconds = clock() - started
        if folder is not None:
            self.save(folder)
        return progress

    def _deal_anew(self) -> None:
        for number, environment in enumerate(self._environments):
            environment.start(int(self._seed("deals", self.progress.iteration, number)))

    def _iterate(self, clock: Clock) -> None:
        """Collect the choices of an iteration and learn from them."""
        config, progress = self.config, self.progress
        begun = clock()
        moves = sum(int(environment.counts[MOVES]) for environment in self._environments)
        chance = torch.Generator(self.device).manual_seed(int(self._seed("choices", progress.iteration)))
        last_value, last_mover = self._collector.collect(self.player, self.critic, chance, self.frozen)
        batch = self._collector.batch
        by_seat = config.critic == "own" or bool(config.against)
        found = advantages(batch, last_value, last_mover, config.trace, by_seat)
        learnt = self._improve(batch, found, chance)
        progress.iteration += 1
        progress.decisions += learnt
        played = sum(int(environment.counts[MOVES]) for environment in self._environments) - moves
        progress.moves += played
        progress.forgotten = sum(environment.forgotten for environment in self._environments)
        _approach(self.magnet, self.player, config.magnet_rate)
        _approach(self.average, self.player, max(config.average_rate, 1.0 / progress.iteration))
        took = max(clock() - begun, 1e-9)
        progress.rate, progress.move_rate = learnt / took, played / took

    def _improve(self, batch: ChoiceBatch, found: Tensor, chance: torch.Generator) -> int:
        """Take the steps of the optimiser; return how many choices they are about."""
        config, progress = self.config, self.progress
        weights = Weights.at(config, progress.done)
        for group in self.optimiser.param_groups:
            group["lr"] = between(config.rate, progress.done)
        chosen = batch.learns.reshape(-1).nonzero()[:, 0]
        advantage = found.reshape(-1)
        target = (found + batch.value).reshape(-1).clamp(-1.0, 1.0)
        mean, deviation = advantage[chosen].mean(), advantage[chosen].std() + 1e-8
        flat = {name: getattr(batch, name).flatten(0, 1) for name in ("features", "hidden", "action", "log_all")}
        sums = torch.zeros(4, device=self.device)
        steps = 0
        for _ in range(config.epochs):
            shuffled = chosen[torch.randperm(len(chosen), device=self.device, generator=chance)]
            for rows in shuffled.split(config.minibatch):
                features = flat["features"][rows]
                log_all, value = self.player(features)
                magnet = None
                if weights.magnet > 0.0:
                    with torch.no_grad():
                        magnet = self.magnet(features)[0]
                loss, parts = policy_loss(
                    log_all,
                    flat["action"][rows],
                    flat["log_all"][rows],
                    (advantage[rows] - mean) / deviation,
                    magnet,
                    weights,
                )
                value_loss = (value - target[rows]).square().mean()
                critic_loss = (self.critic(features, flat["hidden"][rows]) - target[rows]).square().mean()
                self.optimiser.zero_grad(set_to_none=True)
                (loss + 0.5 * value_loss + critic_loss).backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.player.parameters(), config.gradient)
                nn.utils.clip_grad_norm_(self.critic.parameters(), config.gradient)
                self.optimiser.step()
                sums += torch.stack([parts["entropy"], parts["moved"], value_loss.detach(), critic_loss.detach()])
                steps += 1
        progress.entropy, progress.moved, progress.value_loss, progress.critic_loss = (sums / steps).tolist()
        return len(chosen)

    def _measure(self) -> None:
        """Measure the averaged player against each opponent."""
        for number, (name, measure) in enumerate(self._measures.items()):
            strength = measure(self.average, int(self._seed("measure", self.progress.iteration, number)))
            self.progress.strength[name] = strength.points, strength.half_width
        self.curve.append(self.progress.row())

    # --- on disk -------------------------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write the checkpoint and the curve, each whole or not at all."""
        make_folder(folder)
        nets = {name: getattr(self, name).state_dict() for name in ("player", "critic", "average", "magnet")}
        save_checkpoint(
            folder,
            {
                "config": self.config.to_json(),
                "progress": vars(self.progress).copy(),
                "curve": self.curve,
                "optimiser": self.optimiser.state_dict(),
                **nets,
            },
        )
        write_curve(folder, self.curve)

    @classmethod
    def resume(cls, folder: Path, device: str = "cpu", threads: int = 0) -> "Trainer":
        """Return the trainer of a checkpoint: it goes on as if it had never stopped."""
        usable_device(device)
        saved = load_checkpoint(folder, device)
        config = TrainConfig.from_json(saved["config"])
        imitated = is_imitation(config.against)
        trainer = cls(config, device, threads, load_net(folder / IMITATION) if imitated else None)
        trainer.restore(saved)
        return trainer

    def restore(self, saved: dict[str, Any]) -> None:
        """Take over what a checkpoint holds."""
        for name in ("player", "critic", "average", "magnet", "optimiser"):
            getattr(self, name).load_state_dict(saved[name])
        self.progress = TrainingProgress(**saved["progress"])
        self.curve = list(saved["curve"])

    def close(self) -> None:
        """End all threads."""
        for environment in self._environments:
            environment.close()
        for measure in self._measures.values():
            measure.close()


def net_against(config: TrainConfig) -> NetFile | None:
    """Return the net of the file that a configuration names as opponent, if it names one."""
    return load_net(config.against) if config.against and not is_policy(config.against) else None


def share_done(decisions: int, all_decisions: int, seconds: float, all_seconds: float | None) -> float:
    """Return how much of a run is done: it ends by decisions, or by seconds if they are over first."""
    if all_seconds is None:
        return min(1.0, decisions / all_decisions)
    check_seconds(all_seconds)
    return min(1.0, max(decisions / all_decisions, seconds / all_seconds))


def check_seconds(seconds: float) -> None:
    """Refuse a time in which nothing can be learnt."""
    with naming("seconds", InvalidTraining):
        SECONDS.checked(seconds)


@torch.no_grad()
def _approach(follower: nn.Module, leader: nn.Module, rate: float) -> None:
    """Move a net's weights towards another's."""
    for mine, other in zip(follower.parameters(), leader.parameters(), strict=True):
        mine.lerp_(other, rate)
