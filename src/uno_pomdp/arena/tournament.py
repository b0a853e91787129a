"""Many agents against each other, or all against one: cross table and ratings."""

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from uno_pomdp.arena.cluster import Cluster, connected
from uno_pomdp.arena.lengths import GameLengths
from uno_pomdp.arena.match import InvalidMatch, Maker, Match, make
from uno_pomdp.arena.ratings import Ratings, bradley_terry
from uno_pomdp.arena.results import MatchResult, lengths_of
from uno_pomdp.arena.run import MatchProgress, run_match
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.errors import quoted
from uno_pomdp.files import make_folder
from uno_pomdp.rules import Rules

Meeting = tuple[int, int]
"""Two agents of a tournament by their numbers, A and B of a match."""
Report = Callable[[Meeting, MatchProgress], None]
"""Called with the progress of the match that is being played."""


@dataclass(frozen=True)
class Tournament:
    """Agents, who meets whom, and the deals: the same ones in every match."""

    rules: Rules
    """The rules of every game."""
    makers: tuple[Maker, ...]
    """The agents."""
    pairs: int
    """Deals of each match, each played twice."""
    seed: int = 0
    """Same seed, same games."""
    reference: str | None = None
    """The agent that all others meet, by name; None: a round robin."""
    records: Path | None = None
    """A folder for the text of every game, in a folder for each match; None: no records."""
    luck: bool | None = None
    """Whether the luck of every game is measured, as in `Match`."""

    def __post_init__(self) -> None:
        if len(self.makers) < 2:
            raise InvalidMatch("a tournament needs at least two agents")
        for name in self.names:
            if self.names.count(name) > 1:
                raise InvalidMatch(f"{name} enters the tournament twice: two agents need two names")
        if self.reference is not None and self.reference not in self.names:
            raise InvalidMatch(f"the reference {quoted(self.reference)} is none of {', '.join(self.names)}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the agents are called."""
        return tuple(make(maker).name for maker in self.makers)

    @property
    def anchor(self) -> int:
        """Whose rating is 0: the reference, or else the first agent."""
        return 0 if self.reference is None else self.names.index(self.reference)

    def meetings(self) -> list[Meeting]:
        """Return who meets whom, each meeting once."""
        numbers = range(len(self.makers))
        if self.reference is None:
            return [(one, other) for one in numbers for other in numbers if one < other]
        return [(one, self.anchor) for one in numbers if one != self.anchor]

    def match(self, meeting: Meeting) -> Match:
        """Return the match of two agents."""
        one, other = meeting
        name = Path(store_name(self.names[one], self.names[other])).stem
        records = None if self.records is None else self.records / name
        return Match(self.rules, (self.makers[one], self.makers[other]), self.pairs, self.seed, records, luck=self.luck)

    def check(self) -> None:
        """Refuse agents that can't play these rules, before the first match is played."""
        for meeting in self.meetings():
            self.match(meeting).check()


@dataclass(frozen=True, slots=True, eq=False)
class TournamentResult:
    """Every match of a tournament, and what they say together."""

    names: tuple[str, ...]
    """The agents."""
    matches: dict[Meeting, MatchResult]
    """Who met whom, with the result."""
    ratings: Ratings
    """Bradley–Terry ratings."""

    def points(self, one: int, other: int) -> Interval | None:
        """Return the mean points of one agent against another; None if they never met."""
        if (other, one) in self.matches:
            return _mirrored(self.matches[other, one].points)
        return self.matches[one, other].points if (one, other) in self.matches else None

    def adjusted(self, one: int, other: int) -> Interval | None:
        """Return the same without luck; None also if luck was not measured, or in too few pairs."""
        swapped = (other, one) in self.matches
        result = self.matches.get((other, one) if swapped else (one, other))
        found = None if result is None else result.adjusted
        return None if found is None else _mirrored(found.points) if swapped else found.points

    def lengths(self, agent: int | None = None) -> GameLengths:
        """Return how long the games of an agent, or all games, were."""
        return lengths_of(np.concatenate([match.pairs for match, _ in self._matches_of(agent)]))

    def milliseconds(self, agent: int) -> float | None:
        """Return the time of an agent for each decision, over its matches; None in kernels, which have no clock."""
        met = [(match, side) for match, side in self._matches_of(agent) if match.milliseconds[side] is not None]
        spent = sum(float(match.pairs["seconds"][:, side].sum()) for match, side in met)
        return 1000 * spent / sum(match.decisions[side] for match, side in met) if met else None

    def milliseconds_per_game(self, agent: int | None = None) -> float | None:
        """Return the time of both players for each game of an agent, or each game; None where it was not measured."""
        times = [(match.milliseconds_per_game, match.games) for match, _ in self._matches_of(agent)]
        known = [(time, games) for time, games in times if time is not None]
        return sum(time * games for time, games in known) / sum(games for _, games in known) if known else None

    def _matches_of(self, agent: int | None) -> list[tuple[MatchResult, int]]:
        """Return the matches of an agent, each with whether it is A (0) or B (1) there; None: all matches, as A."""
        return [
            (match, 0 if agent is None else meeting.index(agent))
            for meeting, match in self.matches.items()
            if agent is None or agent in meeting
        ]

    def ranking(self) -> list[int]:
        """Return the agents, the highest rated first."""
        return sorted(range(len(self.names)), key=lambda agent: -self.ratings.elo[agent])

    def rows(self) -> list[list[str]]:
        """Return the cross table as text, the best agent first: rating, interval, points against each other agent.

        Where luck was measured, the points without it stand behind a slash.
        """
        order = self.ranking()
        table = [["agent", "rating", "95 % interval", *(self.names[other] for other in order)]]
        for agent in order:
            rating = self.ratings.interval(agent)
            anchor = agent == self.ratings.anchor
            row = [
                self.names[agent],
                f"{rating.estimate:+.0f}" if not anchor else "0",
                "anchor" if anchor else f"{rating.low:+.0f} to {rating.high:+.0f}",
            ]
            for other in order:
                found = self.points(agent, other), self.adjusted(agent, other)
                row.append(" / ".join(_percent(points) for points in found if points is not None))
            table.append(row)
        return table

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, the best agent first; times are apart, in `times`."""
        return {
            "anchor": self.names[self.ratings.anchor],
            "ratings": [
                {"agent": self.names[agent], "elo": self.ratings.interval(agent).to_json()} for agent in self.ranking()
            ],
            "lengths": [{"agent": self.names[agent]} | self.lengths(agent).to_json() for agent in self.ranking()],
            "matches": [match.to_json() for match in self.matches.values()],
        }

    def times(self) -> list[dict[str, Any]]:
        """Return the times of the agents as JSON values, the best first: they differ when the same is played again."""
        return [
            {
                "agent": self.names[agent],
                "milliseconds": self.milliseconds(agent),
                "milliseconds_per_game": self.milliseconds_per_game(agent),
            }
            for agent in self.ranking()
        ]

    def __repr__(self) -> str:
        best = self.ranking()[0]
        return (
            f"<TournamentResult of {len(self.names)} agents, {len(self.matches)} matches: first {self.names[best]}, "
            f"{self.ratings.elo[best]:+.0f} to {self.names[self.ratings.anchor]}>"
        )

    def _repr_html_(self) -> str:
        """Return ratings with their intervals as a chart, and the cross table, for a notebook."""
        from uno_pomdp.display.reports import tournament_html

        rated = [(self.names[agent], self.ratings.interval(agent)) for agent in self.ranking()]
        head, *rows = self.rows()
        intervals = {name: (at.estimate, at.low, at.high) for name, at in rated}
        return tournament_html(intervals, self.names[self.ratings.anchor], head, rows)

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(
            "  ".join(cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(cells))
            for cells in ([*zip(row, widths, strict=True)] for row in rows)
        )


def _mirrored(points: Interval) -> Interval:
    return Interval(1 - points.estimate, 1 - points.high, 1 - points.low)


def _percent(points: Interval) -> str:
    return f"{100 * points.estimate:.1f} ± {50 * (points.high - points.low):.1f}"


def run_tournament(
    tournament: Tournament,
    processes: int = 1,
    folder: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    backend: str = "loky",
    cluster: str | Cluster | None = None,
) -> TournamentResult:
    """Play a tournament, match after match; with a folder, each match keeps its results in a store there.

    Processes, backend and cluster are those of `run_match`.
    """
    tournament.check()
    with ExitStack() as stack:
        there = None if cluster is None else stack.enter_context(connected(cluster))
        matches = _matches(tournament, folder, report, processes=processes, backend=backend, cluster=there)
    scores = np.array([result.scores for result in matches.values()])
    ratings = bradley_terry(len(tournament.names), list(matches), scores, tournament.anchor)
    return TournamentResult(tournament.names, matches, ratings)


def _matches(
    tournament: Tournament, folder: str | os.PathLike[str] | None, report: Report | None, **where: Any
) -> dict[Meeting, MatchResult]:
    """Play every match of a tournament."""
    matches: dict[Meeting, MatchResult] = {}
    for meeting in tournament.meetings():
        store = None if folder is None else Path(folder) / store_name(*(tournament.names[agent] for agent in meeting))
        if store is not None:
            make_folder(store.parent)

        def tell(progress: MatchProgress, meeting: Meeting = meeting) -> None:
            if report is not None:
                report(meeting, progress)

        matches[meeting] = run_match(tournament.match(meeting), store=store, report=tell, **where)
    return matches


def store_name(one: str, other: str) -> str:
    """Return the name of a match's file: readable, and different for different agents."""
    words = "-v-".join(re.sub(r"[^\w=.]+", "_", name)[:40] for name in (one, other))
    return f"{words}-{crc32(repr((one, other)).encode()):08x}.jsonl"
