"""What a person does with games: play, watch and review them, or ask for advice. Nothing here may bring Numba."""

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
    Seed,
    agent_argument,
    agent_option,
    complete_agent_or_game,
    complete_game,
    number,
)
from uno_pomdp.quantities import (
    SEED,
    Real,
    Whole,
)


def complete_game_action(incomplete: str) -> list[str]:
    """Return what can be done with saved games whose name begins so, for the shell."""
    from uno_pomdp.cli.commands.games import ACTIONS

    return [name for name in ACTIONS if name.startswith(incomplete)]


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
    from uno_pomdp.cli.play.session import play as run_play

    run_play(agent, seat, seed, rules, record, coach, resume, force, belief, to, practice)


@app.command(
    epilog="Examples: uno-pomdp games · uno-pomdp games open 2026-01-31-201500 · uno-pomdp games --plot accuracy.svg"
)
def games(
    action: Annotated[
        str | None,
        typer.Argument(
            metavar="DO",
            help="open, watch, delete or export.",
            show_default="list all",
            autocompletion=complete_game_action,
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Which, by its name in the list.", autocompletion=complete_game),
    ] = None,
    target: Annotated[Path | None, typer.Argument(metavar="FILE", help="With export: where its record goes.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All games, not only the newest.")] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="Review games whose accuracy is not known: seconds for each.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw your accuracy over time: .svg, .png or .pdf; needs `plots`."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Delete without asking; write over files that are there already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List your saved games, with won, lost, rating and accuracy; open, watch, delete or export one."""
    from uno_pomdp.cli.commands.games import games as run_games
    from uno_pomdp.cli.commands.games import goes_on

    path = run_games(action, game, target, every, judge, plot, as_json, force)
    if path is not None and action == "watch":
        from uno_pomdp.cli.commands.watch_game import watch_game

        watch_game(path, None, None, as_json=False)
    elif path is not None and goes_on(path):
        from uno_pomdp.cli.play.session import play as run_play

        run_play(str(path), None, None, None, None, None, resume=True)
    elif path is not None:
        from uno_pomdp.cli.commands.analyze import analyze as run_analyze

        run_analyze(path, None, None, candidates=False, html=None, seed=1, as_json=False)


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
    from uno_pomdp.cli.commands.watch import watch as run_watch

    who = None if seat is None else seat - 1
    run_watch((a, b), who, delay, belief, coach, record, seed, rules, force, as_json)


@app.command(epilog="Example: uno-pomdp analyze game.txt --html game.html")
def analyze(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="The record of a game, whole or as one player saw.")],
    coach: Annotated[
        str | None, agent_option("Who judges: flat, ismcts or value, with options.", default="the usual coach")
    ] = None,
    seat: Annotated[int | None, number(SEAT, "Judge this player alone.", show_default="both")] = None,
    candidates: Annotated[bool, typer.Option("--candidates", help="Also all candidates of every move.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with the graph here; it needs nothing else.")
    ] = None,
    seed: Seed = 1,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Review a game: what each move cost by what its player could know, luck, and how accurate both were."""
    from uno_pomdp.cli.commands.analyze import analyze as run_analyze

    run_analyze(record, coach, None if seat is None else seat - 1, candidates, html, seed, as_json, force)


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
    from uno_pomdp.cli.advise.command import advise as run_advise

    start = {"first": first, "hand": hand, "top": top, "colour": colour, "owed": owed, "before": before}
    start |= {"opponent": opponent, "pile": pile, "played": played}
    run_advise(rules, coach, seed, start, save, table, as_json, force, belief, middle, resume)


@app.command(epilog="Examples: uno-pomdp serve · uno-pomdp serve --port 0 --no-browser")
def serve(
    port: Annotated[int, number(Whole(0, 65_535), "Where to listen; 0 takes any that is free.", "--port")] = 8765,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where games are kept.", show_default="beside the saved games"),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say where the page is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open the board in the browser: play, see, review; needs the extra `web`."""
    from uno_pomdp.cli.commands.serve import serve as run_server

    run_server(host, port, store, not no_browser, as_json)
