"""Imitation (behaviour cloning): a net that plays as an agent does, to train a best response against.

Training needs millions of games, and a search is too slow for them. So it is watched at some thousands of choices, and
a net learns to predict its actions. The response is trained against the net. Its margin against the agent itself, as a
Nash report measures it, is a valid lower bound however bad the imitation is.
"""

import warnings
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from uno_pomdp.arena.match import Maker, make
from uno_pomdp.files import try_folder
from uno_pomdp.game.rng import seeds
from uno_pomdp.jit import working_time
from uno_pomdp.learning.frozen_opponent import IMITATION
from uno_pomdp.learning.imitation.observed_choices import Choices, joined, watch_games
from uno_pomdp.learning.nets import PlayerNet, exported, imported, usable_device
from uno_pomdp.learning.settings import check_numbers
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import NetFile, halved, load_net
from uno_pomdp.nets.pretrained import pretrained_policy, pretrained_rules
from uno_pomdp.quantities import SECONDS, naming
from uno_pomdp.rules import Rules

WATCHING: Final = 0.3
"""The share of a training's time in which the agent to be imitated is watched."""
HELD_BACK: Final = 11
"""One game in so many is held out for validation; odd, so that these are of both kinds."""
ENOUGH: Final = 200
"""The fewest choices: below them the watching goes on when its time is over."""
BLOCK: Final = 8192
"""The batch size of the validation."""

Watching = Callable[[int, float], None]
"""Called with how many choices were seen, and the share of the watching that is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImitationConfig:
    """How to imitate an agent."""

    seed: int = 0
    """The seed: repeats the same net, if a number of games ends the watching and the agent has no time budget."""
    games: int = 4_000
    """Games after which the watching ends."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the net's layers; under rules with a champion it has the champion's, and starts from its weights."""
    epochs: int = 12
    """The most epochs; it ends earlier when held-out choices are predicted no better."""
    minibatch: int = 1024
    """The minibatch: choices in a step of the optimiser."""
    rate: float = 5e-4
    """The learning rate."""

    def __post_init__(self) -> None:
        check_numbers(self)
        if self.games < HELD_BACK:
            raise InvalidTraining(f"{self.games} games are too few to imitate an agent: give at least {HELD_BACK}")


@dataclass(frozen=True)
class Imitation:
    """A net that plays as an agent does."""

    champion: NetFile
    """The net."""
    choices: int
    """How many choices it was trained on."""
    agreement: float
    """Top-1 agreement on held-out choices: how often its likeliest action is the agent's."""
    loss: float
    """Cross-entropy on held-out choices: the mean of −ln of the probability that it gives the agent's action."""

    def __str__(self) -> str:
        return (
            f"imitates {self.champion.about['imitates']} after {self.choices:,} decisions: top-1 agreement "
            f"{100 * self.agreement:.1f} % on held-out ones, cross-entropy {self.loss:.3f}"
        )


def imitate(
    agent: Maker,
    rules: Rules,
    config: ImitationConfig,
    device: str = "cpu",
    processes: int = 1,
    seconds: float | None = None,
    report: Watching | None = None,
    clock: Callable[[], float] = working_time,
) -> Imitation:
    """Watch an agent for some games or seconds, and learn to play as it does."""
    if seconds is not None:
        with naming("seconds", InvalidTraining):
            SECONDS.checked(seconds)
    if processes == 0:
        raise InvalidTraining("nobody can be watched by 0 processes: give a number of them, or −1 for one on each core")
    player = _beginning(rules, config, usable_device(device))
    learnt, held_back = watched(agent, rules, config, processes, seconds, report, clock)
    if not len(learnt.actions) or not len(held_back.actions):
        raise InvalidTraining(f"{make(agent).name} had too few choices in the games that were watched: watch more")
    chance = torch.Generator().manual_seed(int(seeds(config.seed, 1)[0] >> np.uint64(1)))
    player, loss, agreement = _fitted(player, learnt, held_back, config, chance)
    about = {
        "kind": "imitation",
        "imitates": make(agent).name,
        "config": asdict(config),
        "choices": len(learnt.actions),
        "agreement": agreement,
        "loss": loss,
    }
    return Imitation(NetFile(rules, about, halved(exported(player))), len(learnt.actions), agreement, loss)


def kept_imitation(
    folder: Path,
    agent: Maker,
    rules: Rules,
    config: ImitationConfig,
    device: str = "cpu",
    processes: int = 1,
    seconds: float | None = None,
    report: Watching | None = None,
) -> NetFile:
    """Return the net of a folder that imitates an agent; if there is none, train it and keep it there.

    The agent is identified by its name alone: if its own files have changed, name another folder.
    """
    file, name = folder / IMITATION, make(agent).name
    if file.exists():
        kept = load_net(file)
        if kept.about.get("imitates") != name or kept.rules != rules:
            raise InvalidTraining(f"{file} does not imitate {name} under {rules.name}: name another folder")
        return kept
    try_folder(folder)  # a place that can't be used is refused before anybody is watched
    found = imitate(agent, rules, config, device, processes, seconds, report)
    found.champion.save(file)
    return found.champion


def watched(
    agent: Maker,
    rules: Rules,
    config: ImitationConfig,
    processes: int,
    seconds: float | None,
    report: Watching | None,
    clock: Callable[[], float],
) -> tuple[Choices, Choices]:
    """Return the choices to train on, and the held-out ones of other games."""
    started, parts, total = clock(), list[Choices](), 0
    with warnings.catch_warnings(), closing(watch_games(agent, rules, config.seed, config.games, processes)) as games:
        warnings.filterwarnings("ignore", category=UserWarning, module="joblib")  # of games begun when time is over
        for choices in games:
            parts.append(choices)
            total += len(choices.actions)
            passed = 0.0 if seconds is None else (clock() - started) / seconds
            over = len(parts) == config.games or (passed >= 1.0 and len(parts) >= HELD_BACK and total >= ENOUGH)
            if report is not None:
                report(total, 1.0 if over else min(max(len(parts) / config.games, passed), 0.999))
            if over:
                break
    return (
        joined(part for number, part in enumerate(parts) if number % HELD_BACK),
        joined(parts[::HELD_BACK]),
    )


def _beginning(rules: Rules, config: ImitationConfig, device: torch.device) -> PlayerNet:
    """Return the untrained net: a copy of the champion for the rules if there is one, since agents play alike."""
    if rules.name in pretrained_rules():
        return imported(pretrained_policy(rules).net, device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(seeds(config.seed, 2)[1] >> np.uint64(1)))
        return PlayerNet(config.hidden).to(device)


def _fitted(
    player: PlayerNet, learnt: Choices, held_back: Choices, config: ImitationConfig, chance: torch.Generator
) -> tuple[PlayerNet, float, float]:
    """Return the player with the least held-out loss during training, with that loss and its agreement."""
    device = next(player.parameters()).device
    features, actions = _tensors(learnt, device)
    other = _tensors(held_back, device)
    optimiser = torch.optim.Adam(player.parameters(), config.rate)
    best, (loss, agreement) = deepcopy(player), _foretold(player, *other)
    for _ in range(config.epochs):
        for rows in torch.randperm(len(actions), generator=chance).to(device).split(config.minibatch):
            log_all, _ = player(features[rows].float())
            cost = nn.functional.nll_loss(log_all, actions[rows])
            optimiser.zero_grad(set_to_none=True)
            cost.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        found = _foretold(player, *other)
        if found[0] >= loss:
            break
        best, (loss, agreement) = deepcopy(player), found
    return best, loss, agreement


@torch.no_grad()
def _foretold(player: PlayerNet, features: Tensor, actions: Tensor) -> tuple[float, float]:
    """Return the cross-entropy and the top-1 agreement."""
    loss = agreed = 0.0
    for rows, done in zip(features.split(BLOCK), actions.split(BLOCK), strict=True):
        log_all, _ = player(rows.float())
        loss += float(nn.functional.nll_loss(log_all, done, reduction="sum"))
        agreed += float((log_all.argmax(1) == done).sum())
    return loss / len(actions), agreed / len(actions)


def _tensors(choices: Choices, device: torch.device) -> tuple[Tensor, Tensor]:
    return torch.from_numpy(choices.features).to(device), torch.from_numpy(choices.actions).to(device)
