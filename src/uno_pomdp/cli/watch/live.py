"""A game between two agents, move by move, with both hands open."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.cli.failed_games import showing_failures
from uno_pomdp.cli.files import attempt, read_by
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.stopping import Stopped, telling
from uno_pomdp.cli.ui.annotated_game import AnnotatedGame, play_annotated, print_game
from uno_pomdp.cli.ui.console import err, out, print_json, showing_compilation
from uno_pomdp.cli.ui.spectator import Spectator
from uno_pomdp.cli.watch.keys import can_read_keys
from uno_pomdp.cli.watch.viewer import Viewer, at_terminal
from uno_pomdp.errors import CannotWrite
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.files import claim
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import record_of
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.analyst import make_coach
from uno_pomdp.rules import Rules

NARROWEST: Final = 60
"""Columns below which a screen is not drawn narrower: the terminal breaks its lines then."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A game that is to be played before somebody's eyes."""

    rules: Rules
    """By which rules."""
    agents: tuple[str, str]
    """Who plays."""
    seed: int
    """Same seed, same game."""
    seat: Seat | None = None
    """Whose belief is shown; None for both where there is room for them, else player 1's."""
    delay: float = 1.0
    """Seconds between two moves, in a terminal."""
    spec: BeliefSpec | None = None
    """The belief beside the exact one, if one was asked for."""


def watch_agents(asked: Asked, coach: str | None, record: Path | None, as_json: bool, force: bool = False) -> None:
    """Play a game and show it: a live screen in a terminal, else a page that grows; a game broken off is recorded."""
    agents, spec = asked.agents, asked.spec
    claim(record, force, [*read_by(*agents, coach), *(() if spec is None else spec.reads)])
    if coach is not None:
        for seat in SEATS:
            make_coach(coach, asked.rules, seat)
    spectator = Spectator(agents, asked.seat or 0, spec)
    kept = _Kept(spectator, agents, record, force)
    on_screen = _has_screen() and not as_json
    with telling(kept.came_to):
        try:
            with showing_failures(), nullcontext() if on_screen else showing_compilation():
                if as_json:
                    moments: list[dict[str, Any]] = []

                    def keep(game: Game, decision: Decision | None) -> None:
                        spectator.look(game, decision)
                        moments.append(spectator.to_json())

                    commented = play_annotated(asked.rules, agents, asked.seed, keep)
                    told = {"seed": asked.seed, "deal": moments[0], "moves": moments[1:]}
                    print_json(commented.to_json() | told)
                elif on_screen:
                    commented = _played_at_terminal(asked, spectator, coach, kept)
                    with showing_compilation():
                        _end(spectator, commented)
                else:
                    commented = _printed(asked, spectator)
                    _end(spectator, commented)
        except Leave:
            kept.write()
            out.print(f"left {kept.came_to()}", markup=False, soft_wrap=True)
        except BaseException as error:
            kept.write()
            if kept.failed is not None and not isinstance(error, KeyboardInterrupt | Stopped):
                err.print(f"uno-pomdp: {kept.failed}", markup=False, soft_wrap=True)  # beside what broke the game off
            raise
    kept.write()
    if kept.failed is not None:
        raise kept.failed


class _Kept:
    """The record of a game that is being watched: written where it is wanted, once the game is over or broken off."""

    def __init__(self, spectator: Spectator, agents: tuple[str, str], record: Path | None, force: bool) -> None:
        self.failed: CannotWrite | None = None
        """What went wrong."""
        self._spectator = spectator
        self._agents = agents
        self._record = record
        self._force = force
        self._written = False

    def write(self) -> None:
        """Write the game so far, once it is dealt; only the first time counts."""
        if self._written or self._record is None or not self._spectator.dealt:
            return
        self._written = True
        record = record_of(self._spectator.game, self._agents)
        self.failed = attempt(self._record, lambda file: save_record(file, record, over=self._force))

    def came_to(self) -> str:
        """Return how far a game came that is stopped; its record is written, or has failed to be, before this."""
        if not self._spectator.dealt:
            return "before the deal; nothing is kept"
        left = "nothing is kept: for that give --record FILE"
        if self._record is not None:
            left = f"the game so far is in {self._record}"
        moves = count_of(len(self._spectator.game.moves), "move")
        return f"after {moves}; {left if self.failed is None else f'NOT kept: {self.failed}'}"


def _has_screen() -> bool:
    return out.is_terminal and not out.is_dumb_terminal


def _printed(asked: Asked, spectator: Spectator) -> AnnotatedGame:
    """Play the game on a page that grows."""
    width = max(min(out.width, 120), NARROWEST)

    def show(game: Game, decision: Decision | None) -> None:
        spectator.look(game, decision)
        out.print(spectator.block(width))
        out.print()

    return play_annotated(asked.rules, asked.agents, asked.seed, show)


def _played_at_terminal(asked: Asked, spectator: Spectator, coach: str | None, kept: _Kept) -> AnnotatedGame:
    """Play the game on a screen, where a person can pause it and step back; at its end they may look at it again."""
    with at_terminal(out, can_read_keys()) as read:
        viewer = Viewer(out, read, coach, asked.delay)
        viewer.of = asked.seat if asked.seat is not None else 0 if asked.spec is not None else None
        viewer.spec = asked.spec

        def show(game: Game, decision: Decision | None) -> None:
            spectator.look(game, decision)
            viewer.follow(spectator.watched)

        with viewer.showing_compilation():
            commented = play_annotated(asked.rules, asked.agents, asked.seed, show)
            kept.write()  # before somebody looks at it for an hour
            if read is not None:
                spectator.watched.record = commented.record
                viewer.browse(spectator.watched)
    viewer.mention_failure()
    return commented


def _end(spectator: Spectator, commented: AnnotatedGame) -> None:
    """Print the whole game once more if the screen has gone, and how it came to its end."""
    if _has_screen():
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
