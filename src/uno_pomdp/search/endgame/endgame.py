"""The endgame solver: it proves what it can about a decision, and the search keeps within what is proved.

A *run* empties the own hand before the opponent plays, so it wins whatever the opponent holds; runs of up to seven
cards are looked for. The *drawless game* (see `drawless_game`) is solved when the opponent has one card or two and both
hands are small, for all hands of the opponent with their probabilities. An action whose lower bound reaches every
other's upper bound is the best one against an opponent that follows the rollout policy, and nothing is left to search
for. Otherwise the search goes on, and its values are clipped to the bounds.

Both rest on what holds under the rules `PROVED`: that who plays a +2 or +4 moves again while the other draws, that who
can't play draws one card and passes, and that a hand is its owner's. Under all other rules nothing is proved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from uno_pomdp.agents.agent import Budget, Candidate, Decision
from uno_pomdp.agents.progress import Progress
from uno_pomdp.agents.scripted import own_record
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.actions import ACTIONS, Action, actions_of
from uno_pomdp.game.layout import ACTIONS as ACTION_IDS
from uno_pomdp.game.layout import (
    FIRST_ACTS,
    LAST_RESORT,
    MAY_PLAY,
    NO_CARD,
    OBSERVATION,
    OPTIONAL_DRAW,
    RESHUFFLE,
    SKIP_AGAIN,
)
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.kernels import GREEDY, HEURISTIC, WEIGHTS, Policy
from uno_pomdp.quantities import range_of
from uno_pomdp.search.endgame.drawless_game import Pairs, bound_without_draws
from uno_pomdp.search.endgame.turn_ends import END, LONGEST, MOST_ENDS, runs

PROVED: Final = SKIP_AGAIN | MAY_PLAY | LAST_RESORT | OPTIONAL_DRAW | RESHUFFLE | FIRST_ACTS
"""Rules under which the lemmas hold: no penalties that are challenged or answered, no long draws, no swapped hands."""
BOTH: Final = 5
"""The most cards in both hands for which the drawless game is solved: with more, draws decide most of it."""
THEIRS: Final = 2
"""The most cards in the opponent's hand for which it is: with three there are too many different hands."""
HANDS_PER_SIMULATION: Final = 20
"""How many hands looked at count as one simulation: a playout has more moves than that."""
HANDS_PER_MILLISECOND: Final = 10_000
"""Hands looked at in a millisecond, by a cautious estimate."""
SHARE: Final = 0.5
"""The share of a budget that solving the drawless game may take."""
SURE: Final = 1e-9
"""The tolerance of a bound for rounding."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is proved about each action's probability of winning, by action id."""

    low: Floats
    """It is at least this."""
    high: Floats
    """It is at most this."""
    hands: int
    """Hands that were looked at for it."""

    @property
    def simulations(self) -> int:
        """The same in simulations."""
        return -(-self.hands // HANDS_PER_SIMULATION)

    def best(self, legal: Sequence[int]) -> int | None:
        """Return the action that no other can beat; None if that is not proved of any."""
        best = max(legal, key=lambda action: (self.low[action], -action))
        others = max(self.high[action] for action in legal if action != best)
        return best if self.low[best] >= others - SURE else None


@dataclass(frozen=True, slots=True)
class Proof:
    """What is proved about a decision."""

    decision: Decision | None
    """The action that is proved the best, if one is: nothing is left to search for."""
    bounds: Bounds | None
    """Bounds that the search's values are clipped to, if there are any."""
    left: Budget
    """What is left of the budget."""


class Endgame:
    """Proves what it can about a decision, within a part of the budget, before a search."""

    def __init__(self, policy: Policy = HEURISTIC) -> None:
        prepare()
        self.policy: Final = policy
        """The policy that the opponent is assumed to play."""
        self._ends = np.zeros((2, MOST_ENDS), END)

    def prove(self, seen: Observation, belief: Belief, budget: Budget, progress: Progress | None = None) -> Proof:
        """Return the action that is proved the best, or else the bounds of all; `progress` may stop it."""
        won = winning_runs(seen)
        if won:
            candidates = tuple(Candidate(action, 1.0, 0.0, note="proved") for action in actions_of(won))
            note = "endgame solved: wins before the opponent plays"
            return Proof(Decision(candidates[0].action, candidates, note=note), None, budget)
        bounds = self.bounds(seen, belief, budget, progress)
        if bounds is None:
            return Proof(None, None, budget)
        legal = [action.id for action in seen.legal_actions()]
        best = bounds.best(legal)
        if best is not None:
            return Proof(solved(bounds, legal, best), bounds, budget)
        if budget.simulations is not None:
            budget = Budget(simulations=budget.simulations - bounds.simulations)
        return Proof(None, bounds, budget)

    def bounds(
        self, seen: Observation, belief: Belief, budget: Budget, progress: Progress | None = None
    ) -> Bounds | None:
        """Return the bounds from the drawless game; None if hands are too large or the budget too small."""
        if seen.variant & ~PROVED or len(seen.hand) + seen.opponent_size > BOTH or seen.opponent_size > THEIRS:
            return None
        types = sum(1 for _ in seen.unseen(belief.rules).types())
        many = types if seen.opponent_size == 1 else types * (types + 1) // 2
        legal = seen.legal_mask
        room = np.array([int(SHARE * hands_within(budget))])
        if 3 * legal.bit_count() * many > room[0]:
            return None
        hands, chances = possible_hands(belief, seen.opponent_size)
        records, own, _ = own_record(seen)
        low, high, before = np.zeros(ACTION_IDS), np.zeros(ACTION_IDS), int(room[0])
        model, supply = HEURISTIC if self.policy == GREEDY else self.policy, supply_of(seen)
        for part in [legal] if progress is None else [1 << action.id for action in actions_of(legal)]:
            if progress is not None:
                progress.check()
            least, most = np.empty(ACTION_IDS), np.empty(ACTION_IDS)
            bound_without_draws(
                records, np.uint64(part), own, supply, hands, chances, model, WEIGHTS, self._ends, least, most, room
            )
            low, high = np.maximum(low, least), np.maximum(high, most)
        if room[0] < 0:
            return None
        return Bounds(np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0), before - int(room[0]))


@cache
def prepare() -> None:
    """Compile the kernels, or load them, before any clock runs: they are first used late in a game."""
    seen, none, hand, bounds = np.zeros(1, OBSERVATION), np.uint64(0), np.zeros(CARD_TYPES, np.uint8), np.zeros(1)
    hands, ends, room = np.zeros((0, 2), np.uint8), np.zeros((2, 1), END), np.zeros(1, np.int64)
    runs(seen, none, hand, 0)
    bound_without_draws(seen, none, hand, 0, hands, np.zeros(0), HEURISTIC, WEIGHTS, ends, bounds, bounds, room)


def winning_runs(seen: Observation) -> int:
    """Return the actions, as bits, that begin a run: a win before the opponent plays a card."""
    if len(seen.hand) > LONGEST or seen.variant & ~PROVED:
        return 0
    records, own, _ = own_record(seen)
    return int(runs(records, np.uint64(seen.legal_mask), own, supply_of(seen)))


def supply_of(seen: Observation) -> int:
    """Return how many cards the deck could give now, with a reshuffle if there is one."""
    return seen.draw_size + (seen.played_size - 1 if seen.variant & RESHUFFLE else 0)


def hands_within(budget: Budget) -> float:
    """Return how many hands can be looked at within a whole budget."""
    if budget.simulations is not None:
        return HANDS_PER_SIMULATION * budget.simulations
    return HANDS_PER_MILLISECOND * (budget.milliseconds or 0.0)


def possible_hands(belief: Belief, size: int) -> tuple[Pairs, Floats]:
    """Return every hand of one or two cards that the opponent may have, with its probability."""
    if size == 1:
        chances = np.maximum(belief.expected_counts(), 0.0)
        (cards,) = np.nonzero(chances)
        hands = np.column_stack([cards, np.full(len(cards), NO_CARD)])
        found = chances[cards]
    else:
        pairs = belief.pair_probabilities()
        hands = np.argwhere(pairs > 0.0)
        found = pairs[hands[:, 0], hands[:, 1]]
    return hands.astype(np.uint8, order="C"), found / found.sum()  # another order would be another type for kernels


def solved(bounds: Bounds, legal: Sequence[int], best: int) -> Decision:
    """Return the decision for an action that no other can beat."""

    def candidate(action: int) -> Candidate:
        low, high = float(bounds.low[action]), float(bounds.high[action])
        if high - low < SURE:
            return Candidate(ACTIONS[action], (low + high) / 2, 0.0, note="proved")
        return Candidate(ACTIONS[action], (low + high) / 2, note=f"proved {range_of(100 * low, 100 * high, 1)} %")

    others = [action for action in legal if action != best]
    others.sort(key=lambda action: -bounds.high[action])
    note = f"endgame solved: {_wins(ACTIONS[best], bounds)}, no other more than {100 * bounds.high[others[0]]:.1f} %"
    return Decision(ACTIONS[best], tuple(map(candidate, [best, *others])), simulations=bounds.simulations, note=note)


def _wins(action: Action, bounds: Bounds) -> str:
    return f"{action} wins {range_of(100 * bounds.low[action.id], 100 * bounds.high[action.id], 1)} %"


def bounded(decision: Decision, bounds: Bounds, ranking: Callable[[Sequence[Candidate]], list[Candidate]]) -> Decision:
    """Return a decision with every value inside its bounds, and what is proved to be worse at the end."""
    within = [
        one
        if one.value is None
        else replace(one, value=float(np.clip(one.value, bounds.low[one.action.id], bounds.high[one.action.id])))
        for one in decision.candidates
    ]
    if all(one.value == old.value for one, old in zip(within, decision.candidates, strict=True)):
        ranked = within
    else:
        ranked = ranking(within)
    proved = max(bounds.low[one.action.id] for one in within)
    ranked.sort(key=lambda one: bounds.high[one.action.id] < proved - SURE)
    action = ranked[0].action
    return replace(
        decision,
        action=action,
        candidates=tuple(ranked),
        line=decision.line if action == decision.action else (action,),
        simulations=decision.simulations + bounds.simulations,
        note=f"endgame: {_wins(action, bounds)}, the rest is searched",
    )
