"""The vectorised environment: tables in blocks, a thread for each block, rows in arrays shared by all."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs.mixture.mixture import NEGLIGIBLE
from uno_pomdp.beliefs.mixture.pool import UNKNOWN, check_followed, new_pool
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.errors import UnoError, quoted
from uno_pomdp.game.layout import OBSERVATION, STATE, template
from uno_pomdp.game.rng import Seed, seeds, sequence, streams
from uno_pomdp.learning.vector_game_kernels import BOTH, COUNTS, NO_SCRIPT, GameTables, Rows, play_on
from uno_pomdp.nets.policy_features import FEATURES, check_encoded
from uno_pomdp.policies.kernels import WEIGHTS
from uno_pomdp.rules import Rules

BeliefKind = Literal["exact", "approximate", "none"]
FLOORS: Final[dict[str, float]] = {"exact": NEGLIGIBLE, "approximate": 1e-3, "none": UNKNOWN}
"""By kind of belief: the weight below which a configuration of the closed form is dropped."""
ALWAYS: Final = 1 << 62
"""As the limit of games that count: no limit."""

NewArray = Callable[[tuple[int, ...], Any], npt.NDArray[Any]]
"""Allocates the arrays that rows are written to, in ordinary or in pinned memory."""


class InvalidTraining(UnoError):
    """A configuration that can't be trained with."""


class Block:
    """The tables that one thread plays."""

    def __init__(self, rules: Rules, rows: Rows, learner: npt.NDArray[np.int64], belief: BeliefKind) -> None:
        games = len(learner)
        self.rows = rows
        """Where this block writes."""
        self.tables = GameTables(
            states=np.zeros(games, STATE),
            beliefs=new_pool(games, FLOORS[belief]),
            order=np.zeros((games, 2, 4), np.int64),
            keys=np.zeros(games, np.uint64),
            dealt=np.zeros(games, np.int64),
            finished=np.zeros(games, np.int64),
            points=np.zeros(games, np.int64),
            learner=learner,
            streams=streams(0),
            undealt=template(rules),
            deck=rules.deck.array(),
            seen=np.zeros(1, OBSERVATION),
            unseen=np.zeros(CARD_TYPES, np.uint8),
            counts=np.zeros(COUNTS, np.int64),
        )
        """The games."""


class VectorGames:
    """The vectorised environment: games that wait for choices. After `start` or `act`, `rows` holds their features."""

    def __init__(
        self,
        rules: Rules,
        games: int,
        seed: Seed,
        belief: BeliefKind = "exact",
        script: int = NO_SCRIPT,
        single: bool = False,
        threads: int = 0,
        duplicate: bool = False,
        limit: int = ALWAYS,
        new_array: NewArray = np.zeros,
    ) -> None:
        check_encoded(rules)
        if games < 1 or (duplicate and games % 2):
            raise InvalidTraining(f"{games} games can't be played at once: give at least 1, an even number for pairs")
        if script != NO_SCRIPT and not single:
            raise InvalidTraining("a scripted opponent leaves one seat to learn: say single=True")
        if belief not in FLOORS:
            raise InvalidTraining(f"no belief is called {quoted(belief)}: choose one of {', '.join(FLOORS)}")
        check_followed(rules)
        self.games: Final = games
        """How many tables there are."""
        self.rows: Final = Rows(
            features=new_array((games, FEATURES), np.float32),
            hidden=new_array((games, CARD_TYPES), np.uint8),
            mover=new_array((games,), np.uint8),
            ended=new_array((games,), np.uint8),
            result=new_array((games,), np.int8),
        )
        """The features and legal actions of each table's choice."""
        self._hand_size = rules.hand_size
        self._script = script
        self.single: Final = single
        """Whether one seat of each table learns, and not both."""
        self._limit = limit
        self._swaps = single and not duplicate
        self._duplicate = duplicate
        count = min(threads or os.cpu_count() or 1, games)
        self._edges = np.linspace(0, games, count + 1).astype(int)
        self.learner: Final = np.zeros(games, np.int64)
        """By table: which seat learns now, or `BOTH`."""
        self.blocks: Final = [
            Block(rules, _part(self.rows, a, b), self.learner[a:b], belief) for a, b in pairwise(self._edges)
        ]
        """The tables, by thread."""
        self._pool = ThreadPoolExecutor(count) if count > 1 else None
        self.start(seed)

    def __repr__(self) -> str:
        seats = "one seat learns" if self.single else "both seats learn"
        return f"<VectorGames: {self.games:,} tables, {seats}>"

    def start(self, seed: Seed) -> None:
        """Deal all games anew and play to the first choices; nothing of earlier games is left but the counts."""
        deals, *block_seeds = sequence(seed).spawn(len(self.blocks) + 1)
        keys = seeds(deals, self.games // 2 if self._duplicate else self.games)
        if self._duplicate:
            keys = np.repeat(keys, 2)
        self.learner[:] = np.arange(self.games) % 2 if self.single else BOTH
        for number, (block, block_seed) in enumerate(zip(self.blocks, block_seeds, strict=True)):
            tables = block.tables
            tables.keys[:] = keys[self._edges[number] : self._edges[number + 1]]
            tables.streams[:] = streams(block_seed)
            for counter in (tables.dealt, tables.finished, tables.points):
                counter[:] = 0
        self.wait(self.begin_step(np.zeros(self.games, np.uint8), deal=True))

    def act(self, actions: npt.NDArray[np.uint8]) -> None:
        """Carry out one choice at each table, colours by place, and play to the next ones."""
        self.wait(self.begin_step(actions))

    def begin_step(self, actions: npt.NDArray[np.uint8], deal: bool = False) -> list[Future[None]]:
        """Start what `act` does and return at once; `rows` is in use until `wait` is done with what is returned."""
        work = []
        for number, block in enumerate(self.blocks):
            part = actions[self._edges[number] : self._edges[number + 1]]
            if self._pool is None:
                self._play(block, part, deal)
            else:
                work.append(self._pool.submit(self._play, block, part, deal))
        return work

    def wait(self, work: Sequence[Future[None]]) -> None:
        """Wait for a step; an error in it is raised here."""
        for future in work:
            future.result()

    def _play(self, block: Block, actions: npt.NDArray[np.uint8], deal: bool) -> None:
        play_on(
            block.tables, block.rows, actions, 0, len(actions), deal,
            self._hand_size, self._script, WEIGHTS, self._swaps, self._limit,
        )  # fmt: skip

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    # --- what has happened ---------------------------------------------------------------------------------

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The counts of `GameTables`, over all games."""
        return np.asarray(sum(block.tables.counts for block in self.blocks))

    @property
    def keys(self) -> npt.NDArray[np.uint64]:
        """By table: the key from which the seeds of its deals are derived."""
        return np.concatenate([block.tables.keys for block in self.blocks])

    @property
    def forgotten(self) -> int:
        """How many beliefs did not fit into their records and were started again."""
        return sum(int(block.tables.beliefs.forgotten[0]) for block in self.blocks)

    @property
    def finished(self) -> npt.NDArray[np.int64]:
        """By table: how many games have ended there."""
        return np.concatenate([block.tables.finished for block in self.blocks])

    @property
    def points(self) -> npt.NDArray[np.int64]:
        """By table: doubled points of a learner with one seat, over the games that count."""
        return np.concatenate([block.tables.points for block in self.blocks])


def _part(rows: Rows, first: int, end: int) -> Rows:
    parts: list[Any] = [array[first:end] for array in rows]
    return Rows(*parts)
