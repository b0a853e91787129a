"""Moves in words: the one narrator of every screen, and the list of moves with the sizes of both hands beside each.

you : opp
1    8 : 7    you drew R6
2    8 : 6    the opponent played B6
"""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.text import Text

from uno_pomdp.cli.ui.console import BLACK, STYLES, out
from uno_pomdp.game.events import Event, Reshuffled
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.seat_history import Step
from uno_pomdp.narration import words
from uno_pomdp.narration.words import Parts, Speaker, capitalised

WIDTH: Final = 80
"""Columns of a list of moves."""


class Narrator(Speaker):
    """Tells a game on a screen, with cards in their colours."""

    # --- events ------------------------------------------------------------------------------------------

    def clause(self, event: Event) -> Text:
        """Return an event as a sentence without capital and full stop."""
        return coloured(self.parts(event))

    def sentences(self, events: Iterable[Event]) -> Text:
        """Return events as sentences."""
        told = Text()
        for event in events:
            clause = self.clause(event)
            told += Text(" " if told else "") + Text(capitalised(clause.plain[0])) + clause[1:] + Text(".")
        return told

    # --- sizes of hands ----------------------------------------------------------------------------------

    @property
    def head(self) -> str:
        """What stands above the sizes of both hands."""
        return f"{self.labels[self.first]} : {self.labels[1 - self.first]}"

    def sizes(self, hands: tuple[int, int]) -> str:
        """Return the sizes of both hands, given by seat, in as many characters as their head."""
        before, after = self.first, 1 - self.first
        return f"{hands[before]:>{len(self.labels[before])}} : {hands[after]:<{len(self.labels[after])}}"

    # --- lists of moves ----------------------------------------------------------------------------------

    @property
    def title(self) -> Text:
        """The line above a list of moves."""
        return Text(f"     {self.head}", "dim")

    def lines(self, number: int, events: Sequence[Event], hands: tuple[int, int]) -> list[Text]:
        """Return a move in a list: its number, the sizes of both hands after it, and what happened."""
        blank = Text(" " * (len(self.head) + 7))
        row = Text(f"{number:>3}  ", "dim") + Text(f"{self.sizes(hands)}  ")
        done = done_in(events)
        lines: list[Text] = []
        for event in events:
            first, *more = self.clause(event).wrap(out, WIDTH - len(blank))  # long hands are shown or swapped
            lines.append((row if event is done else blank) + first)
            lines += [blank + line for line in more]
        return lines

    def listed(self, steps: Iterable[Step]) -> Text:
        """Return moves that a seat has seen as a list, with the cards that it drew."""
        rows = [
            line
            for number, step in enumerate(steps, 1)
            for line in self.lines(number, step.events, step.observation.hand_sizes)
        ]
        return Text("\n").join([self.title, *rows]) if rows else Text("no moves yet", "dim")


PLAYERS: Final = Narrator(words.PLAYERS.names, words.PLAYERS.labels)
"""Tells those who watch."""


def narrator_for(seat: Seat) -> Narrator:
    """Return who tells the game to the person at this seat."""
    speaker = words.speaker_for(seat)
    return Narrator(speaker.names, speaker.labels, speaker.first)


def deed(event: Event) -> Text:
    """Return what happened, without who did it."""
    return coloured(words.deed_parts(event))


def coloured(parts: Parts) -> Text:
    """Return a sentence with its cards in their colours, black ones that declare none in their own."""
    return Text().join(
        Text(part.text, "" if not part.named else BLACK if part.colour is None else STYLES[part.colour])
        for part in parts
    )


def done_in(events: Sequence[Event]) -> Event:
    """Return the event that says what the mover did; the others say what came of it."""
    return next(event for event in events if not isinstance(event, Reshuffled))
