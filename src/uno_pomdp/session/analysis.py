"""`analyse`: what an agent makes of one position, and what can be believed there, from what one seat has seen.

Nothing here takes a game: positions that differ in hidden cards alone are analysed alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from uno_pomdp.agents.agent import Candidate
from uno_pomdp.agents.progress import Progress
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.suspicion import Suspicion
from uno_pomdp.cards import card_name
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game.actions import Action
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.analyst import Analyst
from uno_pomdp.session.policy_aware import PolicyAware

NOT_VALUED: Final = "not valued"
"""The note on a legal move that the agent did not weigh."""
FORCED: Final = "forced"
"""The note on a position in which only one thing can be done."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """One position as one seat sees it: every legal move with its value, and the beliefs about the opponent's hand."""

    history: SeatHistory
    """What the seat has seen."""
    agent: str
    """The text of the agent that searched."""
    exact: dict[str, Any]
    """What the exact belief says of the opponent's hand, as JSON values; to it a choice is no evidence."""
    aware: dict[str, Any] | None = None
    """What the policy-aware belief says, if there is one, and `about`: what it assumes."""
    candidates: tuple[Candidate, ...] = ()
    """All legal moves, the best first; none where it is not the seat's turn."""
    lie: Suspicion | None = None
    """How likely the +4 that may be challenged was a lie, as the search takes it."""
    line: tuple[Action, ...] = ()
    """The principal variation: the moves of both that the agent expects, the best first."""
    note: str = ""
    """What else it says."""
    simulations: int = 0
    """Games that were simulated."""
    done: bool = False
    """Whether this is the end of it."""

    @property
    def win(self) -> float | None:
        """The probability of winning with the best move; None where it is not known."""
        return self.candidates[0].value if self.candidates else None

    def so_far(self, candidates: Sequence[Candidate], simulations: int) -> "Analysis":
        """Return it with what a search has found on the way."""
        return replace(self, candidates=all_legal(candidates, self.history.now), simulations=simulations)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        seen = self.history.now
        return {
            "done": self.done,
            "coach": self.agent,
            "win": self.win,
            "candidates": [one.to_json() | {"words": effect_of(one.action, seen)} for one in self.candidates],
            "line": [str(action) for action in self.line],
            "note": self.note,
            "lie": None if self.lie is None else self.lie.to_json(),
            "belief": {"exact": self.exact, "aware": self.aware},
        }


def begin_analysis(history: SeatHistory, agent: str, aware: PolicyAware | None = None) -> Analysis:
    """Return the analysis before any search: the beliefs. `aware` has followed the same history."""
    exact = ClosedFormBelief.along(history)
    said = None if aware is None else belief_json(aware.belief) | {"about": aware.about()}
    return Analysis(history, agent, belief_json(exact), said, lie=None if aware is None else aware.suspicion())


def analyse(
    history: SeatHistory,
    agent: str,
    seed: Seed = 0,
    progress: Progress | None = None,
    *,
    aware: PolicyAware | None = None,
    begun: Analysis | None = None,
) -> Analysis:
    """Return what an agent makes of the position at hand; `begun` is what `begin_analysis` returned for it, if it did.

    Where it is not the seat's turn there are beliefs alone. A stopped search raises `SearchStopped`.
    """
    found = begin_analysis(history, agent, aware) if begun is None else begun
    seen = history.now
    asked = Analyst(agent, seed, progress)
    asked.agent.check_game(history.rules, seen.seat)
    if seen.outcome is not None or seen.turn != seen.seat:
        return replace(found, done=True)
    asked.follow(history)
    if len(seen.legal_actions()) == 1 and asked.values_moves:  # which `decide` would not look into
        values = asked.values()
        return replace(
            found.so_far(values.candidates, values.worlds),
            line=values.line,
            note=values.note or FORCED,
            lie=values.lie,
            done=True,
        )
    decision = asked.decide()
    candidates = decision.candidates or (Candidate(decision.action),)
    told = found.so_far(candidates, decision.simulations)
    return replace(told, line=decision.line, note=decision.note, lie=decision.lie or found.lie, done=True)


def aware_of(
    history: SeatHistory,
    opponent: str,
    spec: BeliefSpec | None = None,
    progress: Progress | None = None,
    coach: str | None = None,
) -> PolicyAware:
    """Return the policy-aware belief of a seat that has seen this, about an opponent of this name, beside a coach.

    A filter takes seconds over a long game: with `progress` it is worked out here, and can be stopped between moves.
    """
    aware = PolicyAware(history.earlier(len(history.steps)), opponent, spec, coach)
    for step in history.steps:
        aware.update(*step)
        if progress is not None:
            progress.check()
            aware.belief  # noqa: B018 - which works it out
    return aware


def all_legal(candidates: Sequence[Candidate], seen: Observation) -> tuple[Candidate, ...]:
    """Return every legal action: the candidates as they stand, then what is not among them; others are refused."""
    named, legal = {one.action for one in candidates}, seen.legal_actions()
    if wrong := named - set(legal):
        raise IllegalAction(f"{min(map(str, wrong))} is not legal here: legal is {', '.join(map(str, legal))}")
    others = (Candidate(action, note=NOT_VALUED) for action in legal if action not in named)
    return (*candidates, *others)


def belief_json(belief: Belief) -> dict[str, Any]:
    """Return what a belief says of the hand: for every type of the deck P(at least one) and how many to expect."""
    said = belief.to_json()
    cards = {card_name(card): said["cards"].get(card_name(card)) for card in belief.rules.deck.types()}
    return {
        "cards": {name: found["has"] if found else 0.0 for name, found in cards.items()},
        "expected": {name: found["expected"] if found else 0.0 for name, found in cards.items()},
        "colours": said["colours"],
        "nothing_playable": said["nothing_playable"],
    }
