"""The person as an agent: told what its seat sees, asked for a move. The person may ask for a hint or the belief."""

from collections import deque
from collections.abc import Callable, Sequence

from rich.console import RenderableType
from rich.text import Text

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.cards import COLOUR_NAMES, CardType, parse_colour
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.help import help_text
from uno_pomdp.cli.play.interfaces import PlayerInterface
from uno_pomdp.cli.play.log import numbered
from uno_pomdp.cli.play.saves import HUMAN
from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.cli.ui.parse import ColourWanted, parse_action
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.rules import Rules

Answer = Callable[[SeatView, int], RenderableType]
"""Answers a question about what a seat has seen, in so many columns."""
Keep = Callable[[Sequence[Action], str], str]
"""Saves the game after these actions, in a file if one is named; returns a sentence about it."""


class Person(Agent):
    """A human player at an interface."""

    name = HUMAN

    def __init__(
        self,
        interface: PlayerInterface,
        opponent: str,
        keep: Keep,
        answers: dict[str, Answer],
        given: Sequence[Action] = (),
    ) -> None:
        self.interface = interface
        """Where the person sits."""
        self._opponent = opponent
        self._keep = keep
        self._answers = answers
        self._given = deque(given)
        self._trouble = ""

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game."""
        super().start(rules, observation, seed)
        self.view = SeatView(SeatHistory(rules, observation), self._opponent)
        """What the person has seen."""
        self.interface.begin(self.view)
        self._save()

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action; the game is saved after each that is new."""
        super().update(events, observation)
        self.view = self.view.after(Step(tuple(events), observation))
        again = bool(self._given)
        if again:
            self._given.popleft()
        else:
            self._save()
        self.interface.follow(self.view, again)

    def decide(self) -> Decision:
        """Return the move that the person types."""
        return Decision(self._given[0] if self._given else self._typed())

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        del seed

    def _save(self) -> None:
        if self._given:
            return
        try:
            self._keep(self.view.history.actions(), "")
        except UnoError as error:  # a full disk is no reason to stop playing, but it has to be said at the next turn
            self._trouble = f"NOT SAVED: {error}"
        else:
            self._trouble = ""

    def _typed(self) -> Action:
        self.interface.turn(self.view)
        if self._trouble:
            self.interface.say(Text(self._trouble, "bold"))
        while True:
            text = self.interface.ask("")
            try:
                if not self._served(text) and (action := self._action(text)) is not None:
                    return action
            except UnoError as error:
                self.interface.refuse(str(error))

    def _action(self, text: str) -> Action | None:
        """Return the action that a text names; None if the person thinks better of a black card."""
        legal = self.observation.legal_actions()
        if not text.strip() and len(legal) == 1:
            return legal[0]
        try:
            return parse_action(text, legal, self.observation)
        except ColourWanted as wanted:
            return self._with_colour(wanted.card)

    def _with_colour(self, card: CardType) -> Action | None:
        """Ask for the colour of a black card, and answer all that can be asked before a move."""
        letters = " ".join(COLOUR_NAMES[colour][0] for colour in self.view.rules.colours)
        self.interface.want_colour()
        while True:
            text = self.interface.ask(f"Which colour? {letters} ")
            try:
                if self._served(text):
                    continue
                if not text.strip():
                    self.interface.turn(self.view)
                    return None
                action = Action.play(card, parse_colour(text))
                return parse_action(str(action), self.observation.legal_actions(), self.observation)
            except UnoError as error:
                self.interface.refuse(str(error))

    def _served(self, text: str) -> bool:
        """Carry out a command and return True, or return False: it is a move."""
        word, _, rest = text.strip().partition(" ")
        match word.lower():
            case "?" | "help" | "h":
                self.interface.say(help_text(self.view.rules))
            case "log":
                self.interface.say(numbered(self.view))
            case "save":
                self.interface.say(Text(self._keep(self.view.history.actions(), rest.strip()), overflow="fold"))
            case "quit" | "q" | "exit":
                raise Leave
            case name if name in self._answers:
                self.interface.say(self._answers[name](self.view, self.interface.width))
            case _:
                return False
        return True
