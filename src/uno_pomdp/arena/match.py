"""The one play loop, and a match of any two agents over duplicate deals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from uno_pomdp._version import __version__
from uno_pomdp.agents.agent import Agent, Clock, Decision
from uno_pomdp.agents.failure import AgentFailure as AgentFailure  # for those who know it from here
from uno_pomdp.agents.failure import failure_in
from uno_pomdp.arena.kernel_match import kernel_players, pair_seeds, play_pairs
from uno_pomdp.arena.results import PAIR, Pairs
from uno_pomdp.arena.store import save_games
from uno_pomdp.errors import UnoError
from uno_pomdp.evaluation.luck import Luck, luck_of
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import NOBODY, SEATS, Seat
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.outcome import Outcome
from uno_pomdp.game.record import GameRecord, record_of
from uno_pomdp.game.rng import Seed, player_seed, sequence
from uno_pomdp.jit import working_time
from uno_pomdp.quantities import PAIRS, count_of, naming
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules

T = TypeVar("T")

Maker = str | Callable[[], Agent]
"""Who plays: a text for the registry, or anything that makes a new agent."""
Watch = Callable[[Game, Decision | None], None]
"""An observer: called with the whole game after the deal (and None) and after every action (and its decision)."""


class InvalidMatch(UnoError):
    """A match that can't be played."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game."""

    outcome: Outcome
    """How it ended."""
    actions: int
    """Actions of both players, forced ones included."""
    turns: int
    """Turns of both players: a turn is what one of them does until the turn passes to the other, or the game ends."""
    decisions: tuple[int, int]
    """For each seat, the actions where another was legal too."""
    seconds: tuple[float, float]
    """For each seat, the time its agent took: starting, following the game, deciding."""
    record: GameRecord | None = None
    """The whole game, if it was asked for."""
    luck: Luck | None = None
    """How much chance favoured each side, if that was asked for."""

    def __repr__(self) -> str:
        first, second = self.decisions
        return f"<GameResult: {self.outcome}, {self.actions} actions, {first} and {second} of them decisions>"


def play_game(
    rules: Rules | str,
    deal_seed: int,
    agents: tuple[Agent | str, Agent | str],
    seeds: tuple[Seed, Seed] = (0, 1),
    record: bool = False,
    clock: Clock = working_time,
    luck: bool = False,
    watch: Watch | None = None,
) -> GameResult:
    """Play one game; agents and their seeds are given by seat.

    Every agent is told of every action, its own included. The one to move is asked for a decision, even where only
    one action is legal. An error in an agent raises `AgentFailure`.

    >>> import uno_pomdp as uno
    >>> result = uno.play_game("house", 5, ("heuristic", "greedy"), record=True)
    >>> str(result.outcome), len(result.record.moves) == result.actions
    ('player 1 wins (emptied hand)', True)
    """
    first, second = (make_agent(agent) if isinstance(agent, str) else agent for agent in agents)
    return _GameInPlay(Game.new(rules, deal_seed), (first, second), clock, watch).play(seeds, record, luck)


class _GameInPlay:
    """Two agents at one game, with their clocks."""

    def __init__(self, game: Game, agents: tuple[Agent, Agent], clock: Clock, watch: Watch | None) -> None:
        self.game = game
        self.agents = agents
        self.clock = clock
        self.watch = watch
        self.decisions = [0, 0]
        self.seconds = [0.0, 0.0]

    def play(self, seeds: tuple[Seed, Seed], record: bool, luck: bool) -> GameResult:
        game = self.game
        for seat in SEATS:
            self.agents[seat].check_game(game.rules, seat)
        for seat in SEATS:
            self._ask(seat, self.agents[seat].start, game.rules, game.observation(seat), player_seed(seeds[seat]))
        actions, turns, before = 0, 0, NOBODY
        if self.watch is not None:
            self.watch(game, None)
        while not game.over:
            mover = game.turn
            turns += mover != before
            before = mover
            legal = game.legal_mask
            self.decisions[mover] += legal & (legal - 1) != 0
            decision = self._ask(mover, self.agents[mover].decide)
            try:
                if not isinstance(decision, Decision):
                    raise TypeError(f"decide returned {type(decision).__name__}, but a Decision is needed")
                game.apply(decision.action)
            except Exception as error:
                raise self._failure(mover, "decide", error) from error
            for seat in SEATS:
                self._ask(seat, self.agents[seat].update, *game.last_step(seat))
            actions += 1
            if self.watch is not None:
                self.watch(game, decision)
        assert game.outcome is not None
        first, second = self.decisions
        return GameResult(
            game.outcome,
            actions,
            turns,
            (first, second),
            (self.seconds[0], self.seconds[1]),
            self.record() if record else None,
            luck_of(self.record()) if luck else None,
        )

    def _ask(self, seat: Seat, method: Callable[..., T], *arguments: Any) -> T:
        """Call an agent on its own time; what it raises stops the game, with the record of it."""
        started = self.clock()
        try:
            return method(*arguments)
        except BaseException as error:
            raise self._failure(seat, method.__name__, error) from error
        finally:
            self.seconds[seat] += self.clock() - started

    def _failure(self, seat: Seat, method: str, error: BaseException) -> AgentFailure:
        return failure_of(self.agents[seat], seat, method, error, self.record)

    def record(self) -> GameRecord:
        first, second = (" ".join(agent.name.split()) or "unknown" for agent in self.agents)
        return record_of(self.game, (first, second))


def failure_of(
    agent: Agent, seat: Seat, method: str, error: BaseException, record: Callable[[], GameRecord]
) -> AgentFailure:
    """Return the failure of an agent in a game: what it raised, and where; what is no fault of it is raised again."""
    failure, game = failure_in(agent, agent.name, method, error), record()
    after = count_of(len(game.moves), "move")
    return AgentFailure(failure.agent, f"as {seat_name(seat)} after {after}, {failure.reason}", format_record(game))


def make(maker: Maker) -> Agent:
    """Return a new agent."""
    return make_agent(maker) if isinstance(maker, str) else maker()


def play_pair(
    rules: Rules,
    pair_seed: int,
    makers: tuple[Maker, Maker],
    record: bool = False,
    clock: Clock = working_time,
    luck: bool = False,
) -> tuple[GameResult, GameResult]:
    """Play one deal twice with new agents: A as player 1, then as player 2.

    The pair's seed deals the cards; each agent in each game has a child of that seed for its own randomness.
    """
    agents = make(makers[0]), make(makers[1])
    seeds = [[np.random.SeedSequence(pair_seed, spawn_key=(game, seat)) for seat in SEATS] for game in SEATS]
    first = play_game(rules, pair_seed, agents, (seeds[0][0], seeds[0][1]), record, clock, luck)
    second = play_game(rules, pair_seed, agents[::-1], (seeds[1][0], seeds[1][1]), record, clock, luck)
    return first, second


@dataclass(frozen=True)
class Match:
    """Two agents, A and B, and the deals they play: all that determines the games, but not how they are run."""

    rules: Rules
    """The rules of every game."""
    makers: tuple[Maker, Maker]
    """A and B."""
    pairs: int
    """Deals, each played twice."""
    seed: int = 0
    """Same seed, same games."""
    records: Path | None = None
    """A folder for the text of every game; None: no records."""
    kernels: bool = True
    """Whether two scripted agents play inside kernels, where no game is recorded."""
    luck: bool | None = None
    """Whether the luck of every game is measured. None: yes, except inside kernels, where it takes longer than
    the game itself."""

    def __post_init__(self) -> None:
        with naming("pairs", InvalidMatch):
            PAIRS.checked(self.pairs)
        sequence(self.seed)

    @cached_property
    def agents(self) -> tuple[Agent, Agent]:
        """An instance of A and of B, for their names and abilities."""
        return make(self.makers[0]), make(self.makers[1])

    @property
    def names(self) -> tuple[str, str]:
        """What A and B are called."""
        return self.agents[0].name, self.agents[1].name

    def check(self) -> None:
        """Refuse agents that can't play these rules at both seats."""
        for agent in self.agents:
            for seat in SEATS:
                agent.check_game(self.rules, seat)

    @property
    def in_kernels(self) -> bool:
        """Whether the games are played wholly inside kernels."""
        return self.kernels and self.records is None and kernel_players(self.agents) is not None

    @property
    def with_luck(self) -> bool:
        """Whether the luck of every game is measured."""
        return not self.in_kernels if self.luck is None else self.luck

    def __getstate__(self) -> dict[str, Any]:
        """Leave the agents out: a process that is sent a match makes its own."""
        return {name: value for name, value in self.__dict__.items() if name != "agents"}

    def header(self) -> dict[str, Any]:
        """Return what identifies this match: pairs of two matches with equal headers may be combined.

        The first line of a results store: keys and values must not change, or no store can be continued.
        """
        return {
            "package": __version__,
            "rules": self.rules.to_json(),
            "agents": list(self.names),
            "seed": self.seed,
            "played": "in kernels" if self.in_kernels else "by agents",
            "luck": self.with_luck,
        }

    def play(self, indices: npt.NDArray[np.int64]) -> Pairs:
        """Play these pairs; each is the same whatever is played before it or in parallel."""
        players = kernel_players(self.agents)
        if players is not None and self.in_kernels:
            return play_pairs(self.rules, self.seed, players, indices, self.with_luck)
        pairs = np.zeros(len(indices), PAIR)
        for row, pair_seed in enumerate(pair_seeds(self.seed, indices).tolist()):
            games = play_pair(self.rules, pair_seed, self.makers, self.records is not None, luck=self.with_luck)
            if self.records is not None:
                save_games(self.records, int(indices[row]), [game.record for game in games if game.record])
            pairs[row] = pair_of(int(indices[row]), games)
        return pairs


def pair_of(index: int, games: tuple[GameResult, GameResult]) -> tuple[Any, ...]:
    """Return the fields of a `PAIR`."""
    first, second = games
    return (
        index,
        (1 + first.outcome.result(0), 1 + second.outcome.result(1)),
        first.actions + second.actions,
        (first.decisions[0] + second.decisions[1], first.decisions[1] + second.decisions[0]),
        (first.seconds[0] + second.seconds[1], first.seconds[1] + second.seconds[0]),
        tuple(nan if game.luck is None else game.luck.of(seat) for seat, game in enumerate(games)),
        (first.actions, second.actions),
        (first.turns, second.turns),
    )
