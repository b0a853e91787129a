"""Two-player UNO as a POMDP: solvers, experiments, game analysis. `import uno_pomdp as uno` is the public interface.

    game = uno.Game.new("house", seed=5)                           # deal
    game.play("Y9")                                                # a move, as text
    belief = uno.ClosedFormBelief.after(game, seat=1)              # what player 2 knows of player 1's hand
    decision = uno.make_agent("champion:ms=10").consider(game)     # what to do, and why
    result = uno.match("heuristic", "baseline", pairs=2000)        # who is better, with an interval

A name is loaded when it is first asked for: the import itself brings neither NumPy nor Numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from uno_pomdp._version import __version__ as __version__

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Agent as Agent
    from uno_pomdp.agents.agent import Budget as Budget
    from uno_pomdp.agents.agent import Candidate as Candidate
    from uno_pomdp.agents.agent import Decision as Decision
    from uno_pomdp.api import best_response as best_response
    from uno_pomdp.api import exploitability as exploitability
    from uno_pomdp.api import learner as learner
    from uno_pomdp.api import match as match
    from uno_pomdp.api import nash as nash
    from uno_pomdp.api import rollouts as rollouts
    from uno_pomdp.api import solve as solve
    from uno_pomdp.api import tournament as tournament
    from uno_pomdp.arena.match import play_game as play_game
    from uno_pomdp.arena.results import MatchResult as MatchResult
    from uno_pomdp.arena.statistics import Interval as Interval
    from uno_pomdp.arena.statistics import SequentialTest as SequentialTest
    from uno_pomdp.beliefs.belief import Belief as Belief
    from uno_pomdp.beliefs.closed_form import ClosedFormBelief as ClosedFormBelief
    from uno_pomdp.beliefs.enumerated import EnumeratedBelief as EnumeratedBelief
    from uno_pomdp.beliefs.particle_filter import ParticleBelief as ParticleBelief
    from uno_pomdp.beliefs.uniform import UniformBelief as UniformBelief
    from uno_pomdp.cards import Cards as Cards
    from uno_pomdp.equilibrium.nash_report import NashReport as NashReport
    from uno_pomdp.equilibrium.solved_game import SolvedGame as SolvedGame
    from uno_pomdp.equilibrium.tree.game_tree import GameTree as GameTree
    from uno_pomdp.equilibrium.tree.game_tree import build_tree as build_tree
    from uno_pomdp.errors import InvalidRecord as InvalidRecord
    from uno_pomdp.errors import UnoError as UnoError
    from uno_pomdp.game.actions import Action as Action
    from uno_pomdp.game.batch import Batch as Batch
    from uno_pomdp.game.events import Challenged as Challenged
    from uno_pomdp.game.events import Drew as Drew
    from uno_pomdp.game.events import Kept as Kept
    from uno_pomdp.game.events import Played as Played
    from uno_pomdp.game.events import Reshuffled as Reshuffled
    from uno_pomdp.game.events import Shown as Shown
    from uno_pomdp.game.events import Swapped as Swapped
    from uno_pomdp.game.game import Game as Game
    from uno_pomdp.game.notation import format_record as format_record
    from uno_pomdp.game.notation import load_record as load_record
    from uno_pomdp.game.notation import parse_record as parse_record
    from uno_pomdp.game.notation import save_record as save_record
    from uno_pomdp.game.observation import Observation as Observation
    from uno_pomdp.game.outcome import Outcome as Outcome
    from uno_pomdp.game.record import GameRecord as GameRecord
    from uno_pomdp.game.record import observed as observed
    from uno_pomdp.game.record import record_of as record_of
    from uno_pomdp.game.record import replay as replay
    from uno_pomdp.game.rng import streams as streams
    from uno_pomdp.game.seat_history import SeatHistory as SeatHistory
    from uno_pomdp.nets.onnx.export import export_onnx as export_onnx
    from uno_pomdp.policies.opponent_models import OpponentModel as OpponentModel
    from uno_pomdp.pomdp.clairvoyant import clairvoyant as clairvoyant
    from uno_pomdp.pomdp.fit_value import fit_value as fit_value
    from uno_pomdp.pomdp.model import UnoPOMDP as UnoPOMDP
    from uno_pomdp.pomdp.value_iteration import value_iteration as value_iteration
    from uno_pomdp.registry import AgentSpec as AgentSpec
    from uno_pomdp.registry import BeliefSpec as BeliefSpec
    from uno_pomdp.registry import as_model as as_model
    from uno_pomdp.registry import make_agent as make_agent
    from uno_pomdp.review.game import review_game as review_game
    from uno_pomdp.review.judgement import Review as Review
    from uno_pomdp.rules import Rules as Rules
    from uno_pomdp.rules import preset as preset
    from uno_pomdp.testing.agents import check_agent as check_agent
    from uno_pomdp.testing.beliefs import check_belief as check_belief

_HOMES: Final = {
    "agents.agent": ("Agent", "Budget", "Candidate", "Decision"),
    "api": ("best_response", "exploitability", "learner", "match", "nash", "rollouts", "solve", "tournament"),
    "arena.match": ("play_game",),
    "arena.results": ("MatchResult",),
    "arena.statistics": ("Interval", "SequentialTest"),
    "beliefs.belief": ("Belief",),
    "beliefs.closed_form": ("ClosedFormBelief",),
    "beliefs.enumerated": ("EnumeratedBelief",),
    "beliefs.particle_filter": ("ParticleBelief",),
    "beliefs.uniform": ("UniformBelief",),
    "cards": ("Cards",),
    "equilibrium.nash_report": ("NashReport",),
    "equilibrium.solved_game": ("SolvedGame",),
    "equilibrium.tree.game_tree": ("GameTree", "build_tree"),
    "errors": ("InvalidRecord", "UnoError"),
    "game.actions": ("Action",),
    "game.batch": ("Batch",),
    "game.events": ("Challenged", "Drew", "Kept", "Played", "Reshuffled", "Shown", "Swapped"),
    "game.game": ("Game",),
    "game.notation": ("format_record", "load_record", "parse_record", "save_record"),
    "game.observation": ("Observation",),
    "game.outcome": ("Outcome",),
    "game.record": ("GameRecord", "observed", "record_of", "replay"),
    "game.rng": ("streams",),
    "game.seat_history": ("SeatHistory",),
    "nets.onnx.export": ("export_onnx",),
    "policies.opponent_models": ("OpponentModel",),
    "pomdp.clairvoyant": ("clairvoyant",),
    "pomdp.fit_value": ("fit_value",),
    "pomdp.model": ("UnoPOMDP",),
    "pomdp.value_iteration": ("value_iteration",),
    "registry": ("AgentSpec", "BeliefSpec", "as_model", "make_agent"),
    "review.game": ("review_game",),
    "review.judgement": ("Review",),
    "rules": ("Rules", "preset"),
    "testing.agents": ("check_agent",),
    "testing.beliefs": ("check_belief",),
}
"""The public names of each module."""
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__", *_HOME_OF]  # names of the table above


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"uno_pomdp has no name {name!r}: dir(uno_pomdp) lists those it has")
    found = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return all public names."""
    return sorted(__all__)
