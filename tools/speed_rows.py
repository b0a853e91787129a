"""The pieces of work that `tools.speed` measures.

It runs this file in new processes, with the sources of either commit. So only names that both have can be used:
those of the front door first. What may have moved is named by all its places, the newest first.
"""

import asyncio
import importlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import uno_pomdp as uno

Work = Callable[[], object]
"""Does a piece of work once."""
COACH: Final = "flat:sims=20"


def named(*places: str) -> Any:
    """Return what is called so, from the first of these places where it is: as in `uno_pomdp.module:name`."""
    missing: ImportError | AttributeError | None = None
    for place in places:
        module, _, name = place.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            missing = error
    assert missing is not None
    raise missing


def played(rules: str, seed: int = 5, most: int = 60) -> uno.Game:
    """Return a game played at random."""
    game, chance = uno.Game.new(rules, seed), random.Random(seed)
    while not game.over and len(game.moves) < most:
        game.apply(chance.choice(game.legal_actions()))
    return game


def times(size: float, count: float) -> int:
    """Return how often something is done at this size."""
    return max(round(size * count), 1)


def match(first: str, second: str, pairs: int) -> Callable[[float], Work]:
    """Return matches in kernels."""

    def made(size: float) -> Work:
        return lambda: uno.match(first, second, pairs=times(size, pairs), seed=1, luck=False, processes=1)

    return made


def batch(size: float) -> Work:
    """Return steps of many games."""

    def work() -> None:
        games = uno.Batch.deal("house", times(size, 8_000), 1)
        for _ in range(160):
            games.step(games.legal_masks().argmax(axis=1))
            games.observe()

    return work


def apply(size: float) -> Work:
    """Return moves of single games, with and without what the newer rules tell."""
    games = [played(rules, seed) for rules in ("house", "printed", "party") for seed in range(4)]
    moves = [(game, [move.action for move in game.moves]) for game in games]

    def work() -> None:
        for _ in range(times(size, 40)):
            for game, actions in moves:
                again = uno.Game.new(game.rules, game.seed)
                for action in actions:
                    again.apply(action)

    return work


def events(size: float) -> Work:
    """Return what both seats see of whole games."""
    games = [played(rules, 3) for rules in ("house", "printed", "party")]

    def work() -> None:
        for _ in range(times(size, 24)):
            for game in games:
                game.history(0)
                game.history(1)

    return work


def closed_form(size: float) -> Work:
    """Return updates of the exact belief."""
    histories = [played(rules).history(0) for rules in ("house", "printed")]

    def work() -> None:
        for _ in range(times(size, 500)):
            for history in histories:
                history.follow(uno.ClosedFormBelief(history.rules, history.first))

    return work


def filtered(size: float) -> Work:
    """Return updates of the particle filter."""
    history = played("house", most=24).history(0)

    def work() -> None:
        history.follow(uno.ParticleBelief(history.rules, history.first, "heuristic", size=times(size, 500), seed=1))

    return work


def search(name: str, simulations: int, decisions: int) -> Callable[[float], Work]:
    """Return decisions of a search."""

    def made(size: float) -> Work:
        game = played("house", most=12)
        agent = f"{name}:sims={times(size, simulations)}"
        while len(game.legal_actions()) < 2:
            game.apply(game.legal_actions()[0])
        return lambda: [uno.make_agent(agent).consider(game, seed) for seed in range(times(size, decisions))]

    return made


def tree(size: float) -> Work:
    """Return the walk over a whole tree."""
    return lambda: [uno.build_tree("mini-7") for _ in range(times(size, 5))]


def cfr(size: float) -> Work:
    """Return iterations of counterfactual regret minimisation."""
    solve = named("uno_pomdp.equilibrium.cfr:solve")
    grown = uno.build_tree("mini-7")
    return lambda: solve(grown, iterations=times(size, 7_000), target=0.0)


def compact(size: float) -> Work:
    """Return the compact solver: its walk and some iterations."""
    solve = named("uno_pomdp.equilibrium.compact.compact_solution:solve_compact")
    rules = uno.preset("mini-7" if size < 1 else "mini-9")
    return lambda: solve(rules, target=0.0, iterations=times(size, 300))


def review(size: float) -> Work:
    """Return a review."""
    record = uno.record_of(played("house", most=times(size, 40)))
    return lambda: [uno.review_game(record, COACH) for _ in range(times(size, 8))]


def advise(size: float) -> Work:
    """Return entries of a game at a real table, with what is said to each."""
    session = named("uno_pomdp.advise.session:Session")
    record = uno.observed(uno.record_of(played("house", most=times(size, 24))), 0)
    entered = session.of_record(record, Path("game"), COACH, 1)
    answers = [*entered.start.texts.values(), *map(str, entered.entries)]

    def work() -> None:
        for _ in range(times(size, 6)):
            again = session(record.rules, COACH, 1)
            for text in answers:
                again.enter(text)
                again.to_json()

    return work


def board(size: float) -> Work:
    """Return moves of a person at the board, over HTTP without a socket."""
    site = named("tests.web_server.site:Site")

    async def visited() -> None:
        async with site(seed=3) as visiting:
            path, chance = await visiting.begin(opponent="heuristic", rules="house"), random.Random(1)
            for _ in range(times(size, 60)):
                state = await visiting.settled(path, "yours", "over")
                if state["status"] == "over":
                    path = await visiting.begin(opponent="heuristic", rules="house")
                    continue
                await visiting.move(path, state, chance.choice(state["legal"]))

    return lambda: asyncio.run(visited())


ROWS: Final[dict[str, Callable[[float], Work]]] = {
    "random": match("random", "random", 40_000),
    "greedy": match("greedy", "greedy", 40_000),
    "heuristic": match("heuristic", "baseline", 50_000),
    "batch": batch,
    "apply": apply,
    "history": events,
    "belief": closed_form,
    "filter": filtered,
    "flat": search("flat", 6_000, 20),
    "ismcts": search("ismcts", 4_000, 20),
    "pomcp": search("pomcp", 600, 12),
    "tree": tree,
    "cfr": cfr,
    "compact": compact,
    "review": review,
    "advise": advise,
    "board": board,
}
"""By name: what makes the work of a size, where 1 is a tenth of a second or two."""


@contextmanager
def said_to(name: str) -> Iterator[None]:
    """Say which row can't be made here, where a commit has not got what it needs."""
    try:
        yield
    except (ImportError, AttributeError, TypeError) as error:
        raise SystemExit(f"{name} can't be measured beside {uno.__file__}: {error}") from error


def main() -> None:
    """Make the rows that are named ready, then do one for each line that names it, and say what CPU time it took."""
    size, *names = sys.argv[1:]
    if not Path(uno.__file__).is_relative_to(Path.cwd()):
        raise SystemExit(f"{uno.__file__} is not below {Path.cwd()}: other sources would be measured")
    works: dict[str, Work] = {}
    for name in names:
        with said_to(name):
            works[name] = ROWS[name](float(size))
            works[name]()
    print("ready", flush=True)
    for line in sys.stdin:
        started = time.process_time()
        works[line.strip()]()
        print(json.dumps(time.process_time() - started), flush=True)


if __name__ == "__main__":
    main()
