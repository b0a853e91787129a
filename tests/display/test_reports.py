"""Matches, tournaments, Nash reports, populations and reviews in a notebook: figures, verdicts, and names escaped."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.display.reading import SVG, cells, checked, texts, titles
from tests.review.games import missed_run, played
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.results import MatchResult
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.statistics import Finding, Interval, Verdict
from uno_pomdp.arena.tournament import Tournament, TournamentResult, run_tournament
from uno_pomdp.equilibrium.attempts import Attempt
from uno_pomdp.equilibrium.double_oracle import Population
from uno_pomdp.equilibrium.nash_report import ExactMargin, NashReport
from uno_pomdp.equilibrium.sequence_form import Bracket, Exploitability
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import Review
from uno_pomdp.rules import preset

NASTY = '<b onclick="x">&</b>'
EXACT = ExactMargin(Exploitability(0.1, (0.3, 0.05)), Bracket(0.0, 0.1))


@cache
def match() -> MatchResult:
    """Return a small match."""
    return run_match(Match(preset("house"), ("heuristic", "baseline"), 200))


@cache
def tournament() -> TournamentResult:
    """Return a small tournament."""
    return run_tournament(Tournament(preset("house"), ("random", "greedy", "heuristic"), 60))


def attempt(name: str, margin: float, alone: float, joint: float) -> Attempt:
    """Return an attempt with these half-widths of its intervals."""
    intervals = (Interval(margin, margin - half, margin + half) for half in (alone, joint))
    return Attempt(name, "plans against its policy", True, 300, *intervals)


def nash(exact: ExactMargin | None = EXACT) -> NashReport:
    """Return a report with two attempts."""
    bounds = (attempt("pomcp:sims=400", 0.05, 0.01, 0.02), attempt("flat:sims=400", 0.01, 0.01, 0.03))
    return NashReport("mini-9", "baseline", 0, Interval(0.52, 0.51, 0.53), bounds, exact)


@cache
def review() -> Review:
    """Return a review of a game between two agents."""
    return review_game(played(), "flat:sims=200")


def interval(at: Interval, digits: int = 2) -> str:
    """Return an interval as charts write it, in points of 100."""
    figures = (f"{100 * value:.{digits}f}".replace("-", "−") for value in (at.estimate, at.low, at.high))
    return "{}  [{}, {}]".format(*figures)


def test_a_match_shows_points_with_their_interval_and_the_games() -> None:
    found = match()
    root = checked(found._repr_html_())
    assert {interval(found.points), *(interval(found.at(seat).points) for seat in (0, 1))} <= set(texts(root))
    score = found.score
    counts = [f"{count:,}" for count in (score.games, score.wins, score.draws, score.losses)]
    assert ["all games", *counts] in cells(root)
    assert [row[0] for row in cells(root)] == ["", "all games", "as player 1", "as player 2"]
    assert "50: neither is better" in texts(root)
    assert "without luck" not in texts(root)


def test_points_without_luck_and_the_verdict_of_a_test_are_shown_where_they_are_there() -> None:
    found = run_match(Match(preset("house"), ("heuristic", "baseline"), 20, luck=True))
    found = replace(found, finding=Finding(Verdict.FIRST_BETTER, 9, 3.0))
    adjusted = found.adjusted
    assert adjusted is not None
    markup = found._repr_html_()
    assert {"without luck", interval(adjusted.points)} <= set(texts(checked(markup)))
    assert "the first is better, after 9 pairs" in markup


def test_a_tournament_shows_ratings_and_the_cross_table() -> None:
    found = tournament()
    root = checked(found._repr_html_())
    assert cells(root) == found.rows()
    assert "0: random" in texts(root)
    order = [title.split(":")[0] for title in titles(root) if "[" in title]
    assert order == [found.names[agent] for agent in found.ranking()]


def test_a_nash_report_shows_joint_intervals_and_the_exact_margin_as_a_line() -> None:
    report = nash()
    markup = report._repr_html_()
    root = checked(markup)
    for bound in report.bounds:
        assert interval(replace(bound.joint, estimate=bound.margin.estimate)) in texts(root)
        assert [bound.name, bound.about] in cells(root)
    line = next(group[1] for group in root.iter(f"{SVG}g") if "exact" in (group.findtext(f"{SVG}title") or ""))
    zero = next(group[1] for group in root.iter(f"{SVG}g") if group.findtext(f"{SVG}title") == "0: not beaten")
    first, _ = (float(each.attrib["cx"]) for each in root.iter(f"{SVG}circle"))
    start, end = float(zero.attrib["x1"]), float(line.attrib["x1"])
    assert (first - start) / (end - start) == pytest.approx(0.05 / EXACT.margin, abs=0.01)
    assert report.verdict in [each.text for each in root.iter("p")]


def test_without_an_exact_margin_there_is_no_line_and_without_attempts_no_chart() -> None:
    assert "exact best response" not in nash(None)._repr_html_()
    assert not [*checked(replace(nash(), bounds=())._repr_html_()).iter(f"{SVG}svg")]


def test_a_population_shows_shares_and_margins() -> None:
    margins = (Interval(0.0, -0.01, 0.01), Interval(-0.02, -0.04, 0.0))
    found = Population("house", ("one", "two"), np.zeros((2, 2)), np.array([0.75, 0.25]), margins, 1, ())
    root = checked(found._repr_html_())
    assert cells(root)[1:] == [["one", "75.0 %"], ["two", "25.0 %"]]
    assert interval(margins[1]) in texts(root)


def test_a_review_shows_the_course_of_the_game_and_the_costliest_moves() -> None:
    found = review_game(missed_run(), "flat:sims=500")
    root = checked(found._repr_html_())
    picture = next(root.iter(f"{SVG}svg"))
    assert len([*picture.iter(f"{SVG}path")]) == 1 + len(found.seats)
    (worst,) = found.costliest(0)
    row = next(row for row in cells(root) if row[0] == f"{worst.number}. player 1")
    assert row[1:3] == ["R1", "RS"]
    assert row[3].startswith(f"{100 * (worst.loss or 0.0):.1f} ±")
    assert "player 1, one" in [row[0] for row in cells(root)]


def test_a_review_without_a_shown_loss_says_so() -> None:
    found = review()
    faultless = replace(found, moves=tuple(replace(move, error=1.0) for move in found.moves))
    assert "No move is shown to have lost anything." in faultless._repr_html_()


def test_names_are_escaped_everywhere() -> None:
    record = replace(review().record, players=(NASTY, NASTY))
    shown: list[MatchResult | TournamentResult | NashReport | Review] = [
        replace(match(), names=(NASTY, NASTY)),
        replace(tournament(), names=(NASTY, "b", "c")),
        replace(nash(), agent=NASTY, bounds=(attempt(NASTY, 0.05, 0.01, 0.02),)),
        replace(review(), record=record, coach=NASTY),
    ]
    for each in shown:
        markup = each._repr_html_()
        root = checked(markup)
        assert NASTY not in markup
        assert NASTY in "".join(root.itertext())
        assert not [*root.iter("b")]


def test_the_same_result_gives_the_same_bytes() -> None:
    for each in (match(), tournament(), nash(), review()):
        assert each._repr_html_() == each._repr_html_()
