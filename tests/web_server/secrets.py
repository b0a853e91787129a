"""What a seat can know of a game, worked out by itself, and games that differ in what it can't know.

`leaks` looks for names of cards in all that was sent. `twin` is the stronger half: another deal that a seat can't tell
from the first, so that all that is sent to it has to be the same to the byte.
"""

import random
import re
from collections.abc import Iterable
from dataclasses import replace

from uno_pomdp.cards import CARD_NAMES, Cards, card_name
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import Action
from uno_pomdp.game.deal import Deal
from uno_pomdp.game.game import Game
from uno_pomdp.game.move import Hidden
from uno_pomdp.game.record import GameRecord, record_of

NAMES = re.compile(rb"(?<![A-Za-z0-9+])(?:[RYGB](?:[0-9SR]|\+2)|W4?)(?![A-Za-z0-9+])")
"""The names of cards in a text; colours that are declared stand behind a colon."""
PUBLIC = re.compile(rb"^deck: .*$|as in R5 or B\+2, or W, or W4|[\w-]{43}", re.MULTILINE)
"""What names cards and tells of none: the deck of the rules in a record, how to write a card in a refusal, a token."""
DECLARED = re.compile(rb"(W4?):[RYGB]\b")


def named(sent: bytes) -> set[str]:
    """Return the cards that a message names."""
    return {found.decode() for found in NAMES.findall(DECLARED.sub(rb"\1", PUBLIC.sub(b"", sent)))}


class Known:
    """The types that a seat has seen of a game: held by itself, lying face up, or shown to it."""

    def __init__(self, game: Game, seat: int) -> None:
        self._game = Game.from_deal(game.rules, game.deal, game.seed)
        self._seat = seat
        self._seen = {card_name(card) for card in (*self._game.hand(seat), self._game.played_pile[-1])}

    def of(self, game: Game) -> set[str]:
        """Return what was seen up to now; the game has gone on since it was asked last."""
        seat, replayed = self._seat, self._game
        for move in game.moves[len(replayed.moves) :]:
            other = replayed.hand(1 - seat)
            replayed.apply(move.action)
            self._seen |= {card_name(card) for card in (*replayed.hand(seat), *replayed.played_pile)}
            if str(move.action) == "challenge" and move.seat == seat:  # who is challenged shows the hand
                self._seen |= {card_name(card) for card in other}
            if move.swapped is not None:  # what was one's own lies in the other hand
                self._seen |= {card_name(card) for hand in move.swapped for card in hand}
        return self._seen


def leaks(sent: Iterable[bytes], known: set[str]) -> set[str]:
    """Return the cards that were named and that a seat can't have seen."""
    told = set().union(*map(named, sent))
    assert told <= set(CARD_NAMES)
    return told - known


def dealt(record: GameRecord) -> Deal:
    """Return the deal of a whole record."""
    first, second = record.hands
    assert not isinstance(first, Hidden)
    assert not isinstance(second, Hidden)
    assert not isinstance(record.pile, Hidden)
    return Deal(record.top, (first, second), record.pile)


def twin(
    record: GameRecord, actions: list[Action], seat: int, rng: random.Random, tries: int = 200
) -> GameRecord | None:
    """Return a deal with other hidden cards in which these actions look the same to a seat; None if there is none."""
    deal = dealt(record)
    assert record.seed is not None
    model = _after(Game.from_deal(record.rules, deal, record.seed), actions)
    assert model is not None
    for _ in range(tries):
        places = [*deal.hands[1 - seat], *deal.pile]
        size = len(deal.hands[1 - seat])
        for _ in range(rng.randint(1, 4)):  # hidden cards change places
            one, other = rng.randrange(len(places)), rng.randrange(len(places))
            places[one], places[other] = places[other], places[one]
        hidden, pile = Cards.of(places[:size]), tuple(places[size:])
        if (hidden, pile) == (deal.hands[1 - seat], deal.pile):
            continue
        hands = (deal.hands[0], hidden) if seat == 0 else (hidden, deal.hands[1])
        game = Game.from_deal(record.rules, Deal(deal.top, hands, pile), record.seed)
        start = record_of(game, record.players)
        after = _after(game, actions)
        if after is None or after.over or after.hand(1 - seat) == model.hand(1 - seat):
            continue
        if after.history(seat) == model.history(seat):
            return replace(start, match=record.match, practice=record.practice)
    return None


def _after(game: Game, actions: list[Action]) -> Game | None:
    for action in actions:
        try:
            game.apply(action)
        except UnoError:
            return None
    return game
