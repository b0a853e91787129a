"""A saved game, stepped through at a terminal; in a pipe its moves; or as a document."""

from pathlib import Path
from typing import Any

from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.cli.files import read_shown
from uno_pomdp.cli.stopping import telling
from uno_pomdp.cli.ui.console import card_text, cards_text, out, print_json, showing_compilation
from uno_pomdp.cli.ui.narrate import PLAYERS
from uno_pomdp.cli.ui.spectator import Spectator
from uno_pomdp.cli.watch.keys import can_read_keys
from uno_pomdp.cli.watch.viewer import Viewer, at_terminal
from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import InvalidRecord, UnusableFile
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.record import GameRecord, follow_openly, start
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.analyst import make_coach
from uno_pomdp.session.watched import WatchedGame


def watch_game(path: Path, seat: Seat | None, coach: str | None, as_json: bool, spec: BeliefSpec | None = None) -> None:
    """Show the game in a file."""
    with showing_compilation():
        record = read_shown(path, seat, whole=as_json)
        watched = opened(record, path)
        check_seat(watched.timeline, seat, path)
        check_coach(watched.timeline, coach)
        if spec is not None:
            spec.maker()(record.rules, watched.timeline.seen(0))
        if as_json:
            print_json(document(record, path, seat or 0, spec))
            return
    if out.is_terminal and not out.is_dumb_terminal and can_read_keys():
        step_through(watched, coach, seat, spec)
    else:
        print_moves(watched, record)


def opened(record: GameRecord, path: Path) -> WatchedGame:
    """Return a recorded game; refuse one that can't have been."""
    try:
        return WatchedGame.of_record(record)
    except InvalidRecord as error:
        raise UnusableFile(f"{path} is no record of a game: {error}") from error


def check_seat(timeline: Timeline, seat: Seat | None, path: Path) -> None:
    """Refuse a seat of which the record does not say what it saw."""
    if seat is not None and seat not in timeline.seats:
        raise UnusableFile(
            f"{path} is {seat_name(timeline.seats[0])}'s record: what {seat_name(seat)} could know is not in it"
        )


def check_coach(timeline: Timeline, coach: str | None) -> None:
    """Refuse a coach that can't judge this game, before it is shown."""
    all_known = not any(first.hidden_played for first in timeline.firsts.values())
    for seat in timeline.seats:
        make_coach(coach or coach_for(timeline.rules, all_known), timeline.rules, seat)


def step_through(watched: WatchedGame, coach: str | None, seat: Seat | None, spec: BeliefSpec | None) -> None:
    """Let a person step through a game."""
    with telling(lambda: "while a game was watched"), at_terminal(out, with_keys=True) as read:
        viewer = Viewer(out, read, coach)
        viewer.of = seat if seat is not None else 0 if spec is not None else None
        viewer.spec = spec
        with viewer.showing_compilation():
            viewer.browse(watched)
    viewer.mention_failure()


def print_moves(watched: WatchedGame, record: GameRecord) -> None:
    """Print the deal, every move of both players with the sizes of their hands, and the result."""
    timeline, note = watched.timeline, f", {watched.note}" if watched.note else ""
    out.print(Text(f"{watched.names[0]} v {watched.names[1]}, rules {timeline.rules.name}{note}", "bold"))
    for seat in SEATS:
        hand = timeline.hand(0, seat)
        held = Text(f"{timeline.sizes(0)[seat]} hidden cards") if hand is None else cards_text(hand)
        out.print(
            Text(f"{seat_name(seat)}, {watched.names[seat]}, {'holds' if record.midgame else 'is dealt'} ") + held
        )
    out.print(Text("top card ") + card_text(timeline.seen(0).top))
    out.print(PLAYERS.title)
    for number in range(timeline.last + 1):
        for line in PLAYERS.lines(number, timeline.events(number), timeline.sizes(number)) if number else ():
            out.print(line)
        for undone in watched.taken_back(number):
            moves = ", ".join(f"{PLAYERS.labels[move.seat]} {move.action}" for move in undone.moves)
            out.print(Text(f"     taken back here: {moves}", "dim"))
    out.print(Text("unfinished" if record.outcome is None else str(record.outcome), "bold"))


def document(record: GameRecord, path: Path, seat: Seat, spec: BeliefSpec | None) -> dict[str, Any]:
    """Return a whole game as JSON values, every moment of it as in `watch A B`."""
    if record.observer is not None:
        raise UnusableFile(
            f"{path} is {seat_name(record.observer)}'s record, in which cards are hidden: only a whole record can be "
            "written with --json; `uno-pomdp analyze` takes both"
        )
    game, spectator = start(record), Spectator(record.players, seat, spec)
    spectator.look(game, None)
    moments = [spectator.to_json()]
    for move in record.moves:
        follow_openly(game, move)
        spectator.look(game, Decision(move.action))
        moments.append(spectator.to_json())
    return {
        "rules": record.rules.name,
        "deal_seed": record.seed,
        "players": list(record.players),
        "result": "unfinished" if record.outcome is None else str(record.outcome),
        "luck": luck_of(record).to_json(),
        "file": str(path),
        "deal": moments[0],
        "moves": moments[1:],
    }
