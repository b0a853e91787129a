"""The text of one game: complete, readable, versioned; written, parsed and replayed to the identical game.

    uno-pomdp game, version 2               … `version 2, seen by player 1` in an observer's record
    rules: house                            a name for people; the fields below it count
    deck: standard                          or the cards, as in `R0 R1 Y0 W`
    hand_size: 7
    skip: pass                              … and each other field of `Rules` that has not its default
    seed: 5                                 the deck's random state: it matters to reshuffles yet to come
    player 1: random
    player 2: random
    practice: yes                           only of a game that does not count
    match: to 500                           only of a round of a match: to how many points,
    round: 3                                which round it is,
    score: 120 85                           and the points of both players before it
    coach: flat:sims=200                    only where the person has chosen a coach,
    belief: particles,model=greedy          or a belief
    top: G9
    colour: green                           only of a game begun in the middle: the active colour,
    turn: player 2                          who is to move,
    owed: 4                                 the cards that it owes,
    colour before: red                      the colour before a wild +4 that can be challenged,
    played: R1 R2 W                         the cards below the top that are known
    played hidden: 12                       and how many are not
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
    6. player 1: forgot UNO; player 1 draws G1 G2
    undo: 2                                 so many moves are taken back: the next one has the number 5
    result: player 1 wins (emptied hand)    or `unfinished`

Blank lines and lines that begin with # are passed over. A record is replayed when it is parsed, with the moves that
were taken back: one that breaks the rules anywhere is refused with the line and the reason (`record_parsing`).
"""

import os

from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.errors import InvalidRecord, UnusableFile
from uno_pomdp.files import write_text
from uno_pomdp.game.actions import CHALLENGE, FORGOT_UNO, seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Hidden, Move, Pile
from uno_pomdp.game.record import GameRecord, Hand, course
from uno_pomdp.game.record_lines import HEADER, NOTHING, UNFINISHED, record_name
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.inputs import read_text
from uno_pomdp.rules import CHOICES, DEFAULTS, deck_text

__all__ = ["format_record", "load_record", "parse_record", "save_record"]


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
    lines.append(f"hand_size: {rules.hand_size}")
    lines += [f"{name}: {getattr(rules, name)}" for name in CHOICES if getattr(rules, name) != DEFAULTS[name]]
    lines.append(f"seed: {'hidden' if record.seed is None else record.seed}")
    lines += [f"{seat_name(seat)}: {record_name(record.players[seat])}" for seat in SEATS]
    lines += _match_lines(record)
    lines.append(f"top: {card_name(record.top)}")
    lines += _midgame_lines(record)
    lines += [f"hand {seat + 1}: {_cards_text(record.hands[seat])}" for seat in SEATS]
    lines.append(f"draw pile: {_cards_text(record.pile)}")
    stand = 0
    for entry in course(record):
        stand += -entry if isinstance(entry, int) else 1
        lines += [f"undo: {entry}"] if isinstance(entry, int) else _move_lines(stand, entry)
    lines.append(f"result: {UNFINISHED if record.outcome is None else record.outcome}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def save_record(path: str | os.PathLike[str], record: GameRecord, over: bool = True) -> None:
    """Write a record to a file, whole or not at all; only with `over` in the place of one that is there.

    >>> import tempfile, uno_pomdp as uno
    >>> uno.save_record(tempfile.mkdtemp() + "/game.txt", uno.record_of(uno.Game.new("house", seed=5)))
    """
    write_text(path, format_record(record), over)


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
    except OSError as error:
        raise UnusableFile(f"{os.fspath(path)} can't be read: {error.strerror or error}") from error
    except UnusableFile as error:
        raise InvalidRecord(str(error)) from error
    return parse_record(text)


def _match_lines(record: GameRecord) -> list[str]:
    """Return the lines on what the game is played for, and what the person has chosen to see beside it."""
    lines = ["practice: yes"] if record.practice else []
    if record.match is not None:
        first, second = record.match.score
        lines += [f"match: to {record.match.to}", f"round: {record.match.round}", f"score: {first} {second}"]
    chosen = {"coach": record.coach, "belief": record.belief}
    lines += [f"{name}: {record_name(text)}" for name, text in chosen.items() if text is not None]
    return lines


def _midgame_lines(record: GameRecord) -> list[str]:
    """Return the lines on how the table stands in a game that is begun in the middle."""
    midgame = record.midgame
    if midgame is None:
        return []
    lines = [
        f"colour: {COLOUR_NAMES[midgame.colour]}",
        f"turn: {seat_name(midgame.turn)}",
        f"owed: {midgame.owed}",
        "" if midgame.before is None else f"colour before: {COLOUR_NAMES[midgame.before]}",
        f"played: {midgame.played}",
        f"played hidden: {midgame.hidden}" if midgame.hidden else "",
    ]
    return [line for line in lines if line]


def _move_lines(number: int, move: Move) -> list[str]:
    """Return the line of a move, after those of the reshuffle that it needed."""
    first, drawn = _cut(move.drawn, move.first)
    lines = [f"drawn: {_cards_text(first)}"] if move.first else []
    if move.reshuffled is not None:
        lines.append(f"reshuffle: {_cards_text(move.reshuffled)}")
    parts = [str(move.action)]
    if move.action == CHALLENGE:
        parts.append(f"{seat_name(1 - move.seat)} shows {move.shown}")
        parts.append(_draws(move.drawer, drawn))
    elif move.action == FORGOT_UNO:
        parts.append(_draws(move.seat, drawn))
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


def _draws(seat: Seat, drawn: Pile) -> str:
    return f"{seat_name(seat)} draws {_cards_text(drawn) if drawn else NOTHING}"


def _cards_text(cards: Hand | Pile) -> str:
    return f"{cards.count} hidden" if isinstance(cards, Hidden) else " ".join(map(card_name, cards))
