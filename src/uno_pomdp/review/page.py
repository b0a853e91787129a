"""A review as one self-contained HTML page: no script, no font, no picture from elsewhere."""

from html import escape
from importlib.resources import files

from uno_pomdp.cards import card_name, colour_of
from uno_pomdp.display.candidate_table import CandidateTable
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.record import Hidden
from uno_pomdp.review.graph import graph, legend
from uno_pomdp.review.judgement import LEAST_LOSSES, Review, ReviewedMove


def page(review: Review) -> str:
    """Return the whole page."""
    record = review.record
    title = f"{record.players[0]} v {record.players[1]}"
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}: review</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            f"<h1>{escape(title)}</h1>",
            f'<p class="quiet">{escape(_about(review))}</p>',
            '<div class="players">',
            *(_player(review, seat) for seat in SEATS),
            "</div>",
            "<h2>Player 1’s probability of winning</h2>",
            graph(review),
            f'<p class="legend">{legend(review)}</p>',
            "<h2>Moves</h2>",
            '<p class="quiet">Open a move for all its candidates. The figures are the mover’s probability of winning, '
            "in percent, with the best move and, where it was another, with the one played. Behind each player stand "
            "the cards in hand after the move, player 1 : player 2.</p>",
            '<ol class="moves">',
            *(_move(move) for move in review.moves),
            "</ol>",
            f'<p class="quiet">{escape(_footnote())}</p>',
            "</body>",
            "</html>",
            "",
        ]
    )


def _about(review: Review) -> str:
    record = review.record
    parts = [review.result, f"rules {record.rules.name}"]
    if record.observer is not None:
        parts.append(f"as {seat_name(record.observer)} saw it")
    return ", ".join([*parts, review.judge])


def _footnote() -> str:
    return (
        "A move is judged by what its player could know. Lost: how far it lies behind the best move in the same "
        f"imagined worlds, in points of win probability, with the standard error of that difference; {LEAST_LOSSES}. "
        "Accuracy: the share of what was at stake that a player kept. Luck: what the cards drawn were worth to the "
        "drawer, both hands open."
    )


def _player(review: Review, seat: Seat) -> str:
    """Return a player's figures."""
    name = (
        f"<h3><i class='seat{seat + 1}'></i>{seat_name(seat)}<small>{escape(review.record.players[seat])}</small></h3>"
    )
    luck = "" if review.luck is None else f"<dt>luck</dt><dd>{_signed(review.luck.of(seat))}</dd>"
    if seat not in review.seats:
        return f'<section>{name}<p class="quiet">not judged</p><dl>{luck}</dl></section>'
    accuracy = review.accuracy(seat)
    shown = "–" if accuracy is None else f"{accuracy:.1f}"
    counts = "".join(
        f'<dt class="{grade}">{grade}</dt><dd>{count}</dd>' for grade, count in review.grades(seat).items()
    )
    lost = f"<dt>points lost</dt><dd>{100 * review.lost(seat):.1f}</dd>"
    return (
        f'<section>{name}<p class="accuracy">{shown}<small>accuracy</small></p><dl>{counts}{lost}{luck}</dl></section>'
    )


def _move(move: ReviewedMove) -> str:
    """Return a row of the list; one with a choice opens."""
    grade = move.grade or ("forced" if move.forced else "")
    wins = "" if move.before is None else f"{100 * move.before:.0f}"
    if move.after is not None and move.action != move.best:
        wins += f" → {100 * move.after:.0f}"
    row = (
        f'<span class="number">{move.number}</span><span><i class="seat{move.seat + 1}"></i>P{move.seat + 1}</span>'
        f'<span class="sizes">{move.hand_sizes[0]} : {move.hand_sizes[1]}</span>'
        f"<span>{_what(move)}</span><span>{wins}</span>"
        f'<span class="grade {grade}">{grade or "–"}{_lost(move)}{_luck(move)}</span>'
    )
    if not move.judged:
        return f'<li id="move-{move.number}"><div class="row">{row}</div></li>'
    return (
        f'<li id="move-{move.number}"><details><summary class="row">{row}</summary>{_candidates(move)}</details></li>'
    )


def _lost(move: ReviewedMove) -> str:
    return f"<small>−{move.points_lost}</small>" if move.points_lost else ""


def _luck(move: ReviewedMove) -> str:
    return "" if move.luck is None else f"<small>luck {_signed(move.luck)}</small>"


def _signed(share: float) -> str:
    return f"{100 * share:+z.1f}".replace("-", "−")


def _what(move: ReviewedMove) -> str:
    if isinstance(move.drawn, Hidden):
        return f"{action_html(move.action)} {move.drawn.count} hidden"
    drawn = " ".join(f'<b class="card {_colour(colour_of(card))}">{card_name(card)}</b>' for card in move.drawn)
    return f"{action_html(move.action)} {drawn}".rstrip()


def _candidates(move: ReviewedMove) -> str:
    table = CandidateTable(tuple(one.row(one.action == move.action) for one in move.candidates), "played")
    rows = "".join(
        f"<tr{' class=played' if row.chosen else ''}><td>{action_html(one.action)}</td>"
        f'<td><meter min="0" max="1" value="{row.value or 0.0:.4f}"></meter></td>'
        f"<td>{row.wins}</td><td>{table.mark_of(row)}</td></tr>"
        for one, row in zip(move.candidates, table.rows, strict=True)
    )
    visits = max(one.visits for one in move.candidates)
    line = " ".join(map(action_html, move.line)) if len(move.line) > 1 else ""
    note = f"{escape(move.note)}; " if move.note else ""
    expected = f"<p>expected: {line}</p>" if line else ""
    return f'<table>{rows}</table>{expected}<p class="quiet">{note}{visits:,} worlds, the same for all</p>'


def action_html(action: Action) -> str:
    """Return an action; a card in its colour, a black one in the colour that it declares."""
    if action.card is None:
        return escape(str(action))
    black = " black" if colour_of(action.card) is None else ""
    return f'<b class="card {_colour(action.colour)}{black}">{escape(str(action))}</b>'


def _colour(colour: int | None) -> str:
    return "black" if colour is None else ("red", "yellow", "green", "blue")[colour]
