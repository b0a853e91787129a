"""From the record in a query to what its seat has seen: nothing else in an open record is used, or told in refusals."""

import re
from typing import Final

from uno_pomdp.engine.protocol import Query, Refused
from uno_pomdp.errors import InvalidRecord, InvalidRules
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.notation import parse_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import GameRecord, replay
from uno_pomdp.game.record_lines import BOM, HEADER
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.rules import CHOICES, as_rules
from uno_pomdp.session.setup import playing

CARD: Final = re.compile(r"\b(?:[RYGB](?:[0-9SR]\b|\+2)|W4?\b)", re.IGNORECASE)
"""What may be the name of a card."""
BEGINNING: Final = HEADER.partition(",")[0]
"""How the first line of every record begins."""
OPEN_LINES: Final = frozenset(
    (
        *("rules", "deck", "hand_size", *CHOICES, "player 1", "player 2", "practice", "match", "round", "score"),
        *("top", "colour", "turn", "owed", "colour before", "result"),
    )
)
"""Lines of a record that both players may read."""


def position(query: Query) -> tuple[SeatHistory, GameRecord]:
    """Return what the seat of a query has seen, and the record that says so."""
    number, header = _header(query.record)
    if not header.startswith(BEGINNING):
        raise Refused("illegal_record", f"the text is no record: one begins with {HEADER!r}", number)
    observer = next((seat for seat in SEATS if header.endswith(f", seen by {seat_name(seat)}")), None)
    seat = observer if query.seat is None else query.seat
    if seat is None:
        raise Refused("bad_request", "the record is of a whole game: seat, 1 or 2, says whose position it is")
    if observer not in (None, seat):
        raise Refused("other_seat", f"this is {seat_name(1 - seat)}'s record: what {seat_name(seat)} saw is not in it")
    try:
        record = parse_record(query.record)
    except InvalidRecord as error:
        own = observer == seat
        message = error.reason if own or _may_tell(error, query.record) else _withheld(seat)
        raise Refused("illegal_record", message, error.line or None) from error
    person = playing(record)
    if person not in (None, seat):
        raise Refused(
            "other_seat",
            f"the game counts and is not over: until then {seat_name(seat)}'s cards stay hidden, and only the position "
            f"of {seat_name(1 - seat)}, the person in it, is analysed",
        )
    _check_rules(query, record)
    return (replay(record).history(seat) if observer is None else ObservedGame.replayed(record).history), record


def _header(text: str) -> tuple[int, str]:
    """Return the first line of a text that says something, with its number."""
    lines = enumerate(map(str.strip, text.removeprefix(BOM).split("\n")), 1)
    return next(((number, line) for number, line in lines if line and not line.startswith("#")), (1, ""))


def _check_rules(query: Query, record: GameRecord) -> None:
    if query.rules is None:
        return
    try:
        rules = as_rules(query.rules)
    except InvalidRules as error:
        raise Refused("unknown_rules", str(error)) from error
    if rules != record.rules:
        raise Refused("other_rules", f"the record is of a game by the rules {record.rules.name}, not {rules.name}")


def _may_tell(error: InvalidRecord, text: str) -> bool:
    """Return whether the reason names no card: it is about a line that is open to both, and has none in it."""
    lines = text.split("\n")
    if CARD.search(error.reason) or error.line == 0:
        return False
    if error.line > len(lines):
        return True
    line = lines[error.line - 1].strip()
    return line.startswith(BEGINNING) or line.partition(":")[0].strip() in OPEN_LINES


def _withheld(seat: Seat) -> str:
    return (
        "the game can't be as this line and those before it say; why is not told, for the record is of the whole game, "
        f"and the reason could name cards that {seat_name(seat)} has not seen"
    )
