"""Would the rules pay off on a GPU? Random games by the kernels of `game`, one thread a game, beside all cores.

    python -m benchmarks.tuning.gpu_rules

Both targets compile the same functions. Only the reshuffle is another one, for a GPU thread can't make arrays: it puts
the played cards back in the order in which they lie. Needs a CUDA device.
"""

import os
import sys
import threading
import time
from itertools import pairwise
from typing import Any

import numba
import numpy as np

from benchmarks.harness import peer
from uno_pomdp.game import kernels
from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.layout import RUNNING, STATE, Record, States, template
from uno_pomdp.game.rng import Streams, advance, mix, seeds, streams
from uno_pomdp.jit import as_int
from uno_pomdp.rules import preset

GAMES = 1 << 20
BLOCKS = 64, 128, 256
RULES = (
    "playable_mask", "play_actions", "answering_types", "can_draw_one", "legal_mask_of", "legal_mask", "give_card",
    "take_card", "pop_card", "shuffle", "deal", "first_rng", "turn_up", "swap_hands", "play", "draw",
    "draw_until_playable", "is_guilty", "challenge", "exhaust", "keep", "apply",
)  # fmt: skip
"""The kernels that a game needs."""

compiled: Any = numba.njit(nogil=True, error_model="numpy")


def reshuffle(state: Record) -> bool:
    """Put the played pile except its top card back and shuffle; False if there is nothing to put back."""
    if state["played_size"] <= 1:
        return False
    pile = state["draw_pile"]
    size = as_int(state["draw_size"])
    for place in range(as_int(state["played_size"]) - 1):
        pile[size] = state["played"][place]
        size += 1
    state["played"][0] = state["top"]
    state["played_size"] = 1
    state["draw_size"] = size
    kernels.shuffle(pile, size, mix(state["rng"]))
    state["rng"] = advance(state["rng"])
    return True


def compile_anew() -> Any:
    """Return a function that plays one game, of fresh kernels without a cache, which either target can compile."""
    vars(kernels)["reshuffle"] = compiled(reshuffle)
    for name in RULES:
        vars(kernels)[name] = compiled(getattr(kernels, name).py_func)
    deal, apply, legal_mask = kernels.deal, kernels.apply, kernels.legal_mask

    def play_one(states: States, index: int, undealt: States, hand_size: int, keys: Any, chance: Streams) -> int:
        deal(states, index, undealt, hand_size, keys[index])
        state = states[index]
        moves = 0
        while state["status"] == RUNNING:
            apply(state, random_bit(legal_mask(state), chance[index]))
            moves += 1
        return moves

    return compiled(play_one)


def on_cores(play_one: Any, games: int) -> tuple[int, float]:
    """Return the moves of so many games and the seconds that all cores took."""

    def play_some(
        states: States, first: int, end: int, undealt: States, size: int, keys: Any, chance: Any, moves: Any
    ) -> None:
        for index in range(first, end):
            moves[index] = play_one(states, index, undealt, size, keys, chance)

    rules, cores = preset("house"), os.cpu_count() or 1
    states, moves, keys, chance = np.zeros(games, STATE), np.zeros(games, np.int64), seeds(1, games), streams(2, games)
    undealt, edges = template(rules), np.linspace(0, games, cores + 1).astype(int).tolist()
    some = compiled(play_some)
    work = [
        threading.Thread(target=some, args=(states, first, end, undealt, rules.hand_size, keys, chance, moves))
        for first, end in pairwise(edges)
    ]
    some(states, 0, 1, undealt, rules.hand_size, keys, streams(3, games), moves)  # compiled here
    started = time.perf_counter()
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    return int(moves.sum()), time.perf_counter() - started


def on_gpu(play_one: Any, games: int, block: int) -> tuple[int, float]:
    """Return the moves of so many games and the seconds that a GPU took, with all data there."""
    cuda = peer("numba.cuda")

    def play_all(states: Any, undealt: Any, size: int, keys: Any, chance: Any, moves: Any) -> None:
        index = cuda.grid(1)
        if index < len(states):
            moves[index] = play_one(states, index, undealt, size, keys, chance)

    rules = preset("house")
    states, moves = cuda.to_device(np.zeros(games, STATE)), cuda.device_array(games, np.int64)
    undealt, keys = cuda.to_device(template(rules)), cuda.to_device(seeds(1, games))
    everything, seconds = cuda.jit(play_all), 0.0
    for _ in range(2):  # the first time it is compiled
        chance = cuda.to_device(streams(2, games))
        started = time.perf_counter()
        everything[(games + block - 1) // block, block](states, undealt, rules.hand_size, keys, chance, moves)
        cuda.synchronize()
        seconds = time.perf_counter() - started
    return int(moves.copy_to_host().sum()), seconds


def main() -> int:
    """Measure both and print moves a second."""
    play_one = compile_anew()
    moves, seconds = on_cores(play_one, GAMES)
    print(f"{os.cpu_count()} cores: {moves / seconds / 1e6:,.0f} M moves/s", flush=True)
    cuda = peer("numba.cuda")
    if not cuda.is_available():
        print("no CUDA device here: the other half is left out")
        return 2
    for block in BLOCKS:
        same, seconds = on_gpu(play_one, GAMES, block)
        print(
            f"GPU, blocks of {block}: {same / seconds / 1e6:,.0f} M moves/s, the same games: {same == moves}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
