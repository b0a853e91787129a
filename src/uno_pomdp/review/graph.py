"""The course of a game as an SVG picture: the win probability by what each player could know, and the mistakes.

Three lines, all of them player 1's win probability, or the person's in a game against an agent: with both hands open
(grey), by what player 1 could know and by what player 2 could. Where a move lost something, its player's line turns
against that player; mistakes are marked there.
Colours are those of a light page; elements have CSS classes too, so that a page can restyle them for dark mode.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from uno_pomdp.display.svg import EDGE, FONT, GROUND, QUIET
from uno_pomdp.game.layout import FIRST, SEATS, Seat
from uno_pomdp.narration.words import capitalised
from uno_pomdp.review.judgement import Grade, Review, ReviewedMove

WIDTH: Final = 480
HEIGHT: Final = 240
LEFT: Final = 34
RIGHT: Final = 8
TOP: Final = 10
BOTTOM: Final = 22
RADII: Final = {Grade.INACCURACY: 4.0, Grade.MISTAKE: 5.5, Grade.BLUNDER: 7.0}
"""How large the mark of a mistake is."""
COLOURS: Final = {"open": "#9aa3ae", "seat1": "#1668c7", "seat2": "#c2410c"}
"""By class of a line, its colour on a light page."""
Point = tuple[float, float]


class Frame:
    """Maps moves and win probabilities to places in the picture."""

    def __init__(self, moves: int) -> None:
        self._moves = max(moves, 1)

    def x(self, place: float) -> float:
        """Return where a move lies: 0 is the deal, n the position after move n."""
        return LEFT + (WIDTH - LEFT - RIGHT) * place / self._moves

    def y(self, chance: float) -> float:
        """Return the height of a win probability of the one whose graph it is."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - chance)

    def path(self, points: Sequence[Point]) -> str:
        """Return the line through moves and win probabilities."""
        return "M" + " L".join(f"{self.x(place):.1f} {self.y(chance):.1f}" for place, chance in points)


def graph(review: Review, linked: bool = True) -> str:
    """Return the picture of a review; in a page its marks are linked to the moves."""
    frame = Frame(len(review.moves))
    role = "group" if linked else "img"  # nothing inside an image can be reached by keys
    parts = [
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="{role}" xmlns="http://www.w3.org/2000/svg" '
        f'font-family="{FONT}" font-size="11" fill="{QUIET}">',
        f"<title>{whose(review)} probability of winning, move by move</title>",
        *_axes(frame, len(review.moves)),
    ]
    if review.open_hands:
        chances = (chance_of(chance, FIRST, review.reader) for chance in review.open_hands)
        parts.append(_line("open", frame.path([*enumerate(chances)])))
    lines = [(seat, seen_by(review, seat)) for seat in review.seats]
    parts += [_line(f"seat{seat + 1}", frame.path(points)) for seat, points in lines if points]
    parts += [_mark(frame, review, move, linked) for move in review.moves if move.grade in RADII]
    return "\n".join([*parts, "</svg>"])


def _line(kind: str, path: str) -> str:
    """Return a line of a kind; that of open hands is dashed."""
    dashes = ' stroke-dasharray="3 3"' if kind == "open" else ""
    return f'<path class="{kind}" d="{path}" fill="none" stroke="{COLOURS[kind]}" stroke-width="1.8"{dashes}/>'


def whose(review: Review) -> str:
    """Return whose probability of winning the graph shows, as a possessive."""
    return "Your" if review.person is not None else f"{capitalised(review.speaker.names[review.reader])}’s"


def seen_by(review: Review, seat: Seat) -> list[Point]:
    """Return a player's line: before and after each of its choices, and the result if the game has ended."""
    points: list[Point] = []
    for move in review.judged(seat):
        for place, chance in ((move.number - 1, move.before), (move.number, move.after)):
            assert chance is not None
            points.append((place, chance_of(chance, seat, review.reader)))
    if points and review.record.outcome is not None:
        points.append((len(review.moves), (1 + review.record.outcome.result(review.reader)) / 2))
    return points


def chance_of(chance: float, seat: Seat, reader: Seat) -> float:
    """Return the win probability of the one whose graph it is, given that of a seat."""
    return chance if seat == reader else 1.0 - chance


def _axes(frame: Frame, moves: int) -> list[str]:
    parts = []
    for percent in (0, 25, 50, 75, 100):
        y = frame.y(percent / 100)
        kind, stroke = ("middle", QUIET) if percent == 50 else ("grid", EDGE)
        ends = f'x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"'
        parts.append(f'<line class="{kind}" {ends} stroke="{stroke}" stroke-width="0.7"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>')
    step = next((step for step in (1, 2, 5, 10, 20, 50, 100) if moves <= 10 * step), 200)
    numbers = range(0, moves + 1, step)
    return parts + [f'<text x="{frame.x(n):.1f}" y="{HEIGHT - 6}" text-anchor="middle">{n}</text>' for n in numbers]


def _mark(frame: Frame, review: Review, move: ReviewedMove, linked: bool) -> str:
    """Return the mark of a mistake; it says what it was, and if linked leads to the move."""
    assert move.grade is not None
    assert move.loss is not None
    assert move.after is not None
    x, y = frame.x(move.number), frame.y(chance_of(move.after, move.seat, review.reader))
    who = review.speaker.names[move.seat]
    what = f"{move.number}. {who} {move.action}: {move.grade}, {100 * move.loss:.1f} points lost"
    kind = f"seat{move.seat + 1}"
    look = f'fill="{COLOURS[kind]}" stroke="{GROUND}"'
    name, place = _shape(move.seat, x, y, RADII[move.grade])
    title = f"<title>{escape(what)}; better {move.best}</title>"
    mark = f'<{name} class="mark {kind}" {place} {look}>{title}</{name}>'
    return f'<a href="#move-{move.number}" aria-label="{escape(what)}">{mark}</a>' if linked else mark


def _shape(seat: Seat, x: float, y: float, radius: float) -> tuple[str, str]:
    """Return a circle for player 1, a square of about the same size for player 2: not all see their colours."""
    if seat == FIRST:
        return "circle", f'cx="{x:.1f}" cy="{y:.1f}" r="{radius}"'
    half = 0.9 * radius
    return "rect", f'x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}"'


def legend(review: Review) -> str:
    """Return what the lines are, for the page."""
    return "".join(f'<span><i class="{kind}"></i>{name}</span>' for kind, name in lines_of(review).items())


def lines_of(review: Review) -> dict[str, str]:
    """Return by class what each line is, in words."""
    names = {"open": "both hands open"} if review.open_hands else {}
    judged = (seat for seat in SEATS if seat in review.seats)
    return names | {f"seat{seat + 1}": f"by what {review.speaker.names[seat]} could know" for seat in judged}
