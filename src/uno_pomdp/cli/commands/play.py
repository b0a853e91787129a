"""`uno-pomdp play`: a person against an agent."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import SEAT, BeliefText, Force, RulesIfNew, agent_option, complete_agent_or_game, number
from uno_pomdp.cli.ui.console import out, showing_compilation
from uno_pomdp.errors import ConflictingOptions
from uno_pomdp.quantities import SEED, Whole

if TYPE_CHECKING:
    from uno_pomdp.session.setup import Setup


@app.command(epilog="Examples: uno-pomdp play · uno-pomdp play heuristic --to 500 · uno-pomdp play --resume")
def play(
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="AGENT",
            help="Your opponent, see `uno-pomdp agents`; or the file of a saved game, which is resumed.",
            show_default="a strong one",
            autocompletion=complete_agent_or_game,
        ),
    ] = None,
    seat: Annotated[int | None, number(SEAT, "1: you begin.", show_default="1")] = None,
    seed: Annotated[int | None, number(SEED, "Same seed, same deal.", show_default="a new one")] = None,
    rules: RulesIfNew = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save and record the game here.", show_default="named by the time"),
    ] = None,
    coach: Annotated[
        str | None,
        agent_option("Who gives hints and reviews the game.", default="a strong one"),
    ] = None,
    belief: BeliefText = None,
    to: Annotated[
        int | None,
        number(Whole(1, 1_000_000), "Play rounds until one has so many points.", "--to", show_default="one game"),
    ] = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Moves can be taken back (`undo`); the game does not count.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last game, or with --resume FILE.")] = False,
    force: Force = False,
) -> None:
    """Play against an agent, at a terminal or with moves from a pipe; the game is saved at every move."""
    from uno_pomdp.cli.play.interfaces import PipeInterface, TerminalInterface
    from uno_pomdp.cli.play.saves import latest_round, newest
    from uno_pomdp.cli.play.session import Evening, can_go_on, new_game, tell
    from uno_pomdp.game.scoring import MatchRound
    from uno_pomdp.registry import is_agent

    evening = Evening(coach, belief)
    if resume or (agent is not None and not is_agent(agent) and os.path.isfile(agent)):
        if (seat, seed, rules, record, to, force, practice) != (None, None, None, None, None, False, False):
            raise ConflictingOptions(
                "a saved game has its own seat, seed, rules and file: give --resume and the file alone"
            )
        with showing_compilation():
            path = newest(can_go_on, tell) if agent is None else latest_round(Path(agent))
        place = evening.taken_up(path)
    else:
        with showing_compilation():
            setup = new_game(agent, (seat or 1) - 1, seed, rules)
            setup = replace(
                setup, match=None if to is None else MatchRound(to), practice=practice, coach=coach, belief=belief
            )
        place = evening.begun(setup, record, force)
    interface = TerminalInterface() if sys.stdin.isatty() and out.is_terminal else PipeInterface()
    following: Setup | None = None
    while True:
        with place as (session, keeper):
            following = evening.play_kept(interface, session, keeper)
            path = keeper.path
        if following is None:
            return
        place = evening.begun(following, after=path)
