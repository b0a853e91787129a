"""Does an observer's record tell a possible game? Replay it on guessed hidden cards, revised as it goes on.

The replay is the engine's own. Before each move the guess is changed just so that the move is possible:
the card played is in the hand, the cards the observer drew lie on top, no playable card is in a hand that
had to draw. A record for which that fails is refused. The check is sound (no true record is refused), and
not complete: a guess may be revised in ways that earlier moves exclude.

In a game begun in the middle some played cards may be hidden too: a third place of the guess, out of play until a
reshuffle puts it into the draw pile.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from uno_pomdp.cards import NO_CARDS, WILD_FOUR, Cards, CardType, card_name, colour_of
from uno_pomdp.errors import InvalidCard, InvalidRecord
from uno_pomdp.game import layout
from uno_pomdp.game.actions import DRAW, FORGOT_UNO, seat_name
from uno_pomdp.game.deal import answered_for, check_midgame
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import LAST_RESORT, OPTIONAL_DRAW, PLAYABLE, Seat
from uno_pomdp.game.move import Hidden, Move
from uno_pomdp.game.outcome import Reason
from uno_pomdp.game.record import GameRecord, check_end, follow
from uno_pomdp.quantities import count_of


def check_possible(record: GameRecord, observer: Seat) -> None:
    """Refuse an observer's record whose moves can't have been, or end otherwise; moves taken back are not read."""
    check = ConsistencyCheck(record, observer)
    for move in record.moves:
        check.follow(move)
    check_end(record, check.game)


class ConsistencyCheck:
    """A game that goes as an observer's record says, with guesses for what the observer could not see."""

    def __init__(self, record: GameRecord, observer: Seat) -> None:
        self._record = record
        self._observer = observer
        self._hidden: Seat = 1 - observer
        exhausted = record.outcome is not None and record.outcome.reason == Reason.DECK_EXHAUSTED
        self._last = record.moves[-1] if exhausted and record.moves else None
        self._lying: list[CardType] = []
        self.game = self._begun()
        """The game so far. What the observer sees of it is as recorded; the rest is a guess."""
        self._places = {undone.after for undone in record.undone}
        self._kept: dict[int, tuple[Game, list[CardType]]] = {}
        self._made = 0
        self._keep()

    def _begun(self) -> Game:
        """Return the game before its first move, with a first guess; played cards that are hidden are noted."""
        record, midgame = self._record, self._record.midgame
        own, other = record.hands[self._observer], record.hands[self._hidden]
        if isinstance(own, Hidden) or not isinstance(other, Hidden) or not isinstance(record.pile, Hidden):
            raise InvalidRecord(f"{seat_name(self._observer)} sees its own hand and no other cards at the deal")
        known, lying = (NO_CARDS, 0) if midgame is None else (midgame.played, midgame.hidden)
        try:
            unseen = [*(record.rules.deck - own - known - Cards.of([record.top]))]
        except InvalidCard as error:
            raise InvalidRecord(f"the deck does not have these cards: {error}") from error
        if other.count + record.pile.count + lying != len(unseen):
            among = f"{other.count}, {lying}" if lying else f"{other.count}"
            raise InvalidRecord(f"{among} and {record.pile.count} hidden cards, but {len(unseen)} are unseen")
        if lying:  # what is owed is owed for cards that lie there
            unseen.sort(key=lambda card: -answered_for(record.rules, record.top, card))
        self._lying, unseen = unseen[:lying], unseen[lying:]
        guessed = Cards.of(unseen[: other.count])
        hands = (own, guessed) if self._observer == layout.FIRST else (guessed, own)
        if midgame is not None:
            check_midgame(record.rules, record.top, midgame, (len(hands[0]), len(hands[1])))
            midgame = replace(midgame, played=known + Cards.of(self._lying), hidden=0)
        return Game.from_deal(record.rules, Deal(record.top, hands, tuple(unseen[other.count :]), midgame))

    def take_back(self, moves: int) -> None:
        """Take the last moves back, as the record says; what they told is forgotten."""
        self._made -= moves
        game, lying = self._kept[self._made]
        self.game, self._lying = game.copy(), lying.copy()

    def _keep(self) -> None:
        """Keep a copy where moves will be taken back."""
        if self._made in self._places:
            self._kept[self._made] = self.game.copy(), self._lying.copy()

    def follow(self, move: Move) -> None:
        """Carry out the next recorded move."""
        own = move.drawer == self._observer
        if isinstance(move.reshuffled, tuple):
            raise InvalidRecord(f"{seat_name(self._observer)} can't know the order of a reshuffled pile")
        if not own and not isinstance(move.drawn, Hidden) and move.drawn:
            raise InvalidRecord(f"{seat_name(self._observer)} can't know the cards drawn here")
        if own and isinstance(move.drawn, Hidden):
            raise InvalidRecord(f"{seat_name(self._observer)} saw the cards drawn here: they have to be named")
        if (move.seat != self.game.turn and move.action != FORGOT_UNO) or self.game.over:
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
        if move.reshuffled is not None:
            self._lying = []
        self._made += 1
        self._keep()

    def _draws_until(self, move: Move) -> bool:
        return self.game.observation(self._observer).draws_until(move.action)

    # --- the guess ---------------------------------------------------------------------------------------

    def _hidden_cards(self) -> tuple[list[CardType], list[CardType]]:
        """Return the guess: the hidden hand, and the draw pile with the hidden played cards behind it."""
        return list(self.game.hand(self._hidden)), [*self.game.draw_pile, *self._lying]

    def _guess(self, hand: Iterable[CardType], rest: list[CardType], drawn: CardType | None = None) -> None:
        """Change the guess to this one."""
        size, below = len(self.game.draw_pile), None
        if self._lying:
            below = [*rest[size:], *self._known_below()]
            self._lying = rest[size:]
        self.game.guess(self._hidden, Cards.of(hand), rest[:size], drawn, below)

    def _known_below(self) -> Cards:
        """Return the played cards below the top that the observer knows."""
        return Cards.of(self.game.played_pile[:-1]) - Cards.of(self._lying)

    def _let_hold(self, wanted: Cards, played: CardType | None = None) -> None:
        """Change the guess so that the hidden hand is this one, and a card just drawn the one that is played."""
        hand, rest = self._hidden_cards()
        if len(wanted) != len(hand):
            raise InvalidRecord(
                f"{seat_name(self._hidden)} holds {count_of(len(hand), 'card')} here, not {len(wanted)}"
            )
        try:
            left = Cards.of([*hand, *rest]) - wanted
        except InvalidCard as error:
            raise InvalidRecord(f"{seat_name(self._hidden)} can't hold {wanted}: one is seen elsewhere") from error
        self._guess(wanted, list(left), None if self.game.drawn is None else played)

    # --- what the observer draws -------------------------------------------------------------------------

    def _draw_openly(self, move: Move, drawn: tuple[CardType, ...]) -> None:
        """Carry out a move by which the observer draws: what it drew has to lie on top."""
        hand, rest = self._hidden_cards()
        first, late = drawn[: move.first], drawn[move.first :]
        cards, size = [*rest, *hand], len(self.game.draw_pile)
        if move.reshuffled is None:
            _bring(cards, late, range(size), range(size, len(cards)))
            pile = [*late, *(Cards.of(cards[:size]) - Cards.of(late))]
            self._guess(cards[len(rest) :], [*pile, *cards[size : len(rest)]])
            follow(self.game, move)
            return
        _bring(cards, first, range(size), range(size, len(cards)))  # all that lay in the pile
        known = self._known_below()
        returning = range(size if first else 0, len(rest))
        _bring(cards, Cards.of(late) - _common(Cards.of(late), known), returning, range(len(rest), len(cards)))
        pile = list(first) if len(first) == size else cards[:size]
        self._guess(cards[len(rest) :], [*pile, *cards[size : len(rest)]])
        mixed = [*late, *(Cards.of(cards[place] for place in returning) + known - Cards.of(late))]
        if isinstance(move.reshuffled, Hidden) and move.reshuffled.count != len(mixed):
            raise InvalidRecord(f"the reshuffled pile has {count_of(len(mixed), 'card')}")
        follow(self.game, move._replace(reshuffled=tuple(mixed)))

    # --- what the other player does ----------------------------------------------------------------------

    def _draw_until(self, move: Move) -> None:
        """Carry out a draw of the other player until one is playable: so many that are not, and then one that is."""
        seen = self.game.observation(self._observer)
        playable = int(PLAYABLE[seen.colour, seen.top])
        hand, rest = self._hidden_cards()
        size, late = len(self.game.draw_pile), len(move.drawn) - move.first
        ends = move.reshuffled is None and move is not self._last
        pile, lying = _with_hits(rest[:size], rest[size:], playable, late - 1 if ends else size, ends)
        self._guess(hand, [*_ending(pile, late if ends else size + 1, playable), *lying])
        if move.reshuffled is None:
            follow(self.game, move)
            return
        back = [*lying, *self._known_below()]
        follow(self.game, move._replace(reshuffled=tuple(_ending(back, late, playable))))

    def _prepare_other(self, move: Move) -> None:
        """Change the guess so that the other player can do what it did."""
        game, cards = self.game, self._hidden_cards()
        hand, rest = cards
        seen = game.observation(self._observer)
        drawn = game.drawn
        card = move.action.card
        if card is not None:
            if drawn is not None and drawn != card:
                hand.remove(drawn)
                hand.append(drawn)
            if card not in hand:
                if card not in rest:
                    raise InvalidRecord(f"{card_name(card)} can't be played: every one is seen elsewhere")
                rest[rest.index(card)], hand[-1] = hand[-1], card
            drawn = None if drawn is None else card
            if card == WILD_FOUR and seen.variant & LAST_RESORT:
                self._rid(cards, lambda held: colour_of(held) == seen.colour, "a card of the active colour")
        elif move.action == DRAW and not seen.penalty and not (seen.variant & OPTIONAL_DRAW and seen.available):
            playable = int(PLAYABLE[seen.colour, seen.top])
            self._rid(cards, lambda held: bool(playable >> held & 1), "a playable card")
        self._guess(hand, rest, drawn)

    def _rid(self, cards: tuple[list[CardType], list[CardType]], barred: Callable[[CardType], bool], what: str) -> None:
        """Exchange every barred card of the hand for a hidden one elsewhere that is not."""
        hand, rest = cards
        for place, held in enumerate(hand):
            if barred(held):
                spare = next((i for i, other in enumerate(rest) if not barred(other)), None)
                if spare is None:
                    raise InvalidRecord(f"{seat_name(self._hidden)} can't do that: it must hold {what}")
                hand[place], rest[spare] = rest[spare], held


def _bring(cards: list[CardType], wanted: Iterable[CardType], places: range, sources: range) -> None:
    """Let these cards lie at some of the places: each that does not is exchanged for one at the sources."""
    free, lacking = list(places), []
    for card in wanted:
        there = next((place for place in free if cards[place] == card), None)
        if there is None:
            lacking.append(card)
        else:
            free.remove(there)
    for card in lacking:
        source = next((place for place in sources if cards[place] == card), None)
        if source is None or not free:
            raise InvalidRecord(f"{card_name(card)} can't be drawn: every one is seen elsewhere")
        spare = free.pop(0)
        cards[spare], cards[source] = card, cards[spare]


def _with_hits(
    pile: list[CardType], lying: list[CardType], playable: int, misses: int, hit: bool
) -> tuple[list[CardType], list[CardType]]:
    """Return draw pile and hidden played cards after exchanges: so many unplayable cards in the pile, a hit if wanted.

    As far as they go: what can't be had is left for the replay to refuse.
    """
    for wanted, number in ((0, misses), (1, int(hit))):
        for place, card in enumerate(lying):
            others = [i for i, each in enumerate(pile) if playable >> each & 1 != wanted]
            if others and len(pile) - len(others) < number and playable >> card & 1 == wanted:
                pile[others[0]], lying[place] = card, pile[others[0]]
    return pile, lying


def _common(first: Cards, second: Cards) -> Cards:
    return Cards(bytes(map(min, first.data, second.data)))


def _ending(cards: list[CardType], count: int, playable: int) -> list[CardType]:
    """Return cards, those that are not playable first, in an order in which the first playable one comes at `count`."""
    misses = [card for card in cards if not playable >> card & 1]
    hits = [card for card in cards if playable >> card & 1]
    return [*misses[: count - 1], *hits, *misses[count - 1 :]] if hits else misses
