"""Plans over a compact game: values, best responses, exploitability, exact up to rounding.

A plan gives each entry the probability of its player's own choices up to there: the realization plan of the sequence
form, with steps that add entries up. What a player earns is linear in its plan, so a sum of plans is one.
"""

from typing import Any

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.cfr import AnyFloats
from uno_pomdp.equilibrium.compact.compact_arrays import MERGED, Records, Side
from uno_pomdp.equilibrium.compact.compact_game import CompactGame
from uno_pomdp.equilibrium.sequence_form import Exploitability
from uno_pomdp.game.layout import SEATS
from uno_pomdp.jit import as_int, kernel

Numbers = AnyFloats
"""A number for each entry of a player."""
Plans = tuple[Numbers, Numbers]
"""The same for both players, in one precision."""


def uniform_choices(game: CompactGame, kind: Any = np.float64) -> Plans:
    """Return the probability of each entry's action if all of its information set are equally likely."""
    first, second = (np.ones(count, kind) for count in game.entries)
    for side, choices in zip(game.sides, (first, second), strict=True):
        spread_evenly(side.steps, choices)
    return first, second


def scripted_choices(game: CompactGame, number: int) -> Plans:
    """Return the probabilities of one of the scripted policies that the game was built with."""
    first, second = (np.ascontiguousarray(side.scripted[:, number]) for side in game.sides)
    return first, second


def plan_of_choices(game: CompactGame, choices: Plans) -> Plans:
    """Return the plans of probabilities of actions."""
    first, second = (np.ones_like(chances) for chances in choices)
    for side, chances, plan in zip(game.sides, choices, (first, second), strict=True):
        write_plan(side, chances, plan)
    return first, second


def exploitability_of_plans(game: CompactGame, plans: Plans, room: Floats | None = None) -> Exploitability:
    """Return value and best responses, as a part of the whole game; of sums of plans those of their mean.

    `room` for as many numbers as a player has entries is used if it is given.
    """
    room = np.empty(max(game.entries)) if room is None else room
    value = total_of(game.endings, *plans) / (plans[0][0] * plans[1][0])
    best = []
    for seat in SEATS:
        values, other = room[: game.entries[seat]], plans[1 - seat]
        values[:] = 0.0
        add_endings(game.endings, seat, other, values)
        best.append(respond(game.sides[seat], values) / other[0])
    first, second = map(float, best)
    return Exploitability(float(value), (first, second))


def added(parts: list[Exploitability]) -> Exploitability:
    """Return the whole of what was found after each first top card."""
    first, second = (sum(part.best[seat] for part in parts) for seat in SEATS)
    return Exploitability(sum(part.value for part in parts), (first, second))


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def spread_evenly(steps: Records, choices: Numbers) -> None:
    """Make all actions of an information set equally likely."""
    for number in range(len(steps)):
        step = steps[number]
        if step["parent"] != MERGED:
            for entry in range(step["first"], step["first"] + step["width"]):
                choices[entry] = 1.0 / step["width"]


@kernel
def write_plan(side: Side, choices: Numbers, plan: Numbers) -> None:
    """Write the plan of the probabilities of actions; that of entry 0 is set."""
    steps, links = side.steps, side.links
    at = 0
    for number in range(len(steps)):
        step = steps[number]
        first, width = as_int(step["first"]), as_int(step["width"])
        if step["parent"] == MERGED:
            total = 0.0
            for link in range(at, at + width):
                total += links[link]["weight"] * plan[links[link]["entry"]]
            plan[first] = total
            at += width
        else:
            reach = plan[step["parent"]]
            for entry in range(first, first + width):
                plan[entry] = reach * choices[entry]


@kernel
def add_endings(endings: Records, seat: int, plan: Numbers, values: Floats) -> None:
    """Add to each entry of a player what it earns at the endings right behind it, against the other's plan."""
    if seat == 0:
        for number in range(len(endings)):
            ending = endings[number]
            values[ending["row"]] += ending["value"] * plan[ending["column"]]
    else:
        for number in range(len(endings)):
            ending = endings[number]
            values[ending["column"]] -= ending["value"] * plan[ending["row"]]


@kernel
def total_of(endings: Records, first: Numbers, second: Numbers) -> float:
    """Return what two plans earn player 1."""
    total = 0.0
    for number in range(len(endings)):
        ending = endings[number]
        total += ending["value"] * first[ending["row"]] * second[ending["column"]]
    return total


@kernel
def respond(side: Side, values: Floats) -> float:
    """Return what the best actions earn, from the leaves up; `values` begins with what endings earn."""
    steps, links = side.steps, side.links
    at = len(links)
    for number in range(len(steps) - 1, -1, -1):
        step = steps[number]
        first, width = as_int(step["first"]), as_int(step["width"])
        if step["parent"] == MERGED:
            at -= width
            for link in range(at, at + width):
                values[links[link]["entry"]] += links[link]["weight"] * values[first]
        else:
            best = values[first]
            for entry in range(first + 1, first + width):
                best = values[entry] if values[entry] > best else best
            values[step["parent"]] += best
    return float(values[0])
