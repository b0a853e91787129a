"""Talk to an engine in this process: lines in, replies out, each reply checked against its schema."""

import json
import random
from collections.abc import Iterable
from typing import Any, Final

from jsonschema import Draft202012Validator

from uno_pomdp.engine.engine import QUEUE, Engine
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.rules import preset
from uno_pomdp.schemas import schema

REQUEST: Final = Draft202012Validator(schema("engine-request"))
REPLY: Final = Draft202012Validator(schema("engine-reply"))
AGENT: Final = "flat:sims=30"


def talk(lines: Iterable[object], workers: int = 1, waiting: int = QUEUE) -> list[dict[str, Any]]:
    """Return the replies to these lines: bytes as they are, other values as JSON."""
    replies: list[dict[str, Any]] = []

    def hear(text: str) -> None:
        assert "\n" not in text
        replies.append(json.loads(text))

    Engine(hear, workers, waiting).run(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    for reply in replies:
        REPLY.validate(reply)
    return replies


def final(lines: Iterable[object]) -> dict[str, Any]:
    """Return the only final reply to these lines."""
    (reply,) = [reply for reply in talk(lines) if is_final(reply)]
    return reply


def is_final(reply: dict[str, Any]) -> bool:
    """Return whether a reply is the last one to its line."""
    return bool(reply.get("done", True))


def game_after(moves: int, rules: str = "house", seed: int = 3) -> Game:
    """Return a game after so many random moves, or at its end."""
    game, chance = Game.new(preset(rules), seed), random.Random(seed)
    while not game.over and len(game.moves) < moves:
        game.apply(chance.choice(game.legal_actions()))
    return game


def whole(game: Game) -> str:
    """Return the text of the whole game."""
    return format_record(record_of(game, ("one", "two")))


def own(game: Game, seat: int) -> str:
    """Return the text of what a seat saw."""
    return format_record(observed(record_of(game, ("one", "two")), seat))


def query(game: Game, name: str = "q", **more: Any) -> dict[str, Any]:
    """Return a query about the player to move, from the whole record."""
    asked = {"id": name, "record": whole(game), "seat": game.turn + 1, "agent": AGENT} | more
    REQUEST.validate(asked)
    return asked
