"""What the number of particles is worth: quality, strength and time of the filter by N, on one core.

The opponent really plays `greedy`, and the filter takes it to (`model=greedy`).

*Log-loss*: games of greedy players; at every decision of the opponent without a penalty, the mean over the types with
an unseen card of −ln P(held) or −ln P(not held), in nats. Filters of all sizes and the beliefs beside them watch the
same games. Games differ more than beliefs, so what is shown is the loss less that of the closed form, paired, with
intervals clustered by game. On the full deck beside the uniform belief; on `mini-12` beside enumeration, the exact
posterior.

*Options*: the same loss on other games, of filters of 1,000 with a right model, none and wrong ones, and with another
threshold of resampling.

*Strength*: points of `flat` with 200 simulations against `greedy`, duplicate deals, luck-adjusted, 95 % intervals. Only
the belief differs. `uniform` is naive play: it knows how many cards are hidden, and nothing of the past. Large filters
play fewer pairs.

*A game*: effective sample size and distinct hands of a filter of 1,000 through one game.

*Time*: a game by its updates, both players' actions, as CPU time; the closed form and all sizes in turn, game by game.
Figures and ratios are medians over games; the mean of all updates is higher, for an update is dearer in a long game.

Pictures go to docs/pictures, or where `--pictures FOLDER` says; `--part` measures one of `log-loss`, `options`, `game`,
`time` and `strength` alone.
"""

import functools
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.belief_quality import PICTURES, particles
from benchmarks.beliefs import MICRO, follow, watched_games
from benchmarks.experiments.belief_plots import draw_by_size, draw_course
from benchmarks.experiments.belief_quality import Estimate, Maker, log_loss, ratio, watch
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, median, median_ratio, run_parts, shown
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import REJUVENATED, RESAMPLED, Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.game.observation import Observation
from uno_pomdp.plots import check_picture
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.rules import Rules, preset

HOUSE: Final = preset("house")
SIZES: Final = (100, 300, 1_000, 3_000, 10_000)
"""Particles of the filters that are measured."""
FEWER: Final = (20, 50)
"""The same in a quick run."""
PAIRS: Final = {100: 250, 1_000: 250, 10_000: 80}
"""By number of particles: the pairs of games that a filter plays."""
COURSE_SIZE: Final = 1_000
"""Particles of the filter that is shown through one game."""
COURSE_SEED: Final = 20
"""The game that is shown."""
OPTIONS: Final = (
    "",
    ",model=greedy",
    ",model=random",
    ",model=heuristic",
    ",model=greedy,resample=0",
    ",model=greedy,resample=1",
)
"""What is written after `particles`, against an opponent that plays greedy."""
CLOSED: Final = "closed form (choice-agnostic)"

BESIDE: Final[Mapping[str, Maker]] = {
    "uniform": lambda rules, seen, _: UniformBelief(rules, seen),
    "enumeration": lambda rules, seen, _: EnumeratedBelief(rules, seen, PolicyModel(GREEDY)),
}
"""What stands beside the filter and the closed form, by name."""


# --- log-loss --------------------------------------------------------------------------------------------


def losses(rules: Rules, makers: Mapping[str, Maker], games: int, part: int) -> tuple[Floats, Floats]:
    """Return by game the log-loss of each belief, added up over the decisions of the opponent, and their number."""
    sums, decisions = np.zeros((games, len(makers))), np.zeros(games)
    for number in range(games):
        for moment in watch(rules, makers, np.random.SeedSequence(1, spawn_key=(part, number)), seat=number % 2):
            if moment.opponent_chooses:
                sums[number] += [log_loss(belief, moment.hidden) for belief in moment.beliefs.values()]
                decisions[number] += 1
    there = decisions > 0
    return sums[there], decisions[there]


def closed_form(rules: Rules, seen: Observation, seed: np.random.SeedSequence) -> Belief:
    """Return what the others are compared with."""
    del seed
    return ClosedFormBelief(rules, seen)


def log_losses(run: Run, rules: Rules, beside: str, games: int, part: int, pictures: Path | None) -> Iterator[Claim]:
    """Compare filters of all sizes with the closed form and one belief more on the same games."""
    sizes = run.pick(SIZES, FEWER)
    filters_of = {str(size): functools.partial(particles, size=size) for size in sizes}
    makers: dict[str, Maker] = {"closed": closed_form, beside: BESIDE[beside]} | filters_of
    sums, decisions = losses(rules, makers, games, part)
    whole = ratio(sums[:, 0], decisions)
    title = f"log-loss, {rules.name}"
    yield shown(f"{title}: games", len(sums), f"games, {decisions.sum():,.0f} decisions")
    yield shown(f"{title}: closed form", whole.mean, f"nats, ± {whole.half_width:.2g}")
    other, *filters = (ratio(column - sums[:, 0], decisions) for column in sums.T[1:])
    yield shown(f"{title}: {beside} less closed form", other.mean, f"nats, ± {other.half_width:.2g}")
    for size, less in zip(sizes, filters, strict=True):
        yield shown(f"{title}: {size:,} particles less closed form", less.mean, f"nats, ± {less.half_width:.2g}")
    gain = f"{title}: what {sizes[-1]:,} particles gain on the closed form, 95 % interval from"
    yield at_least(gain, -filters[-1].high, 0, "nats")
    if pictures is not None:
        path = pictures / f"particles-log-loss-{rules.name}.svg"
        lines = {CLOSED: Estimate(0.0, 0.0, len(sums)), beside: other}
        draw_by_size(path, "log-loss less the closed form's, nats", dict(zip(sizes, filters, strict=True)), lines)


def quality(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Measure on the full deck, and where the exact posterior can be had."""
    yield from log_losses(run, HOUSE, "uniform", run.pick(50, 2), 0, pictures)
    yield from log_losses(run, preset("mini-12"), "enumeration", run.pick(200, 5), 1, pictures)


def options(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Measure what the options do to filters of the usual size, on games of their own."""
    del pictures
    specs = [BeliefSpec.parse(f"particles{option}") for option in OPTIONS]
    makers: dict[str, Maker] = {"closed": closed_form}
    for spec in specs:
        make = spec.maker()
        makers[str(spec)] = lambda rules, seen, _, make=make: make(rules, seen)  # type: ignore[misc]
    sums, decisions = losses(HOUSE, makers, run.pick(50, 2), 2)
    for spec, column in zip(specs, sums.T[1:], strict=True):
        less = ratio(column - sums[:, 0], decisions)
        yield shown(f"options: {spec} less closed form", less.mean, f"nats, ± {less.half_width:.2g}")


# --- strength --------------------------------------------------------------------------------------------


def points(belief: str, simulations: int, pairs: int) -> Estimate:
    """Return the points of flat Monte Carlo with a belief against greedy, in percent."""
    match = Match(HOUSE, (f"flat:sims={simulations},belief={belief}", "greedy"), pairs, seed=1)
    found = run_match(match).sharpest()
    return Estimate(100 * found.estimate, 50 * (found.high - found.low), pairs)


def strength(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Measure what a belief is worth to the same search."""
    simulations, others = run.pick((200, 250), (10, 1))
    pairs: Mapping[int, int] = run.pick(PAIRS, dict.fromkeys(FEWER, 1))
    lines = {name: points(name, simulations, others) for name in ("uniform", "closed")}
    curve = {
        size: points(f"particles,model=greedy,particles={size}", simulations, count) for size, count in pairs.items()
    }
    for name, found in (lines | {f"{size:,} particles": at for size, at in curve.items()}).items():
        yield shown(f"strength: {name}", found.mean, f"%, ± {found.half_width:.1f}, {found.games} pairs")
    if pictures is not None:
        names = {"uniform": "uniform (naive play)", "closed": CLOSED}
        draw_by_size(
            pictures / "particles-strength.svg",
            "points against greedy, %",
            curve,
            {names[name]: line for name, line in lines.items()},
        )


# --- one game --------------------------------------------------------------------------------------------


def one_game(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Follow a filter through a game."""
    size = run.pick(COURSE_SIZE, FEWER[-1])
    makers: dict[str, Maker] = {"filter": functools.partial(particles, size=size)}
    course = [
        moment.beliefs["filter"].diagnostics()
        for moment in watch(HOUSE, makers, COURSE_SEED)
        if moment.observation.outcome is None
    ]
    yield shown(f"a game: actions followed with {size:,} particles", len(course) - 1, "actions")
    yield shown("a game: least effective sample size", min(now.ess for now in course), "particles")
    yield shown("a game: fewest distinct hands", min(now.support for now in course), "hands")
    for did in (RESAMPLED, REJUVENATED):
        yield shown(f"a game: {did}", sum(now.did == did for now in course), "times")
    if pictures is not None:
        draw_course(pictures / "particles-course.svg", course)


# --- time ------------------------------------------------------------------------------------------------


def times(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Measure the updates of the closed form and of filters of all sizes on the same games."""
    sizes, games = run.pick(SIZES, FEWER), watched_games(run.pick(16, 2), 4)
    spent = np.zeros((len(games), 1 + len(sizes)))
    for game in games[:1]:  # compiled before the clock starts
        follow(ClosedFormBelief(game.rules, game.first).update, game.steps)
        follow(particles(game.rules, game.first, np.random.SeedSequence(0), sizes[0]).update, game.steps)
    for number, game in enumerate(games):
        seed = np.random.SeedSequence(number)
        beliefs = [
            ClosedFormBelief(game.rules, game.first),
            *(particles(game.rules, game.first, seed, size) for size in sizes),
        ]
        for column, belief in enumerate(beliefs):
            start = time.process_time()
            follow(belief.update, game.steps)
            spent[number, column] = (time.process_time() - start) * MICRO
    updates = np.array([len(game.steps) for game in games])
    typical = [median(column / updates) for column in spent.T]
    yield shown("time: an update of the closed form", typical[0], f"µs, {len(games)} games, {updates.sum():,} updates")
    for size, column, each in zip(sizes, spent.T[1:], typical[1:], strict=True):
        yield shown(f"time: an update of {size:,} particles", each, "µs")
        yield shown(f"time: an update of {size:,} particles, mean of all", column.sum() / updates.sum(), "µs")
        yield shown(
            f"time: {size:,} particles by the closed form", median_ratio(column.tolist(), spent[:, 0].tolist()), "×"
        )
    if pictures is not None:
        closed, *curve = (Estimate(each, 0.0, len(games)) for each in typical)
        path, filters = pictures / "particles-time.svg", dict(zip(sizes, curve, strict=True))
        draw_by_size(path, "an update, µs", filters, {CLOSED: closed}, logarithmic=True)


Drawing = Callable[[Run, Path | None], Iterator[Claim]]
"""Measures a part and draws its pictures into a folder, if there is one."""


def measured(run: Run, part: Drawing, pictures: Path | None) -> Iterator[Claim]:
    """Measure a part; its pictures go to this folder, unless told otherwise in a full run to those of the pages."""
    folder = pictures or run.pick(PICTURES, None)
    if folder is not None:
        check_picture(folder / "any.svg")  # before the work, not after it
    yield from part(run, folder)


PARTS: Final[Mapping[str, Drawing]] = {
    "log-loss": quality,
    "options": options,
    "game": one_game,
    "time": times,
    "strength": strength,
}
"""By name: what can be measured alone."""


def benchmark(only: str | None, pictures: Path | None) -> Benchmark:
    """Return the parts, or one of them alone, with the folder of their pictures."""
    parts = PARTS if only is None else {only: PARTS[only]}
    measures = {name: functools.partial(measured, part=part, pictures=pictures) for name, part in parts.items()}
    return Benchmark("particle_filter", tuple(Part(name, measure) for name, measure in measures.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit code."""
    return run_parts(PARTS, benchmark, arguments)


if __name__ == "__main__":
    sys.exit(main())
