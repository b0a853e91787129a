"""`Setup`: all that determines a game of a person against an agent, and the games that may follow it."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from uno_pomdp.errors import UnusableFile
from uno_pomdp.game.actions import FORGOT_UNO, Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.record import HUMAN, GameRecord, RecordedMove, Undone, course, record_of, replay
from uno_pomdp.game.scoring import MatchRound, RoundScore, round_score
from uno_pomdp.rules import Rules

Busy = Callable[[], AbstractContextManager[None]]
"""What is shown while an agent works."""
COACH: Final = 2
"""What the coach's chance is grown from; 0 and 1 are the seats."""
NEXT_ROUND: Final = 3
"""What the deal of the next round is grown from."""
NEW_DEALS: Final = 10**9
"""Deals among which a new one is chosen: their seeds are short enough to type."""


@dataclass(frozen=True, slots=True)
class Setup:
    """All that determines a game, except the moves of the person; and what the person has chosen to see beside it."""

    rules: Rules
    seed: int
    """The deal seed."""
    seat: Seat
    """Where the person sits."""
    opponent: str
    """The text that makes the other player."""
    match: MatchRound | None = None
    """Where the match stands of which it is a round; None for a single game."""
    practice: bool = False
    """Whether moves may be taken back; then it does not count."""
    coach: str | None = None
    """The text that makes the coach; None for the usual one."""
    belief: str | None = None
    """The text that makes the belief that is shown beside the exact one; None for the usual one."""

    @property
    def players(self) -> tuple[str, str]:
        """The names for the record."""
        return (HUMAN, self.opponent) if self.seat == 0 else (self.opponent, HUMAN)

    def chance(self, what: int) -> np.random.SeedSequence:
        """Return a seed grown from the deal's: 0 and 1 for the seats, 2 for the coach."""
        return np.random.SeedSequence(self.seed, spawn_key=(what,))

    def record(self, actions: Sequence[Action]) -> GameRecord:
        """Return the whole record of the game after these actions."""
        game = Game.new(self.rules, self.seed)
        for action in actions:
            game.apply(action)
        return self.record_of(game)

    def record_of(self, game: Game, undone: Sequence[Undone] = ()) -> GameRecord:
        """Return the whole record of this game as it stands, and what was taken back in it."""
        return record_of(
            game,
            self.players,
            match=self.match,
            undone=undone,
            practice=self.practice,
            coach=self.coach,
            belief=self.belief,
        )

    # --- what follows ------------------------------------------------------------------------------------

    def score(self, points: tuple[int, int]) -> tuple[int, int]:
        """Return points that are given by seat with the person's own first."""
        return points[self.seat], points[1 - self.seat]

    def next_round(self, scored: RoundScore) -> "Setup | None":
        """Return the next round: a new deal, seats swapped; None if the match is over, or there is none.

        Its deal is grown from this one: a match is determined by its first deal, and a round that has ended is enough
        to go on from.
        """
        if self.match is None:
            return None
        first, second = self.match.score_after(scored)
        if max(first, second) >= self.match.to:
            return None
        seed = int(self.chance(NEXT_ROUND).generate_state(1, np.uint64)[0])
        match = MatchRound(self.match.to, self.match.round + 1, (second, first))
        return replace(self, seed=seed, seat=1 - self.seat, match=match)

    def rematch(self, same_deal: bool) -> "Setup":
        """Return another game or match with seats swapped: of the same cards, or of new ones."""
        match = None if self.match is None else MatchRound(self.match.to)
        seed = self.seed if same_deal else secrets.randbelow(NEW_DEALS)
        return replace(self, seed=seed, seat=1 - self.seat, match=match)


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A game to go on with."""

    setup: Setup
    """What determines it."""
    record: GameRecord
    """How far it has come; nothing is played of a round that is yet to begin."""
    after: GameRecord | None = None
    """The round that ended before it, where it is yet to begin."""


def playing(record: GameRecord) -> Seat | None:
    """Return the person's seat in a game that counts and is still running; None for any other record.

    Whatever shows such a game, or answers about it, does so as this seat: the other hand and the pile stay hidden.
    """
    whole = record.observer is None
    return record.person if whole and record.outcome is None and not record.practice else None


def saved_game(record: GameRecord, name: str = "the record") -> SavedGame:
    """Return the game to go on with: the record's own, or after a round that ended the next of its match."""
    seat = record.person
    if record.seed is None or seat is None:
        raise UnusableFile(f"{name} is no game of a person against an agent: one player of it has to be called {HUMAN}")
    setup = Setup(
        record.rules,
        record.seed,
        seat,
        record.players[1 - seat],
        record.match,
        record.practice,
        record.coach,
        record.belief,
    )
    if record.midgame is not None or any(
        not isinstance(entry, int) and entry.action == FORGOT_UNO for entry in course(record)
    ):
        raise UnusableFile(f"the game in {name} is more than a deal and its moves: it can be read, but not resumed")
    if _dealt_otherwise(setup, record):
        raise UnusableFile(f"the cards in {name} are not those of its seed: such a game can be read, but not resumed")
    if record.outcome is None:
        return SavedGame(setup, record)
    following = setup.next_round(round_score(replay(record))) if record.match is not None else None
    if following is None:
        raise UnusableFile(f"the game in {name} is over, {record.outcome}: `uno-pomdp analyze {name}` reviews it")
    return SavedGame(following, following.record(()), record)


def _dealt_otherwise(setup: Setup, record: GameRecord) -> bool:
    """Return whether a record has other cards than its seed gives, at the deal or later."""
    deal = Game.new(setup.rules, setup.seed)
    if (record.top, record.hands, record.pile) != (deal.deal.top, deal.deal.hands, deal.deal.pile):
        return True
    stood = [deal]
    for entry in course(record):
        if isinstance(entry, int):
            del stood[len(stood) - entry :]
            continue
        after = stood[-1].copy()
        if entry.action not in after.legal_actions():
            return True
        after.apply(entry.action)
        if RecordedMove(*after.last_move) != entry:
            return True
        stood.append(after)
    return False
