"""All information states of a seat against a fixed policy, as a decision process.

An information state is all that the seat has been told; with it goes the belief about what it has not. Its choices are
the legal actions, and what follows a choice are the information states that it may lead to: without reshuffles a tree,
whose levels are the steps of the model. W is the counterfactual reach probability of an information state: how likely
it is as far as chance and the opponent decide. So P(j | i, a) = W_j / W_i for a state j that follows action a in i.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.bindings import legal_one
from uno_pomdp.game.information import EMPTY, HistoryTrie, child_of, grown, new_trie
from uno_pomdp.game.layout import ACTIONS, template
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.chance import DEAL_LIMIT, TooLarge, all_deals, first_hands, most_draws
from uno_pomdp.pomdp.level_expansion import DEAL, Worlds, advance_level, legal_all, new_worlds, settle, start_deals
from uno_pomdp.pomdp.mdp import Longs, Process
from uno_pomdp.pomdp.model import State, UnoPOMDP
from uno_pomdp.rules import Rules

WORLD_LIMIT: Final = 2_000_000
"""Worlds of one level at most, about 400 bytes each."""


class Level(NamedTuple):
    """The information states after some number of steps."""

    history: Int32s
    """What the seat has been told."""
    weight: Floats
    """W."""
    parent: Longs
    """The choice of the level before that leads there; −1 at the first level."""
    first: Longs
    """The first choice of each, counted within the level; one more at the end."""
    action: npt.NDArray[np.uint8]
    """By choice: the action."""
    earned: Floats
    """By choice: the payoffs of outcomes that end the game, times how likely they are."""


@dataclass(frozen=True)
class InformationStates:
    """The information states of a model as a process, those of an earlier step first."""

    model: UnoPOMDP
    process: Process
    """The process over them."""
    histories: HistoryTrie
    """All that the seat can have been told."""
    history: Int32s
    """By information state: what the seat has been told."""
    weight: Floats
    """By information state: how likely it is as far as chance and the opponent decide."""
    action: npt.NDArray[np.uint8]
    """By choice: the action."""
    roots: int
    """How many information states there are before the seat's first action; they come first."""
    at_once: float
    """The share of the expected payoff from games that end before the seat's first action."""

    def __repr__(self) -> str:
        return f"<InformationStates: {self.process.states:,} of {self.model!r}>"


Report = Callable[[int, int], None]
"""Called with how many worlds of a step have been expanded, and how many there are."""


def silent(done: int, of: int) -> None:
    """Report nothing."""
    del done, of


def can_list(rules: Rules) -> bool:
    """Return whether all information states of these rules may be listed: few deals, and an end without reshuffles."""
    return rules.reshuffle == "no" and first_hands(rules) <= DEAL_LIMIT


def information_states(model: UnoPOMDP, report: Report = silent) -> InformationStates:
    """Return all information states of a model without reshuffles.

    An opponent that kernels don't know is asked wherever it has a choice; `report` is then called with the progress.
    """
    if model.rules.reshuffle != "no":
        raise TooLarge(
            "with reshuffles there are infinitely many information states: choose rules with reshuffle: no, such as "
            "mini-9, or the clairvoyant game"
        )
    builder = _Kernels(model) if isinstance(model.opponent, PolicyModel) else _Listed(model, report)
    levels = list(builder.levels())
    return _assembled(model, levels, builder)


def _assembled(model: UnoPOMDP, levels: list[Level], builder: "_Kernels | _Listed") -> InformationStates:
    """Return the levels one after the other, each state with its choices and each choice with what follows."""
    sizes = np.array([len(level.history) for level in levels])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    choices = np.concatenate([[0], np.cumsum([len(level.action) for level in levels])])
    total = offsets[-1]
    weight = np.concatenate([level.weight for level in levels])
    owner = np.concatenate(
        [np.repeat(np.arange(n) + o, np.diff(level.first)) for n, o, level in zip(sizes, offsets, levels, strict=False)]
    )
    parents = np.concatenate([level.parent + start for level, start in zip(levels[1:], choices, strict=False)] or [[]])
    targets = np.arange(sizes[0], total)
    order = np.argsort(parents, kind="stable")
    parents, targets = parents[order].astype(np.int64), targets[order]
    return InformationStates(
        model,
        Process(
            first=np.concatenate(
                [*(level.first[:-1] + start for level, start in zip(levels, choices, strict=False)), choices[-1:]]
            ).astype(np.int64),
            start=np.searchsorted(parents, np.arange(choices[-1] + 1)).astype(np.int64),
            reward=np.concatenate([level.earned for level in levels]) / weight[owner] - model.step_cost,
            target=targets.astype(np.int32),
            probability=weight[targets] / weight[owner[parents]],
            discount=np.full(total, model.discount),
        ),
        builder.histories,
        np.concatenate([level.history for level in levels]),
        weight,
        np.concatenate([level.action for level in levels]),
        int(sizes[0]),
        builder.at_once,
    )


def _sorted_level(history: Int32s, weight: Floats, choice: Longs, count: int) -> tuple[Any, ...]:
    """Return the different histories of worlds with weight, choice and one world of each; and each world's history."""
    found, place, number = np.unique(history[:count], return_index=True, return_inverse=True)
    return found, np.bincount(number, weight[:count], len(found)), choice[place], place, number


class _Kernels:
    """The levels against a scripted opponent."""

    def __init__(self, model: UnoPOMDP) -> None:
        assert isinstance(model.opponent, PolicyModel)
        self.model, self.opponent = model, model.opponent
        self.spare = max(2 * most_draws(model.rules), 128)
        self.histories = new_trie()
        self.stack = new_worlds(4 * self.spare)
        self.at_once = 0.0

    def levels(self) -> Iterator[Level]:
        model, opponent = self.model, self.opponent
        deals = all_deals(model.rules)
        self.stack = new_worlds(len(deals.top) + 4 * self.spare)
        self._room(4 * len(deals.top) + 8 * len(model.rules.deck))
        start_deals(self.stack, self.histories, template(model.rules), deals, model.seat)
        level = new_worlds(1 << 12)
        earned = np.zeros(1)  # by no choice: DEAL counts from the end
        while not settle(
            self.stack, level, self.histories, model.seat, opponent.policy, opponent.weights, earned, self.spare
        ):
            level = self._more(level)
        self.at_once = float(earned[DEAL])
        while level.total[0]:
            level, described = self._next(level)
            yield described

    def _next(self, worlds: Worlds) -> tuple[Worlds, Level]:
        """Return the worlds of the next level and the description of this one."""
        count = int(worlds.total[0])
        history, weight, parent, place, number = _sorted_level(worlds.history, worlds.weight, worlds.choice, count)
        masks = np.empty(len(place), np.uint64)
        legal_all(worlds, place, masks)
        bits = np.unpackbits(masks.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")[:, :ACTIONS]
        first = np.concatenate([[0], np.cumsum(bits.sum(axis=1, dtype=np.int64))])
        earned, position = np.zeros(first[-1]), np.zeros(1, np.int64)
        level = new_worlds(max(1 << 12, count))
        while not advance_level(
            worlds,
            first[number],
            position,
            self.stack,
            level,
            self.histories,
            self.model.seat,
            self.opponent.policy,
            self.opponent.weights,
            earned,
            self.spare,
        ):
            level = self._more(level)
        action = np.nonzero(bits)[1].astype(np.uint8)
        return level, Level(history, weight, parent, first, action, earned)

    def _more(self, level: Worlds) -> Worlds:
        """Make room in whatever is short of it."""
        if self.stack.total[0] + self.spare > len(self.stack.weight):
            self.stack = _doubled(self.stack)
        self._room(self.spare)
        if level.total[0] < len(level.weight):
            return level
        if len(level.weight) >= WORLD_LIMIT:
            raise TooLarge(f"a level has more than {WORLD_LIMIT:,} worlds, which is the limit: choose a smaller deck")
        return _doubled(level)

    def _room(self, needed: int) -> None:
        while self.histories.total[0] + needed > len(self.histories.parent):
            self.histories = grown(self.histories)


def _doubled(worlds: Worlds) -> Worlds:
    arrays: list[Any] = [np.concatenate([array, np.zeros_like(array)]) for array in worlds[:-1]]
    return Worlds(*[*arrays, worlds.total])


class _Listed:
    """The levels against any opponent, by the successors that the model lists."""

    def __init__(self, model: UnoPOMDP, report: Report) -> None:
        self.model = model
        self.report = report
        self.histories = new_trie()
        self.at_once = 0.0

    def levels(self) -> Iterator[Level]:
        worlds = []
        for state, weight in self.model.initial_states().items():
            if self.model.over(state):
                self.at_once += weight * self.model.result(state)
            else:
                worlds.append((self._told(EMPTY, state), weight, state, DEAL))
        while worlds:
            history, weight, parent, place, number = _sorted_level(
                np.array([world[0] for world in worlds], np.int32),
                np.array([world[1] for world in worlds]),
                np.array([world[3] for world in worlds], np.int64),
                len(worlds),
            )
            legal = [self._legal(worlds[index][2]) for index in place.tolist()]
            first = np.concatenate([[0], np.cumsum([len(actions) for actions in legal])])
            earned = np.zeros(first[-1])
            after = []
            for done, ((told, chance, state, _), group) in enumerate(zip(worlds, number.tolist(), strict=True)):
                self.report(done, len(worlds))
                for choice, action in enumerate(legal[group], int(first[group])):
                    for found, share in self.model.successors(state, TYPED_ACTIONS[action]).items():
                        if self.model.over(found):
                            earned[choice] += chance * share * self.model.result(found)
                        else:
                            after.append((self._told(told, found), chance * share, found, choice))
            yield Level(history, weight, parent, first, np.concatenate(legal).astype(np.uint8), earned)
            worlds = after

    def _legal(self, state: State) -> list[int]:
        mask = int(legal_one(state.record()))
        return [action for action in range(ACTIONS) if mask >> action & 1]

    def _told(self, history: int, state: State) -> int:
        while self.histories.total[0] + len(state.told) >= len(self.histories.parent):
            self.histories = grown(self.histories)
        for token in state.told:
            history = child_of(self.histories, history, token)
        return history
