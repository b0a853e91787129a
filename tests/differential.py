"""Plays the engine and the oracle side by side and compares everything after every action.

`compare` is the whole driver: the engine is stepped as an array of one record and read as bytes, so that
millions of games can be compared.
"""

import random
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tests.oracle import CHALLENGE, DRAW, Oracle
from uno_pomdp.cards import CARD_TYPES, card_name
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.bindings import apply_noting_one, deal_all, legal_one
from uno_pomdp.game.layout import MOVE, STATE, States, template, variant_bits
from uno_pomdp.game.rng import seeds
from uno_pomdp.rules import Rules

LONGEST: Final = 50_000
"""No random game of these tests is longer; one that is has gone wrong."""
FORCED: Final = 2_000
"""After so many actions without a choice a game goes round in a circle: with swaps, few cards can do that for ever."""


def _at(field: str) -> int:
    return int(STATE.fields[field][1])  # type: ignore[index]


_MASKS, _HANDS, _PILE, _PLAYED, _TAIL = map(_at, ("hand_mask", "hand", "draw_pile", "played", "hand_size"))
_DRAWN, _NEW_PILE, _NEW_HANDS = (int(MOVE.fields[name][1]) for name in ("drawn", "pile", "hands"))  # type: ignore[index]
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
    challenges: int = 0
    """Challenges."""
    guilty: int = 0
    """Challenges that were right."""
    longest_draw: int = 0
    """The most cards that one action drew."""
    split_draws: int = 0
    """Draws with cards before and after a reshuffle."""
    most_owed: int = 0
    """The most cards that were owed."""
    circles: int = 0
    """Games that were left because nobody had a choice any more, and they did not end."""


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
    noted = np.zeros(1, MOVE)
    history: list[int] = []
    forced = 0
    mask = int(legal_one(state))
    raw = state.tobytes()
    while True:
        legal = oracle.legal()
        if mask != sum([1 << action for action in legal]) or not _same(oracle, raw, tail):
            raise Difference(_explain(rules, deal_seed, history, oracle, legal, mask, state))
        if not legal:
            break
        choice = len(legal) > 1
        if legal[-1] == DRAW and choice and not oracle.penalty and chance() >= voluntary_draws:
            legal.pop()
        action = legal[int(chance() * len(legal))]
        history.append(action)
        seat = oracle.turn
        done.most_owed = max(done.most_owed, oracle.penalty)
        guilty = action == CHALLENGE and oracle.is_guilty()
        flags = guilty << 1 | (oracle.penalty > 0) << 2 | (oracle.drawn is not None) << 3
        reshuffles = oracle.needs_reshuffle(action)
        mask = int(apply_noting_one(state, action, noted, 0))
        raw, move = state.tobytes(), noted.tobytes()
        mover, did, drawer, count, first, said, size = move[:_DRAWN]
        pile = [*move[_NEW_PILE : _NEW_PILE + size][::-1]]
        if (said & 1, size > 0) != (reshuffles, reshuffles):
            raise Difference(_explain(rules, deal_seed, history, oracle, legal, mask, state))
        oracle.act(action, pile if reshuffles else None)
        swapped = oracle.swapped
        if (
            [*move[_DRAWN : _DRAWN + count]] != oracle.just_drawn
            or first != oracle.drawn_first
            or (mover, did, drawer) != (seat, action, 1 - seat if guilty else seat)
            or said & ~1 != flags | swapped << 4
            or (action == CHALLENGE and _counted(oracle.shown or []) != [*_hand_of(move, 1 - seat)])
            or (swapped and any(_counted(hand) != [*_hand_of(move, who)] for who, hand in enumerate(oracle.hands)))
        ):
            raise Difference(_explain(rules, deal_seed, history, oracle, legal, mask, state))
        done.challenges += action == CHALLENGE
        done.guilty += guilty
        done.longest_draw = max(done.longest_draw, count)
        done.split_draws += first > 0
        forced = 0 if choice else forced + 1
        if forced > FORCED:
            done.circles += 1
            return
        if len(history) > LONGEST:
            raise Difference(f"a game of {rules} with deal seed {deal_seed} does not end")
    done.games += 1
    done.actions += len(history)
    done.reshuffles += oracle.reshuffles
    done.exhausted += oracle.reason == "deck exhausted"
    done.draws += oracle.winner is None


def _counted(hand: list[int]) -> list[int]:
    """Return a hand as a count of each type."""
    return [hand.count(card) for card in range(CARD_TYPES)]


def _hand_of(move: bytes, seat: int) -> bytes:
    """Return a hand that a move has noted."""
    start = _NEW_HANDS + seat * CARD_TYPES
    return move[start : start + CARD_TYPES]


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
            255 if oracle.colour_before is None else oracle.colour_before,
            *tail[0].to_bytes(2, "little"),
            tail[1],
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
    engine = [str(ACTIONS[action]) for action in range(63) if mask >> action & 1]
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
