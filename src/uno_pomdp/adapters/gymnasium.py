"""The game as an environment of Gymnasium: one seat against an agent. `uno_pomdp/Uno-v0` is registered here.

    import gymnasium
    import uno_pomdp.adapters.gymnasium
    env = gymnasium.make("uno_pomdp/Uno-v0", rules="house", opponent="heuristic")
    envs = gymnasium.make_vec("uno_pomdp/Uno-v0", num_envs=4096, opponent="heuristic")

docs/gymnasium.md has the observations field by field, and what an illegal action does.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.extras import NotInstalled, missing

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise NotInstalled(missing("this environment needs", "Gymnasium", "gymnasium")) from error

from uno_pomdp.adapters.episodes import EITHER, game_seeds
from uno_pomdp.adapters.opponents import opponent_of
from uno_pomdp.adapters.views import (
    RENDER_MODES,
    InvalidEnvironment,
    as_action,
    check_render_mode,
    only_draw,
    seat_number,
    view_of,
)
from uno_pomdp.agents.agent import Agent
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS
from uno_pomdp.rules import Rules, as_rules

NAME: Final = "uno_pomdp/Uno-v0"
"""The environment's name in Gymnasium's registry."""


class UnoEnv(gymnasium.Env[npt.NDArray[Any], int]):
    """One seat against an opponent; an episode is one game, a step is one action of the seat.

    Forced moves are asked for too, unless `skip_forced` lets them happen by themselves.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        rules: Rules | str = "house",
        opponent: str | Agent = "random",
        seat: int | str = "random",
        observation: str = "counts",
        skip_forced: bool = False,
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self.rules = as_rules(rules)
        """The rules of every game."""
        self.render_mode = render_mode
        self._given_seat, self._skip_forced = seat_number(seat), bool(skip_forced)
        self._opponent = opponent_of(opponent)
        self._view = view_of(observation, self.rules)
        self.observation_space = self._view.space()
        self.action_space = gymnasium.spaces.Discrete(ACTIONS)
        self._dealt = 0
        self._key: np.uint64 | None = None
        self._game: Game | None = None
        self._opponent_name = opponent if isinstance(opponent, str) else opponent.name

    def __repr__(self) -> str:
        seat = "random" if self._given_seat == EITHER else self._given_seat
        return f"<UnoEnv: {self.rules.name}, seat {seat} against {self._opponent_name}>"

    # --- an episode --------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Deal a game; a seed fixes it and all games that follow without one. There are no options."""
        super().reset(seed=seed)
        del options
        if seed is not None or self._key is None:
            self._key, self._dealt = new_key(self.np_random), 0
        deal, stream, self.seat = game_seeds(self._key, self._dealt, self._given_seat)
        """The seat that is played in this game."""
        self._dealt += 1
        self._game = Game.new(self.rules, int(deal))
        self._over, self._illegal = False, False
        self._view.begin(self._game)
        self._opponent.begin(self._game, 1 - self.seat, int(stream))
        self._play_on()
        return self._view.row(self._game, self.seat), self._info()

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Carry out an action and what the opponent does then. An illegal one ends the episode with −1."""
        game = self.game
        if self._over:
            raise InvalidEnvironment("the episode is over: call reset() before the next step")
        chosen = as_action(action)
        if not game.over:
            meant = self._view.meant(chosen, self.seat)
            self._illegal = not game.legal_mask >> meant & 1
            if not self._illegal:
                self._carry_out(meant)
                self._play_on()
        self._over = self._illegal or game.over
        reward = -1.0 if self._illegal else 0.0 if game.outcome is None else float(game.outcome.result(self.seat))
        return self._view.row(game, self.seat), reward, self._over, False, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return what is legal now as booleans, as sb3-contrib asks for it; `draw` alone once a game is over."""
        return self._mask().astype(np.bool_)

    # --- what is shown -----------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game itself, hidden cards included; there is one after `reset`."""
        if self._game is None:
            raise InvalidEnvironment("no game is dealt: call reset() first")
        return self._game

    def render(self) -> Any:
        """Return what the seat sees, as text or as an SVG picture."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing: make the environment with render_mode='ansi' or 'svg'")
            return None
        seen = self.game.observation(self.seat)
        return seen._repr_svg_() if self.render_mode == "svg" else f"{seen}\n"

    # --- inside ------------------------------------------------------------------------------------------

    def _carry_out(self, action: int) -> None:
        self.game.apply(TYPED_ACTIONS[action])
        self._view.follow(self.game)
        self._opponent.follow(self.game)

    def _play_on(self) -> None:
        """Play on to where the seat is asked, or to the end of the game."""
        game = self.game
        while not game.over:
            if game.turn != self.seat:
                self._carry_out(self._opponent.action(game).id)
            elif self._skip_forced and game.legal_mask.bit_count() == 1:
                self._carry_out(game.legal_actions()[0].id)
            else:
                break

    def _mask(self) -> npt.NDArray[np.int8]:
        return only_draw() if self.game.over or self._over else self._view.mask(self.game, self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "seat": self.seat, "illegal_action": self._illegal}


def new_key(chance: np.random.Generator) -> np.uint64:
    """Return the key of a slot from Gymnasium's generator, from which the seeds of all its games are derived."""
    return chance.integers(1 << 64, dtype=np.uint64)


gymnasium.register(
    NAME,
    entry_point="uno_pomdp.adapters.gymnasium:UnoEnv",
    vector_entry_point="uno_pomdp.adapters.gymnasium_vector:UnoVectorEnv",
)
