"""A game at a real table, with the beliefs and the coach that follow it."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from uno_pomdp.advise.entries import Entry, NotUnderstood
from uno_pomdp.agents.agent import Decision
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.beliefs.belief import ImpossibleEvent
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import COLOUR_NAMES, CardType, card_name
from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game.actions import DRAW, Action
from uno_pomdp.game.events import Drew, Event, Played, Shown, Swapped
from uno_pomdp.game.layout import FIRST, PLAYABLE
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.observed_start import is_dealt
from uno_pomdp.game.rng import Seed
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.analyst import Analyst
from uno_pomdp.session.policy_aware import PolicyAware, SwitchedOff

T = TypeVar("T")

NAMES = "me", "the opponent"


class Contradiction(IllegalAction):
    """An entry that the open cards allow, but no hidden hand that fits the entries before it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}; this entry or an earlier one is wrong")
        self.reason = reason
        """Why it can't be."""


class Advisor:
    """A game from its start on, with the beliefs and the coach that follow it."""

    def __init__(
        self,
        table: ObservedGame,
        coach: str | None,
        seed: Seed,
        spec: BeliefSpec | None = None,
        failure: AgentFailure | None = None,
        off: SwitchedOff | None = None,
    ) -> None:
        rules, seen = table.rules, table.observation
        self.table = table
        """What is known of the game."""
        self.coach = coach or coach_for(rules, all_known=not seen.hidden_played)
        """Who advises."""
        self.belief = ClosedFormBelief(rules, seen)
        """The choice-agnostic belief about the opponent's hand."""
        self.aware = PolicyAware(table.history, NAMES[1], spec, self.coach, off)
        """The policy-aware belief."""
        self.failure = failure
        """How the coach has failed, here or before: it is not asked again. None if it has not."""
        self._analyst = None if failure is not None else Analyst(self.coach, seed)
        self._ask(lambda coach: coach.follow(table.history))
        self._decision: Decision | None = None

    def apply(self, entry: Entry) -> tuple[Event, ...]:
        """Take in an action; a refusal leaves everything as it was."""
        table = self.table.copy()
        if entry.by_me is not None:
            table.forget_uno(table.seat if entry.by_me else 1 - table.seat, entry.drawn)
        else:
            table.apply(entry.action, entry.drawn, shown=entry.shown, count=entry.count, ended=entry.ended)
        events = table.events[-1]
        try:
            self.belief.update(events, table.observation)
        except ImpossibleEvent as error:
            self.belief = ClosedFormBelief.along(self.table.history)  # it has no undo
            raise Contradiction(_contradiction(table, events)) from error
        self.table = table
        self.aware.update(events, table.observation)
        self._ask(lambda coach: coach.update(events, table.observation))
        self._decision = None
        return events

    def advice(self) -> Decision | None:
        """Return what the coach would do, if it is the own turn and it has not failed; asked again, the same."""
        seen = self.table.observation
        if self.table.over or seen.turn != seen.seat:
            return None
        if self._decision is None:
            self._decision = self._ask(lambda coach: coach.decide())
        return self._decision

    def _ask(self, what: Callable[[Analyst], T]) -> T | None:
        """Ask the coach; once it has failed the game goes on without it."""
        if self._analyst is not None:
            try:
                return what(self._analyst)
            except AgentFailure as failure:
                self.failure, self._analyst = failure, None
        return None

    def shown(self) -> tuple[Action, ...]:
        """Return the own moves in the order in which advice shows them: what their numbers stand for."""
        decision = self.advice()
        if decision is None and self.failure is not None:
            raise NotUnderstood("the coach has failed, so no move has a number: write what you played, as in r5")
        return () if decision is None else moves_shown(decision)


def moves_shown(decision: Decision) -> tuple[Action, ...]:
    """Return the moves that a decision names, the best first."""
    return tuple(one.action for one in decision.candidates) or (decision.action,)


def first_card_acts(table: ObservedGame) -> str:
    """Return what the first card did, under rules in which it acts; empty if it did nothing."""
    seen = table.observations[0]
    own = seen.seat == FIRST
    if table.rules.first_card != "acts" or not is_dealt(table.rules, seen):
        return ""
    if seen.turn != FIRST:
        skipped = "you are passed over, and the opponent begins" if own else "the opponent is passed over: you begin"
        return f"The first card, {card_name(seen.top)}, acts: {skipped}."
    who = "you owe" if own else "the opponent owes"
    return (
        f"The first card, {card_name(seen.top)}, acts: {who} {count_of(seen.penalty, 'card')}." if seen.penalty else ""
    )


def _contradiction(table: ObservedGame, events: Sequence[Event]) -> str:
    """Return why no hidden hand can fit the last action, though the open cards allow it."""
    before, event = table.observations[-2], events[-1]
    if any(isinstance(one, Shown | Swapped) for one in events):
        return "the opponent can't have held these cards by the moves before"
    if isinstance(event, Drew) and event.seat == table.seat:
        return "you can't have drawn that: by the moves before, it is in the opponent's hand"
    if isinstance(event, Drew):
        top = f"{card_name(before.top)} ({COLOUR_NAMES[before.colour]})"
        return f"the opponent can't have had to draw: by the moves before, they hold a card that fits on {top}"
    assert isinstance(event, Played)
    card = event.action.card
    assert card is not None
    stuck = _stuck_with(table, card)
    why = f": at move {stuck} they drew though it would have fitted, and no card that they drew since can be it"
    return f"the opponent can't have {card_name(card)} by the moves before" + why * (stuck > 0)


def _stuck_with(table: ObservedGame, card: CardType) -> int:
    """Return the last move at which the opponent had to draw though this card would have fitted; 0 if there is none."""
    if table.rules.draw == "optional":
        return 0
    found = 0
    for number, (seen, move) in enumerate(zip(table.observations, table.moves[:-1], strict=False), 1):
        had_to = move.action == DRAW and move.seat != table.seat and not seen.penalty
        if had_to and int(PLAYABLE[seen.colour, seen.top]) >> card & 1:
            found = number
    return found
