"""The outermost layer: who may ask, how large a request is, what every answer says to browsers, and what a bug shows.

A server on loopback is reached by every page that the person's browser shows. `Host` keeps names out that were pointed
at this machine (DNS rebinding), `Origin` and `Sec-Fetch-Site` keep other sites' scripts and forms out.
"""

import asyncio
import errno
import ipaddress
import logging
import re
import socket
import traceback
from contextlib import suppress
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from uno_pomdp.errors import UnoError
from uno_pomdp.web.clock import Clock
from uno_pomdp.web.limits import Bucket, Buckets
from uno_pomdp.web.problems import Problem, problem_of, problem_response
from uno_pomdp.web.settings import Rate, Settings

log = logging.getLogger("uno_pomdp.web")

WORD: Final = re.compile("[a-z]{0,12}")
"""A part of a path that may be logged: no token is so short."""
SAFE: Final = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""
LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")
"""What this machine is called by itself."""
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
"""Content-Security-Policy: nothing from elsewhere, nothing inline."""
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""On every answer. The token is in the path, so no referrer may carry it away."""

EVERY_MINUTE: Final = Rate(1 / 60, 1)
"""How often the log says the same again."""
NO_DESCRIPTOR: Final = (errno.EMFILE, errno.ENFILE)
"""How the system refuses to open a file or a connection."""
SHORT: Final = (
    "the system lets this server open no more files or connections, so some requests fail: "
    "stop the server, raise the limit with ulimit -n, and start it again"
)
UNCLEAR: Final = "it is unclear where this request ends: send Content-Length or Transfer-Encoding, not both"
BUG: Final = Problem("internal", "the server made a mistake, which it has logged: this is a bug, please report it")


class Hosts:
    """The names under which this server may be asked for."""

    def __init__(self, settings: Settings) -> None:
        host = settings.host
        bound = f"[{host}]" if ":" in host else host.lower()
        self._everywhere = host in ("0.0.0.0", "::", "")
        names = {*LOCAL, bound, *({socket.gethostname().lower()} if self._everywhere else ())}
        self._port = settings.port
        self.names: Final = frozenset(names)
        """Without the port."""

    def knows(self, host: str) -> bool:
        """Return whether a `Host`, or the rest of an `Origin`, is one of them, with the port.

        A server that listens everywhere has addresses that it does not know; no name can be pointed at an address that
        is written in digits.
        """
        name, colon, port = host.lower().rpartition(":")
        if not colon or port.endswith("]"):
            name, port = host.lower(), "80"
        if port != str(self._port):
            return False
        return name in self.names or (self._everywhere and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class _Gone(Exception):
    """The connection broke while it was answered."""


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings, addresses: Buckets, requests: Bucket) -> None:
        self._app = app
        self._settings = settings
        self._addresses = addresses
        self._requests = requests
        self._hosts = Hosts(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it; a bug is logged here, and told to nobody."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                _add_headers(message)
            try:
                await send(message)
            except Exception as error:  # of the server below: the connection is broken, and there is nobody to tell
                raise _Gone from error

        try:
            self._check(scope)
            scope["app"] = self._app  # then the router raises what it does not find
            await self._app(scope, receive, sending)
        except _Gone:
            return
        except Exception as error:
            problem = None if begun else _problem_of(error)
            if problem is None:
                log_failure(f"{scope['method']} {route_of(scope['path'])}", error)
            if not begun:
                with suppress(_Gone):
                    await problem_response(problem or BUG)(scope, receive, sending)

    def _check(self, scope: Scope) -> None:
        """Refuse a request from elsewhere, one that is too long, and too many of them."""
        headers = Headers(scope=scope)
        if "transfer-encoding" in headers and ("content-length" in headers or scope["http_version"] == "1.0"):
            raise Problem("bad_request", UNCLEAR, last=True)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._hosts.knows(hosts[0]):
            raise Problem("wrong_host", "this server answers under its own address alone: use the one that it printed")
        # Of one address first: what is refused there takes nothing from others.
        self._addresses.take(scope, "requests from one address")
        self._requests.take("requests")
        if len(scope.get("raw_path") or scope["path"].encode()) + len(scope["query_string"]) > self._settings.path:
            raise Problem("bad_request", "the address is too long: nothing here has one like it", status=414)
        if scope["method"] in SAFE and not scope["path"].startswith("/api/"):
            return
        site, origins = headers.get("sec-fetch-site"), headers.getlist("origin")
        if site not in (None, "same-origin", "none") or not all(self._own(origin) for origin in origins):
            raise Problem("wrong_origin", "this request comes from another site: only the board's own pages may ask")

    def _own(self, origin: str) -> bool:
        scheme, mark, host = origin.partition("://")
        return bool(mark) and scheme == "http" and self._hosts.knows(host)


def _problem_of(error: Exception) -> Problem | None:
    """Return what was wrong with the request; None for a bug."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException) and error.status_code == 405:
        return Problem("bad_request", "that can't be asked for with this method", 405)
    if isinstance(error, HTTPException):
        return Problem("not_found", "nothing is at this address: / is the home page")
    return problem_of(error) if isinstance(error, UnoError) else None


def _add_headers(message: Message) -> None:
    """Add what every answer says; answers about sessions are never kept by a browser."""
    headers = MutableHeaders(raw=message["headers"])
    for name, value in HEADERS.items():
        headers[name] = value
    if "cache-control" not in headers:
        headers["Cache-Control"] = "no-store"


class Shortage:
    """Says that the system gives this process no more descriptors, once a minute however many ask for one."""

    def __init__(self, clock: Clock) -> None:
        self._sayings = Bucket(EVERY_MINUTE, clock)

    def explains(self, error: BaseException) -> bool:
        """Return whether an error is one of these; if so, it has been told."""
        if not isinstance(error, OSError) or error.errno not in NO_DESCRIPTOR:
            return False
        with suppress(Problem):  # it was said a moment ago
            self._sayings.take("complaints")
            log.error("%s", SHORT)
        return True


shortage = Shortage(Clock())
"""Of this process, whose descriptors they are."""


def log_failure(what: str, error: BaseException) -> None:
    """Log where an error was raised: without its message, which may name cards.

    To show a place in the sources takes a descriptor, so nothing of the kind is done where there is none.
    """
    if not shortage.explains(error):
        log.error("%s: %s", what, _where(error))


def log_unheard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what failed on the event loop and nobody heard of, in place of the loop's own line, which has the message."""
    error = context.get("exception")
    if error is None:
        loop.default_exception_handler(context)
    else:
        log_failure("nobody heard of a failure", error)


def _where(error: BaseException) -> str:
    lines = [type(error).__name__]
    while True:
        lines += [line.rstrip() for line in traceback.format_tb(error.__traceback__)]
        cause = error.__cause__
        if cause is None:
            return "\n".join(lines)
        lines.append(f"caused by {type(cause).__name__}")
        error = cause


def route_of(path: str) -> str:
    """Return a path as it may be logged: its words, and dots for whatever else is in it."""
    return "/".join(part if WORD.fullmatch(part) else "…" for part in path.split("/")[:6])
