"""What the page of a review shows, as plain values: JSON for its script, and rows for its template.

The script draws the board at each move from `page_data`; without scripts the list of moves says the same in text.
"""

from typing import Any, Final

from uno_pomdp.cards import COLOUR_NAMES, CardType, card_name, colour_of
from uno_pomdp.display.candidate_table import CandidateTable
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Hidden
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.narration.words import capitalised
from uno_pomdp.review import graph
from uno_pomdp.review.judgement import LEAST_LOSSES, Review, ReviewedMove
from uno_pomdp.review.positions import position_at

Values = dict[str, Any]
"""Plain values by name."""
DIGITS: Final = 5
"""Of a share: more than the page shows of it."""
USUAL: Final = {
    "random": (50, 3.7),
    "greedy": (59, 3.4),
    "heuristic": (92, 0.8),
    "the coach itself": (98, 0.2),
}
"""By player, its usual accuracy in percent and the points it loses at a choice: measured, in docs/review.md."""


def page_data(review: Review) -> Values:
    """Return all that the script needs: the review as `--json` prints it, every position, and moves in words."""
    timeline = Timeline.of_record(review.record)
    data = review.to_json()
    for values, move in zip(data["moves"], review.moves, strict=True):
        values |= {"words": review.speaker.told(timeline.events(move.number)), "lost": move.points_lost}
        values["better"] = _better(move, timeline)
    data["names"] = list(review.speaker.names)
    data["labels"] = [label(review, seat) for seat in SEATS]
    data["ending"] = ending(review)
    data["person"] = None if review.person is None else review.person + 1
    data["positions"] = [position_at(timeline, number).to_json() for number in range(timeline.last + 1)]
    data["graph"] = {"left": graph.LEFT, "width": graph.WIDTH - graph.LEFT - graph.RIGHT, "top": graph.TOP}
    data["graph"]["height"] = graph.HEIGHT - graph.TOP - graph.BOTTOM
    shortened: Values = _shortened(data)
    return shortened


def _shortened(values: Any) -> Any:
    """Return the same with shares in as many digits as are of use: a long game is a large page."""
    match values:
        case float():
            return round(values, DIGITS)
        case dict():
            return {name: _shortened(each) for name, each in values.items()}
        case list():
            return [_shortened(each) for each in values]
        case _:
            return values


def _better(move: ReviewedMove, timeline: Timeline) -> str:
    """Return what the best move does, in a sentence; nothing where it was played, or nothing was judged."""
    if move.best is None or move.best == move.action:
        return ""
    return f"{move.best}: {effect_of(move.best, timeline.seen(move.number - 1, move.seat))}."


# --- for the template --------------------------------------------------------------------------------------


def page_values(review: Review) -> Values:
    """Return what the template of the page is given beside the data of its script."""
    return {
        "title": title(review),
        "whose": graph.whose(review),
        "own_sizes": "yours : the opponent’s" if review.person is not None else "player 1 : player 2",
        "usual": USUAL,
        "about": about(review),
        "players": [player_values(review, seat) for seat in SEATS],
        "lines": graph.lines_of(review),
        "moves": [move_values(move, review) for move in review.moves],
        "footnote": footnote(),
    }


def title(review: Review) -> str:
    """Return who played whom."""
    first, second = review.record.players
    return f"{first} v {second}" if review.person is None else f"You v {(first, second)[1 - review.person]}"


def ending(review: Review) -> str:
    """Return how the game ended, in words."""
    outcome = review.record.outcome
    if outcome is None or outcome.winner is None or review.person is None:
        return review.result
    return f"{'you win' if outcome.winner == review.person else 'the opponent wins'} ({outcome.reason})"


def label(review: Review, seat: Seat) -> str:
    """Return what a player is called in a heading."""
    name = review.speaker.names[seat]
    return name if review.person is None else capitalised(name)


def about(review: Review) -> str:
    """Return in a line how the game ended, by which rules, who saw it and who judged."""
    record = review.record
    parts = [ending(review), f"rules {record.rules.name}"]
    if record.observer is not None:
        parts.append(f"as {review.speaker.names[record.observer]} saw it")
    return ", ".join([*parts, review.judge])


def footnote() -> str:
    """Return what the figures mean."""
    return (
        "A move is judged by what its player could know. Lost: how far it lies behind the best move in the same "
        f"imagined worlds, in points of win probability, with the standard error of that difference; {LEAST_LOSSES}. "
        "Accuracy: the share of what was at stake that a player kept. Luck: what the cards drawn were worth to the "
        "drawer, both hands open."
    )


def player_values(review: Review, seat: Seat) -> Values:
    """Return a player's figures."""
    accuracy = review.accuracy(seat)
    return {
        "seat": seat + 1,
        "label": label(review, seat),
        "name": seat_name(seat) if seat == review.person else review.record.players[seat],
        "judged": seat in review.seats,
        "accuracy": "–" if accuracy is None else f"{accuracy:.1f}",
        "grades": {str(grade): count for grade, count in review.grades(seat).items()},
        "lost": f"{100 * review.lost(seat):.1f}",
        "each": f"{100 * review.lost(seat) / max(1, len(review.judged(seat))):.1f}",
        "luck": "" if review.luck is None else _signed(review.luck.of(seat)),
    }


def move_values(move: ReviewedMove, review: Review) -> Values:
    """Return a row of the list of moves, with its candidates if there was a choice."""
    wins = "" if move.before is None else f"{100 * move.before:.0f}"
    if move.after is not None and move.action != move.best:
        wins += f" → {100 * move.after:.0f}"
    return {
        "number": move.number,
        "seat": move.seat + 1,
        "who": _short_name(move.seat, review),
        "sizes": f"{move.hand_sizes[review.reader]} : {move.hand_sizes[1 - review.reader]}",
        "what": _chip(move.action),
        "drawn": _drawn(move),
        "wins": wins,
        "grade": str(move.grade or ("forced" if move.forced else "")),
        "lost": move.points_lost,
        "luck": "" if move.luck is None else _signed(move.luck),
        "judged": move.judged,
        **candidate_values(move),
    }


def candidate_values(move: ReviewedMove) -> Values:
    """Return all that was legal, what the coach expected and what it says."""
    table = CandidateTable(tuple(one.row(one.action == move.action) for one in move.candidates), "played")
    return {
        "candidates": [
            {
                "action": _chip(one.action),
                "value": f"{row.value or 0.0:.4f}",
                "wins": row.wins,
                "mark": table.mark_of(row),
            }
            for one, row in zip(move.candidates, table.rows, strict=True)
        ],
        "line": [_chip(action) for action in move.line] if len(move.line) > 1 else [],
        "note": "; ".join(filter(None, ["" if move.lie is None else str(move.lie), move.note])),
        "worlds": max((one.visits for one in move.candidates), default=0),
    }


def _signed(share: float) -> str:
    return f"{100 * share:+z.1f}".replace("-", "−")


def _short_name(seat: Seat, review: Review) -> str:
    """Return who moved, in a column of the list: the opponent of a person by its name without options."""
    if review.person is None:
        return review.speaker.labels[seat]
    return "You" if seat == review.person else review.record.players[seat].partition(":")[0]


def _drawn(move: ReviewedMove) -> list[Values]:
    """Return the cards drawn, in order."""
    if isinstance(move.drawn, Hidden):
        return [{"text": f"{move.drawn.count} hidden", "colours": ""}]
    return [_card_chip(card) for card in move.drawn]


def _chip(action: Action) -> Values:
    """Return an action; a card has its colour, a black one that which it declares."""
    if action.card is None:
        return {"text": str(action), "colours": ""}
    black = " black" if colour_of(action.card) is None else ""
    return {"text": str(action), "colours": f"{_colour(action.colour)}{black}"}


def _card_chip(card: CardType) -> Values:
    return {"text": card_name(card), "colours": _colour(colour_of(card))}


def _colour(colour: int | None) -> str:
    return "black" if colour is None else COLOUR_NAMES[colour]
