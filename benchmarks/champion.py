"""How strong the shipped champion is, without search and with: rules `house`, duplicate deals, 95 % intervals.

*Strength* is measured in arena matches; the points are luck-adjusted where the arena adjusts them. *Decision* is the
time of one choice in kernels: the beliefs of the moves since the last one, the encoding and the net; the whole agent in
Python, with the reasons that a decision carries, is shown beside it. *Mini* is the exact exploitability of the net for
`mini-9` over the whole tree, payoffs from −1 to 1. A part whose net is not shipped is skipped.
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, median, run, shown
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS
from uno_pomdp.jit import kernel
from uno_pomdp.learning.vector_games import VectorGames
from uno_pomdp.nets.net_file import OUTPUTS, Net, NetFile, forward, random_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.policy_features import LEGAL
from uno_pomdp.nets.pretrained import pretrained_policy, pretrained_rules
from uno_pomdp.rules import preset

HOUSE = preset("house")
BARS = {"baseline": 61.0, "random": 77.0, "heuristic": None}
"""The points that have to be reached."""
SEARCH = "champion:ms=10"
"""With search; a decision has one core."""
SEARCH_BARS = {"baseline": (64.0, 2_000), "random": (80.0, 2_200)}
"""The points that search is to reach, and over how many pairs they are measured."""
OTHERS = {"champion": 1_500, "flat:ms=10": 1_500, "ismcts:ms=10": 1_500}
"""Whom it is to beat, and over how many pairs: the policy alone, and the other searches in the same time."""
MICROSECONDS = 100.0
EXPLOITABLE = 0.02


def strength(run: Run) -> Iterator[Claim]:
    """Measure the policy alone."""
    if "house" not in pretrained_rules():
        return
    pairs = run.pick(5_000, 1)
    for other, bar in BARS.items():
        points = run_match(Match(HOUSE, ("champion", other), pairs, seed=1)).sharpest()
        name = f"champion v {other}"
        yield (
            shown(name, 100 * points.estimate, "%") if bar is None else at_least(name, 100 * points.estimate, bar, "%")
        )
        yield shown(f"{name}, half the interval", 50 * (points.high - points.low), "%")


def search(run: Run) -> Iterator[Claim]:
    """Measure the champion with search."""
    if "house" not in pretrained_rules():
        return

    def met(other: str, pairs: int) -> Interval:
        agents = tuple(run.pick(agent, agent.replace("ms=10", "ms=1")) for agent in (SEARCH, other))
        return run_match(Match(HOUSE, (agents[0], agents[1]), run.pick(pairs, 1), seed=1)).sharpest()

    for other, (bar, pairs) in SEARCH_BARS.items():
        points = met(other, pairs)
        yield at_least(f"{SEARCH} v {other}", 100 * points.estimate, bar, "%")
        yield shown(f"{SEARCH} v {other}, half the interval", 50 * (points.high - points.low), "%")
    for other, pairs in OTHERS.items():
        points = met(other, pairs)
        name = f"{SEARCH} v {other}"
        found = 100 * points.estimate
        yield shown(name, found, "%") if other == "champion" else at_least(name, found, 50.0, "%")
        yield shown(f"{name}, half the interval", 50 * (points.high - points.low), "%")


@kernel
def forward_all(net: Net, rows: npt.NDArray[np.float32], outputs: npt.NDArray[np.float32]) -> None:
    """Write the outputs of a net for each row."""
    for index in range(len(rows)):
        forward(net, rows[index], outputs[index])


def decision(run: Run) -> Iterator[Claim]:
    """Measure the time of a choice."""
    shipped = "house" in pretrained_rules()
    champion = pretrained_policy(HOUSE) if shipped else NetFile(HOUSE, {}, random_net((512, 512, 512), 1))
    tables, steps = run.pick(512, 8), run.pick(60, 3)
    environment, chance = VectorGames(HOUSE, tables, 1, threads=1), np.random.default_rng(1)
    outputs = np.empty((tables, OUTPUTS), np.float32)
    forward_all(champion.net, environment.rows.features, outputs)

    def once(repeat: int) -> tuple[float, float]:
        del repeat
        follow = ask = 0.0
        for _ in range(steps):
            rows = environment.rows.features
            started = time.perf_counter()
            forward_all(champion.net, rows, outputs)
            ask += time.perf_counter() - started
            legal = rows[:, LEGAL : LEGAL + ACTIONS] > 0
            noisy = np.where(legal, outputs[:, :ACTIONS] + chance.gumbel(size=legal.shape), -np.inf)
            actions = noisy.argmax(1).astype(np.uint8)
            started = time.perf_counter()
            environment.act(actions)
            follow += time.perf_counter() - started
        return 1e6 * follow / steps / tables, 1e6 * ask / steps / tables

    found = [once(repeat) for repeat in range(run.repeats)]
    follow, ask = (median([each[part] for each in found]) for part in range(2))
    yield at_most("a decision: moves, beliefs of both seats, encoding, net", follow + ask, MICROSECONDS, "µs")
    yield shown("of this the net", ask, "µs")
    yield shown("the whole agent in Python", agent_time(champion, run.pick(40, 1)), "µs")
    if not shipped:
        yield shown("without a shipped net: an untrained one of the same size", 1.0, "yes")


def agent_time(champion: NetFile, games: int) -> float:
    """Return the microseconds of a choice of the agent, with the updates that it was told before."""
    spent, choices = 0.0, 0
    for seed in range(games):
        game, agents = Game.new(HOUSE, seed), [PolicyNetAgent(champion) for _ in range(2)]
        for seat, agent in enumerate(agents):
            agent.start(HOUSE, game.observation(seat), seed)
        while not game.over:
            legal = game.legal_actions()
            started = time.perf_counter()
            action = agents[game.turn].decide().action if len(legal) > 1 else legal[0]
            spent += time.perf_counter() - started
            choices += len(legal) > 1
            game.apply(action)
            told = [game.last_step(seat) for seat in range(2)]
            started = time.perf_counter()
            for agent, (events, after) in zip(agents, told, strict=True):
                agent.update(events, after)
            spent += time.perf_counter() - started
    return 1e6 * spent / choices


def mini(run: Run) -> Iterator[Claim]:
    """Measure how exploitable the net for a mini deck is."""
    if "mini-9" not in pretrained_rules() or run.quick:
        return
    from uno_pomdp.equilibrium.sequence_form import exploitability
    from uno_pomdp.equilibrium.tree.game_tree import build_tree
    from uno_pomdp.equilibrium.tree_policies import policy_of

    tree = build_tree(preset("mini-9"))
    policy = policy_of(tree, lambda: PolicyNetAgent(pretrained_policy(tree.rules)))
    yield at_most("mini-9, exact exploitability", exploitability(tree, policy).exploitability, EXPLOITABLE, "of ±1")


BENCHMARK = Benchmark(
    "champion", (Part("strength", strength), Part("search", search), Part("decision", decision), Part("mini", mini))
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
