"""The same episodes, thousands side by side: a native `VectorEnv`, by kernels and a thread for each core.

Slot i is the single environment with the seed of slot i: the same observations, masks, rewards and infos. Only plain
counts, and only opponents that kernels can play (scripted policies); `vectorization_mode="sync"` has all others.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from numbers import Integral
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from uno_pomdp.adapters.episodes import (
    Episodes,
    Rows,
    Setting,
    begin_all,
    first_unusable,
    step_all,
)
from uno_pomdp.adapters.gymnasium import new_key
from uno_pomdp.adapters.opponents import scripted_model
from uno_pomdp.adapters.views import InvalidEnvironment, PlainCounts, only_draw, seat_number
from uno_pomdp.agents.agent import Agent
from uno_pomdp.errors import IllegalAction, quoted
from uno_pomdp.game.layout import ACTIONS, OBSERVATION, STATE, template
from uno_pomdp.game.rng import STREAM
from uno_pomdp.nets import count_features as counts
from uno_pomdp.rules import Rules, as_rules

FEW: Final = 256
"""So many slots are not worth a thread of their own."""


class UnoVectorEnv(VectorEnv[npt.NDArray[np.uint8], npt.NDArray[np.integer], npt.NDArray[Any]]):
    """Many episodes of one seat against a scripted opponent."""

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = "house",
        opponent: str | Agent = "random",
        seat: int | str = "random",
        observation: str = "counts",
        skip_forced: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        threads: int = 0,
    ) -> None:
        _check_number("num_envs", num_envs, 1)
        _check_number("threads", threads, 0)
        if observation != "counts" or render_mode is not None:
            raise InvalidEnvironment("many games have plain counts and no pictures: say vectorization_mode='sync'")
        model = scripted_model(opponent)
        if model is None:
            raise InvalidEnvironment(f"kernels can't play {opponent}: say vectorization_mode='sync'")
        self.num_envs = num_envs
        self.rules: Final = as_rules(rules)
        """The rules of every game."""
        self.autoreset_mode: Final = _mode(autoreset_mode)
        """When a slot whose game has ended is dealt anew."""
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.single_observation_space = PlainCounts(self.rules).space()
        self.single_action_space = Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._setting = Setting(seat_number(seat), self.rules.hand_size, bool(skip_forced), model.policy, model.weights)
        self._episodes = Episodes(
            states=np.zeros(num_envs, STATE),
            keys=np.zeros(num_envs, np.uint64),
            dealt=np.zeros(num_envs, np.int64),
            seats=np.zeros(num_envs, np.uint8),
            streams=np.zeros(num_envs, STREAM),
            over=np.zeros(num_envs, np.bool_),
            undealt=template(self.rules),
        )
        self._final = np.zeros((num_envs, counts.WIDTH), np.uint8)
        count = max(1, min(threads or os.cpu_count() or 1, num_envs // FEW))
        edges = np.linspace(0, num_envs, count + 1).astype(int)
        self._parts: Final = [slice(int(a), int(b)) for a, b in pairwise(edges)]
        self._seen: Final = [np.zeros(1, OBSERVATION) for _ in self._parts]
        self._pool = ThreadPoolExecutor(count) if count > 1 else None
        self._begun = False

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}  # a copy has threads of its own

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if len(self._parts) > 1 and not self.closed:
            self._pool = ThreadPoolExecutor(len(self._parts))

    # --- episodes ----------------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Deal games: a seed s gives slot i the seed s + i, as `SyncVectorEnv` does.

        `options={"reset_mask": …}`, a boolean for each slot, leaves the others as they are.
        """
        self._check_open()
        seeds = self._seeds(seed)
        super().reset(seed=int(seed) if isinstance(seed, Integral) else None)
        chosen = self._chosen(options)
        self._seed_slots(seeds, chosen)
        rows = self._rows()
        rows.rewards[:], rows.terminated[:], rows.illegal[:] = 0.0, False, False

        def begin(number: int) -> None:
            part = self._parts[number]
            begin_all(
                _episodes_part(self._episodes, part), _rows_part(rows, part), chosen[part], self._seen[number],
                self._setting,
            )  # fmt: skip

        self._in_threads(begin)
        self._begun = True
        return rows.observations, self._infos(rows, chosen)

    def step(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Carry out an action in every slot and what opponents do then. An illegal one ends its episode with −1."""
        self._check_open()
        given = self._checked(actions)
        rows, same_step = self._rows(), self.autoreset_mode == AutoresetMode.SAME_STEP

        def step(number: int) -> None:
            part = self._parts[number]
            step_all(
                _episodes_part(self._episodes, part), _rows_part(rows, part), given[part], self._seen[number],
                same_step, self._setting,
            )  # fmt: skip

        before = self._episodes.seats.copy() if same_step else None
        self._in_threads(step)
        infos = self._infos(rows, np.ones(self.num_envs, np.bool_))
        if before is not None:
            self._add_finals(infos, rows, before)
        return rows.observations, rows.rewards, rows.terminated, np.zeros(self.num_envs, np.bool_), infos

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        del kwargs
        if self._pool is not None:
            self._pool.shutdown()

    # --- inside ------------------------------------------------------------------------------------------

    def _in_threads(self, work: Callable[[int], None]) -> None:
        """Do some work for each part of the slots; an error in it is raised here."""
        if self._pool is None:
            work(0)
            return
        others = [self._pool.submit(work, number) for number in range(1, len(self._parts))]
        work(0)
        for other in others:
            other.result()

    def _chosen(self, options: dict[str, Any] | None) -> npt.NDArray[np.bool_]:
        """Return the slots that are to begin anew."""
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
            raise InvalidEnvironment(
                f"reset_mask has to be {self.num_envs} booleans of which one is true, not {chosen.dtype} of "
                f"{chosen.shape}"
            )
        if not self._begun:
            raise InvalidEnvironment("no game is dealt: call reset() without a mask first")
        return chosen

    def _check_open(self) -> None:
        if self.closed:
            raise InvalidEnvironment("the environment is closed: make another")

    def _seeds(self, seed: Any) -> Sequence[int | None] | None:
        """Return the seed of each slot; None if none is given."""
        if seed is None:
            return None
        if isinstance(seed, Integral):
            first = _seed(seed)
            return range(first, first + self.num_envs)
        if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str):
            raise _no_seed(seed)
        if len(seed) != self.num_envs:
            raise InvalidEnvironment(f"{self.num_envs} slots need that many seeds, not {len(seed)}")
        return [None if one is None else _seed(one) for one in seed]

    def _seed_slots(self, seeds: Sequence[int | None] | None, chosen: npt.NDArray[np.bool_]) -> None:
        """Give slots that begin anew the keys of their seeds; one without a seed goes on as it was seeded."""
        if seeds is None and self._begun:
            return
        for slot in np.flatnonzero(chosen).tolist():
            seed = None if seeds is None else seeds[slot]
            if seed is not None or not self._begun:
                chance = self.np_random if seed is None else seeding.np_random(seed)[0]
                self._episodes.keys[slot], self._episodes.dealt[slot] = new_key(chance), 0

    def _checked(self, actions: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the actions as kernels take them; refuse what is none, and steps of slots that wait for a reset."""
        if not self._begun:
            raise InvalidEnvironment("no game is dealt: call reset() first")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise IllegalAction(f"{self.num_envs} whole numbers are needed, not {given.dtype} of shape {given.shape}")
        given = given.astype(np.int64)
        waits = self.autoreset_mode == AutoresetMode.DISABLED
        wrong = int(first_unusable(self._episodes, given, waits))
        if wrong >= 0 and waits and self._episodes.over[wrong]:
            raise InvalidEnvironment(f"the episode of slot {wrong} is over: reset it with options={{'reset_mask': …}}")
        if wrong >= 0:
            raise IllegalAction(
                f"{given[wrong]} in slot {wrong} is no action: give a whole number from 0 to {ACTIONS - 1}"
            )
        return given

    def _rows(self) -> Rows:
        """Return new arrays to write to: what is returned belongs to the caller."""
        slots = self.num_envs
        return Rows(
            observations=np.empty((slots, counts.WIDTH), np.uint8),
            masks=np.empty((slots, ACTIONS), np.int8),
            rewards=np.empty(slots),
            terminated=np.empty(slots, np.bool_),
            illegal=np.empty(slots, np.bool_),
            final=self._final,
        )

    def _infos(self, rows: Rows, chosen: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos of the slots that were stepped or begun, as `SyncVectorEnv` gathers them."""
        ended_now = (
            rows.illegal if self.autoreset_mode != AutoresetMode.SAME_STEP else np.zeros(self.num_envs, np.bool_)
        )
        whole = bool(chosen.all())
        parts = {
            "action_mask": rows.masks if whole else rows.masks * chosen[:, None],
            "seat": self._episodes.seats.astype(np.int64) * chosen,
            "illegal_action": ended_now,
        }
        return {
            key: part for name, array in parts.items() for key, part in ((name, array), (f"_{name}", chosen.copy()))
        }

    def _add_finals(self, infos: dict[str, Any], rows: Rows, seats: npt.NDArray[np.uint8]) -> None:
        """Add the last observation and the last info of episodes that ended, where games are dealt anew at once."""
        ended = rows.terminated
        if not ended.any():
            return
        observations = np.full(self.num_envs, None, object)
        for slot in np.flatnonzero(ended):
            observations[slot] = rows.final[slot].copy()
        masks = np.zeros((self.num_envs, ACTIONS), np.int8)
        masks[ended] = only_draw()
        final = {"action_mask": masks, "seat": seats.astype(np.int64) * ended, "illegal_action": rows.illegal & ended}
        infos["final_obs"], infos["_final_obs"] = observations, ended.copy()
        infos["final_info"] = {
            key: part for name, array in final.items() for key, part in ((name, array), (f"_{name}", ended.copy()))
        }
        infos["_final_info"] = ended.copy()


def _check_number(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InvalidEnvironment(f"{name}: {quoted(value)} is not a whole number of at least {least}")


def _mode(mode: Any) -> AutoresetMode:
    """Return the mode that is given or named."""
    try:
        return AutoresetMode(mode)
    except ValueError as error:
        known = ", ".join(str(each.value) for each in AutoresetMode)
        raise InvalidEnvironment(f"there is no autoreset_mode {quoted(mode)}: choose one of {known}") from error


def _seed(seed: Any) -> int:
    """Return a seed of whatever integer type as a number."""
    if not isinstance(seed, Integral) or seed < 0:
        raise _no_seed(seed)
    return int(seed)


def _no_seed(seed: Any) -> InvalidEnvironment:
    return InvalidEnvironment(f"a seed is a whole number of at least 0, or None, not {quoted(seed)}")


def _episodes_part(episodes: Episodes, part: slice) -> Episodes:
    """Return some of the slots; what they write is seen in all."""
    pieces: Any = [*(array[part] for array in episodes[:-1]), episodes.undealt]  # each of its own type
    return Episodes(*pieces)


def _rows_part(rows: Rows, part: slice) -> Rows:
    """Return the rows of some slots."""
    pieces: Any = [array[part] for array in rows]
    return Rows(*pieces)
