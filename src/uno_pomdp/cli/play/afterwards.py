"""What follows a game: the next round of a match, a rematch, a move taken back, or nothing."""

from enum import Enum
from typing import Final

from rich.text import Text

from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.interfaces import PlayerInterface
from uno_pomdp.cli.play.person import Person
from uno_pomdp.errors import UnoError, quoted
from uno_pomdp.session.setup import Setup

SAME: Final = ("s", "same")
NEW: Final = ("n", "new", "y", "yes", "again", "rematch")
NO: Final = ("", "no", "q", "quit", "exit")
ASKED: Final = "s: same cards, seats swapped · n: new deal"
"""What can be answered to `Again?` after a game; what can be typed besides follows it."""


class Afterwards(Enum):
    """What follows a game, if it is no other game."""

    NOTHING = "nothing"
    """The person leaves."""
    TAKEN_BACK = "taken back"
    """The same game goes on: its last move was taken back."""


def ask_what_next(interface: PlayerInterface, person: Person) -> Setup | Afterwards:
    """Ask what follows a game that is over; a pipe is not asked: rounds follow each other there, and nothing else."""
    session = person.session
    following = session.next_round
    if following is not None and following.match is not None:
        question = f"Enter: round {following.match.round} · why · q: leave, the match is saved "
        while (typed := _answer(interface, question)) not in NO[1:]:
            if not typed:
                return following
            _serve(interface, person, typed, "Enter goes on with the match")
        return Afterwards.NOTHING
    match = session.setup.match
    again = "Again?" if match is None else f"Again to {match.to}?"
    practice = " · undo" if session.setup.practice else ""
    while (typed := _answer(interface, f"{again} {ASKED}{practice} · why · Enter: no ")) not in NO:
        if typed in SAME or typed in NEW:
            return session.setup.rematch(same_deal=typed in SAME)
        if typed in ("u", "undo") and session.setup.practice:
            session.undo()
            return Afterwards.TAKEN_BACK
        _serve(interface, person, typed, "type s, n or Enter")
    return Afterwards.NOTHING


def _answer(interface: PlayerInterface, question: str) -> str:
    """Return what is typed; the end of input is a no."""
    try:
        return interface.ask_after(question).strip().lower()
    except Leave as leave:
        if leave.code:
            raise
        return "no"


def _serve(interface: PlayerInterface, person: Person, typed: str, hint: str) -> None:
    """Answer a question, or say what can be typed."""
    try:
        known = person.served(typed) if typed in ("why", "?", "log", "help") or typed.startswith("save") else False
    except UnoError as error:
        interface.say(Text(str(error), "bold"))
        return
    if not known:
        interface.say(Text(f"{quoted(typed)} is no answer here: {hint}.", "bold"))
