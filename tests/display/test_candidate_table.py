"""One table of candidates: its columns, figures, reasons and marks, the same wherever it is drawn."""

import pytest

from tests.cli.test_views import printed
from tests.display.reading import checked, texts
from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.cli.ui.candidates import candidates_view
from uno_pomdp.display.candidate_table import NONE, NOT_GIVEN, CandidateTable, Column
from uno_pomdp.game.actions import Action
from uno_pomdp.pages.rendering import render
from uno_pomdp.review.judgement import ReviewedMove
from uno_pomdp.review.page_data import candidate_values

R5, WILD, DRAW = (Action.parse(text) for text in ("R5", "W:G", "draw"))
SEARCHED = (
    Candidate(R5, 0.6124, 0.0114, 1200, 0.7412),
    Candidate(WILD, 1.0, None, 0, 0.9996, "proved"),
    Candidate(DRAW, 0.05, 0.0, 3, 0.0001),
)


def table(*candidates: Candidate, chosen: Action | None = None, mark: str = "chosen") -> CandidateTable:
    return CandidateTable(tuple(one.row(one.action == chosen) for one in candidates), mark)


def test_figures_are_rounded_in_one_way() -> None:
    rows = table(*SEARCHED).rows
    assert [[row.figure(column) for column in Column] for row in rows] == [
        ["61.2 %", "1.1", "74 %", "1,200"],
        ["100.0 %", NONE, ">99 %", NONE],
        ["5.0 %", "0.0", "<1 %", "3"],
    ]
    assert [row.wins for row in rows] == ["61.2 ± 1.1 %", "100.0 %", "5.0 ± 0.0 %"]


@pytest.mark.parametrize(
    ("candidate", "titles"),
    [
        (SEARCHED[0], ["wins", "±", "prior", "simulations"]),
        (Candidate(R5, 0.5), ["wins", "±"]),
        (Candidate(R5, prior=0.5), ["plays it"]),
        (Candidate(R5, visits=4), ["simulations"]),
        (Candidate(R5), []),
    ],
)
def test_only_columns_with_a_figure_are_there_in_one_order(candidate: Candidate, titles: list[str]) -> None:
    one = table(candidate, Candidate(DRAW))
    assert [one.title(column) for column in one.columns] == titles


def test_a_gap_has_its_reason_and_no_other_row_has_one() -> None:
    one = table(SEARCHED[0], SEARCHED[1], Candidate(DRAW, prior=0.1))
    assert [one.reason(row) for row in one.rows] == ["", "proved", NOT_GIVEN]
    assert one.reason(one.rows[2], [Column.PRIOR]) == ""


def test_the_one_that_was_taken_has_the_mark() -> None:
    one = table(*SEARCHED, chosen=WILD, mark="played")
    assert [one.mark_of(row) for row in one.rows] == ["", "played", ""]
    assert one.said(one.rows[1]) == "W:G (played), 100.0 %, prior >99 %, proved"


def test_terminal_picture_and_page_show_the_same_figures() -> None:
    terminal = printed(candidates_view(Decision(R5, SEARCHED), played=WILD))
    picture = texts(checked(Decision(R5, SEARCHED)._repr_svg_()))
    move = ReviewedMove(1, 0, WILD, (6, 7), candidates=SEARCHED, line=(R5,))
    page = render("review_candidates.html", move=candidate_values(move))
    for row, line, cells in zip(table(*SEARCHED).rows, terminal[1:], page.split("<tr")[1:], strict=False):
        value, error, prior, visits = (row.figure(column) for column in Column)
        assert f" {value} {error} {prior} {visits}" in " ".join(line.split())
        assert row.wins in picture
        assert prior in picture
        assert f"<td>{row.wins}</td>" in cells
        assert ("played" in line) == ("<td>played</td>" in cells) == (row.name == "W:G")


@pytest.mark.parametrize("width", [40, 80])
def test_figures_stand_under_each_other_in_any_width(width: int) -> None:
    lines = printed(candidates_view(Decision(R5, SEARCHED), width=width), width)[1:4]
    assert len({line.index("%") for line in lines}) == 1
    assert ("█" in lines[0]) == (width == 80)
