"""A real browser for the tests of pages: Debian's Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.visits import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Open = Callable[..., Visit]
"""Opens a page; see `Visit.of`."""


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Start the browser once for all tests."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.fail("there is no browser: install Debian's package chromium (apt-get install chromium)", pytrace=False)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])  # root has no sandbox
        yield started
        started.close()


@pytest.fixture
def visit(browser: "Browser") -> Iterator[Open]:
    """Return what opens pages; each is closed after the test, and none may have written an error to its console."""
    visits: list[Visit] = []

    def opened(address: str, **options: Any) -> Visit:
        visits.append(Visit.of(browser, address, **options))
        return visits[-1]

    yield opened
    for each in visits:
        each.close()
    assert [error for each in visits for error in each.errors] == []
