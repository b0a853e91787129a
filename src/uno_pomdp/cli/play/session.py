"""An evening at a terminal or in a pipe: games of a person against an agent, from the first deal to the last word."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

import typer

from uno_pomdp.arena.match import AgentFailure
from uno_pomdp.cli.accuracies import Accuracies
from uno_pomdp.cli.failed_games import FailedGame, failed_game
from uno_pomdp.cli.files import held_game, read_by, read_game
from uno_pomdp.cli.keeping import NOT_SAVED, Keeper, KeptGame
from uno_pomdp.cli.leaving import SIGNALLED, Leave, leaving_on_signals
from uno_pomdp.cli.places import folder
from uno_pomdp.cli.play.afterwards import Afterwards, ask_what_next
from uno_pomdp.cli.play.answers import belief_by, hint_by, why_by
from uno_pomdp.cli.play.ending import show_ending
from uno_pomdp.cli.play.interfaces import PlayerInterface
from uno_pomdp.cli.play.person import Copy, Person
from uno_pomdp.cli.play.saves import new_file, resumed, round_file, write_copy
from uno_pomdp.cli.ui.console import err, out, showing_compilation
from uno_pomdp.default_agents import coach_for, opponent_for
from uno_pomdp.errors import UnoError, UnusableFile
from uno_pomdp.files import SavedFile, same_file, try_place
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.record import GameRecord
from uno_pomdp.registry import BeliefSpec, make_agent
from uno_pomdp.rules import as_rules
from uno_pomdp.session.coach import Coach
from uno_pomdp.session.policy_aware import SwitchedOff
from uno_pomdp.session.session import Keep, Session
from uno_pomdp.session.setup import SavedGame, Setup, new_seed
from uno_pomdp.session.tally import moved_in

RESUME: Final = "uno-pomdp play --resume"
"""The command that resumes a game."""


def new_game(opponent: str | None, own_seat: Seat, seed: int | None, rules: str | None) -> Setup:
    """Return the game asked for; without a seed, one that nobody has played."""
    chosen = new_seed() if seed is None else seed
    chosen_rules = as_rules("house" if rules is None else rules)
    agent = make_agent(opponent_for(chosen_rules) if opponent is None else opponent)
    agent.check_game(chosen_rules, 1 - own_seat)
    return Setup(chosen_rules, chosen, own_seat, agent.name)


def can_go_on(path: Path) -> SavedGame:
    """Return the game that a file holds as far as it has come; refuse one that can't be gone on with."""
    saved = resumed(path)
    try:
        Session(saved.setup)  # its opponent is seated, before anything is played
    except UnoError as error:
        raise UnusableFile(f"{path} can't be gone on with: {error}") from error
    return saved


class Evening:
    """Games one after the other; `coach` and `belief` are what the person has named for those that are taken up."""

    def __init__(self, coach: str | None = None, belief: str | None = None) -> None:
        self._coach = coach
        self._belief = belief
        self._coached: tuple[Setup, Coach, SwitchedOff] | None = None

    def _coach_of(self, setup: Setup) -> tuple[Coach, SwitchedOff]:
        """Return the coach of a game, who is one and the same to its end, and the beliefs that have failed in it."""
        if self._coached is None or self._coached[0] is not setup:
            self._coached = setup, Coach.of(setup, setup.coach, showing_compilation), SwitchedOff()
        return self._coached[1:]

    # --- where games lie ---------------------------------------------------------------------------------

    @contextmanager
    def taken_up(self, path: Path) -> Iterator[tuple[Session, Keeper]]:
        """Hold the file of a saved game, and give the game as far as it has come; a new round has a file of its own."""
        with held_game(path) as file:
            with showing_compilation():
                saved = can_go_on(path)  # as it is now that nobody else writes it
            setup = self._with_choices(saved.setup)
            if saved.after is None:
                session = _seated(setup, saved.record)
                keeper = Keeper(file, RESUME, read_game(path))
                session.keep = keeping(keeper)
                yield session, keeper
                return
        with self.begun(setup, after=path) as place:
            yield place

    def _with_choices(self, setup: Setup) -> Setup:
        """Return a saved game with the coach and the belief that the person has named now, if any."""
        return replace(setup, coach=self._coach or setup.coach, belief=self._belief or setup.belief)

    @contextmanager
    def begun(
        self, setup: Setup, wanted: Path | None = None, force: bool = False, after: Path | None = None
    ) -> Iterator[tuple[Session, Keeper]]:
        """Deal a new game, and hold its file; a later round of a match lies beside the one before it."""
        session = _seated(setup)
        with showing_compilation():
            spec = belief_of(setup)
            inputs = [*read_by(setup.opponent, coach_of(setup)), *(() if spec is None else spec.reads)]
            file: SavedFile
            if after is not None and setup.match is not None and setup.match.round > 1:
                file = round_file(after, setup.match.round)
            else:
                after, file = None, new_file(wanted, datetime.now(), force, inputs)
        with file:
            try_place(file.path)  # before the first move: until then nothing is written
            keeper = Keeper(file, RESUME, before=after)
            session.keep = keeping(keeper)
            yield session, keeper

    # --- a game ------------------------------------------------------------------------------------------

    def play_kept(self, interface: PlayerInterface, session: Session, keeper: Keeper) -> Setup | None:
        """Play a game to its end or until the person leaves, report whether it is saved, and return what follows."""
        while True:
            try:
                with leaving_on_signals():
                    person = self.play_at(interface, session, copying(keeper))
            except Leave as leave:
                raise typer.Exit(_farewell(leave, keeper.settled())) from None
            except AgentFailure as failure:
                kept = keeper.settled()
                kept.tell()
                if kept.path is None and kept.saved:  # it has failed before the person's first move
                    raise failed_game(failure) from failure
                where = f"; the game so far is in {kept.path}" if kept.saved else ""
                raise FailedGame(f"{failure}{where}") from failure
            following = self._ended(interface, person, keeper)
            if following is not Afterwards.TAKEN_BACK:
                return following if isinstance(following, Setup) else None

    def play_at(self, interface: PlayerInterface, session: Session, copy: Copy) -> Person:
        """Play a game to its end at an interface."""
        setup = session.setup
        coach, off = self._coach_of(setup)
        answers = {
            "hint": hint_by(coach),
            "belief": belief_by(belief_of(setup), coach_of(setup), off),
            "why": why_by(session),
        }
        person = Person(interface, session, copy, answers)
        person.sit_down()
        while not session.over:
            if session.awaits_person:
                session.move(person.choose())
            else:
                session.answer()
            person.follow()
            session.tell()
        return person

    def _ended(self, interface: PlayerInterface, person: Person, keeper: Keeper) -> Setup | Afterwards:
        """Show how a game went, and ask what follows; a game that is not saved is followed by nothing."""
        session, kept = person.session, keeper.settled()
        setup, code = session.setup, 0 if kept.saved else NOT_SAVED
        following: Setup | Afterwards = Afterwards.NOTHING
        try:
            with leaving_on_signals():
                coach, off = self._coach_of(setup)
                review = show_ending(interface, setup, session.record, coach, kept.path, belief_of(setup), off)
                if review is not None and kept.path is not None and same_file(kept.path.parent, folder()):
                    Accuracies().note(session.record, coach.name, review.accuracy(setup.seat))
                if kept.saved:
                    following = ask_what_next(interface, person)
        except Leave as leave:
            code = leave.code
            with suppress(OSError):
                err.print(f"\nThe record is {kept.path}." if kept.path else "", markup=False, soft_wrap=True)
        finally:
            with suppress(OSError):  # nobody may be there any more to read it
                kept.tell()
        if following is Afterwards.NOTHING and session.next_round is not None and kept.path is not None:
            with suppress(OSError):
                out.print(f"The match goes on with: {RESUME} {kept.path}", markup=False, soft_wrap=True)
        if code:
            raise typer.Exit(code)
        return following


def coach_of(setup: Setup) -> str:
    """Return who gives hints and reviews."""
    return setup.coach or coach_for(setup.rules)


def belief_of(setup: Setup) -> BeliefSpec | None:
    """Return the belief that is shown beside the exact one, if the person has chosen one."""
    return None if setup.belief is None else BeliefSpec.parse(setup.belief)


def _seated(setup: Setup, record: GameRecord | None = None) -> Session:
    """Return a game with everybody seated: who can't play or coach it is refused before it, not in it."""
    spec = belief_of(setup)
    session = Session(setup, record, busy=showing_compilation)
    Coach.of(setup, setup.coach, showing_compilation)
    with showing_compilation():
        if spec is not None:
            spec.maker()(setup.rules, session.history.first)
    return session


def keeping(keeper: Keeper) -> Keep:
    """Return what saves a game from the person's first move on: before it there is nothing to lose."""

    def keep(record: GameRecord) -> None:
        if moved_in(record) or record.outcome is not None:
            keeper.keep(record)

    return keep


def copying(keeper: Keeper) -> Copy:
    """Return what saves a game where the person wants it: in its own file, or as a copy."""

    def copy(record: GameRecord, name: str) -> str:
        target = Path(name).expanduser() if name else keeper.path
        if same_file(target, keeper.path):
            keeper.keep(record)
        else:
            write_copy(target, record)
        told = keeper.how_to_resume(target)
        return told[0].upper() + told[1:]

    return copy


def _farewell(leave: Leave, kept: KeptGame) -> int:
    """Say why the game stops and how it goes on; return the exit code."""
    if not leave.hung_up:
        console = err if leave.why or not kept.saved else out
        signalled = leave.code > SIGNALLED and console.is_terminal  # in the line that was being typed
        why = f"uno-pomdp: {leave.why}\n" if leave.why else ""
        console.print("\n" * signalled + why, end="", markup=False, soft_wrap=True)
        kept.tell()
        if kept.saved:
            console.print(f"The game is {kept.sentence}", markup=False, soft_wrap=True)
    return leave.code or (0 if kept.saved else NOT_SAVED)


def tell(sentence: str) -> None:
    """Say something beside the game."""
    err.print(f"uno-pomdp: {sentence}", markup=False, soft_wrap=True)
