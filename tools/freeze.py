"""Frozen values: 500 fixed games under all rules, and a digest of each kind of value that a redesign must not change.

    python -m tools.freeze --check                        compare, name what differs; exit code 1 if anything does
    python -m tools.freeze --check --games 50             only 50 games, spread over all
    python -m tools.freeze --check --kinds tokens,events  only these kinds
    python -m tools.freeze --kinds pomcp                  write these kinds anew, where they are meant to change
    python -m tools.freeze --anew                         choose the games anew too: after a new value of a rule

The digests stand in `tests/frozen.txt`, a line for each game: its rules, its seed and how it is played, then
`kind:digest` for each kind. A line says all that makes its game, so games stay the same when rules are added.
`tools/frozen_values.py` says what belongs to each kind. `tests/test_frozen.py` looks at 20 of the games.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import uno_pomdp as uno
from tests.helpers import PAIRS_OF_VALUES, rules_of
from tools.frozen_values import KINDS, Played, digest
from uno_pomdp.cards import Cards
from uno_pomdp.errors import UnoError
from uno_pomdp.files import write_text
from uno_pomdp.game.actions import DRAW, FORGOT_UNO, Action
from uno_pomdp.game.deal import Deal, Midgame
from uno_pomdp.game.record import Undone, take_back
from uno_pomdp.rules import PRESETS

PAGE: Final = Path(__file__).parents[1] / "tests" / "frozen.txt"
GAMES: Final = 500
MOST_MOVES: Final = 80
"""A game stops after this many moves."""
HOWS: Final = ("random", "scripted", "forgetful", "undone", "middle")
"""Ways to play: at random; by scripted agents; with forgotten UNOs; with moves taken back too; from the middle on."""
SCRIPTED: Final = ("heuristic", "greedy", "baseline")
SMALL_DECKS: Final = ("few of four colours", "all penalties", "hands of 6", "no draw pile")
"""Decks on which reshuffles, empty piles and stacked debts come up."""
GAP: Final = " | "


@dataclass(frozen=True)
class Row:
    """One game, and the digests of its kinds."""

    rules: str
    """Its rules as a text."""
    seed: int
    """Seed of the deal and of all other chance."""
    how: str
    """How it is played: one of `HOWS`."""
    digests: dict[str, str]
    """By kind."""

    @property
    def name(self) -> str:
        """What makes the game, as it is written."""
        return GAP.join((self.rules, f"{self.seed} {self.how}"))

    @classmethod
    def read(cls, line: str) -> "Row":
        """Return a row as it was written."""
        rules, played, digests = line.split(GAP)
        seed, how = played.split()
        return cls(rules, int(seed), how, dict(each.split(":") for each in digests.split()))

    def __str__(self) -> str:
        return GAP.join((self.name, " ".join(f"{kind}:{self.digests[kind]}" for kind in KINDS if kind in self.digests)))


# --- the games -------------------------------------------------------------------------------------------


def chosen_games() -> list[Row]:
    """Return the games: each preset, and the legal pairs of rule values on the standard and a small deck, in turn."""
    pairs = [rules_of("standard", variant) for variant in PAIRS_OF_VALUES]
    small = [rules_of(SMALL_DECKS[n % len(SMALL_DECKS)], variant) for n, variant in enumerate(PAIRS_OF_VALUES)]
    presets = [str(entry.rules) for entry in PRESETS.values()]
    every = [*presets, *map(str, pairs), *presets, *map(str, small)]
    return [
        Row(
            every[number % len(every)],
            number,
            HOWS[(number + number // len(every)) % len(HOWS)],
            {kind: "" for place, kind in enumerate(KINDS) if (number + place) % KINDS[kind].every == 0},
        )
        for number in range(GAMES)
    ]


def play(row: Row) -> Played:
    """Play a game."""
    chance = random.Random(row.seed)
    game = uno.Game.new(uno.Rules.parse(row.rules), row.seed)
    if row.how == "middle":
        game = from_the_middle(game, chance)
    undone: tuple[Undone, ...] = ()
    while not game.over and len(game.moves) < MOST_MOVES:
        if row.how == "undone" and game.moves and len(undone) < 4 and chance.random() < 0.1:
            count = chance.randint(1, min(len(game.moves), 5))
            undone = take_back(uno.record_of(game, undone=undone), count).undone
            game = game.earlier(count)
        elif (
            row.how in ("forgetful", "undone")
            and (seats := may_forget(game))
            and sum(move.action == FORGOT_UNO for move in game.moves) < 6
            and chance.random() < 0.4
        ):
            game.forget_uno(chance.choice(seats))
        elif row.how == "scripted":
            game.apply(scripted(game, SCRIPTED[(row.seed + game.turn) % len(SCRIPTED)], chance))
        else:
            game.apply(at_random(game, chance))
    return Played(game, uno.record_of(game, ("one", "two"), undone=undone), row.seed)


def at_random(game: uno.Game, chance: random.Random) -> Action:
    """Return a random legal action; few draws that need not be, which would make games long."""
    actions = list(game.legal_actions())
    if len(actions) > 1 and DRAW in actions and chance.random() < 0.8:
        actions.remove(DRAW)
    return chance.choice(actions)


def scripted(game: uno.Game, name: str, chance: random.Random) -> Action:
    """Return what a scripted policy does here."""
    agent = uno.make_agent(name)
    agent.start(game.rules, game.observation(game.turn), chance.getrandbits(32))
    return agent.decide().action


def may_forget(game: uno.Game) -> list[int]:
    """Return who can have forgotten to say UNO here."""
    seen = game.observation(game.turn)
    return [
        seat
        for seat in (0, 1)
        if len(game.hand(seat)) == 1 and not seen.deciding and (seen.before is None or seat == game.turn)
    ]


def from_the_middle(game: uno.Game, chance: random.Random) -> uno.Game:
    """Return a game that begins where this one stands after some random moves."""
    deal = position_of(game)
    for _ in range(chance.randint(2, 16)):
        if game.over:
            break
        game.apply(at_random(game, chance))
        if not game.over and game.drawn is None:
            deal = position_of(game)
    return uno.Game.from_deal(game.rules, deal, game.seed)


def position_of(game: uno.Game) -> Deal:
    """Return where a running game stands, as the beginning of another."""
    seen, played = game.observation(game.turn), game.played_pile
    midgame = Midgame(seen.colour, game.turn, seen.penalty, seen.before, Cards.of(played[:-1]))
    return Deal(played[-1], (game.hand(0), game.hand(1)), game.draw_pile, midgame)


# --- digests ---------------------------------------------------------------------------------------------


def saved_games(page: Path = PAGE) -> list[Row]:
    """Return the games as they were written."""
    return [Row.read(line) for line in page.read_text(encoding="utf-8").splitlines()]


def spread(rows: Sequence[Row], count: int) -> list[Row]:
    """Return this number of games, spread evenly in the order of their seeds."""
    ordered = sorted(rows, key=lambda row: row.seed)
    return [ordered[number * len(ordered) // count] for number in range(min(count, len(ordered)))]


def frozen(row: Row, kinds: Iterable[str], spent: Counter[str] | None = None) -> Row:
    """Return a game with those of its digests anew that are of these kinds."""
    played, found = play(row), dict(row.digests)
    for kind in kinds:
        if kind in row.digests:
            began = time.process_time()
            found[kind] = digest(kind, played)
            if spent is not None:
                spent[kind] += round(1e6 * (time.process_time() - began))
    return replace(row, digests=found)


def differences(row: Row, kinds: Iterable[str], spent: Counter[str] | None = None) -> list[str]:
    """Return the kinds whose values differ from those in the file."""
    now = frozen(row, kinds, spent)
    return [kind for kind in row.digests if now.digests[kind] != row.digests[kind]]


def check(rows: Sequence[Row], kinds: Sequence[str], spent: Counter[str]) -> int:
    """Compare games with what was written, and say what differs; return the exit code."""
    by_kind: Counter[str] = Counter()
    games = 0
    for row in rows:
        found = differences(row, kinds, spent)
        by_kind.update(found)
        games += bool(found)
        if found:
            print(f"differs: {row.name}: {', '.join(found)}", flush=True)
    said = ", ".join(f"{kind} of {count}" for kind, count in by_kind.items())
    print(f"{games} of {len(rows)} games differ: {said}" if games else f"{len(rows)} games are as they were")
    return 1 if games else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or compare the digests."""
    parser = argparse.ArgumentParser(prog="python -m tools.freeze", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with what was written")
    parser.add_argument("--anew", action="store_true", help="choose the games anew")
    parser.add_argument("--kinds", default=",".join(KINDS), help="only these kinds, with commas between them")
    parser.add_argument("--games", type=int, default=GAMES, help="number of games, spread over all")
    parser.add_argument("--times", action="store_true", help="say how much CPU time each kind took")
    asked = parser.parse_args(arguments)
    kinds = asked.kinds.split(",")
    if unknown := sorted(set(kinds) - set(KINDS)):
        parser.error(f"no kind is called {unknown[0]}: choose of {', '.join(KINDS)}")
    if asked.games < 1 or (asked.anew and (asked.check or asked.games < GAMES or len(kinds) < len(KINDS))):
        parser.error("--games is at least 1, and --anew writes all kinds of all games")
    if not asked.anew and not PAGE.exists():
        parser.error("nothing was written yet: --anew does that")
    spent: Counter[str] = Counter()
    rows = chosen_games() if asked.anew else saved_games()
    chosen = spread(rows, asked.games)
    if asked.check:
        code = check(chosen, kinds, spent)
    else:
        anew = {row.name: frozen(row, kinds, spent) for row in chosen}
        lines = sorted(str(anew.get(row.name, row)) for row in rows)
        write_text(PAGE, "".join(f"{line}\n" for line in lines))
        code = 0
    if asked.times:
        for kind, microseconds in spent.most_common():
            print(f"{kind:14}{microseconds / 1e6:8.1f} s")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UnoError as error:
        sys.exit(f"freeze: {error}")
