"""How strong a net is: its points against a scripted policy or another net, over duplicate deals, in kernels."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import torch

from uno_pomdp.arena.statistics import Interval
from uno_pomdp.errors import quoted
from uno_pomdp.game.rng import Seed, seeds, sequence
from uno_pomdp.learning.collector import arrays_for, sampled
from uno_pomdp.learning.nets import PlayerNet
from uno_pomdp.learning.vector_game_kernels import NO_SCRIPT
from uno_pomdp.learning.vector_games import BeliefKind, InvalidTraining, VectorGames
from uno_pomdp.policies.kernels import POLICY_NAMES, is_policy, policy_named
from uno_pomdp.rules import Rules

EACH = 4
"""Games played at each table, if there are enough of them."""


@dataclass(frozen=True, slots=True)
class Strength:
    """Points in a game, where a win is 1, with half the width of their 95 % interval."""

    points: float
    """The mean."""
    half_width: float
    """Half the interval; deals are played twice with seats changed, and tables are independent of each other."""
    games: int
    """How many games."""

    @property
    def interval(self) -> Interval:
        """The points with their 95 % interval."""
        return Interval(self.points, self.points - self.half_width, self.points + self.half_width)

    def to_json(self) -> dict[str, Any]:
        """Return the points as JSON values."""
        return self.interval.to_json()

    def __str__(self) -> str:
        return f"{100 * self.points:.2f} ± {100 * self.half_width:.2f} %"


class Measure:
    """Plays matches against one opponent: a scripted policy by name, or a net."""

    def __init__(
        self,
        rules: Rules,
        opponent: str | PlayerNet,
        games: int,
        device: torch.device,
        belief: BeliefKind,
        threads: int,
    ) -> None:
        if isinstance(opponent, str) and not is_policy(opponent):
            raise InvalidTraining(f"no policy is called {quoted(opponent)}: choose one of {', '.join(POLICY_NAMES)}")
        self._each = EACH if games >= 2 * EACH else 1
        tables = max(2, games // self._each // 2 * 2)
        script = policy_named(opponent) if isinstance(opponent, str) else NO_SCRIPT
        self._frozen = None if isinstance(opponent, str) else opponent
        self._device = device
        self._environment = VectorGames(
            rules, tables, 0, belief, script, single=True, threads=threads, duplicate=True, limit=self._each,
            new_array=arrays_for(device),
        )  # fmt: skip

    @torch.no_grad()
    def __call__(self, player: PlayerNet, seed: Seed) -> Strength:
        """Return how a net does; the same seed gives the same deals."""
        environment = self._environment
        deals, choices = sequence(seed).spawn(2)
        chance = torch.Generator(self._device).manual_seed(int(seeds(choices, 1)[0] >> np.uint64(1)))
        environment.start(deals)
        while environment.finished.min() < self._each:
            features = torch.from_numpy(environment.rows.features).to(self._device)
            log_all, _ = player(features)
            if self._frozen is not None:
                mine = torch.from_numpy(environment.learner == environment.rows.mover).to(self._device)
                log_all = torch.where(mine[:, None], log_all, self._frozen(features)[0])
            environment.act(sampled(log_all, chance).to(torch.uint8).cpu().numpy())
        pairs = environment.points.reshape(-1, 2).sum(1) / (4.0 * self._each)
        half = 1.96 * float(pairs.std(ddof=1)) / sqrt(len(pairs)) if len(pairs) > 1 else 0.5
        return Strength(float(pairs.mean()), half, 2 * self._each * len(pairs))

    def close(self) -> None:
        """End the threads."""
        self._environment.close()
