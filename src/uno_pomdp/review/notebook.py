"""A review in a notebook: the course of the game, and each player's costliest moves."""

from importlib.resources import files

from uno_pomdp.display.table import panel, paragraph, table
from uno_pomdp.game.actions import seat_name
from uno_pomdp.review.graph import graph, legend
from uno_pomdp.review.judgement import Review, ReviewedMove


def graph_style() -> str:
    """Return the style sheet of the graph, which a page shares."""
    return files(__package__).joinpath("graph.css").read_text(encoding="utf-8")


def notebook_view(review: Review) -> str:
    """Return the graph with its legend, both players' figures and their costliest moves, as one element."""
    record = review.record
    result = "unfinished" if record.outcome is None else str(record.outcome)
    return panel(
        f"{record.players[0]} v {record.players[1]}",
        f"<style>{graph_style()}</style>",
        paragraph(
            f"{result}, rules {record.rules.name}, {review.judge}. Player 1’s probability of winning, in percent:"
        ),
        graph(review, linked=False),
        f'<p class="win-legend">{legend(review)}</p>',
        table(["", "accuracy", "points lost", "decisions"], [_figures(review, seat) for seat in review.seats]),
        *_costliest(review),
    )


def _figures(review: Review, seat: int) -> list[str]:
    accuracy = review.accuracy(seat)
    shown = "–" if accuracy is None else f"{accuracy:.1f}"
    name = f"{seat_name(seat)}, {review.record.players[seat]}"
    return [name, shown, f"{100 * review.lost(seat):.1f}", str(len(review.judged(seat)))]


def _costliest(review: Review) -> list[str]:
    moves = [move for seat in review.seats for move in review.costliest(seat)]
    if not moves:
        return [paragraph("No move is shown to have lost anything.")]
    worst = sorted(moves, key=lambda move: (-(move.loss or 0.0), move.number))
    head = ["costliest moves", "played", "better", "points lost", "grade"]
    return [table(head, [_move(move) for move in worst])]


def _move(move: ReviewedMove) -> list[str]:
    lost = f"{100 * (move.loss or 0.0):.1f} ± {100 * (move.error or 0.0):.1f}"
    return [f"{move.number}. {seat_name(move.seat)}", str(move.action), str(move.best), lost, str(move.grade or "–")]
