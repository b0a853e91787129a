"""Beliefs and decisions as people see them: the figures are the belief's own, the truth stands where it is given."""

import re

import pytest
from rich.console import Console, RenderableType

from tests.helpers import do, start
from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.suspicion import rate_of_lies
from uno_pomdp.cards import COLOUR_NAMES, Cards
from uno_pomdp.cli.play.ending import luck_text
from uno_pomdp.cli.ui.belief import bar, belief_view
from uno_pomdp.cli.ui.candidates import candidates_view
from uno_pomdp.evaluation.luck import Chance, Luck
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.nets.pretrained import pretrained_rules
from uno_pomdp.registry import coach_for, make_agent, opponent_for
from uno_pomdp.rules import preset
from uno_pomdp.search.search import Search


def printed(view: RenderableType, width: int = 80) -> list[str]:
    """Return the lines of a view without colours."""
    console = Console(width=width, color_system=None, highlight=False)
    with console.capture() as caught:
        console.print(view)
    return [line.rstrip() for line in caught.get().splitlines()]


def figures(line: str) -> tuple[str, float, float]:
    """Return what a row says of its colour: name, P(has one) in percent, expected cards."""
    found = re.fullmatch(r"(\w+) +[█░]{10} +(\d+) % +([\d.]+)\b.*", line)
    assert found, line
    return found[1], float(found[2]), float(found[3])


def test_the_figures_of_a_belief_are_those_of_the_hypergeometric_distribution() -> None:
    # 7 unseen cards, of which 2 are held: R1 R2 R3 Y1 Y2 W W. P(no red) = C(4, 2) / C(7, 2) = 6 / 21.
    game = start("R0", "Y5 Y6", "R1 W", "R2 R3 Y1 Y2 W", reshuffle="no")
    lines = printed(belief_view(ClosedFormBelief(game.rules, game.observation(0)), game.hand(1)))
    red, yellow, black = map(figures, lines[1:4])
    assert red == ("red", 71, 0.9)  # 15/21, 3 · 2/7
    assert yellow == ("yellow", 52, 0.6)  # 1 − C(5, 2)/21, 2 · 2/7
    assert black == ("black", 52, 0.6)
    assert "R1 29 %  R2 29 %  R3 29 %" in lines[1]  # 2/7 each
    assert "W 52 %" in lines[3]
    assert lines[4] == "2 cards; nothing playable on R0 (red): 5 %, in truth something is"  # Y1 Y2 alone: 1/21
    assert lines[1].endswith("  R1")
    assert lines[3].endswith("  W")


def test_whether_a_wild_four_was_a_lie_is_said_where_it_can_be_challenged() -> None:
    # Player 1 keeps 2 of the 7 cards that player 2 has not seen: R1 R2 Y1 Y3 Y4 Y7 Y8. P(a red one) = 1 − 10/21.
    game = start("R0", "W4 R1 Y1", "Y5 Y6 Y9", "R2 Y3 Y4 Y7 Y8", wild_four="challenge", reshuffle="no")
    assert ClosedFormBelief(game.rules, game.observation(1)).lie() is None
    do(game, "W4:Y")
    belief = ClosedFormBelief.after(game, 1)
    lies = 11 / 21 * rate_of_lies(game.observation(1))
    assert belief.lie() == pytest.approx(lies / (lies + 10 / 21))
    told = "the +4 was a lie: <1 %, if it bluffs as often as heuristic does;"
    assert told in " ".join(printed(belief_view(belief)))
    assert "red is in 52 % of the hands that fit" in " ".join(printed(belief_view(belief)))
    assert printed(belief_view(belief, game.hand(0)))[-2].endswith("in truth it was")
    do(game, "draw")
    assert ClosedFormBelief.after(game, 1).lie() is None


def test_what_is_impossible_is_not_listed_and_what_is_certain_reads_100() -> None:
    game = do(start("R0", "R1 B1", "Y5 G2", "G3 Y4 W", reshuffle="no"), "R1 draw")
    lines = printed(belief_view(ClosedFormBelief(game.rules, game.observation(0)), game.hand(1)))
    by_colour = dict(line.split(maxsplit=1) for line in lines[1:] if line.split()[0] in COLOUR_NAMES)
    assert "R" not in by_colour["red"].replace("░", "")  # every red card is in sight
    assert "0 %" in by_colour["red"]


def test_without_the_truth_a_view_is_the_same_whatever_the_hidden_cards_are() -> None:
    game = Game.new(preset("house"), 4)
    hidden = Cards.of([*game.hand(1), *game.draw_pile])
    other = game.copy()
    other.guess(1, Cards.of([*hidden][:7]), [*hidden][7:])
    assert other.hand(1) != game.hand(1)
    views = [printed(belief_view(ClosedFormBelief(each.rules, each.observation(0)))) for each in (game, other)]
    assert views[0] == views[1]
    assert "truth" not in " ".join(views[0])


@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_views_keep_to_the_width(width: int) -> None:
    game = Game.new(preset("house"), 3)
    belief = ClosedFormBelief(game.rules, game.observation(0))
    for view in (belief_view(belief, game.hand(1), width), belief_view(belief, width=width)):
        assert all(len(line) <= width for line in printed(view, width))


def test_bars_are_full_or_empty_for_certainty_alone() -> None:
    assert [bar(share, 4) for share in (0.0, 0.01, 0.5, 0.99, 1.0)] == ["░░░░", "█░░░", "██░░", "███░", "████"]


def test_candidates_stand_in_their_order_with_value_error_and_visits() -> None:
    best, other = Action.parse("R5"), Action.parse("W:B")
    decision = Decision(
        best,
        (Candidate(best, 0.625, 0.004, 1200), Candidate(other, 0.25, 0.012, 300)),
        (best, Action.parse("draw")),
        worlds=700,
        simulations=1500,
        note="endgame",
    )
    lines = printed(candidates_view(decision, other))
    assert lines[1].split() == ["1", "R5", "██████░░░░", "62.5", "%", "0.4", "1,200"]
    assert lines[2].split() == ["2", "W:B", "██░░░░░░░░", "25.0", "%", "1.2", "300", "←", "played"]
    assert lines[3:] == ["expects R5 draw", "endgame", "1,500 simulations in 700 worlds"]


def test_a_policy_shows_its_shares_and_a_forced_move_its_note() -> None:
    action = Action.parse("R5")
    assert printed(candidates_view(Decision(action, (Candidate(action, prior=0.5),))))[1].split() == [
        "1",
        "R5",
        "50",
        "%",
    ]
    assert printed(candidates_view(Decision(action, note="forced"))) == ["forced"]


@pytest.mark.parametrize("rules", ["house", "mini-9", "mini-12"])
def test_coach_and_opponent_are_agents_and_the_coach_can_be_repeated(rules: str) -> None:
    asked = preset(rules)
    for chosen in (opponent_for(asked), coach_for(asked)):
        assert chosen.startswith("champion" if asked.name in pretrained_rules() else "flat")
    coach = make_agent(coach_for(asked))
    coach.start(asked, Game.new(asked, 1).observation(0), 1)
    assert make_agent(opponent_for(asked)).name == opponent_for(asked)
    assert isinstance(coach, Search)
    assert coach.budget.simulations


def test_luck_of_next_to_nothing_has_no_minus() -> None:
    lucks = [(None, 0, -1e-9), (1, 0, -0.002), (2, 1, -0.12)]
    luck = Luck(tuple(Chance(move, seat, (), (points,), 0.5) for move, seat, points in lucks))
    assert luck_text(luck, seat=0).plain == (
        "Luck -12 points of win probability: deal +0, your draws +0, the opponent's -12"
    )
