"""The text of one game: complete, readable, versioned; written, parsed and replayed to the identical game.

    uno-pomdp game, version 2               … `version 2, seen by player 1` in an observer's record
    rules: house                            a name for people; the fields below it count
    deck: standard                          or the cards, as in `R0 R1 Y0 W`
    hand_size: 7                            … and the other fields of `Rules`; one that is not named has its default
    seed: 5                                 the deck's random state: it matters to reshuffles yet to come
    player 1: random
    player 2: random
    top: G9
    hand 1: R6 Y9 YR Y+2 G3 G+2 B8
    hand 2: …                               or `7 hidden` in player 1's record
    draw pile: …                            next card first; or `93 hidden`
    1. player 1: Y9
    2. player 2: draw R5                    the cards drawn; or `draw 1 hidden`
    reshuffle: …                            the new draw pile, next card first, before the draw that needs it
    3. player 1: draw R1 R2
    drawn: R1 R2                            what a draw until playable took before its reshuffle; the move has the rest
    4. player 2: challenge; player 1 shows R1 W; player 1 draws Y1 Y2 Y3 Y4
    5. player 1: R7; player 1 holds Y1; player 2 holds R1 G5
    result: player 1 wins (emptied hand)    or `unfinished`

Blank lines and lines that begin with # are passed over. A record is replayed when it is parsed: one that
breaks the rules anywhere is refused with the line and the reason. Records of version 1, which has none of the last
three, are read as well.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from uno_pomdp.cards import Cards, card_name, parse_card
from uno_pomdp.errors import InvalidRecord, InvalidRules, UnoError, UnusableFile
from uno_pomdp.files import write_text
from uno_pomdp.game.actions import CHALLENGE, DRAW, Action, seat_name
from uno_pomdp.game.consistency import ConsistencyCheck
from uno_pomdp.game.game import MAX_SEED
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.outcome import Outcome, Reason
from uno_pomdp.game.record import (
    GameRecord,
    Hand,
    Hidden,
    Pile,
    RecordedMove,
    check_end,
    follow_openly,
    start,
)
from uno_pomdp.inputs import read_text
from uno_pomdp.rules import CHOICES, FIELDS, Rules, deck_text, parse_deck

VERSION: Final = 2
READ: Final = (1, VERSION)
"""The versions that are read; the last one is written."""
HEADER: Final = f"uno-pomdp game, version {VERSION}"
NOTHING: Final = "nothing"
UNFINISHED: Final = "unfinished"
MOST_DIGITS: Final = 20
"""No number in a record is longer: seeds go up to 2⁶⁴ − 1."""

OUTCOMES: Final = {
    str(outcome): outcome for winner in (*SEATS, None) for reason in Reason for outcome in [Outcome(winner, reason)]
}
"""Every ending by its text."""


# --- writing ---------------------------------------------------------------------------------------------


def format_record(record: GameRecord) -> str:
    """Return the record's text.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("mini-7", seed=1)
    >>> print(uno.format_record(uno.record_of(game)).splitlines()[1])
    rules: mini-7
    """
    rules = record.rules
    seen_by = "" if record.observer is None else f", seen by {seat_name(record.observer)}"
    lines = [HEADER + seen_by, f"rules: {rules.name}", f"deck: {deck_text(rules.deck)}"]
    lines += [f"{name}: {getattr(rules, name)}" for name in FIELDS if name != "deck"]
    lines.append(f"seed: {'hidden' if record.seed is None else record.seed}")
    lines += [f"{seat_name(seat)}: {_one_line(record.players[seat])}" for seat in SEATS]
    lines.append(f"top: {card_name(record.top)}")
    lines += [f"hand {seat + 1}: {_cards_text(record.hands[seat])}" for seat in SEATS]
    lines.append(f"draw pile: {_cards_text(record.pile)}")
    for number, move in enumerate(record.moves, 1):
        lines += _move_lines(number, move)
    lines.append(f"result: {UNFINISHED if record.outcome is None else record.outcome}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def save_record(path: str | os.PathLike[str], record: GameRecord, over: bool = True) -> None:
    """Write a record to a file, whole or not at all; only with `over` in the place of one that is there.

    >>> import tempfile, uno_pomdp as uno
    >>> uno.save_record(tempfile.mkdtemp() + "/game.txt", uno.record_of(uno.Game.new("house", seed=5)))
    """
    write_text(path, format_record(record), over)


def _move_lines(number: int, move: RecordedMove) -> list[str]:
    """Return the line of a move, after those of the reshuffle that it needed."""
    first, drawn = _cut(move.drawn, move.first)
    lines = [f"drawn: {_cards_text(first)}"] if move.first else []
    if move.reshuffled is not None:
        lines.append(f"reshuffle: {_cards_text(move.reshuffled)}")
    parts = [str(move.action)]
    if move.action == CHALLENGE:
        parts.append(f"{seat_name(1 - move.seat)} shows {move.shown}")
        parts.append(f"{seat_name(move.drawer)} draws {_cards_text(drawn) if drawn else NOTHING}")
    elif drawn:
        parts[0] += f" {_cards_text(drawn)}"
    if move.swapped is not None:
        parts += [f"{seat_name(seat)} holds {move.swapped[seat]}" for seat in SEATS]
    return [*lines, f"{number}. {seat_name(move.seat)}: {'; '.join(parts)}"]


def _cut(cards: Pile, first: int) -> tuple[Pile, Pile]:
    """Return the first so many cards, and the others."""
    if isinstance(cards, Hidden):
        return Hidden(first), Hidden(cards.count - first) if cards.count > first else ()
    return cards[:first], cards[first:]


def _one_line(name: str) -> str:
    if name.strip() != name or not name or len(name.splitlines()) > 1:
        raise InvalidRecord(f"{name!r} is no player's name for a record: give one line of text")
    return name


def _cards_text(cards: Hand | Pile) -> str:
    return f"{cards.count} hidden" if isinstance(cards, Hidden) else " ".join(map(card_name, cards))


# --- parsing ---------------------------------------------------------------------------------------------


def load_record(path: str | os.PathLike[str]) -> GameRecord:
    """Read a record from a file.

    >>> import tempfile, uno_pomdp as uno
    >>> path = tempfile.mkdtemp() + "/game.txt"
    >>> uno.save_record(path, uno.record_of(uno.Game.new("mini-7", seed=1)))
    >>> uno.load_record(path).rules.name
    'mini-7'
    """
    try:
        text = read_text(path)
    except UnusableFile as error:
        raise InvalidRecord(str(error)) from error
    return parse_record(text)


def parse_record(text: str) -> GameRecord:
    """Return the record that a text holds, after replaying it; a damaged one names its line and the reason.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("mini-7", seed=1)
    >>> uno.replay(uno.parse_record(uno.format_record(uno.record_of(game)))) == game
    True
    """
    reader = _Reader(text)
    observer = _parse_header(reader)
    reader.field("rules")
    rules = _parse_rules(reader)
    seed = _parse_seed(reader, observer)
    first, second = (_parse_name(reader, seat_name(seat)) for seat in SEATS)
    with reader.blaming():
        top = parse_card(reader.field("top"))
    hands = [_parse_hand(reader, f"hand {seat + 1}") for seat in SEATS]
    pile = _parse_pile(reader, reader.field("draw pile"))
    deal_line = reader.line
    moves, lines = _parse_moves(reader)
    outcome = _parse_result(reader)
    record = GameRecord(
        rules=rules,
        players=(first, second),
        top=top,
        hands=(hands[0], hands[1]),
        pile=pile,
        moves=tuple(moves),
        outcome=outcome,
        seed=seed,
        observer=observer,
    )
    _verify(record, deal_line, lines, reader.line)
    return record


class _Reader:
    """The lines of a record that count, one after another, each with its number."""

    def __init__(self, text: str) -> None:
        numbered = enumerate((line.strip() for line in text.split("\n")), 1)
        self._lines = [(number, line) for number, line in numbered if line and not line.startswith("#")]
        self._next = 0
        self.line = 0
        """The number of the line read last."""

    def peek(self) -> str | None:
        """Return the next line without reading it; None at the end."""
        return self._lines[self._next][1] if self._next < len(self._lines) else None

    def read(self, expected: str) -> str:
        """Return the next line."""
        if self._next == len(self._lines):
            raise InvalidRecord(f"the record ends before its {expected!r} line", self.line + 1)
        self.line, text = self._lines[self._next]
        self._next += 1
        return text

    def field(self, name: str) -> str:
        """Return the value of the next line, which has to be this field's."""
        key, colon, value = self.read(name).partition(":")
        if not colon or key.strip() != name:
            raise InvalidRecord(f"'{name}: …' belongs here, not {key.strip()!r}", self.line)
        return value.strip()

    @contextmanager
    def blaming(self, line: int = 0) -> Iterator[None]:
        """Give the number of the line read last, or of the one named, to any error inside."""
        try:
            yield
        except InvalidRecord as error:
            if error.line:
                raise
            raise InvalidRecord(str(error), line or self.line) from error
        except UnoError as error:
            raise InvalidRecord(str(error), line or self.line) from error


def _parse_header(reader: _Reader) -> Seat | None:
    header = reader.read(HEADER)
    for version in READ:
        known = f"uno-pomdp game, version {version}"
        if header == known:
            return None
        for seat in SEATS:
            if header == f"{known}, seen by {seat_name(seat)}":
                return seat
    raise InvalidRecord(f"a record begins with {HEADER!r}, not with {header[:40]!r}", reader.line)


def _parse_rules(reader: _Reader) -> Rules:
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
            values[name] = parse_deck(text) if name == "deck" else text if name in CHOICES else _parse_number(text)
    try:
        return Rules(**values)
    except InvalidRules as error:
        raise InvalidRecord(str(error), lines.get(error.field, reader.line)) from error


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise InvalidRecord(f"{text[:40]!r} is no whole number of at most {MOST_DIGITS} digits")
    return int(text)


def _parse_seed(reader: _Reader, observer: Seat | None) -> int | None:
    text = reader.field("seed")
    if (text == "hidden") != (observer is not None):
        raise InvalidRecord("the seed is a number in a whole record and 'hidden' in an observer's", reader.line)
    with reader.blaming():
        seed = None if observer is not None else _parse_number(text)
        if seed is not None and seed > MAX_SEED:
            raise InvalidRecord(f"{seed} is no deal seed: they go up to 2^64 - 1")
        return seed


def _parse_name(reader: _Reader, field: str) -> str:
    name = reader.field(field)
    with reader.blaming():
        return _one_line(name)


def _parse_pile(reader: _Reader, text: str) -> Pile:
    words = text.split()
    with reader.blaming():
        if words[-1:] == ["hidden"]:
            return Hidden(_parse_number(" ".join(words[:-1])))
        return tuple(parse_card(word) for word in words)


def _parse_hand(reader: _Reader, name: str) -> Hand:
    cards = _parse_pile(reader, reader.field(name))
    with reader.blaming():
        return cards if isinstance(cards, Hidden) else Cards.of(cards)


def _parse_moves(reader: _Reader) -> tuple[list[RecordedMove], list[int]]:
    """Return the moves and the line of each."""
    moves: list[RecordedMove] = []
    lines: list[int] = []
    while (line := reader.peek()) is not None and not line.startswith("result"):
        first = _parse_pile(reader, reader.field("drawn")) if line.startswith("drawn") else ()
        line = reader.peek() or ""
        reshuffled = _parse_pile(reader, reader.field("reshuffle")) if line.startswith("reshuffle") or first else None
        key, _, value = reader.read("move").partition(":")
        seats = [seat for seat in SEATS if key.strip() == f"{len(moves) + 1}. {seat_name(seat)}"]
        if not seats:
            raise InvalidRecord(f"'{len(moves) + 1}. player 1: …' or player 2 belongs here, not {key!r}", reader.line)
        with reader.blaming():
            moves.append(_parse_move(reader, seats[0], value.strip(), first, reshuffled))
        lines.append(reader.line)
    return moves, lines


def _parse_move(reader: _Reader, seat: Seat, text: str, first: Pile, reshuffled: Pile | None) -> RecordedMove:
    """Return the move of a line, given what the lines before it told."""
    done, *parts = (part.strip() for part in text.split(";"))
    word, _, rest = done.partition(" ")
    action = Action.parse(word)
    if rest and action != DRAW:
        raise InvalidRecord(f"nothing can follow {word!r}, but {rest!r} does")
    if first and (action != DRAW or parts or not _count(first)):
        raise InvalidRecord(
            "a 'drawn' line with cards stands before a draw that a reshuffle cuts in two, and nowhere else"
        )
    drawn = _parse_pile(reader, rest)
    if action == CHALLENGE:
        shown = _parse_told(parts, f"{seat_name(1 - seat)} shows", action)
        guilty = bool(parts) and parts[0].startswith(f"{seat_name(1 - seat)} draws")
        text = _parse_told(parts, f"{seat_name(1 - seat if guilty else seat)} draws", action)
        drawn = () if text == NOTHING else _parse_pile(reader, text)
        move = RecordedMove(seat, action, drawn, reshuffled, 0, guilty, Cards.parse(shown))
    elif parts:
        held = [Cards.parse(_parse_told(parts, f"{seat_name(holder)} holds", action)) for holder in SEATS]
        move = RecordedMove(seat, action, drawn, reshuffled, swapped=(held[0], held[1]))
    else:
        move = RecordedMove(seat, action, _joined(first, drawn), reshuffled, _count(first))
    if parts:
        raise InvalidRecord(f"{parts[0]!r} does not belong behind {action}")
    return move


def _parse_told(parts: list[str], begin: str, action: Action) -> str:
    """Return what the next part of a move says, which has to begin so; the part is then read."""
    if not parts or not parts[0].startswith(begin):
        raise InvalidRecord(f"'{begin} …' belongs behind {action}{f', not {parts[0]!r}' if parts else ''}")
    return parts.pop(0).removeprefix(begin).strip()


def _count(cards: Pile) -> int:
    return cards.count if isinstance(cards, Hidden) else len(cards)


def _joined(first: Pile, second: Pile) -> Pile:
    """Return the cards that were drawn before and after a reshuffle."""
    if not first or not second:
        return first or second
    if isinstance(first, Hidden) or isinstance(second, Hidden):
        if type(first) is not type(second):
            raise InvalidRecord("of one draw all cards are hidden or none")
        return Hidden(_count(first) + _count(second))
    return first + second


def _parse_result(reader: _Reader) -> Outcome | None:
    text = reader.field("result")
    line = reader.line
    if reader.peek() is not None:
        extra = reader.read("end")
        raise InvalidRecord(f"the record goes on after its result: {extra[:40]!r}", reader.line)
    if text != UNFINISHED and text not in OUTCOMES:
        raise InvalidRecord(f"{text!r} is no result: {UNFINISHED}, {', '.join(OUTCOMES)} are", line)
    return OUTCOMES.get(text)


def _verify(record: GameRecord, deal_line: int, lines: list[int], result_line: int) -> None:
    """Replay the record, naming the line where it goes wrong."""
    reader = _Reader("")
    with reader.blaming(deal_line):
        witness = None if record.observer is None else ConsistencyCheck(record, record.observer)
        game = start(record) if witness is None else witness.game
    for move, line in zip(record.moves, lines, strict=True):
        with reader.blaming(line):
            if witness is None:
                follow_openly(game, move)
            else:
                witness.follow(move)
    with reader.blaming(result_line):
        check_end(record, game)
