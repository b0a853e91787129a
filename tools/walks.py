"""Trace five walks through the package: count the modules whose functions run, kernels excluded.

`python tools/walks.py` prints each walk with its modules; docs/architecture.md draws them.
"""

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any
from unittest import mock

from uno_pomdp.cli.main import run
from uno_pomdp.game.game import Game
from uno_pomdp.registry import make_agent
from uno_pomdp.session.analysis import analyse


@contextmanager
def noting(found: set[str]) -> Iterator[None]:
    """Note the modules of the package of which a function is called."""

    def look(frame: FrameType, event: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("uno_pomdp.") and frame.f_code.co_name != "<module>":
            found.add(module.removeprefix("uno_pomdp."))

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(None)


def command(line: str, typed: str = "") -> Callable[[], None]:
    """Return what runs a command in this process."""

    def call() -> None:
        with (
            redirect_stdout(io.StringIO()),
            redirect_stderr(io.StringIO()),
            mock.patch.object(sys, "stdin", io.StringIO(typed)),
            mock.patch.object(sys, "argv", ["uno-pomdp", *line.split()]),
        ):
            try:
                run()
            except SystemExit:
                return

    return call


def decision() -> Callable[[], None]:
    """Return what decides once with search and nets."""
    game = Game.new("house", 5)
    agent = make_agent("champion:ms=10")
    agent.start(game.rules, game.observation(0), 0)

    def decide() -> None:
        agent.decide()

    return decide


def hint() -> Callable[[], None]:
    """Return what asks a coach about a position."""
    game = Game.new("mini-7", 4)

    def asked() -> None:
        analyse(game.history(game.turn), "flat:sims=2")

    return asked


def main() -> None:
    """Print each walk."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"UNO_POMDP_GAMES": folder}):
        walks = {
            "a move of play": command("play random --rules mini-7 --seed 4 --coach flat:sims=2", "1\nquit\n"),
            "a decision of champion:ms=10": decision(),
            "what a coach says": hint(),
            "a match": command("arena heuristic flat:sims=4 --rules mini-7 --pairs 2 --processes 1"),
            "a Nash report": command("nash heuristic --rules mini-7 --pairs 2 --sims 5 --processes 1"),
        }
        for name, walk in walks.items():
            walk()  # what is done once is done
            found: set[str] = set()
            with noting(found):
                walk()
            print(f"{name}: {len(found)} modules\n    {' '.join(sorted(found))}")


if __name__ == "__main__":
    main()
