"""`ObservedGame`: a game on a real table, of which one seat tells what it sees. No hidden card is in it.

Each action of either player is checked against the rules and the deck, and gives the same events, observations and
record as a `Game` with all its cards would. What earlier moves say about the hidden hand is not checked here: that is
left to a belief.
"""

from collections.abc import Sequence

from uno_pomdp.cards import COLOUR_NAMES, NO_CARDS, WILD_FOUR, Cards, CardType, card_name, is_black
from uno_pomdp.errors import GameOver, IllegalAction, InvalidDeal
from uno_pomdp.game.actions import ACTIONS, DRAW, Action
from uno_pomdp.game.events import Event, Reshuffled
from uno_pomdp.game.layout import FIRST, OPTIONAL_DRAW, PLAYABLE, Seat, variant_bits
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_action import carry_out
from uno_pomdp.game.record import GameRecord, Hidden, RecordedMove
from uno_pomdp.rules import Rules


class ObservedGame:
    """What one seat knows of a game, from the deal on; refusals speak to the person at that seat."""

    def __init__(self, rules: Rules, seat: Seat, hand: Cards, top: CardType) -> None:
        _check_deal(rules, hand, top)
        self.rules = rules
        """The rules of the game."""
        self.seat = seat
        """Whose game it is."""
        self._seen = [first_observation(rules, seat, hand, top)]
        self._events: list[tuple[Event, ...]] = []
        self._moves: list[RecordedMove] = []

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
    def moves(self) -> tuple[RecordedMove, ...]:
        """Every action of both players."""
        return tuple(self._moves)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.observation.outcome is not None

    @property
    def drawing(self) -> int:
        """How many cards a draw would bring now; 0 where the piles can't give them, and the game would end."""
        seen = self.observation
        wanted = max(seen.penalty, 1)
        return wanted if wanted <= seen.draw_size + len(self._returning or ()) else 0

    @property
    def _returning(self) -> Cards | None:
        """What a reshuffle before a draw would put back now; None if it needs none."""
        seen = self.observation
        short = seen.draw_size < max(seen.penalty, 1) and self.rules.reshuffle == "yes" and len(seen.played) > 1
        return seen.played - Cards.of([seen.top]) if short else None

    def apply(self, action: Action, drawn: Sequence[CardType] = ()) -> None:
        """Take in an action of the player to move; `drawn` are the cards that the seat itself draws."""
        seen = self.observation
        if self.over:
            raise GameOver(f"{action} can't be: the game is over, {seen.outcome}")
        if action.card is not None:
            self._check_play(action, action.card)
        elif action == DRAW:
            self._check_draw(drawn)
        elif not seen.deciding:
            raise IllegalAction("there is nothing to keep: no card was drawn just now about which there is a choice")
        events, after = carry_out(seen, action, drawn)
        mixed = next((seen.draw_size + len(event.returned) for event in events if isinstance(event, Reshuffled)), None)
        count = after.opponent_size - seen.opponent_size
        own = seen.turn == self.seat
        cards = tuple(drawn) if own or action != DRAW or not count else Hidden(count)
        self._moves.append(RecordedMove(seen.turn, action, cards, None if mixed is None else Hidden(mixed)))
        self._events.append(events)
        self._seen.append(after)

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
        )

    # --- what is refused ---------------------------------------------------------------------------------

    def _check_play(self, action: Action, card: CardType) -> None:
        seen, name = self.observation, card_name(card)
        own = seen.turn == self.seat
        who = "you" if own else "the opponent"
        if seen.penalty:
            raise IllegalAction(f"{who} can't play {action}: {seen.penalty} cards have to be drawn first")
        if is_black(card) and action.colour not in self.rules.colours:
            raise IllegalAction(f"{action} declares a colour that is not in the deck: {self._colours()} are")
        if own and card not in seen.hand:
            raise IllegalAction(f"you don't hold {name}: your hand is {seen.hand}")
        if own and seen.drawn not in (None, card):
            raise IllegalAction(
                f"you can't play {name} now: of a card just drawn, {self._drawn()}, you play that or keep"
            )
        if not own and card not in seen.unseen(self.rules):
            raise IllegalAction(f"the opponent can't have {name}: {self._where(card)}")
        if not int(PLAYABLE[seen.colour, seen.top]) >> card & 1:
            raise IllegalAction(f"{name} does not fit on {self._top()}: {who} can't play it")
        if own and action not in seen.legal_actions():
            assert card == WILD_FOUR, "all else is legal"
            colour = COLOUR_NAMES[seen.colour]
            raise IllegalAction(f"{name} is a last resort in these rules, and you hold a card of the colour {colour}")

    def _check_draw(self, drawn: Sequence[CardType]) -> None:
        seen = self.observation
        own = seen.turn == self.seat
        if seen.deciding:
            raise IllegalAction(
                f"{'you have' if own else 'the opponent has'} drawn already: that card is played or kept"
            )
        if own and DRAW not in seen.legal_actions():
            can = ", ".join(map(str, seen.legal_actions()))
            if seen.variant & OPTIONAL_DRAW:
                raise IllegalAction(f"no card is left to draw: play one of {can}")
            raise IllegalAction(f"you may draw only with nothing to play, but you can play {can}")
        if not own:
            return
        if len(drawn) != self.drawing:
            what = {0: "no card can", 1: "1 card has to"}.get(self.drawing, f"{self.drawing} cards have to")
            raise IllegalAction(f"{what} be drawn here, not {len(drawn)}")
        hidden = seen.unseen(self.rules) + (self._returning or NO_CARDS)
        for card in Cards.of(drawn).types():
            if drawn.count(card) > hidden[card]:
                raise IllegalAction(f"you can't have drawn {card_name(card)}: {self._where(card)}")

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


def first_observation(rules: Rules, seat: Seat, hand: Cards, top: CardType) -> Observation:
    """Return what a seat sees at the deal; nothing is checked."""
    return Observation(
        seat=seat,
        hand=hand,
        opponent_size=rules.hand_size,
        draw_size=len(rules.deck) - 2 * rules.hand_size - 1,
        played=Cards.of([top]),
        top=top,
        colour=ACTIONS[top].colour or 0,
        turn=FIRST,
        penalty=0,
        deciding=False,
        drawn=None,
        outcome=None,
        variant=variant_bits(rules),
        colours=sum(1 << colour for colour in rules.colours),
    )


def check_hand(rules: Rules, hand: Cards) -> None:
    """Refuse a hand that can't have been dealt."""
    for card in hand.types():
        if hand[card] > rules.deck[card]:
            raise InvalidDeal(f"you can't hold {hand[card]} {card_name(card)}: the deck has {rules.deck[card]}")
    if len(hand) != rules.hand_size:
        raise InvalidDeal(f"you are dealt {rules.hand_size} cards, but {len(hand)} are named")


def _check_deal(rules: Rules, hand: Cards, top: CardType) -> None:
    check_hand(rules, hand)
    if is_black(top):
        raise InvalidDeal(f"the first top card is {card_name(top)}, but it has to be a coloured card: deal again")
    if hand[top] >= rules.deck[top]:
        has = f"the deck has {rules.deck[top]} {card_name(top)}"
        raise InvalidDeal(
            f"{card_name(top)} can't be the top card: {has}" + f", in your hand {hand[top]}" * (hand[top] > 0)
        )
