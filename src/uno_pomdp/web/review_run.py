"""`ReviewRun`: the review of one game, judged move by move while somebody waits, then kept as the page shows it."""

import asyncio
from contextlib import suppress
from typing import Any, ClassVar, Final

from markupsafe import Markup

from uno_pomdp.agents.progress import SearchStopped
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.pages.rendering import render
from uno_pomdp.review.game import review_game
from uno_pomdp.review.page import VERSION, shown_values
from uno_pomdp.web.board import Board, LiveSession
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.store import NotStored
from uno_pomdp.web.tokens import Key

FAILED: Final = "The review has failed, which is a bug: try `uno-pomdp analyze` with --debug."


class ReviewRun(LiveSession):
    """One review."""

    kind: ClassVar[str] = "review"

    def __init__(self, board: Board, key: Key, record: GameRecord, coach: str | None) -> None:
        super().__init__(board, key, "waiting")
        self._record = record
        self._coach = coach
        self._done = 0
        self._values: dict[str, Any] | None = None
        self._trouble = ""
        self._halted = False

    # --- in and out of the store -------------------------------------------------------------------------

    @classmethod
    def restored(cls, board: Board, key: Key, values: dict[str, Any]) -> "ReviewRun":
        """Return a review as it was stored: with its page, or to be begun again."""
        run = cls(board, key, parse_record(values["record"]), values["coach"] or None)
        run._values = values["page"] if values.get("version") == VERSION else None
        if run._values is not None:
            run.status, run._done = "done", len(run._record.moves)
        return run

    def keep(self) -> None:
        """Write it to the store, with its page once there is one."""
        values = {"record": format_record(self._record), "coach": self._coach, "page": self._values, "version": VERSION}
        self._save(values)

    # --- judging -----------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Begin to judge, if somebody waits for it and nothing runs."""
        if (self._work is None or self._work.done()) and len(self.channel) and self.status == "waiting":
            self._work = asyncio.ensure_future(self._judge())

    async def _judge(self) -> None:
        loop = asyncio.get_running_loop()

        def report(done: int, of: int) -> None:
            del of
            if self._halted:
                raise SearchStopped("the review was stopped")
            loop.call_soon_threadsafe(self._judged, done)

        self.status = "running"
        with self._failing("a review stopped"), suppress(SearchStopped):
            try:
                self._values = await self._board.workers.search(self._made, report, urgent=False)
                self.status = "done"
                await self._board.workers.quick(self.keep)
            except Problem:  # too much waits: whoever comes next tries again
                self.status = "waiting"
            except NotStored as error:  # it is there as long as the server is
                self._trouble = error.trouble
            self._changed()

    def _made(self, report: Any) -> dict[str, Any]:
        """Return what the page shows, as JSON values."""
        return shown_values(review_game(self._record, self._coach, report=report))

    def _judged(self, done: int) -> None:
        self._done = done
        self._changed()

    # --- what a client sees ------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return how far it has come."""
        trouble = FAILED if self.status == "failed" else self._trouble
        return {"status": self.status, "done": self._done, "of": len(self._record.moves), "trouble": trouble}

    def page(self) -> str:
        """Return the page of the review, or that which waits for it."""
        return render("review_wait.html") if self._values is None else self._rendered("review_site.html", inline=False)

    def single_file(self) -> str:
        """Return the review as one file that needs no server."""
        if self._values is None:
            raise Problem("conflict", "the review is not ready yet: wait for it")
        return self._rendered("review.html", inline=True)

    def _rendered(self, template: str, inline: bool) -> str:
        assert self._values is not None
        values = self._values | {"graph": Markup(self._values["graph"])}  # drawn by us, of figures and actions alone
        return render(template, inline=inline, **values)

    def record(self) -> str:
        """Return the record that is reviewed."""
        return format_record(self._record)

    def close(self) -> None:
        """End the streams, and the judging with its present move."""
        self._halted = True
        super().close()
