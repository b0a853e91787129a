"""The game as an environment of PettingZoo (AEC): two agents, `player_0` and `player_1`, who act in turn.

    from uno_pomdp.adapters import pettingzoo
    env = pettingzoo.env(rules="printed")

docs/pettingzoo.md has the observations field by field.
"""

from typing import Any, Final

import numpy as np

from uno_pomdp.errors import quoted
from uno_pomdp.extras import NotInstalled, missing

try:
    from gymnasium import logger
    from gymnasium.spaces import Discrete
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper
except ModuleNotFoundError as error:
    raise NotInstalled(missing("this environment needs", "PettingZoo", "pettingzoo")) from error

from uno_pomdp.adapters.views import (
    RENDER_MODES,
    InvalidEnvironment,
    as_action,
    check_render_mode,
    only_draw,
    view_of,
)
from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS, NOBODY, SEATS
from uno_pomdp.rules import Rules, as_rules

AGENTS: Final = tuple(f"player_{seat}" for seat in SEATS)
"""The agents by seat: `player_0` is player 1, who begins."""


def env(rules: Rules | str = "house", observation: str = "counts", render_mode: str | None = None) -> Any:
    """Return the environment, with PettingZoo's checks of order and of actions that are no numbers from 0 to 62."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(rules, observation, render_mode)))


class raw_env(AECEnv):  # noqa: N801  # the name that PettingZoo's environments have
    """The environment without these checks."""

    metadata = {  # noqa: RUF012  # as PettingZoo declares it
        "name": "uno_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, rules: Rules | str = "house", observation: str = "counts", render_mode: str | None = None
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self.rules = as_rules(rules)
        """The rules of every game."""
        self.render_mode = render_mode
        """As what `render` shows a game: `ansi`, `svg`, or None."""
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._view = view_of(observation, self.rules)
        self.observation_spaces = {agent: self._view.space() for agent in AGENTS}
        self.action_spaces = {agent: Discrete(ACTIONS) for agent in AGENTS}
        self._chance: np.random.Generator | None = None
        self._game: Game | None = None
        self._illegal_by: int | None = None

    @property
    def game(self) -> Game:
        """The game itself, hidden cards included; there is one after `reset`."""
        if self._game is None:
            raise InvalidEnvironment("no game is dealt: call reset() first")
        return self._game

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game; a seed fixes it and all games that follow without one. There are no options."""
        del options
        if seed is not None or self._chance is None:
            self._chance, _ = seeding.np_random(seed)
        self._game = Game.new(self.rules, int(self._chance.integers(1 << 64, dtype=np.uint64)))
        self._illegal_by = None
        self._view.begin(self.game)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._turn_to_next()

    def observe(self, agent: str) -> Any:
        """Return what an agent sees now, whether it is to move or not."""
        if agent not in AGENTS:
            raise InvalidEnvironment(f"no agent is called {quoted(agent)}: choose {' or '.join(AGENTS)}")
        return self._view.row(self.game, AGENTS.index(agent))

    def step(self, action: Any) -> None:
        """Carry out an action of `agent_selection`. An illegal one loses the game: −1, and 1 for the other."""
        game, agent = self.game, self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = AGENTS.index(agent)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        meant = self._view.meant(as_action(action), seat)
        if game.legal_mask >> meant & 1:
            game.apply(TYPED_ACTIONS[meant])
            self._view.follow(game)
            outcome = game.outcome
            if outcome is not None:
                self._end(NOBODY if outcome.winner is None else outcome.winner)
            self._turn_to_next()
        else:
            self._illegal_by = seat
            self._end(1 - seat)
            self._turn_to_next()
            self.infos[agent]["illegal_action"] = True
        self._accumulate_rewards()

    def _end(self, winner: int) -> None:
        """End the game for both."""
        for seat, agent in enumerate(AGENTS):
            self.rewards[agent] = 0.0 if winner == NOBODY else 1.0 if winner == seat else -1.0
            self.terminations[agent] = True

    def _turn_to_next(self) -> None:
        """Select who is to move, and write both masks."""
        self.agent_selection = AGENTS[self.game.turn]
        for seat, agent in enumerate(AGENTS):
            mask = only_draw() if self.terminations[agent] else self._view.mask(self.game, seat)
            self.infos[agent] = {"action_mask": mask}

    def render(self) -> str | None:
        """Return the game with both hands open, as text or as an SVG picture: for who watches, not for players."""
        if self.render_mode is None:
            logger.warn("render() shows nothing: name a mode when you make the environment, as in render_mode='ansi'")
            return None
        return self.game._repr_svg_() if self.render_mode == "svg" else text_of(self.game, self._illegal_by)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def text_of(game: Game, illegal_by: int | None = None) -> str:
    """Return a game as text, both hands open; one that a seat's illegal action has ended says so."""
    seen = game.observation(game.turn)
    lines = [f"{seat_name(seat)}: {game.hand(seat)}" for seat in SEATS]
    owed = f", {seen.penalty} to draw" if seen.penalty else ""
    standing = str(game.outcome or f"{seat_name(game.turn)} to move{owed}")
    if illegal_by is not None:
        standing = f"{seat_name(1 - illegal_by)} wins (illegal action)"
    lines.append(
        f"top {card_name(seen.top)} ({COLOUR_NAMES[seen.colour]}), draw pile {seen.draw_size}, "
        f"played {seen.played_size}: {standing}"
    )
    return "\n".join(lines) + "\n"
