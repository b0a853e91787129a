"""`uno-pomdp serve`: the board in the browser."""

import logging
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Annotated, Final

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson, number
from uno_pomdp.cli.places import folder
from uno_pomdp.cli.ui.console import err, out, print_json
from uno_pomdp.quantities import Whole

LOCAL: Final = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches."""
BELOW: Final = ("uvicorn", "asyncio")
"""Whose warnings are printed; those of the package are heard by all commands."""
OPEN: Final = "others can reach the board at {}, unencrypted and without a password: whoever can connect can play here"
"""What is said where others can reach it."""


def default_store() -> Path:
    """Return where sessions lie unless a file is named: beside the saved games, in a folder that is made."""
    from uno_pomdp.files import make_folder

    home = folder().parent
    make_folder(home)
    return home / "board.sqlite"


@app.command(epilog="Examples: uno-pomdp serve · uno-pomdp serve --port 0 --no-browser")
def serve(
    port: Annotated[int, number(Whole(0, 65_535), "Where to listen; 0 takes any that is free.", "--port")] = 8765,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where games are kept.", show_default="beside the saved games"),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say where the page is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open the board in the browser: play, see, review; needs the extra `web`."""
    import webbrowser

    from uno_pomdp.extras import require_web

    require_web()
    from uno_pomdp.web.connections import descriptor_limit, fitting
    from uno_pomdp.web.serving import address_of, listening
    from uno_pomdp.web.serving import serve as run_server
    from uno_pomdp.web.settings import Settings
    from uno_pomdp.web.store import SessionStore

    heard = logging.StreamHandler()
    heard.setFormatter(logging.Formatter("uno-pomdp: %(name)s: %(message)s"))
    for name in BELOW:
        logging.getLogger(name).handlers = [heard]
    with listening(host, port) as opened:
        settings = fitting(replace(Settings(), host=host, port=opened.getsockname()[1]), descriptor_limit())
        address = address_of(host, settings.port)
        sessions = SessionStore(store or default_store())
        if host not in LOCAL:
            err.print(f"uno-pomdp: {OPEN.format(host)}", markup=False, soft_wrap=True)

        def ready() -> None:
            if as_json:
                print_json({"address": address, "port": settings.port})
            else:
                said = f"The board is at {address} and ends with Ctrl-C."
                out.print(said, markup=False, highlight=False, soft_wrap=True)
            sys.stdout.flush()
            if not no_browser:
                Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        run_server(settings, opened, sessions, ready)
