"""Win probability of player 1, both hands open: for luck as a control variate, for spectators and reviews.

The mean of two estimates, which is nearer to the results of strong play than either. Rules without a pretrained net
have the first alone.

    heuristic value   (`evaluation.heuristic_value`) both play on by the heuristic until one has to draw; there a small
                      net values the position
    value net         (`nets.position_features`) moves without a choice follow until somebody has one; there a net
                      values the position, as if the champion played both seats. A draw on the way is sampled a few
                      times, with cards from all over the pile; where another follows, or the pile does not suffice, the
                      heuristic value counts alone.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.evaluation.heuristic_features import note_pile
from uno_pomdp.evaluation.heuristic_value import HeuristicValue, Nets, Workspaces, value
from uno_pomdp.game.kernels import cards_asked, decides_next, draws_until, give_card
from uno_pomdp.game.layout import (
    BIT,
    DRAW,
    DRAW_BIT,
    FIRST,
    NO_COLOUR,
    PLAYABLE,
    STATE,
    Record,
    States,
)
from uno_pomdp.game.record import GameRecord, follow_openly, start
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.nets import position_features
from uno_pomdp.nets.net_file import Net
from uno_pomdp.nets.position_features import OPPONENTS, worth_with
from uno_pomdp.nets.pretrained import pretrained_position_values, pretrained_rules
from uno_pomdp.policies.kernels import Weights
from uno_pomdp.policies.rollouts import points, until_open
from uno_pomdp.rules import Rules

SHARE: Final = 0.5
"""The weight of the value net's estimate."""
IMAGINED: Final = 4
"""How often a draw is sampled."""
UNSAID: Final = -1.0
"""No estimate: somebody has to draw first."""
_ITSELF: Final = OPPONENTS.index("champion")
_NO_NET: Final = Net(np.ones(1, np.int64), np.zeros(0, np.float32), np.zeros(0, np.float32))
_NONE = np.uint64(0)


class WinProbability(NamedTuple):
    """Both estimators with their workspaces: not to be shared by threads."""

    workspace: Workspaces
    """Where the heuristic value is worked out; holds the count of the draw pile."""
    net: Nets
    """The net of the heuristic value."""
    weights: Weights
    """The heuristic by which both play on."""
    champion: Net
    """The value net of the champion's positions."""
    champion_workspace: position_features.Workspace
    """The workspace of that net."""
    share: float
    """The weight of that net; 0 if there is none."""
    table: States
    """Scratch positions, which are overwritten."""
    cards: npt.NDArray[np.int64]
    """Cards of sampled draws."""

    def value(self, states: States) -> float:
        """Return player 1's win probability in the first of these positions, from 0 to 1."""
        return float(appraise_one(states, self))


def win_probability_for(rules: Rules) -> WinProbability:
    """Return the estimate for games under these rules."""
    return win_probability_of(
        HeuristicValue(), pretrained_position_values(rules).net if rules.name in pretrained_rules() else None
    )


def open_chances(record: GameRecord, evaluator: WinProbability) -> list[float]:
    """Return player 1's win probability at the deal of a whole record and after each of its moves."""
    game = start(record)
    chances = [evaluator.value(game.to_state())]
    for move in record.moves:
        follow_openly(game, move)
        chances.append(evaluator.value(game.to_state()))
    return chances


def win_probability_of(judge: HeuristicValue, champion: Net | None) -> WinProbability:
    """Return the mean of a heuristic value and this net, or the heuristic value alone."""
    net, share = (_NO_NET, 0.0) if champion is None else (champion, SHARE)
    room = np.zeros(2, STATE), np.zeros(IMAGINED, np.int64)
    return WinProbability(
        judge.workspace, judge.net, judge.weights, net, position_features.new_workspace(net), share, *room
    )


@kernel
def appraise_one(states: States, evaluator: WinProbability) -> float:
    """Return the win probability in the first position."""
    note_pile(evaluator.workspace[0], states[0])
    evaluator.table[0] = states[0]
    return appraise(evaluator.table[0], evaluator)


@kernel
def appraise(state: Record, evaluator: WinProbability) -> float:
    """Return player 1's win probability, and overwrite the position; the workspace holds the count of the draw pile."""
    champion = UNSAID
    if evaluator.share > 0.0:
        champion = foresee(state, evaluator)
        if champion == UNSAID:
            champion = imagine(state, evaluator)
    judge = value(state, evaluator.workspace[0], evaluator.net[0], evaluator.weights[0])
    return judge if champion == UNSAID else judge + evaluator.share * (champion - judge)


@kernel
def foresee(state: Record, evaluator: WinProbability) -> float:
    """Play on while there is no choice; return the value net's estimate, `UNSAID` if somebody has to draw."""
    legal = until_open(state, False)
    if legal == DRAW_BIT:
        return UNSAID
    if legal == _NONE:
        return points(state["winner"], FIRST)
    found = worth_with(evaluator.champion, evaluator.champion_workspace, evaluator.workspace[0]["pile"], state, _ITSELF)
    return 0.5 + 0.5 * (found if state["turn"] == FIRST else -found)


@kernel
def imagine(state: Record, evaluator: WinProbability) -> float:
    """Return the mean estimate after some draws from all over the pile; `UNSAID` if the pile does not suffice."""
    workspace = evaluator.workspace[0]
    pile = workspace["pile"]
    size = as_int(workspace["pile_size"])
    owed = cards_asked(DRAW, as_int(state["penalty"]), False, state["variant"])
    draws = size if size < IMAGINED else IMAGINED
    if draws < owed:
        return UNSAID
    card, below = 0, as_int(pile[0])
    for nth in range(draws):
        place = (2 * nth + 1) * size // (2 * draws)
        while below <= place:
            card += 1
            below += as_int(pile[card])
        evaluator.cards[nth] = card
    total = 0.0
    for nth in range(draws):
        evaluator.table[1] = state
        for more in range(owed):
            card = evaluator.cards[(nth + more * draws // owed) % draws]
            draw_card(evaluator.table[1], card)
            pile[card] -= 1
        workspace["pile_size"] -= owed
        found = foresee(evaluator.table[1], evaluator)
        if found == UNSAID:
            found = value(evaluator.table[1], workspace, evaluator.net[0], evaluator.weights[0])
        total += found
        workspace["pile_size"] += owed
        for more in range(owed):
            pile[evaluator.cards[(nth + more * draws // owed) % draws]] += 1
    return total / draws


@kernel
def draw_card(state: Record, card: int) -> None:
    """Draw one card of those asked for, which may lie anywhere in the pile; the last one ends the draw."""
    seat = as_int(state["turn"])
    owed = as_int(state["penalty"])
    give_card(state, seat, card)
    state["draw_size"] -= 1
    if draws_until(DRAW, owed, state["variant"]):
        if PLAYABLE[state["colour"], state["top"]] & BIT[card]:
            state["drawn"] = card
        return
    left = cards_asked(DRAW, owed, False, state["variant"]) - 1
    state["penalty"] = left
    if left > 0:
        return
    state["before"] = NO_COLOUR
    if decides_next(DRAW, owed > 0, 1, state["variant"]):
        state["drawn"] = card
    else:
        state["turn"] = 1 - seat
