"""A game at a real table, with the belief and the coach that follow it; every entry can be taken back or corrected."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from uno_pomdp.advise.advisor import NAMES, Advisor, Contradiction
from uno_pomdp.advise.entries import Entry, NotUnderstood, parse_entry
from uno_pomdp.advise.questions import MIDDLE, from_the_deal, from_the_middle, start_of
from uno_pomdp.advise.start import Start
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import ConflictingOptions, IllegalAction, UnoError, UnusableFile
from uno_pomdp.game.actions import FORGOT_UNO, seat_name
from uno_pomdp.game.events import Event
from uno_pomdp.game.move import Move
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.outcome import Outcome
from uno_pomdp.game.record import GameRecord
from uno_pomdp.game.rng import Seed
from uno_pomdp.registry import BeliefSpec, make_agent
from uno_pomdp.rules import Rules
from uno_pomdp.session.policy_aware import EXACT, SwitchedOff


class NothingToSave(UnoError):
    """A game that has not begun."""


class Session:
    """All that was entered: first how the game begins, then every action of both players.

    `known` are answers to the first questions, by name; a question whose answer is not known is asked.
    """

    def __init__(
        self,
        rules: Rules,
        coach: str | None,
        seed: Seed,
        known: Mapping[str, str] | None = None,
        spec: BeliefSpec | None = None,
        middle: bool = False,
    ) -> None:
        make_agent(coach or coach_for(rules)).check_game(rules)  # a wrong one is refused before anything is asked
        if spec is not None:
            spec.maker()  # the same
        self.rules = rules
        """The rules of the game."""
        self.start = from_the_middle(rules) if middle else from_the_deal(rules)
        """How the game begins, as far as it is known."""
        self.advisor: Advisor | None = None
        """The game, once it has begun."""
        self.entries: list[Entry] = []
        """Every action of both players."""
        self._given = coach
        self._seed = seed
        self._spec = spec
        self._known = dict(known or {})
        self._failure: AgentFailure | None = None
        self.off = SwitchedOff()
        """Beliefs that have failed."""
        self._resumed: GameRecord | None = None
        self._answer_what_is_known()

    @property
    def coach(self) -> str:
        """Who advises."""
        return self._given or coach_for(self.rules) if self.advisor is None else self.advisor.coach

    @property
    def question(self) -> str:
        """What is to be entered next."""
        if self.advisor is None:
            return self.start.question
        seen = self.advisor.table.observation
        return "" if seen.outcome else "you" if seen.turn == seen.seat else "opponent"

    def enter(self, text: str) -> tuple[Event, ...]:
        """Take in the answer to the question; a refusal leaves everything as it was."""
        if self.advisor is not None:
            return self.take(parse_entry(text, self.advisor.table, self.advisor.shown))
        if not self.start.texts and not self.start.middle and text.strip().lower() in MIDDLE:
            self.start = from_the_middle(self.rules)
        else:
            self._answer(text)
        self._answer_what_is_known()
        return ()

    def _answer(self, text: str) -> None:
        """Take in an answer; with the last one the game begins."""
        self.start.answer(text)
        if self.start.next is None:
            try:
                self.advisor = self._begun(self.start)
            except UnoError:
                self.start.take_back()
                raise

    def _answer_what_is_known(self) -> None:
        """Answer as far as answers are known; what was told but is never asked is refused."""
        while self.start.next in self._known:
            self._answer(self._known.pop(self.start.next))  # once: what is taken back is asked
        if self.advisor is not None and self._known:
            option = "first" if "turn" in self._known else next(iter(self._known))
            raise ConflictingOptions(f"--{option} is not asked for here: leave it out")

    def check_all_read(self) -> None:
        """Refuse to end while an answer that was given waits for the questions before it: nobody has read it."""
        if self.advisor is None and self._known:
            option = "first" if "turn" in self._known else next(iter(self._known))
            raise NotUnderstood(f"the input ends before --{option} is read; answer this first: {self.question}")

    def take(self, entry: Entry) -> tuple[Event, ...]:
        """Take in an action; a refusal leaves everything as it was."""
        assert self.advisor is not None
        events = self.advisor.apply(entry)
        self.entries.append(entry)
        return events

    def undo(self) -> str:
        """Take back the last entry and return what it was."""
        if self.entries:
            entry = self.entries.pop()
            self._replay()
            return str(entry)
        if self.start.texts:
            self.advisor = None
            return self.start.take_back()
        if self.start.middle:
            self.start = from_the_deal(self.rules)
            return "the start in the middle"
        raise NotUnderstood("there is nothing to take back: nothing was entered yet")

    def _begun(self, start: Start) -> Advisor:
        return Advisor(start.table(), self._given, self._seed, self._spec, self.failure, self.off)

    @property
    def failure(self) -> AgentFailure | None:
        """How the coach has failed, so that there is no advice any more; None if it has not."""
        if self._failure is None and self.advisor is not None:
            self._failure = self.advisor.failure
        return self._failure

    def _replay(self) -> None:
        """Begin again, and take in every entry: beliefs and coaches have no undo."""
        self.advisor = self._begun(self.start)
        for entry in self.entries:
            self.advisor.apply(entry)

    # --- corrections -------------------------------------------------------------------------------------

    def fix(self, text: str) -> str:
        """Correct entries, or answers to the first questions, and return what was done in a sentence.

        All others are checked again. Where one no longer fits, it is named and nothing is changed.
        """
        moves, answers = self._changes(text)
        start = self.start.corrected(answers) if answers else self.start
        if self.advisor is None:
            self.advisor = self._begun(start) if start.next is None else None
            self.start = start
            return f"Corrected: {_named(answers)}."
        own = [move.seat == self.advisor.table.seat for move in self.advisor.table.moves]
        advisor, entries = self._begun(start), list(self.entries)
        for number, old in enumerate(self.entries, 1):
            table = advisor.table
            try:
                if number in moves:
                    entries[number - 1] = parse_entry(moves[number], table)
                elif old.by_me is None and not table.over:
                    _check_turn(table, own[number - 1])
                advisor.apply(entries[number - 1])
            except UnoError as error:
                raise _no_longer_fits(number, self._told(number), number in moves, error) from error
        said = [f"entry {number} is {entries[number - 1]}, not {self.entries[number - 1]}" for number in sorted(moves)]
        said += [_named(answers)] if answers else []
        self.start, self.advisor, self.entries = start, advisor, entries
        return f"Corrected: {'; '.join(said)}. All else fits."

    def _changes(self, text: str) -> tuple[dict[int, str], dict[str, str]]:
        """Return the entries to correct by number, and the answers by name, with what they are to be."""
        moves: dict[int, str] = {}
        answers: dict[str, str] = {}
        for part in text.split(";"):
            what, _, new = part.strip().partition(" ")
            what = {"first": "turn"}.get(what.lower(), what.lower()) if self.start.middle else what.lower()
            if what.strip("#.").isdecimal() and new.strip():
                number = int(what.strip("#.")[:6])
                if not 1 <= number <= len(self.entries):
                    there = f"entries go from 1 to {len(self.entries)}" if self.entries else "there are no entries yet"
                    raise NotUnderstood(f"there is no entry {number}: {there}; log shows them")
                moves[number] = new.strip()
            elif what in self.start.names and new.strip():
                answers[what] = new.strip()
            else:
                raise NotUnderstood(
                    "write what to correct: fix 7 r5 for the entry with that number in the log, "
                    f"or fix {self.start.names[1]} … ({', '.join(self.start.names)}), several with ; between them"
                )
        return moves, answers

    def _told(self, number: int) -> str:
        """Return an entry with whose it is."""
        assert self.advisor is not None
        entry = self.entries[number - 1]
        own = self.advisor.table.moves[number - 1].seat == self.advisor.table.seat
        return str(entry) if entry.by_me is not None else f"{'me' if own else 'opponent'} {entry}"

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
            "played": seen.played_size,
            "played_not_known": seen.hidden_played,
            "penalty": seen.penalty,
            "next": self.question,
            "result": None if seen.outcome is None else str(seen.outcome),
            "belief": {"choices": EXACT} | advisor.belief.to_json(),
            "policy_aware_belief": advisor.aware.to_json(),
            "advice": None if decision is None else decision.to_json(),
        }

    # --- files -------------------------------------------------------------------------------------------

    def record(self) -> GameRecord:
        """Return the game so far as the seat's record; a round of a match or a practice game stays one."""
        if self.advisor is None:
            rest = "how it stands" if self.start.middle else "who moves first, your hand and the top card"
            raise NothingToSave(f"there is no game to save yet: enter {rest}")
        first, second = NAMES if self.advisor.table.seat == 0 else NAMES[::-1]
        belief = None if self._spec is None else str(self._spec)
        record = replace(self.advisor.table.record((first, second)), coach=self._given, belief=belief)
        before = self._resumed
        if before is None:
            return record
        undone = before.undone
        stood = undone[-1].after if undone else 0
        mine, theirs = ((each.top, each.hands, each.moves[:stood]) for each in (record, before))
        if mine != theirs:  # corrected since: what was taken back was so in another game
            undone = ()
        return replace(record, match=before.match, practice=before.practice, undone=undone)

    @classmethod
    def of_record(
        cls, record: GameRecord, path: Path, coach: str | None, seed: Seed, spec: BeliefSpec | None = None
    ) -> "Session":
        """Return a session that has taken in a whole observer's record, with its coach and belief if none is given."""
        if record.observer is None:
            raise UnusableFile(f"{path} is the record of a whole game: only one player's record can be gone on with")
        if spec is None and record.belief is not None:
            spec = BeliefSpec.parse(record.belief)
        session = cls(record.rules, coach or record.coach, seed, spec=spec)
        session._resumed = record
        session.start = start_of(record)
        session.advisor = session._begun(session.start)
        for number, move in enumerate(record.moves, 1):
            outcome = record.outcome if number == len(record.moves) else None
            session.take(recorded_entry(move, session.advisor.table, outcome))
        return session


def recorded_entry(move: Move, table: ObservedGame, outcome: Outcome | None) -> Entry:
    """Return the next move of an observer's record as an entry; `outcome` is how the game ended with it."""
    by_me = move.seat == table.seat if move.action == FORGOT_UNO else None
    return Entry(move.action, *table.told(move, outcome), by_me)


def _named(answers: Mapping[str, str]) -> str:
    return "; ".join(f"{name} is {text}" for name, text in answers.items())


def _check_turn(table: ObservedGame, own: bool) -> None:
    """Refuse an entry of one player where it is the other's turn."""
    if (table.observation.turn == table.seat) != own:
        raise IllegalAction("it is the opponent's turn there now" if own else "it is your turn there now")


def _no_longer_fits(number: int, told: str, changed: bool, error: UnoError) -> IllegalAction:
    """Return the refusal of a correction, by the first entry that does not fit."""
    reason = error.reason if isinstance(error, Contradiction) else str(error)
    if changed:
        return IllegalAction(f"entry {number} can't be that: {reason}; nothing is changed")
    return IllegalAction(
        f"entry {number} ({told}) no longer fits: {reason}; nothing is changed: "
        f"correct both at once, with ; {number} … after it"
    )
