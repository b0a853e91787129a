"""How fast searches are: rules `house`, one core.

*Playouts* is flat Monte Carlo at work: from mid-game positions of `heuristic` v `heuristic` (a decision with a choice
after 12 actions or more), sample worlds from the closed form and play every legal action out in each to the end of
the game, both sides by `heuristic`. World sampling is in the time. A playout is one game played out.

*Tree search* is `ismcts` with full playouts from the same positions, in simulations a second, beside open_spiel's C++
`MCTSBot` (which sees the hidden cards) with random rollouts on its nearest game,
`crazy_eights(players=2,use_special_cards=true,reshuffle=true)`, from its own positions after 12 moves.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, median, median_ratio, peer, run, seconds, shown
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, STATE
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS
from uno_pomdp.policies.rollouts import play_worlds_out
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

HOUSE = preset("house")
CRAZY_EIGHTS = "crazy_eights(players=2,use_special_cards=true,reshuffle=true)"
EARLIEST = 12
"""Actions before a position counts as mid-game."""


@dataclass(frozen=True)
class Position:
    """A decision in the middle of a game, with the belief of the player to move."""

    game: Game
    """The game so far."""
    belief: ClosedFormBelief
    """What the player to move believes."""


def positions(count: int) -> list[Position]:
    """Return mid-game positions, one of each game."""
    found: list[Position] = []
    for seed in range(10 * count):
        game = Game.new(HOUSE, seed)
        agents = [make_agent("heuristic") for _ in SEATS]
        beliefs = [ClosedFormBelief(HOUSE, game.observation(seat)) for seat in SEATS]
        for seat in SEATS:
            agents[seat].start(HOUSE, game.observation(seat), seed)
        wanted = EARLIEST + random.Random(seed).randrange(12)
        for number in range(wanted + 20):
            if game.over or (number >= wanted and len(game.legal_actions()) > 1):
                break
            game.apply(agents[game.turn].decide().action)
            for seat in SEATS:
                agents[seat].update(*game.last_step(seat))
                beliefs[seat].update(*game.last_step(seat))
        if not game.over and len(game.legal_actions()) > 1:
            found.append(Position(game, beliefs[game.turn]))
        if len(found) == count:
            break
    return found


def playouts(run: Run) -> Iterator[Claim]:
    """Measure playouts a second, world sampling included."""
    places = positions(run.pick(50, 3))
    worlds = run.pick(2_000, 20)
    table, stream = np.zeros(1, STATE), streams(1)

    def rate(repeat: int) -> float:
        played = 0

        def play() -> None:
            nonlocal played
            for place in places:
                actions = np.array([action.id for action in place.game.legal_actions()])
                results = np.empty((worlds, len(actions)))
                imagined = place.belief.sample(worlds, repeat)
                play_worlds_out(imagined, table, actions, HEURISTIC, WEIGHTS, False, stream, results)
                played += results.size

        spent = seconds(play)
        return played / spent

    rate(99)
    (rates,) = run.interleaved(rate)
    yield at_least("heuristic playouts from mid-game, world sampling included", median(rates), 1_000_000, "playouts/s")


def tree_search(run: Run) -> Iterator[Claim]:
    """Measure tree simulations a second beside open_spiel's."""
    places = positions(run.pick(20, 2))
    simulations = run.pick(4_000, 50)
    theirs_each = run.pick(300, 5)
    spiel = peer("pyspiel")
    game = spiel.load_game(CRAZY_EIGHTS)
    states = [_spiel_position(game, seed) for seed in range(run.pick(10, 1))]

    def ours(repeat: int) -> float:
        agents = []
        for place in places:
            agent = make_agent(f"ismcts:sims={simulations},endgame=no")
            agent.start(HOUSE, place.game.observation(place.game.turn), repeat)
            agent.belief = place.belief  # type: ignore[attr-defined]  # a planner's; the position's own history
            agents.append(agent)
        return len(places) * simulations / seconds(lambda: [agent.decide() for agent in agents])

    def theirs(repeat: int) -> float:
        bot = spiel.MCTSBot(
            game,
            spiel.RandomRolloutEvaluator(1, repeat + 1),
            1.4,
            theirs_each,
            1000,
            False,
            repeat,
            False,
            spiel.ChildSelectionPolicy.UCT,
        )
        return len(states) * theirs_each / seconds(lambda: [bot.mcts_search(state) for state in states])

    ours(99)
    our_rates, their_rates = run.interleaved(ours, theirs)
    yield at_least("tree simulations, ismcts ÷ open_spiel's MCTSBot", median_ratio(our_rates, their_rates), 30, "×")
    yield shown("tree simulations, ismcts", median(our_rates), "simulations/s")
    yield shown("tree simulations, open_spiel's MCTSBot", median(their_rates), "simulations/s")


def _spiel_position(game: Any, seed: int) -> Any:
    """Return a state of the peer's game after 12 moves of its players, chosen at random."""
    chance = random.Random(seed)
    state = game.new_initial_state()
    moves = 0
    while moves < EARLIEST or state.is_chance_node():
        moves += not state.is_chance_node()
        state.apply_action(chance.choice(state.legal_actions()))
    return state


BENCHMARK = Benchmark("search", (Part("playouts", playouts), Part("tree search", tree_search, peer="pyspiel")))

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
