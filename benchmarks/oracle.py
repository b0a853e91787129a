"""The kernels and the slow oracle of the tests, side by side through whole random games of many rules.

After every action the two have to agree on everything: hands, piles, top, colour, turn, penalty, legal actions,
outcome. The rules are every legal combination of the variant fields with the deck and hand size of every preset, so
all presets are among them. A chunk of games stops at its first difference, which is printed with all that is
needed to play it again. Two processes share the work.
"""

import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from typing import Any, Final

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, run, seconds, shown
from tests.differential import Compared, compare
from uno_pomdp.errors import InvalidRules
from uno_pomdp.rules import CHOICES, PRESETS, Rules

GAMES: Final = 1_000_000
"""Whole games in a full run."""
CHUNK: Final = 250
"""Games of one rules and one seed: enough to outweigh handing them out, few enough to share out evenly."""
PROCESSES: Final = 2


def all_rules() -> list[Rules]:
    """Return every variant of every preset, each once."""
    found: dict[Rules, None] = {}  # a dict, for a set has no order of its own
    for preset in PRESETS.values():
        for values in itertools.product(*CHOICES.values()):
            variant: dict[str, Any] = dict(zip(CHOICES, values, strict=True))
            with suppress(InvalidRules):  # some values exclude each other
                found[replace(preset.rules, **variant)] = None
    return list(found)


def chunks(games: int) -> Iterator[tuple[Rules, int, int]]:
    """Share `games` out over all rules; yield the rules, the seed and the size of each chunk."""
    rules = all_rules()
    for index, each in enumerate(rules):
        share = games * (index + 1) // len(rules) - games * index // len(rules)
        for start in range(0, share, CHUNK):
            yield each, start, min(CHUNK, share - start)


def compare_chunk(chunk: tuple[Rules, int, int]) -> Compared | str:
    """Compare one chunk; return what it went through, or the first difference."""
    rules, seed, games = chunk
    try:
        return compare(rules, seed, games)
    except AssertionError as difference:  # a `Difference`, or what the oracle itself asserts
        return str(difference)


def whole_games(run: Run) -> Iterator[Claim]:
    """Compare whole games and count the differences."""
    games = run.pick(GAMES, 320)
    results: list[Compared | str] = []

    def work() -> None:
        # spawned, not forked: the same on every platform, and no thread of the parent is cut in half
        with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
            results.extend(pool.map(compare_chunk, chunks(games), chunksize=1))

    spent = seconds(work)
    compared = [result for result in results if isinstance(result, Compared)]
    differences = [result for result in results if isinstance(result, str)]
    for difference in differences:
        print(difference, file=sys.stderr)
    total = sum(done.games + done.circles for done in compared)
    yield at_most("chunks of games in which kernels and oracle differ", len(differences), 0, "chunks")
    yield at_least("games in which they agree", total, GAMES, "games")
    yield shown("rules that these games are of", len(all_rules()), "rules")
    yield shown("actions after which everything was equal", sum(done.actions for done in compared), "actions")
    yield shown("reshuffles among them", sum(done.reshuffles for done in compared), "reshuffles")
    yield shown("games left in a circle in which nobody has a choice", sum(done.circles for done in compared), "games")
    yield shown("games that exhausted the deck", sum(done.exhausted for done in compared), "games")
    yield shown("comparing, with two processes", total / spent, "games/s")


BENCHMARK = Benchmark("oracle", (Part("kernels beside the oracle", whole_games),), one_core=False)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
