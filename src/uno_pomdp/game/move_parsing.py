"""From the line of a move to the move."""

from uno_pomdp.cards import Cards
from uno_pomdp.errors import InvalidRecord, quoted
from uno_pomdp.game.actions import CHALLENGE, DRAW, FORGOT_UNO, Action, seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Hidden, Move, Pile
from uno_pomdp.game.record_lines import NOTHING, parse_pile


def parse_move(seat: Seat, text: str, first: Pile, reshuffled: Pile | None) -> Move:
    """Return the move of a line, given what the lines before it told."""
    done, *parts = (part.strip() for part in text.split(";"))
    if done.lower() == str(FORGOT_UNO).lower():
        return _parse_forgotten(seat, parts, first, reshuffled)
    word, _, rest = done.partition(" ")
    action = Action.parse(word)
    if rest and action != DRAW:
        raise InvalidRecord(f"nothing can follow {quoted(word)}, but {quoted(rest)} does")
    if first and (action != DRAW or parts or not _count(first)):
        raise _misplaced_cards()
    drawn = parse_pile(rest)
    if action == CHALLENGE:
        shown = _parse_told(parts, f"{seat_name(1 - seat)} shows", action)
        guilty = bool(parts) and parts[0].startswith(f"{seat_name(1 - seat)} draws")
        drawn = _parse_drawn(parts, 1 - seat if guilty else seat, action)
        move = Move(seat, action, drawn, reshuffled, 0, guilty, Cards.parse(shown))
    elif parts:
        held = [Cards.parse(_parse_told(parts, f"{seat_name(holder)} holds", action)) for holder in SEATS]
        move = Move(seat, action, drawn, reshuffled, swapped=(held[0], held[1]))
    else:
        move = Move(seat, action, _joined(first, drawn), reshuffled, _count(first))
    _check_read(parts, action)
    return move


def _parse_forgotten(seat: Seat, parts: list[str], first: Pile, reshuffled: Pile | None) -> Move:
    """Return the two cards for a forgotten UNO."""
    if first:
        raise _misplaced_cards()
    drawn = _parse_drawn(parts, seat, FORGOT_UNO)
    _check_read(parts, FORGOT_UNO)
    return Move(seat, FORGOT_UNO, drawn, reshuffled)


def _parse_drawn(parts: list[str], seat: Seat, action: Action) -> Pile:
    """Return the cards that the next part of a move says a player draws."""
    text = _parse_told(parts, f"{seat_name(seat)} draws", action)
    return () if text == NOTHING else parse_pile(text)


def _parse_told(parts: list[str], begin: str, action: Action) -> str:
    """Return what the next part of a move says, which has to begin so; the part is then read."""
    if not parts or not parts[0].startswith(begin):
        raise InvalidRecord(f"'{begin} …' belongs behind {action}{f', not {quoted(parts[0])}' if parts else ''}")
    return parts.pop(0).removeprefix(begin).strip()


def _check_read(parts: list[str], action: Action) -> None:
    if parts:
        raise InvalidRecord(f"{quoted(parts[0])} does not belong behind {action}")


def _misplaced_cards() -> InvalidRecord:
    return InvalidRecord(
        "a 'drawn' line with cards stands before a draw that a reshuffle cuts in two, and nowhere else"
    )


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
