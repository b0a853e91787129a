"""`Viewer`: shows a game at a terminal, moment by moment, and steps through it by keys."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.control import Control
from rich.screen import Screen
from rich.segment import Segment, SegmentLines
from rich.text import Text

from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.output import READABLE
from uno_pomdp.cli.ui.console import notice, say
from uno_pomdp.cli.watch import keys
from uno_pomdp.cli.watch.keys import Read
from uno_pomdp.cli.watch.screen import Look, screen
from uno_pomdp.game.layout import Seat
from uno_pomdp.jit import compiling
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.game import Reviewer
from uno_pomdp.session.policy_aware import SwitchedOff
from uno_pomdp.session.watched import WatchedGame

PAGE: Final = 10
"""Moves that Page Up and Page Down skip."""
IDLE_SECONDS: Final = 0.15
"""How long nobody has to press a key before the coach goes on: while it judges, keys wait."""
LOOK_SECONDS: Final = 0.5
"""How often a window is looked at: it may have changed its size."""
FASTEST: Final = 1 / 16
SLOWEST: Final = 16.0
"""Seconds between two moves."""
BELIEF: Final = " · b belief"
"""What changes the belief that is shown, where there are two."""
STEPPING: Final = "← → move · ↑ ↓ mistake · PgUp PgDn ten · Home End · b belief · q leave"
PAUSED: Final = "space goes on · ← → move · ↑ ↓ mistake · PgUp PgDn Home End · b belief · q leave"
RUNNING: Final = "space pauses · ← → step · + - speed ({delay:g} s a move) · b belief · q leave"
WAITS: Final = "While the game is paused, the coach says what it thinks of each move."
"""Why it says nothing."""
WATCHING: Final = "Ctrl-C ends it"


class Viewer:
    """A screen and a person's place in the game."""

    def __init__(self, console: Console, read: Read | None, coach: str | None = None, delay: float = 1.0) -> None:
        self.console = console
        """The terminal."""
        self.at = 0
        """The moment that is shown."""
        self.of: Seat | None = None
        """Whose belief is shown in full; None for both in short."""
        self.spec: BeliefSpec | None = None
        """The belief beside the exact one, if one was asked for."""
        self.delay = delay
        """Seconds between two moves of a game that is being played."""
        self.paused = False
        """Whether that game waits."""
        self.game: WatchedGame | None = None
        """The game."""
        self._coach = coach
        self._read = read
        self.failure: AgentFailure | None = None
        """How the coach has failed, so that it judges no more moves; None if it has not."""
        self.off: Final = SwitchedOff()
        """Beliefs that have failed."""
        self._failed: list[str] = []
        self._reviewer: Reviewer | None = None
        self._search = 0
        self._said = ""

    # --- a game that is over, and one that is being played -----------------------------------------------

    def browse(self, game: WatchedGame) -> None:
        """Step through a game until the person leaves."""
        self.game, self.paused = game, True
        while self._press(self._wait(STEPPING)) != keys.QUIT:
            pass

    def follow(self, game: WatchedGame) -> None:
        """Show the last moment of a game that is being played, and wait before its next move; `Leave` on q."""
        self.game, self.at = game, game.timeline.last
        if self._reviewer is not None:
            self._reviewer.timeline = game.timeline
        until = time.monotonic() + self.delay
        while self.paused or time.monotonic() < until:
            key = self._wait(PAUSED) if self.paused else self._glance(until)
            if key == keys.SPACE and self.paused:
                self.paused = False
                return
            if key == keys.RIGHT and self.at == game.timeline.last:
                return  # one move more, and the game still waits
            if key in ("+", "=", "-"):
                faster = key != "-"
                self.delay = max(self.delay / 2, FASTEST) if faster else min(max(self.delay, FASTEST) * 2, SLOWEST)
                until = time.monotonic() + self.delay
                continue
            self.paused = self.paused or key in (keys.SPACE, keys.LEFT, keys.UP, keys.HOME, keys.PAGE_UP)
            if self._press(key) == keys.QUIT:
                raise Leave

    # --- keys --------------------------------------------------------------------------------------------

    def _press(self, key: str | None) -> str | None:
        """Do what a key says about the moment that is shown; return it."""
        assert self.game is not None
        last = self.game.timeline.last
        to = {
            keys.LEFT: self.at - 1,
            keys.RIGHT: self.at + 1,
            keys.PAGE_UP: self.at - PAGE,
            keys.PAGE_DOWN: self.at + PAGE,
            keys.HOME: 0,
            keys.END: last,
        }
        self._said = ""
        if key in (keys.UP, keys.DOWN):
            self._search = 1 if key == keys.DOWN else -1
            self._find()
        elif key in to:
            self.at, self._search = min(max(to[key], 0), last), 0
        elif key == "b" and len(self.game.timeline.seats) > 1:
            self.of = {None: 0, 0: 1}.get(self.of)
        return key

    def _find(self) -> None:
        """Go to the mistake that is looked for, once the coach has come to one; None is known before all is judged."""
        reviewer = self._reviewer
        if not self._search or (reviewer is None and self.failure is None):
            return
        found = None if reviewer is None else reviewer.next_bad(self.at, self._search)
        if found is not None:
            self.at, self._search = found, 0
        elif reviewer is None or (reviewer.behind and self.failure is not None):
            self._said, self._search = "the coach has failed, and knows no mistake there", 0
        elif not reviewer.behind or (self._search < 0 and len(reviewer.moves) >= self.at):
            self._said = f"no mistake {'after' if self._search > 0 else 'before'} this move"
            self._search = 0

    def _wait(self, footer: str) -> str | None:
        """Show the moment until a key is pressed; meanwhile the coach goes on."""
        assert self._read is not None
        size, patience = None, IDLE_SECONDS
        while True:
            if size != self.console.size:
                size = self.console.size
                self.draw(footer)
            behind = self.failure is None and (self._reviewer is None or self._reviewer.behind)
            key = self._read(patience if behind else LOOK_SECONDS)
            if key is not None:
                return key
            if behind:
                self._judge()
                self.draw(footer)
                patience = 0.0

    def _glance(self, until: float) -> str | None:
        """Show the moment until a key is pressed or the next move is due."""
        read = self._read or keys.no_keys
        self.draw(WATCHING if self._read is None else RUNNING.format(delay=self.delay))
        return read(until - time.monotonic())

    def _judge(self) -> None:
        """Let the coach judge one more move."""
        assert self.game is not None

        try:
            if self._reviewer is None:
                self._reviewer = Reviewer(self.game.timeline, self._coach)
            while self._reviewer.behind:
                self._reviewer.judge_next()
                if self._reviewer.moves[-1].judged:  # others take no time
                    break
        except AgentFailure as failure:  # what it has judged stays; the game is watched without it
            self.failure = failure
        self._said = ""
        self._find()

    def mention_failure(self) -> None:
        """Say below the screen, once it has gone, how the coach or a belief has failed."""
        for sentence in [*([] if self.failure is None else [str(self.failure)]), *self._failed]:
            say(sentence)

    # --- drawing -----------------------------------------------------------------------------------------

    @contextmanager
    def showing_compilation(self) -> Iterator[None]:
        """Say what is being compiled in place of the keys: the next moment that is drawn has them again.

        A spinner would turn in the midst of the screen, and a screen can't be drawn while its own kernels compile.
        """

        def report(name: str) -> None:
            if not (about := notice.about(name)):
                return
            width, height = self.console.size
            said = Text(about, end="")
            said.truncate(width - 1, overflow="ellipsis", pad=True)  # one column more would scroll the screen
            self.console.print(Group(Control.move_to(0, height - 1), said), end="")

        with compiling(report, notice.done):
            yield

    def draw(self, footer: str) -> None:
        """Draw the moment over the one before it."""
        assert self.game is not None
        reviewer = self._reviewer
        waits = WAITS
        if self.failure is not None:
            waits = f"{self.failure}; the game is watched without the coach."
        elif self.paused:
            waits = f"… it is at move {1 if reviewer is None else len(reviewer.moves) + 1} of {self.game.timeline.last}"
        if len(self.game.timeline.seats) == 1:
            footer = footer.replace(BELIEF, "")
        said = f"{self._said} · " if self._said else "looking for a mistake … · " if self._search else ""
        look = Look(self.at, self.of, self.spec, said + footer, waits, self.off)
        moment = written_in(screen(self.game, reviewer, look, self.console), self.console)
        if failed := self.off.news():
            self._failed += failed
            self._said = "a belief has failed and is switched off"
            self.draw(footer)
            return
        shown = Screen(moment)  # which blanks what is beside it
        self.console.print(Group(Control.home(), shown), end="")


def written_in(moment: SegmentLines, console: Console) -> SegmentLines:
    """Return a screen in the characters of the console, no wider: a line that grew would push the first one out."""
    if console.encoding.startswith("utf"):
        return moment

    def put(part: Segment) -> Segment:
        return Segment(part.text.encode(console.encoding, READABLE).decode(console.encoding), part.style, part.control)

    width = console.width
    return SegmentLines([Segment.adjust_line_length(list(map(put, line)), width) for line in moment.lines], True)


@contextmanager
def at_terminal(console: Console, with_keys: bool) -> Iterator[Read | None]:
    """Take the whole screen until the end of the block, and read keys if a person is there to press them."""
    with console.screen():
        if not with_keys:
            yield None
            return
        with keys.reading_keys() as read:
            yield read
