"""The one interface of all agents: they see their own seat's information and return a decision with its reasons."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.beliefs.belief import Diagnostics
from uno_pomdp.beliefs.suspicion import Suspicion
from uno_pomdp.cards import is_black
from uno_pomdp.errors import GameOver, IllegalAction, quoted
from uno_pomdp.errors import InvalidAgent as InvalidAgent  # for those who know it from here
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import ACTIONS, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.quantities import MILLISECONDS, SIMULATIONS, naming
from uno_pomdp.rules import Rules

if TYPE_CHECKING:
    from uno_pomdp.agents.progress import Progress
    from uno_pomdp.display.candidate_table import CandidateRow
    from uno_pomdp.game.game import Game
    from uno_pomdp.policies.opponent_models import OpponentModel

Clock = Callable[[], float]
"""Seconds from any start; injected, so that tests need not wait."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long an agent may think about one decision: by simulations (reproducible) or by the clock.

    >>> import uno_pomdp as uno
    >>> uno.Budget(milliseconds=10)
    Budget(simulations=None, milliseconds=10)
    """

    simulations: int | None = None
    """Simulated games; None for no limit."""
    milliseconds: float | None = None
    """Time on the clock; None for no limit."""

    def __post_init__(self) -> None:
        if (self.simulations is None) == (self.milliseconds is None):
            raise InvalidAgent("a budget is a number of simulations or of milliseconds, one of the two")
        if self.simulations is not None:
            with naming("simulations of a decision", InvalidAgent):
                SIMULATIONS.checked(self.simulations)
        if self.milliseconds is not None:
            with naming("milliseconds of a decision", InvalidAgent):
                MILLISECONDS.checked(self.milliseconds)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One action that was considered.

    >>> import uno_pomdp as uno
    >>> decision = uno.make_agent("flat:sims=500").consider(uno.Game.new("house", seed=5))
    >>> best = decision.candidates[0]
    >>> best.action == decision.action, 0 < best.value < 1, best.visits > 0
    (True, True, True)
    """

    action: Action
    """What could be done."""
    value: float | None = None
    """The probability of winning with it, a draw counted as half a win."""
    error: float | None = None
    """The standard error of that value."""
    visits: int = 0
    """Simulations spent on it."""
    prior: float | None = None
    """Its probability before any search."""
    note: str = ""
    """Why there is no value, error or number of simulations, where one is missing."""

    def check(self) -> None:
        """Refuse wrong figures with a `ValueError` or a `TypeError`: agents may come from anywhere."""
        for what, figure, most in (("value", self.value, 1.0), ("error", self.error, inf), ("prior", self.prior, 1.0)):
            if figure is not None:
                _check_figure(f"the {what} of {self.action}", figure, most)
        _check_count(f"visits of {self.action}", self.visits)
        _check_text(f"the note on {self.action}", self.note)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "action": str(self.action),
            "value": _plain(self.value),
            "error": _plain(self.error),
            "simulations": int(self.visits),
            "prior": _plain(self.prior),
            "note": self.note,
        }

    def __repr__(self) -> str:
        return f"<Candidate {self}>"

    def __str__(self) -> str:
        error = "" if self.error is None else f" ± {100 * self.error:.1f}"
        parts = (
            "" if self.value is None else f"wins {100 * self.value:.1f}{error} %",
            "" if self.prior is None else f"prior {100 * self.prior:.1f} %",
            f"{self.visits:,} simulations" if self.visits else "",
            self.note,
        )
        words = ", ".join(part for part in parts if part)
        return f"{self.action}: {words}" if words else str(self.action)

    def row(self, chosen: bool = False) -> "CandidateRow":
        """Return it as a row of the picture of a decision."""
        from uno_pomdp.display.candidate_table import CandidateRow

        card, colour = self.action.card, self.action.colour
        black = card is not None and is_black(card)
        return CandidateRow(
            str(self.action), black, colour, self.value, self.error, self.visits, self.prior, self.note, chosen
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent does, and why.

    >>> import uno_pomdp as uno
    >>> decision = uno.make_agent("flat:sims=500").consider(uno.Game.new("house", seed=5))
    >>> decision.simulations <= 500, len(decision.candidates)
    (True, 3)
    """

    action: Action
    """What it does."""
    candidates: tuple[Candidate, ...] = ()
    """All that it considered, the best first."""
    line: tuple[Action, ...] = ()
    """The principal variation: the moves of both players that it expects, its own first."""
    worlds: int = 0
    """Hidden hands that it sampled."""
    simulations: int = 0
    """Games that it simulated."""
    milliseconds: float = 0.0
    """Time that it took."""
    belief: Diagnostics | None = None
    """How its belief was doing."""
    lie: Suspicion | None = None
    """How likely a wild +4 that it could challenge was a lie, as it took it; None where there was none to challenge."""
    note: str = ""
    """Anything else worth saying, such as that an endgame was solved."""

    def check(self, legal: Sequence[Action]) -> None:
        """Refuse a decision that is wrong where these actions are legal: agents may come from anywhere."""
        check_action(self.action, legal)
        check_candidates(self.candidates, legal)
        check_line(self.line)
        for what, count in (("worlds", self.worlds), ("simulations", self.simulations)):
            _check_count(what, count)
        _check_figure("milliseconds", self.milliseconds, inf)
        _check_text("note", self.note)
        if not isinstance(self.belief, Diagnostics | None):
            raise TypeError(f"belief is {_kind(self.belief)}, but has to be Diagnostics or None")
        if not isinstance(self.lie, Suspicion | None):
            raise TypeError(f"lie is {_kind(self.lie)}, but has to be a Suspicion or None")
        if self.lie is not None:
            _check_figure("the probability of a lie", self.lie.probability, 1.0)
            _check_text("what is assumed of a lie", self.lie.assumes)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, without the time that it took and how the belief was doing."""
        return {
            "action": str(self.action),
            "candidates": [candidate.to_json() for candidate in self.candidates],
            "line": [str(action) for action in self.line],
            "worlds": int(self.worlds),
            "simulations": int(self.simulations),
            "lie": None if self.lie is None else self.lie.to_json(),
            "note": self.note,
        }

    def __repr__(self) -> str:
        found = next((one for one in self.candidates if one.action == self.action), None)
        best = str(self.action if found is None else found)
        spent = f"; {self.simulations:,} simulations in {self.worlds:,} worlds" if self.simulations else ""
        note = f"; {self.note}" if self.note else ""
        return f"<Decision {best}, of {len(self.candidates)} candidates{spent}{note}>"

    def _repr_svg_(self) -> str:
        """Return the candidates as bars for a notebook."""
        from uno_pomdp.display.candidates import candidates_svg

        rows = [one.row(one.action == self.action) for one in self.candidates]
        return candidates_svg(f"Decision: {self.action}", rows, self._words())

    def _words(self) -> list[str]:
        """Return what a picture says below the candidates."""
        line = [f"expects {' '.join(map(str, self.line))}"] if len(self.line) > 1 else []
        note = [self.note] if self.note else []
        spent = [f"{self.simulations:,} simulations in {self.worlds:,} worlds"] if self.simulations else []
        return [*line, *note, ", ".join([*spent, f"{self.milliseconds:,.1f} ms"])]


class Agent(ABC):
    """A player. For each game it is told the rules, its seat's first observation and a seed of its own.

    >>> import uno_pomdp as uno
    >>> class First(uno.Agent):
    ...     name = "first"
    ...
    ...     def decide(self):
    ...         return uno.Decision(self.observation.legal_actions()[0])
    >>> uno.match(First, "random", pairs=20, rules="mini-7").games
    40
    """

    name: str
    """What to call it: the text from which the registry makes it."""
    can: Abilities = Abilities()
    """What it can do beyond deciding."""
    budget: Budget | None = None
    """How long it may think about one decision; None if nothing sets it a limit."""
    progress: "Progress | None" = None
    """Who is told of a search on the way, and may stop it; whoever asks for the search sets it."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Derive the abilities of a class that does not declare them (`can`) from the methods that it has.

        Kernels replace only a class that declares it: a subclass may decide otherwise than its base.
        """
        super().__init_subclass__(**options)
        if "can" not in vars(cls):
            cls.can = Abilities(has_policy=cls.policy is not Agent.policy, values_moves=hasattr(cls, "move_values"))

    @property
    def timed(self) -> bool:
        """Whether it thinks by the clock, so that it may decide otherwise if asked again."""
        return self.budget is not None and self.budget.milliseconds is not None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self, 'name', 'without a name')}>"

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse a game that it can't play, before anything is played; without a seat, whatever the seat may be."""
        del rules, seat

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game at the seat of this observation; nothing of an earlier game may be remembered."""
        self.rules = rules
        self.observation = observation
        self.begin(seed)

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player, its own included."""
        self.observation = observation
        self.follow(events)

    def consider(self, game: "Game", seed: Seed = 0) -> Decision:
        """Return what it would do for the player to move, from what that seat has seen of the game.

        >>> import uno_pomdp as uno
        >>> decision = uno.make_agent("heuristic").consider(uno.Game.new("house", seed=5))
        >>> decision.action in uno.Game.new("house", seed=5).legal_actions()
        True
        """
        if game.over:
            raise GameOver(f"there is nothing to decide: the game is over, {game.outcome}")
        self.check_game(game.rules, game.turn)
        game.history(game.turn).lead(self, seed)
        return self.decide()

    @abstractmethod
    def decide(self) -> Decision:
        """Return what to do now; called only when it is this seat's turn."""

    def policy(self) -> npt.NDArray[np.float64] | None:
        """Return the probability of each of the 63 actions here, if the agent has a policy in closed form."""
        return None

    def as_model(self) -> "OpponentModel | None":
        """Return its policy as an opponent model, if that is quicker than replaying histories to the agent."""
        return None

    def begin(self, seed: Seed) -> None:
        """Prepare for a game; `self.rules` and `self.observation` are set."""
        del seed

    def follow(self, events: Sequence[Event]) -> None:
        """Take in an action; `self.observation` is the one after it."""
        del events


# --- what an agent may return ----------------------------------------------------------------------------

ROUNDING: Final = 1e-6
"""How far a probability may be outside its range, and the sum of a policy's from 1."""


def check_action(action: object, legal: Sequence[Action]) -> None:
    """Refuse anything but a legal action."""
    if not isinstance(action, Action):
        raise TypeError(f"{_kind(action)} is not an action: a uno_pomdp.Action is needed")
    if action not in legal:
        raise IllegalAction(f"{action} is not legal here: legal is {', '.join(map(str, legal))}")


def check_candidates(candidates: Sequence[Candidate], legal: Sequence[Action]) -> None:
    """Refuse candidates that are not different legal actions with sound figures."""
    if not isinstance(candidates, tuple | list):
        raise TypeError(f"candidates are {_kind(candidates)}, but have to be a tuple of Candidate")
    for one in candidates:
        if not isinstance(one, Candidate):
            raise TypeError(f"{_kind(one)} is not a candidate: a uno_pomdp.Candidate is needed")
        check_action(one.action, legal)
        one.check()
    if len({one.action for one in candidates}) < len(candidates):
        raise ValueError("an action is among the candidates twice")


def check_line(line: Sequence[Action]) -> None:
    """Refuse a principal variation that is not of actions."""
    if not isinstance(line, tuple | list) or not all(isinstance(action, Action) for action in line):
        raise TypeError("the line has to be a tuple of actions")


def checked_policy(stated: object, legal: Sequence[Action]) -> npt.NDArray[np.float64]:
    """Return the probabilities that an agent states, if they are a policy where these actions are legal."""
    chances = np.array(stated, np.float64)
    illegal = np.ones(ACTIONS, bool)
    illegal[[action.id for action in legal]] = False
    sound = chances.shape == (ACTIONS,) and bool((chances >= 0.0).all())  # which NaN is not
    if not sound or not abs(chances.sum() - 1.0) <= ROUNDING or chances[illegal].any():
        raise ValueError("no policy: give 63 probabilities that add up to 1, 0 for what is not legal")
    return chances


def _check_figure(what: str, figure: object, most: float) -> None:
    if not isinstance(figure, Real):
        raise TypeError(f"{what} is {_kind(figure)}, but has to be a number")
    if not (-ROUNDING <= float(figure) <= most + ROUNDING and figure != inf):  # NaN fails all of it
        needed = "a probability from 0 to 1" if most < inf else "a number from 0 up"
        raise ValueError(f"{what} is {figure}, but has to be {needed}")


def _check_count(what: str, count: object) -> None:
    if not isinstance(count, Integral) or count < 0:
        raise ValueError(f"{what}: {quoted(count)} is not a whole number from 0 up")


def _check_text(what: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} is {_kind(text)}, but has to be a text")


def _kind(value: object) -> str:
    return type(value).__name__


def _plain(figure: float | None) -> float | None:
    """Return a figure, of whatever kind of number, as JSON has it."""
    return None if figure is None else float(figure)
