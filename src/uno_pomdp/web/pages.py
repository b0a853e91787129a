"""Pages and what they load."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

HOME = "<!doctype html><html lang=en><meta charset=utf-8><title>uno-pomdp</title><h1>uno-pomdp</h1></html>"


def routes() -> Sequence[BaseRoute]:
    """Return the home page, the pages of sessions and their styles and scripts."""

    async def home(request: Request) -> Response:
        del request
        return HTMLResponse(HOME)

    return [Route("/", home, methods=["GET"])]
