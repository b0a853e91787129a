"""Decisions as bars: every candidate with all that is known of it."""

from dataclasses import replace

import pytest

from tests.display.reading import SVG, checked, said, texts, titles
from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.game.game import Game
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

R5, WILD_GREEN, DRAW = (Action.parse(text) for text in ("R5", "W:G", "draw"))
SEARCHED = Decision(
    WILD_GREEN,
    (
        Candidate(WILD_GREEN, 0.6124, 0.011, 1200, 0.25),
        Candidate(R5, 0.5, 0.02, 300, 0.7412),
        Candidate(DRAW, prior=0.0001, note="prior < 0.1 %: skipped"),
    ),
    line=(WILD_GREEN, DRAW),
    worlds=1200,
    simulations=1500,
    milliseconds=12.5,
    note="a note",
)


def test_every_figure_of_every_candidate_is_there() -> None:
    root = checked(SEARCHED._repr_svg_())
    written = texts(root)
    for words in ("W:G", "R5", "draw", "61.2 ± 1.1 %", "50.0 ± 2.0 %", "1,200", "300", "25 %", "74 %", "<1 %"):
        assert written.count(words) == 1, words
    assert "prior < 0.1 %: skipped" in written
    assert written[-3:] == ["expects W:G draw", "a note", "1,500 simulations in 1,200 worlds, 12.5 ms"]
    assert titles(root)[0] == "W:G (chosen), 61.2 ± 1.1 %, prior 25 %, 1,200 simulations"
    assert "R5, 50.0 ± 2.0 %" in said(root)


def test_bars_are_as_long_as_what_they_stand_for() -> None:
    rows = list(checked(SEARCHED._repr_svg_()).iter(f"{SVG}g"))
    lengths = [[float(box.attrib["width"]) for box in row.iter(f"{SVG}rect")] for row in rows]
    for found, value, prior, visits in zip(lengths[:2], (0.6124, 0.5), (0.25, 0.7412), (1.0, 0.25), strict=True):
        _, whole, bar, room, share, most, spent = found
        assert (bar / whole, share / room, spent / most) == pytest.approx((value, prior, visits), abs=0.002)


def test_only_the_chosen_one_is_marked() -> None:
    for chosen in (WILD_GREEN, R5, DRAW):
        shown = titles(checked(replace(SEARCHED, action=chosen)._repr_svg_()))
        assert [title.split(",")[0] for title in shown if "(chosen)" in title] == [f"{chosen} (chosen)"]


def test_a_policy_without_a_search_shows_how_often_it_plays_what() -> None:
    decision = Decision(R5, (Candidate(R5, prior=0.75), Candidate(DRAW, prior=0.25)))
    written = texts(checked(decision._repr_svg_()))
    assert {"plays it", "75 %", "25 %"} <= set(written)
    assert not {"wins", "simulations"} & set(written)


def test_a_forced_move_has_no_candidates() -> None:
    assert {"Decision: draw", "forced"} <= set(texts(checked(Decision(DRAW, note="forced")._repr_svg_())))


def test_notes_are_escaped() -> None:
    nasty = 'a < b & "c"'
    root = checked(Decision(R5, (Candidate(R5, note=nasty),), note=nasty)._repr_svg_())
    assert texts(root).count(nasty) == 2


def test_a_long_note_is_cut_where_the_next_column_begins() -> None:
    note = "a reason that goes on and on and would run into the bars of the prior"
    candidates = (Candidate(R5, 0.5, 0.1, 10, 0.5), Candidate(DRAW, prior=0.5, note=note))
    root = checked(Decision(R5, candidates)._repr_svg_())
    shown = next(each for each in root.iter(f"{SVG}text") if (each.text or "").startswith("a reason"))
    prior = next(each for each in root.iter(f"{SVG}text") if each.text == "prior")
    assert float(shown.attrib["x"]) + 0.6 * 11 * len(shown.text or "") < float(prior.attrib["x"])
    assert note in " ".join(titles(root))


def test_a_note_beside_shares_alone_stands_behind_them() -> None:
    decision = Decision(R5, (Candidate(R5, prior=1.0, note="sure"), Candidate(DRAW, prior=0.0)))
    root = checked(decision._repr_svg_())
    shown, figure = (next(e for e in root.iter(f"{SVG}text") if e.text == words) for words in ("sure", "100 %"))
    assert float(shown.attrib["x"]) > float(figure.attrib["x"]) + 0.6 * 12 * len("100 %")


def test_all_actions_have_a_place() -> None:
    decision = Decision(R5, tuple(Candidate(action, 0.5, 0.01, 10, 0.1) for action in ACTIONS))
    assert len(titles(checked(decision._repr_svg_()))) == len(ACTIONS)


@pytest.mark.parametrize("agent", ["heuristic", "flat:sims=200", "ismcts:sims=200", "value:sims=200"])
def test_what_agents_decide_can_be_shown(agent: str) -> None:
    game, player = Game.new(preset("house"), 11), make_agent(agent)
    player.start(game.rules, game.observation(0), 1)
    decision = player.decide()
    written = texts(checked(decision._repr_svg_()))
    assert f"Decision: {decision.action}" in written
    assert {str(one.action) for one in decision.candidates} <= set(written)
    assert decision._repr_svg_() == decision._repr_svg_()


def test_values_of_all_actions_can_be_shown() -> None:
    game, player = Game.new(preset("house"), 11), make_agent("flat:sims=200")
    player.start(game.rules, game.observation(0), 1)
    values = player.move_values()  # type: ignore[attr-defined]  # a root search has it
    assert {f"{one.action}" for one in values.candidates} <= set(texts(checked(values._repr_svg_())))
