"""`uno-pomdp watch`: a game between two agents, move by move, with both hands open; or a saved one."""

import os
from pathlib import Path
from typing import Annotated

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import (
    SEAT,
    AsJson,
    BeliefText,
    Force,
    RulesIfNew,
    agent_argument,
    agent_option,
    complete_agent_or_game,
    number,
)
from uno_pomdp.errors import ConflictingOptions, UnusableFile, quoted
from uno_pomdp.quantities import SEED, Real
from uno_pomdp.rules import as_rules


@app.command(
    epilog="Examples: uno-pomdp watch game.txt · uno-pomdp watch flat:ms=20 heuristic --delay 0.5 --record game.txt"
)
def watch(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="Player 1, see `uno-pomdp agents`; or alone the file of a saved game.",
            autocompletion=complete_agent_or_game,
        ),
    ],
    b: Annotated[str | None, agent_argument("B", "Player 2.")] = None,
    seat: Annotated[
        int | None, number(SEAT, "Whose belief is shown: player 1 or 2.", show_default="both, in a pipe 1")
    ] = None,
    delay: Annotated[
        float | None, number(Real(0.0, 3600.0), "Seconds between two moves, in a terminal.", show_default="1")
    ] = None,
    belief: BeliefText = None,
    coach: Annotated[
        str | None, agent_option("Who judges moves, in a terminal: champion, flat, …", default="the usual coach")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the record of the game here.")] = None,
    seed: Annotated[int | None, number(SEED, "Same seed, same result.", show_default="1")] = None,
    rules: RulesIfNew = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Watch two agents play, or step through a saved game: both hands, what each can know, who is likely to win."""
    from uno_pomdp.cli.watch.live import Asked, watch_agents
    from uno_pomdp.cli.watch.saved import watch_game
    from uno_pomdp.registry import BeliefSpec, is_agent

    who = None if seat is None else seat - 1
    spec = None if belief is None else BeliefSpec.parse(belief)
    if b is None:
        path = file_of(a)
        given = {"--seed": seed, "--delay": delay, "--rules": rules, "--record": record, "--force": force or None}
        if wrong := [name for name, value in given.items() if value is not None]:
            raise ConflictingOptions(f"a saved game has its own deal, rules and file: leave out {wrong[0]}")
        watch_game(path, who, coach, as_json, spec)
        return
    for name in (a, b):
        if not is_agent(name) and os.path.isfile(name):
            raise ConflictingOptions(f"{name} is no agent: to step through the game in that file, give it alone")
    chosen = as_rules(rules or "house")
    asked = Asked(chosen, (a, b), 1 if seed is None else seed, who, 1.0 if delay is None else delay, spec)
    watch_agents(asked, coach, record, as_json, force)


def file_of(name: str) -> Path:
    """Return the file that stands alone where two agents could; refuse what is none."""
    from uno_pomdp.registry import AgentSpec, is_agent

    if os.path.exists(name):
        return Path(name)
    if is_agent(name):
        AgentSpec.parse(name)  # what is wrong with it is said first
        raise ConflictingOptions("one agent can't play alone: name two, or the file of a saved game")
    raise UnusableFile(f"{quoted(name)} is neither an agent nor the file of a game: name two agents, or one file")
