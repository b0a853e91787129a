"""A game at a real table, with the belief and the coach that follow it; the last entry can always be taken back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uno_pomdp.agents.agent import Decision
from uno_pomdp.beliefs.belief import ImpossibleEvent
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import COLOUR_NAMES, Cards, CardType, card_name
from uno_pomdp.cli.advise.entries import Entry, NotUnderstood, parse_cards, parse_entry, parse_first
from uno_pomdp.cli.files import read_game
from uno_pomdp.cli.ui.belief import EXACT
from uno_pomdp.cli.ui.parse import parse_card
from uno_pomdp.cli.ui.policy_aware import PolicyAware
from uno_pomdp.errors import IllegalAction, UnoError, UnusableFile
from uno_pomdp.game.actions import DRAW, FORGOT_UNO, Action, seat_name
from uno_pomdp.game.events import Drew, Event, Played, Shown, Swapped
from uno_pomdp.game.layout import PLAYABLE, Seat
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.observed_start import check_hand
from uno_pomdp.game.outcome import Outcome, Reason
from uno_pomdp.game.record import GameRecord, Hidden, RecordedMove
from uno_pomdp.game.rng import Seed
from uno_pomdp.registry import BeliefSpec, coach_for, make_agent
from uno_pomdp.rules import Rules

NAMES = "me", "the opponent"


class NothingToSave(UnoError):
    """A game that has not begun."""


class Advisor:
    """A game from the deal on, with the beliefs and the coach that follow it."""

    def __init__(
        self,
        rules: Rules,
        seat: Seat,
        hand: Cards,
        top: CardType,
        coach: str,
        seed: Seed,
        spec: BeliefSpec | None = None,
    ) -> None:
        self.table = ObservedGame(rules, seat, hand, top)
        """What is known of the game."""
        self.belief = ClosedFormBelief(rules, self.table.observation)
        """The choice-agnostic belief about the opponent's hand."""
        self.aware = PolicyAware(rules, self.table.observation, NAMES[1], spec)
        """The policy-aware belief."""
        self._coach = make_agent(coach)
        self._coach.start(rules, self.table.observation, seed)
        self._decision: Decision | None = None

    def apply(self, entry: Entry) -> tuple[Event, ...]:
        """Take in an action; after a refusal that comes from the belief this is of no further use."""
        table = self.table
        table.apply(entry.action, entry.drawn, shown=entry.shown, count=entry.count, ended=entry.ended)
        events = table.events[-1]
        try:
            self.belief.update(events, table.observation)
        except ImpossibleEvent as error:
            raise IllegalAction(f"{_contradiction(table, events)}; this entry or an earlier one is wrong") from error
        self.aware.update(events, table.observation)
        self._coach.update(events, table.observation)
        self._decision = None
        return events

    def advice(self) -> Decision | None:
        """Return what the coach would do, if it is the own turn; asked again, it returns the same."""
        seen = self.table.observation
        if self.table.over or seen.turn != seen.seat:
            return None
        if self._decision is None:
            self._decision = self._coach.decide()
        return self._decision

    def shown(self) -> tuple[Action, ...]:
        """Return the own moves in the order in which advice shows them: what their numbers stand for."""
        decision = self.advice()
        return () if decision is None else moves_shown(decision)


def moves_shown(decision: Decision) -> tuple[Action, ...]:
    """Return the moves that a decision names, the best first."""
    return tuple(one.action for one in decision.candidates) or (decision.action,)


class Session:
    """All that was entered: first who starts, the own hand and the top card, then every action of both players.

    `known` are answers to the first three questions; a question whose answer is not known is asked.
    """

    def __init__(
        self,
        rules: Rules,
        coach: str | None,
        seed: Seed,
        known: Sequence[str | None] = (),
        spec: BeliefSpec | None = None,
    ) -> None:
        coach = coach or coach_for(rules)
        make_agent(coach).check_game(rules)  # a wrong one is refused before anything is asked
        if spec is not None:
            spec.maker()  # the same
        self.rules = rules
        """The rules of the game."""
        self.coach = coach
        """Who advises."""
        self._seed = seed
        self._spec = spec
        self.seat: Seat | None = None
        """The own seat, once it is known."""
        self.hand: Cards | None = None
        """The own hand at the deal, once it is known."""
        self.advisor: Advisor | None = None
        """The game, once it is dealt."""
        self.entries: list[Entry] = []
        """Every action of both players."""
        self._top: CardType | None = None
        self._known = [*known, None, None, None][:3]
        self._answer_what_is_known()

    @property
    def question(self) -> str:
        """What is to be entered next."""
        if self.seat is None:
            return "Who moves first, me or opponent?"
        if self.hand is None:
            return f"Your {self.rules.hand_size} cards?"
        if self.advisor is None:
            return "The top card?"
        seen = self.advisor.table.observation
        return "" if seen.outcome else "you" if seen.turn == seen.seat else "opponent"

    def enter(self, text: str) -> tuple[Event, ...]:
        """Take in the answer to the question; a refusal leaves everything as it was."""
        if self.seat is None:
            self.seat = parse_first(text)
        elif self.hand is None:
            hand = Cards.of(parse_cards(text))
            check_hand(self.rules, hand)
            self.hand = hand
        elif self.advisor is None:
            self._begin(parse_card(text))
        else:
            return self.take(parse_entry(text, self.advisor.table, self.advisor.shown))
        self._answer_what_is_known()
        return ()

    def _answer_what_is_known(self) -> None:
        asked = (self.seat is not None) + (self.hand is not None)
        answer = None if self.advisor is not None else self._known[asked]
        if answer is not None:
            self._known[asked] = None  # once: what is taken back is asked
            self.enter(answer)

    def take(self, entry: Entry) -> tuple[Event, ...]:
        """Take in an action."""
        assert self.advisor is not None
        try:
            events = self.advisor.apply(entry)
        except UnoError:
            if len(self.advisor.table.moves) > len(self.entries):  # refused by the belief, after the table took it in
                self._replay()
            raise
        self.entries.append(entry)
        return events

    def undo(self) -> str:
        """Take back the last entry and return what it was."""
        if self.entries:
            entry = self.entries.pop()
            self._replay()
            return str(entry)
        if self._top is not None:
            top, self._top, self.advisor = card_name(self._top), None, None
            return f"the top card {top}"
        if self.hand is not None:
            hand, self.hand = self.hand, None
            return f"the hand {hand}"
        if self.seat is not None:
            self.seat = None
            return "who moves first"
        raise NotUnderstood("there is nothing to take back: nothing was entered yet")

    def _begin(self, top: CardType) -> None:
        assert self.seat is not None
        assert self.hand is not None
        self.advisor = Advisor(self.rules, self.seat, self.hand, top, self.coach, self._seed, self._spec)
        self._top = top

    def _replay(self) -> None:
        """Begin again, and take in every entry: beliefs and coaches have no undo."""
        assert self._top is not None
        self._begin(self._top)
        assert self.advisor is not None
        for entry in self.entries:
            self.advisor.apply(entry)

    # --- for machines ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return how the game stands, the beliefs and the advice as JSON values."""
        advisor = self.advisor
        start: dict[str, Any] = {"rules": self.rules.name, "coach": self.coach}
        if advisor is None:
            return start | {"next": self.question}
        seen = advisor.table.observation
        decision = advisor.advice()
        return start | {
            "you": seat_name(seen.seat),
            "moves": len(advisor.table.moves),
            "hand": str(seen.hand),
            "top": card_name(seen.top),
            "colour": COLOUR_NAMES[seen.colour],
            "opponent": seen.opponent_size,
            "draw_pile": seen.draw_size,
            "penalty": seen.penalty,
            "next": self.question,
            "result": None if seen.outcome is None else str(seen.outcome),
            "belief": {"choices": EXACT} | advisor.belief.to_json(),
            "policy_aware_belief": advisor.aware.to_json(),
            "advice": None if decision is None else decision.to_json(),
        }

    # --- files -------------------------------------------------------------------------------------------

    def record(self) -> GameRecord:
        """Return the game so far as the seat's record."""
        if self.advisor is None:
            raise NothingToSave("there is no game to save yet: enter who moves first, your hand and the top card")
        first, second = NAMES if self.seat == 0 else NAMES[::-1]
        return self.advisor.table.record((first, second))

    @classmethod
    def resume(cls, path: Path, coach: str | None, seed: Seed, spec: BeliefSpec | None = None) -> "Session":
        """Return the session whose record was saved."""
        return cls.of_record(read_game(path), path, coach, seed, spec)

    @classmethod
    def of_record(
        cls, record: GameRecord, path: Path, coach: str | None, seed: Seed, spec: BeliefSpec | None = None
    ) -> "Session":
        """Return a session that has taken in a whole observer's record."""
        if record.observer is None:
            raise UnusableFile(f"{path} is the record of a whole game: only one player's record can be gone on with")
        if record.undone or record.midgame is not None or any(move.action == FORGOT_UNO for move in record.moves):
            raise UnusableFile(
                f"the game in {path} is more than a deal and its moves: it can be read, but not gone on with"
            )
        hand = record.hands[record.observer]
        assert not isinstance(hand, Hidden)
        session = cls(record.rules, coach, seed, spec=spec)
        session.seat, session.hand = record.observer, hand
        session._begin(record.top)
        for number, move in enumerate(record.moves, 1):
            assert session.advisor is not None
            outcome = record.outcome if number == len(record.moves) else None
            session.take(recorded_entry(move, session.advisor.table, outcome))
        return session


def recorded_entry(move: RecordedMove, table: ObservedGame, outcome: Outcome | None) -> Entry:
    """Return the next move of an observer's record as an entry; `outcome` is how the game ended with it."""
    drawn, count = ((), move.drawn.count) if isinstance(move.drawn, Hidden) else (move.drawn, 0)
    if move.swapped is not None:
        return Entry(move.action, drawn, move.swapped[table.seat])
    if move.seat == table.seat:
        return Entry(move.action, drawn, move.shown)
    if move.action == DRAW and table.draws_until_playable:
        exhausted = outcome is not None and outcome.reason is Reason.DECK_EXHAUSTED
        return Entry(DRAW, count=count, ended=exhausted and count == table.drawing)
    return Entry(move.action, drawn)


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
