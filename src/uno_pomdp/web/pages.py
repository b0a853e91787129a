"""Pages and what they load: templates as they are, styles and scripts by name."""

import gzip
from collections.abc import Sequence
from hashlib import sha256

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from uno_pomdp.pages.rendering import asset, asset_names, media_type, render
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.settings import Settings


def page(path: str, template: str) -> Route:
    """Return the route of a page."""

    async def shown(request: Request) -> Response:
        del request
        return HTMLResponse(render(template))

    return Route(path, shown, methods=["GET"])


def compressed(request: Request, text: str) -> Response:
    """Return a large page in few bytes, to a browser that can unpack them; of what is secret nothing is in it."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return HTMLResponse(text)
    return HTMLResponse(
        gzip.compress(text.encode(), mtime=0), headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    )


def routes() -> Sequence[BaseRoute]:
    """Return the home page, and the styles and scripts of all pages."""
    return [page("/", "home.html"), Route("/static/{name}", _static, methods=["GET"])]


async def nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer where no route leads: a browser that asks for a page gets one, everything else the problem."""
    wanted = Request(scope).headers.get("accept", "")
    if scope["method"] not in ("GET", "HEAD") or scope["path"].startswith("/api/") or "text/html" not in wanted:
        raise HTTPException(404)
    await HTMLResponse(render("nothing_here.html", room=""), 404)(scope, receive, send)


def session_missing(room: str, settings: Settings) -> Response:
    """Return the page in the place of a session's that is not there, with what can be done instead."""
    days = round(settings.stored_seconds / 86_400)
    return HTMLResponse(render("nothing_here.html", room=room, days=days), 404)


async def _static(request: Request) -> Response:
    """Answer with a style or a script; a browser that has it is told so."""
    name = request.path_params["name"]
    if name not in asset_names():
        raise Problem("not_found", "no style or script has this name")
    mark, content = _asset(name)
    forever = request.query_params.get("v") is not None
    headers = {"ETag": mark, "Cache-Control": "public, max-age=31536000, immutable" if forever else "no-cache"}
    if mark in (each.strip() for each in request.headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=media_type(name))


def _asset(name: str) -> tuple[str, bytes]:
    """Return an asset with the mark that changes with it; read each time, so that a changed page shows on reload."""
    content = asset(name)
    return f'"{sha256(content).hexdigest()[:16]}"', content
