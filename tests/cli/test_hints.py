"""Rows of a hint: every figure is there, or the row says why it is not."""

import pytest

from tests.cli.test_play_screens import found, free_to_draw, random_game, text_of
from tests.cli.test_views import printed
from tests.helpers import PRINTED_PLAIN
from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.cli.play.answers import hint_by
from uno_pomdp.cli.ui.candidates import candidates_view
from uno_pomdp.game.actions import Action
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.session.coach import Coach

REASON = "budget spent: skipped"


@pytest.mark.parametrize("coach", ["flat:sims=2", "ismcts:sims=2", "flat:sims=3,threads=2", "pomcp:sims=1"])
def test_a_move_that_was_not_searched_says_so(coach: str) -> None:
    text = text_of(hint_by(Coach(coach, 1))(found(PRINTED_PLAIN, free_to_draw), 80))
    rows = [line for line in text.splitlines() if "–" in line]
    assert rows
    assert all(row.endswith(REASON) for row in rows)
    assert text.count(REASON) == len(rows)


@pytest.mark.parametrize(("rules", "coach"), [("house", "champion:sims=60"), ("mini-9", "flat:sims=300")])
def test_no_row_has_a_gap_without_a_reason(rules: str, coach: str) -> None:
    reasons = set()
    for seed in range(12):
        for game in random_game(preset(rules), seed, 20):
            if game.over or len(game.legal_actions()) < 2 or (len(game.moves) + seed) % 7:
                continue
            agent = make_agent(coach)
            game.history(game.turn).lead(agent, 1)
            for one in agent.decide().candidates:
                assert one.note or (one.value is not None and one.error is not None and one.visits)
                reasons.add(one.note.partition(" ")[0])
    assert reasons == ({"", "prior"} if rules == "house" else {"", "proved"})


def test_where_an_agent_gives_no_value_the_row_says_so() -> None:
    best, other = Action.parse("R5"), Action.parse("W:B")
    lines = printed(candidates_view(Decision(best, (Candidate(best, 0.5, 0.1, 10), Candidate(other)))))
    assert lines[2].split(maxsplit=5) == ["2", "W:B", "–", "–", "–", "the agent gives none"]
