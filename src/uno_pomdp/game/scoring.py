"""Points, for matches of several rounds: what a round scores, and where the match stands. A layer above the game.

Numbers count their face value, skip, reverse and +2 twenty, black cards fifty. Who empties the hand scores what the
other holds; if the last card was a +2 or +4, the other first draws all that is owed, from the draw pile, reshuffled if
it is short and the rules allow, or what is left. That draw is made here: the game and its record have ended.
"""

from dataclasses import dataclass
from typing import Final

from uno_pomdp.cards import CARD_TYPES, NO_CARDS, SKIP, Cards, is_black, rank_of
from uno_pomdp.errors import IllegalAction, InvalidRecord
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.bindings import reshuffle_one
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import EMPTIED_HAND, PENALTY, RESHUFFLE, SEATS, Seat, cards_of
from uno_pomdp.quantities import count_of

ACTION_CARD: Final = 20
BLACK_CARD: Final = 50
TARGET: Final = 500
"""The points that win a match, unless others are agreed."""
POINTS: Final = tuple(
    BLACK_CARD if is_black(card) else ACTION_CARD if rank_of(card) >= SKIP else rank_of(card)
    for card in range(CARD_TYPES)
)
"""By type: what a card counts."""


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What a finished round scored."""

    winner: Seat | None
    """Who scores; None where nobody emptied the hand."""
    points: int
    """How many."""
    hand: Cards
    """The cards that count: the loser's hand with what it drew at the end."""
    drawn: Cards
    """What the loser drew at the end, for a last card +2 or +4."""


@dataclass(frozen=True, slots=True)
class MatchRound:
    """Where a match of several rounds stands before one of them."""

    to: int = TARGET
    """The points that win the match."""
    round: int = 1
    """The number of the round, from 1."""
    score: tuple[int, int] = (0, 0)
    """What each player has scored in the rounds before, player 1's first."""

    def __post_init__(self) -> None:
        if self.to < 1:
            raise InvalidRecord(f"a match to {count_of(self.to, 'point')} is none: give at least 1")
        if self.round < 1:
            raise InvalidRecord(f"{self.round} is no number of a round: they are counted from 1")
        for seat in SEATS:
            if self.score[seat] < 0:
                raise InvalidRecord(f"{self.score[seat]} is no number of points: give 0 or more")
            if self.score[seat] >= self.to:
                raise InvalidRecord(
                    f"{seat_name(seat)} has {count_of(self.score[seat], 'point')}: the match to {self.to} is over"
                )
        if self.round == 1 and any(self.score):
            raise InvalidRecord("nobody has points before the first round: the score has to be 0 0")

    def score_after(self, scored: RoundScore) -> tuple[int, int]:
        """Return both scores after the round: the match is over when one of them has reached its end."""
        first, second = (self.score[seat] + scored.points * (seat == scored.winner) for seat in SEATS)
        return first, second


def points_of(cards: Cards) -> int:
    """Return what cards count at the end of a round."""
    return sum(POINTS[card] for card in cards)


def round_score(game: Game) -> RoundScore:
    """Return what a finished game scores as a round; an exhausted one scores nothing."""
    if not game.over:
        raise IllegalAction("a round is scored when it is over, but this game goes on")
    states = game.to_state()
    state = states[0]
    if state["status"] != EMPTIED_HAND:
        return RoundScore(None, 0, NO_CARDS, NO_CARDS)
    winner = int(state["winner"])
    debt = int(state["penalty"]) + int(PENALTY[state["top"]])  # what was owed before the last card, and for it
    if state["draw_size"] < debt and state["variant"] & RESHUFFLE:
        reshuffle_one(states)
    size = int(state["draw_size"])
    drawn = Cards.of(state["draw_pile"][max(size - debt, 0) : size].tolist())
    hand = cards_of(state["hand"][1 - winner]) + drawn
    return RoundScore(winner, points_of(hand), hand, drawn)
