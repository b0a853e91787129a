"""`uno-pomdp watch`: a game between two agents, move by move, with both hands open."""

import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

from rich.live import Live
from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.cli.failed_games import showing_failures
from uno_pomdp.cli.files import attempt, claim, read_by
from uno_pomdp.cli.stopping import Stopped, telling
from uno_pomdp.cli.ui.annotated_game import AnnotatedGame, play_annotated, print_game
from uno_pomdp.cli.ui.console import err, out, print_json, showing_compilation
from uno_pomdp.cli.ui.spectator import Spectator
from uno_pomdp.errors import CannotWrite
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import record_of
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.rules import Rules

NARROWEST: Final = 60
"""Columns below which a screen is not drawn narrower: the terminal breaks its lines then."""


def watch(
    rules: Rules,
    agents: tuple[str, str],
    seed: int,
    seat: Seat,
    delay: float,
    record: Path | None,
    as_json: bool,
    force: bool = False,
    belief: str | None = None,
) -> None:
    """Play a game and show it: a live screen in a terminal, else a page that grows; a game broken off is recorded."""
    spec = None if belief is None else BeliefSpec.parse(belief)
    claim(record, force, [*read_by(*agents), *(() if spec is None else spec.reads)])
    spectator = Spectator(agents, seat, spec)
    failed: CannotWrite | None = None
    with telling(lambda: _came_to(spectator, record, failed)):
        try:
            with showing_failures(), showing_compilation():
                if as_json:
                    moments: list[dict[str, Any]] = []

                    def keep(game: Game, decision: Decision | None) -> None:
                        spectator.look(game, decision)
                        moments.append(spectator.to_json())

                    commented = play_annotated(rules, agents, seed, keep)
                    told = {"seed": seed, "deal": moments[0], "moves": moments[1:]}
                    print_json(commented.to_json() | told)
                else:
                    commented = _show(spectator, rules, agents, seed, delay)
                    _end(spectator, commented)
        except BaseException as error:
            failed = _recorded(spectator, agents, record, force)
            if failed is not None and not isinstance(error, KeyboardInterrupt | Stopped):
                err.print(f"uno-pomdp: {failed}", markup=False, soft_wrap=True)  # beside what broke the game off
            raise
    if (failed := _recorded(spectator, agents, record, force)) is not None:
        raise failed


def _recorded(spectator: Spectator, agents: tuple[str, str], record: Path | None, force: bool) -> CannotWrite | None:
    """Write the game so far where it is wanted, once it is dealt; return what went wrong."""
    wanted = record if spectator.chances else None
    return attempt(wanted, lambda file: save_record(file, record_of(spectator.game, agents), over=force))


def _came_to(spectator: Spectator, record: Path | None, failed: CannotWrite | None) -> str:
    """Return how far a game came that is stopped; its record is written, or has failed to be, before this is said."""
    if not spectator.chances:
        return "before the deal; nothing is kept"
    left = "nothing is kept: for that give --record FILE" if record is None else f"the game so far is in {record}"
    return f"after {count_of(len(spectator.game.moves), 'move')}; {left if failed is None else f'NOT kept: {failed}'}"


def _show(spectator: Spectator, rules: Rules, agents: tuple[str, str], seed: int, delay: float) -> AnnotatedGame:
    """Play the game before the eyes of whoever looks."""
    width = max(min(out.width, 120), NARROWEST)
    live = Live(console=out, auto_refresh=False, transient=True) if out.is_terminal else None

    def show(game: Game, decision: Decision | None) -> None:
        spectator.look(game, decision)
        if live is None:
            out.print(spectator.block(width))
            out.print()
            return
        live.update(spectator.screen(width, out.height), refresh=True)
        time.sleep(delay)

    with live or nullcontext():
        return play_annotated(rules, agents, seed, show)


def _end(spectator: Spectator, commented: AnnotatedGame) -> None:
    """Print the whole game once more if the screen has gone, and how it came to its end."""
    if out.is_terminal:
        print_game(commented)
    else:
        out.print(Text(str(commented.record.outcome), "bold"))
    out.print(Text("who was ahead, both hands open (high: player 1)", "dim"))
    out.print(spectator.course(max(min(out.width, 120), NARROWEST)))
    luck = luck_of(commented.record)
    out.print(
        f"luck of {seat_name(0)}, in points of win probability: "
        f"deal {100 * luck.deal:+.1f}, draws {100 * luck.draws:+.1f}"
    )
