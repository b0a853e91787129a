"""Collecting: nets choose at many tables at once, while other tables play on to their next choice."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.learning.nets import PlayerNet
from uno_pomdp.learning.objective import ChoiceBatch
from uno_pomdp.learning.vector_games import VectorGames
from uno_pomdp.nets.policy_features import ACTIONS, FEATURES

Judge = Callable[[Tensor, Tensor], Tensor]
"""Returns the value of each row to the seat to move, from what it sees and the other's hand."""

_TYPES = {np.dtype(np.float32): torch.float32, np.dtype(np.uint8): torch.uint8, np.dtype(np.int8): torch.int8}


def arrays_for(device: torch.device) -> Callable[[tuple[int, ...], Any], npt.NDArray[Any]]:
    """Return a function that allocates the arrays of rows, in pinned memory for a GPU."""

    def make(shape: tuple[int, ...], kind: Any) -> npt.NDArray[Any]:
        pinned = device.type == "cuda"
        return torch.zeros(shape, dtype=_TYPES[np.dtype(kind)], pin_memory=pinned).numpy()

    return make


def sampled(log_all: Tensor, chance: torch.Generator) -> Tensor:
    """Return an action for each row, drawn from its probabilities."""
    noise = torch.empty_like(log_all).exponential_(generator=chance).clamp_min_(1e-30)
    return (log_all - noise.log()).argmax(1)


def new_batch(steps: int, games: int, device: torch.device) -> ChoiceBatch:
    """Return an empty batch."""

    def empty(kind: torch.dtype, *more: int) -> Tensor:
        return torch.empty((steps, games, *more), dtype=kind, device=device)

    return ChoiceBatch(
        features=empty(torch.float32, FEATURES),
        hidden=empty(torch.uint8, CARD_TYPES),
        mover=empty(torch.uint8),
        action=empty(torch.uint8),
        log_all=empty(torch.float32, ACTIONS),
        value=empty(torch.float32),
        ended=empty(torch.uint8),
        result=empty(torch.int8),
        learns=empty(torch.bool),
    )


def part_of(batch: ChoiceBatch, first: int, end: int) -> ChoiceBatch:
    """Return a view of some tables of a batch."""
    return ChoiceBatch(**{field.name: getattr(batch, field.name)[:, first:end] for field in fields(ChoiceBatch)})


class Collector:
    """Fills batches from several environments in turn, so that one plays on while the net evaluates another."""

    def __init__(self, environments: list[VectorGames], steps: int, device: torch.device) -> None:
        self.environments = environments
        """Where the games are."""
        self._device = device
        self._steps = steps
        edges = np.cumsum([0, *(environment.games for environment in environments)]).tolist()
        self.batch = new_batch(steps, edges[-1], device)
        """What was collected last."""
        self._parts = [part_of(self.batch, a, b) for a, b in pairwise(edges)]

    @torch.no_grad()
    def collect(
        self, player: PlayerNet, critic: Judge, chance: torch.Generator, frozen: PlayerNet | None = None
    ) -> tuple[Tensor, Tensor]:
        """Fill the batch; return the critic's value of the choice after it, and whose that is, for each table."""
        work: list[list[Future[None]]] = [[] for _ in self.environments]
        last: list[tuple[Tensor, Tensor]] = []
        for step in range(self._steps + 1):
            for environment, part, number in zip(self.environments, self._parts, range(len(work)), strict=True):
                environment.wait(work[number])
                if step > 0:
                    self._fetch(environment.rows.ended, part.ended[step - 1])
                    self._fetch(environment.rows.result, part.result[step - 1])
                if step == self._steps:
                    features = self._fetch(environment.rows.features)
                    hidden, mover = self._fetch(environment.rows.hidden), self._fetch(environment.rows.mover)
                    last.append((critic(features, hidden), mover))
                    continue
                actions = self._choose(environment, part, step, player, critic, chance, frozen)
                work[number] = environment.begin_step(actions)
        return torch.cat([value for value, _ in last]), torch.cat([mover for _, mover in last])

    def _choose(
        self,
        environment: VectorGames,
        part: ChoiceBatch,
        step: int,
        player: PlayerNet,
        critic: Judge,
        chance: torch.Generator,
        frozen: PlayerNet | None,
    ) -> npt.NDArray[np.uint8]:
        """Return the action chosen at each table, after recording the choice in the batch."""
        rows = environment.rows
        features = self._fetch(rows.features, part.features[step])
        hidden = self._fetch(rows.hidden, part.hidden[step])
        mover = self._fetch(rows.mover, part.mover[step])
        learns = torch.ones_like(mover, dtype=torch.bool)
        if environment.single:
            learns = torch.from_numpy(environment.learner).to(self._device) == mover
        log_all, _ = player(features)
        if frozen is not None:
            log_all = torch.where(learns[:, None], log_all, frozen(features)[0])
        action = sampled(log_all, chance)
        part.learns[step].copy_(learns)
        part.log_all[step].copy_(log_all)
        part.value[step].copy_(critic(features, hidden))
        part.action[step].copy_(action)
        return action.to(torch.uint8).cpu().numpy()

    def _fetch(self, rows: npt.NDArray[Any], target: Tensor | None = None) -> Tensor:
        source = torch.from_numpy(rows)
        if target is None:
            return source.to(self._device)
        return target.copy_(source, non_blocking=True)
