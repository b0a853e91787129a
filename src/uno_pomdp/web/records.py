"""Records that come in from a page: read, and refused while they would show hands that are still being played."""

from uno_pomdp.game.record import GameRecord
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.web.problems import Problem


def finished_record(text: str) -> GameRecord:
    """Return the game that a text holds: a whole one that is over, or what one player saw of any."""
    record = parse_record(text)
    if record.outcome is None and record.observer is None:
        raise Problem(
            "illegal_record",
            "the game is not over, so its hands stay hidden: finish it first, or give one player's record",
        )
    return record
