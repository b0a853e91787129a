"""Plays the engine and the oracle side by side and compares everything after every action.

`compare` is the whole driver: the engine is stepped as an array of one record and read as bytes, so that
millions of games can be compared.
"""

import random
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tests.oracle import DRAW, Oracle
from uno_pomdp.cards import CARD_TYPES, card_name
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.bindings import apply_one, deal_all, legal_one
from uno_pomdp.game.layout import STATE, States, template, variant_bits
from uno_pomdp.game.rng import seeds
from uno_pomdp.rules import Rules

LONGEST: Final = 50_000
"""No random game of these tests is longer; one that is has gone wrong."""


def _at(field: str) -> int:
    return int(STATE.fields[field][1])  # type: ignore[index]


_MASKS, _HANDS, _PILE, _PLAYED, _TAIL = map(_at, ("hand_mask", "hand", "draw_pile", "played", "hand_size"))
_FIRST_TYPES: Final = (1 << CARD_TYPES) - 1
_REASONS: Final = {None: 0, "emptied hand": 1, "deck exhausted": 2}
_DIGITS: Final = b"0" + b"1" * 255
"""Turns 54 counts into 54 binary digits."""


@dataclass
class Compared:
    """What a comparison went through."""

    games: int = 0
    """Whole games, from the deal to the end."""
    actions: int = 0
    """Actions after which everything was equal."""
    reshuffles: int = 0
    """Times the played pile went back."""
    exhausted: int = 0
    """Games that ended with the deck exhausted."""
    draws: int = 0
    """Games without a winner."""


class Difference(AssertionError):
    """The engine and the oracle do not agree."""


def compare(rules: Rules, seed: int, games: int = 1, voluntary_draws: float = 0.1) -> Compared:
    """Play random games of these rules in both; raise `Difference` at the first thing that differs.

    Actions are uniform over the legal ones, but a draw that is not forced is considered only with
    probability `voluntary_draws`: optional draws would make the games very long.
    """
    state = np.zeros(1, STATE)
    undealt = template(rules)
    done = Compared()
    chance = random.Random(seed).random
    for deal_seed in seeds(seed, games).reshape(games, 1):
        deal_all(state, undealt, rules.hand_size, deal_seed)
        _compare_game(rules, int(deal_seed[0]), state, chance, voluntary_draws, done)
    return done


def oracle_of(rules: Rules, state: States) -> Oracle:
    """Return the oracle's game that starts from a record just dealt."""
    hands = [[card for card, count in enumerate(row) for _ in range(count)] for row in state["hand"][0].tolist()]
    pile = state["draw_pile"][0, : state["draw_size"][0]].tolist()
    top = int(state["top"][0])
    if sorted([top, *hands[0], *hands[1], *pile]) != list(rules.deck):
        raise Difference("the deal is not the deck")
    if [len(hands[0]), len(hands[1])] != [rules.hand_size] * 2:
        raise Difference("the hands have not the size that the rules say")
    return Oracle(rules, top, (hands[0], hands[1]), pile)


def _compare_game(
    rules: Rules, deal_seed: int, state: States, chance: Any, voluntary_draws: float, done: Compared
) -> None:
    """Play one game from the deal that `state` holds."""
    oracle = oracle_of(rules, state)
    tail = (variant_bits(rules), sum([1 << colour for colour in oracle.colours]))
    history: list[int] = []
    mask = int(legal_one(state))
    raw = state.tobytes()
    while True:
        legal = oracle.legal()
        if mask != sum([1 << action for action in legal]) or not _same(oracle, raw, tail):
            raise Difference(_explain(rules, deal_seed, history, oracle, legal, mask, state))
        if not legal:
            break
        if legal[-1] == DRAW and len(legal) > 1 and chance() >= voluntary_draws:
            legal.pop()
        action = legal[int(chance() * len(legal))]
        history.append(action)
        seat = oracle.turn
        after, told = apply_one(state, action)
        mask = int(after)
        raw = state.tobytes()
        if action != DRAW:
            oracle.act(action)
            if told != seat << 35:
                raise Difference(_explain(rules, deal_seed, history, oracle, legal, mask, state))
            continue
        drawn = list(told.to_bytes(8, "little")[: told >> 32 & 7])
        reshuffled = oracle.needs_reshuffle(DRAW)
        oracle.act(DRAW, [*raw[_PILE : _PILE + raw[_TAIL + 2]], *drawn[::-1]] if reshuffled else None)
        if drawn != oracle.just_drawn or told >> 35 != (reshuffled << 1 | seat):
            raise Difference(_explain(rules, deal_seed, history, oracle, legal, mask, state))
        if len(history) > LONGEST:
            raise Difference(f"a game of {rules} with deal seed {deal_seed} does not end")
    done.games += 1
    done.actions += len(history)
    done.reshuffles += oracle.reshuffles
    done.exhausted += oracle.reason == "deck exhausted"
    done.draws += oracle.winner is None


def _same(oracle: Oracle, raw: bytes, tail: tuple[int, int]) -> bool:
    """Return whether a record's bytes say exactly what the oracle says."""
    first, second = oracle.hands
    pile, played = oracle.pile, oracle.played
    small = bytes(
        (
            len(first),
            len(second),
            len(pile),
            len(played),
            played[-1],
            oracle.colour,
            oracle.turn,
            oracle.penalty,
            255 if oracle.drawn is None else oracle.drawn,
            _REASONS[oracle.reason],
            2 if oracle.winner is None else oracle.winner,
            *tail,
        )
    )
    counts = bytearray(2 * CARD_TYPES)
    for card in first:
        counts[card] += 1
    for card in second:
        counts[CARD_TYPES + card] += 1
    held = int(counts.translate(_DIGITS)[::-1], 2)
    masks = held & _FIRST_TYPES | held >> CARD_TYPES << 64
    return (
        raw.startswith(small, _TAIL)
        and raw.startswith(counts, _HANDS)
        and raw.startswith(bytes(pile), _PILE)
        and raw.startswith(bytes(played), _PLAYED)
        and raw.startswith(masks.to_bytes(16, "little"), _MASKS)
    )


def _explain(
    rules: Rules,
    deal_seed: int,
    history: list[int],
    oracle: Oracle,
    legal: list[int],
    mask: int,
    state: States,
) -> str:
    """Return all that is needed to see the difference and to play it again."""
    engine = [str(ACTIONS[action]) for action in range(62) if mask >> action & 1]
    return "\n".join(
        [
            f"{rules}",
            f"deal seed {deal_seed}, actions {' '.join(str(ACTIONS[action]) for action in history)}",
            f"legal: oracle {[str(ACTIONS[action]) for action in legal]}, engine {engine}",
            f"oracle: hands {_names(oracle.hands[0])} | {_names(oracle.hands[1])}, pile {_names(oracle.pile)}, "
            f"played {_names(oracle.played)}, {oracle.colour=} {oracle.turn=} {oracle.penalty=} {oracle.drawn=} "
            f"{oracle.reason=} {oracle.winner=} {oracle.just_drawn=}",
            f"engine: {dict(zip(state.dtype.names or (), state[0], strict=True))}",
        ]
    )


def _names(cards: list[int]) -> str:
    return " ".join(map(card_name, cards))
