"""The person at an interface: shown what the seat sees, asked for a move. Questions are answered before one is made."""

from collections.abc import Callable, Mapping

from rich.console import Group, RenderableType
from rich.text import Text

from uno_pomdp.cards import COLOUR_NAMES, CardType, parse_colour
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.help import help_text
from uno_pomdp.cli.play.interfaces import PlayerInterface
from uno_pomdp.cli.play.log import numbered
from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import Action
from uno_pomdp.game.record import GameRecord
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.narration.explain import position_in_words
from uno_pomdp.quantities import count_of
from uno_pomdp.session.parse import ColourWanted, parse_action
from uno_pomdp.session.session import Session

Answer = Callable[[SeatView, int], RenderableType]
"""Answers a question about what a seat has seen, in so many columns."""
Copy = Callable[[GameRecord, str], str]
"""Saves the game in a file, its own if none is named; returns a sentence about it."""


class Person:
    """A human player at an interface."""

    def __init__(self, interface: PlayerInterface, session: Session, copy: Copy, answers: Mapping[str, Answer]) -> None:
        self.interface = interface
        """Where the person sits."""
        self.session = session
        """The game."""
        self._copy = copy
        self._answers = answers

    @property
    def view(self) -> SeatView:
        """What the person has seen."""
        return self._view(self.session.history)

    def _view(self, history: SeatHistory) -> SeatView:
        setup = self.session.setup
        return SeatView(history, setup.opponent, setup.match, setup.practice)

    def sit_down(self) -> None:
        """Show the deal, and what was played before."""
        history = self.session.history
        self.interface.begin(self._view(history.earlier(len(history.steps))))
        for left in reversed(range(len(history.steps))):
            self.interface.follow(self._view(history.earlier(left)), again=True)

    def follow(self) -> None:
        """Show the move just made."""
        self.interface.follow(self.view, again=False)

    def choose(self) -> Action:
        """Return the move that the person types."""
        self.interface.turn(self.view)
        if self.session.trouble:
            self.interface.say(Text(self.session.trouble, "bold"))
        while True:
            text = self.interface.ask("")
            try:
                if not self.served(text) and (action := self._action(text)) is not None:
                    return action
            except UnoError as error:
                self.interface.refuse(str(error))

    def _action(self, text: str) -> Action | None:
        """Return the action that a text names; None if the person thinks better of a black card."""
        seen = self.session.history.now
        legal = seen.legal_actions()
        if not text.strip() and len(legal) == 1:
            return legal[0]
        try:
            return parse_action(text, legal, seen)
        except ColourWanted as wanted:
            return self._with_colour(wanted.card)

    def _with_colour(self, card: CardType) -> Action | None:
        """Ask for the colour of a black card, and answer all that can be asked before a move."""
        seen = self.session.history.now
        letters = " ".join(COLOUR_NAMES[colour][0] for colour in self.view.rules.colours)
        self.interface.want_colour()
        while True:
            text = self.interface.ask(f"Which colour? {letters} ")
            try:
                if self.served(text):
                    if self.session.history.now is not seen:  # a move was taken back
                        return None
                    continue
                if not text.strip():
                    self.interface.turn(self.view)
                    return None
                action = Action.play(card, parse_colour(text))
                return parse_action(str(action), seen.legal_actions(), seen)
            except UnoError as error:
                self.interface.refuse(str(error))

    def served(self, text: str) -> bool:
        """Carry out a command and return True, or return False: it is a move."""
        word, _, rest = text.strip().partition(" ")
        match word.lower():
            case "?":
                self.interface.say(Text(position_in_words(self.session.history)))
            case "help" | "h":
                self.interface.say(help_text(self.view.rules))
            case "log":
                self.interface.say(numbered(self.view))
            case "save":
                self.interface.say(Text(self._copy(self.session.record, rest.strip()), overflow="fold"))
            case "undo" | "u":
                self.take_back()
            case "quit" | "q" | "exit":
                raise Leave
            case name if name in self._answers:
                self.interface.say(self._answers[name](self.view, self.interface.width))
            case _:
                return False
        return True

    def take_back(self) -> None:
        """Take the person's last move back, in a practice game."""
        count = self.session.undo()
        self.interface.turn(self.view)
        told = [Text(f"{count_of(count, 'move')} taken back.")]
        trouble = [Text(self.session.trouble, "bold")] if self.session.trouble else []
        self.interface.say(Group(*told, *trouble))
