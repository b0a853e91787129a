"""`SeatHistory`: one game as one seat has seen it, and the one loop that leads a belief or an agent through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple, Protocol

from uno_pomdp.errors import IllegalAction
from uno_pomdp.game.actions import CHALLENGE, DRAW, FORGOT_UNO, KEEP, Action
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, player_seed
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules


class Follower(Protocol):
    """What follows a game from one seat: a belief or an agent."""

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""


class Player(Follower, Protocol):
    """What follows a game after it was told how it begins: an agent."""

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game."""


class Step(NamedTuple):
    """One action of either player, as a seat saw it."""

    events: tuple[Event, ...]
    """What happened, in order: what was done, and what it brought about."""
    observation: Observation
    """What the seat sees after it."""

    @property
    def deed(self) -> Played | Drew | Kept | Challenged:
        """The event of the action itself, without what it caused; of a draw in two stretches, the second."""
        first, last = self.events[0], self.events[-1]
        if isinstance(first, Played | Kept | Challenged):
            return first
        assert isinstance(last, Drew)
        return last

    @property
    def action(self) -> Action:
        """The action: both players' actions are public. `FORGOT_UNO` where it was none."""
        deed = self.deed
        if isinstance(deed, Played):
            return deed.action
        if isinstance(deed, Drew) and deed.forgot:
            return FORGOT_UNO
        return DRAW if isinstance(deed, Drew) else KEEP if isinstance(deed, Kept) else CHALLENGE


@dataclass(frozen=True, slots=True)
class SeatHistory:
    """One game as one seat has seen it so far. `Game.history` makes it; hidden cards are not in it.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("house", seed=5)
    >>> game.play("Y9")
    >>> history = game.history(seat=1)
    >>> history.now.opponent_size, [str(action) for action in history.actions()]
    (6, ['Y9'])
    """

    rules: Rules
    first: Observation
    """What the seat saw at the deal."""
    steps: tuple[Step, ...] = ()
    """Every action of both players since."""

    @property
    def seat(self) -> Seat:
        """Whose history it is."""
        return self.first.seat

    @property
    def now(self) -> Observation:
        """What the seat sees now."""
        return self.steps[-1].observation if self.steps else self.first

    def before(self, number: int) -> Observation:
        """Return what the seat saw before an action, the first of which has the number 0."""
        return self.steps[number - 1].observation if number else self.first

    def earlier(self, moves: int = 1) -> "SeatHistory":
        """Return the history as it was so many actions ago: agents and beliefs are led along it anew."""
        if not 0 <= moves <= len(self.steps):
            raise IllegalAction(f"{count_of(moves, 'move')} can't be taken back: the game has {len(self.steps)}")
        return SeatHistory(self.rules, self.first, self.steps[: len(self.steps) - moves])

    def then(self, step: Step) -> "SeatHistory":
        """Return the history with one more action."""
        return SeatHistory(self.rules, self.first, (*self.steps, step))

    def common(self, other: "SeatHistory") -> int:
        """Return how many moments two histories share: the deal, and the actions after it up to the first other one."""
        if self.first != other.first:
            return 0
        pairs = zip(self.steps, other.steps, strict=False)
        return 1 + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def actions(self) -> list[Action]:
        """Return every action of both players."""
        return [step.action for step in self.steps]

    def follow(self, *followers: Follower) -> None:
        """Lead beliefs or agents that know how the game began through every action since."""
        for step in self.steps:
            for follower in followers:
                follower.update(*step)

    def lead(self, player: Player, seed: Seed) -> None:
        """Lead an agent through the whole of it, so that it can decide in this seat's place."""
        player.start(self.rules, self.first, player_seed(seed))
        self.follow(player)
