"""What the screen is made from: the rules, the names, and what one seat has seen. Nothing leads to hidden cards."""

from dataclasses import dataclass, replace

from uno_pomdp.cards import COLOUR_NAMES, card_name, is_black
from uno_pomdp.cli.ui.narrate import Narrator, narrator_for
from uno_pomdp.game.events import Challenged, Drew, Event
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.record import GameRecord, replay
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.rules import Rules


@dataclass(frozen=True, slots=True)
class SeatView:
    """One game as one seat has seen it so far, and whom it plays against."""

    history: SeatHistory
    """What the seat has seen."""
    opponent: str
    """What the other player is called."""
    match: MatchRound | None = None
    """Where the match stood before this round; None for a single game."""
    practice: bool = False
    """Whether moves can be taken back."""

    @property
    def rules(self) -> Rules:
        """The rules."""
        return self.history.rules

    @property
    def first(self) -> Observation:
        """What the seat saw at the deal."""
        return self.history.first

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every action of both players since."""
        return self.history.steps

    @property
    def seat(self) -> Seat:
        """Whose view it is."""
        return self.history.seat

    @property
    def now(self) -> Observation:
        """What the seat sees now."""
        return self.history.now

    def after(self, step: Step) -> "SeatView":
        """Return the view after one more action."""
        return replace(self, history=self.history.then(step))

    def news(self) -> tuple[Event, ...]:
        """Return what happened since the seat's own last move; a draw or challenge of its own is news too."""
        start = 0
        for number, step in enumerate(self.steps):
            if step.deed.seat == self.seat:
                start = number if isinstance(step.deed, Drew | Challenged) else number + 1
        return tuple(event for step in self.steps[start:] for event in step.events)

    @property
    def narrator(self) -> Narrator:
        """Who tells the game to this seat."""
        return narrator_for(self.seat)


def seen_by(seat: Seat, record: GameRecord, opponent: str) -> SeatView:
    """Return a whole record as a seat saw it: the one way from a game to a view."""
    return SeatView(replay(record).history(seat), opponent, record.match, record.practice)


def what_fits(seen: Observation) -> str:
    """Return what can be played on the top card, in words."""
    rank = card_name(seen.top)[1:]
    named = {"S": "a skip", "R": "a reverse", "+2": "a +2", "8": "an 8"}
    same = "" if is_black(seen.top) else f", {named.get(rank, f'a {rank}')}"
    return f"fits: {COLOUR_NAMES[seen.colour]}{same} or a black card"
