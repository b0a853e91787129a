"""Whole games played by a random client, and all that was sent during them searched for hidden cards.

`python -m tests.web_server.traffic 200` plays 200 games under every preset.
"""

import asyncio
import random
import sys
from typing import Any

from tests.web_server import secrets
from tests.web_server.site import Site, Stream
from uno_pomdp.rules import PRESETS

MOST = 250
"""Moves of a game: who may always draw, and plays at random, may play for ever."""
ASKED_BESIDES = ("{path}", "{path}/record", "{path}/why")


async def everything(site: Site, path: str, state: Any) -> None:
    """Ask for all that can be asked for, right and wrong."""
    for asked in ASKED_BESIDES:
        assert (await site.get(asked.format(path=path))).status == 200
    for wrong in ({"move": "draw", "at": 90_000}, {"move": "nothing", "at": state["number"]}):
        assert (await site.post(f"{path}/move", wrong)).status in (400, 409, 422)
    assert (await site.post(f"{path}/undo", {"at": state["number"]})).status == 409
    assert (await site.post(f"{path}/next")).status == 409
    assert (await site.post(f"{path}/rematch", {"same_deal": True})).status == 409


async def game_is_silent(site: Site, rules: str, seat: str, rng: random.Random, opponent: str = "greedy") -> int:
    """Play a game by random moves, and look for hidden cards in all that was sent before its end; return its moves."""
    site.traffic.clear()
    path = await site.begin(rules=rules, opponent=opponent, seat=seat)
    stream = Stream(site, f"{path}/events")
    table = await site.table(path)
    seed, known = str(table.round.setup.seed).encode(), None
    while True:
        state = await site.settled(path, "yours", "over")
        if state["status"] == "over" or state["number"] > MOST:
            break
        await everything(site, path, state)
        session = table.round.session
        assert session is not None
        known = known or secrets.Known(session.game, table.round.setup.seat)
        assert secrets.leaks(site.traffic, known.of(session.game)) == set()
        assert not any(seed in sent for sent in site.traffic)
        site.traffic.clear()
        cards = [move for move in state["legal"] if move != "draw"]
        await site.move(path, state, rng.choice(cards if cards and rng.random() < 0.8 else state["legal"]))
    await stream.leave()
    return int(state["number"])


def campaign(games: int, rules: str, seed: int) -> int:
    """Play so many games under some rules, and return all moves of them."""
    return asyncio.run(_campaign(games, rules, seed))


async def _campaign(games: int, rules: str, seed: int) -> int:
    rng, moves = random.Random(seed), 0
    for number in range(games):
        async with Site(seed=rng.getrandbits(60)) as site:
            opponent = rng.choice(("greedy", "heuristic"))
            moves += await game_is_silent(site, rules, "12"[number % 2], rng, opponent)
    return moves


if __name__ == "__main__":
    for name in PRESETS:
        print(f"{name}: {campaign(int(sys.argv[1]), name, 1)} moves, nothing hidden was sent", flush=True)
