"""Random and damaged lines: one final reply to each, never a traceback, never a hidden card in a refusal.

`python -m tests.engine.test_fuzz CASES SEED` runs so many.
"""

import json
import random
import sys
from collections import Counter
from typing import Any, Final

from tests.engine.talk import game_after, is_final, own, talk, whole
from uno_pomdp.engine.positions import CARD

CASES: Final = 800
"""Lines in the test."""
LETTERS: Final = '{}[]":,\\/ \t\r0123456789abcRYGBWS+-.eE\x00\x7fé💥\u2028'
VALUES: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    1,
    2,
    3,
    -1,
    1.5,
    1e999,
    10**30,
    "",
    "q",
    "x" * 300,
    [],
    {},
    ["belief"],
    "\ud800",
)
AGENTS: Final = (
    "heuristic",
    "random",
    "greedy",
    "flat:sims=1",
    "nobody",
    "flat:",
    "py:",
    "policy:file=/dev/zero",
    "pomcp:sims=2",
)


def lines_of(cases: int, seed: int) -> list[bytes]:
    """Return so many lines, some of them right."""
    chance = random.Random(seed)
    games = [
        game_after(chance.randrange(20), rules, seed) for rules in ("house", "printed", "party", "mini-9", "stacking")
    ]
    texts = [text for game in games for text in (whole(game), own(game, 0), own(game, 1))]
    return [one_line(chance, texts, number) for number in range(cases)]


def one_line(chance: random.Random, texts: list[str], number: int) -> bytes:
    """Return one line: a query that is right, or wrong at some level."""
    text = chance.choice(texts)
    asked: dict[str, Any] = {"id": f"q{number}", "record": text, "seat": chance.choice((1, 2)), "agent": "heuristic"}
    asked["include"] = chance.choice(([], [], [], ["belief"]))
    how = chance.randrange(8)
    if how == 0:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(40))).replace(b"\n", b"")
    if how == 1:
        small: Any = chance.choice(({"cancel": f"q{number - 1}"}, {"query": "version"}, *VALUES, [asked]))
        return json.dumps(small).encode()
    if how in (2, 3):
        asked["record"] = damaged(chance, text)
    elif how == 4:
        fields = (*asked, "rules", "seed", "include", "report_every_ms", "cancel", "query", "other")
        asked[chance.choice(fields)] = chance.choice(VALUES)
    elif how == 5:
        asked["agent"] = chance.choice(AGENTS)
        asked["include"] = ["candidates", "win_probability"]
    line = json.dumps(asked)
    if how == 6:
        for _ in range(chance.randrange(1, 4)):
            place = chance.randrange(len(line))
            line = line[:place] + chance.choice(LETTERS) * chance.randrange(2) + line[place + chance.randrange(2) :]
    return line.encode("utf-8", "surrogatepass")


def damaged(chance: random.Random, text: str) -> str:
    """Return a record with a few lines changed."""
    lines = text.split("\n")
    for _ in range(chance.randrange(1, 3)):
        place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        words = lines[place].split(" ")
        chance.shuffle(words)
        letter = chance.choice("RYGBW0123456789+ :,.x\u00a0")
        cut = chance.randrange(len(lines[place]) + 1)
        lines[place] = chance.choice(
            (lines[other], "", " ".join(words), lines[place][:cut] + letter + lines[place][cut + chance.randrange(2) :])
        )
    return "\n".join(lines)


def name_in(line: bytes) -> str | None:
    """Return the id that a reply to a line has to have; None where there is none to read."""
    try:
        given = json.loads(line.decode("utf-8"), parse_constant=lambda _: [][0])
    except (ValueError, RecursionError, IndexError):
        return None
    name = given.get("id") if isinstance(given, dict) and "cancel" not in given else None
    return name if isinstance(name, str) and 0 < len(name) <= 200 else None


def check(cases: int, seed: int) -> Counter[str]:
    """Check the replies to so many lines; return how often each kind of reply came."""
    lines = lines_of(cases, seed)
    replies = talk(lines, workers=2, waiting=cases)
    last = [reply for reply in replies if is_final(reply)]
    assert len(last) == len(lines)
    named = Counter(name for name in map(name_in, lines) if name is not None)
    assert Counter(reply["id"] for reply in last if reply.get("id") is not None) == named
    told = sorted(reply["input_line"] for reply in last if "input_line" in reply)
    others = sum("cancel" in reply or ("query" in reply and "id" not in reply) for reply in last)
    assert len(told) == len(set(told)) == len(lines) - sum(named.values()) - others
    opened = {name_in(line) for line in lines if b"version 2, seen by" not in line}
    for reply in last:
        message = reply.get("error", {}).get("message", "")
        assert "Traceback" not in message
        assert reply.get("error", {}).get("kind") != "failed", reply
        if reply.get("id") in opened and reply.get("error", {}).get("kind") == "illegal_record":
            assert not CARD.search(message), reply
    return Counter(reply["error"]["kind"] if "error" in reply else "answered" for reply in last)


def test_every_line_has_one_final_reply() -> None:
    found = check(CASES, 11)
    assert found["answered"] > CASES / 10
    assert found["illegal_record"] > CASES / 8
    assert found["bad_request"] > CASES / 8
    assert {"unknown_agent", "other_seat"} <= set(found)


if __name__ == "__main__":
    print(check(int(sys.argv[1]), int(sys.argv[2])))
