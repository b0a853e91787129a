"""Another world for one seat: the hidden cards of a game drawn anew, given what that seat was told and nothing else.

The seat's tokens are told to an `ObservedGame`, in which no hidden card is; the exact belief follows that game, and the
opponent's whole past is drawn from it. So the true hand can't come back but by chance.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from uno_pomdp.beliefs.whole_pasts import PastBelief
from uno_pomdp.cards import Cards, CardType
from uno_pomdp.game.actions import ACTIONS, CHALLENGE
from uno_pomdp.game.actions import DRAW as DRAWING
from uno_pomdp.game.events import Drew
from uno_pomdp.game.information import (
    DEALT,
    DREW,
    DREW_MORE,
    OTHER_DREW,
    RECEIVED,
    SEAT,
    SHOWN,
    TOP,
    Token,
    cards_of_token,
    carried,
)
from uno_pomdp.game.layout import PLAYABLE, ActionId
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.rng import Seed
from uno_pomdp.rules import Rules

Chosen = tuple[ActionId, tuple[CardType, ...]]
"""An action, and the cards drawn by it, in an order in which chance can name them."""
KEPT = 4
"""Games of which the belief is kept: a search asks for many worlds of one."""


def observed_game(rules: Rules, told: Sequence[Token]) -> ObservedGame:
    """Return the game that a seat was told of."""
    reader = _Reader(told)
    (seat,), (top,) = reader.take(SEAT), reader.take(TOP)
    game = ObservedGame(rules, seat, Cards.of(reader.take(DEALT)), top)
    while reader.left:
        _tell_action(game, reader)
    return game


def _tell_action(game: ObservedGame, reader: "_Reader") -> None:
    """Tell the next action."""
    seen = game.observation
    if reader.next_is(DREW) or reader.next_is(OTHER_DREW):
        drawn, count = reader.draw()
        if game.draws_until_playable:
            playable = int(PLAYABLE[seen.colour, seen.top])
            drawn = sorted(drawn, key=lambda card: playable >> card & 1)  # the last card is the playable one
        game.apply(DRAWING, drawn, count=count if game.draws_until_playable and seen.turn != game.seat else None)
        return
    action = ACTIONS[carried(reader.read())]
    if action == CHALLENGE:
        shown = Cards.of(reader.take(SHOWN)) if seen.turn == game.seat else None
        drawn, _ = reader.draw()
        game.apply(action, drawn, shown=shown)
    else:
        received = reader.take(RECEIVED)
        game.apply(action, shown=Cards.of(received) if received else None)


class _Reader:
    """Tokens that are read one after the other."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def left(self) -> bool:
        return self._place < len(self._tokens)

    def next_is(self, kind: Token) -> bool:
        return self.left and self._tokens[self._place] - carried(self._tokens[self._place]) == kind

    def read(self) -> Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def take(self, kind: Token) -> list[int]:
        """Return what the next tokens of a kind carry."""
        found = []
        while self.next_is(kind):
            found.append(carried(self.read()))
        return found

    def draw(self) -> tuple[list[CardType], int]:
        """Return the cards that the seat drew, or how many the other did: of one draw, which a reshuffle may cut.

        Nobody draws twice in a row.
        """
        cards: list[CardType] = []
        while self.next_is(DREW) or self.next_is(DREW_MORE):
            cards += cards_of_token(self.read())
        return cards, 0 if cards else sum(self.take(OTHER_DREW))


@lru_cache(maxsize=KEPT)
def _belief(rules: Rules, told: tuple[Token, ...]) -> tuple[ObservedGame, PastBelief]:
    """Return the game that a seat was told of, and its belief."""
    game = observed_game(rules, told)
    belief = PastBelief(rules, game.observations[0])
    for events, seen in zip(game.events, game.observations[1:], strict=True):
        belief.update(events, seen)
    return game, belief


def sampled_game(rules: Rules, told: tuple[Token, ...], seed: Seed) -> tuple[list[CardType], list[Chosen]]:
    """Return a game that this seat can't tell from its own: the cards of the deal, and every action with its draw."""
    game, belief = _belief(rules, told)
    past = belief.sample_past(seed)
    first = game.observations[0]
    hands = (tuple(first.hand), past.dealt) if game.seat == 0 else (past.dealt, tuple(first.hand))
    drawn = iter(past.drawn)
    chosen = [(move.action.id, _in_order(game, number, drawn)) for number, move in enumerate(game.moves)]
    return [first.top, *hands[0], *hands[1]], chosen


def _in_order(game: ObservedGame, number: int, drawn: Iterator[tuple[CardType, ...]]) -> tuple[CardType, ...]:
    """Return the cards that an action drew, as the seat saw them or as they are made up: a playable one is the last."""
    cards: list[CardType] = []
    for event in game.events[number]:
        if isinstance(event, Drew):
            cards += next(drawn) if event.cards is None else event.cards
    return tuple(cards)
