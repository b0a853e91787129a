"""An analysis: every legal move, the beliefs beside it, the same on the way and at the end, and nothing hidden."""

import json
import random

import pytest

from tests.cli.test_play_screens import found, random_game, twins
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.agents.progress import Progress, SearchStopped
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.suspicion import rate_of_lies
from uno_pomdp.cards import Cards, card_name, parse_card
from uno_pomdp.errors import InvalidAgent
from uno_pomdp.game.deal import Midgame
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import COLOUR_MASK
from uno_pomdp.game.observed_start import midgame_observation
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import PRESETS, preset
from uno_pomdp.search.search import Search
from uno_pomdp.search.suspicion import sample_worlds
from uno_pomdp.session.analysis import NOT_VALUED, Analysis, analyse, aware_of, begin_analysis

AGENT = "flat:sims=60"
KEYS = {"done", "coach", "win", "candidates", "line", "note", "lie", "belief"}
BELIEF = {"cards", "expected", "colours", "nothing_playable"}


def opening(seed: int = 5, rules: str = "house") -> Game:
    return Game.new(preset(rules), seed)


@pytest.mark.parametrize("rules", PRESETS)
def test_every_position_is_analysed_from_both_seats(rules: str) -> None:
    """At every third move of a few games, the end included."""
    chance = random.Random(1)
    for seed in range(3):
        for game in random_game(preset(rules), seed, 45):
            if chance.random() < 0.66 and not game.over:
                continue
            for seat in (0, 1):
                history = game.history(seat)
                analysis = analyse(history, AGENT, 1)
                said = json.loads(json.dumps(analysis.to_json(), allow_nan=False))
                assert set(said) == KEYS
                assert set(said["belief"]["exact"]) == BELIEF
                assert said["belief"]["aware"] is None
                assert said["done"]
                legal = [] if game.over or game.turn != seat else [str(action) for action in game.legal_actions()]
                assert sorted(one["action"] for one in said["candidates"]) == sorted(legal)
                if legal:
                    assert said["win"] == said["candidates"][0]["value"] is not None
                    assert said["line"][:1] in ([], [said["candidates"][0]["action"]])
                else:
                    assert (said["win"], said["line"]) == (None, [])


def test_the_beliefs_say_what_they_say_elsewhere() -> None:
    game = next(game for game in random_game(preset("house"), 3) if len(game.moves) == 8)
    history = game.history(0)
    exact, aware = ClosedFormBelief.after(game, 0), aware_of(history, "greedy")
    analysis = analyse(history, AGENT, 1, aware=aware)
    said = analysis.to_json()["belief"]
    has, expected = exact.probabilities(), exact.expected_counts()
    assert set(said["exact"]["cards"]) == {card_name(card) for card in game.rules.deck.types()}
    for card in game.rules.deck.types():
        assert said["exact"]["cards"][card_name(card)] == pytest.approx(has[card])
        assert said["exact"]["expected"][card_name(card)] == pytest.approx(expected[card])
    assert sum(said["exact"]["expected"].values()) == pytest.approx(len(game.hand(1)))
    assert set(said["exact"]["colours"]) == {"red", "yellow", "green", "blue", "black"}
    assert set(said["aware"]) == BELIEF | {"about"}
    assert said["aware"]["about"] == aware.about()
    assert "greedy" in said["aware"]["about"]
    assert said["aware"]["nothing_playable"] == aware.belief.nothing_playable()
    assert analysis.lie is None


@pytest.mark.parametrize("coach", ["flat:sims=60", "flat:sims=60,belief=particles,model=heuristic,particles=200"])
def test_panel_search_and_document_say_one_probability_of_a_lie(coach: str) -> None:
    """The panel's belief beside the coach, the search's decision and its values, and JSON: the same to 10⁻¹²."""
    view = found("printed", lambda seen: seen.before is not None and seen.turn == seen.seat)
    history, agent = view.history, make_agent(coach)
    assert isinstance(agent, Search)
    aware = aware_of(history, "greedy", coach=coach)
    panel, analysis = aware.suspicion(), analyse(history, coach, 7, aware=aware)
    history.lead(agent, 1)
    decision, values = agent.decide(), agent.move_values()
    assert panel is not None
    for one in (
        begin_analysis(history, coach, aware).lie,
        analysis.lie,
        decision.lie,
        values.lie,
        agent.belief.suspicion(),
    ):
        assert one is not None
        assert one.probability == pytest.approx(panel.probability, abs=1e-12)
        assert one.assumes == panel.assumes
    assert analysis.to_json()["lie"] == decision.to_json()["lie"] == panel.to_json()
    guilty = (
        sample_worlds(agent.belief, 4000, 5)["hand_mask"][:, 1 - history.seat] & COLOUR_MASK[history.now.before] != 0
    )
    error = max(panel.probability * (1 - panel.probability) / 4000, 1 / 4000**2) ** 0.5
    assert guilty.mean() == pytest.approx(
        panel.probability, abs=5 * error
    )  # the worlds of the search are of that share


def test_in_a_game_begun_in_the_middle_the_past_is_said_to_be_unknown() -> None:
    """The belief weighs what it saw; of a +4 that lay there already it knows how often such a one is a lie."""
    rules = preset("printed")
    middle = Midgame(colour=2, turn=0, owed=4, before=0, played=Cards.parse("R5 R7"))
    seen = midgame_observation(rules, 0, Cards.parse("R1 G2 B3"), parse_card("W4"), middle, 4)
    belief = ParticleBelief(rules, seen, "heuristic", 200)
    suspicion = belief.suspicion()
    assert suspicion is not None
    assert "not known" in suspicion.assumes
    held = belief.has_colour(0)
    lies = held * rate_of_lies(seen)
    assert suspicion.probability == pytest.approx(lies / (lies + 1 - held))


def test_what_is_told_on_the_way_leads_to_the_end() -> None:
    history = opening().history(0)
    begun, told = begin_analysis(history, "flat:sims=5000"), []
    assert begun.to_json()["candidates"] == []
    progress = Progress(lambda *so_far: told.append(begun.so_far(*so_far)), every=0.0)
    analysis = analyse(history, "flat:sims=5000", 7, progress, begun=begun)
    assert len(told) > 1
    assert not any(one.done for one in told)
    assert told[-1].candidates == analysis.candidates
    assert told[-1].to_json() | {"done": True} == analysis.to_json()
    assert analysis == analyse(history, "flat:sims=5000", 7)
    words = [one["words"] for one in analysis.to_json()["candidates"]]
    assert words == [effect_of(one.action, history.now) for one in analysis.candidates]


def test_an_analysis_can_be_stopped_also_before_it_searches() -> None:
    progress = Progress()
    progress.stop()
    game = next(game for game in random_game(preset("house"), 3) if len(game.moves) == 8)
    with pytest.raises(SearchStopped):
        analyse(game.history(game.turn), "flat:ms=60000", 1, progress)


def test_a_forced_move_has_a_value_too() -> None:
    history = found("house", lambda seen: seen.turn == seen.seat and len(seen.legal_actions()) == 1).history
    analysis = analyse(history, AGENT, 1)
    assert len(analysis.candidates) == 1
    assert analysis.win is not None
    assert analysis.note == "forced"


def test_moves_that_an_agent_does_not_weigh_are_named_after_the_others() -> None:
    """A run that wins is proved without a look at the other moves; a scripted agent has priors and no values."""
    game = Game.new(preset("house"), 5)
    scripted = analyse(game.history(0), "heuristic", 1)
    assert scripted.win is None
    assert [one.prior is not None for one in scripted.candidates] == [True] * len(game.legal_actions())
    runs: list[Analysis] = []
    for seed in range(200):
        runs += [
            analyse(position.history(position.turn), AGENT, 1)
            for position in random_game(preset("house"), seed, 80)
            if not position.over and len(position.hand(position.turn)) == 2 and len(position.legal_actions()) > 1
        ]
        if any(one.candidates[-1].note == NOT_VALUED for one in runs):
            break
    run = next(one for one in runs if one.candidates[-1].note == NOT_VALUED)
    assert run.win == 1.0
    assert run.candidates[-1].value is None


def test_who_can_not_play_the_game_is_refused() -> None:
    with pytest.raises(InvalidAgent, match="no agent is called 'nobody'"):
        analyse(opening().history(0), "nobody")
    with pytest.raises(InvalidAgent):
        analyse(opening(rules="mini-12").history(0), "champion:sims=10")


def test_an_agent_that_weighs_what_is_not_legal_is_refused() -> None:
    with pytest.raises(AgentFailure, match=r"IllegalAction: .* is not legal here: legal is .*, in decide"):
        analyse(opening().history(0), "py:tests.engine.faulty.Illegal")


def test_games_that_differ_in_hidden_cards_are_analysed_alike() -> None:
    game = next(game for game in random_game(preset("house"), 4) if len(game.moves) == 6)
    alike = twins(game, 0, 3, 1)
    assert alike
    first = analyse(game.history(0), "flat:sims=300", 1, aware=aware_of(game.history(0), "greedy")).to_json()
    for twin in alike:
        assert (
            analyse(twin.history(0), "flat:sims=300", 1, aware=aware_of(twin.history(0), "greedy")).to_json() == first
        )
