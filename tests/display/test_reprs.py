"""What a person prints says in a line or two what it is, and never where it lies in memory."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from inspect import getattr_static
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from benchmarks.experiments.belief_quality import calibration
from benchmarks.experiments.exact_double_oracle import ExactPopulation
from tests.beliefs.reference import ReferenceBelief
from tests.display.test_reports import match, nash, review, tournament
from tests.equilibrium.games import tree_of
from tests.helpers import any_rules
from tests.review.games import missed_run
from uno_pomdp.agents.agent import Agent, Candidate, Decision
from uno_pomdp.agents.agent_model import AgentModel
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.agents.tabular import TableModel, TabularAgent
from uno_pomdp.arena.match import Match, play_game
from uno_pomdp.arena.run import MatchProgress, run_match
from uno_pomdp.arena.store import Store, read_store
from uno_pomdp.arena.tournament import Tournament
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.slot_histories import RecordingBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.cfr import Solver, solve
from uno_pomdp.equilibrium.double_oracle import Population
from uno_pomdp.equilibrium.sequence_form import best_response, uniform_policy
from uno_pomdp.equilibrium.tree_policies import table_of
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.game.batch import Batch
from uno_pomdp.game.game import Game
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import record_of
from uno_pomdp.learning.vector_games import VectorGames
from uno_pomdp.nets.pretrained import pretrained_policy
from uno_pomdp.policies.kernels import HEURISTIC
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.clairvoyant import clairvoyant
from uno_pomdp.pomdp.fit_value import fit_value
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.registry import make_agent
from uno_pomdp.review.game import review_game
from uno_pomdp.rules import PRESETS, Rules, preset

HOUSE, MINI = preset("house"), preset("mini-7")
LONGEST = 200
"""Characters: two lines."""
AGENTS = [
    "random",
    "heuristic",
    "flat:sims=100",
    "ismcts:ms=10,explore=0.5",
    "pomcp:sims=100,model=baseline",
    "value:sims=100",
    "champion",
    "champion:ms=10",
]


def _beliefs() -> Iterator[Belief]:
    first = Game.new(preset("mini-9"), 3).observation(0)
    for kind in (ClosedFormBelief, UniformBelief, EnumeratedBelief, ReferenceBelief, RecordingBelief):
        yield kind(preset("mini-9"), first)
    yield ParticleBelief(preset("mini-9"), first, PolicyModel(HEURISTIC), seed=1)


def _of_games() -> Iterator[object]:
    game = Game.new(HOUSE, 5)
    yield from (game, game.deal, game.observation(0), Batch.deal(HOUSE, 8, 1), HOUSE, MINI)
    yield ObservedGame(HOUSE, 0, game.hand(0), game.deal.top)
    yield record_of(game, ("one", "two"))
    yield luck_of(record_of(game, ("one", "two")))


def _of_models() -> Iterator[object]:
    yield from (PolicyModel(HEURISTIC), AgentModel(lambda: ScriptedAgent(HEURISTIC), "heuristic"))
    model = UnoPOMDP(MINI, PolicyModel(HEURISTIC), seat=1, discount=0.95)
    solved = value_iteration(model)
    yield from (model, solved, solved.states, solved.values, solved.policy, clairvoyant(model))
    yield from (TableModel(solved.policy), next(iter(model.initial_states())), TabularAgent(solved.policy))
    yield from (pretrained_policy(HOUSE), fit_value(UnoPOMDP(HOUSE, "greedy"), games=2, worlds=2))


def _of_equilibria() -> Iterator[object]:
    tree = tree_of("mini-7")
    solution = solve(tree, target=0.01)
    yield from (tree, Solver(tree), solution, best_response(tree, solution.policy, 0))
    yield table_of(tree, uniform_policy(tree), {"solver": "none"})
    shares = np.array([0.75, 0.25])
    yield Population("house", ("one", "two"), np.zeros((2, 2)), shares, (match().points, match().points), 1, ())
    yield ExactPopulation(0.0, (-0.1, 0.1), np.zeros(1000), (3, 4), 5)
    yield from (nash(), *nash().bounds, nash().exact)
    yield VectorGames(HOUSE, 4, 1, threads=1)


def _of_results() -> Iterator[object]:
    game, player = Game.new(HOUSE, 11), make_agent("flat:sims=200")
    player.start(HOUSE, game.observation(0), 1)
    decision = player.decide()
    yield from (decision, decision.candidates[0], player.move_values())  # type: ignore[attr-defined]
    yield from (match(), tournament(), tournament().ratings, review(), *review().moves)
    yield calibration(np.array([[[0.0, 2.0], [0.0, 1.4], [0.0, 1.0]]] * 3), edges=(0.0, 0.5, 1.0))
    told: list[MatchProgress] = []
    match_ = Match(HOUSE, ("heuristic", "baseline"), 10)
    run_match(match_, report=told.append)
    yield from (match_, *told, match_.agents[0])
    yield play_game(HOUSE, 3, match_.agents, (1, 2), record=True, luck=True)
    yield Tournament(HOUSE, ("heuristic", "baseline"), 10)


ROOMS = ("game", "policies", "beliefs", "agents", "nets", "evaluation", "pomdp", "search", "arena", "equilibrium")
WORKINGS = {
    "AskedSimulations",
    "Backend",
    "ChampionEncoding",
    "ConsistencyCheck",
    "Endgame",
    "GrowingTree",
    "HeuristicValue",
    "Lattice",
    "LinearTrial",
    "LuckSums",
    "MoveValueSums",
    "NetSeat",
    "OnnxNet",
    "PlayoutTrial",
    "PolicyNet",
    "Processes",
    "Reader",
    "Threads",
    "TreeTrial",
    "Trial",
    "TrialMaker",
    "ValueNetTrial",
    "ValueNets",
}
"""Parts of other things, which nobody holds alone."""


def public_classes() -> Iterator[type]:
    """Yield every class that a room defines under a name without an underscore."""
    for room in ROOMS:
        package = importlib.import_module(f"uno_pomdp.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(importlib.import_module(found.name)).values():
                if isinstance(value, type) and value.__module__ == found.name and not value.__name__.startswith("_"):
                    yield value


def test_no_class_of_a_room_prints_where_it_lies_in_memory() -> None:
    mute = {kind.__name__ for kind in public_classes() if is_mute(kind) and not is_protocol(kind)}
    assert mute == WORKINGS


def is_mute(kind: type) -> bool:
    """Return whether a class prints as every object does."""
    return getattr_static(kind, "__repr__") is getattr_static(object, "__repr__")


def is_protocol(kind: type) -> bool:
    """Return whether a class only says what others have."""
    return bool(getattr(kind, "_is_protocol", False))


def check(value: object) -> None:
    """Require a repr that says something, on a line or two."""
    text = repr(value)
    assert type(value).__name__ in text
    assert " object at 0x" not in text
    assert " at 0x" not in text
    assert len(text) <= LONGEST, text
    assert "\n" not in text


@pytest.mark.parametrize("samples", [_beliefs, _of_games, _of_models, _of_equilibria, _of_results])
def test_a_repr_says_what_a_thing_is_and_is_short(samples: Callable[[], Iterator[object]]) -> None:
    for value in samples():
        check(value)


@pytest.mark.parametrize("text", AGENTS)
def test_an_agent_is_printed_with_the_text_that_makes_it(text: str) -> None:
    agent = make_agent(text)
    check(agent)
    assert repr(agent) == f"<{type(agent).__name__} {text}>"


def test_an_agent_of_ones_own_without_a_name_is_printed_too() -> None:
    class Mine(Agent):
        """An agent that was given no name."""

        def decide(self) -> Decision:
            """Never asked."""
            raise NotImplementedError

    assert repr(Mine()) == "<Mine without a name>"


def test_a_belief_says_what_is_likeliest() -> None:
    game = Game.new(MINI, 3)
    belief = ClosedFormBelief(MINI, game.observation(0))
    chances = belief.probabilities()
    text = repr(belief)
    assert text.startswith("<ClosedFormBelief of player 1 at age 0: the opponent holds 2; likeliest ")
    assert f"{100 * chances.max():.0f} %" in text


def test_a_game_is_printed_without_its_hidden_cards() -> None:
    game = Game.new(HOUSE, 5)
    assert repr(game) == ("<Game of house, seed 5, after move 0: player 1 to move, top G9 (green), hands of 7 and 7>")


def test_a_store_says_where_it_is_and_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with Store(path, Match(MINI, ("random", "greedy"), 10).header()) as store:
        store.append(match().pairs[:3])
        assert repr(store) == f"<Store {path}: 3 pairs>"
    assert repr(read_store(path)).startswith("<Stored: random v greedy, 3 pairs, ")


@given(any_rules())
def test_rules_are_printed_as_what_makes_them(rules: Rules) -> None:
    assert eval(repr(rules), {"Rules": Rules, "Cards": Cards}) == rules


def test_rules_are_printed_by_what_differs_from_the_default() -> None:
    assert [repr(PRESETS[name].rules) for name in ("house", "pass")] == ["Rules()", "Rules(skip='pass')"]


def test_a_candidate_reads_as_a_sentence() -> None:
    game = Game.new(HOUSE, 5)
    action = game.legal_actions()[0]
    assert repr(Candidate(action, 0.5, 0.01, 1000, 0.25)) == (
        f"<Candidate {action}: wins 50.0 ± 1.0 %, prior 25.0 %, 1,000 simulations>"
    )
    assert str(Candidate(action)) == str(action)
    assert repr(Decision(action, note="forced")) == f"<Decision {action}, of 0 candidates; forced>"


def test_accuracy_of_nothing_kept_is_printed_as_0() -> None:
    assert "player 1 0.0, player 2 100.0" in repr(review_game(missed_run(), "flat:sims=500"))
