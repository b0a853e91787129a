"""`Session`: one game of a person against an agent as a state machine, saved at every move. It knows no screen.

Whoever shows it asks whose turn it is, hands over the person's move (`move`) or lets the opponent think (`answer`),
shows that, and lets the opponent take it in (`tell`); a practice game takes moves back (`undo`). What the person may
see is in `history`; the rest of the game is for referees, and for the person after the end.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TypeVar

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.arena.match import failure_of
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import Cards, Colour
from uno_pomdp.errors import IllegalAction, UnoError
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.record import GameRecord, Undone, replay, take_back
from uno_pomdp.game.scoring import RoundScore, round_score
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.registry import make_agent
from uno_pomdp.session.opponent import lead_opponent
from uno_pomdp.session.setup import Busy, Setup

T = TypeVar("T")

Keep = Callable[[GameRecord], None]
"""Saves the game as it stands; an `UnoError` says why it could not."""


class NoUndo(IllegalAction):
    """A move that can't be taken back."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why the opponent made its last move, in full: for games that are over or do not count."""

    number: int
    """Which move it was, from 0."""
    hand: Cards
    """What it held before it."""
    choice: bool
    """Whether it could have done anything else."""
    decision: Decision
    """What it weighed."""
    colours: Mapping[Colour, float]
    """How likely each colour was in the person's hand, by what it had seen and the exact belief."""


class Session:
    """A person and an agent at one game."""

    def __init__(
        self, setup: Setup, record: GameRecord | None = None, keep: Keep | None = None, busy: Busy = nullcontext
    ) -> None:
        self.setup = setup
        """What determines the game."""
        with busy():
            game = Game.new(setup.rules, setup.seed) if record is None else replay(record)
            history = game.history(setup.seat)
        self.game = game
        """The whole game, hidden cards included."""
        self.history: SeatHistory = history
        """The game as the person has seen it."""
        self.undone: tuple[Undone, ...] = () if record is None else record.undone
        """What was taken back."""
        self.trouble = ""
        """Why the game is not saved; empty if it is."""
        self.keep = keep
        """Saves it; None: nobody does."""
        self._busy = busy
        self._untold: list[Step] = []  # of the opponent's seat
        self._decided: Decision | None = None  # of the opponent's last move
        self._opponent = self._led(self.game)

    def __repr__(self) -> str:
        return f"<Session against {self.setup.opponent}: {self.game}>"

    # --- where it stands ---------------------------------------------------------------------------------

    @property
    def seat(self) -> Seat:
        """Where the person sits."""
        return self.setup.seat

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.over

    @property
    def awaits_person(self) -> bool:
        """Whether it is the person's turn."""
        return not self.over and self.game.turn == self.seat

    @property
    def open(self) -> bool:
        """Whether everything may be told: the game is over, or does not count."""
        return self.over or self.setup.practice

    @property
    def record(self) -> GameRecord:
        """The whole game as data."""
        return self.setup.record_of(self.game, self.undone)

    @property
    def scored(self) -> RoundScore | None:
        """What the round scored; None while it is running, and in a game that is no round."""
        return round_score(self.game) if self.over and self.setup.match is not None else None

    @property
    def next_round(self) -> Setup | None:
        """The next round of the match; None if this one is running, the match is over or there is none."""
        scored = self.scored
        return None if scored is None else self.setup.next_round(scored)

    # --- moves -------------------------------------------------------------------------------------------

    def move(self, action: Action) -> None:
        """Carry out a move of the person, and save it."""
        if not self.awaits_person:
            raise IllegalAction(f"{action} can't be done now: it is not your turn")
        self.game.apply(action)
        self._follow()

    def answer(self) -> Decision:
        """Let the opponent move, and save that."""
        if self.over or self.awaits_person:
            raise IllegalAction("the opponent can't move now: it is not its turn")
        self.tell()
        decision = self._ask(self._opponent, self._opponent.decide)
        try:
            if not isinstance(decision, Decision):
                raise TypeError(f"decide returned {type(decision).__name__}, but a Decision is needed")
            self.game.apply(decision.action)
        except Exception as error:  # an agent's fault, never a move
            raise self._failure(self._opponent, "decide", error) from error
        self._decided = decision
        self._follow()
        return decision

    def _follow(self) -> None:
        """Take in the move just made: it is saved before anybody is asked for another."""
        self.history = self.history.then(self.game.last_step(self.seat))
        self._untold.append(self.game.last_step(1 - self.seat))
        self.save()

    def tell(self) -> None:
        """Let the opponent take in what it has not been told yet; whoever shows a move does that before."""
        while self._untold:
            self._ask(self._opponent, self._opponent.update, *self._untold.pop(0))

    def undo(self) -> int:
        """Take back the person's last move and what followed it; return how many moves of both that were.

        The opponent is led along the shorter game anew: it then knows nothing of what was taken back.
        """
        if not self.setup.practice:
            raise NoUndo("Moves can't be taken back in a game that counts: `--practice` begins one that does not.")
        moves = self.game.moves
        own = [number for number, move in enumerate(moves) if move.seat == self.seat]
        if not own:
            raise NoUndo("There is no move of yours to take back.")
        count = len(moves) - own[-1]
        record = take_back(self.record, count)
        earlier = self.game.earlier(count)
        self._opponent = self._led(earlier)
        self.game, self.undone = earlier, record.undone
        self.history = self.history.earlier(count)
        self._untold = []
        self._decided = None
        self.save()
        return count

    def save(self) -> None:
        """Save the game as it stands; a full disk is no reason to stop playing, but `trouble` says so."""
        if self.keep is None:
            return
        try:
            self.keep(self.record)
        except UnoError as error:
            self.trouble = f"NOT SAVED: {error}"
        else:
            self.trouble = ""

    # --- the opponent ------------------------------------------------------------------------------------

    def reasons(self) -> Reasons | None:
        """Return why the opponent made its last move; None if it has not moved.

        It betrays what the opponent holds: refused while the game counts. A move that was made before the game was gone
        on with is decided again.
        """
        if not self.open:
            raise IllegalAction("what the opponent weighed is told after the end: it would betray its cards")
        moves = self.game.moves
        numbers = [number for number, move in enumerate(moves) if move.seat != self.seat]
        if not numbers:
            return None
        number, seat = numbers[-1], 1 - self.seat
        before = self.game.earlier(len(moves) - number)
        if self._decided is None:
            agent = self._led(before)
            self._decided = self._ask(agent, agent.decide)
        with self._busy():
            belief = ClosedFormBelief.after(before, seat)
            colours = {colour: belief.has_colour(colour) for colour in before.rules.colours}
        return Reasons(number, before.hand(seat), len(before.legal_actions()) > 1, self._decided, colours)

    def _led(self, game: Game) -> Agent:
        """Return the opponent as it is after these moves."""
        seat = 1 - self.seat
        agent = make_agent(self.setup.opponent)
        agent.check_game(game.rules, seat)
        try:
            with self._busy():
                lead_opponent(agent, game, seat, self.setup.chance(seat))
        except UnoError:  # it can't play this game, or has said already how it failed
            raise
        except BaseException as error:
            raise self._failure(agent, "start", error) from error
        return agent

    def _ask(self, agent: Agent, method: Callable[..., T], *arguments: object) -> T:
        """Call an agent; what it raises stops the game, with the record of it."""
        try:
            with self._busy():
                return method(*arguments)
        except BaseException as error:  # never swallowed
            raise self._failure(agent, method.__name__, error) from error

    def _failure(self, agent: Agent, method: str, error: BaseException) -> AgentFailure:
        return failure_of(agent, 1 - self.seat, method, error, lambda: self.record)
