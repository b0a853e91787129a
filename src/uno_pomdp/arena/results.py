"""The results of a match: a row for each pair of games, and statistics over all of them."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arena.lengths import GameLengths, Spread
from uno_pomdp.arena.statistics import Z95, Adjusted, Finding, Interval, LuckSums, paired_interval, wilson_interval
from uno_pomdp.arrays import Floats, Ints
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import FIRST, SEATS, SECOND, Seat
from uno_pomdp.quantities import count_of

PAIR: Final = np.dtype(
    [
        ("index", np.int64),
        ("points", np.int8, (2,)),
        ("actions", np.int32),
        ("decisions", np.int32, (2,)),
        ("seconds", np.float64, (2,)),
        ("luck", np.float64, (2,)),
        ("game_actions", np.int32, (2,)),
        ("game_turns", np.int32, (2,)),
    ],
    align=True,
)
"""One pair: its number; A's points as player 1 and as player 2, doubled (0, 1 or 2); the actions of both games;
for A and for B, the decisions (actions where another was legal too) and the seconds that they took; A's luck as
player 1 and as player 2, in points, not a number where it was not asked for; the actions and the turns of each game."""
Pairs = npt.NDArray[np.void]
"""An array of `PAIR`."""


def lengths_of(pairs: Pairs) -> GameLengths:
    """Return how long the games of these pairs were."""
    return GameLengths(Spread(pairs["game_turns"].ravel()), Spread(pairs["game_actions"].ravel()))


@dataclass(frozen=True, slots=True)
class Score:
    """Games won, drawn and lost."""

    wins: int
    """Won by A."""
    draws: int
    """Without a winner."""
    losses: int
    """Won by B."""

    @property
    def games(self) -> int:
        """All games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> Interval:
        """A's share of the points, with the interval of games that do not come in pairs."""
        return wilson_interval(self.wins + self.draws / 2, self.games)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"wins": self.wins, "draws": self.draws, "losses": self.losses}


@dataclass(frozen=True, slots=True, eq=False)
class MatchResult:
    """The result of a match. A is the first agent, B the second.

    >>> import uno_pomdp as uno
    >>> print(uno.match("heuristic", "greedy", pairs=200, seed=1))
    heuristic v greedy: 62.25 % [57.46, 66.92] of 400 games, 249 won, 0 drawn, 151 lost
    """

    names: tuple[str, str]
    """A and B."""
    pairs: Pairs
    """Every pair, in order of its number."""
    finding: Finding | None = None
    """What the sequential test found, if there was one."""
    kernel_seconds: float | None = None
    """The mean time of a game in kernels, of those that this run played; None: there were none."""

    @property
    def games(self) -> int:
        """Games played."""
        return 2 * len(self.pairs)

    @property
    def scores(self) -> Floats:
        """A's score in each pair: the mean of its points in both games."""
        return np.asarray(self.pairs["points"].sum(axis=1) / 4)

    @property
    def counts(self) -> Ints:
        """The pairs with each of the five scores 0, ¼, ½, ¾, 1."""
        return np.bincount(self.pairs["points"].sum(axis=1), minlength=5)

    @property
    def points(self) -> Interval:
        """A's mean points in a game, with the interval over pairs."""
        return paired_interval(self.counts)

    @property
    def adjusted(self) -> Adjusted | None:
        """The same with luck as a control variate: smaller variance; None if luck was not measured, or in few pairs."""
        return None if self._luck_sums is None else self._luck_sums.adjusted()

    def sharpest(self, z: float = Z95) -> Interval:
        """Return A's points with the narrower interval: without luck where that is known, else as they are."""
        adjusted = None if self._luck_sums is None else self._luck_sums.adjusted(z)
        return paired_interval(self.counts, z) if adjusted is None else adjusted.points

    @property
    def _luck_sums(self) -> LuckSums | None:
        if not len(self.pairs) or np.isnan(self.pairs["luck"]).any():
            return None
        sums = LuckSums()
        sums.add(self.pairs["index"], self.scores, self.lucks)
        return sums

    @property
    def lucks(self) -> Floats:
        """A's luck in each pair, the mean of both games: luck of the draws, for that of the deal cancels."""
        return np.asarray(self.pairs["luck"].mean(axis=1))

    @property
    def score(self) -> Score:
        """All games."""
        first, second = self.at(FIRST), self.at(SECOND)
        return Score(first.wins + second.wins, first.draws + second.draws, first.losses + second.losses)

    def at(self, seat: Seat) -> Score:
        """Return the games in which A sat there."""
        losses, draws, wins = np.bincount(self.pairs["points"][:, seat], minlength=3).tolist()
        return Score(wins, draws, losses)

    @property
    def actions(self) -> int:
        """Actions of both players, forced ones included."""
        return int(self.pairs["actions"].sum())

    @property
    def lengths(self) -> GameLengths:
        """How long the games were, in turns and in actions."""
        return lengths_of(self.pairs)

    @property
    def decisions(self) -> tuple[int, int]:
        """Actions of A and of B where another was legal too."""
        first, second = self.pairs["decisions"].sum(axis=0).tolist()
        return first, second

    @property
    def milliseconds(self) -> tuple[float | None, float | None]:
        """Time of A and of B for each decision, following the game included; None inside kernels: no clock there."""
        spent = self.pairs["seconds"].sum(axis=0).tolist()
        first, second = (1000 * s / d if s and d else None for s, d in zip(spent, self.decisions, strict=True))
        return first, second

    @property
    def milliseconds_per_game(self) -> float | None:
        """Time of both agents together for each game; in kernels, that of the games that this run played."""
        spent = float(self.pairs["seconds"].sum()) / self.games if self.games else 0.0
        if not spent:
            return None if self.kernel_seconds is None else 1000 * self.kernel_seconds
        return 1000 * spent

    def to_json(self) -> dict[str, Any]:
        """Return all of it but the times as JSON values: they alone differ when the same match is played again."""
        adjusted = self.adjusted
        return {
            "agents": list(self.names),
            "games": self.games,
            **self.score.to_json(),
            "points": self.points.to_json(),
            "adjusted_points": adjusted and adjusted.points.to_json(),
            "variance_reduction": adjusted and adjusted.reduction,
            "pair_scores": self.counts.tolist(),
            "as_player_1": self.at(FIRST).to_json(),
            "as_player_2": self.at(SECOND).to_json(),
            "actions": self.actions,
            "decisions": list(self.decisions),
            "lengths": self.lengths.to_json() if self.games else None,
            "finding": None if self.finding is None else str(self.finding.verdict),
        }

    def __repr__(self) -> str:
        return f"<MatchResult {self.names[0]} v {self.names[1]}: {self.points.percent()} of {self.games:,} games>"

    def _repr_html_(self) -> str:
        """Return points with their interval as a chart, and a table, for a notebook."""
        from uno_pomdp.display.reports import match_html

        adjusted = self.adjusted
        intervals = {f"{self.names[0]}, all games": self.points}
        if adjusted is not None:
            intervals["without luck"] = adjusted.points
        intervals |= {f"as {seat_name(seat)}": self.at(seat).points for seat in SEATS}
        scores = {"all games": self.score} | {f"as {seat_name(seat)}": self.at(seat) for seat in SEATS}
        verdict = (
            "" if self.finding is None else f"{self.finding.verdict}, after {count_of(self.finding.pairs, 'pair')}"
        )
        return match_html(
            self.names,
            {name: (at.estimate, at.low, at.high) for name, at in intervals.items()},
            {name: (at.games, at.wins, at.draws, at.losses) for name, at in scores.items()},
            verdict,
        )

    def __str__(self) -> str:
        score, adjusted = self.score, self.adjusted
        return (
            f"{self.names[0]} v {self.names[1]}: {self.points.percent()} of {self.games:,} games, "
            f"{score.wins:,} won, {score.draws:,} drawn, {score.losses:,} lost"
        ) + (
            ""
            if adjusted is None
            else f"; without luck {adjusted.points.percent()}, variance / {adjusted.reduction:.2f}"
        )
