"""Fit the net of `evaluation/heuristic_value.py` to positions of games that the heuristic plays against itself.

A position in which a player has to draw is taken now and then, also in the middle of a draw of several cards. From
there the heuristic plays many games out, each with the draw pile shuffled anew, and the share that the drawer wins is
the net's target. The module is written by
`python -m benchmarks.tuning.heuristic_value --out src/uno_pomdp/evaluation/heuristic_weights.py`.
The same seed gives the same positions and the same order of steps; how the matrix library adds up may differ in the
last digits.
"""

import argparse
from base64 import b85encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from uno_pomdp.evaluation.heuristic_features import (
    FIRST_LAYER,
    INPUTS,
    SECOND_LAYER,
    WORKSPACE,
    can_be_drawn,
    look,
    note_pile,
)
from uno_pomdp.evaluation.heuristic_value import NET, Workspaces
from uno_pomdp.evaluation.win_probability import draw_card
from uno_pomdp.game.kernels import apply, deal, legal_mask, reshuffle, shuffle, usual_draw
from uno_pomdp.game.layout import DRAW_BIT, NOBODY, RUNNING, STATE, States, template
from uno_pomdp.game.rng import Streams, below, seeds, sequence, streams
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Weights, choose
from uno_pomdp.policies.rollouts import play_out
from uno_pomdp.rules import preset

Floats = npt.NDArray[np.float32]
Parameters = list[Floats]

SHARES = {"house": 0.6, "printed": 0.22, "pass": 0.14, "mini-12": 0.02, "mini-10": 0.02}
"""The rules that positions come from."""
POSITIONS, PLAYOUTS = 1_800_000, 16
"""Positions, and games played out from each."""
EVERY = 8
"""One in so many draws is taken."""
EPOCHS, BATCH, RATE = 6, 512, 0.002
"""Passes over the positions, positions in a step, and the first step's size (Adam, falling as a cosine)."""
HELD_BACK = 20
"""One position in so many is not fitted to, but asked about."""


@kernel
def take_positions(
    undealt: States,
    hand_size: int,
    deal_seeds: npt.NDArray[np.uint64],
    weights: Weights,
    players: Streams,
    playouts: int,
    table: States,
    workspace: Workspaces,
    inputs: Floats,
    wins: Floats,
) -> int:
    """Write the inputs of positions and the drawer's share of wins; return how many there are."""
    stream, row = players[0], 0
    for number in range(len(deal_seeds)):
        deal(table, 0, undealt, hand_size, deal_seeds[number])
        state = table[0]
        while state["status"] == RUNNING and row < len(wins):
            legal = legal_mask(state)
            if legal != DRAW_BIT:
                apply(state, choose(HEURISTIC, state, legal, weights[0], stream))
                continue
            if can_be_drawn(state) and below(stream, EVERY) == 0:
                take_position(table, below(stream, 2 * max(as_int(state["penalty"]), 1)))
                wins[row] = share_won(table, playouts, weights, players)
                note_pile(workspace[0], table[1])
                look(workspace[0], table[1], weights[0])
                inputs[row] = workspace[0]["input"]
                row += 1
            usual_draw(state)
    return row


@kernel
def take_position(table: States, drawn: int) -> None:
    """Copy the first position to the second, with some cards already drawn if several are owed."""
    table[1] = table[0]
    state = table[1]
    owed = max(as_int(state["penalty"]), 1)
    if state["draw_size"] < owed:
        reshuffle(state)
    if drawn < owed:  # half of them: at the begin of a draw
        for _ in range(drawn):
            draw_card(state, as_int(state["draw_pile"][state["draw_size"] - 1]))


@kernel
def share_won(table: States, playouts: int, weights: Weights, players: Streams) -> float:
    """Return the points of the drawer of the second position, which is played out on the third."""
    stream = players[0]
    points = 0.0
    for _ in range(playouts):
        table[2] = table[1]
        state = table[2]
        stream["state"] = shuffle(state["draw_pile"], as_int(state["draw_size"]), stream["state"])
        state["rng"] = stream["state"]
        play_out(state, HEURISTIC, HEURISTIC, weights[0], stream)
        points += 0.5 if state["winner"] == NOBODY else as_int(state["winner"] == table[1]["turn"])
    return points / playouts


def positions(count: int, seed: int) -> tuple[Floats, Floats]:
    """Return the inputs of so many positions, and the share of games that the drawer wins from each."""
    shares = [(name, share / 2) for name, share in SHARES.items() for _ in range(2)]
    sources = sequence(seed).spawn(len(shares))

    def taken(name: str, size: int, source: np.random.SeedSequence) -> tuple[Floats, Floats]:
        rules = preset(name)
        deals, moves = source.spawn(2)
        inputs, wins = np.zeros((size, INPUTS), np.float32), np.zeros(size, np.float32)
        table, workspace = np.zeros(3, STATE), np.zeros(1, WORKSPACE)
        deal_seeds, players = seeds(deals, 20 * size), streams(moves)
        found = take_positions(
            template(rules), rules.hand_size, deal_seeds, WEIGHTS, players, PLAYOUTS, table, workspace, inputs, wins
        )
        return inputs[:found], wins[:found]

    with ThreadPoolExecutor(2) as pool:  # kernels let go of the interpreter
        names, sizes = [name for name, _ in shares], [int(share * count) for _, share in shares]
        parts = list(pool.map(taken, names, sizes, sources))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


# --- the fit ---------------------------------------------------------------------------------------------


def outputs(parameters: Parameters, inputs: Floats) -> tuple[Floats, Floats, Floats]:
    """Return both layers and the chance."""
    first_weights, first_bias, second_weights, second_bias, last, last_bias = parameters
    first = np.maximum(inputs @ first_weights + first_bias, 0)
    second = np.maximum(first @ second_weights + second_bias, 0)
    return first, second, 1 / (1 + np.exp(-(second @ last + last_bias)))


def gradient(parameters: Parameters, inputs: Floats, wins: Floats) -> Parameters:
    """Return the gradient of the mean cross-entropy."""
    first, second, chance = outputs(parameters, inputs)
    error = (chance - wins) / len(wins)
    on_second = np.outer(error, parameters[4]) * (second > 0)
    on_first = (on_second @ parameters[2].T) * (first > 0)
    return [
        inputs.T @ on_first,
        on_first.sum(axis=0),
        first.T @ on_second,
        on_second.sum(axis=0),
        second.T @ error,
        error.sum(keepdims=True),
    ]


def begin(chance: np.random.Generator) -> Parameters:
    """Return parameters to start from."""
    shapes = [
        (INPUTS, FIRST_LAYER),
        (FIRST_LAYER,),
        (FIRST_LAYER, SECOND_LAYER),
        (SECOND_LAYER,),
        (SECOND_LAYER,),
        (1,),
    ]
    scales = [np.sqrt(2 / INPUTS), 0, np.sqrt(2 / FIRST_LAYER), 0, np.sqrt(1 / SECOND_LAYER), 0]
    return [(scale * chance.normal(size=shape)).astype(np.float32) for shape, scale in zip(shapes, scales, strict=True)]


def fit(inputs: Floats, wins: Floats, seed: int, epochs: int) -> Floats:
    """Return the fitted net as one row of numbers, in the order of `NET`."""
    chance = np.random.default_rng(seed)
    order = chance.permutation(len(wins))
    asked, learnt = order[: len(wins) // HELD_BACK], order[len(wins) // HELD_BACK :]
    middle, spread = inputs[learnt].mean(axis=0), inputs[learnt].std(axis=0) + 1e-3
    parameters = begin(chance)
    means = [np.zeros_like(parameter) for parameter in parameters]
    squares = [np.zeros_like(parameter) for parameter in parameters]
    steps, step = epochs * (len(learnt) // BATCH), 0
    for epoch in range(epochs):
        chance.shuffle(learnt)
        for batch in np.array_split(learnt, len(learnt) // BATCH)[: steps // epochs]:
            step += 1
            size = RATE * (1 + np.cos(np.pi * step / steps)) / 2
            found = gradient(parameters, (inputs[batch] - middle) / spread, wins[batch])
            for place, slope in enumerate(found):
                means[place] += np.float32(0.1) * (slope - means[place])
                squares[place] += np.float32(0.001) * (slope**2 - squares[place])
                moved = means[place] / (1 - 0.9**step) / (np.sqrt(squares[place] / (1 - 0.999**step)) + 1e-8)
                parameters[place] -= (size * moved).astype(np.float32)
        chances = outputs(parameters, (inputs[asked] - middle) / spread)[2]
        noise = (wins[asked] * (1 - wins[asked])).mean() / (PLAYOUTS - 1)
        error = ((chances - wins[asked]) ** 2).mean() - noise
        print(f"pass {epoch + 1}: mean square error {error:.5f} beside the noise of the playouts", flush=True)
    parameters[1] = parameters[1] - (middle / spread) @ parameters[0]
    parameters[0] = parameters[0] / spread[:, None]
    return np.concatenate([parameter.ravel() for parameter in parameters])


def module_text(net: Floats) -> str:
    """Return the source of `evaluation/heuristic_weights.py`."""
    text = b85encode(net.astype("<f2").tobytes()).decode()
    lines = [f'    "{text[start : start + 112]}"' for start in range(0, len(text), 112)]
    return HEAD + "\n".join(lines) + "\n)\n" + TAIL


HEAD = '''"""The heuristic value net: written by `python -m benchmarks.tuning.heuristic_value`, not by hand."""

from base64 import b85decode
from functools import cache

import numpy as np
import numpy.typing as npt


@cache
def fitted() -> npt.NDArray[np.float32]:
    """Return the numbers of the net, in the order of `judge.NET`."""
    numbers = np.frombuffer(b85decode(HALF_PRECISION), "<f2").astype(np.float32)
    numbers.flags.writeable = False
    return numbers


HALF_PRECISION = (
'''
TAIL = '''"""The numbers in two bytes each, in base 85."""
'''


def main() -> None:
    """Take positions, fit, write the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where to write the module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it run?")
    chosen = parser.parse_args()
    inputs, wins = positions(POSITIONS // 500 if chosen.quick else POSITIONS, chosen.seed)
    print(f"{len(wins):,} positions", flush=True)
    net = fit(inputs, wins, chosen.seed, 1 if chosen.quick else EPOCHS)
    assert net.nbytes == NET.itemsize
    if chosen.out is not None:
        chosen.out.write_text(module_text(net), encoding="utf-8")


if __name__ == "__main__":
    main()
