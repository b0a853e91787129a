"""Answers to `hint`, `belief` and `why`: from what the seat has seen; `why` in full where all may be told."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cli.play.person import Answer
from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.cli.ui.belief import assumptions, belief_view
from uno_pomdp.cli.ui.candidates import candidates_view
from uno_pomdp.cli.ui.console import action_text, cards_text, showing_compilation
from uno_pomdp.game.actions import Action
from uno_pomdp.narration.explain import colours_held, effect_of, last_of_opponent, nothing_weighed, public_reason
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.session.coach import Coach, NoCoach
from uno_pomdp.session.parse import choices
from uno_pomdp.session.policy_aware import PolicyAware, SwitchedOff
from uno_pomdp.session.session import Reasons, Session


def hint_by(coach: Coach) -> Answer:
    """Return a function that answers `hint`."""

    def hint(view: SeatView, width: int) -> RenderableType:
        legal = view.now.legal_actions()
        try:
            decision = coach.hint(view.history)
        except NoCoach as gone:  # an answer, not a refusal: what was typed is right
            return Text(f"No hint: {gone}.", overflow="fold")
        if decision is None:
            return Text("Nothing to weigh: ") + action_text(legal[0]) + Text(" is all that can be done.")
        best = Text(f"{coach.name} suggests ") + action_text(decision.action)
        effect = Text(f": {effect_of(decision.action, view.now)}.")
        lie = [] if decision.lie is None else [Text(f"{decision.lie}.")]
        return Group(best + effect, *lie, weighed(decision, legal, width))

    return hint


def why_by(session: Session) -> Answer:
    """Return a function that answers `why`: by public facts while the game counts, in full when it does not."""

    def why(view: SeatView, width: int) -> RenderableType:
        told = Text(public_reason(view.history))
        if last_of_opponent(view.history) is None:
            return told
        if not session.open:
            return told + Text(" What it weighed is told after the end: it would betray its cards.", "dim")
        reasons = session.reasons()
        assert reasons is not None
        return Group(told, in_full(reasons, width))

    return why


def in_full(reasons: Reasons, width: int) -> RenderableType:
    """Return why the opponent decided so, with its own hand and what it could know of the person's."""
    decision = reasons.decision
    parts: list[RenderableType] = [
        Text("It held ") + cards_text(reasons.hand) + Text("."),
        Text(colours_held(reasons.colours)),
    ]
    if reasons.choice:
        parts.append(candidates_view(decision, played=decision.action, width=width))
    else:
        parts.append(Text(nothing_weighed(decision.action)))
    return Group(*parts)


def weighed(decision: Decision, legal: Sequence[Action], width: int = 80) -> RenderableType:
    """Return the candidates, the best first, each with the number that stands on its card: the one to type."""
    place = {each: n for n, each in enumerate(choices(legal), 1)}
    numbers = {one: place[one if one.card is None else one.card] for one in legal}
    return candidates_view(decision, numbers=numbers, width=width)


def belief_by(spec: BeliefSpec | None = None, coach: str | None = None, off: SwitchedOff | None = None) -> Answer:
    """Return a function that answers `belief`, beside the coach that answers `hint`.

    It follows the game on from where it was asked last; of a belief that fails it says so once.
    """
    off = SwitchedOff() if off is None else off
    followed: list[PolicyAware] = []

    def belief(view: SeatView, width: int) -> RenderableType:
        aware = followed.pop() if followed else PolicyAware(view.history, view.opponent, spec, coach, off)
        aware.follow(view.history)
        followed.append(aware)
        shown = both_beliefs(ClosedFormBelief.along(view.history), aware, width)
        return Group(*map(Text, off.news()), shown)

    return belief


def both_beliefs(exact: ClosedFormBelief, aware: PolicyAware, width: int) -> RenderableType:
    """Return the choice-agnostic posterior, which is exact, and the policy-aware one."""
    with showing_compilation():
        return Group(
            Text("The opponent's hand by what you have seen, its choices taken in two ways:"),
            assumptions(aware, width),
            belief_view(exact, width=width, beside=aware),
        )
