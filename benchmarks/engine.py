"""How fast the rules are, beside rlcard and open_spiel: rules `house`, everything on one core.

*Self-play* is `play_random_games`, in whole games against rlcard's `env.run` with two of its `RandomAgent`s,
and in decisions against open_spiel's C++ `evaluate_bots` with two uniform random bots on its nearest game,
`crazy_eights(players=2,use_special_cards=true,reshuffle=true)`. A decision is one action of one player,
forced ones included. Those of open_spiel are counted in a first run of the very same games, off the clock:
the moves in the history of each finished state that are not chance's. No side keeps the games it has played.

*Batch* is a user's loop over `Batch`: `legal_masks`, a random legal action chosen from the `[n, 63]` rows,
`step`, `restart` of the finished games with fresh seeds. *Game* is `Game.legal_actions` and `Game.apply`
against rlcard's raw `UnoGame.step`, whose legal actions come with the state that it returns; both sides
choose with `random.choice` and deal their own games.

*Compiling* is the wall time of a fresh process that imports, plays one game and one batch and some self-play,
with an empty cache, less that of the same process with the cache it has left. A ratio is the median over the
repeats of the ratio within a repeat; other figures are medians.
"""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import (
    Benchmark,
    Claim,
    Part,
    Run,
    at_least,
    at_most,
    median,
    median_ratio,
    peer,
    run,
    seconds,
    shown,
)
from benchmarks.kernels.random_games import play_random_games
from uno_pomdp.game.batch import Batch
from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS, States
from uno_pomdp.game.rng import Streams, seeds, streams
from uno_pomdp.jit import kernel
from uno_pomdp.rules import preset

HOUSE = preset("house")
CRAZY_EIGHTS = "crazy_eights(players=2,use_special_cards=true,reshuffle=true)"


def _rate(play: Callable[[], int]) -> float:
    """Return the decisions per second of something that returns its decisions."""
    decisions: list[int] = []
    spent = seconds(lambda: decisions.append(play()))
    return decisions[0] / spent


# --- random self-play ------------------------------------------------------------------------------------


def against_rlcard(run: Run) -> Iterator[Claim]:
    """Measure whole games: kernels against `env.run`."""
    our_games, their_games = run.pick(200_000, 200), run.pick(400, 5)
    env = peer("rlcard").make("uno")
    agent = peer("rlcard.agents").RandomAgent
    env.set_agents([agent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def run_theirs() -> None:
        for _ in range(their_games):
            env.run()  # what it returns is let go: keeping the trajectories would slow it down

    def ours(repeat: int) -> float:
        return our_games / seconds(lambda: play_random_games(HOUSE, our_games, seed=repeat))

    def theirs(repeat: int) -> float:
        np.random.seed(repeat)  # noqa: NPY002  # what its random agents draw from
        return their_games / seconds(run_theirs)

    play_random_games(HOUSE, 1, seed=0)  # compiled before the clock starts
    us, them = run.interleaved(ours, theirs)
    yield at_least("self-play: kernels by rlcard env.run, games", median_ratio(us, them), 700, "×")
    yield shown("self-play: kernels", median(us), "games/s")
    yield shown("self-play: rlcard env.run", median(them), "games/s")


def against_open_spiel(run: Run) -> Iterator[Claim]:
    """Measure decisions: kernels against the C++ loop of `evaluate_bots`."""
    our_games, their_games = run.pick(200_000, 200), run.pick(4_000, 20)
    pyspiel = peer("pyspiel")
    game = pyspiel.load_game(CRAZY_EIGHTS)

    def ours(repeat: int) -> float:
        return _rate(lambda: play_random_games(HOUSE, our_games, seed=repeat).decisions)

    def run_theirs(finished: Callable[[Any], object]) -> None:
        bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(2)]
        for number in range(their_games):
            state = game.new_initial_state()
            pyspiel.evaluate_bots(state, bots, number)
            finished(state)

    counts: list[int] = []
    run_theirs(lambda state: counts.append(sum(move.player >= 0 for move in state.full_history())))

    def theirs(_: int) -> float:
        return sum(counts) / seconds(lambda: run_theirs(lambda _: None))

    play_random_games(HOUSE, 1, seed=0)  # compiled before the clock starts
    us, them = run.interleaved(ours, theirs)
    ratio = median_ratio(us, them)
    yield at_least("self-play: kernels by open_spiel evaluate_bots, decisions", ratio, 15, "×")
    yield shown("self-play: kernels", median(us), "decisions/s")
    yield shown("self-play: open_spiel evaluate_bots", median(them), "decisions/s")


def random_play(run: Run) -> Iterator[Claim]:
    """Show how long a random game is, and what moving first is worth."""
    tally = play_random_games(HOUSE, run.pick(2_000_000, 2_000), seed=2026)
    rate = tally.first_wins / tally.games
    margin = 1.96 * sqrt(rate * (1 - rate) / tally.games)
    yield shown("random v random: length of a game", tally.decisions / tally.games, "decisions")
    yield shown("random v random: player 1 wins", 100 * rate, "% of games")
    yield shown("random v random: player 1 wins, 95 % interval from", 100 * (rate - margin), "% of games")
    yield shown("random v random: player 1 wins, 95 % interval to", 100 * (rate + margin), "% of games")


# --- the batch -------------------------------------------------------------------------------------------


@kernel
def choose_randomly(masks: npt.NDArray[np.bool_], players: Streams, actions: npt.NDArray[np.int64]) -> None:
    """Choose for each row one of the actions that it allows, all equally likely; a row must allow one."""
    for game in range(len(masks)):
        allowed = np.uint64(0)
        for action in range(ACTIONS):
            allowed |= np.uint64(masks[game, action]) << np.uint64(action)
        actions[game] = random_bit(allowed, players[0])


class Loop:
    """Many games side by side, each dealt anew when it ends."""

    def __init__(self, games: int, seed: int) -> None:
        self.batch = Batch.deal(HOUSE, games, seed)
        self.players = streams(seed)
        self.masks = np.empty((games, ACTIONS), np.bool_)
        self.actions = np.zeros(games, np.int64)
        self.deals = np.random.SeedSequence(seed)
        self.fresh = seeds(self.deals, 0)

    def advance(self, steps: int) -> None:
        """Make a decision in every game, `steps` times."""
        games = len(self.batch)
        for _ in range(steps):
            self.batch.legal_masks(out=self.masks)
            choose_randomly(self.masks, self.players, self.actions)
            self.batch.step(self.actions)
            if len(self.fresh) < games:
                self.fresh = seeds(self.deals.spawn(1)[0], 4 * games)
            self.fresh = self.fresh[self.batch.restart(self.fresh) :]


def batch_with_masks(run: Run) -> Iterator[Claim]:
    """Measure decisions through the batch API, legal masks included."""
    games, steps = run.pick(4_096, 64), run.pick(2_500, 20)
    loop = Loop(games, seed=1)
    loop.advance(run.pick(200, 1))  # compiled, and games at all stages, before the clock starts
    (rates,) = run.interleaved(lambda _: games * steps / seconds(lambda: loop.advance(steps)))
    yield at_least(f"batch of {games:,} with legal masks", median(rates) / 1e6, 10, "million decisions/s")


# --- one game from Python --------------------------------------------------------------------------------


def play_ours(games: int, rng: random.Random) -> int:
    """Play games through `Game`; return the decisions."""
    decisions = 0
    for _ in range(games):
        game = Game.new(HOUSE, rng.getrandbits(64))
        while not game.over:
            game.apply(rng.choice(game.legal_actions()))
            decisions += 1
    return decisions


def play_theirs(game: Any, games: int, rng: random.Random) -> int:
    """Play games through rlcard's raw game; return the decisions."""
    decisions = 0
    for _ in range(games):
        state, _ = game.init_game()
        while not game.is_over():
            state, _ = game.step(rng.choice(state["legal_actions"]))
            decisions += 1
    return decisions


def one_game(run: Run) -> Iterator[Claim]:
    """Measure decisions from Python, a game at a time."""
    our_games, their_games = run.pick(5_000, 5), run.pick(2_000, 5)
    raw = peer("rlcard.games.uno.game").UnoGame()

    def ours(repeat: int) -> float:
        return _rate(lambda: play_ours(our_games, random.Random(repeat)))

    def theirs(repeat: int) -> float:
        raw.np_random.seed(repeat)
        return _rate(lambda: play_theirs(raw, their_games, random.Random(repeat)))

    play_ours(1, random.Random(0))  # compiled before the clock starts
    us, them = run.interleaved(ours, theirs)
    yield at_least("game: Game.apply by rlcard UnoGame.step, decisions", median_ratio(us, them), 3, "×")
    yield shown("game: Game.apply with legal_actions", median(us), "decisions/s")
    yield shown("game: rlcard UnoGame.step", median(them), "decisions/s")


# --- one copy, one start ---------------------------------------------------------------------------------


@kernel
def copy_states(targets: States, sources: States, order: npt.NDArray[np.int64], rounds: int) -> np.uint64:
    """Copy every state once a round, in an order turned by one each round; return a sum over all the copies.

    Each round overwrites the last one's copies with others, and every copy is read: none can be left out.
    """
    total = np.uint64(0)
    count = len(order)
    for shift in range(rounds):
        for index in range(count):
            targets[index] = sources[order[(index + shift) % count]]
            total += targets[index]["rng"]
    return total


def copying(run: Run) -> Iterator[Claim]:
    """Measure the price of a copy: what a search pays before each simulation."""
    count, rounds = 1_024, run.pick(2_000, 2)
    sources = Batch.deal(HOUSE, count, seed=1).states
    targets = np.zeros_like(sources)
    order = np.random.default_rng(1).permutation(count)
    sums = []
    copy_states(targets, sources, order, 1)  # compiled before the clock starts
    (spent,) = run.interleaved(
        lambda _: seconds(lambda: sums.append(int(copy_states(targets, sources, order, rounds))))
    )
    once = sum(map(int, sources["rng"]))
    if set(sums) != {once * rounds % 2**64} or not np.array_equal(targets, sources[np.roll(order, 1 - rounds)]):
        raise AssertionError("copied states differ from their sources")
    yield at_most("a state copied inside a kernel", median(spent) / (rounds * count) * 1e9, 50, "ns")


START = """
import numpy as np
from uno_pomdp.game.game import Game
from uno_pomdp.rules import preset
game = Game.new(preset("house"), 1)
"""

SESSION = """
from uno_pomdp.game.batch import Batch
from benchmarks.kernels.random_games import play_random_games
while not game.over:
    game.apply(game.legal_actions()[0])
batch = Batch.deal(game.rules, 8, 1)
batch.step(np.argmax(batch.legal_masks(), axis=1))
play_random_games(game.rules, 1, 1)
"""


def compiling(run: Run) -> Iterator[Claim]:
    """Measure what a first use costs, and every use after it."""
    program = START + run.pick(SESSION, "")

    def start(cache: str) -> float:
        environment = {**os.environ, "UNO_POMDP_CACHE": cache}
        return seconds(lambda: subprocess.run([sys.executable, "-c", program], check=True, env=environment))

    compiled, warm = [], []
    for _ in range(run.repeats):
        with tempfile.TemporaryDirectory() as cache:
            cold = start(cache)
            warm.append(start(cache))
        compiled.append(cold - warm[-1])
    yield at_most("compiling from cold", median(compiled), 10, "s")
    yield shown("a start with everything compiled", median(warm), "s")


BENCHMARK = Benchmark(
    "engine",
    (
        Part("self-play beside rlcard", against_rlcard, peer="rlcard"),
        Part("self-play beside open_spiel", against_open_spiel, peer="pyspiel"),
        Part("random play", random_play),
        Part("batch with legal masks", batch_with_masks),
        Part("one game from Python beside rlcard", one_game, peer="rlcard"),
        Part("copying states", copying),
        Part("compiling from cold", compiling),
    ),
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
