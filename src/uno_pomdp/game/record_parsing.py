"""From a record's text to the record, by replay: what is damaged is refused with its line and the reason."""

from typing import Any, Final

from uno_pomdp.cards import Cards, parse_card, parse_colour
from uno_pomdp.errors import InvalidRecord, InvalidRules, quoted
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.consistency import ConsistencyCheck
from uno_pomdp.game.deal import Midgame
from uno_pomdp.game.game import MAX_SEED
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Move
from uno_pomdp.game.move_parsing import parse_move
from uno_pomdp.game.outcome import Outcome, Reason
from uno_pomdp.game.record import GameRecord, OpenReplay, check_end, settled
from uno_pomdp.game.record_lines import (
    HEADER,
    UNFINISHED,
    Reader,
    parse_hand,
    parse_number,
    parse_pile,
    parse_seat,
    record_name,
)
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import CHOICES, FIELDS, Rules, parse_deck

OUTCOMES: Final = {
    str(outcome): outcome for winner in (*SEATS, None) for reason in Reason for outcome in [Outcome(winner, reason)]
}
"""Every ending by its text."""

Course = list[tuple[Move | int, int]]
"""All that was done, each with its line: a move, or how many were taken back."""


def parse_record(text: str) -> GameRecord:
    """Return the record that a text holds, after replaying it; a damaged one names its line and the reason.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("mini-7", seed=1)
    >>> uno.replay(uno.parse_record(uno.format_record(uno.record_of(game)))) == game
    True
    """
    if not isinstance(text, str):
        raise InvalidRecord(f"a record is a text, not {quoted(text)}")
    reader = Reader(text)
    observer = _parse_header(reader)
    reader.field("rules")
    rules = _parse_rules(reader)
    seed = _parse_seed(reader, observer)
    first, second = (_parse_name(reader, seat_name(seat)) for seat in SEATS)
    practice, practice_line = _parse_practice(reader), reader.line
    match = _parse_match(reader)
    coach, belief = (_parse_name(reader, name) if reader.next_is(name) else None for name in ("coach", "belief"))
    with reader.blaming():
        top = parse_card(reader.field("top"))
        midgame = _parse_midgame(reader)
        hands = parse_hand(reader.field("hand 1")), parse_hand(reader.field("hand 2"))
        pile = parse_pile(reader.field("draw pile"))
    deal_line = reader.line
    course = _parse_course(reader)
    moves, undone = settled(entry for entry, _ in course)
    if undone and practice is False:
        raise InvalidRecord("moves are taken back in it, so it is a practice game", practice_line)
    record = GameRecord(
        rules=rules,
        players=(first, second),
        top=top,
        hands=hands,
        pile=pile,
        moves=moves,
        outcome=_parse_result(reader),
        seed=seed,
        observer=observer,
        midgame=midgame,
        match=match,
        undone=undone,
        practice=bool(practice),
        coach=coach,
        belief=belief,
    )
    _verify(record, deal_line, course, reader.line)
    return record


# --- above the moves -------------------------------------------------------------------------------------


def _parse_header(reader: Reader) -> Seat | None:
    header = reader.read(HEADER)
    if header == HEADER:
        return None
    for seat in SEATS:
        if header == f"{HEADER}, seen by {seat_name(seat)}":
            return seat
    raise InvalidRecord(f"a record begins with {HEADER!r}, not with {quoted(header)}", reader.line)


def _parse_rules(reader: Reader) -> Rules:
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    while (name := (reader.peek() or "").partition(":")[0].strip()) != "seed" or not {"deck", "hand_size"} <= set(
        lines
    ):
        wanted = next((field for field in ("deck", "hand_size") if field not in lines), "seed")
        text = reader.field(name if name in FIELDS else wanted)
        if name in lines:
            raise InvalidRecord(f"{name} is given twice: give it once", reader.line)
        lines[name] = reader.line
        with reader.blaming():
            values[name] = parse_deck(text) if name == "deck" else text if name in CHOICES else parse_number(text)
    try:
        return Rules(**values)
    except InvalidRules as error:
        raise InvalidRecord(str(error), lines.get(error.field, reader.line)) from error


def _parse_seed(reader: Reader, observer: Seat | None) -> int | None:
    text = reader.field("seed")
    if (text == "hidden") != (observer is not None):
        raise InvalidRecord("the seed is a number in a whole record and 'hidden' in an observer's", reader.line)
    with reader.blaming():
        seed = None if observer is not None else parse_number(text)
        if seed is not None and seed > MAX_SEED:
            raise InvalidRecord(f"{seed} is no deal seed: they go up to 2^64 - 1")
        return seed


def _parse_name(reader: Reader, field: str) -> str:
    name = reader.field(field)
    with reader.blaming():
        return record_name(name)


def _parse_practice(reader: Reader) -> bool | None:
    """Return whether it is a practice game; None if nothing is said."""
    if not reader.next_is("practice"):
        return None
    text = reader.field("practice")
    if text not in ("yes", "no"):
        raise InvalidRecord(f"practice is yes or no, not {quoted(text)}", reader.line)
    return text == "yes"


def _parse_match(reader: Reader) -> MatchRound | None:
    """Return where the match stands, from its three lines; None if there are none."""
    if not reader.next_is("match"):
        return None
    with reader.blaming():
        word, _, target = reader.field("match").partition(" ")
        if word != "to":
            raise InvalidRecord(
                f"a match is played to some number of points, as in 'match: to 500', not {quoted(word)}"
            )
        to = parse_number(target.strip())
        number = parse_number(reader.field("round"))
        score = [parse_number(points) for points in reader.field("score").split()]
        if len(score) != len(SEATS):
            raise InvalidRecord(f"a score is two numbers, player 1's first, but {len(score)} are given")
        return MatchRound(to, number, (score[0], score[1]))


def _parse_midgame(reader: Reader) -> Midgame | None:
    """Return how the table stands in a game begun in the middle; None for a deal. Whoever calls blames the line."""
    if not reader.next_is("colour"):
        return None
    colour = parse_colour(reader.field("colour"))
    turn = parse_seat(reader.field("turn"))
    owed = parse_number(reader.field("owed"))
    before = parse_colour(reader.field("colour before")) if reader.next_is("colour before") else None
    played = Cards.parse(reader.field("played"))
    hidden = parse_number(reader.field("played hidden")) if reader.next_is("played hidden") else 0
    return Midgame(colour, turn, owed, before, played, hidden)


# --- moves -----------------------------------------------------------------------------------------------


def _parse_course(reader: Reader) -> Course:
    """Return all that was done."""
    course: Course = []
    stand = 0
    while (line := reader.peek()) is not None and not line.startswith("result"):
        if reader.next_is("undo"):
            with reader.blaming():
                number = parse_number(reader.field("undo"))
                if not 1 <= number <= stand:
                    raise InvalidRecord(f"{count_of(number, 'move')} can't be taken back: the game has {stand}")
            course.append((number, reader.line))
            stand -= number
        else:
            stand += 1
            course.append((_parse_numbered(reader, stand), reader.line))
    return course


def _parse_numbered(reader: Reader, number: int) -> Move:
    """Return the next move, which has to have this number, with the lines before it that belong to it."""
    with reader.blaming():
        first = parse_pile(reader.field("drawn")) if (reader.peek() or "").startswith("drawn") else ()
        line = reader.peek() or ""
        reshuffled = parse_pile(reader.field("reshuffle")) if line.startswith("reshuffle") or first else None
        key, _, value = reader.read("move").partition(":")
        seats = [seat for seat in SEATS if key.strip() == f"{number}. {seat_name(seat)}"]
        if not seats:
            raise InvalidRecord(f"'{number}. player 1: …' or player 2 belongs here, not {quoted(key)}")
        return parse_move(seats[0], value.strip(), first, reshuffled)


def _parse_result(reader: Reader) -> Outcome | None:
    text = reader.field("result")
    line = reader.line
    if reader.peek() is not None:
        extra = reader.read("end")
        raise InvalidRecord(f"the record goes on after its result: {quoted(extra)}", reader.line)
    if text != UNFINISHED and text not in OUTCOMES:
        raise InvalidRecord(f"{quoted(text)} is no result: {UNFINISHED}, {', '.join(OUTCOMES)} are", line)
    return OUTCOMES.get(text)


# --- the replay ------------------------------------------------------------------------------------------


def _verify(record: GameRecord, deal_line: int, course: Course, result_line: int) -> None:
    """Replay the record, moves that were taken back included, naming the line where it goes wrong."""
    reader = Reader("")
    with reader.blaming(deal_line):
        replayed = OpenReplay(record) if record.observer is None else ConsistencyCheck(record, record.observer)
    for entry, line in course:
        with reader.blaming(line):
            if isinstance(entry, int):
                replayed.take_back(entry)
            else:
                replayed.follow(entry)
    with reader.blaming(result_line):
        check_end(record, replayed.game)
