"""`python_uno`: the kit's own tests, our information sets, exact resampling, and the kit's solvers against ours."""

import copy
import os
import pickle
from collections import Counter
from collections.abc import Iterator
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import generate_playthrough, mcts
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.observation import make_observation
from scipy import stats

from benchmarks.experiments.linear_program import solve_program
from tests.equilibrium.games import LATER_GAMES, tree_of
from tests.test_docs import blocks, output_of, page
from uno_pomdp.adapters.open_spiel import NAME, UnoGame, state_of
from uno_pomdp.beliefs.belief import opponent_decides
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.sequence_form import exploitability
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.errors import IllegalAction, UnoError
from uno_pomdp.game.events import Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import history_text, opening, tokens_of, tokens_told
from uno_pomdp.game.layout import ACTION_CARD, DRAW, SEATS
from uno_pomdp.policies.kernels import GREEDY, RANDOM, Policy
from uno_pomdp.rules import PRESETS, Rules

GOLDEN = Path(__file__).parent / "playthroughs"
VARIANTS = [
    *PRESETS,
    "mini-12,draw=until_playable",
    "mini-12,drawn_card=may_play",
    "mini-12,deck=R0 R0 R1 R7 Y0 Y1 Y7 Y7 W4 W4,swap=seven_zero,wild_four=challenge,hand_size=3",
]
"""Rules under which games are compared with ours."""


def in_spiel(rules: str, moves: int = 300) -> str:
    """Return the kit's name of the game under these rules."""
    return f"{NAME}(rules={rules.replace(',', ';').replace('=', ':')},moves={moves})"


def played(rules: str, seed: int, moves: int) -> Game:
    """Return a game of ours after some random moves, fewer if it ends."""
    chance, game = Random(seed), Game.new(Rules.parse(rules), seed)
    while not game.over and len(game.moves) < moves:
        game.apply(chance.choice(game.legal_actions()))
    return game


# --- the game --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS)
def test_both_seats_are_told_what_they_are_told_here(rules: str) -> None:
    for seed in range(8):
        game = played(rules, seed, 120)
        state = state_of(game)
        for seat in SEATS:
            first = game.history(seat).first
            assert list(state.position.told[seat]) == opening(first) + tokens_told(game.events(seat), seat)
            assert state.position.observation(seat) == game.observation(seat)
        legal = [action.id for action in game.legal_actions()]
        assert state.is_terminal() == game.over
        assert (state.legal_actions() if not game.over else []) == legal
        winner = game.outcome.winner if game.outcome is not None else None
        assert state.returns() == ([0.0, 0.0] if winner is None else [1.0 - 2 * winner, 2 * winner - 1.0])


@pytest.mark.parametrize("rules", [*PRESETS, "mini-12,draw=until_playable"])
def test_the_kits_random_simulations_find_nothing(rules: str) -> None:
    game = pyspiel.load_game(in_spiel(rules))
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_chance_names_each_multiset_once_with_its_probability() -> None:
    """Draws of three from a pile with copies: the product over a draw is hypergeometric."""
    game = pyspiel.load_game(in_spiel("mini-12,hand_size=3"))
    found: dict[tuple[int, ...], float] = {}

    def walk(state: Any, named: tuple[int, ...], reach: float) -> None:
        if len(named) == 3:
            found[named] = reach
            return
        outcomes = state.chance_outcomes()
        assert sum(chance for _, chance in outcomes) == pytest.approx(1.0, abs=1e-12)
        for card, chance in outcomes:
            walk(state.child(card), (*named, card), reach * chance)

    state = game.new_initial_state()
    top = state.legal_actions()[0]
    walk(state.child(top), (), 1.0)
    pile = game.rules.deck - Cards.of([top])
    assert all(list(hand) == sorted(hand) for hand in found)
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
    for hand, chance in found.items():
        ways = np.prod([comb(pile[card], number) for card, number in Counter(hand).items()])
        assert chance == pytest.approx(ways / comb(len(pile), 3), abs=1e-12)


def test_copies_share_the_position_and_pickles_are_small_and_equal() -> None:
    for rules, moves in (("house", 30), ("printed", 30), ("mini-9", 1)):
        state = state_of(played(rules, 3, moves))
        assert copy.deepcopy(state.position) is state.position
        clone, back = state.clone(), pickle.loads(pickle.dumps(state))
        assert clone.position is state.position
        assert back.position == state.position
        assert back.history() == clone.history() == state.history()
        assert len(pickle.dumps(state)) < 6000
        assert not state.is_terminal()
        clone.apply_action(clone.legal_actions()[0])
        assert clone.position != state.position


def test_rules_are_a_parameter_that_survives_being_written() -> None:
    text = "mini-9;hand_size:3"
    game = pyspiel.load_game(NAME, {"rules": text})
    assert game.rules == Rules.parse("mini-9,hand_size=3")
    again = pyspiel.load_game(str(game))
    assert (str(again), again.rules) == (str(game), game.rules)
    with pytest.raises(UnoError, match="mini-99"):
        UnoGame({"rules": "mini-99"})
    with pytest.raises(UnoError, match=r"^moves: 0 is not a whole number"):
        UnoGame({"moves": 0})


def test_a_game_with_reshuffles_is_drawn_after_the_most_actions() -> None:
    game, chance = pyspiel.load_game(in_spiel("house", moves=5)), Random(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
    assert (state.position.actions, state.returns()) == (5, [0.0, 0.0])
    assert not state.legal_actions()


def test_an_illegal_action_is_refused_with_what_is_legal() -> None:
    state = state_of(Game.new("house", seed=5))
    with pytest.raises(IllegalAction, match=r"^action 61 is not legal for player 1: legal is Y9, G3, G\+2$"):
        state.apply_action(61)


# --- what is seen ----------------------------------------------------------------------------------------


def test_the_pieces_of_an_observation_say_what_the_seat_sees() -> None:
    game = played("printed", 2, 25)
    assert not game.over
    state = state_of(game)
    observation = make_observation(state.get_game())
    for seat in SEATS:
        observation.set_from(state, seat)
        seen, pieces = game.observation(seat), observation.dict
        assert pieces["player"].tolist() == [1 - seat, seat]
        assert pieces["hand"].tolist() == list(seen.hand.data)
        assert pieces["played"].tolist() == list(seen.played.data)
        assert (pieces["top"].argmax(), pieces["colour"].argmax()) == (seen.top, seen.colour)
        sizes = [len(game.hand(0)), len(game.hand(1)), seen.draw_size, seen.played_size]
        assert pieces["sizes"].tolist() == sizes
        assert (pieces["turn"].argmax(), pieces["owed"][0]) == (game.turn, seen.penalty)
        assert observation.string_from(state, seat).startswith(f"player {seat + 1} holds {seen.hand}")


def test_no_observation_has_both_hands() -> None:
    game = pyspiel.load_game(in_spiel("mini-7"))
    both = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(UnoError, match="no observation has the private information of both"):
        game.make_py_observer(both)


def test_information_states_are_our_information_sets() -> None:
    """Where a player has a choice, the kit's sets are ours, and have the same actions."""
    tree = tree_of("mini-7")
    found: dict[str, tuple[int, ...]] = {}
    for state in states_of(pyspiel.load_game(in_spiel("mini-7"))):
        if state.is_player_node() and len(state.legal_actions()) > 1:
            actions = found.setdefault(state.information_state_string(), tuple(state.legal_actions()))
            assert actions == tuple(state.legal_actions())
    assert found == {name: tuple(action for action, _ in row) for name, row in our_table(tree, None).items()}


def states_of(game: Any) -> Iterator[Any]:
    """Return every state of a game."""
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        yield state
        if not state.is_terminal():
            waiting += [state.child(action) for action in state.legal_actions()]


def our_table(tree: GameTree, policy: Any) -> dict[str, list[tuple[int, float]]]:
    """Return a policy of ours by the kit's names of information states."""
    table = {}
    for number in range(tree.sets):
        place = slice(tree.first[number], tree.end[number])
        chances = [1.0] * (place.stop - place.start) if policy is None else policy[place].tolist()
        name = history_text(tokens_of(tree.histories, int(tree.history[number])))
        table[name] = list(zip(tree.actions[place].tolist(), chances, strict=True))
    return table


TINY = "mini-7,hand_size=1"
api_test.TOTAL_NUM_STATES[TINY] = (327, 1444, 818)
api_test.PERFECT_RECALL_NUM_STATES[TINY] = 832


class TestApiOnTheFullTree(api_test.EnforceAPIOnFullTreeBase):
    """The kit's own checks on every state of a tiny deck."""

    game_name = TINY
    game = pyspiel.load_game(in_spiel(TINY))


class TestApiOnSomeStates(api_test.EnforceAPIOnPartialTreeBase):
    """The kit's own checks on some states of the full deck."""

    game_name = NAME
    game = pyspiel.load_game(in_spiel("printed"))


# --- resampling ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS)
def test_a_resampled_state_can_not_be_told_from_its_own(rules: str) -> None:
    """The kit's ResampleInfostateTest, and that the other's cards do change."""
    chance = Random(7)
    others = changed = 0
    for seed in range(3):
        for moves in (0, 3, 10, 30):
            game = played(rules, seed, moves)
            if game.over:
                continue
            state = state_of(game)
            for seat in SEATS:
                other = state.resample_from_infostate(seat, chance.random)
                assert other.information_state_string(seat) == state.information_state_string(seat)
                if state.get_game().get_type().provides_information_state_tensor:
                    assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
                assert other.current_player() == state.current_player()
                others += 1
                changed += other.position.hand(1 - seat) != state.position.hand(1 - seat)
    assert others > 4
    assert changed > 0


def test_what_is_resampled_depends_on_nothing_hidden() -> None:
    """From two states that a seat can't tell apart the same numbers give the same state."""
    for rules in ("house", "printed", "party"):
        state = state_of(played(rules, 5, 12))
        other = state.resample_from_infostate(0, Random(3).random)
        assert other.position.hand(1) != state.position.hand(1)
        again, same = (one.resample_from_infostate(0, Random(9).random) for one in (state, other))
        assert again.position == same.position
        assert again.history() == same.history()


def test_only_decisions_are_resampled() -> None:
    state = pyspiel.load_game(in_spiel("mini-7")).new_initial_state()
    with pytest.raises(IllegalAction, match="where a player is to move"):
        state.resample_from_infostate(0, Random(1).random)


@pytest.mark.parametrize(
    ("rules", "seed", "moves"),
    [
        ("mini-9", 3, 4),
        ("mini-12", 5, 6),
        ("mini-12,drawn_card=may_play", 4, 7),
        ("mini-12,draw=until_playable", 2, 5),
        ("mini-bluff", 6, 5),
    ],
)
def test_hands_are_resampled_from_the_exact_posterior(rules: str, seed: int, moves: int) -> None:
    """A χ² test against enumeration; fails in one run of 10,000 if all is right."""
    game = played(rules, seed, moves)
    while game.over:
        seed += 1
        game = played(rules, seed, moves)
    state, chance, draws = state_of(game), Random(11), 1500
    for seat in SEATS:
        belief = EnumeratedBelief.after(game, seat=seat)
        found = Counter(
            state.resample_from_infostate(seat, chance.random).position.hand(1 - seat) for _ in range(draws)
        )
        hands = {Cards(hand.tobytes()) for hand in belief.hypotheses.hands} | set(found)
        expected = {hand: draws * belief.hand_probability(hand) for hand in hands}
        assert not [hand for hand in found if expected[hand] == 0.0]
        assert _fits(found, expected)


def _fits(found: Counter[Any], expected: dict[Any, float]) -> bool:
    """Return whether frequencies are as expected, outcomes below 5 taken together."""
    large = [outcome for outcome, number in expected.items() if number >= 5.0]
    observed = [found[outcome] for outcome in large]
    wanted = [expected[outcome] for outcome in large]
    rest = sum(found.values()) - sum(observed)
    left = sum(found.values()) - sum(wanted)
    if left >= 5.0:
        observed, wanted = [*observed, rest], [*wanted, left]
    if len(wanted) < 2:
        return True
    total = sum(observed) / sum(wanted)
    return bool(stats.chisquare(observed, [number * total for number in wanted]).pvalue > 1e-4)


@pytest.mark.parametrize(
    ("rules", "wanted", "deciding"),
    [
        ("mini-12,reshuffle=no", [Drew, Played, Drew], False),
        ("mini-12,drawn_card=may_play,reshuffle=no", [Drew, Kept, Played], False),
        ("mini-12,drawn_card=may_play,reshuffle=no", [Drew], True),
        ("mini-12,draw=until_playable", [Drew, Played], False),
        ("mini-12,deck=R0 R0 R1 R1 Y0 Y0 Y1 Y1 W4 W4 W4,hand_size=3,wild_four=challenge", [Drew, Shown], False),
        ("mini-12,deck=R0 R0 R1 R1 R2 Y0 Y1 Y1 Y2 Y2,hand_size=3,swap=seven_zero", [Drew, Swapped, Drew], False),
    ],
    ids=["draws", "kept", "pending", "long draws", "a hand is shown", "hands are swapped"],
)
def test_whole_pasts_are_resampled_as_often_as_the_game_makes_them(
    rules: str, wanted: list[type], deciding: bool
) -> None:
    """All that both may have been told where player 1 was told this: its chance, times the copies of what was played.

    χ²; each comparison fails in one run of 10,000 if all is right.
    """
    chance, draws = Random(2), 1500
    state, weights = next(_states_with(rules, wanted, deciding))
    found = Counter(state.resample_from_infostate(0, chance.random).position.told for _ in range(draws))
    assert set(found) <= set(weights)
    total = sum(weights.values())
    assert _fits(found, {told: draws * weight / total for told, weight in weights.items()})


def _states_with(rules: str, wanted: list[type], deciding: bool) -> Iterator[tuple[Any, dict[Any, float]]]:
    """Return states before which the opponent did these things in this order, others between them, with their pasts."""
    for seed in range(20_000):
        game = played(rules, seed, 5 + seed % 8)
        if game.over or (opponent_decides(game.observation(0)) != deciding):
            continue
        deeds = iter([event for event in game.events(0) if isinstance(event, Swapped) or event_seat(event) == 1])
        if not all(any(isinstance(deed, kind) for deed in deeds) for kind in wanted):
            continue
        state, weights = state_of(game), dict[Any, float]()
        _weigh(state.get_game().new_initial_state(), state.position.told[0], 1.0, weights)
        if len(set(np.round(list(weights.values()), 12))) > 1 and len(weights) > 3:  # not all equally likely
            yield state, weights
    raise AssertionError("no more games have this")


def event_seat(event: Event) -> int | None:
    """Return whose event it is; None if it is both players'."""
    return None if isinstance(event, Reshuffled | Swapped) else event.seat


def _weigh(state: Any, told: tuple[int, ...], weight: float, found: dict[Any, float]) -> None:
    """Add up the weights of the choice-agnostic model, by what both were told, where player 1 was told exactly this."""
    mine = state.position.told[0]
    if mine != told[: len(mine)] or state.is_terminal():
        return
    if mine == told and state.is_player_node():
        found[state.position.told] = found.get(state.position.told, 0.0) + weight
        return
    if state.is_chance_node():
        for card, chance in state.chance_outcomes():
            _weigh(state.child(card), told, weight * chance, found)
        return
    for action in state.legal_actions():
        copies = 1
        if state.current_player() == 1 and action < DRAW:
            copies = state.position.hand(1)[int(ACTION_CARD[action])]
        _weigh(state.child(action), told, weight * copies, found)


# --- the kit's players and solvers -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "moves"), [("house", 10_000), ("printed", 50), ("stacking", 50), ("party", 50), ("mini-bluff", 50)]
)
def test_the_kits_ismcts_plays_whole_games(rules: str, moves: int) -> None:
    game, chance = pyspiel.load_game(in_spiel(rules, moves=moves)), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, chance)
    bot = ISMCTSBot(game, evaluator, uct_c=1.0, max_simulations=3, random_state=chance)
    state = game.new_initial_state()
    asked = 0
    while not state.is_terminal():
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(chance.choice(cards, p=chances)))
        elif state.current_player() == 0:
            asked += 1
            state.apply_action(int(bot.step(state)))
        else:
            state.apply_action(int(chance.choice(state.legal_actions())))
    assert asked > (0 if rules == "mini-bluff" else 3)
    assert sum(state.returns()) == 0.0


def test_the_kits_cfr_finds_the_value_of_mini_7() -> None:
    """47/135 to player 1, within twice the exploitability of what was found, which is below 0.001."""
    game = pyspiel.load_game(f"cached_tree(game={in_spiel('mini-7')})")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    gap = pyspiel.exploitability(game, policy)
    assert gap < 1e-3
    (value, _) = pyspiel.expected_returns(game.new_initial_state(), policy, -1, False)
    assert value == pytest.approx(47 / 135, abs=2 * gap)


@pytest.mark.parametrize(
    "rules",
    [
        "mini-7",
        pytest.param(
            "mini-9",
            marks=pytest.mark.skipif("UNO_POMDP_KITS" not in os.environ, reason="80 s and 2.6 GB: make test-kits"),
        ),
    ],
)
def test_the_kits_exploitability_of_a_policy_is_ours(rules: str) -> None:
    tree = tree_of(rules)
    policy = scripted_policy(tree, GREEDY)
    theirs = pyspiel.PartialTabularPolicy(our_table(tree, policy))  # uniform where there is one action alone
    game = pyspiel.load_game(f"cached_tree(game={in_spiel(rules)})")
    assert pyspiel.exploitability(game, theirs) == pytest.approx(exploitability(tree, policy).exploitability, abs=1e-9)


@pytest.mark.parametrize("name", LATER_GAMES)
@pytest.mark.parametrize("policy", [GREEDY, RANDOM])
def test_so_it_is_under_the_rules_that_came_later(name: str, policy: Policy) -> None:
    tree = tree_of(name)
    mine = scripted_policy(tree, policy)
    theirs = pyspiel.PartialTabularPolicy(our_table(tree, mine))
    game = pyspiel.load_game(f"cached_tree(game={in_spiel(str(LATER_GAMES[name]))})")
    assert pyspiel.exploitability(game, theirs) == pytest.approx(exploitability(tree, mine).exploitability, abs=1e-9)


@pytest.mark.parametrize("name", ["challenge, few", "swap", "stack same"])
def test_the_kits_cfr_finds_the_values_of_games_by_these_rules(name: str) -> None:
    tree = tree_of(name)
    game = pyspiel.load_game(f"cached_tree(game={in_spiel(str(LATER_GAMES[name]))})")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    gap = pyspiel.exploitability(game, policy)
    assert gap < 0.01
    (value, _) = pyspiel.expected_returns(game.new_initial_state(), policy, -1, False)
    assert value == pytest.approx(solve_program(tree)[0], abs=2 * gap + 1e-9)


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (returns,) = output_of(blocks(page("docs/open_spiel.md"), "python")[0], capsys)
    assert returns in ("[1.0, -1.0]", "[-1.0, 1.0]", "[0.0, 0.0]")


# --- playthroughs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.txt")), ids=lambda file: file.stem)
def test_a_playthrough_comes_out_as_it_was(file: Path) -> None:
    if not flags.FLAGS.is_parsed():
        flags.FLAGS(["playthroughs"])
    before, now = generate_playthrough.replay(str(file))
    assert now == before


def test_there_are_playthroughs() -> None:
    assert {file.stem for file in GOLDEN.glob("*.txt")} == set(PLAYED)


PLAYED = {"mini-7": 1, "mini-9": 4, "mini-12": 2}
"""Rules with a playthrough, and its seed. `python -m tests.adapters.test_open_spiel` writes all anew."""

if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, seed in PLAYED.items():
        text = generate_playthrough.playthrough(f"{NAME}(rules={name})", None, seed=seed)
        (GOLDEN / f"{name}.txt").write_text(text, encoding="utf-8")
