"""One game of a person against an agent, from the deal to the closing report."""

import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import typer

from uno_pomdp.arena.match import AgentFailure, play_game
from uno_pomdp.cli.failed_games import FailedGame
from uno_pomdp.cli.files import held_game, read_by, read_game
from uno_pomdp.cli.keeping import NOT_SAVED, Keeper, KeptGame
from uno_pomdp.cli.leaving import Leave, leaving_on_signals
from uno_pomdp.cli.play.answers import belief_by, hint_by
from uno_pomdp.cli.play.ending import show_ending
from uno_pomdp.cli.play.interfaces import PipeInterface, PlayerInterface, TerminalInterface
from uno_pomdp.cli.play.opponent import ResumedAgent
from uno_pomdp.cli.play.person import Keep, Person
from uno_pomdp.cli.play.saves import Setup, new_file, newest, resumed, write_copy
from uno_pomdp.cli.ui.console import err, out, showing_compilation
from uno_pomdp.errors import ConflictingOptions, UnoError, UnusableFile
from uno_pomdp.files import same_file
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.registry import BeliefSpec, coach_for, make_agent, opponent_for
from uno_pomdp.review.game import make_coach
from uno_pomdp.rules import as_rules

RESUME: Final = "uno-pomdp play --resume"
"""The command that resumes a game."""


def new_game(opponent: str | None, seat: int | None, seed: int | None, rules: str | None) -> Setup:
    """Return the game asked for; without a seed, one that nobody has played."""
    chosen = secrets.randbelow(10**9) if seed is None else seed
    chosen_rules, own_seat = as_rules(rules or "house"), (seat or 1) - 1
    agent = make_agent(opponent or opponent_for(chosen_rules))
    agent.check_game(chosen_rules, 1 - own_seat)
    return Setup(chosen_rules, chosen, own_seat, agent.name)


def check_opponent(setup: Setup) -> None:
    """Refuse an opponent that can't play this game, before a file is made of it."""
    agent, seat = make_agent(setup.opponent), 1 - setup.seat
    try:
        agent.start(setup.rules, Game.new(setup.rules, setup.seed).observation(seat), setup.chance(seat))
    except UnoError:
        raise
    except Exception as error:  # whatever an agent raises is a fault of it, as it is in a game
        reason = f"as {seat_name(seat)} after 0 moves, {type(error).__name__}: {error}"
        raise AgentFailure(agent.name, reason, format_record(setup.record(()))) from error


def can_go_on(path: Path) -> tuple[Setup, tuple[Action, ...]]:
    """Return the game that a file holds and its moves so far; refuse one that can't be gone on with."""
    setup, given = resumed(path)
    try:
        check_opponent(setup)
    except UnoError as error:
        raise UnusableFile(f"{path} can't be gone on with: {error}") from error
    return setup, given


def play(
    agent: str | None,
    seat: int | None,
    seed: int | None,
    rules: str | None,
    record: Path | None,
    coach: str | None,
    resume: bool,
    force: bool = False,
    belief: str | None = None,
) -> None:
    """Play a new game, or go on with a saved one, whose file then stands where the agent does."""
    spec = None if belief is None else BeliefSpec.parse(belief)
    with ExitStack() as stack:
        given: tuple[Action, ...] = ()
        with showing_compilation():
            if resume:
                if (seat, seed, rules, record, force) != (None, None, None, None, False):
                    raise ConflictingOptions(
                        "a saved game has its own seat, seed, rules and file: give --resume and the file alone"
                    )
                path = newest(can_go_on, _tell) if agent is None else Path(agent)
                file = stack.enter_context(held_game(path))
                setup, given = can_go_on(path)  # as it is now that nobody else writes it
                keeper = Keeper(file, RESUME, read_game(path))
            else:
                setup = new_game(agent, seat, seed, rules)
                check_opponent(setup)
            coach = coach or coach_for(setup.rules)
            make_coach(coach, setup.rules, setup.seat)  # a wrong one is refused before the game, not in it
            if spec is not None:
                spec.maker()(setup.rules, Game.new(setup.rules, setup.seed).observation(setup.seat), 0)  # the same
            if not resume:
                inputs = [*read_by(setup.opponent, coach), *(() if spec is None else spec.reads)]
                file = stack.enter_context(new_file(record, datetime.now(), force, inputs))
                keeper = Keeper(file, RESUME)
                keeper.keep(setup.record(()))
        interface = TerminalInterface() if sys.stdin.isatty() and out.is_terminal else PipeInterface()
        play_kept(interface, setup, keeper, coach, given, spec)


def play_kept(
    interface: PlayerInterface,
    setup: Setup,
    keeper: Keeper,
    coach: str,
    given: tuple[Action, ...],
    spec: BeliefSpec | None = None,
) -> None:
    """Play a game to its end or until the person leaves, and report whether it is saved."""
    try:
        with leaving_on_signals():
            finished = play_at(interface, setup, keeping(setup, keeper), coach, given, spec)
    except Leave as leave:
        raise typer.Exit(_farewell(leave, keeper.settled())) from None
    except AgentFailure as failure:
        kept = keeper.settled()
        kept.tell()
        where = f"; the game so far is in {kept.path}" if kept.saved else ""
        raise FailedGame(f"{failure}{where}") from failure
    kept = keeper.settled()
    code = 0 if kept.saved else NOT_SAVED
    try:
        with leaving_on_signals():
            show_ending(interface, setup, finished, coach, kept.path, spec)
    except Leave as leave:
        code = leave.code
        with suppress(OSError):
            err.print(f"\nThe record is {kept.path}." if kept.path else "", markup=False, soft_wrap=True)
    finally:
        with suppress(OSError):  # nobody may be there any more to read it
            kept.tell()
    if code:
        raise typer.Exit(code)


def play_at(
    interface: PlayerInterface,
    setup: Setup,
    keep: Keep,
    coach: str,
    given: tuple[Action, ...] = (),
    spec: BeliefSpec | None = None,
) -> GameRecord:
    """Play a game to its end at an interface, saved at every move, and return its record."""
    answers = {"hint": hint_by(coach, setup.chance(2)), "belief": belief_by(spec)}
    person = Person(interface, setup.opponent, keep, answers, given)
    opponent = ResumedAgent(make_agent(setup.opponent), given)
    agents = (person, opponent) if setup.seat == 0 else (opponent, person)
    result = play_game(setup.rules, setup.seed, agents, (setup.chance(0), setup.chance(1)), record=True)
    assert result.record is not None
    return result.record


def keeping(setup: Setup, keeper: Keeper) -> Keep:
    """Return what saves a game: in its own file, or as a copy where the person wants one."""

    def keep(actions: Sequence[Action], name: str) -> str:
        target = Path(name).expanduser() if name else keeper.path
        if same_file(target, keeper.path):
            keeper.keep(setup.record(actions))
        else:
            write_copy(target, setup.record(actions))
        told = keeper.how_to_resume(target)
        return told[0].upper() + told[1:]

    return keep


def _farewell(leave: Leave, kept: KeptGame) -> int:
    """Say why the game stops and how it goes on; return the exit code."""
    if not leave.hung_up:
        console = err if leave.why or not kept.saved else out
        why = f"uno-pomdp: {leave.why}\n" if leave.why else "\n" if leave.code else ""
        console.print(why, end="", markup=False, soft_wrap=True)
        kept.tell()
        if kept.saved:
            console.print(f"The game is {kept.sentence}", markup=False, soft_wrap=True)
    return leave.code or (0 if kept.saved else NOT_SAVED)


def _tell(sentence: str) -> None:
    err.print(f"uno-pomdp: {sentence}", markup=False, soft_wrap=True)
