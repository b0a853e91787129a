"""A game as the page shows it, as JSON values: made from what one seat has seen, and nothing else.

Two games that differ in hidden cards alone give the same values, byte by byte: no function here is handed a game.
"""

from dataclasses import dataclass
from typing import Any

from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.game.actions import CHALLENGE
from uno_pomdp.game.events import Challenged, Drew, Shown
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.outcome import Outcome, Reason
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.narration.explain import position_in_words
from uno_pomdp.narration.words import capitalised, speaker_for


@dataclass(frozen=True, slots=True)
class Table:
    """What is known of a game beside what its seat has seen: nothing of it is hidden."""

    rules: str
    """Their name."""
    you: int
    """Which player the person is: 1 begins."""
    opponent: str
    """The text that makes the other player."""
    practice: bool
    """Whether moves may be taken back."""
    match: MatchRound | None
    """Where the match stood before this round; None for a single game."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, own points first."""
        match = None
        if self.match is not None:
            first, second = self.match.score
            score = [first, second] if self.you == 1 else [second, first]
            match = {"to": self.match.to, "round": self.match.round, "score": score}
        return {
            "rules": self.rules,
            "you": self.you,
            "opponent": self.opponent,
            "practice": self.practice,
            "match": match,
        }


def nothing_seen() -> dict[str, Any]:
    """Return how the table looks before the deal is shown."""
    return {
        "number": 0,
        "hand": [],
        "legal": [],
        "drawn": None,
        "opponent_size": 0,
        "draw_size": 0,
        "played_size": 0,
        "top": None,
        "colour": None,
        "debt": 0,
        "challenge": None,
        "sentence": "",
        "debt_words": "",
        "moves": [],
    }


class Moves:
    """The moves of a game as JSON values, each made once: a state has all of them again."""

    def __init__(self) -> None:
        self._history: SeatHistory | None = None
        self._values: list[dict[str, Any]] = []

    def of(self, history: SeatHistory) -> list[dict[str, Any]]:
        """Return all moves of a history; it may have grown, or be shorter since moves were taken back."""
        same = 0 if self._history is None else max(history.common(self._history) - 1, 0)
        steps = enumerate(history.steps[same:], same)
        new = [_move_json(place + 1, step, history.before(place), history.seat) for place, step in steps]
        self._history, self._values = history, self._values[:same] + new
        return self._values


def seen_json(history: SeatHistory, moves: Moves) -> dict[str, Any]:
    """Return the position and all moves as a seat has seen them."""
    seen = history.now
    legal = seen.legal_actions()
    owed = seen.penalty and seen.outcome is None
    return {
        "number": len(history.steps),
        "hand": [card_name(card) for card in seen.hand],
        "legal": [str(action) for action in legal],
        "drawn": None if seen.drawn is None else card_name(seen.drawn),
        "opponent_size": seen.opponent_size,
        "draw_size": seen.draw_size,
        "played_size": seen.played_size,
        "top": card_name(seen.top),
        "colour": COLOUR_NAMES[seen.colour],
        "debt": seen.penalty,
        "challenge": COLOUR_NAMES[seen.before] if CHALLENGE in legal and seen.before is not None else None,
        "sentence": position_in_words(history),
        "debt_words": f"{capitalised(speaker_for(history.seat).debt(seen))}." if owed else "",
        "moves": moves.of(history),
    }


def _move_json(number: int, step: Step, before: Observation, seat: int) -> dict[str, Any]:
    sizes = step.observation.hand_sizes
    return {
        "number": number,
        "by": "you" if step.deed.seat == seat else "opponent",
        "words": speaker_for(seat).told(step.events),
        "action": str(step.action),
        "sizes": list(sizes if seat == 0 else reversed(sizes)),
        "challenge": _challenge_json(step, before),
    }


def _challenge_json(step: Step, before: Observation) -> dict[str, Any] | None:
    """Return what a challenge brought to light, which both know, the challenger and the hand's owner; else None."""
    deed = step.deed
    if not isinstance(deed, Challenged):
        return None
    assert before.before is not None
    return {
        "right": deed.guilty,
        "colour": COLOUR_NAMES[before.before],
        "hand": [card_name(card) for event in step.events if isinstance(event, Shown) for card in event.hand],
        "drawn": sum(event.count for event in step.events if isinstance(event, Drew)),
    }


def result_json(outcome: Outcome, seat: int) -> dict[str, Any]:
    """Return who won and why, without points."""
    who = {1: "you", -1: "opponent", 0: None}[outcome.result(seat)]
    return {"winner": who, "words": _ending(outcome, who), "points": None, "score": None, "next_round": False}


def _ending(outcome: Outcome, who: str | None) -> str:
    if outcome.reason is Reason.EMPTIED_HAND:
        return "You win: your last card is played." if who == "you" else "The opponent wins: its last card is played."
    if who is None:
        return "A draw: the deck is exhausted, and both hold as many cards."
    return f"{'You win' if who == 'you' else 'The opponent wins'}: the deck is exhausted, and fewer cards win."
