"""Fitted value iteration is exact where features tell all information states apart, and sound where they do not."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.tuning.value import fitted
from tests.equilibrium.games import tree_of
from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.sequence_form import best_response, plan_of
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree.tree_arrays import TERMINAL
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.game.layout import SEATS
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.pomdp.fitted_value_iteration import FittedIteration, InvalidFit, Transitions
from uno_pomdp.pomdp.linear_features import FEATURES, NAMES
from uno_pomdp.pomdp.linear_value import WEIGHTS
from uno_pomdp.pomdp.sampled_transitions import sample_transitions
from uno_pomdp.rules import preset

EXACT = FittedIteration(ridge=0.0, squash=False, crossed=False, tolerance=1e-12)
"""For listed outcomes and features that are one for each information state."""


def listed(tree: GameTree, policy: Floats, seat: int) -> tuple[Transitions, list[int], Floats, float]:
    """Return a seat's decisions as transitions, its sets in their order, the first ones' chances, and what is over.

    All from the tree: how likely a node is as far as chance and the opponent go, and the last own sequence before it.
    """
    nodes = tree.nodes
    likely = nodes.reach * plan_of(tree, policy)[nodes.sequence[:, 1 - seat]]
    mass = np.zeros(tree.sets)
    np.add.at(mass, nodes.information[nodes.information >= 0], likely[nodes.information >= 0])
    sets = [s for s in range(tree.set_start[seat], tree.set_start[seat + 1]) if mass[s] > 0]
    number = {s: place for place, s in enumerate(sets)}
    next_sets: dict[int, list[int]] = {}
    for s in sets:
        next_sets.setdefault(int(tree.parent[s]), []).append(s)
    ends: dict[int, dict[int, float]] = {}
    for node in np.flatnonzero(nodes.kind == TERMINAL).tolist():
        payoff = int(nodes.payoff[node]) * (1 - 2 * seat)
        here = ends.setdefault(int(nodes.sequence[node, seat]), {})
        here[payoff] = here.get(payoff, 0.0) + float(likely[node])
    one = np.eye(len(sets))
    actions, outcomes = [0], [0]
    rows: list[tuple[float, float, bool, int]] = []
    for s in sets:
        for sequence in range(tree.first[s], tree.end[s]):
            after = [(mass[n] / mass[s], 0.0, False, number[n]) for n in next_sets.get(sequence, [])]
            after += [(p / mass[s], float(payoff), True, 0) for payoff, p in ends.get(sequence, {}).items() if p > 0]
            assert sum(row[0] for row in after) == pytest.approx(1.0)
            rows += after
            outcomes.append(len(rows))
        actions.append(len(outcomes) - 1)
    probability, reward, over, following = (np.array(column) for column in zip(*rows, strict=True))
    found = Transitions(
        one,
        np.array(actions),
        np.array(outcomes),
        probability,
        reward,
        over,
        np.ones(len(rows), np.int64),
        one[following],
    )
    empty = tree.sequence_start[seat]
    first = np.array([mass[s] if tree.parent[s] == empty else 0.0 for s in sets])
    return found, sets, first, sum(p * payoff for payoff, p in ends.get(empty, {}).items())


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_with_a_feature_for_each_information_state_it_is_the_best_response(policy: str, seat: int) -> None:
    tree = tree_of("mini-7")
    other = scripted_policy(tree, POLICY_NAMES.index(policy))
    transitions, _, first, over = listed(tree, other, seat)
    fit = EXACT.fit(transitions)
    assert fit.converged
    assert first @ fit.weights + over == pytest.approx(best_response(tree, other, seat).value, abs=1e-9)
    assert fit.iterations[-1].residual < 1e-9


def two_steps() -> Transitions:
    """Return a decision: a sure 0.4, or a step to another one, which wins three times of four with its second move."""
    return Transitions(
        features=np.eye(2),
        actions=np.array([0, 2, 3]),
        outcomes=np.array([0, 1, 2, 4]),
        probability=np.array([1.0, 1.0, 0.75, 0.25]),
        reward=np.array([0.4, 0.0, 1.0, -1.0]),
        over=np.array([True, False, True, True]),
        moves=np.array([1, 1, 2, 2]),
        following=np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]),
    )


@pytest.mark.parametrize(("gamma", "first"), [(1.0, 0.5), (0.95, 0.95 * 0.95 * 0.5), (0.5, 0.4)])
def test_a_discount_counts_own_moves(gamma: float, first: float) -> None:
    fit = replace(EXACT, discount=gamma).fit(two_steps())
    assert fit.weights == pytest.approx([first, gamma * 0.5])


@pytest.mark.parametrize("gamma", [1.0, 0.95, 0.5])
def test_every_own_move_costs_a_step(gamma: float) -> None:
    """The second decision is two own moves from the end; the first may end at once, or go on for one move more."""
    cost = 0.07
    fit = replace(EXACT, discount=gamma, step_cost=cost).fit(two_steps())
    second = gamma * 0.5 - cost * (1 + gamma)
    assert fit.weights == pytest.approx([max(0.4 - cost, gamma * second - cost), second])


def test_a_squashed_value_with_costs_may_lie_below_minus_one() -> None:
    lost = Transitions(
        features=np.ones((1, 1)),
        actions=np.array([0, 1]),
        outcomes=np.array([0, 1]),
        probability=np.ones(1),
        reward=np.array([-1.0]),
        over=np.array([True]),
        moves=np.array([10]),
        following=np.zeros((1, 1)),
    )
    how = FittedIteration(step_cost=0.1, bound=4.0, ridge=0.0, crossed=False, tolerance=1e-9)
    fit = how.fit(lost)
    assert how.values(lost.features, fit.weights) == pytest.approx([-2.0])


def test_a_squashed_value_fits_the_same_where_it_can() -> None:
    fit = FittedIteration(ridge=0.0, crossed=False, tolerance=1e-9).fit(two_steps())
    assert np.tanh(fit.weights) == pytest.approx([0.5, 0.5])


def test_chance_does_not_look_like_skill() -> None:
    """400 decisions, 8 actions of 20 fair coins each: nothing is better than 0, and crossing says so.

    The crossed mean of 400 · 20 coins has a standard error below 1/√4000 = 0.016; the bar is four of them.
    """
    count, actions, coins = 400, 8, 20
    rows = count * actions * coins
    coin = np.random.default_rng(1).choice([-1.0, 1.0], rows)
    fair = Transitions(
        features=np.ones((count, 1)),
        actions=np.arange(count + 1) * actions,
        outcomes=np.arange(count * actions + 1) * coins,
        probability=np.full(rows, 1.0 / coins),
        reward=coin,
        over=np.ones(rows, np.bool_),
        moves=np.ones(rows, np.int64),
        following=np.zeros((rows, 1)),
    )
    assert abs(FittedIteration().backup(fair, np.zeros(1)).mean()) < 0.064
    assert replace(EXACT).backup(fair, np.zeros(1)).mean() > 0.2


def test_iterations_are_reported_and_end() -> None:
    seen: list[int] = []
    fit = replace(EXACT, most=1).fit(two_steps(), lambda done: seen.append(done.number))
    assert seen == [1]
    assert not fit.converged
    assert fit.iterations[0].change == pytest.approx(0.5)


# --- the full deck ---------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_transitions() -> None:
    first, again, other = (sample_transitions(preset("house"), 3, 4, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first.features, other.features)
    assert first.features.shape[1] == FEATURES
    assert (first.features[:, NAMES.index("own")] > 1).all()


def columns(transitions: Transitions, change: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> Transitions:
    """Return transitions with combined features."""
    return transitions._replace(features=transitions.features @ change, following=transitions.following @ change)


def test_the_heuristic_value_of_the_model_has_its_signs() -> None:
    """V = α₀ + α₁ (n − |H₁|) + α₂ E[playable in H₂] + α₃ blacks + α₄ action cards + α₅ colours, and α₂ < 0.

    Over 29,000 decisions the weights are 0.39, 0.072, −0.041, 0.33, 0.14 and −0.12; 1,100 decisions keep the signs.
    """
    change = np.zeros((FEATURES, 6))
    for column, parts in enumerate(
        [
            {"one": 1},
            {"other": 1, "own": -1},
            {"other_playable": 1},
            {"wilds": 1, "wild_fours": 1},
            {"draw_twos": 1, "skips": 1},
            {"colours": 1},
        ]
    ):
        for name, factor in parts.items():
            change[NAMES.index(name), column] = factor
    transitions = columns(sample_transitions(preset("house"), 150, 24, 5), change)
    weights = FittedIteration(tolerance=1e-3).fit(transitions).weights
    assert np.sign(weights[1:]).tolist() == [1, -1, 1, 1, -1]


def test_the_stored_weights_are_those_of_the_script_as_far_as_a_small_run_can_tell() -> None:
    """Of samples this small the weights named here lie four standard deviations from 0 or more, the others less."""
    small = dict(zip(NAMES, fitted(150, 24, 5).weights, strict=True))
    for name in ("own_inverse", "turns_inverse", "wild_fours", "draw_twos", "skips", "black_share"):
        assert small[name] > 0.0, name
        assert WEIGHTS[name] > 0.0, name
    for name in ("lonely_late", "playable", "playable_inverse"):
        assert small[name] < 0.0, name
        assert WEIGHTS[name] < 0.0, name
    sampled = sample_transitions(preset("house"), 60, 2, 6).features
    ours, theirs = (np.tanh(sampled @ np.array([w[name] for name in NAMES])) for w in (WEIGHTS, small))
    assert np.sqrt(((ours - theirs) ** 2).mean()) < 0.1  # V itself has a standard deviation of 0.3 there
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95


def test_what_can_not_be_fitted_is_refused() -> None:
    with pytest.raises(InvalidFit, match=r"the discount is 1\.5: it has to be above 0 and at most 1"):
        FittedIteration(discount=1.5).fit(two_steps())
    with pytest.raises(InvalidFit, match="each action needs at least 2"):
        FittedIteration().fit(two_steps())
    with pytest.raises(InvalidFit, match="there are no decisions to fit: sample at least one"):
        EXACT.fit(two_steps()._replace(features=np.zeros((0, 2))))
    with pytest.raises(InvalidFit, match="give at least 1 of each"):
        sample_transitions(preset("house"), 0, 4, 1)
