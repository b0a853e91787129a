"""`uno-pomdp advise`: a game on a real table."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson, BeliefText, Force, RulesIfNew, Seed, agent_option
from uno_pomdp.cli.ui.console import print_json, showing_compilation
from uno_pomdp.errors import ConflictingOptions
from uno_pomdp.rules import as_rules


@app.command(epilog="Examples: uno-pomdp advise --rules printed --save table.txt · uno-pomdp advise --resume")
def advise(
    table: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="With --resume the saved game.", show_default="the last one"),
    ] = None,
    rules: RulesIfNew = None,
    first: Annotated[
        str | None, typer.Option(metavar="WHO", help="Who moves first, or next with --middle: me or opponent.")
    ] = None,
    hand: Annotated[str | None, typer.Option(metavar="CARDS", help="Your cards, as in 'r5 gs b+2 w'.")] = None,
    top: Annotated[str | None, typer.Option(metavar="CARD", help="The top card, as in r5 or 'w red'.")] = None,
    middle: Annotated[bool, typer.Option("--middle", help="Begin in the middle of a game.")] = False,
    colour: Annotated[
        str | None, typer.Option(metavar="COLOUR", help="--middle: the colour declared with a black top card.")
    ] = None,
    owed: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: how many are owed for a +2 or +4 on top.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="COLOUR", help="--middle: the colour before a +4 that may be challenged.")
    ] = None,
    opponent: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: how many the opponent holds.")
    ] = None,
    pile: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: how many the draw pile has, or 'played 23'.")
    ] = None,
    played: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: those below the top that you know, or none.")
    ] = None,
    coach: Annotated[str | None, agent_option("Who advises; see `uno-pomdp agents`.", default="a strong one")] = None,
    belief: BeliefText = None,
    seed: Seed = 1,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep your record of the game here.", show_default="named by the time"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last game, or with --resume FILE.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Advise a player at a real table: type what you see, get what the opponent may hold and the best move."""
    from uno_pomdp.advise.questions import FROM_THE_DEAL
    from uno_pomdp.advise.session import Session
    from uno_pomdp.cli.advise.command import RESUME, AdvicePrompt, newest, offer_last, tables
    from uno_pomdp.cli.files import claimed_save, held_game, read_by, read_game
    from uno_pomdp.cli.keeping import NOT_SAVED, Keeper
    from uno_pomdp.cli.leaving import Leave
    from uno_pomdp.files import same_file
    from uno_pomdp.registry import BeliefSpec

    said = {"first": first, "hand": hand, "top": top, "colour": colour, "owed": owed, "before": before}
    known = {
        name: text
        for name, text in (said | {"opponent": opponent, "pile": pile, "played": played}).items()
        if text is not None
    }
    resumed = table is not None or resume
    if resumed and (rules is not None or known or middle):
        raise ConflictingOptions(
            "a saved game has its own rules and deal: give none of --rules, --first, --hand and --top, nor --middle"
        )
    if not middle and (late := [name for name in known if name not in FROM_THE_DEAL]):
        raise ConflictingOptions(f"--{late[0]} is for a game that is begun in the middle: add --middle")
    if middle and "first" in known:
        known["turn"] = known.pop("first")
    spec = None if belief is None else BeliefSpec.parse(belief)
    person = sys.stdin.isatty() and not as_json
    with ExitStack() as stack:
        keeper: Keeper | None = None
        with showing_compilation():
            path = newest() if resume and table is None else table
            same = path is not None and (save is None or same_file(save, path))
            if path is not None and same:
                file = stack.enter_context(held_game(path))
                keeper = Keeper(file, RESUME, read_game(path))
            elif save is not None:
                inputs = [*([path] if path else ()), *read_by(coach), *(() if spec is None else spec.reads)]
                keeper = Keeper(stack.enter_context(claimed_save(save, force, inputs)), RESUME)
            if path is None:
                session = Session(as_rules("house" if rules is None else rules), coach, seed, known, spec, middle)
            else:
                session = Session.of_record(read_game(path), path, coach, seed, spec)
        if person and path is None:
            offer_last()
        prompt = AdvicePrompt(session, keeper, quiet=as_json, home=tables() if person else None)
        left: Leave | None = None
        try:
            if not same:
                prompt.keep()
            prompt.show()
            if person:
                left = prompt.follow_until_left()
            else:
                prompt.follow_file()
            if as_json:
                with showing_compilation():
                    print_json(session.to_json())
                prompt.mention_failure()
        finally:
            saved = prompt.farewell(left)
    if left is not None and left.code:
        raise typer.Exit(left.code)
    if not saved:
        raise typer.Exit(NOT_SAVED)
