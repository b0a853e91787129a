"""JSON as it goes out."""

import json
from typing import Any

from starlette.responses import Response


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON on one line, in ASCII: so no text that came in can fail to go out."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def json_response(value: Any, status: int = 200) -> Response:
    """Return a value as an answer."""
    return Response(json_bytes(value), status, media_type="application/json")
