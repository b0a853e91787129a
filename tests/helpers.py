"""Shared by the tests: decks, variants, positions written as text, random games."""

import itertools
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from hypothesis import strategies as st

from uno_pomdp.cards import STANDARD_DECK, Cards, parse_card
from uno_pomdp.game.actions import DRAW, Action
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import States
from uno_pomdp.game.move import Move
from uno_pomdp.known_rules import PLAIN_RULES
from uno_pomdp.rules import CHOICES, PRESETS, Rules, preset

PRINTED_PLAIN: Final = "printed,wild_four=last_resort,first_card=plain"
"""The plain rules closest to `printed`."""


def _combinations(choices: Mapping[str, tuple[str, ...]]) -> list[dict[str, str]]:
    return [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]


def is_legal(variant: dict[str, str]) -> bool:
    """Return whether the rules page allows these values together."""
    both_draws = variant["draw"] == "until_playable" and variant["drawn_card"] == "may_play"
    return not both_draws and not (variant["wild_four"] == "challenge" and variant["stack"] != "no")


VARIANTS: Final = _combinations(PLAIN_RULES)
"""All 2⁵ ways to fill the variant fields of plain rules; the others have their defaults."""
ALL_VARIANTS: Final = [variant for variant in _combinations(CHOICES) if is_legal(variant)]
"""All combinations of values that the rules page allows."""


def pairs_of_values(variant: dict[str, str]) -> set[tuple[tuple[str, str], tuple[str, str]]]:
    """Return each pair of two fields' values in a variant."""
    return set(itertools.combinations(variant.items(), 2))


def covering(variants: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return few variants in which each pair of values occurs that occurs in any.

    Always the one with the most pairs that are missing is taken, the first of these.
    """
    missing = set().union(*map(pairs_of_values, variants))
    chosen = []
    while missing:
        chosen.append(max(variants, key=lambda variant: len(missing & pairs_of_values(variant))))
        missing -= pairs_of_values(chosen[-1])
    return chosen


PAIRS_OF_VALUES: Final = covering(ALL_VARIANTS)
"""A dozen variants or so in which each legal pair of values of two fields occurs."""

DECKS: Final[dict[str, tuple[Cards, int]]] = {
    "standard": (STANDARD_DECK, 7),
    "standard, hands of 1": (STANDARD_DECK, 1),
    "standard, hands of 4": (STANDARD_DECK, 4),
    "mini-7": (preset("mini-7").deck, 2),
    "mini-10": (preset("mini-10").deck, 2),
    "mini-12": (preset("mini-12").deck, 3),
    "one colour": (Cards.parse("G0 G0 G1 G2 G3 GS GR G+2 G+2 W W4 W4"), 2),
    "many blacks": (Cards.parse("R0 Y1 " + "W " * 6 + "W4 " * 6), 3),
    "no draw pile": (Cards.parse("R0 Y1 G2 B3 R1 W YS"), 3),
    "all penalties": (Cards.parse("R+2 R+2 Y+2 Y+2 G+2 B+2 W4 W4 R0 Y0"), 2),
    "skips": (Cards.parse("RS RR YS YR BS BR R0 Y1 B2 W"), 2),
    "few of four colours": (Cards.parse("R0 R1 R2 Y3 Y4 Y5 G6 G7 G8 B9 BS B+2 W W4 R0 Y4 G6"), 5),
    "three cards": (Cards.parse("R0 Y1 R1"), 1),
    "hands of 6": (Cards.parse("R0 R1 R2 RS R+2 Y0 Y1 Y2 YR Y+2 W W W4 W4 Y2 R9"), 6),
}
"""Decks with the size of a hand: the usual ones, and those where a rule shows that is rare elsewhere."""


SMALL_RULES: Final = {
    " ".join(variant.values()): Rules(
        deck=Cards.parse("R0 R1 R7 RS R+2 R+2 Y0 Y2 Y7 YR Y+2 W W4 W4"), hand_size=4, **cast(Any, variant)
    )
    for variant in PAIRS_OF_VALUES
}
"""By name: the same with a small deck of every kind of card. What a room says of a game holds under all of these."""


def rules_of(deck: str, variant: dict[str, Any]) -> Rules:
    """Return the rules of a deck of `DECKS` under a variant."""
    cards, hand_size = DECKS[deck]
    return Rules(deck=cards, hand_size=hand_size, **variant)


def named(variant: dict[str, str]) -> str:
    """Return a variant as the name of a test."""
    return " ".join(variant.values())


def any_rules() -> st.SearchStrategy[Rules]:
    """Return rules of every kind: presets, and each deck under each legal combination of values."""
    return st.one_of(
        st.sampled_from([entry.rules for entry in PRESETS.values()]),
        st.builds(rules_of, st.sampled_from(sorted(DECKS)), st.sampled_from(ALL_VARIANTS)),
    )


any_seed: Final = st.integers(0, 2**64 - 1)


def cards(text: str) -> tuple[int, ...]:
    """Return the cards that a text lists, in order."""
    return tuple(parse_card(word) for word in text.split())


def deal_of(top: str, first: str, second: str, pile: str) -> Deal:
    """Return a deal from text; the next card of the pile comes first."""
    return Deal(parse_card(top), (Cards.parse(first), Cards.parse(second)), cards(pile))


def start(top: str, first: str, second: str, pile: str = "", seed: int = 0, **variant: Any) -> Game:
    """Return a game with exactly these cards: the deck is all of them together."""
    deck = Cards.parse(" ".join((top, first, second, pile)))
    rules = Rules(deck=deck, hand_size=len(first.split()), **variant)
    return Game.from_deal(rules, deal_of(top, first, second, pile), seed)


def do(game: Game, actions: str) -> Game:
    """Carry out the actions that a text lists and return the same game."""
    for word in actions.split():
        game.apply(Action.parse(word))
    return game


def legal(game: Game) -> str:
    """Return what is legal, as text."""
    return " ".join(map(str, game.legal_actions()))


def choose(game: Game, chance: random.Random) -> Action:
    """Return a random legal action, voluntary draws rarely: they make games very long."""
    actions = game.legal_actions()
    if len(actions) > 1 and actions[-1] == DRAW and chance.random() > 0.1:
        actions = actions[:-1]
    return chance.choice(actions)


def play_out(game: Game, seed: int = 0, at_most: int = 10_000) -> Game:
    """Play a game on at random, to its end or so many moves, and return it."""
    chance = random.Random(seed)
    for _ in range(at_most):
        if game.over:
            break
        game.apply(choose(game, chance))
    return game


def moves_under(rules: Rules, games: int = 16, longest: int = 40) -> Iterator[tuple[Game, Move, Game]]:
    """Play a few random games under these rules; yield each move with the game before it and after it."""
    for seed in range(games):
        game, chance = Game.new(rules, seed), random.Random(seed)
        while not game.over and len(game.moves) < longest:
            before = game.copy()
            game.apply(choose(game, chance))
            yield before, game.last_move, game


def record_bytes(states: States) -> bytes:
    """Return the fields of records as bytes; what lies between fields is nobody's and can be anything."""
    return b"".join(states[name].tobytes() for name in states.dtype.names or ())


def state_bytes(game: Game) -> bytes:
    """Return all that a game's record says, without the memory behind the ends of its piles."""
    state = game.to_state()
    state["draw_pile"][0, state["draw_size"][0] :] = 0
    state["played"][0, state["played_size"][0] :] = 0
    return record_bytes(state)


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, with warnings as errors, and require that it ends well."""
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done
