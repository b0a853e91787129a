"""`Game`: a thin typed view of one state record, with the log of every move of both players."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from uno_pomdp.cards import COLOUR_NAMES, Cards, CardType, card_name, is_black
from uno_pomdp.errors import GameOver, IllegalAction, InvalidDeal, InvalidSeed, quoted
from uno_pomdp.game import layout
from uno_pomdp.game.actions import FORGOT_UNO, Action, actions_of, seat_name
from uno_pomdp.game.bindings import (
    apply_noting_one,
    deal_all,
    hide_one,
    legal_one,
    needs_reshuffle_one,
    observe_one,
    reshuffle_one,
)
from uno_pomdp.game.deal import Deal, Midgame, laid_out
from uno_pomdp.game.events import Event
from uno_pomdp.game.forgotten_uno import forget
from uno_pomdp.game.kernels import draws_until
from uno_pomdp.game.layout import (
    CHALLENGE,
    MOVE,
    OBSERVATION,
    RESHUFFLED,
    SEATS,
    STATE,
    Moves,
    Seat,
    States,
)
from uno_pomdp.game.move import Hidden, Move, Tabletop, events, move_at
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.game.outcome import Outcome, outcome_of
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.quantities import SEED, count_of
from uno_pomdp.rules import Rules, as_rules

__all__ = ["MAX_SEED", "Deal", "Game"]

MAX_SEED: Final = SEED.most
_FIRST_ROOM: Final = 64
"""Moves for which a new game has room; it grows."""


class Game:
    """One game of two-player UNO, hidden cards included: for referees, records and search, not for players.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("house", seed=5)
    >>> str(game.hand(0)), [str(action) for action in game.legal_actions()]
    ('R6 Y9 YR Y+2 G3 G+2 B8', ['Y9', 'G3', 'G+2'])
    >>> game.play("Y9")
    >>> game.turn, game.over
    (1, False)
    """

    __slots__ = (
        "_face_up",
        "_initial",
        "_legal",
        "_log",
        "_made",
        "_midgame",
        "_moves",
        "_state",
        "_tables",
        "rules",
        "seed",
    )

    def __init__(self, rules: Rules, seed: int, state: States, midgame: Midgame | None = None) -> None:
        self.rules = rules
        """The rules of this game."""
        self.seed = seed
        """The deal seed: it fixes the deal and every reshuffle."""
        self._initial = state.copy()
        self._midgame = midgame
        self._state = state
        self._log = np.zeros(_FIRST_ROOM, MOVE)
        self._made = 0
        self._moves: list[Move] = []  # of the log, as far as they were asked for
        self._tables: list[Tabletop] = []  # before each of these moves
        self._legal = int(legal_one(state))
        self._face_up = [int(state["top"][0])] if midgame is None else list(self.played_pile)

    @classmethod
    def new(cls, rules: Rules | str = "house", seed: int = 0) -> "Game":
        """Deal a game; the same seed gives the same deal on every machine."""
        rules = as_rules(rules)
        _check_seed(seed)
        state = np.zeros(1, STATE)
        deal_all(state, layout.template(rules), rules.hand_size, np.array([seed], np.uint64))
        return cls(rules, seed, state)

    @classmethod
    def from_deal(cls, rules: Rules, deal: Deal, seed: int = 0) -> "Game":
        """Start a game from given cards, dealt or in the middle; the seed is used by reshuffles alone."""
        _check_seed(seed)
        return cls(rules, seed, laid_out(rules, deal, seed), deal.midgame)

    # --- the position ------------------------------------------------------------------------------------

    @property
    def turn(self) -> Seat:
        """Who is to move; once the game is over, who moved last or had to."""
        return int(self._state["turn"][0])

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it is running."""
        return outcome_of(int(self._state["status"][0]), int(self._state["winner"][0]))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self._legal

    @property
    def legal_mask(self) -> int:
        """The legal actions of the player to move as bits; none once the game is over."""
        return self._legal

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what the player to move may do; nothing once the game is over."""
        return actions_of(self._legal)

    def observation(self, seat: Seat) -> Observation:
        """Return what this seat sees now."""
        _check_seat(seat)
        seen = np.zeros(1, OBSERVATION)
        observe_one(seen, self._state, seat)
        return observation_of(seen)

    def hand(self, seat: Seat) -> Cards:
        """Return a hand, hidden from the other seat or not."""
        _check_seat(seat)
        return layout.cards_of(self._state["hand"][0, seat])

    @property
    def drawn(self) -> CardType | None:
        """The card just drawn, about which the player to move decides (`may_play`); else None."""
        card = int(self._state["drawn"][0])
        return None if card == layout.NO_CARD else card

    @property
    def draw_pile(self) -> tuple[CardType, ...]:
        """The draw pile, next card first."""
        return tuple(self._state["draw_pile"][0, : self._state["draw_size"][0]].tolist()[::-1])

    @property
    def played_pile(self) -> tuple[CardType, ...]:
        """The played pile, top card last."""
        return tuple(self._state["played"][0, : self._state["played_size"][0]].tolist())

    def guess(
        self,
        seat: Seat,
        hand: Cards,
        pile: Iterable[CardType],
        drawn: CardType | None = None,
        below: Iterable[CardType] | None = None,
    ) -> None:
        """Replace what is hidden from the other seat: `seat`'s hand, the draw pile, if given the card just drawn.

        `below` are the played cards below the top, given where the other seat does not know all of these either.
        """
        order = tuple(pile)
        lying = self.played_pile[:-1] if below is None else tuple(below)
        places = [*self.draw_pile, *self.hand(seat), *self.played_pile[:-1]]
        if Cards.of([*order, *hand, *lying]) != Cards.of(places) or len(hand) != len(self.hand(seat)):
            raise InvalidDeal("a guess has to place the same hidden cards in hand and pile")
        if drawn is not None and (self.drawn is None or self.turn != seat or drawn not in hand):
            raise InvalidDeal("a card just drawn is in the hand of the player who decides about it")
        counts, reverse = hand.array(), np.array(order[::-1], np.uint8)
        hide_one(self._state, seat, counts, reverse, int(self._state["drawn"][0]) if drawn is None else drawn)
        if below is not None:
            self._read()
            self._state["played"][0, : len(lying)] = self._face_up[:-1] = lying
        self._legal = int(legal_one(self._state))

    def to_state(self) -> States:
        """Return a copy of the record, as an array of one."""
        return self._state.copy()

    def to_moves(self) -> Moves:
        """Return a copy of the log: every move as kernels note it."""
        return self._log[: self._made].copy()

    @property
    def deal(self) -> Deal:
        """Where every card lay before the first move."""
        start = self._initial[0]
        return Deal(
            int(start["top"]),
            (layout.cards_of(start["hand"][0]), layout.cards_of(start["hand"][1])),
            tuple(start["draw_pile"][: start["draw_size"]].tolist()[::-1]),
            self._midgame,
        )

    # --- moving ------------------------------------------------------------------------------------------

    def apply(self, action: Action) -> None:
        """Carry out an action of the player to move."""
        if not self._legal >> action.id & 1:
            raise self._refusal(action)
        made = self._made
        if made == len(self._log):
            self._grow()
        self._legal = int(apply_noting_one(self._state, action.id, self._log, made))
        self._made = made + 1

    def _grow(self) -> None:
        """Make room for more moves."""
        longer = np.zeros(2 * self._made, MOVE)
        longer[: self._made] = self._log
        self._log = longer

    def play(self, *actions: Action | str) -> None:
        """Carry out actions one after the other, written as in `R5`, `W:G`, `draw`, `keep` or `challenge`."""
        for action in actions:
            self.apply(Action.parse(action) if isinstance(action, str) else action)

    def apply_with_order(self, action: Action, order: Iterable[CardType]) -> None:
        """Carry out a draw whose reshuffle is to give this draw pile, next card first: for replays."""
        if not self._legal >> action.id & 1:
            raise self._refusal(action)
        pile = tuple(order)
        if not self._needs_reshuffle(action):
            raise IllegalAction(f"{action} reshuffles nothing here")
        state = self._state
        first = self.draw_pile if self._draws_until(action) else ()  # drawn before the reshuffle
        expected = Cards.of(self.draw_pile) + Cards.of(self.played_pile[:-1]) - Cards.of(first)
        if Cards.of(pile) != expected:
            raise IllegalAction(f"the reshuffled pile has to hold {expected}")
        reshuffle_one(state)
        whole = (*first, *pile)
        state["draw_pile"][0, : len(whole)] = whole[::-1]
        self.apply(action)
        noted = self._log[self._made - 1]
        noted["flags"] |= RESHUFFLED
        noted["first"], noted["pile_size"] = len(first), len(pile)
        noted["pile"][: len(pile)] = pile

    def forget_uno(self, seat: Seat, order: Iterable[CardType] | None = None) -> None:
        """Let a player who holds one card and forgot to say UNO draw two: between two moves, in turn or out of it.

        It is no action and changes nothing else. If two can't be had, as many are drawn as there are; `order` is what a
        reshuffle for it is to give, next card first: for replays.
        """
        _check_seat(seat)
        if self.over:
            raise GameOver(f"{seat_name(seat)} can't draw for a forgotten UNO: the game is over, {self.outcome}")
        if self._made == len(self._log):
            self._grow()
        self._legal = forget(self._state, seat, order, self._log[self._made])
        self._made += 1

    def repeat(self, move: Move) -> None:
        """Carry out a move of a game or a record: a reshuffle gives the pile that it names. Nothing else is checked."""
        order = None if isinstance(move.reshuffled, Hidden) else move.reshuffled
        if move.action == FORGOT_UNO:
            self.forget_uno(move.seat, order)
        elif order is None:
            self.apply(move.action)
        else:
            self.apply_with_order(move.action, order)

    def _draws_until(self, action: Action) -> bool:
        """Whether an action draws until a card is playable."""
        state = self._state[0]
        return draws_until(action.id, int(state["penalty"]), int(state["variant"]))

    def _needs_reshuffle(self, action: Action) -> bool:
        """Whether an action now would put cards of the played pile back."""
        return needs_reshuffle_one(self._state, action.id)

    def _refusal(self, action: Action) -> IllegalAction:
        if not self._legal:
            return GameOver(f"{action} can't be done: the game is over, {self.outcome}")
        state = self._state[0]
        who = seat_name(self.turn)
        legal = ", ".join(map(str, self.legal_actions()))
        if action == FORGOT_UNO:
            why = "to forget UNO is no action"
        elif action.id == CHALLENGE:
            why = "there is no wild +4 to challenge"
        elif action.card is not None and not state["hand"][state["turn"], action.card]:
            why = f"{who} does not hold {card_name(action.card)}"
        elif action.card is not None and is_black(action.card) and action.colour not in self.rules.colours:
            why = f"{action} declares a colour that is not in the deck"
        else:
            why = f"{who} can't {_verb(action)} on {card_name(int(state['top']))} ({COLOUR_NAMES[state['colour']]})"
            why += f" with {state['penalty']} cards to draw" if state["penalty"] else ""
        return IllegalAction(f"{why}: legal is {legal}")

    # --- the past ----------------------------------------------------------------------------------------

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move of both players, in order."""
        self._read()
        return tuple(self._moves)

    @property
    def last_move(self) -> Move:
        """The move made last; there must have been one."""
        self._read()
        return self._moves[-1]

    def events(self, seat: Seat | None = None, since: int = 0) -> tuple[Event, ...]:
        """Return what happened from move number `since` on; for a seat, with what it could not see left out."""
        if seat is not None:
            _check_seat(seat)
        self._read()
        told = zip(self._tables[since:], self._moves[since:], strict=True)
        return tuple(event for table, move in told for event in events(table, move, seat))

    def events_by_move(self) -> tuple[tuple[Event, ...], ...]:
        """Return what each move of both players caused, hidden cards included."""
        self._read()
        return tuple(events(table, move) for table, move in zip(self._tables, self._moves, strict=True))

    def last_step(self, seat: Seat) -> Step:
        """Return what a seat saw of the last move, and what it sees after it, as beliefs and agents take it in."""
        self._read()
        return Step(events(self._tables[-1], self._moves[-1], seat), self.observation(seat))

    def history(self, seat: Seat) -> SeatHistory:
        """Return the whole game as a seat has seen it."""
        past = self._begun()
        first, steps = past.observation(seat), []
        for move in self.moves:
            past.repeat(move)
            steps.append(past.last_step(seat))
        return SeatHistory(self.rules, first, tuple(steps))

    def earlier(self, moves: int = 1) -> "Game":
        """Return the game as it was so many moves ago; it goes on from there as this one would have."""
        if not 0 <= moves <= self._made:
            raise IllegalAction(f"{count_of(moves, 'move')} can't be taken back: the game has {self._made}")
        past = self._begun()
        for move in self.moves[: self._made - moves]:
            past.repeat(move)
        return past

    def _begun(self) -> "Game":
        """Return the game before its first move."""
        return Game(self.rules, self.seed, self._initial.copy(), self._midgame)

    def _read(self) -> None:
        """Add the moves that were not read from the log yet."""
        for number in range(len(self._moves), self._made):
            move, table = move_at(self._log, number)
            if move.action.card is not None:
                self._face_up.append(move.action.card)
            if move.reshuffled is not None:
                table = table._replace(under_top=Cards.of(self._face_up[:-1]))
                del self._face_up[:-1]
            self._moves.append(move)
            self._tables.append(table)

    def __eq__(self, other: object) -> bool:
        """Whether rules, seed, deal and every move are the same, and so all that follows from them."""
        if not isinstance(other, Game):
            return NotImplemented
        mine, theirs = (self.rules, self.seed, self.deal), (other.rules, other.seed, other.deal)
        return mine == theirs and self.moves == other.moves

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def __repr__(self) -> str:
        standing = self.outcome or f"{seat_name(self.turn)} to move"
        state = self._state[0]
        return (
            f"<Game of {self.rules.name}, seed {self.seed}, after move {self._made}: {standing}, top "
            f"{card_name(int(state['top']))} ({COLOUR_NAMES[state['colour']]}), hands of {len(self.hand(0))} and "
            f"{len(self.hand(1))}>"
        )

    def _repr_svg_(self) -> str:
        """Return the picture of it for a notebook, both hands open: for referees, not for players."""
        from uno_pomdp.display.position import ShownHand

        seen = self.observation(self.turn)
        legal = {self.turn: seen.legal_cards}
        first, second = (
            ShownHand(seat_name(seat), len(self.hand(seat)), self.hand(seat), legal.get(seat, frozenset()))
            for seat in SEATS
        )
        title = f"{self.rules.name}, seed {self.seed}, after move {self._made}, both hands open"
        return seen.picture(title, second, first)

    def copy(self) -> "Game":
        """Return an independent copy, log included."""
        other = Game.__new__(Game)
        other.rules, other.seed, other._legal = self.rules, self.seed, self._legal
        other._initial, other._midgame, other._state = self._initial, self._midgame, self._state.copy()
        other._log, other._made = self._log.copy(), self._made
        other._moves, other._tables, other._face_up = self._moves.copy(), self._tables.copy(), self._face_up.copy()
        return other


def _verb(action: Action) -> str:
    return str(action) if action.card is None else f"play {action}"


def _check_seed(seed: int) -> None:
    if not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise InvalidSeed(f"{quoted(seed)} is no deal seed: give a whole number from 0 to 2^64 - 1")


def _check_seat(seat: Seat) -> None:
    if seat not in SEATS:
        raise IllegalAction(f"there is no seat {seat}: player 1 sits at seat 0, player 2 at seat 1")
