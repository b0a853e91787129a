"""Value iteration finds the best response, to the last digit, and its values satisfy Bellman's equation."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.equilibrium.exact import POLICIES, BestResponse, Clairvoyant
from tests.equilibrium.games import GAMES, tree_of
from tests.pomdp.test_model import ROUND, Wrapped
from uno_pomdp.agents.tabular import TableModel, load_policy
from uno_pomdp.arena.match import play_game
from uno_pomdp.arrays import Floats
from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.sequence_form import best_response, uniform_policy, value_of
from uno_pomdp.equilibrium.tree_policies import scripted_policy, table_of
from uno_pomdp.game.information import find, tokens_of
from uno_pomdp.game.layout import SEATS
from uno_pomdp.policies.kernels import BASELINE, GREEDY, POLICY_NAMES, RANDOM, policy_named
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.clairvoyant import clairvoyant
from uno_pomdp.pomdp.deals import TooLarge
from uno_pomdp.pomdp.mdp import NotConverged, Process, iterate_values
from uno_pomdp.pomdp.model import InvalidModel, State, UnoPOMDP
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset


def model_of(name: str, policy: str, seat: int = 0, **options: float) -> UnoPOMDP:
    return UnoPOMDP(GAMES[name], PolicyModel(POLICY_NAMES.index(policy)), seat=seat, **options)


def bellman(process: Process, value: Floats) -> Floats:
    """Return TV, slowly and obviously."""
    result, discounted = np.zeros(process.states), process.discount * value
    for state in range(process.states):
        options = []
        for choice in range(process.first[state], process.first[state + 1]):
            outcomes = range(process.start[choice], process.start[choice + 1])
            later = sum(process.probability[o] * discounted[process.target[o]] for o in outcomes)
            options.append(process.reward[choice] + later)
        result[state] = max(options)
    return result


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["mini-7", "copies printed"])
def test_values_are_those_of_the_exact_best_response(name: str, policy: str, seat: int) -> None:
    tree = tree_of(name)
    solved = value_iteration(model_of(name, policy, seat))
    response = best_response(tree, scripted_policy(tree, POLICY_NAMES.index(policy)), seat)
    assert solved.value == pytest.approx(response.value, abs=1e-12)
    assert solved.value == pytest.approx(float(BestResponse(GAMES[name], POLICIES[policy], seat).value), abs=1e-12)
    assert np.abs(bellman(solved.states.process, solved.values.value) - solved.values.value).max() < 1e-9
    assert solved.values.residual < 1e-9


def test_noise_is_part_of_the_policy_in_the_tree_and_in_the_model() -> None:
    tree = tree_of("mini-7")
    noisy_policy = scripted_policy(tree, policy_named("heuristic:noise=0.2"))
    mixed = 0.8 * scripted_policy(tree, policy_named("heuristic")) + 0.2 * uniform_policy(tree)
    assert noisy_policy == pytest.approx(mixed)
    response = best_response(tree, noisy_policy, 0).value
    assert value_iteration(UnoPOMDP("mini-7", "heuristic:noise=0.2")).value == pytest.approx(response, abs=1e-9)
    assert response != pytest.approx(best_response(tree, scripted_policy(tree, policy_named("heuristic")), 0).value)


@pytest.mark.parametrize("seat", SEATS)
def test_a_discount_and_a_cost_of_steps_are_paid_step_by_step(seat: int) -> None:
    solved = value_iteration(model_of("mini-7", "greedy", seat, discount=0.75, step_cost=0.0625))
    exact = BestResponse(GAMES["mini-7"], POLICIES["greedy"], seat, Fraction(3, 4), Fraction(1, 16))
    assert solved.value == pytest.approx(float(exact.value), abs=1e-12)


@pytest.mark.parametrize("seat", SEATS)
def test_any_opponent_gives_the_same_values_as_the_kernels(seat: int) -> None:
    options = {"discount": 0.9, "step_cost": 0.01}
    fast = value_iteration(model_of("copies", "baseline", seat, **options))
    slow = value_iteration(UnoPOMDP(GAMES["copies"], Wrapped(BASELINE), seat=seat, **options))
    assert slow.value == pytest.approx(fast.value, abs=1e-12)
    assert slow.states.process.states == fast.states.process.states
    assert np.sort(slow.values.value) == pytest.approx(np.sort(fast.values.value), abs=1e-12)


def test_against_a_table_it_finds_the_best_response_too() -> None:
    tree = tree_of("copies printed")
    rng = np.random.default_rng(1)
    policy = np.ones(tree.sequences)
    for first, end in zip(tree.first.tolist(), tree.end.tolist(), strict=True):
        policy[first:end] = rng.dirichlet(np.ones(end - first))
    opponent = TableModel(table_of(tree, policy, {}))
    for seat in SEATS:
        solved = value_iteration(UnoPOMDP(tree.rules, opponent, seat=seat))
        assert solved.value == pytest.approx(best_response(tree, policy, seat).value, abs=1e-12)


# --- what is made of it ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
def test_the_policy_found_earns_the_value_and_comes_back_from_its_file(seat: int, tmp_path: Path) -> None:
    tree = tree_of("mini-7")
    solved = value_iteration(model_of("mini-7", "greedy", seat))
    solved.policy.save(tmp_path / "best.npz")
    table = load_policy(tmp_path / "best.npz")
    assert table.about["value"] == solved.value
    assert table.about["opponent"] == "greedy"
    policy = scripted_policy(tree, GREEDY)
    met = 0
    for number in range(tree.set_start[seat], tree.set_start[seat + 1]):
        tokens = tokens_of(tree.histories, int(tree.history[number]))
        place = slice(tree.first[number], tree.end[number])
        try:
            row = find(table.histories, tokens)
        except ValueError:  # greedy never leads there
            continue
        actions, chances = table.row(row)
        assert actions.tolist() == tree.actions[place].tolist()
        policy[place] = chances
        met += 1
    assert met > 100
    assert value_of(tree, policy) * (1 - 2 * seat) == pytest.approx(solved.value, abs=1e-12)


def test_the_policy_found_is_an_agent_of_its_seat(tmp_path: Path) -> None:
    path = tmp_path / "best.npz"
    value_iteration(model_of("mini-7", "greedy")).policy.save(path)
    for seed in range(5):
        play_game(preset("mini-7"), seed, (make_agent(f"policy:file={path}"), make_agent("greedy")), (1, seed))


def test_values_are_printed_with_the_actions_they_come_from() -> None:
    solved = value_iteration(model_of("mini-7", "greedy"))
    first, second, *rest = solved.text(most=3).splitlines()
    assert first.startswith("mini-7, player 1 against greedy: value +0.450000, 1,260 information states, 1 sweep, ")
    assert "  player 1, " in second
    assert len(rest) == 2
    state = int(np.flatnonzero(np.diff(solved.states.process.first) > 1)[0])
    assert solved.action_values(state).max() == pytest.approx(solved.values.value[state])


# --- the clairvoyant game --------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(("name", "policy"), [("mini-7", "greedy"), ("copies printed", "random")])
def test_seeing_all_cards_is_worth_what_the_fractions_say(name: str, policy: str, seat: int) -> None:
    model = model_of(name, policy, seat, discount=0.75, step_cost=0.0625)
    exact = Clairvoyant(GAMES[name], POLICIES[policy], seat, Fraction(3, 4), Fraction(1, 16))
    solved = clairvoyant(model)
    assert solved.value == pytest.approx(float(exact.value), abs=1e-12)
    assert solved.value >= value_iteration(model).value


def jacobi(model: UnoPOMDP, sweeps: int) -> float:
    """Return the clairvoyant value by plain sweeps over the states that the model lists, told things forgotten."""
    roots: dict[State, float] = {}
    for state, chance in model.initial_states().items():
        plain = replace(state, told=())
        roots[plain] = roots.get(plain, 0.0) + chance
    follow: dict[State, list[list[tuple[State, float]]]] = {}
    waiting = list(roots)
    while waiting:
        state = waiting.pop()
        if state not in follow:
            options = [model.successors(state, action) for action in model.legal_actions(state)]
            follow[state] = [[(replace(s, told=()), p) for s, p in option.items()] for option in options]
            waiting += [s for option in follow[state] for s, _ in option]
    value = {state: model.result(state) for state in follow}
    for _ in range(sweeps):
        value = {
            state: max(sum(p * value[s] for s, p in option) for option in options) if options else value[state]
            for state, options in follow.items()
        }
    return sum(chance * value[state] for state, chance in roots.items())


@pytest.mark.parametrize("seat", SEATS)
def test_with_reshuffles_real_sweeps_converge_to_the_same_values(seat: int) -> None:
    small = Rules(deck=Cards.parse("R0 R0 YS Y0 Y1"), hand_size=1)
    for rules, policy in ((small, RANDOM), (replace(small, skip="pass"), GREEDY)):
        model = UnoPOMDP(rules, PolicyModel(policy), seat=seat)
        solved = clairvoyant(model)
        assert solved.values.sweeps > 1
        assert solved.value == pytest.approx(jacobi(model, 400), abs=1e-9)
        assert np.abs(bellman(solved.process, solved.values.value) - solved.values.value).max() < 1e-9


def test_mini_12_converges_and_bounds_what_simple_players_earn() -> None:
    solved = clairvoyant(UnoPOMDP(preset("mini-12"), PolicyModel(BASELINE)))
    assert solved.values.residual < 1e-9
    assert solved.values.sweeps > 2
    assert 0.3 < solved.value < 1.0


# --- refusals --------------------------------------------------------------------------------------------


def test_what_has_no_end_is_refused() -> None:
    with pytest.raises(TooLarge, match="with reshuffles there are infinitely many information states"):
        value_iteration(UnoPOMDP(preset("mini-12"), PolicyModel(RANDOM)))
    with pytest.raises(InvalidModel, match="needs an opponent without memory"):
        clairvoyant(UnoPOMDP(ROUND, Wrapped(RANDOM)))
    with pytest.raises(TooLarge, match="too many"):
        clairvoyant(UnoPOMDP(preset("house"), PolicyModel(RANDOM)))


def test_sweeps_that_do_not_converge_say_so() -> None:
    waiting = Process(
        first=np.array([0, 1]),
        start=np.array([0, 1]),
        reward=np.array([1.0]),
        target=np.array([0], np.int32),
        probability=np.array([1.0]),
        discount=np.array([1.0]),
    )
    with pytest.raises(NotConverged, match="after 50 sweeps the residual is 1: allow more"):
        iterate_values(waiting, most_sweeps=50)
    assert iterate_values(waiting._replace(discount=np.array([0.5]))).value == pytest.approx([2.0], abs=1e-9)
