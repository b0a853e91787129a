"""Work off the event loop that is still under way when the loop ends."""

import asyncio
import logging
import threading

import pytest

from uno_pomdp.web.workers import Workers


class Secret:
    """What a search returns, which names cards when it is printed."""

    def __repr__(self) -> str:
        return "R5 W4"


@pytest.mark.parametrize("urgent", [True, False])
def test_a_search_that_outlives_the_server_says_nothing(urgent: bool, caplog: pytest.LogCaptureFixture) -> None:
    begun, go_on, workers = threading.Event(), threading.Event(), Workers(1, 1)

    def work() -> Secret:
        begun.set()
        go_on.wait(20)
        return Secret()

    async def server() -> None:
        searching = asyncio.ensure_future(workers.search(work, urgent=urgent))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        del searching

    with caplog.at_level(logging.DEBUG):
        asyncio.run(server())
        go_on.set()
        workers.close()
        workers._searching.shutdown(wait=True)
    assert [record for record in caplog.records if record.levelno > logging.DEBUG] == []
