"""Games that end because an agent fails: the record is kept, and the sentence says where."""

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from uno_pomdp.arena.match import AgentFailure
from uno_pomdp.cli.ui.console import err
from uno_pomdp.errors import UnoError
from uno_pomdp.files import write_text


class FailedGame(UnoError):
    """A game that ended because of an agent; its record is kept."""


@contextmanager
def showing_failures(cluster: str | None = None) -> Iterator[None]:
    """Save the game in which an agent failed; silence the logs of a cluster, whose failures are one sentence."""
    if cluster is not None:
        logging.disable(logging.CRITICAL)
    try:
        yield
    except AgentFailure as failure:  # its error alone would not help to mend it
        if not failure.record:  # before any game
            raise
        raise FailedGame(f"{failure}; {_kept(failure.record)}") from failure
    finally:
        logging.disable(logging.NOTSET)


def _kept(record: str) -> str:
    """Save the record of a failed game and return where it is: in a file, or printed above if none can be written."""
    try:
        file = Path(tempfile.mkdtemp(prefix="uno-pomdp-failed-")) / "game.txt"
        write_text(file, record)
    except OSError:
        err.print(record, markup=False, soft_wrap=True)
        return "the game so far is printed above"
    return f"the game so far is in {file}"
