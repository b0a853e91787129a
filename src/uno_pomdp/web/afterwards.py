"""What is told of a game when it is over, and not before: the other hand, luck, the win probability with open hands."""

from typing import Any

from uno_pomdp.cards import card_name
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.evaluation.win_probability import open_chances, win_probability_for
from uno_pomdp.game.layout import FIRST
from uno_pomdp.narration.explain import colours_held, nothing_weighed
from uno_pomdp.session.session import Session


def after_json(session: Session) -> dict[str, Any]:
    """Return what is told after the end; probabilities and luck are the person's."""
    assert session.over
    record, seat = session.record, session.seat
    evaluator = win_probability_for(record.rules)
    chances = open_chances(record, evaluator)
    sign = 1 if seat == FIRST else -1
    luck = luck_of(record, evaluator)
    return {
        "opponent_hand": [card_name(card) for card in session.game.hand(1 - seat)],
        "luck": [
            {"number": 0 if chance.move is None else chance.move + 1, "luck": sign * chance.luck}
            for chance in luck.chances
        ],
        "open_graph": [chance if seat == FIRST else 1 - chance for chance in chances],
    }


def points_json(session: Session) -> dict[str, Any]:
    """Return what a round scored, where it is one: points of its winner, both scores with the person's own first."""
    scored, match = session.scored, session.setup.match
    if scored is None or match is None:
        return {}
    score = session.setup.score(match.score_after(scored))
    return {"points": scored.points, "score": list(score), "next_round": session.next_round is not None}


def reasons_in_words(session: Session) -> str:
    """Return what the opponent held and weighed at its last move."""
    reasons = session.reasons()
    if reasons is None:
        return ""
    told = f"It held {reasons.hand}. {colours_held(reasons.colours)}"
    if not reasons.choice:
        return f"{told} {nothing_weighed(reasons.decision.action)}"
    weighed = [f"{one.action} {100 * one.value:.0f} %" for one in reasons.decision.candidates if one.value is not None]
    return f"{told} It weighed {', '.join(weighed)}." if weighed else told
