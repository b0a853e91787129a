"""Does an observer's record tell a possible game? Replay it on guessed hidden cards, revised as it goes on.

The replay is the engine's own. Before each move the guess is changed just so that the move is possible:
the card played is in the hand, the cards the observer drew lie on top, no playable card is in a hand that
had to draw. A record for which that fails is refused. The check is sound (no true record is refused), and
not complete: a guess may be revised in ways that earlier moves exclude.
"""

from collections.abc import Callable
from dataclasses import replace

from uno_pomdp.cards import WILD_FOUR, Cards, CardType, card_name, colour_of
from uno_pomdp.errors import InvalidCard, InvalidRecord
from uno_pomdp.game import layout
from uno_pomdp.game.actions import DRAW, seat_name
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import LAST_RESORT, OPTIONAL_DRAW, PLAYABLE, UNTIL_PLAYABLE, Seat
from uno_pomdp.game.record import GameRecord, Hidden, Pile, RecordedMove, follow


class ConsistencyCheck:
    """A game that goes as an observer's record says, with guesses for what the observer could not see."""

    def __init__(self, record: GameRecord, observer: Seat) -> None:
        own, other = record.hands[observer], record.hands[1 - observer]
        if isinstance(own, Hidden) or not isinstance(other, Hidden) or not isinstance(record.pile, Hidden):
            raise InvalidRecord(f"{seat_name(observer)} sees its own hand and no other cards at the deal")
        try:
            unseen = [*(record.rules.deck - own - Cards.of([record.top]))]
        except InvalidCard as error:
            raise InvalidRecord(f"the deck does not have these cards: {error}") from error
        if other.count + record.pile.count != len(unseen):
            raise InvalidRecord(f"{other.count} and {record.pile.count} hidden cards, but {len(unseen)} are unseen")
        guessed = Cards.of(unseen[: other.count])
        hands = (own, guessed) if observer == layout.FIRST else (guessed, own)
        self._observer = observer
        self._hidden: Seat = 1 - observer
        self.game = Game.from_deal(record.rules, Deal(record.top, hands, tuple(unseen[other.count :])))
        """The game so far. What the observer sees of it is as recorded; the rest is a guess."""

    def follow(self, move: RecordedMove) -> None:
        """Carry out the next recorded move."""
        own = move.drawer == self._observer
        if isinstance(move.reshuffled, tuple):
            raise InvalidRecord(f"{seat_name(self._observer)} can't know the order of a reshuffled pile")
        if not own and not isinstance(move.drawn, Hidden) and move.drawn:
            raise InvalidRecord(f"{seat_name(self._observer)} can't know the cards drawn here")
        if own and isinstance(move.drawn, Hidden):
            raise InvalidRecord(f"{seat_name(self._observer)} saw the cards drawn here: they have to be named")
        if move.seat != self.game.turn or self.game.over:
            follow(self.game, move)  # refuses it
        if move.shown is not None and move.seat == self._observer:
            self._let_hold(move.shown)
        if move.swapped is not None:
            played = [move.action.card] if move.seat == self._hidden and move.action.card is not None else []
            self._let_hold(move.swapped[self._observer] + Cards.of(played), *played)
        if move.seat == self._hidden and move.swapped is None:
            self._prepare_other(move)
        if own and not isinstance(move.drawn, Hidden):
            self._draw_openly(move, move.drawn)
        elif move.seat == self._hidden and self._draws_until(move):
            self._draw_until(move)
        else:
            follow(self.game, move)

    def _draws_until(self, move: RecordedMove) -> bool:
        seen = self.game.observation(self._observer)
        return move.action == DRAW and not seen.penalty and bool(seen.variant & UNTIL_PLAYABLE)

    def _let_hold(self, wanted: Cards, played: CardType | None = None) -> None:
        """Change the guess so that the hidden hand is this one, and a card just drawn the one that is played."""
        hand, pile = self._hidden_cards()
        if len(wanted) != len(hand):
            raise InvalidRecord(f"{seat_name(self._hidden)} holds {len(hand)} cards here, not {len(wanted)}")
        try:
            left = Cards.of([*hand, *pile]) - wanted
        except InvalidCard as error:
            raise InvalidRecord(f"{seat_name(self._hidden)} can't hold {wanted}: one is seen elsewhere") from error
        self.game.guess(self._hidden, wanted, left, None if self.game.drawn is None else played)

    def _draw_openly(self, move: RecordedMove, drawn: tuple[CardType, ...]) -> None:
        """Carry out a move by which the observer draws: what it drew has to lie on top."""
        if move.first:  # all that lay in the pile, and the others from what went back
            hand, pile = self._hidden_cards()
            try:
                self._let_hold(Cards.of([*hand, *pile]) - Cards.of(drawn[: move.first]))
            except InvalidCard as error:
                raise InvalidRecord(f"these cards can't be drawn here: {error}") from error
        hand, pile = self._hidden_cards()
        first, late = drawn[: move.first], drawn[move.first :]
        rest = [] if move.first else pile
        back = self.game.played_pile[:-1] if move.reshuffled is not None else ()
        for card in Cards.of(late) - _common(Cards.of(late), Cards.of([*rest, *back])):
            there = [*rest, *back]
            spare = next((i for i, held in enumerate(rest) if there.count(held) > late.count(held)), None)
            if card not in hand or spare is None:
                raise InvalidRecord(f"{card_name(card)} can't be drawn: every one is seen elsewhere")
            hand[hand.index(card)], rest[spare] = rest[spare], card
        if move.reshuffled is None:
            self.game.guess(self._hidden, Cards.of(hand), [*late, *(Cards.of(rest) - Cards.of(late))])
            follow(self.game, move)
            return
        self.game.guess(self._hidden, Cards.of(hand), [*first, *rest])
        mixed = [*late, *(Cards.of([*rest, *back]) - Cards.of(late))]
        if isinstance(move.reshuffled, Hidden) and move.reshuffled.count != len(mixed):
            raise InvalidRecord(f"the reshuffled pile has {len(mixed)} cards")
        follow(self.game, replace(move, reshuffled=tuple(mixed)))

    def _draw_until(self, move: RecordedMove) -> None:
        """Carry out a draw of the other player until one is playable: so many that are not, and then one that is."""
        seen = self.game.observation(self._observer)
        playable = int(PLAYABLE[seen.colour, seen.top])
        hand, pile = self._hidden_cards()
        fitting = sorted(pile, key=lambda card: playable >> card & 1)
        late = _size(move.drawn) - move.first
        if move.reshuffled is None:
            self.game.guess(self._hidden, Cards.of(hand), _ending(fitting, late, playable))
            follow(self.game, move)
            return
        self.game.guess(self._hidden, Cards.of(hand), fitting)
        back = sorted(self.game.played_pile[:-1], key=lambda card: playable >> card & 1)
        follow(self.game, replace(move, reshuffled=tuple(_ending(back, late, playable))))

    def _prepare_other(self, move: RecordedMove) -> None:
        """Change the guess so that the other player can do what it did."""
        game, hand_and_pile = self.game, self._hidden_cards()
        hand, pile = hand_and_pile
        seen = game.observation(self._observer)
        drawn = game.drawn
        card = move.action.card
        if card is not None:
            if drawn is not None and drawn != card:
                hand.remove(drawn)
                hand.append(drawn)
            if card not in hand:
                if card not in pile:
                    raise InvalidRecord(f"{card_name(card)} can't be played: every one is seen elsewhere")
                pile[pile.index(card)], hand[-1] = hand[-1], card
            drawn = None if drawn is None else card
            if card == WILD_FOUR and seen.variant & LAST_RESORT:
                self._rid(hand_and_pile, lambda held: colour_of(held) == seen.colour, "a card of the active colour")
        elif move.action == DRAW and not seen.penalty and not seen.variant & OPTIONAL_DRAW:
            playable = int(PLAYABLE[seen.colour, seen.top])
            self._rid(hand_and_pile, lambda held: bool(playable >> held & 1), "a playable card")
        game.guess(self._hidden, Cards.of(hand), pile, drawn)

    def _rid(self, cards: tuple[list[CardType], list[CardType]], barred: Callable[[CardType], bool], what: str) -> None:
        """Exchange every barred card of the hand for one of the pile that is not."""
        hand, pile = cards
        for place, held in enumerate(hand):
            if barred(held):
                spare = next((i for i, other in enumerate(pile) if not barred(other)), None)
                if spare is None:
                    raise InvalidRecord(f"{seat_name(self._hidden)} can't do that: it must hold {what}")
                hand[place], pile[spare] = pile[spare], held

    def _hidden_cards(self) -> tuple[list[CardType], list[CardType]]:
        return list(self.game.hand(self._hidden)), list(self.game.draw_pile)


def _common(first: Cards, second: Cards) -> Cards:
    return Cards(bytes(map(min, first.data, second.data)))


def _size(cards: Pile) -> int:
    return cards.count if isinstance(cards, Hidden) else len(cards)


def _ending(cards: list[CardType], count: int, playable: int) -> list[CardType]:
    """Return cards, those that are not playable first, in an order in which the first playable one comes at `count`."""
    misses = [card for card in cards if not playable >> card & 1]
    hits = [card for card in cards if playable >> card & 1]
    return [*misses[: count - 1], *hits, *misses[count - 1 :]] if hits else misses
