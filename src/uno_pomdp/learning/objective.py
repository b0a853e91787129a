"""The objective: advantages of choices, and a regularised loss of which PPO and mirror descent are two settings."""

from dataclasses import dataclass

import torch
from torch import Tensor

from uno_pomdp.learning.config import TrainConfig


@dataclass
class ChoiceBatch:
    """The choices of an iteration. At first by step and table, `[steps, games, …]`."""

    features: Tensor
    """The features of what the seat to move knew."""
    hidden: Tensor
    """The opponent's hand."""
    mover: Tensor
    """The seat that moved."""
    action: Tensor
    """The action taken, colours renumbered as in `nets.policy_features`."""
    log_all: Tensor
    """The log-probability of every action at the time."""
    value: Tensor
    """The critic's value to the seat to move."""
    ended: Tensor
    """Whether the game ended before the next choice."""
    result: Tensor
    """If so, its result for player 1."""
    learns: Tensor
    """Whether the choice was the learner's."""


def advantages(batch: ChoiceBatch, last_value: Tensor, last_mover: Tensor, trace: float, by_seat: bool) -> Tensor:
    """Return the generalised advantage estimate (GAE) of each choice, with discount 1.

    A game is one sequence of choices of two seats with opposite interests. A critic that sees both hands values every
    position for both, so each choice is judged by the position at the next one, whoever's it is. One that sees what
    the seat sees must not be asked at the other's choices: then each seat has a sequence of its own (`by_seat`).
    """
    steps, games = batch.value.shape
    found = torch.empty_like(batch.value)
    sign = 1.0 - 2.0 * batch.mover.float()  # player 1's interest in what is good for the mover
    last_sign = 1.0 - 2.0 * last_mover.float()
    if not by_seat:
        value, advantage = last_sign * last_value, torch.zeros(games, device=found.device)
        for step in range(steps - 1, -1, -1):
            over = batch.ended[step].bool()
            value = torch.where(over, batch.result[step].float(), value)
            advantage = torch.where(over, 0.0, advantage)
            here = sign[step] * batch.value[step]
            advantage = value - here + trace * advantage
            found[step] = sign[step] * advantage
            value = here
        return found
    own = torch.stack([last_sign * last_value, -last_sign * last_value], 1)  # by seat, each in its own interest
    ahead = torch.zeros_like(own)
    rows = torch.arange(games, device=found.device)
    for step in range(steps - 1, -1, -1):
        over = batch.ended[step].bool()[:, None]
        result = batch.result[step].float()
        own = torch.where(over, torch.stack([result, -result], 1), own)
        ahead = torch.where(over, 0.0, ahead)
        seat = batch.mover[step].long()
        found[step] = own[rows, seat] - batch.value[step] + trace * ahead[rows, seat]
        mine = batch.learns[step].bool()
        seat, who = seat[mine], rows[mine]
        own[who, seat] = batch.value[step][mine]
        ahead[who, seat] = found[step][mine]
    return found


@dataclass(frozen=True)
class Weights:
    """The weights of the parts of the loss, at one moment of the run."""

    entropy: float
    """Of the entropy."""
    magnet: float
    """Of the divergence from the magnet."""
    stay: float
    """Of the divergence from the policy that played."""
    clip: float
    """The clipping range of the ratio; 0 for no clipping."""

    @classmethod
    def at(cls, config: TrainConfig, done: float) -> "Weights":
        """Return the weights when a share of the run is done."""
        return cls(between(config.entropy, done), between(config.magnet, done), config.stay, config.clip)


def between(ends: tuple[float, float], done: float) -> float:
    """Return the linear interpolation between two numbers."""
    return ends[0] + (ends[1] - ends[0]) * min(max(done, 0.0), 1.0)


def policy_loss(
    log_all: Tensor, action: Tensor, log_before: Tensor, advantage: Tensor, magnet: Tensor | None, weights: Weights
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the loss of a policy on choices, and its parts.

    −E[min(ρA, clip(ρ)A)] − entropy · H(π) + magnet · KL(π ‖ magnet) + stay · KL(π ‖ π_before), ρ the ratio of the
    chosen action's new to its old probability.
    """
    chosen = action.long()[:, None]
    ratio = torch.exp(log_all.gather(1, chosen) - log_before.gather(1, chosen))[:, 0]
    gain = ratio * advantage
    if weights.clip > 0.0:
        gain = torch.minimum(gain, ratio.clamp(1.0 - weights.clip, 1.0 + weights.clip) * advantage)
    probability = log_all.exp()
    entropy = -(probability * log_all).sum(1).mean()
    moved = (probability * (log_all - log_before)).sum(1).mean()
    loss = -gain.mean() - weights.entropy * entropy + weights.stay * moved
    if magnet is not None:
        loss = loss + weights.magnet * (probability * (log_all - magnet)).sum(1).mean()
    return loss, {"entropy": entropy.detach(), "moved": moved.detach()}
