"""`uno-pomdp serve`: the board in the browser."""

import logging
import sys
import webbrowser
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Final

from uno_pomdp.cli.places import folder
from uno_pomdp.cli.ui.console import err, out
from uno_pomdp.extras import NotInstalled, missing

NEEDED: Final = ("starlette", "uvicorn")
"""What the extra `web` brings."""
LOCAL: Final = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches."""


def default_store() -> Path:
    """Return where sessions lie unless a file is named: beside the saved games."""
    return folder().parent / "board.sqlite"


def serve(host: str, port: int, store: Path | None, browser: bool) -> None:
    """Serve until Ctrl-C."""
    for package in NEEDED:
        if find_spec(package) is None:
            raise NotInstalled(missing("the board needs", package, "web"))
    from uno_pomdp.web.serving import address_of, listening
    from uno_pomdp.web.serving import serve as run_server
    from uno_pomdp.web.settings import Settings
    from uno_pomdp.web.store import Store

    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    opened = listening(host, port)
    settings = replace(Settings(), host=host, port=opened.getsockname()[1])
    address = address_of(host, settings.port)

    def ready() -> None:
        out.print(f"The board is at {address} and ends with Ctrl-C.", markup=False, highlight=False, soft_wrap=True)
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    if host not in LOCAL:
        err.print(
            f"uno-pomdp: others can reach the board at {host}, unencrypted and without a password: "
            "whoever can connect can play here",
            markup=False,
            soft_wrap=True,
        )
    with opened:
        run_server(settings, opened, Store(store or default_store()), ready)
