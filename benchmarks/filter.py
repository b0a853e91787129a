"""What the particle filter has to reach: lies, diversity, exactness, log-loss, time and life of filters of 1,000.

Both players really play a model, and the filter takes the opponent for it or for another; growth near the end counts in
all figures.

*Lies*: under `printed`, at every wild +4 that the observer may challenge, the probability of a lie that the filter
says, beside how often it was one. The band of the calibration is simultaneous over its bins and clustered by game. The
log-loss is compared with the closed form's and with that of always saying the frequency.

*Diversity*: effective independent hands, Σ p (1 − p) / Σ variance over filters of 8 seeds, summed over the types with
an unseen card, after every action.

*Exactness*: random mini decks under all rules, without doubt about the model: total variation of whole hands to
enumeration, over that of as many independent draws from the posterior; means over 8 seeds.

A full run takes hours; `--share 0.1` measures a tenth of the sample.

*Log-loss*: at every decision of the opponent without a penalty, less the closed form's on the same games, as in
`benchmarks.particle_filter`. *Blend*: the share of the closed form in what is read at those decisions.

*Earlier*: the filter of an earlier commit, which drew fresh histories alone and blended what they said with the closed
form, in a process of its own. The log-loss of both on the same games, the time of an update in turn, and the points of
a search with either against the same opponent on the same deals. Needs git and its history.

*Time*: CPU time of an update, both players' actions. *Life*: filters of 300 with true and wrong models through whole
games; a failure is an exception, no weight left, or a truth with probability zero.

*Integration*: the variance, over seeds, of what is read while cards wait, over that of the same filters where they are
drawn at once.
"""

import argparse
import functools
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.cold import sources_before
from benchmarks.experiments.belief_quality import (
    Maker,
    Moment,
    bernoulli_loss,
    bin_sums,
    calibration,
    hand_total_variation,
    log_loss,
    possible_types,
    ratio,
    watch,
)
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, median_ratio, run_parts, shown
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs import filter_stages
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.cards import RANKS_PER_COLOUR
from uno_pomdp.errors import UnoError
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import player_seed, streams
from uno_pomdp.policies.opponent_models import MemorylessModel, named_model
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import CHOICES, Rules, preset

SIZE: Final = 1_000
"""Particles of the filters."""
SEEDS: Final = 8
"""Filters of which the spread is measured."""
WARM: Final = 3
"""Games before those on the clock: kernels are compiled in them."""
SEARCHER: Final = "flat:sims=200"
"""A player that is no model: it lies where its search finds that it pays."""
MOST_ACTIONS: Final = 300
"""So much of a game is looked at for lies: those of random players go on for thousands of actions."""
LIARS: Final[Mapping[str, int]] = {"heuristic": 2_000, "heuristic:noise=0.1": 1_000, "greedy": 1_000, "random": 1_000}
"""By player: challengeable wild +4 that are looked at, at least."""
DIVERSE: Final = tuple(
    (rules, model) for rules in ("house", "printed", "stacking", "party") for model in ("heuristic", "greedy")
)
"""Rules and models of the diversity."""
LOSSES: Final = (
    ("house", "heuristic", "heuristic"),
    ("printed", "heuristic", "heuristic"),
    ("house", "greedy", "greedy"),
    ("house", "heuristic", "greedy"),
    ("house", "greedy", "heuristic"),
)
"""Rules, the model of the filter, and what the opponent really plays."""


def part_of(full: int, share: float) -> int:
    """Return how many that are, at least two."""
    return max(round(full * share), 2)


def scripted(name: str) -> MemorylessModel:
    """Return a scripted policy as a model."""
    model = named_model(name)
    assert isinstance(model, MemorylessModel)
    return model


def filters(model: str, count: int, size: int = SIZE) -> dict[str, Maker]:
    """Return makers of so many filters that differ in their seed."""

    def make(rules: Rules, seen: Observation, seed: np.random.SeedSequence) -> Belief:
        return ParticleBelief(rules, seen, scripted(model), size, seed)

    return {f"filter {number}": make for number in range(count)}


def moments(rules: str, opponent: str, makers: Mapping[str, Maker], part: int, game: int) -> Iterator[Moment]:
    """Yield the moments of one game in which both players play the same policy, but its end."""
    seed, play = np.random.SeedSequence(2, spawn_key=(part, game)), scripted(opponent)
    for moment in watch(preset(rules), makers, seed, opponent=play, own=play, seat=game % 2):
        if moment.observation.outcome is None:
            yield moment


# --- lies ------------------------------------------------------------------------------------------------


def challengeable(seen: Observation) -> bool:
    """Return whether the observer may challenge a wild +4."""
    return seen.before is not None and seen.turn == seen.seat


def lies_of(game: int, opponent: str, model: str) -> list[tuple[float, float, bool]]:
    """Return what the filter and the closed form say of each challengeable wild +4 of a game, and the truth."""
    makers = filters(model, 1) | {"closed": lambda rules, seen, _: ClosedFormBelief(rules, seen)}
    found = []
    plain = itertools.islice(moments("printed", opponent, {}, 0, game), MOST_ACTIONS)  # the same game without beliefs
    asked = [number for number, moment in enumerate(plain) if challengeable(moment.observation)]
    for moment in itertools.islice(moments("printed", opponent, makers, 0, game), asked[-1] + 1 if asked else 0):
        before = moment.observation.before
        if before is not None and challengeable(moment.observation):
            said, agnostic = (belief.lie() or 0.0 for belief in moment.beliefs.values())
            first = before * RANKS_PER_COLOUR
            guilty = bool(moment.hidden.array()[first : first + RANKS_PER_COLOUR].any())
            found.append((said, agnostic, guilty))
    return found


def lie(run: Run, share: float) -> Iterator[Claim]:
    """Compare what is said of wild +4 with the truth."""
    for opponent, least in LIARS.items():
        yield from lies_told(
            f"a lie, {opponent}", opponent, opponent, run.pick(part_of(least, share), 4), honest=opponent == "heuristic"
        )
    yield from lies_of_a_search(run, share)


def searched(game: int) -> list[tuple[bool, float]]:
    """Return, for each challengeable wild +4 of `SEARCHER` in a game against the heuristic, whether it lied, and P."""
    rules = preset("printed")
    chances = np.random.SeedSequence(6, spawn_key=(game,)).generate_state(4, np.uint64).tolist()
    table, seat, found = Game.new(rules, chances[0]), game % 2, []
    agents = [make_agent("heuristic" if place == seat else SEARCHER) for place in SEATS]
    belief = ParticleBelief(rules, table.observation(seat), scripted("heuristic"), SIZE, chances[3])
    for place, agent in enumerate(agents):
        agent.start(rules, table.observation(place), player_seed(chances[1 + place]))
    while not table.over:
        table.apply(agents[table.turn].decide().action)
        for place, agent in enumerate(agents):
            agent.update(*table.last_step(place))
        step = table.last_step(seat)
        belief.update(*step)
        said = belief.lie()
        if said is not None and step.observation.before is not None:
            first = step.observation.before * RANKS_PER_COLOUR
            found.append((bool(table.hand(1 - seat).array()[first : first + RANKS_PER_COLOUR].any()), said))
    return found


def lies_of_a_search(run: Run, share: float) -> Iterator[Claim]:
    """Show what is said of a search that is no model: the filter takes it for the heuristic."""
    rows: list[tuple[bool, float]] = []
    games = 0
    while len(rows) < run.pick(part_of(500, share), 1):
        rows += searched(games)
        games += 1
    title = f"a lie, {SEARCHER} taken for heuristic"
    yield shown(f"{title}: wild +4", len(rows), f"in {games:,} games")
    yield shown(f"{title}: lies", 100 * float(np.mean([lied for lied, _ in rows])), "%")
    yield shown(f"{title}: said by the filter", 100 * float(np.mean([said for _, said in rows])), "%")


def lies_told(title: str, opponent: str, model: str, least: int, *, honest: bool) -> Iterator[Claim]:
    """Play games until there are enough wild +4, and compare."""
    games: list[list[tuple[float, float, bool]]] = []
    while sum(map(len, games)) < least or sum(map(bool, games)) < 2:
        games.append(lies_of(len(games), opponent, model))
    rows = np.array([row for game in games for row in game])
    said, agnostic, guilty = rows[:, 0], rows[:, 1], rows[:, 2] > 0
    frequency = float(guilty.mean())
    yield shown(f"{title}: wild +4", len(rows), f"in {len(games):,} games")
    yield shown(f"{title}: lies", 100 * frequency, "%")
    yield shown(f"{title}: said by the closed form", 100 * agnostic.mean(), "%")
    yield shown(f"{title}: said by the filter", 100 * said.mean(), "%")
    points = 100 * abs(float(said.mean()) - frequency)
    yield at_most(f"{title}: mean from the frequency", points, 1.0 if honest else 2.0, "points")
    if honest:
        yield at_least(f"{title}: honest ones said to be below 10 %", 100 * (said[~guilty] < 0.1).mean(), 99.0, "%")
        return
    sums = np.array([bin_sums(*columns(game)) for game in games if game])
    table = calibration(sums)
    excess = table.excess if table.tested.any() else 0.0
    yield at_most(f"{title}: farthest bin, in half-widths of the band", excess, 1.0, "")
    clipped = [np.clip(column, 1e-9, 1 - 1e-9) for column in (said, agnostic, np.full(len(said), frequency))]
    own, closed, always = (bernoulli_loss(column, guilty) for column in clipped)
    yield at_most(f"{title}: log-loss less the closed form's", own - closed, 0.0, "nats")
    yield at_most(f"{title}: log-loss less that of the frequency", own - always, 0.0, "nats")


def columns(game: list[tuple[float, float, bool]]) -> tuple[Floats, "np.ndarray[tuple[int], np.dtype[np.bool_]]"]:
    """Return what the filter said in a game, and the truth."""
    return np.array([row[0] for row in game]), np.array([row[2] for row in game], np.bool_)


# --- diversity -------------------------------------------------------------------------------------------


def spread(beliefs: list[Belief]) -> float:
    """Return Σ p (1 − p) / Σ variance of some filters that differ in their seed; infinite where all say the same."""
    rows = np.array([belief.probabilities()[possible_types(belief)] for belief in beliefs])
    mean, variance = rows.mean(axis=0), float(rows.var(axis=0, ddof=1).sum())
    return float((mean * (1 - mean)).sum()) / variance if variance > 1e-12 else float("inf")


def diversity(run: Run, share: float) -> Iterator[Claim]:
    """Measure effective independent hands."""
    for rules, model in DIVERSE:
        found = [
            spread(list(moment.beliefs.values()))
            for game in range(run.pick(part_of(200, share), 1))
            for moment in moments(rules, model, filters(model, run.pick(SEEDS, 2)), 1, game)
        ]
        hands, title = np.array(found), f"diversity, {rules}, {model}"
        yield shown(f"{title}: moments", len(hands), "")
        yield at_least(f"{title}: 1 % quantile", float(np.quantile(hands, 0.01, method="lower")), 50, "hands")
        yield at_most(f"{title}: moments below 100", 100 * float((hands < 100).mean()), 5, "%")
        yield at_least(f"{title}: median", min(float(np.median(hands)), 1e6), 300, "hands")


# --- exactness -------------------------------------------------------------------------------------------


def small_deck(number: int) -> Rules:
    """Return a small deck under random rules."""
    chance = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(number,)))
    while True:
        values = {field: str(chance.choice(options)) for field, options in CHOICES.items()}
        name = str(chance.choice(["mini-9", "mini-10", "mini-12", "mini-bluff"]))
        try:
            return Rules(deck=preset(name).deck, hand_size=int(chance.choice([2, 3])), **values)  # type: ignore[arg-type]
        except UnoError:
            continue


def exact_and_filters(model: MemorylessModel, count: int) -> dict[str, Maker]:
    """Return makers of an enumeration and of so many filters, without doubt about the model."""

    def exact(rules: Rules, seen: Observation, seed: np.random.SeedSequence) -> Belief:
        del seed
        return EnumeratedBelief(rules, seen, model)

    def sampled(rules: Rules, seen: Observation, seed: np.random.SeedSequence) -> Belief:
        return ParticleBelief(rules, seen, model, SIZE, seed, doubt=0.0)

    makers: dict[str, Maker] = {"exact": exact}
    return makers | {f"filter {number}": sampled for number in range(count)}


def exactness(run: Run, share: float) -> Iterator[Claim]:
    """Compare filters with enumeration on small decks."""
    found = []
    for number in range(run.pick(part_of(200, share), 3)):
        rules, model = small_deck(number), scripted(("greedy", "heuristic", "random")[number % 3])
        makers = exact_and_filters(model, run.pick(SEEDS, 1))
        gaps = []
        seeds = np.random.SeedSequence(4, spawn_key=(number, 1))
        for moment in watch(rules, makers, seeds, opponent=model, own=scripted("random")):
            exact, *others = moment.beliefs.values()
            assert isinstance(exact, EnumeratedBelief)
            if moment.observation.outcome is None and len(exact.hypotheses.hands) > 1:
                gaps += [(hand_total_variation(belief, exact), sampling_error(exact, SIZE)) for belief in others]
            if len(gaps) > 25 * len(others):
                break
        if gaps:
            whole = np.sum(gaps, axis=0)
            found.append(float(whole[0] / whole[1]))
    yield shown("exactness: decks", len(found), "")
    yield at_most("exactness: total variation by that of independent draws, worst deck", max(found), 1.5, "×")
    yield at_most("exactness: the same, mean", float(np.mean(found)), 1.2, "×")


def sampling_error(exact: EnumeratedBelief, count: int) -> float:
    """Return the mean total variation of so many independent hands to the posterior, by the normal approximation."""
    shares: dict[bytes, float] = {}
    weights = exact.hypotheses.weights / exact.hypotheses.weights.sum()
    for hand, share in zip(exact.hypotheses.hands, weights.tolist(), strict=True):
        shares[hand.tobytes()] = shares.get(hand.tobytes(), 0.0) + share
    return float(sum((p * (1 - p) / (2 * np.pi * count)) ** 0.5 for p in shares.values()))


# --- log-loss and blend ----------------------------------------------------------------------------------


def losses(run: Run, share: float) -> Iterator[Claim]:
    """Compare the log-loss with the closed form's, with true and with wrong models."""
    for rules, model, opponent in LOSSES:
        makers = filters(model, 1) | {"closed": lambda rules, seen, _: ClosedFormBelief(rules, seen)}
        sums, blends = [], []
        for game in range(run.pick(part_of(200, share), 2)):
            less, decisions = 0.0, 0
            for moment in moments(rules, opponent, makers, 2, game):
                if moment.opponent_chooses:
                    own, closed = moment.beliefs.values()
                    assert isinstance(own, ParticleBelief)
                    less += log_loss(own, moment.hidden) - log_loss(closed, moment.hidden)
                    decisions += 1
                    blends.append(own.blend)
            if decisions:
                sums.append((less, decisions))
        found = ratio([less for less, _ in sums], [decisions for _, decisions in sums])
        title, unit = (
            f"log-loss less the closed form's, {rules}, {opponent} taken for {model}",
            f"nats, ± {found.half_width:.2g}",
        )
        if model == opponent:
            yield at_most(title, found.high, 0.0, f"upper end, mean {found.mean:.4f}")
            yield at_most(f"blend, {rules}, {model}: 99 % quantile", float(np.quantile(blends, 0.99)), 0.1, "")
        else:
            yield at_most(title, found.mean, 0.005, unit)


# --- time and life ---------------------------------------------------------------------------------------


class Timed(ParticleBelief):
    """A filter that measures its updates."""

    spent: list[float]
    """CPU time of each, in milliseconds."""

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action, on the clock."""
        start = time.process_time()
        super().update(events, observation)
        self.spent.append(1000 * (time.process_time() - start))


def times(run: Run, share: float) -> Iterator[Claim]:
    """Measure updates."""
    for rules, model in DIVERSE:
        spent: list[float] = []

        def make(table: Rules, seen: Observation, seed: np.random.SeedSequence, model: str = model) -> Belief:
            belief = Timed(table, seen, scripted(model), SIZE, seed)
            belief.spent = spent  # noqa: B023
            return belief

        for game in range(WARM + run.pick(part_of(50, share), 1)):
            for moment in moments(rules, model, {"filter": make}, 3, game):
                del moment
            if game == WARM - 1:
                spent.clear()  # kernels were compiled
        title = f"time of an update, {rules}, {model}"
        yield shown(f"{title}: median", float(np.median(spent)), "ms")
        yield at_most(f"{title}: mean", float(np.mean(spent)), 5, "ms")
        yield at_most(f"{title}: 99 % quantile", float(np.quantile(spent, 0.99)), 35, "ms")
        yield at_most(f"{title}: largest", max(spent), 120, "ms")


def life(run: Run, share: float) -> Iterator[Claim]:
    """Follow many games with small filters."""
    names = ("heuristic", "greedy", "random", "heuristic:noise=0.1", "baseline")
    tables = ("house", "printed", "stacking", "party", "mini-9", "mini-12", "mini-bluff")
    failures, actions, games = 0, 0, run.pick(part_of(100_000, share), 6)
    for game in range(games):
        model, opponent = names[game % 5], names[game // 5 % 5]
        try:
            for moment in moments(tables[game % 7], opponent, filters(model, 1, 300), 4, game):
                (belief,) = moment.beliefs.values()
                held = belief.probabilities()[moment.hidden.array() > 0]
                actions += 1
                if not (held > 0.0).all() or not belief.hand_probability(moment.hidden) > 0.0:
                    failures += 1
        except (UnoError, ArithmeticError, ValueError, IndexError, MemoryError) as error:
            print(f"game {game}: {error!r}", file=sys.stderr)
            failures += 1
    yield shown("life: games", games, f"games, {actions:,} actions")
    yield at_most("life: failures", failures, 0, "")


# --- beside the earlier filter ---------------------------------------------------------------------------


EARLIER: Final = "dc47ef2"
"""The commit with the filter to compare with."""
LOSS: Final = """
import json, sys, time
import numpy as np
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from benchmarks.experiments.belief_quality import log_loss, watch
from uno_pomdp.policies.opponent_models import named_model
from uno_pomdp.rules import preset

rules, model, size, games = preset(sys.argv[1]), named_model(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
spent = []

class Timed(ParticleBelief):
    def update(self, *step):
        start = time.process_time()
        super().update(*step)
        spent.append(1000 * (time.process_time() - start))

make = {"filter": lambda rules, seen, seed: Timed(rules, seen, model, size, seed)}
rows = []
for game in range(games):
    if game == 3:
        spent.clear()  # kernels were compiled
    rows.append([0.0, 0])
    seed = np.random.SeedSequence(2, spawn_key=(2, game))
    for moment in watch(rules, make, seed, opponent=model, own=model, seat=game % 2):
        if moment.opponent_chooses and moment.observation.outcome is None:
            rows[-1][0] += log_loss(moment.beliefs["filter"], moment.hidden)
            rows[-1][1] += 1
print(json.dumps([rows, float(np.mean(spent)) if spent else 1.0]))
"""
"""Prints the log-loss and the decisions of each game, and the mean time of an update."""
MATCH: Final = """
import json, sys
import uno_pomdp as uno

rules, first, pairs, opponent = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
found = uno.match("flat:ms=10,belief=particles,model=heuristic", opponent, pairs=pairs, rules=rules, seed=first)
print(json.dumps([found.scores.tolist(), found.lucks.tolist()]))
"""
"""Prints the score and the luck of each pair."""
BEFORE: Final = (("house", "heuristic", 10_000), ("printed", "heuristic", 10_000), ("house", "greedy", 1_000))
"""Rules, model and particles of the earlier filter."""
MATCHES: Final = {"house": -0.5, "printed": 0.0}
"""By rules: how many points the search with this filter may lose to that with the earlier one."""
CHUNK: Final = 10
"""Pairs that either plays before it is the other's turn: both then share what else the machine does."""


def answer(program: str, sources: Path, *arguments: object) -> list[Any]:
    """Run a program with some sources; return what it prints."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    surroundings = os.environ | {"PYTHONPATH": str(sources)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=surroundings)
    found: list[Any] = json.loads(done.stdout)
    return found


def earlier(run: Run, share: float) -> Iterator[Claim]:
    """Compare with the filter of an earlier commit."""
    here = Path(__file__).parent.parent / "src"
    with sources_before(run, EARLIER) as there:
        for rules, model, size in run.pick(BEFORE, BEFORE[:1]):
            games = run.pick(part_of(200, share), 2)
            (new, _), (old, _) = (
                answer(LOSS, sources, rules, model, run.pick(count, 50), games)
                for sources, count in ((here, SIZE), (there, size))
            )
            less = [one[0] - other[0] for one, other in zip(new, old, strict=True)]
            found = ratio(less, [row[1] for row in new])
            title = f"log-loss less that of {size:,} particles before, {rules}, {model}"
            yield at_most(title, found.high, 0.0003, f"upper end, mean {found.mean:+.4f} nats")
        turns = run.interleaved(
            *(
                lambda _, sources=sources: answer(LOSS, sources, "house", "greedy", SIZE, run.pick(53, 2))[1]
                for sources in (here, there)
            )
        )
        yield at_most("time of an update, house, greedy, by that of before", median_ratio(*turns), 1.5, "×")
        for rules, least in run.pick(MATCHES, {"house": -0.5}).items():
            yield from match_of_both(rules, least, run.pick(part_of(4_000, share), 2), here, there)


def match_of_both(rules: str, least: float, pairs: int, here: Path, there: Path) -> Iterator[Claim]:
    """Play the same deals against the same opponent with either filter in the search; compare what it wins."""
    rows = []
    for seed in range(0, pairs, CHUNK):
        both = [answer(MATCH, sources, rules, seed, min(CHUNK, pairs - seed), "heuristic") for sources in (here, there)]
        rows += np.subtract(both[0], both[1]).T.tolist()
    score, luck = np.array(rows).T
    slope = float(score @ luck / (luck @ luck)) if luck.any() else 0.0  # a control variate with mean zero
    less = 100 * (score - slope * luck)
    half = 1.96 * float(less.std(ddof=1)) / len(less) ** 0.5
    title = f"points of flat:ms=10 against heuristic, {rules}, less those with the filter of before"
    yield at_least(title, less.mean() - half, least, f"lower end, mean {less.mean():+.2f} ± {half:.2f}, {pairs} pairs")


# --- integration -----------------------------------------------------------------------------------------


def integration(run: Run, share: float) -> Iterator[Claim]:
    """Measure what it saves to leave the cards that wait open."""
    opened, drawn, waits, count = 0.0, 0.0, 0, 0
    for game in range(run.pick(part_of(40, share), 1)):
        for moment in moments("house", "heuristic", filters("heuristic", run.pick(SEEDS, 2)), 5, game):
            count += 1
            beliefs = [belief for belief in moment.beliefs.values() if isinstance(belief, ParticleBelief)]
            states = [belief._state for belief in beliefs]
            if not all(state.particles.waiting for state in states):
                continue
            waits += 1
            rows = [filter_stages.held_shares(state.particles, state.weights) for state in states]
            closed = [filter_stages.draw(state.particles, streams(number)) for number, state in enumerate(states)]
            others = [filter_stages.held_shares(one, state.weights) for one, state in zip(closed, states, strict=True)]
            opened += float(np.var(rows, axis=0, ddof=1).sum())
            drawn += float(np.var(others, axis=0, ddof=1).sum())
    yield shown("integration: moments with cards that wait", 100 * waits / max(count, 1), "%")
    yield shown("integration: variance left there", 100 * opened / max(drawn, 1e-12), "%")


PARTS: Final = {
    "lie": lie,
    "diversity": diversity,
    "exactness": exactness,
    "log-loss": losses,
    "time": times,
    "life": life,
    "integration": integration,
    "earlier": earlier,
}
"""By name: what can be measured alone."""


def benchmark(only: str | None, pictures: Path | None, share: float = 1.0) -> Benchmark:
    """Return the parts, or one of them alone, with a share of the sample."""
    del pictures  # it draws none
    parts = PARTS if only is None else {only: PARTS[only]}
    return Benchmark("filter", tuple(Part(name, functools.partial(part, share=share)) for name, part in parts.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--share", type=float, default=1.0)
    chosen, others = parser.parse_known_args(arguments)
    return run_parts(PARTS, functools.partial(benchmark, share=chosen.share), others)


if __name__ == "__main__":
    sys.exit(main())
