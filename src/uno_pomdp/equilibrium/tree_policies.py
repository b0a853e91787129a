"""From agents to policies of a tree, and from such a policy to a table that an agent can play."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Agent
from uno_pomdp.agents.tabular import PolicyTable, TabularAgent
from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.cards import Cards, CardType
from uno_pomdp.equilibrium.sequence_form import InvalidPolicy, check_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE
from uno_pomdp.game.actions import ACTIONS, CHALLENGE, DRAW, Action
from uno_pomdp.game.bindings import asked_one
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.information import DREW_MORE, IN_A_TOKEN, cards_of_token
from uno_pomdp.game.layout import BIT, PLAYABLE, Observations, cards_of
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import WEIGHTS, Policy, Weights, probability

UNTIL: Final = -1
"""The number of cards of a draw that goes on until one is playable."""


def policy_of(tree: GameTree, make: Callable[[], Agent]) -> Floats:
    """Return the policy of an agent that can state its probabilities, for both seats.

    Scripted policies and tables are looked up inside kernels. Any other agent is led to every information set in turn,
    which takes milliseconds for each; its probabilities may depend on nothing but what it was told.
    """
    agent = make()
    model = agent.can.kernel_policy
    if model is not None:
        return scripted_policy(tree, model.policy, model.weights)
    if agent.can.looked_up and isinstance(agent, TabularAgent):
        return policy_of_table(tree, agent.table)
    policy = np.ones(tree.sequences)
    for number in range(tree.sets):
        game = game_at(tree, int(tree.met[number]))
        agent = make()
        game.history(game.turn).lead(agent, 0)
        chances = agent.policy()
        if chances is None:
            raise InvalidPolicy(f"{agent.name} has no policy in closed form: it can only be measured by playing")
        place = slice(tree.first[number], tree.end[number])
        policy[place] = chances[tree.actions[place]]
    check_policy(tree, policy)
    return policy


def scripted_policy(tree: GameTree, policy: Policy, weights: Weights = WEIGHTS) -> Floats:
    """Return one of the scripted policies, for both seats."""
    result = np.ones(tree.sequences)
    scripted_all(policy, tree.seen, tree.first, tree.end, tree.actions, weights, result)
    return result


def policy_of_table(tree: GameTree, table: PolicyTable) -> Floats:
    """Return the policy of a table that was made with the same rules; it has to know both seats."""
    if table.rules != tree.rules:
        raise InvalidPolicy(f"the policy is for the rules {table.rules.name}, not {tree.rules.name}")
    told = int(tree.histories.total[0])
    same = int(table.histories.total[0]) == told and all(
        np.array_equal(mine[:told], theirs[:told])
        for mine, theirs in zip(tree.histories[:2], table.histories[:2], strict=True)
    )
    if not (same and np.array_equal(tree.first, table.first) and np.array_equal(tree.actions, table.action)):
        raise InvalidPolicy("the policy is not one of a whole tree: it has to know the choices of both seats")
    check_policy(tree, table.probability)
    return table.probability


def table_of(tree: GameTree, policy: Floats, about: Mapping[str, Any]) -> PolicyTable:
    """Return a policy as a table, to be saved and played."""
    check_policy(tree, policy)
    return PolicyTable(tree.rules, dict(about), tree.histories, tree.set_of, tree.first, tree.end, tree.actions, policy)


def game_at(tree: GameTree, node: int) -> Game:
    """Return a game at this node; at a chance node the draw has not been made."""
    deal, decisions, draws = _path(tree, node)
    game = Game.from_deal(tree.rules, deal)
    while not game.over:
        legal = game.legal_actions()
        action = legal[0] if len(legal) == 1 else next(decisions, None)
        if action is None:
            break
        count = _open(game, action)
        if count:
            label = next(draws, None)
            if label is None:
                break
            cards = cards_of_draw(label, game.draw_pile, count) if count != UNTIL else _until(game, label)
            rest = list(Cards.of(game.draw_pile) - Cards.of(cards))
            game.guess(game.turn, game.hand(game.turn), [*cards, *rest])
        game.apply(action)
    order = [card for move in game.moves for card in move.cards] + list(game.draw_pile)
    faithful = Game.from_deal(tree.rules, replace(deal, pile=tuple(order)))
    for move in game.moves:
        faithful.apply(move.action)
    return faithful


def cards_of_draw(label: int, pile: Sequence[CardType], count: int) -> tuple[CardType, ...]:
    """Return the cards of a draw by its label in a tree: named there, or of many the number among all draws."""
    if count <= IN_A_TOKEN:
        return cards_of_token(label)
    return sorted(set(itertools.combinations(sorted(pile), count)))[label - DREW_MORE]


def _path(tree: GameTree, node: int) -> tuple[Deal, Iterator[Action], Iterator[int]]:
    """Return what leads to a node: the deal, its pile in order of type, the decisions, the labels of the draws."""
    path = []
    while node:
        path.append(node)
        node = int(tree.nodes.parent[node])
    path.reverse()
    labels, kinds, deals = tree.nodes.label, tree.nodes.kind, tree.deals
    number = int(labels[path[0]])
    first, second = (cards_of(hand) for hand in deals.hands[number])
    deal = Deal(int(deals.top[number]), (first, second), tuple(deals.piles[number].tolist()))
    steps = list(itertools.pairwise(path))
    decisions = [ACTIONS[labels[child]] for parent, child in steps if kinds[parent] != CHANCE]
    draws = [int(labels[child]) for parent, child in steps if kinds[parent] == CHANCE]
    return deal, iter(decisions), iter(draws)


def _until(game: Game, label: int) -> tuple[CardType, ...]:
    """Return the cards of a draw until one is playable by its label, as they are drawn: that one last."""
    pile, fitting = sorted(game.draw_pile), _fitting(game)
    kept, last = [card for card in pile if card not in fitting], sorted(fitting)
    if label < DREW_MORE:
        return tuple(sorted(cards_of_token(label), key=lambda card: card in fitting))
    draws = (
        (*cards, card)
        for count in range(len(kept) + 1)
        for cards in sorted(set(itertools.combinations(kept, count)))
        for card in last
    )
    return next(itertools.islice(draws, label - DREW_MORE, None))


def _fitting(game: Game) -> set[CardType]:
    """Return the types in the draw pile that can be played on the top card."""
    seen = game.observation(game.turn)
    return {card for card in game.draw_pile if PLAYABLE[seen.colour, seen.top] & BIT[card]}


def _open(game: Game, action: Action) -> int:
    """Return how many cards an action draws, if that has more than one outcome; else 0; `UNTIL` if it goes on."""
    if action not in (DRAW, CHALLENGE):
        return 0
    if game.observation(game.turn).draws_until(action):
        return UNTIL if _fitting(game) and len(set(game.draw_pile)) > 1 else 0
    count = asked_one(game.to_state(), action.id)
    return count if count < len(game.draw_pile) and len(set(game.draw_pile)) > 1 else 0


@kernel
def scripted_all(
    policy: Policy,
    seen: Observations,
    first: Int32s,
    end: Int32s,
    actions: npt.NDArray[np.uint8],
    weights: Weights,
    result: Floats,
) -> None:
    """Write the probabilities of a scripted policy at each information set."""
    for number in range(len(first)):
        place = seen[number]
        for sequence in range(first[number], end[number]):
            action = as_int(actions[sequence])
            result[sequence] = probability(policy, place, place["hand"], as_int(place["drawn"]), action, weights[0])
