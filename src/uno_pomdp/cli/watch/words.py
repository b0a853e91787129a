"""The coach's opinion of a move in words: those of hints and of the report after a game."""

from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.cli.ui.console import action_text
from uno_pomdp.game.observation import Observation
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.review.judgement import Grade, ReviewedMove

GRADE_STYLES = {Grade.INACCURACY: "yellow", Grade.MISTAKE: "bold yellow", Grade.BLUNDER: "bold red"}
"""How the grades of moves that were not good are written."""


def opinion(move: ReviewedMove, before: Observation) -> list[Text]:
    """Return what a coach thinks of a move, a line for each thing; `before` is what the mover saw."""
    if move.forced:
        return [Text("Nothing to weigh: ") + action_text(move.action) + Text(" was all that could be done.")]
    if move.best is None or move.grade is None:
        return [Text("Not judged: what its player knew is not in this record.")]
    grade = Text(move.grade.capitalize(), GRADE_STYLES.get(move.grade, "bold"))
    if move.action == move.best:
        return [
            grade
            + Text(f": wins {_percent(move.after)}; ")
            + action_text(move.best)
            + Text(f": {_effect(move, before)}"),
        ]
    lost = Text(f": lost {move.points_lost} points; it wins {_percent(move.after)}, ")
    return [grade + lost + action_text(move.best) + Text(f" {_percent(move.before)}."), better(move, before)]


def better(move: ReviewedMove, before: Observation) -> Text:
    """Return what would have come of the better move, in the words of a hint."""
    assert move.best is not None
    return Text("Better ") + action_text(move.best) + Text(f": {_effect(move, before)}")


def weighed(move: ReviewedMove) -> Decision | None:
    """Return all that was weighed at a move; None where nothing was."""
    return None if move.best is None else Decision(move.best, move.candidates, move.line, note=move.note)


def _effect(move: ReviewedMove, before: Observation) -> str:
    assert move.best is not None
    return f"{effect_of(move.best, before)}."


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
