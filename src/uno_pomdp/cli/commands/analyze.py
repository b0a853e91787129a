"""`uno-pomdp analyze`: the review of a game, as text, JSON or a page."""

from pathlib import Path
from typing import Annotated

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import SEAT, AsJson, Force, Seed, agent_option, number
from uno_pomdp.cli.stopping import kept_of
from uno_pomdp.cli.ui.console import out, print_json, showing_compilation


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
    from uno_pomdp.cli.files import read_by, read_shown, written
    from uno_pomdp.cli.ui.progress import counting
    from uno_pomdp.cli.watch.review import print_candidates, print_review
    from uno_pomdp.files import claim, write_text
    from uno_pomdp.review.game import review_game
    from uno_pomdp.review.page import page

    claim(html, force, [record, *read_by(coach)])
    who = None if seat is None else seat - 1
    with showing_compilation():
        game = read_shown(record, who)
    with showing_compilation(), counting("judging the moves", lambda: kept_of(html)) as report:
        review = review_game(game, coach, seed, report, None if who is None else (who,))
    with written(html, lambda file: write_text(file, page(review), over=force)) as failed:
        if as_json:
            print_json(review.to_json())
        else:
            print_review(review)
            if candidates:
                print_candidates(review)
            if html is not None and failed is None:
                out.print(f"\nthe page is in {html}", markup=False, soft_wrap=True)
