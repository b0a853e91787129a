"""A stand-in for the board's server: it hands out the pages and one state that a test has made, and takes no move.

Positions that are rare in play (a challenge, a debt of six, a hand of twenty) can be looked at with it.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from uno_pomdp.pages.rendering import asset, media_type, render

POLICY: Final = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
OPTIONS: Final[dict[str, Any]] = {
    "rules": [
        {
            "name": "house",
            "summary": "the default: skip and reverse move again, a drawn card is kept",
            "opponent": "champion:ms=50",
        },
        {"name": "pass", "summary": "house, but skip and reverse only pass the turn", "opponent": "champion:ms=50"},
        {
            "name": "printed",
            "summary": "the printed two-player rules, whole but that a wild as first card deals again",
            "opponent": "champion:ms=50",
        },
        {
            "name": "stacking",
            "summary": "draws are answered: +2 with +2 or +4, and the debts add up",
            "opponent": "champion:ms=50",
        },
        {
            "name": "party",
            "summary": "draw until a card fits, stacked draws, 7 and 0 swap the hands",
            "opponent": "champion:ms=50",
        },
        {
            "name": "mini-9",
            "summary": "2 colours × {0, 1, skip, +2} and a wild, hands of 2",
            "opponent": "champion:ms=50",
        },
    ],
    "opponents": [
        {"name": "champion:ms=50", "summary": "the champion's net and 50 ms of search", "rules": ["house"]},
        {"name": "heuristic", "summary": "a careful player without memory", "rules": ["house", "printed"]},
    ],
    "coach": "flat:ms=200",
}
STATE: Final[dict[str, Any]] = {
    "version": 12, "number": 7, "rules": "printed", "you": 1, "opponent": "champion", "practice": False, "coach": False,
    "match": None, "status": "yours", "trouble": "", "hand": ["R5", "R+2", "Y3", "G3", "GS", "B7", "W4"],
    "legal": ["R5", "R+2", "G3", "W4:R", "W4:Y", "W4:G", "W4:B", "draw"], "drawn": None, "opponent_size": 6,
    "draw_size": 85, "played_size": 6, "top": "R3", "colour": "red", "debt": 0, "challenge": None,
    "sentence": "You are to move on R3 with seven cards; the opponent holds six.", "debt_words": "",
    "moves": [
        {"number": 1, "by": "you", "words": "You played B3.", "action": "B3", "sizes": [6, 7]},
        {"number": 2, "by": "opponent", "words": "The opponent drew 1 card.", "action": "draw", "sizes": [6, 8]},
        {"number": 3, "by": "opponent", "words": "The opponent kept the card.", "action": "keep", "sizes": [6, 8]},
        {"number": 4, "by": "you", "words": "You drew W4.", "action": "draw", "sizes": [7, 8]},
        {"number": 5, "by": "you", "words": "You kept the card.", "action": "keep", "sizes": [7, 8]},
        {"number": 6, "by": "opponent", "words": "The opponent played BR.", "action": "BR", "sizes": [7, 7]},
        {"number": 7, "by": "opponent", "words": "The opponent played R3.", "action": "R3", "sizes": [7, 6]},
    ],
    "result": None, "after": None,
}  # fmt: skip
CARDS: Final = [f"{colour}{rank}" for colour in "RYGB" for rank in (*"0123456789SR", "+2")] + ["W", "W4"]


def belief(shift: int) -> dict[str, Any]:
    """Return a belief with every shade in it."""
    shares = {code: round(((place * 7 + shift) % 29) / 29 * 0.6, 3) for place, code in enumerate(CARDS)}
    shares |= {"R0": 0.0, "Y+2": 0.97, "GS": 0.72, "B9": 0.003}
    colours = {"red": 0.42, "yellow": 0.99, "green": 0.8, "blue": 0.66, "black": 0.31}
    return {"cards": shares, "expected": shares, "colours": colours, "nothing_playable": 0.18}


def analysis(number: int = 7, lie: float | None = None) -> dict[str, Any]:
    """Return what a coach may say of the state."""
    values = [("R+2", 0.618, 412), ("W4:G", 0.561, 240), ("R5", 0.55, 96), ("G3", 0.51, 70), ("draw", 0.402, 12)]
    return {
        "number": number, "done": False, "coach": "flat:ms=200", "win": 0.618,
        "candidates": [
            {"action": action, "value": value, "error": 0.5 / tries**0.5, "simulations": tries, "prior": None,
             "note": "", "words": action} for action, value, tries in values
        ],
        "line": ["R+2", "draw", "R5"], "note": "",
        "lie": None if lie is None else {"probability": lie, "assumes": "it chooses as heuristic does"},
        "belief": {"exact": belief(0), "aware": belief(11) | {"about": "as heuristic would have played"}},
        "graph": [{"number": place, "win": win} for place, win in ((0, 0.51), (3, 0.47), (5, 0.55), (7, 0.618))],
    }  # fmt: skip


@contextmanager
def scene(state: dict[str, Any] | None = None, said: dict[str, Any] | None = None) -> Iterator[str]:
    """Serve the pages and this state; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path.startswith("/static/"):
                name = path.removeprefix("/static/")
                self.answer(asset(name), media_type(name))
            elif path == "/api/options":
                self.answer(json.dumps(OPTIONS).encode(), "application/json")
            elif path.endswith("/events"):
                self.stream()
            elif path.endswith("/why"):
                self.answer(b'{"words": "It is told after the end."}', "application/json")
            elif path.startswith("/api/"):
                self.answer(json.dumps(STATE if state is None else state).encode(), "application/json")
            else:
                name = "play.html" if path.startswith("/play/") else "home.html"
                self.answer(render(name).encode(), "text/html; charset=utf-8")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(json.dumps(STATE if state is None else state).encode(), "application/json")

        def answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for name, data in (("state", STATE if state is None else state), ("analysis", said)):
                if data is not None:
                    self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
            self.wfile.flush()
            over.wait()

        def log_message(self, *args: object) -> None:
            del args  # the tests' output is no log

    over = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()
