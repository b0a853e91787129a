"""Luck as a control variate: how much the deal and the draws favoured each side, and a result's points without that.

Let V be any function of the whole position: here the estimated win probability of player 1. Each time chance moves,
its *luck* for player 1 is V after it less the mean of V over all that could have come:

    deal   (V(these hands) − V(hands exchanged)) / 2: either way round is as likely
    draw   card by card: V(with this card) − Σ over the draw pile of V(with that card) / |pile|

The last card of a draw is turned up late: the other, which does not see it, plays on first, and V is taken where the
drawer is to move again or somebody draws, and before hands are swapped, which shows it. What the other does is then
known and need not be predicted. (A challenge shows no such card: who is challenged has just moved.) A draw until a card
is playable says something about its last card, which is played at once: all its cards are judged as they come.

Whatever the players do, whatever V is, each luck has mean 0 given all that was before it. So the result less the
sum of all lucks has the same mean as the result, and far less variance if V is good. It rests on one thing: that
no player knows the order of the draw pile or the other's cards, nor whose hand is whose before the deal.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.cards import CARD_TYPES, CardType, card_name
from uno_pomdp.evaluation.heuristic_features import note_pile
from uno_pomdp.evaluation.win_probability import WinProbability, appraise, draw_card, win_probability_for
from uno_pomdp.game.actions import CHALLENGE, FORGOT_UNO, seat_name
from uno_pomdp.game.kernels import draws_until, give_card, is_guilty, reshuffle, set_hand, take_card
from uno_pomdp.game.layout import DRAW, FIRST, NO_CARD, NO_COLOUR, STATE, Record, Seat, States
from uno_pomdp.game.record import GameRecord, follow_openly, start
from uno_pomdp.jit import as_int, inner_kernel, kernel

DEAL, DRAWN, CHALLENGED, TURNED_UP, FORGOTTEN = range(5)
"""What chance did: the deal; cards of a draw; the same after a challenge; the last card of a draw; a forgotten UNO."""
NO_CARDS: Final = np.zeros(0, np.int64)
NO_LUCKS: Final = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Chance:
    """One thing that chance did: the deal, or a draw."""

    move: int | None
    """The number of the move that drew, counted from 0; None for the deal."""
    seat: Seat
    """Who drew; player 1 for the deal."""
    cards: tuple[CardType, ...]
    """The cards drawn, in order; none for the deal."""
    lucks: tuple[float, ...]
    """Player 1's luck in each of the cards, or in the deal."""
    value: float
    """Player 1's win probability with it, both hands open, when it is turned up."""

    @property
    def luck(self) -> float:
        """Player 1's luck: by how much player 1's win probability rose above its expectation."""
        return sum(self.lucks)

    def __str__(self) -> str:
        drawn = " ".join(card_name(card) for card in self.cards)
        what = "the deal" if self.move is None else f"move {self.move + 1}, {seat_name(self.seat)} draws {drawn}"
        return f"{what}: {100 * self.luck:+z.1f} % for player 1, whose chance is now {100 * self.value:.0f} %"


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of one game, move by move. One player's luck is minus the other's."""

    chances: tuple[Chance, ...]
    """Everything that chance did, in order, the deal first."""

    @property
    def deal(self) -> float:
        """Player 1's luck in the deal."""
        return self.chances[0].luck

    @property
    def draws(self) -> float:
        """Player 1's luck in all draws, its own and the other's."""
        return sum(chance.luck for chance in self.chances[1:])

    def drawn_by(self, seat: Seat) -> float:
        """Return player 1's luck in the draws of one seat."""
        return sum(chance.luck for chance in self.chances[1:] if chance.seat == seat)

    def of(self, seat: Seat) -> float:
        """Return all luck of a seat, in points: the deal and the draws of both."""
        luck = self.deal + self.draws
        return luck if seat == FIRST else -luck

    def to_json(self) -> dict[str, Any]:
        """Return player 1's luck in the deal and in all draws as JSON values."""
        return {"deal": self.deal, "draws": self.draws}

    def __repr__(self) -> str:
        return f"<Luck of {self}>"

    def __str__(self) -> str:
        return f"{seat_name(FIRST)}: deal {100 * self.deal:+.1f} %, draws {100 * self.draws:+.1f} %"


def luck_of(record: GameRecord, evaluator: WinProbability | None = None) -> Luck:
    """Return the luck of a game, finished or not, from its whole record."""
    evaluator = evaluator or win_probability_for(record.rules)
    game = start(record)
    table = np.zeros(2, STATE)
    table[0] = game.to_state()[0]
    luck, value = luck_in(DEAL, table, FIRST, NO_CARDS, 0, evaluator, NO_LUCKS)
    dealt = float(luck) if record.midgame is None else 0.0  # how a game begun in the middle begins is no chance
    chances = [Chance(None, FIRST, (), (dealt,), float(value))]
    hidden: Chance | None = None
    for number, move in enumerate(record.moves):
        table[0] = game.to_state()[0]
        follow_openly(game, move)
        done = game.last_move
        if hidden is not None and (move.seat == hidden.seat or done.drawn or done.swapped is not None):
            chances.append(_turned_up(hidden, table, evaluator))
            hidden = None
        if done.drawn:
            lucks = np.zeros(len(done.drawn))
            what = {CHALLENGE: CHALLENGED, FORGOT_UNO: FORGOTTEN}.get(move.action, DRAWN)
            cards = np.array(done.drawn, np.int64)
            judged, value = luck_in(what, table, done.drawer, cards, done.first, evaluator, lucks)
            found = Chance(number, done.drawer, done.cards, tuple(lucks[: int(judged)].tolist()), float(value))
            if judged == len(cards):
                chances.append(found)
            else:
                hidden = found
    if hidden is not None:
        table[0] = game.to_state()[0]
        chances.append(_turned_up(hidden, table, evaluator))
    return Luck(tuple(chances))


def _turned_up(hidden: Chance, table: States, evaluator: WinProbability) -> Chance:
    """Return a draw with the luck in its last card, turned up in the position on the table."""
    cards = np.array(hidden.cards[-1:], np.int64)
    luck, value = luck_in(TURNED_UP, table, hidden.seat, cards, 0, evaluator, NO_LUCKS)
    return replace(hidden, lucks=(*hidden.lucks, float(luck)), value=float(value))


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def luck_in(
    what: int,
    table: States,
    seat: int,
    drawn: npt.NDArray[np.int64],
    first: int,
    evaluator: WinProbability,
    lucks: Floats,
) -> tuple[float, float]:
    """Return luck and win probability after the deal or a card turned up; of a draw, how many cards were judged.

    One entry point for Python to all of them: the code below them is large, and is optimised once for each entry point.
    """
    if what == DEAL:
        return deal_one(table, evaluator)
    if what == TURNED_UP:
        return turn_up(table, seat, drawn[0], evaluator)
    return judge_draw(table, what, seat, drawn, first, evaluator, lucks)


@kernel
def deal_one(table: States, evaluator: WinProbability) -> tuple[float, float]:
    """Return player 1's luck in the deal that lies on the table, and the win probability after it."""
    note_pile(evaluator.workspace[0], table[0])
    table[1] = table[0]
    these = appraise(table[1], evaluator)
    table[1] = table[0]
    for seat in range(2):
        set_hand(table[1], seat, table[0]["hand"][1 - seat])
    exchanged = appraise(table[1], evaluator)
    return (these - exchanged) / 2, these


@kernel
def judge_draw(
    table: States,
    what: int,
    drawer: int,
    drawn: npt.NDArray[np.int64],
    first: int,
    evaluator: WinProbability,
    lucks: Floats,
) -> tuple[int, float]:
    """Write player 1's luck in the cards of a draw from the position on the table, in which somebody is about to move.

    After a challenge and for a forgotten UNO the cards are given to the drawer, who may not be the one to move.

    Return how many were judged, and the chance after them: all if the last one has to be played at once, else all but
    the last, which is turned up later. The position on the table moves on with them; `first` of the cards came before
    a reshuffle. Whether they can be drawn is not checked.
    """
    state = table[0]
    given = what != DRAWN
    until = not given and draws_until(DRAW, state["penalty"], state["variant"])
    if what == CHALLENGED:
        settle_challenge(state)
    if not until and state["draw_size"] < len(drawn):
        reshuffle(state)
    workspace = evaluator.workspace[0]
    note_pile(workspace, state)
    pile = workspace["pile"]
    judged = len(drawn) - 1 + as_int(until)
    chance = 0.0
    for nth in range(judged):
        if until and nth == first and state["draw_size"] == 0:
            reshuffle(state)
            note_pile(workspace, state)
        workspace["pile_size"] -= 1
        if given:
            state["draw_size"] -= 1
        total, chance = over_pile(table, drawer, drawn[nth], not given, evaluator)
        lucks[nth] = chance - total / (workspace["pile_size"] + 1)
        if given:
            give_card(state, drawer, drawn[nth])
        else:
            draw_card(state, drawn[nth])
        pile[drawn[nth]] -= 1
    return judged, chance


@kernel
def settle_challenge(state: Record) -> None:
    """Let a challenge be decided, without the cards that somebody draws for it."""
    if not is_guilty(state):
        state["turn"] = 1 - state["turn"]
    state["penalty"] = 0
    state["before"] = NO_COLOUR


@inner_kernel
def over_pile(table: States, seat: int, drawn: int, draws: bool, evaluator: WinProbability) -> tuple[float, float]:
    """Return the sum of player 1's chances over all cards of the noted pile as the next one, and that of the one drawn.

    The card is drawn from the position on the table, or put into the hand of a seat that has drawn already.
    """
    pile = evaluator.workspace[0]["pile"]
    total, chance = 0.0, 0.0
    for card in range(CARD_TYPES):
        copies = as_int(pile[card])
        if copies:
            pile[card] -= 1
            table[1] = table[0]
            if draws:
                draw_card(table[1], card)
            else:
                give_card(table[1], seat, card)
                if table[0]["drawn"] != NO_CARD:
                    table[1]["drawn"] = card
            found = appraise(table[1], evaluator)
            pile[card] += 1
            total += copies * found
            if card == drawn:
                chance = found
    return total, chance


@kernel
def turn_up(table: States, seat: int, drawn: int, evaluator: WinProbability) -> tuple[float, float]:
    """Return player 1's luck in the card that a seat drew last and nobody has acted upon, and the win probability.

    The position on the table is one after the draw, where no other card has been drawn.
    """
    state = table[0]
    workspace = evaluator.workspace[0]
    note_pile(workspace, state)
    pile = workspace["pile"]
    pile[drawn] += 1
    take_card(state, seat, drawn)
    total, chance = over_pile(table, seat, drawn, False, evaluator)
    give_card(state, seat, drawn)
    return chance - total / (workspace["pile_size"] + 1), chance
