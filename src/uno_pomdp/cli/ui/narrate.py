"""Moves in words: the one narrator of every screen, and the list of moves with the sizes of both hands beside each.

you : opp
1    8 : 7    you drew R6
2    8 : 6    the opponent played B6
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from uno_pomdp.cards import COLOUR_NAMES, is_black
from uno_pomdp.cli.stopping import count_of
from uno_pomdp.cli.ui.console import STYLES, action_text, card_text, cards_text, out
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import STACK, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.seat_history import Step

WIDTH: Final = 80
"""Columns of a list of moves."""


@dataclass(frozen=True, slots=True)
class Narrator:
    """Tells a game, and knows what its listener calls the players."""

    names: tuple[str, str]
    """The players in a sentence, by seat."""
    labels: tuple[str, str]
    """The same in the heads of columns."""
    first: Seat = 0
    """Whose hand is counted first."""

    # --- events ------------------------------------------------------------------------------------------

    def clause(self, event: Event) -> Text:
        """Return an event as a sentence without capital and full stop."""
        if isinstance(event, Reshuffled):
            return deed(event)
        if isinstance(event, Swapped):
            got = [
                Text(f"{self.names[seat]} got ") + cards_text(event.hands[seat])
                for seat in (self.first, 1 - self.first)
            ]
            return Text("the hands were swapped: ") + Text(", ").join(got)
        return Text(f"{self.names[event.seat]} ") + deed(event)

    def sentences(self, events: Iterable[Event]) -> Text:
        """Return events as sentences."""
        told = Text()
        for event in events:
            clause = self.clause(event)
            told += Text(" " if told else "") + Text(capitalised(clause.plain[0])) + clause[1:] + Text(".")
        return told

    def debt(self, seen: Observation) -> str:
        """Return who has to draw a penalty, and what else is open, as a sentence without capital and full stop."""
        who = self.names[seen.turn]
        owed = f"{who} {'have' if who == 'you' else 'has'} to draw {count_of(seen.penalty, 'card')}"
        if seen.before is not None:
            return f"{owed}, or to challenge (the colour before: {COLOUR_NAMES[seen.before]})"
        answers = seen.turn != seen.seat or any(action.card is not None for action in seen.legal_actions())
        return f"{owed}, or to answer" if seen.variant & STACK and answers else owed

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
            for line in self.lines(number, step.events, hand_sizes(step.observation))
        ]
        return Text("\n").join([self.title, *rows]) if rows else Text("no moves yet", "dim")


PLAYERS: Final = Narrator((seat_name(0), seat_name(1)), ("P1", "P2"))
"""Tells those who watch."""


def narrator_for(seat: Seat) -> Narrator:
    """Return who tells the game to the person at this seat."""
    own, other = ("you", "you"), ("the opponent", "opp")
    first, second = (own, other) if seat == 0 else (other, own)
    return Narrator((first[0], second[0]), (first[1], second[1]), seat)


def deed(event: Event) -> Text:
    """Return what happened, without who did it."""
    match event:
        case Reshuffled(returned=returned):
            size = len(returned) + event.hidden
            return Text(
                f"{count_of(size, 'played card')} {'was' if size == 1 else 'were'} shuffled back into the draw pile"
            )
        case Played(action=action) if action.card is not None and action.colour is not None and is_black(action.card):
            chosen = Text(COLOUR_NAMES[action.colour].upper(), STYLES[action.colour])
            return Text("played ") + card_text(action.card) + Text(" and chose ") + chosen
        case Played(action=action):
            return Text("played ") + action_text(action)
        case Drew(forgot=True, cards=cards, count=count):
            what = Text(count_of(count, "card")) if cards is None or not cards else cards_text(cards)
            return Text("forgot to say UNO and drew ") + what
        case Drew(count=0):
            return Text("had to draw, but the deck is exhausted")
        case Drew(cards=cards, count=count, penalty=penalty):
            what = Text(count_of(count, "card")) if cards is None else cards_text(cards)
            return Text("drew ") + what + Text(" as a penalty" if penalty else "")
        case Kept():
            return Text("kept the card")
        case Challenged(guilty=guilty):
            return Text(f"challenged the +4, {'rightly' if guilty else 'wrongly'}")
        case Shown(hand=hand):
            return Text("showed ") + cards_text(hand)
        case Swapped():
            return Text("swapped the hands")


def done_in(events: Sequence[Event]) -> Event:
    """Return the event that says what the mover did; the others say what came of it."""
    return next(event for event in events if not isinstance(event, Reshuffled))


def capitalised(words: str) -> str:
    """Return words as a sentence begins, names within it as they are."""
    return words[:1].upper() + words[1:]


def hand_sizes(seen: Observation) -> tuple[int, int]:
    """Return how many cards each player holds, by seat: what everybody at the table can see."""
    own, other = len(seen.hand), seen.opponent_size
    return (own, other) if seen.seat == 0 else (other, own)
