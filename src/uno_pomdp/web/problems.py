"""What can be wrong with a request, as JSON: a kind for programs, a sentence for people. Never what is inside."""

from typing import Final

from starlette.responses import Response

from uno_pomdp.beliefs.enumerated import CannotEnumerate, TooManyHypotheses
from uno_pomdp.errors import (
    IllegalAction,
    InvalidAgent,
    InvalidBelief,
    InvalidCard,
    InvalidRecord,
    InvalidRules,
    UnoError,
    sentence,
)
from uno_pomdp.web.json_text import json_bytes
from uno_pomdp.web.store import NotStored

STATUS: Final = {
    "bad_request": 400,
    "wrong_origin": 403,
    "not_found": 404,
    "conflict": 409,
    "gone": 410,
    "too_large": 413,
    "wrong_host": 421,
    "illegal_move": 422,
    "illegal_record": 422,
    "unknown_agent": 422,
    "unknown_rules": 422,
    "too_many": 429,
    "busy": 429,
    "internal": 500,
}
"""By kind: the status of the answer."""
KINDS: Final[dict[type[UnoError], str]] = {
    InvalidRules: "unknown_rules",
    InvalidAgent: "unknown_agent",
    InvalidBelief: "unknown_agent",
    CannotEnumerate: "unknown_agent",
    TooManyHypotheses: "unknown_agent",
    InvalidCard: "bad_request",
    IllegalAction: "illegal_move",
    InvalidRecord: "illegal_record",
}
"""The refusals of the package that a request can cause, and whose sentence may be shown; all others are bugs here."""


class Problem(Exception):
    """A request that can't be met."""

    def __init__(
        self, kind: str, message: str, status: int | None = None, after: float | None = None, last: bool = False
    ) -> None:
        super().__init__(message)
        self.kind = kind
        """One of `STATUS`."""
        self.message = message
        """What is wrong and what would be right, in a sentence."""
        self.status = STATUS[kind] if status is None else status
        """The status of the answer."""
        self.after = after
        """Seconds after which to try again; None if that is of no use."""
        self.last = last
        """Whether the connection is closed after the answer."""


def problem_of(error: UnoError) -> Problem | None:
    """Return a refusal of the package as a problem of the request; None if no request should have caused it."""
    if isinstance(error, NotStored):
        return Problem("internal", str(error), 507)
    for base in type(error).__mro__:
        if base in KINDS:
            return Problem(KINDS[base], str(error))
    return None


def problem_response(problem: Problem) -> Response:
    """Return the answer to a request that can't be met."""
    headers = {} if problem.after is None else {"Retry-After": str(max(1, round(problem.after)))}
    if problem.last:
        headers["Connection"] = "close"
    body = json_bytes({"error": {"kind": problem.kind, "message": sentence(problem.message)}})
    return Response(body, problem.status, headers, "application/json")
