"""The closed form under every rule: exact against enumeration, and how large and how quick on the full deck.

*Exact*: random games on mini decks that have every card a rule is about, under all legal combinations of the variant
fields, from both seats. After every action the closed form in whole numbers has to say what enumeration of all hands
says, to the last digit: every hand, every expected count, sets of types, and while a card is pending that has to be
played, every hand with that card. The kernels have to say the same to 1e-8.

*From the middle*: the same where a seat begins in the middle of a game and does not know some played cards, against all
worlds, in which hand, draw pile and hidden played cards are told apart.

*Presets*: games between greedy players who challenge one wild +4 in four, followed from the first seat by
`ClosedFormBelief`. *Configurations* are those of the mixture after each update; an update is that of one action.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.experiments.belief_quality import choose
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, run, shown
from tests.beliefs.exactness import agree, compare
from tests.beliefs.games import mini_rules, random_game, whole_mini_rules
from tests.beliefs.hidden_played import compare as compare_with_worlds
from tests.beliefs.hidden_played import views
from tests.helpers import ALL_VARIANTS, PAIRS_OF_VALUES, named
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.game.actions import CHALLENGE
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import FIRST
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.rules import preset

GAMES: Final = 20
"""Mini games of each combination in a full run."""
GAMES_BEGUN: Final = 3
"""Mini games begun in the middle, of each combination and either kind of deck."""
NAMES: Final = ("house", "printed", "stacking", "party")
CHALLENGES: Final = 0.25
"""How often a wild +4 is challenged that can be."""


def exact(run: Run) -> Iterator[Claim]:
    """Count posteriors in which the closed form and enumeration differ."""
    variants, games = run.pick(ALL_VARIANTS, PAIRS_OF_VALUES[:4]), run.pick(GAMES, 1)
    posteriors = pending = cut = differences = 0
    for number, variant in enumerate(variants):
        for seed in range(1_000 * number, 1_000 * number + games):
            for seen in random_game(whole_mini_rules(seed, variant), seed):
                posteriors += 1 + len(seen.moments)
                pending += sum(moment.drawn is not None for moment in seen.moments)
                cut += sum(len(moment.events) == 3 and moment.reshuffled for moment in seen.moments)
                try:
                    compare(seen)
                    for _ in agree(seen):
                        pass
                except AssertionError as difference:
                    differences += 1
                    seat = seen.first.seat
                    print(f"{named(variant)}, game {seed}, seat {seat}: {difference}", file=sys.stderr)
    yield at_most("views of games in which closed form, enumeration or kernels differ", differences, 0, "views")
    yield at_least("combinations of the variant fields", len(variants), len(ALL_VARIANTS), "combinations")
    yield shown("mini games, each from both seats", len(variants) * games, "games")
    yield shown("posteriors compared", posteriors, "posteriors")
    yield shown("of these with a card pending", pending, "posteriors")
    yield shown("draws that a reshuffle cuts in two", cut / 2, "draws")


def exact_from_the_middle(run: Run) -> Iterator[Claim]:
    """Count views of games with hidden played cards in which beliefs and all worlds differ."""
    variants, games = run.pick(ALL_VARIANTS, PAIRS_OF_VALUES[:4]), run.pick(GAMES_BEGUN, 1)
    met, differences, seen = Counter[str](), 0, 0
    for number, variant in enumerate(variants):
        for seed in range(games):
            for make in (whole_mini_rules, mini_rules):
                for view in views(make(1_000 * number + seed, variant, 7), seed, moves=1 + seed % 7, at_most=14):
                    seen += 1
                    try:
                        compare_with_worlds(view, met)
                    except AssertionError as difference:
                        differences += 1
                        print(f"{named(variant)}, game {seed}: {difference}", file=sys.stderr)
    yield at_most(
        "views of games with hidden played cards in which beliefs and all worlds differ", differences, 0, "views"
    )
    yield shown("views of mini games begun in the middle", seen, "views")
    yield shown("posteriors compared", met["posteriors"], "posteriors")
    for what in ("own draw", "other draw", "hidden went back", "Shown", "Swapped", "pending"):
        yield shown(f"of these with: {what}", met[what], "posteriors")


def act(game: Game, chance: np.random.Generator) -> None:
    """Let the player to move do what a greedy one does, who challenges now and then."""
    if CHALLENGE in game.legal_actions() and chance.random() < CHALLENGES:
        game.apply(CHALLENGE)
    else:
        game.apply(choose(game, PolicyModel(GREEDY), chance))


def presets(run: Run) -> Iterator[Claim]:
    """Measure the mixture and its updates under each preset."""
    games = run.pick(500, 2)
    for name in NAMES:
        sizes: list[int] = []
        times: list[float] = []
        for number in range(games):
            game, chance = Game.new(preset(name), 500_000 + number), np.random.default_rng((5, number))
            first, steps = game.observation(FIRST), []
            while not game.over:
                act(game, chance)
                steps.append(game.last_step(FIRST))
            reading = ClosedFormBelief(game.rules, first)
            for step in steps:
                reading.update(*step)
                sizes.append(reading.diagnostics().size)
            belief = ClosedFormBelief(game.rules, first)  # once more by the clock, compiled and with nothing in between
            for step in steps:
                start = time.perf_counter()
                belief.update(*step)
                times.append(time.perf_counter() - start)
        yield shown(f"{name}: updates of {games:,} games", len(sizes), "updates")
        yield shown(f"{name}: configurations after an update, mean", float(np.mean(sizes)), "configurations")
        yield shown(f"{name}: configurations after an update, p99", float(np.percentile(sizes, 99)), "configurations")
        yield shown(f"{name}: configurations after an update, worst", max(sizes), "configurations")
        yield shown(f"{name}: update, median", float(np.median(times)) * 1e6, "µs")
        yield shown(f"{name}: update, mean", float(np.mean(times)) * 1e6, "µs")
        yield shown(f"{name}: update, p99", float(np.percentile(times, 99)) * 1e6, "µs")


BENCHMARK = Benchmark(
    "belief_rules",
    (
        Part("exact under every combination of rules", exact),
        Part("exact from the middle, played cards unknown", exact_from_the_middle),
        Part("the mixture under each preset", presets),
    ),
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
