"""One game of a person against an agent, from the first card to the last word."""

import secrets
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import typer

from uno_pomdp.arena.match import AgentFailure, play_game
from uno_pomdp.cli.arena import FailedGame
from uno_pomdp.cli.console import err, out, showing_compilation
from uno_pomdp.cli.play.answers import belief_of, hint_by
from uno_pomdp.cli.play.desks import Desk, Pipe, Terminal
from uno_pomdp.cli.play.ending import show_ending
from uno_pomdp.cli.play.leaving import Leave, leaving_on_signals
from uno_pomdp.cli.play.opponent import Opponent
from uno_pomdp.cli.play.person import Keep, Person
from uno_pomdp.cli.play.saves import InvalidSave, Setup, how_to_resume, new_file, newest, resumed, write, write_copy
from uno_pomdp.game.transcript import GameRecord
from uno_pomdp.game.values import Action
from uno_pomdp.registry import coach_for, make_agent, opponent_for
from uno_pomdp.review.game import make_coach
from uno_pomdp.rules import preset


def new_game(opponent: str | None, seat: int | None, seed: int | None, rules: str | None) -> Setup:
    """Return the game asked for; without a seed, one that nobody has played."""
    chosen = secrets.randbelow(10**9) if seed is None else seed
    chosen_rules, own_seat = preset(rules or "house"), (seat or 1) - 1
    agent = make_agent(opponent or opponent_for(chosen_rules))
    agent.check_game(chosen_rules, 1 - own_seat)
    return Setup(chosen_rules, chosen, own_seat, agent.name)


def play(
    agent: str | None,
    seat: int | None,
    seed: int | None,
    rules: str | None,
    record: Path | None,
    coach: str | None,
    resume: bool,
) -> None:
    """Play a new game, or go on with a saved one, whose file then stands where the agent does."""
    given: tuple[Action, ...] = ()
    with showing_compilation():
        if resume:
            if (seat, seed, rules, record) != (None, None, None, None):
                raise InvalidSave(
                    "a saved game has its own seat, seed, rules and file: give --resume and the file alone"
                )
            path = newest() if agent is None else Path(agent)
            setup, given = resumed(path)
            make_agent(setup.opponent).check_game(setup.rules, 1 - setup.seat)
        else:
            setup = new_game(agent, seat, seed, rules)
        coach = coach or coach_for(setup.rules)
        make_coach(coach, setup.rules, setup.seat)  # a wrong one is refused before the game, not in it
        if not resume:
            path = new_file(record, datetime.now())
            write(path, setup.record(()))
    desk = Terminal() if sys.stdin.isatty() and out.is_terminal else Pipe()
    try:
        with leaving_on_signals():
            finished = play_at(desk, setup, path, coach, given)
    except Leave as leave:
        raise typer.Exit(_farewell(leave, path)) from None
    except AgentFailure as failure:
        raise FailedGame(f"{failure}; the game so far is in {path}") from failure
    try:
        with leaving_on_signals():
            show_ending(desk, setup, finished, coach, path)
    except Leave as leave:
        with suppress(OSError):
            err.print(f"\nThe record is {path}.", markup=False, soft_wrap=True)
        raise typer.Exit(leave.code) from None


def play_at(desk: Desk, setup: Setup, path: Path, coach: str, given: tuple[Action, ...] = ()) -> GameRecord:
    """Play a game to its end at a desk, saved at every move, and return its record."""
    answers = {"hint": hint_by(coach, setup.chance(2)), "belief": belief_of}
    person = Person(desk, setup.opponent, keeping(setup, path), answers, given)
    opponent = Opponent(make_agent(setup.opponent), given)
    agents = (person, opponent) if setup.seat == 0 else (opponent, person)
    result = play_game(setup.rules, setup.seed, agents, (setup.chance(0), setup.chance(1)), record=True)
    assert result.record is not None
    return result.record


def keeping(setup: Setup, path: Path) -> Keep:
    """Return what saves a game: in its own file, or as a copy where the person wants one."""

    def keep(actions: Sequence[Action], name: str) -> str:
        target = Path(name).expanduser() if name else path
        if name:
            write_copy(target, setup.record(actions))
        else:
            write(target, setup.record(actions))
        told = how_to_resume(target)
        return told[0].upper() + told[1:]

    return keep


def _farewell(leave: Leave, path: Path) -> int:
    """Say why the game stops and how it goes on; return the exit code."""
    if not leave.hung_up:
        console = err if leave.why else out
        why = f"uno-pomdp: {leave.why}\n" if leave.why else "\n" if leave.code else ""
        console.print(f"{why}The game is {how_to_resume(path)}", markup=False, soft_wrap=True)
    return leave.code
