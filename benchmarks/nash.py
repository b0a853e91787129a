"""How close best-response attempts come: POMCP with the opponent's true policy as its model.

*Full deck*: rules `house`, 1,000 simulations, duplicate deals, luck-adjusted points; the claim is that the low end of
the 95 % interval lies above 50 %.

*Mini deck*: rules `mini-9`, where the best response is known exactly. The share of the gap is how far POMCP comes from
one half, which self-play has, to the best response. It is measured by regrets: at each choice the exact value of the
best action less that of the chosen one, against the same opponent; what is missing to the best response is the
expected sum of them over a game, and it scatters far less than wins and losses. The points of the same games stand
beside it: *above exact* is the low end of their interval less the exact margin, which must not be above zero.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, run, shown
from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.arena.match import Match, play_game
from uno_pomdp.arena.run import run_match
from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.sequence_form import best_actions, exploitability, gains_of, plan_of
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.game.events import Event
from uno_pomdp.game.information import find, opening, tokens_told
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset

Z95: Final = 1.96
MINI: Final = preset("mini-9")


def full_deck(run: Run) -> Iterator[Claim]:
    """Measure POMCP with the true model against every scripted policy."""
    for name in ("random", "greedy", "baseline", "heuristic"):
        pairs, simulations = run.pick((400 if name == "heuristic" else 200, 1_000), (1, 10))
        makers = f"pomcp:sims={simulations},model={name}", name
        points = run_match(Match(preset("house"), makers, pairs, seed=1), processes=run.pick(2, 1)).sharpest()
        title = f"{makers[0]} v {name}"
        yield shown(title, 100 * points.estimate, "%")
        yield at_least(f"{title}, low end of the interval", 100 * points.low, 50, "%")


@cache
def mini_tree() -> GameTree:
    """Return the tree, made once."""
    return build_tree(MINI)


def regrets_of(tree: GameTree, policy: Floats) -> Floats:
    """Return for each sequence what its action loses to the best one against the policy, from −1 to 1.

    Values of best play from a sequence on, weighted by how likely chance and the opponent come there; divided by that.
    """
    plan = plan_of(tree, policy)
    result = np.zeros(tree.sequences)
    choices = np.flatnonzero(tree.nodes.information >= 0)
    for seat in SEATS:
        offset, sets = tree.sequence_start[seat], range(tree.set_start[seat], tree.set_start[seat + 1])
        values = gains_of(tree, seat, plan)
        best_actions(tree.parent, tree.first, tree.end, sets.start, sets.stop, offset, values, policy.copy())
        own = choices[tree.nodes.kind[choices] == seat]
        weight = tree.nodes.reach[own] * plan[tree.nodes.sequence[own, 1 - seat]]
        reach = np.bincount(tree.nodes.information[own], weight, minlength=tree.sets)
        for number in sets:
            here = slice(tree.first[number], tree.end[number])
            at = values[tree.first[number] - offset : tree.end[number] - offset]
            result[here] = (at.max() - at) / reach[number] if reach[number] > 0.0 else 0.0
    return result


class Judged(Agent):
    """An agent whose choices are compared with the best ones."""

    def __init__(self, agent: Agent, tree: GameTree, regrets: Floats) -> None:
        self.name = agent.name
        self.lost = 0.0
        self._agent, self._tree, self._regrets = agent, tree, regrets

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game."""
        self._agent.start(rules, observation, seed)
        self.observation, self.lost = observation, 0.0
        self._history = find(self._tree.histories, opening(observation))

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action."""
        self._agent.update(events, observation)
        self.observation = observation
        if observation.outcome is None:
            self._history = find(self._tree.histories, tokens_told(events, observation.seat), self._history)

    def decide(self) -> Decision:
        """Return the agent's decision, and count what it loses."""
        decision = self._agent.decide()
        number = int(self._tree.set_of[self._history])
        if number >= 0:
            first, end = int(self._tree.first[number]), int(self._tree.end[number])
            place = first + self._tree.actions[first:end].tolist().index(decision.action.id)
            self.lost += float(self._regrets[place])
        return decision


def mini_deck(run: Run) -> Iterator[Claim]:
    """Measure which share of the gap to the best response POMCP closes, by budget."""
    tree = mini_tree()
    budgets = run.pick((30, 100, 300, 1_000, 3_000), (5,))
    for name in ("random", "greedy", "baseline"):
        policy = scripted_policy(tree, POLICY_NAMES.index(name))
        regrets, gap = regrets_of(tree, policy), exploitability(tree, policy).points
        yield shown(f"best response v {name}, margin", 100 * gap, "points of 100")
        for budget in budgets:
            lost, won = play(name, budget, run.pick(250, 1), tree, regrets)
            share, half = 1 - lost.mean() / gap, Z95 * lost.std() / len(lost) ** 0.5 / gap
            title = f"pomcp:sims={budget},model={name} v {name}"
            last = budget == budgets[-1]
            closed = f"{title}, share of the gap"
            yield at_least(closed, 100 * share, 90, "%") if last else shown(closed, 100 * share, "%")
            yield shown(f"{title}, half the interval", 100 * half, "%")
            low = won.mean() - 0.5 - Z95 * won.std() / len(won) ** 0.5
            yield at_most(f"{title}, above exact", 100 * (low - gap), 0, "points of 100")


def play(name: str, budget: int, pairs: int, tree: GameTree, regrets: Floats) -> tuple[Floats, Floats]:
    """Return for each deal, both seats together, the points lost to the best response and the points won."""
    lost, won = np.zeros(pairs), np.zeros(pairs)
    for pair in range(pairs):
        deal, *seeds = np.random.SeedSequence([1, pair]).spawn(5)
        deal_seed = int(deal.generate_state(1, np.uint64)[0])
        for seat in SEATS:
            judged = Judged(make_agent(f"pomcp:sims={budget},model={name}"), tree, regrets)
            agents = (judged, make_agent(name)) if seat == 0 else (make_agent(name), judged)
            result = play_game(MINI, deal_seed, agents, (seeds[2 * seat], seeds[2 * seat + 1]))
            lost[pair] += judged.lost / 4
            won[pair] += (1 + result.outcome.result(seat)) / 4
    return lost, won


BENCHMARK = Benchmark("nash", (Part("mini deck", mini_deck), Part("full deck", full_deck)), one_core=False)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
