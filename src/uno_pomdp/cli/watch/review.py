"""The review of a game, printed."""

from typing import Final

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.cli.ui.candidates import candidates_view
from uno_pomdp.cli.ui.console import action_text, cards_text, out
from uno_pomdp.cli.ui.narrate import PLAYERS
from uno_pomdp.cli.ui.sparkline import strip
from uno_pomdp.cli.watch.words import GRADE_STYLES, better
from uno_pomdp.game.actions import CHALLENGE, Action, seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Hidden
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.review.judgement import BAD, LEAST_LOSSES, Grade, Review, ReviewedMove

LEAST_NAMED: Final = 3
"""Moves that are named as the costliest, if so many lost anything."""


def print_review(review: Review) -> None:
    """Print a review: both players, the course of the game, every move, what cost most."""
    record = review.record
    seen_by = "" if record.observer is None else f", as {seat_name(record.observer)} saw it"
    out.print(Text(f"{record.players[0]} v {record.players[1]}, rules {record.rules.name}{seen_by}", "bold"))
    out.print(Text(review.result))
    out.print(Text(review.judge, "dim"))
    out.print()
    out.print(_players(review))
    if review.open_hands:
        out.print()
        out.print(Text("who was ahead, both hands open (high: player 1)", "dim"))
        out.print(strip(review.open_hands, min(out.width, 120)))
    out.print()
    out.print(_moves(review))
    timeline = Timeline.of_record(review.record)
    for seat in review.seats:
        print_costliest(review, seat, timeline)
    out.print()
    out.print(
        "P1 : P2: the cards in both hands after the move. "
        "before, after: the mover's probability of winning with the best move and the one made, by what it could know. "
        f"lost: the difference in points with its standard error; {LEAST_LOSSES}. "
        "luck: what the cards drawn were worth to the drawer, both hands open.",
        style="dim",
    )


def print_costliest(review: Review, seat: Seat, timeline: Timeline) -> None:
    """Print a player's moves that lost most, all that are marked among them, with what the better one does."""
    marked = sum(move.grade in BAD for move in review.judged(seat))
    worst = review.costliest(seat, max(LEAST_NAMED, marked))
    if not worst:
        return
    out.print()
    out.print(f"what cost {seat_name(seat)} most", style="bold")
    for move in worst:
        assert move.best is not None
        assert move.loss is not None
        line = Text(f"{move.number:>3}. ") + action_text(move.action) + Text(f" lost {100 * move.loss:.1f} points: ")
        line += action_text(move.best) + Text(f" wins {_percent(move.before)}, this {_percent(move.after)}")
        out.print(line + Text(f" ({move.note})" if move.note else ""))
        out.print(Padding(better(move, timeline.seen(move.number - 1, seat)), (0, 0, 0, 5), expand=False))


def print_candidates(review: Review) -> None:
    """Print all that was weighed at every move with a choice."""
    for move in review.moves:
        if move.best is None:
            continue
        out.print()
        out.print(Text(f"{move.number}. {seat_name(move.seat)}", "bold"))
        if move.lie is not None:
            out.print(f"{move.lie}", markup=False)
        decision = Decision(move.best, move.candidates, move.line, note=move.note)
        out.print(candidates_view(decision, played=move.action, width=out.width))


def _players(review: Review) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    columns = []
    for seat in SEATS:
        table.add_column(seat_name(seat), justify="right", no_wrap=True)
        columns.append(_figures(review, seat))
    for title, first, second in zip(columns[0], columns[0].values(), columns[1].values(), strict=True):
        table.add_row(title, first, second)
    return table


def _figures(review: Review, seat: Seat) -> dict[str, str]:
    """Return a player's figures by name; empty where that player was not judged."""
    judged, accuracy = seat in review.seats, review.accuracy(seat)
    figures = {
        "accuracy": "" if accuracy is None else f"{accuracy:.1f}",
        "choices": str(len(review.judged(seat))) if judged else "",
        **{_plural(grade): str(count) if judged else "" for grade, count in review.grades(seat).items()},
        "points lost": f"{100 * review.lost(seat):.1f}" if judged else "",
    }
    return figures if review.luck is None else figures | {"luck": f"{100 * review.luck.of(seat):+z.1f}"}


def _plural(grade: Grade) -> str:
    return {Grade.INACCURACY: "inaccuracies", Grade.MISTAKE: "mistakes", Grade.BLUNDER: "blunders"}.get(grade, grade)


def _moves(review: Review) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("#", justify="right")
    table.add_column(PLAYERS.head, no_wrap=True)
    table.add_column("who", no_wrap=True)
    table.add_column("what")
    for title in ("before", "after", "lost"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("grade", no_wrap=True)
    table.add_column("better", no_wrap=True)
    table.add_column("luck", justify="right", no_wrap=True)
    for move in review.moves:
        grade = move.grade or ("forced" if move.forced else "")
        table.add_row(
            str(move.number),
            PLAYERS.sizes(move.hand_sizes),
            PLAYERS.labels[move.seat],
            _what(move),
            _percent(move.before),
            _percent(move.after),
            move.points_lost,
            Text(grade, GRADE_STYLES.get(move.grade, "") if move.grade else "dim"),
            Text("") if move.best in (None, move.action) else _short(move.best),
            "" if move.luck is None else f"{100 * move.luck:+z.1f}",
        )
    return table


def _what(move: ReviewedMove) -> Text:
    if isinstance(move.drawn, Hidden):
        return _short(move.action) + Text(f" {move.drawn.count} hidden")
    return _short(move.action) + Text(" " if move.drawn else "") + cards_text(move.drawn)


def _short(action: Action | None) -> Text:
    """Return an action in a narrow column."""
    assert action is not None
    return Text("chall.") if action == CHALLENGE else action_text(action)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
