"""`ObservedGame`: a game on a real table, of which one seat tells what it sees. No hidden card is in it.

Each action of either player is checked against the rules and the deck, and gives the same events, observations and
record as a `Game` with all its cards would. What earlier moves say about the hidden hand is not checked here: that is
left to a belief.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import NamedTuple

from uno_pomdp.cards import COLOUR_NAMES, NO_CARDS, WILD_FOUR, Cards, CardType, card_name, colour_of, is_black
from uno_pomdp.errors import GameOver, IllegalAction
from uno_pomdp.game.actions import CHALLENGE, DRAW, FORGOT_UNO, Action
from uno_pomdp.game.deal import Midgame
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import FIRST, OPTIONAL_DRAW, PLAYABLE, Seat
from uno_pomdp.game.move import Hidden, Move
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_action import carry_out, forget, returns
from uno_pomdp.game.observed_start import check_dealt, first_observation, midgame_observation
from uno_pomdp.game.outcome import Outcome, Reason
from uno_pomdp.game.record import GameRecord, Undone
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules


class Told(NamedTuple):
    """What a seat tells about an action beside what it was: arguments of `ObservedGame.apply`."""

    drawn: tuple[CardType, ...] = ()
    """The cards that the seat itself drew."""
    shown: Cards | None = None
    """The hand that it was shown, or got by a swap."""
    number: int | None = None
    """How many the other drew until one was playable."""
    ended: bool = False
    """Whether none was."""


class ObservedGame:
    """What one seat knows of a game, from the deal on; refusals speak to the person at that seat.

    A game that is begun in the middle has `midgame`, with the played cards that are known and the number of others, and
    the size of the opponent's hand; what is left of the deck is the draw pile.
    """

    def __init__(
        self,
        rules: Rules,
        seat: Seat,
        hand: Cards,
        top: CardType,
        midgame: Midgame | None = None,
        opponent_size: int | None = None,
    ) -> None:
        if midgame is None:
            check_dealt(rules, hand, top)
            first = first_observation(rules, seat, hand, top)
        else:
            first = midgame_observation(rules, seat, hand, top, midgame, opponent_size or 0)
        self.rules = rules
        """The rules of the game."""
        self.seat = seat
        """Whose game it is."""
        self._midgame = midgame
        self._seen = [first]
        self._undone: list[Undone] = []
        self._events: list[tuple[Event, ...]] = []
        self._moves: list[Move] = []

    @classmethod
    def of_record(cls, record: GameRecord) -> "ObservedGame":
        """Return the game of an observer's record before its first move."""
        seat = record.observer
        assert seat is not None, "a whole record is replayed, not told"
        own, other = record.hands[seat], record.hands[1 - seat]
        assert not isinstance(own, Hidden)
        size = other.count if isinstance(other, Hidden) else len(other)
        return cls(record.rules, seat, own, record.top, record.midgame, size)

    @classmethod
    def replayed(cls, record: GameRecord) -> "ObservedGame":
        """Return the game of an observer's record after its last move."""
        table = cls.of_record(record)
        for number, move in enumerate(record.moves, 1):
            table.repeat(move, record.outcome if number == len(record.moves) else None)
        return table

    def copy(self) -> "ObservedGame":
        """Return an independent copy."""
        other = copy(self)
        other._seen, other._undone = self._seen.copy(), self._undone.copy()
        other._events, other._moves = self._events.copy(), self._moves.copy()
        return other

    @property
    def observation(self) -> Observation:
        """What the seat sees now."""
        return self._seen[-1]

    def __repr__(self) -> str:
        return f"<ObservedGame of {self.rules.name} after move {len(self._moves)}: {self.observation}>"

    def _repr_svg_(self) -> str:
        """Return the picture of what the seat sees now, for a notebook."""
        return self.observation._repr_svg_()

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What the seat saw before each action, and what it sees now."""
        return tuple(self._seen)

    @property
    def events(self) -> tuple[tuple[Event, ...], ...]:
        """What happened, action by action, as the seat saw it."""
        return tuple(self._events)

    @property
    def history(self) -> SeatHistory:
        """The game so far, as `Game.history` gives it."""
        steps = zip(self._events, self._seen[1:], strict=True)
        return SeatHistory(self.rules, self._seen[0], tuple(Step(tuple(events), seen) for events, seen in steps))

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every action of both players."""
        return tuple(self._moves)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.observation.outcome is not None

    @property
    def drawing(self) -> int:
        """How many cards a draw would bring now; 0 where the piles can't give them, and the game would end.

        Of a draw until a card is playable (`draws_until_playable`) the most that there can be.
        """
        return self.observation.available if self.draws_until_playable else self._drawing(DRAW)

    @property
    def draws_until_playable(self) -> bool:
        """Whether a draw would go on now until a card is playable."""
        return self.observation.draws_until()

    def challenge_drawing(self, guilty: bool) -> int:
        """Return how many cards a challenge would bring who loses it; 0 where the game would end."""
        return self._drawing(CHALLENGE, guilty)

    def is_guilty(self, hand: Iterable[CardType]) -> bool:
        """Return whether a challenge of the wild +4 that is owed is right, if who played it holds these cards."""
        return any(colour_of(card) == self.observation.before for card in hand)

    def _drawing(self, action: Action, guilty: bool = False) -> int:
        number = self.observation.asked_by(action, guilty)
        return number if number <= self.observation.available else 0

    def apply(
        self,
        action: Action,
        drawn: Sequence[CardType] = (),
        *,
        shown: Cards | None = None,
        count: int | None = None,
        ended: bool = False,
    ) -> None:
        """Take in an action of the player to move.

        `drawn` are the cards that the seat itself draws, in order; `shown` is the hand that it is shown by its own
        challenge or gets by a swap; `count` is how many the other drew until one was playable, and with `ended` there
        were no more, and none was.
        """
        seen = self.observation
        if self.over:
            raise GameOver(f"{action} can't be: the game is over, {seen.outcome}")
        if action.card is not None:
            self._check_play(action, action.card)
        elif action == DRAW:
            self._check_draw(drawn, count)
        elif action == CHALLENGE:
            self._check_challenge(drawn, shown)
        elif not seen.deciding or self.rules.draw == "until_playable":
            raise IllegalAction("there is nothing to keep: no card was drawn just now about which there is a choice")
        if shown is not None and seen.turn == self.seat:
            self._check_other_hand(shown)
        elif shown is not None and action.card is not None:
            self._check_other_hand(shown + Cards.of([action.card]))
        self._note(*carry_out(seen, action, drawn, shown, count, ended))

    def forget_uno(self, seat: Seat, drawn: Sequence[CardType] = ()) -> None:
        """Take in that a player forgot to say UNO and draws two cards; `drawn` are they, if they are the seat's own."""
        if self.over:
            raise GameOver(f"nobody draws for a forgotten UNO: the game is over, {self.observation.outcome}")
        move, step = forget(self.observation, seat, drawn)
        self._check_pool(drawn, move.reshuffled is not None)
        self._note(move, step)

    def told(self, move: Move, outcome: Outcome | None = None) -> Told:
        """Return what the next move of the seat's record tells; `outcome` is how the game ended with it."""
        drawn, count = ((), move.drawn.count) if isinstance(move.drawn, Hidden) else (move.drawn, 0)
        if move.swapped is not None:
            return Told(drawn, move.swapped[self.seat])
        if move.seat == self.seat:
            return Told(drawn, move.shown)
        if move.action == DRAW and self.draws_until_playable:
            exhausted = outcome is not None and outcome.reason is Reason.DECK_EXHAUSTED
            return Told(number=count, ended=exhausted and count == self.drawing)
        return Told(drawn)

    def repeat(self, move: Move, outcome: Outcome | None = None) -> None:
        """Take in the next move of the seat's record; `outcome` is how the game ended with it."""
        drawn, shown, count, ended = self.told(move, outcome)
        if move.action == FORGOT_UNO:
            self.forget_uno(move.seat, drawn)
        else:
            self.apply(move.action, drawn, shown=shown, count=count, ended=ended)

    def take_back(self, moves: int = 1) -> None:
        """Take the last actions back, as in a practice game: they stay in the record, unlike what is only corrected."""
        if not 1 <= moves <= len(self._moves):
            raise IllegalAction(f"{count_of(moves, 'move')} can't be taken back: the game has {len(self._moves)}")
        left = len(self._moves) - moves
        self._undone.append(Undone(left, tuple(self._moves[left:])))
        del self._moves[left:], self._events[left:], self._seen[left + 1 :]

    def _note(self, move: Move, step: Step) -> None:
        self._moves.append(move)
        self._events.append(step.events)
        self._seen.append(step.observation)

    def record(self, players: tuple[str, str]) -> GameRecord:
        """Return the seat's record of the game so far."""
        deal = self._seen[0]
        other = Hidden(deal.opponent_size)
        return GameRecord(
            rules=self.rules,
            players=players,
            top=deal.top,
            hands=(deal.hand, other) if self.seat == FIRST else (other, deal.hand),
            pile=Hidden(deal.draw_size),
            moves=self.moves,
            outcome=self.observation.outcome,
            seed=None,
            observer=self.seat,
            midgame=self._midgame,
            undone=tuple(self._undone),
        )

    # --- what is refused ---------------------------------------------------------------------------------

    def _check_play(self, action: Action, card: CardType) -> None:
        seen, name = self.observation, card_name(card)
        own = seen.turn == self.seat
        who = "you" if own else "the opponent"
        if seen.penalty and not seen.answers:
            raise IllegalAction(f"{who} can't play {action}: first draw {count_of(seen.penalty, 'card')}")
        if seen.penalty and not seen.answers >> card & 1:
            raise IllegalAction(
                f"{name} is no answer to {self._top()}, for which {who} {_owe(own)} {count_of(seen.penalty, 'card')}"
            )
        if is_black(card) and action.colour not in self.rules.colours:
            raise IllegalAction(f"{action} declares a colour that is not in the deck: {self._colours()} are")
        if own and card not in seen.hand:
            raise IllegalAction(f"you don't hold {name}: your hand is {seen.hand}")
        if own and seen.drawn not in (None, card):
            choice = "that" if self.rules.draw == "until_playable" else "that or keep"
            raise IllegalAction(f"you can't play {name} now: of a card just drawn, {self._drawn()}, you play {choice}")
        if not own and card not in seen.unseen(self.rules):
            raise IllegalAction(f"the opponent can't have {name}: {self._where(card)}")
        if not int(PLAYABLE[seen.colour, seen.top]) >> card & 1:
            raise IllegalAction(f"{name} does not fit on {self._top()}: {who} can't play it")
        if own and action not in seen.legal_actions():
            assert card == WILD_FOUR, "all else is legal"
            colour = COLOUR_NAMES[seen.colour]
            raise IllegalAction(f"{name} is a last resort in these rules, and you hold a card of the colour {colour}")

    def _check_draw(self, drawn: Sequence[CardType], count: int | None) -> None:
        seen = self.observation
        own = seen.turn == self.seat
        if seen.deciding:
            rest = "played" if self.rules.draw == "until_playable" else "played or kept"
            raise IllegalAction(f"{'you have' if own else 'the opponent has'} drawn already: that card is {rest}")
        if own and DRAW not in seen.legal_actions():
            can = ", ".join(map(str, seen.legal_actions()))
            if seen.variant & OPTIONAL_DRAW:
                raise IllegalAction(f"no card is left to draw: play one of {can}")
            raise IllegalAction(f"you may draw only with nothing to play, but you can play {can}")
        if own and self.draws_until_playable:
            self._check_until(drawn)
        elif own:
            self._check_drawn(drawn, self.drawing)
            self._check_pool(drawn, returns(seen, DRAW, False, len(drawn)))
        elif self.draws_until_playable and (count is None or not 0 <= count <= self.drawing):
            raise IllegalAction(f"tell how many cards the opponent drew until one was playable, at most {self.drawing}")

    def _check_until(self, drawn: Sequence[CardType]) -> None:
        """Refuse own cards that can't be those of a draw until one is playable."""
        seen = self.observation
        playable = int(PLAYABLE[seen.colour, seen.top])
        for card in drawn[:-1]:
            if playable >> card & 1:
                raise IllegalAction(f"{card_name(card)} fits on {self._top()}: you draw no more after it")
        ends = bool(drawn) and bool(playable >> drawn[-1] & 1)
        if not ends and len(drawn) < self.drawing:
            raise IllegalAction(f"you draw until a card fits on {self._top()}: name all of them, in order")
        if len(drawn) > self.drawing:
            raise IllegalAction(f"at most {count_of(self.drawing, 'card')} can be drawn here, not {len(drawn)}")
        self._check_pool(drawn[: seen.draw_size], returning=False)
        late, back = drawn[seen.draw_size :], seen.played - Cards.of([seen.top])
        if seen.hidden_played:  # any of the unseen cards may lie there
            back = back + seen.unseen(self.rules) - Cards.of(drawn[: seen.draw_size])
        for card in late:
            if late.count(card) > back[card]:
                raise IllegalAction(f"you can't have drawn {card_name(card)} after the reshuffle: {back} went back")

    def _check_challenge(self, drawn: Sequence[CardType], shown: Cards | None) -> None:
        seen = self.observation
        if seen.before is None:
            raise IllegalAction("there is no wild +4 to challenge")
        challenged = shown if seen.turn == self.seat else seen.hand
        if challenged is None:
            raise IllegalAction(f"name the hand that your challenge shows: {count_of(seen.opponent_size, 'card')}")
        guilty = self.is_guilty(challenged)
        if (seen.turn == self.seat) != guilty:
            self._check_drawn(drawn, self.challenge_drawing(guilty))
            self._check_pool(drawn, returns(seen, CHALLENGE, guilty, len(drawn)), NO_CARDS if guilty else shown)
        elif drawn:
            raise IllegalAction("the opponent draws here, and you do not see the cards")

    def _check_drawn(self, drawn: Sequence[CardType], number: int) -> None:
        if len(drawn) != number:
            what = {0: "no card can", 1: "1 card has to"}.get(number, f"{number} cards have to")
            raise IllegalAction(f"{what} be drawn here, not {len(drawn)}")

    def _check_pool(self, drawn: Sequence[CardType], returning: bool, elsewhere: Cards | None = None) -> None:
        """Refuse own cards that can't have been in the draw pile; `elsewhere` is a hand that was shown."""
        seen = self.observation
        hidden = seen.unseen(self.rules) + (seen.played - Cards.of([seen.top]) if returning else NO_CARDS)
        for card in Cards.of(drawn).types():
            if drawn.count(card) > hidden[card] - (0 if elsewhere is None else elsewhere[card]):
                raise IllegalAction(f"you can't have drawn {card_name(card)}: {self._where(card)}")

    def _check_other_hand(self, hand: Cards) -> None:
        """Refuse a hand of the opponent with cards that are seen elsewhere."""
        unseen = self.observation.unseen(self.rules)
        for card in hand.types():
            if hand[card] > unseen[card]:
                raise IllegalAction(f"the opponent can't have {hand[card]} {card_name(card)}: {self._where(card)}")

    def _where(self, card: CardType) -> str:
        """Return where all cards of a type are that are not hidden."""
        seen, name = self.observation, card_name(card)
        there = self.rules.deck[card]
        if not there:
            return f"there is no {name} in the deck"
        held, lying = seen.hand[card], seen.played[card]
        return f"the deck has {there} {name}, of which {held} in your hand and {lying} on the pile"

    def _top(self) -> str:
        return f"{card_name(self.observation.top)} ({COLOUR_NAMES[self.observation.colour]})"

    def _drawn(self) -> str:
        return "?" if self.observation.drawn is None else card_name(self.observation.drawn)

    def _colours(self) -> str:
        return ", ".join(COLOUR_NAMES[colour] for colour in self.rules.colours)


def _owe(own: bool) -> str:
    return "owe" if own else "owes"
