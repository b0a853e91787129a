"""Games that end because an agent fails: the record is kept, and the sentence says where."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from uno_pomdp.arena.match import AgentFailure
from uno_pomdp.cli.places import folder
from uno_pomdp.cli.ui.console import err
from uno_pomdp.errors import UnoError
from uno_pomdp.files import make_folder, write_text
from uno_pomdp.quantities import count_of

FAILED: Final = "failed"
"""The folder of games that failed, in that of saved games."""


class FailedGame(UnoError):
    """A game that ended because of an agent; its record is kept."""


@contextmanager
def showing_failures(cluster: str | None = None) -> Iterator[None]:
    """Save the game in which an agent failed; silence the logs of a cluster, whose failures are one sentence."""
    if cluster is not None:
        logging.disable(logging.CRITICAL)
    try:
        yield
    except AgentFailure as failure:
        if not failure.record:  # before any game
            raise
        raise failed_game(failure) from failure
    finally:
        logging.disable(logging.NOTSET)


def failed_game(failure: AgentFailure) -> FailedGame:
    """Save the game in which an agent failed, for its error alone would not help to mend it; return what to raise."""
    return FailedGame(f"{failure}; {_kept(failure.record)}")


def _kept(record: str) -> str:
    """Save the record of a failed game and return where it is: in a file, or printed above if none can be written."""
    home = folder() / FAILED
    try:
        make_folder(home)
        others = sum(1 for _ in home.glob("*.txt"))
        file = home / f"{datetime.now():%Y-%m-%d-%H%M%S-%f}.txt"
        write_text(file, record, over=False)
    except OSError:
        err.print(record, markup=False, soft_wrap=True)
        return "the game so far is printed above"
    return f"the game so far is in {file}" + (f", beside {count_of(others, 'older one')}" if others else "")
