"""The arrays of the walk over public histories while they grow, in place: nothing is ever held twice."""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.equilibrium.compact.compact_arrays import ENDING, HAND, LINK, NOTE, PLACE, STEP, USED, Side, Walk
from uno_pomdp.game.layout import SEATS, STATE

_MORE: Final = 1.25
"""How much larger an array becomes at least."""
_ROOM: Final = 256
"""The size of arrays at the start."""


def new_walk(policies: int) -> Walk:
    """Return empty arrays, with room for so many scripted policies."""
    first, second = (Side(np.zeros(_ROOM, STEP), np.zeros(_ROOM, LINK), np.zeros((_ROOM, policies))) for _ in SEATS)
    used = np.zeros(1, USED)
    used["entries"] = 1
    return Walk(
        places=np.zeros(_ROOM, PLACE),
        states=np.zeros(_ROOM, STATE),
        lists=np.zeros(_ROOM, HAND),
        sides=(first, second),
        endings=np.zeros(_ROOM, ENDING),
        own=(np.zeros(_ROOM, HAND), np.zeros(_ROOM, HAND)),
        drawn=np.zeros(_ROOM, HAND),
        notes=np.zeros(_ROOM, NOTE),
        table=np.zeros(4 * _ROOM, np.int32),
        used=used,
    )


def make_room(walk: Walk) -> None:
    """Let each array grow that has less room than the next visit wants."""
    used = walk.used[0]
    _grow([walk.places, walk.states], int(used["places"] + used["more_places"]))
    _grow([walk.lists], int(used["hands"] + used["more_hands"]))
    _grow([walk.endings], int(used["endings"] + used["more_endings"]))
    for seat in SEATS:
        side = walk.sides[seat]
        for array, count in ((side.steps, "steps"), (side.links, "links"), (side.scripted, "entries")):
            _grow([array], int(used[count][seat] + used["more_entries"]))
    size = int(used["scratch"])
    _grow([*walk.own, walk.drawn, walk.notes], size)
    _grow([walk.table], 4 * size)
    for name, array in (
        ("places", walk.places),
        ("hands", walk.lists),
        ("endings", walk.endings),
        ("scratch", walk.notes),
    ):
        used[f"room_{name}"] = len(array)
    for seat in SEATS:
        side = walk.sides[seat]
        for name, array in (("steps", side.steps), ("links", side.links), ("entries", side.scripted)):
            used[f"room_{name}"][seat] = len(array)


def cut_all(walk: Walk) -> None:
    """Give back what the plans and endings do not use."""
    used = walk.used[0]
    _resize(walk.endings, int(used["endings"]))
    for seat in SEATS:
        side = walk.sides[seat]
        _resize(side.steps, int(used["steps"][seat]))
        _resize(side.links, int(used["links"][seat]))
        _resize(side.scripted, int(used["entries"][seat]))


def _grow(arrays: Iterable[npt.NDArray[Any]], wanted: int) -> None:
    for array in arrays:
        if len(array) < wanted:
            _resize(array, max(wanted, int(_MORE * len(array))))


def _resize(array: npt.NDArray[Any], size: int) -> None:
    array.resize((size, *array.shape[1:]), refcheck=False)
