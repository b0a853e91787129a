"""The process of one experiment: reads what is asked for as JSON, writes how it goes and what came out as JSON lines.

It is a process of its own, so that it can be stopped at any moment and takes no time from those who play.
"""

import json
import os
import sys
import time
from threading import Thread
from typing import Any, Final, TextIO

from uno_pomdp.agents.agent import Budget
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import MatchProgress, run_match
from uno_pomdp.equilibrium.attempts import challengers_of
from uno_pomdp.equilibrium.nash_report import nash_report
from uno_pomdp.rules import Rules

BETWEEN: Final = 0.2
"""Seconds between two lines about one match."""
POLITE: Final = 10
"""How far its priority is below that of the server."""


class Teller:
    """Writes lines: of each match now and then how it goes, and when it is done."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._last: dict[str, float] = {}

    def say(self, line: dict[str, Any]) -> None:
        """Write a line at once."""
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()

    def match(self, name: str, at: MatchProgress) -> None:
        """Write how a match goes, if it was not told just now."""
        now = time.monotonic()
        if at.done < at.pairs and now - self._last.get(name, -BETWEEN) < BETWEEN:
            return
        self._last[name] = now
        points = at.points.to_json()
        self.say({"match": name, "done": at.done, "pairs": at.pairs, "points": points, "left": _whole(at.seconds_left)})


def _whole(seconds: float) -> int | None:
    return None if seconds == float("inf") else round(seconds)


def run(asked: dict[str, Any], out: TextIO) -> None:
    """Carry out an experiment that was checked before."""
    teller, rules = Teller(out), Rules.parse(asked["rules"])
    if asked["kind"] == "match":
        match = Match(rules, (asked["first"], asked["second"]), asked["pairs"], asked["seed"])
        name = f"{asked['first']} v {asked['second']}"
        result = run_match(match, report=lambda at: teller.match(name, at))
        teller.say({"report": result.to_json(), "text": str(result)})
        return
    challengers = challengers_of(asked["first"], Budget(simulations=asked["simulations"]), rules)
    teller.say({"attempts": len(challengers)})
    report = nash_report(rules, asked["first"], challengers, asked["pairs"], asked["seed"], report=teller.match)
    teller.say({"report": report.to_json(), "text": str(report)})


def main() -> None:
    """Read the one line of standard input, and answer on standard output, while somebody holds its other end."""
    if hasattr(os, "nice"):
        os.nice(POLITE)
    asked = json.loads(sys.stdin.readline())
    Thread(target=_end_with_server, daemon=True).start()
    run(asked, sys.stdout)


def _end_with_server() -> None:
    """Wait until standard input ends, which it does when the server was killed; then there is nobody to tell."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main()
