"""The content of a review: a judgement of each move, and each player's totals. See docs/review.md."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from uno_pomdp.agents.agent import Candidate
from uno_pomdp.beliefs.suspicion import Suspicion
from uno_pomdp.cards import card_name
from uno_pomdp.evaluation.luck import Luck
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.layout import FIRST, SEATS, Seat
from uno_pomdp.game.move import Hidden, Pile
from uno_pomdp.game.record import GameRecord
from uno_pomdp.narration.words import PLAYERS, Speaker, speaker_for
from uno_pomdp.quantities import count_of

CLEAR: Final = 2.0
"""How many standard errors above 0 a loss has to be to count as significant (*shown*)."""


class Grade(StrEnum):
    """How good a move was, by its loss."""

    BEST = "best"
    """What the coach would have done."""
    GOOD = "good"
    """Another move, that lost less than an inaccuracy."""
    INACCURACY = "inaccuracy"
    """At least 5 points of win probability lost."""
    MISTAKE = "mistake"
    """At least 10."""
    BLUNDER = "blunder"
    """At least 15."""


THRESHOLDS: Final = {Grade.BLUNDER: 0.15, Grade.MISTAKE: 0.10, Grade.INACCURACY: 0.05}
"""The least loss of each grade, the worst first."""
BAD: Final = frozenset(THRESHOLDS)
"""What is marked, and found by the keys of `watch`."""
LEAST_LOSSES: Final = f"{', '.join(f'{grade} {100 * THRESHOLDS[grade]:.0f}' for grade in reversed(THRESHOLDS))} or more"
"""The same in points and in words."""


def grade_of(loss: float, best: bool) -> Grade:
    """Return the grade of a move with this loss."""
    if best:
        return Grade.BEST
    return next((grade for grade, least in THRESHOLDS.items() if loss >= least), Grade.GOOD)


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """One action, judged by what its player could know. All values are the mover's probability of winning."""

    number: int
    """From 1, both players' moves counted."""
    seat: Seat
    """Who moved."""
    action: Action
    """What was done."""
    hand_sizes: tuple[int, int]
    """How many cards each player holds after it, player 1 first."""
    drawn: Pile = ()
    """The cards drawn by it."""
    forced: bool | None = None
    """Whether nothing else was legal; None for a player whose moves were not judged."""
    candidates: tuple[Candidate, ...] = ()
    """All that was legal, the best first; nothing for a move that was forced or not judged."""
    line: tuple[Action, ...] = ()
    """The principal variation: the moves of both that the coach expects, beginning with the best one."""
    before: float | None = None
    """The best candidate's value."""
    after: float | None = None
    """The chosen one's."""
    loss: float | None = None
    """By how much the chosen one's value is below the best."""
    error: float | None = None
    """The standard error of that difference, both values being from the same worlds."""
    luck: float | None = None
    """By how much the cards drawn raised the mover's win probability above its expectation; None without a draw."""
    lie: Suspicion | None = None
    """How likely the coach took the wild +4 that could be challenged for a lie; None where there was none."""
    note: str = ""
    """Anything else worth saying."""

    def __repr__(self) -> str:
        lost = "" if self.loss is None else f", {self.grade}, {100 * self.loss:.1f} points lost, best {self.best}"
        forced = ", forced" if self.forced else ""
        return f"<ReviewedMove {self.number}: {seat_name(self.seat)} {self.action}{forced}{lost}>"

    @property
    def judged(self) -> bool:
        """Whether there was a choice, and the coach looked at it."""
        return self.loss is not None

    @property
    def best(self) -> Action | None:
        """What the coach would have done; None for a move that was not judged."""
        return self.candidates[0].action if self.candidates else None

    @property
    def grade(self) -> Grade | None:
        """How good it was; no worse than good where the loss is not shown, None for a move that was not judged."""
        return None if self.loss is None else grade_of(self.loss if self.shown else 0.0, self.action == self.best)

    @property
    def shown(self) -> bool:
        """Whether the loss is significant: more than chance in the simulations explains."""
        return self.loss is not None and self.error is not None and self.loss > CLEAR * self.error

    @property
    def points_lost(self) -> str:
        """The loss with its standard error, in points; nothing for the best move, or one that was not judged."""
        if self.loss is None or self.action == self.best:
            return ""
        return f"{100 * self.loss:.1f} ± {100 * (self.error or 0.0):.1f}"

    @property
    def stake(self) -> float:
        """What could be lost by this move: the best value less the worst; 0 where it was not judged."""
        values = [candidate.value or 0.0 for candidate in self.candidates]
        return max(values) - min(values) if values else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        drawn = self.drawn.count if isinstance(self.drawn, Hidden) else [card_name(card) for card in self.drawn]
        return {
            "number": self.number,
            "player": self.seat + 1,
            "action": str(self.action),
            "drawn": drawn,
            "hand_sizes": list(self.hand_sizes),
            "forced": self.forced,
            "before": self.before,
            "after": self.after,
            "loss": self.loss,
            "error": self.error,
            "shown": self.shown,
            "grade": self.grade,
            "best": None if self.best is None else str(self.best),
            "line": [str(action) for action in self.line],
            "luck": self.luck,
            "lie": None if self.lie is None else self.lie.to_json(),
            "note": self.note,
            "candidates": [candidate.to_json() for candidate in self.candidates],
        }


@dataclass(frozen=True, slots=True)
class Review:
    """A game with every move judged.

    >>> import uno_pomdp as uno
    >>> record = uno.play_game("mini-9", 2, ("greedy", "random"), record=True).record
    >>> uno.review_game(record, coach="flat:sims=200").coach
    'flat:sims=200'
    """

    record: GameRecord
    """The game."""
    coach: str
    """Who judged."""
    seed: int
    """Same seed, same review, with a coach that counts simulations."""
    seats: tuple[Seat, ...]
    """Whose moves were judged."""
    moves: tuple[ReviewedMove, ...]
    """Every move of both players."""
    luck: Luck | None
    """How much the deal and each draw favoured each side; None for an observer's record, where cards are hidden."""
    open_hands: tuple[float, ...]
    """Player 1's chance with both hands open, before each move and after the last; nothing for an observer's record."""
    repeatable: bool = True
    """Whether another review with the same seed is the same: not so if the coach has a time budget."""

    @property
    def person(self) -> Seat | None:
        """The seat of the person who reads: of whom played it at the board or in `play`; None for any other game."""
        return self.record.person

    @property
    def reader(self) -> Seat:
        """From whose seat the game is told: the person's, else player 1's."""
        return FIRST if self.person is None else self.person

    @property
    def speaker(self) -> Speaker:
        """Who tells the game: to the person as `you`, to others by the players' numbers."""
        return PLAYERS if self.person is None else speaker_for(self.person)

    def __repr__(self) -> str:
        kept = ((seat, self.accuracy(seat)) for seat in self.seats)
        accuracies = ", ".join(f"{seat_name(seat)} {'–' if share is None else f'{share:.1f}'}" for seat, share in kept)
        players = " v ".join(self.record.players)
        return f"<Review of {players}: {count_of(len(self.moves), 'move')}, accuracy {accuracies}; {self.judge}>"

    def _repr_html_(self) -> str:
        """Return the course of the game and its costliest moves for a notebook."""
        from uno_pomdp.review.notebook import notebook_view

        return notebook_view(self)

    @property
    def result(self) -> str:
        """How the game ended, in words."""
        return "unfinished" if self.record.outcome is None else str(self.record.outcome)

    @property
    def judge(self) -> str:
        """Who judged, in words, and whether the figures are reproducible."""
        varies = "" if self.repeatable else " (by the clock: another time the figures differ a little)"
        return f"judged by {self.coach}, seed {self.seed}{varies}"

    def judged(self, seat: Seat) -> tuple[ReviewedMove, ...]:
        """Return a player's moves that were a choice."""
        return tuple(move for move in self.moves if move.seat == seat and move.judged)

    def costliest(self, seat: Seat, count: int = 3) -> tuple[ReviewedMove, ...]:
        """Return a player's moves that lost most, the worst first; those whose loss is not shown are left out."""
        lost = [move for move in self.judged(seat) if move.shown]
        return tuple(sorted(lost, key=lambda move: (-(move.loss or 0.0), move.number))[:count])

    def lost(self, seat: Seat) -> float:
        """Return all that a player's moves lost, in win probability; it may be more than 1."""
        return sum(move.loss or 0.0 for move in self.judged(seat))

    def accuracy(self, seat: Seat) -> float | None:
        """Return the share of what was at stake that a player kept: 100 (1 − Σ loss / Σ stake); None without stake."""
        stake = sum(move.stake for move in self.judged(seat))
        return 100.0 * (1.0 - self.lost(seat) / stake) if stake > 0.0 else None

    def grades(self, seat: Seat) -> dict[Grade, int]:
        """Return how many of a player's moves have each grade."""
        found = [move.grade for move in self.judged(seat)]
        return {grade: found.count(grade) for grade in Grade}

    def to_json(self) -> dict[str, Any]:
        """Return the whole review as JSON values."""
        record = self.record
        return {
            "rules": record.rules.name,
            "players": list(record.players),
            "result": self.result,
            "observer": None if record.observer is None else record.observer + 1,
            "coach": self.coach,
            "seed": self.seed,
            "repeatable": self.repeatable,
            "thresholds": dict(reversed(THRESHOLDS.items())),
            "summary": [self._summary(seat) for seat in SEATS],
            "luck": None if self.luck is None else self.luck.to_json(),
            "open_hands": list(self.open_hands),
            "moves": [move.to_json() for move in self.moves],
        }

    def _summary(self, seat: Seat) -> dict[str, Any]:
        judged = seat in self.seats
        return {
            "player": seat + 1,
            "judged": judged,
            "decisions": len(self.judged(seat)),
            "accuracy": self.accuracy(seat),
            "lost": self.lost(seat) if judged else None,
            "grades": {str(grade): count for grade, count in self.grades(seat).items()} if judged else None,
            "luck": None if self.luck is None else self.luck.of(seat),
            "costliest": [move.number for move in self.costliest(seat)],
        }
