"""How seats see one game in these environments: an observation as an array, and a mask of 63 actions beside it."""

from abc import ABC, abstractmethod
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box

from uno_pomdp.adapters.episodes import EITHER
from uno_pomdp.errors import IllegalAction, UnoError, quoted
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS, DRAW, OBSERVATION, SEATS, Seat
from uno_pomdp.nets import champion_encoding
from uno_pomdp.nets import count_features as counts
from uno_pomdp.nets.champion_encoding import ChampionEncoding
from uno_pomdp.nets.policy_features import FEATURES, check_encoded
from uno_pomdp.rules import Rules

OBSERVATIONS: Final = ("counts", "champion")
"""The kinds of observations."""
RENDER_MODES: Final = ("ansi", "svg")
"""As what a game can be shown: text, or a picture."""


class InvalidEnvironment(UnoError):
    """An environment that can't be made, or is used in a way that it does not know."""


class View(ABC):
    """What seats see of one game at a time."""

    @abstractmethod
    def space(self) -> Any:
        """Return a new space of observations."""

    @abstractmethod
    def row(self, game: Game, seat: Seat) -> npt.NDArray[Any]:
        """Return what a seat sees now, in a new array."""

    def begin(self, game: Game) -> None:
        """Begin with a game that was just dealt."""
        del game

    def follow(self, game: Game) -> None:
        """Take in the last move."""
        del game

    def mask(self, game: Game, seat: Seat) -> npt.NDArray[np.int8]:
        """Return what the seat may do now; nothing when it is not to move."""
        mask = np.zeros(ACTIONS, np.int8)
        if game.turn == seat:
            mask[[self.given(action.id, seat) for action in game.legal_actions()]] = 1
        return mask

    def given(self, action: int, seat: Seat) -> int:
        """Return an action as the observation has it."""
        del seat
        return action

    def meant(self, action: int, seat: Seat) -> int:
        """Return the action that is meant by one that was chosen by an observation."""
        del seat
        return action


class PlainCounts(View):
    """Plain counts (`nets.count_features`): every rule, no memory."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._seen = np.zeros(1, OBSERVATION)

    def space(self) -> Any:
        """Return a new space of observations."""
        return Box(np.zeros(counts.WIDTH, np.uint8), counts.highest(self._rules), dtype=np.uint8)

    def row(self, game: Game, seat: Seat) -> npt.NDArray[Any]:
        """Return what a seat sees now, in a new array."""
        row = np.empty(counts.WIDTH, np.uint8)
        counts.counts_one(game.to_state(), seat, self._seen, row)
        return row


class ChampionView(View):
    """The champion's encoding (`nets.policy_features`): colours by place, in observations and in actions."""

    def __init__(self, rules: Rules) -> None:
        check_encoded(rules)
        self._seats: list[ChampionEncoding] = []

    def space(self) -> Any:
        """Return a new space of observations."""
        return Box(np.zeros(FEATURES, np.float32), champion_encoding.highest(), dtype=np.float32)

    def begin(self, game: Game) -> None:
        """Begin with a game that was just dealt."""
        self._seats = [ChampionEncoding(game.rules, game.observation(seat)) for seat in SEATS]

    def follow(self, game: Game) -> None:
        """Take in the last move."""
        for seat in SEATS:
            self._seats[seat].follow(*game.last_step(seat))

    def row(self, game: Game, seat: Seat) -> npt.NDArray[Any]:
        """Return what a seat sees now, in a new array."""
        del game
        return self._seats[seat].row()

    def given(self, action: int, seat: Seat) -> int:
        """Return an action by place."""
        return self._seats[seat].given(action)

    def meant(self, action: int, seat: Seat) -> int:
        """Return the true action of one by place."""
        return self._seats[seat].meant(action)


def view_of(observation: str, rules: Rules) -> View:
    """Return the view of this name."""
    if observation not in OBSERVATIONS:
        raise InvalidEnvironment(
            f"no observation is called {quoted(observation)}: choose one of {', '.join(OBSERVATIONS)}"
        )
    return PlainCounts(rules) if observation == "counts" else ChampionView(rules)


def only_draw() -> npt.NDArray[np.int8]:
    """Return the mask of a game that is over: one action is set, as some libraries need, and any is taken."""
    mask = np.zeros(ACTIONS, np.int8)
    mask[DRAW] = 1
    return mask


def check_render_mode(mode: str | None) -> None:
    """Refuse a render mode that there is not."""
    if mode is not None and mode not in RENDER_MODES:
        raise InvalidEnvironment(
            f"no render mode is called {quoted(mode)}: choose one of {', '.join(RENDER_MODES)}, or None"
        )


def as_action(action: Any) -> int:
    """Return an action of whatever integer type as a number; refuse what is none of the 63."""
    try:
        number = int(action)
        right = bool(number == action) and 0 <= number < ACTIONS
    except (TypeError, ValueError, OverflowError):
        right = False
    if not right:
        raise IllegalAction(f"{quoted(action)} is no action: give a whole number from 0 to {ACTIONS - 1}")
    return number


def seat_number(seat: int | str) -> int:
    """Return a seat as kernels know it; `random` is `EITHER`."""
    if seat == "random":
        return EITHER
    if seat not in SEATS:
        raise InvalidEnvironment(f"there is no seat {quoted(seat)}: give 0 (who begins), 1 or 'random'")
    return int(seat)
