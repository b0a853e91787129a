"""The loop of `uno-pomdp advise`: at a prompt, or over the lines of a file."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Final

from rich.text import Text

from uno_pomdp.advise.entries import NotUnderstood, parse_cards
from uno_pomdp.advise.session import Session
from uno_pomdp.cards import Cards
from uno_pomdp.cli.advise.view import HELP, advice_view, after_entry, beliefs_view, compared, log_view
from uno_pomdp.cli.files import claimed_save, dated_file, read_game
from uno_pomdp.cli.keeping import Keeper
from uno_pomdp.cli.leaving import SIGNALLED, Leave, leaving_on_signals
from uno_pomdp.cli.places import changed, folder, saved
from uno_pomdp.cli.ui.console import cards_text, out, say, showing_compilation
from uno_pomdp.errors import UnoError, UnusableFile
from uno_pomdp.errors import sentence as shown
from uno_pomdp.files import remove, same_file
from uno_pomdp.game.events import Event
from uno_pomdp.game.notation import format_record
from uno_pomdp.narration.explain import position_in_words

RESUME: Final = "uno-pomdp advise --resume"
"""The command that resumes a game."""
TABLES: Final = "tables"
"""The folder of these games, in that of saved games."""
QUIT = frozenset({"quit", "q", "exit"})
"""What ends a session."""

BEFORE = "undo takes the last answer back, fix hand … corrects an earlier one, quit leaves."
"""What `?` says beside the question before the game has begun."""
NOT_KEPT = "The game was not kept: --save FILE does that, or `save FILE` before you leave."
THIS_IS_IT = "This is your record of it; put it into a file, and `uno-pomdp advise --resume FILE` goes on with it:"


class WrongLine(UnoError):
    """A line of a file that can't be followed: what comes after it would be advice about another game."""


def tables() -> Path:
    """Return the folder of games at real tables whose file the person has not named."""
    return folder() / TABLES


def newest() -> Path:
    """Return the unfinished game that was followed last; one that can't be read is reported and skipped."""
    for path in saved(unfinished=True, home=tables()):
        try:
            read_game(path)
        except UnoError as error:
            say(f"{error}; it is passed over")
        else:
            return path
    raise UnusableFile(f"no unfinished table lies in {tables()}: name its file, as in --resume table.txt")


def offer_last() -> None:
    """Say that there is a game to go on with, if there is one."""
    found = saved(unfinished=True, home=tables())
    if found:
        when = f"{datetime.fromtimestamp(changed(found[0])):%m-%d %H:%M}"
        out.print(f"The table of {when} is unfinished; go on with: {RESUME}", style="dim")


class AdvicePrompt:
    """Takes one line after the other to the session, and shows what comes of it.

    Without a keeper the game is saved in a new file of the folder `home`, if one is given, once it has begun.
    """

    def __init__(self, session: Session, keeper: Keeper | None, quiet: bool, home: Path | None = None) -> None:
        self._session = session
        self._keeper = keeper
        self._quiet = quiet
        self._mentioned = False
        self._home = home
        self._automatic = False

    def follow_until_left(self) -> Leave:
        """Follow a person; return how they leave."""
        try:
            with leaving_on_signals():
                self.follow_person()
        except Leave as leave:
            return leave
        return Leave()

    def follow_person(self) -> None:
        """Ask, and answer a wrong entry with a sentence, until the person leaves."""
        with suppress(ImportError):
            import readline  # noqa: F401  # arrow keys and earlier lines at the prompt; not on every system
        out.print("? explains, undo takes the last entry back; the game is saved at every entry.", style="dim")
        if not self._session.start.texts and not self._session.start.middle:
            out.print("If the game is under way already, answer the first question with: middle", style="dim")
        for line in _typed(self._session):
            try:
                if not self._handle(line):
                    break
            except UnoError as error:
                out.print(Text(sentence(error), "red"))

    def follow_file(self) -> None:
        """Take in lines; the first wrong one ends it, for nothing after it could be trusted."""
        for number, line in enumerate(sys.stdin, 1):
            try:
                if not self._handle(line):
                    return
            except UnoError as error:
                raise WrongLine(f"line {number}: {error}") from error
        self._session.check_all_read()

    def farewell(self, left: Leave | None) -> bool:
        """Try again to save what is not saved; tell a person where the game is; return False if saving failed.

        A game that lies nowhere is printed, for a file of one's own.
        """
        at_terminal = left is not None and not left.hung_up
        if left is not None and left.code > SIGNALLED and at_terminal:
            out.print()  # or it would follow what was being typed
        if left is not None and left.why and at_terminal:
            out.print(Text(sentence(WrongLine(left.why))))
        if self._keeper is None:
            if at_terminal and self._session.advisor is not None:
                out.print(Text(f"{NOT_KEPT} {THIS_IS_IT}", "bold"))
                out.print(Text(format_record(self._session.record())), soft_wrap=True, end="")
            return True
        kept = self._keeper.settled()
        self._keeper.release()
        kept.tell()
        if kept.saved and at_terminal and self._session.advisor is not None:
            out.print(Text(kept_in(self._keeper.path)), soft_wrap=True)
        return kept.saved

    def _handle(self, line: str) -> bool:
        """Do what a line says; False if it is the end."""
        text = line.partition("#")[0].strip()
        word, _, rest = text.partition(" ")
        command = word.lower()
        if command in QUIT and not rest:
            return False
        if not text:
            return True
        if not self._answer(command, rest.strip()):
            with showing_compilation():
                events = self._session.enter(text)
            self.keep()
            self.show(events)
        return True

    def _answer(self, command: str, rest: str) -> bool:
        """Do what is no entry; False if the line is one."""
        session = self._session
        if command in ("?", "help"):
            table = None if session.advisor is None else session.advisor.table
            before = f"{session.start.help}\n{BEFORE}"
            self._print(Text(before if table is None else f"{position_in_words(table.history)}\n{HELP}"))
        elif command == "undo" and not rest:
            self._print(Text(f"Taken back: {session.undo()}"))
            self.keep()
            self.show()
        elif command == "fix":
            with showing_compilation():
                done = session.fix(rest)
            self._print(Text(done))
            self.keep()
            self.show()
        elif command == "save":
            self._save_to(rest)
        elif command in ("belief", "best", "hint", "log", "hand") and (not rest or command == "hand"):
            self._look(command, rest)
        else:
            return False
        return True

    def _look(self, command: str, rest: str) -> None:
        advisor = self._session.advisor
        if advisor is None:
            raise NotUnderstood(f"there is no game yet: {self._session.question}")
        seen = advisor.table.observation
        if command == "belief":
            self._print(beliefs_view(advisor, out.width))
        elif command == "log":
            self._print(log_view(advisor))
        elif command == "hand":
            self._print(Text(compared(seen.hand, Cards.of(parse_cards(rest)))) if rest else cards_text(seen.hand))
        elif (decision := advisor.advice()) is not None:
            self._print(advice_view(decision, seen, out.width))
        elif advisor.failure is not None:
            self._print(Text("There is no advice: the coach has failed."))
        else:
            raise NotUnderstood("there is no move to advise: it is not your turn")

    def _save_to(self, name: str) -> None:
        if not name and self._keeper is None:
            raise NotUnderstood("name the file: save FILE")
        record = self._session.record()
        if self._keeper is None or (name and not same_file(name, self._keeper.path)):
            keeper = Keeper(claimed_save(Path(name), force=False), RESUME)
            try:
                keeper.keep(record)
            except UnoError:
                keeper.release()
                raise
            if self._keeper is not None:
                if self._automatic:
                    remove(self._keeper.path)  # it stood in for the file that is now named
                self._keeper.release()
            self._keeper, self._automatic = keeper, False
        else:
            self._keeper.keep(record)
        self._print(Text(kept_in(self._keeper.path)))

    def keep(self) -> None:
        """Save the game, if it is to be kept; a full disk is no reason to stop, but has to be known."""
        if self._session.advisor is None:
            return
        try:
            if self._keeper is None and self._home is not None:
                self._keeper, self._automatic = Keeper(dated_file(self._home, datetime.now(), "--save"), RESUME), True
            if self._keeper is not None:
                self._keeper.keep(self._session.record())
        except UnoError as error:
            self._print(Text(f"NOT SAVED: {error}", "bold"))

    def show(self, events: tuple[Event, ...] = ()) -> None:
        """Show how the game stands, once it is dealt."""
        if self._session.advisor is not None and not self._quiet:
            with showing_compilation():
                view = after_entry(self._session, events, out.width)
            self._print(view)
        self.mention_failure()

    def mention_failure(self) -> None:
        """Say once that the coach has failed, or a belief, and how: the game goes on without it."""
        failure = self._session.failure
        if failure is not None and not self._mentioned:
            self._mentioned = True
            say(f"{failure}; the game goes on without the coach")
        for sentence in self._session.off.news():
            say(sentence)

    def _print(self, what: object) -> None:
        if not self._quiet:
            out.print(what)


def kept_in(path: Path) -> str:
    """Return where a game lies and how to go on with it."""
    return f"Saved in {path}: `{RESUME} {quote(str(path))}` goes on with it."


def _typed(session: Session) -> Iterator[str]:
    """Yield what a person types, until the end of input."""
    while True:
        question = session.question
        try:
            yield input(f"{question} " if question.endswith("?") else f"{question}> ")
        except EOFError:
            out.print()
            return


def sentence(error: UnoError) -> str:
    """Return an error as a sentence for a person."""
    text = shown(str(error))
    return text[:1].upper() + text[1:] + "." * (text[-1:] not in ".?!")
