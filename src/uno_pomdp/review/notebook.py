"""A review in a notebook: the course of the game, and each player's costliest moves."""

from typing import Final

from uno_pomdp.display.table import panel, paragraph, table
from uno_pomdp.review.graph import COLOURS, graph, lines_of, whose
from uno_pomdp.review.judgement import Review, ReviewedMove
from uno_pomdp.review.page_data import label, title

WIDTH: Final = 640
"""How wide the graph is at most, in pixels."""


def notebook_view(review: Review) -> str:
    """Return the graph with its legend, both players' figures and their costliest moves, as one element."""
    record = review.record
    about = f"{review.result}, rules {record.rules.name}, {review.judge}"
    return panel(
        title(review),
        paragraph(f"{about}. {whose(review)} probability of winning, in percent:"),
        f'<div style="max-width:{WIDTH}px">{graph(review, linked=False)}</div>',
        _legend(review),
        table(["", "accuracy", "points lost", "decisions"], [_figures(review, seat) for seat in review.seats]),
        *_costliest(review),
    )


def _legend(review: Review) -> str:
    """Return what the lines are, each behind a point of its colour."""
    names = (
        f'<span style="color:{COLOURS[kind]}">&#9679;</span> {name}&#160;&#160; '
        for kind, name in lines_of(review).items()
    )
    return f'<p style="margin:4px 0">{"".join(names)}</p>'


def _figures(review: Review, seat: int) -> list[str]:
    accuracy = review.accuracy(seat)
    shown = "–" if accuracy is None else f"{accuracy:.1f}"
    name = f"{label(review, seat)}, {review.record.players[seat]}"
    return [name, shown, f"{100 * review.lost(seat):.1f}", str(len(review.judged(seat)))]


def _costliest(review: Review) -> list[str]:
    moves = [move for seat in review.seats for move in review.costliest(seat)]
    if not moves:
        return [paragraph("No move is shown to have lost anything.")]
    worst = sorted(moves, key=lambda move: (-(move.loss or 0.0), move.number))
    head = ["costliest moves", "played", "better", "points lost", "grade"]
    return [table(head, [_move(review, move) for move in worst], words=(0, 1, 2, 4))]


def _move(review: Review, move: ReviewedMove) -> list[str]:
    who = f"{move.number}. {review.speaker.names[move.seat]}"
    return [who, str(move.action), str(move.best), move.points_lost, str(move.grade or "–")]
