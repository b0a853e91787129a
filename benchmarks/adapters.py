"""How fast the vector environment of Gymnasium is, beside single environments and rlcard: rules `house`, two cores.

*Choices* are steps in which the seat has more than one legal action: `skip_forced=True`, and those steps that only
deal a new game are not counted. Observations are plain counts, the opponent is `random`, and its moves, endings and
deals are within the time. The actions are uniform over the mask: chosen by one kernel from the rows of masks, and, in
a line of its own, by NumPy. *Steps* are the same with forced moves asked for, one action of the seat each.

The peers choose in the same way, one game after the other in Python: `SyncVectorEnv` of our own single environments
(`vectorization_mode="sync"`), and rlcard's `uno`, of which every `env.step` of either player counts as a step, with
the observation that comes with it. A ratio is the median over the repeats of the ratio within a repeat.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.engine import choose_randomly
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, median, median_ratio, peer, run, seconds, shown
from uno_pomdp.game.rng import streams

NAME = "uno_pomdp/Uno-v0"


class Loop:
    """A user's loop over a vector environment: masks, random legal actions, a step."""

    def __init__(self, games: int, by_numpy: bool = False, **options: Any) -> None:
        peer("uno_pomdp.adapters.gymnasium")  # registers the name
        self.envs = peer("gymnasium").make_vec(NAME, num_envs=games, **options)
        _, infos = self.envs.reset(seed=1)
        self.masks = infos["action_mask"]
        self.actions = np.zeros(games, np.int64)
        self.choose = self.by_numpy if by_numpy else self.by_kernel
        self.chance = np.random.default_rng(1)
        self.players = streams(1)

    def by_kernel(self) -> None:
        """Choose with one pass over the rows of masks."""
        choose_randomly(self.masks.view(np.bool_), self.players, self.actions)

    def by_numpy(self) -> None:
        """Choose as a few lines of NumPy do."""
        numbers = self.chance.random(self.masks.shape, np.float32)
        self.actions = (numbers * self.masks).argmax(1)

    def advance(self, steps: int) -> int:
        """Step all games so often; return how many actions were asked for."""
        asked = 0
        ended = np.zeros(len(self.actions), np.bool_)
        for _ in range(steps):
            self.choose()
            asked += len(ended) - int(ended.sum())  # a game that has ended is dealt anew, whatever the action
            _, _, ended, _, infos = self.envs.step(self.actions)
            self.masks = infos["action_mask"]
        return asked

    def rate(self, steps: int) -> float:
        """Return the actions per second."""
        return rate(lambda: self.advance(steps))


def rate(work: Callable[[], int]) -> float:
    """Return what some work counts per second."""
    counted: list[int] = []
    spent = seconds(lambda: counted.append(work()))
    return counted[0] / spent


def vector(run: Run) -> Iterator[Claim]:
    """Measure 4,096 games side by side, in turn with single environments."""
    games, few = run.pick(4_096, 64), run.pick(32, 2)
    steps, single_steps = run.pick(400, 3), run.pick(40, 3)
    choices, plain = Loop(games, skip_forced=True), Loop(games)
    by_numpy = Loop(games, by_numpy=True, skip_forced=True)
    single = Loop(few, skip_forced=True, vectorization_mode="sync")
    for loop in (choices, plain, by_numpy, single):
        loop.advance(run.pick(30, 1))  # compiled, and games at all stages, before the clock starts
    ours, all_steps, numpys, theirs = run.interleaved(
        lambda _: choices.rate(steps),
        lambda _: plain.rate(steps),
        lambda _: by_numpy.rate(steps),
        lambda _: single.rate(single_steps),
    )
    yield at_least(f"vector environment of {games:,} games: choices", median(ours) / 1e6, 1, "million/s")
    yield at_least("the same by SyncVectorEnv of single ones, choices", median_ratio(ours, theirs), 50, "×")
    yield shown("the same, actions chosen by NumPy", median(numpys) / 1e6, "million/s")
    yield shown("the same, forced moves asked for: steps", median(all_steps) / 1e6, "million/s")
    yield shown("SyncVectorEnv of single environments: choices", median(theirs), "1/s")


def against_rlcard(run: Run) -> Iterator[Claim]:
    """Measure steps with forced moves asked for, in turn with rlcard's."""
    games, steps, theirs_games = run.pick(4_096, 64), run.pick(400, 3), run.pick(100, 2)
    loop = Loop(games)
    loop.advance(run.pick(30, 1))
    env = peer("rlcard").make("uno")

    def play_theirs(repeat: int) -> int:
        chance, count = random.Random(repeat), 0
        for _ in range(theirs_games):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(chance.choice(list(state["legal_actions"])))
                count += 1
        return count

    ours, theirs = run.interleaved(lambda _: loop.rate(steps), lambda repeat: rate(lambda: play_theirs(repeat)))
    yield at_least("vector environment by rlcard env.step, steps", median_ratio(ours, theirs), 50, "×")
    yield shown("rlcard env.step", median(theirs), "steps/s")


BENCHMARK = Benchmark(
    "adapters",
    (
        Part("many games of Gymnasium's environment", vector, peer="gymnasium"),
        Part("the same beside rlcard", against_rlcard, peer="rlcard"),
    ),
    one_core=False,
)

if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK))
