"""Bluffs in searches: guilt is weighed, our own is not given away, lies are told at some places and not at others."""

import numpy as np
import pytest

from tests.helpers import do, record_bytes, start
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.beliefs import suspicion
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.suspicion import rate_of_lies
from uno_pomdp.cards import RED, WILD_FOUR, Cards, parse_card
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import CHALLENGE, COLOUR_MASK, DRAW, STATE
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, WEIGHTS
from uno_pomdp.policies.rollouts import play_worlds_out
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.search.suspicion import ShownCards, sample_worlds
from uno_pomdp.search.trials.tree import TreeWalks

SEARCHES = ["flat:sims=2000", "ismcts:sims=2000", "pomcp:sims=2000", "value:sims=2000"]
PILE = "B1 B2 B3 B4 B5 B6 G3 G4 R5 R6 Y5 Y6"


def mini_bluff(top: str, first: str, second: str, moves: str, pile: str = "") -> Game:
    """Return a game of `mini-bluff` from these cards, the pile beginning with some, after these moves."""
    rules = preset("mini-bluff")
    rest = [*Cards.parse(pile), *(rules.deck - Cards.parse(f"{top} {first} {second} {pile}"))]
    return do(
        Game.from_deal(rules, Deal(parse_card(top), (Cards.parse(first), Cards.parse(second)), tuple(rest))), moves
    )


def chosen(agent: str, game: Game) -> int:
    """Return what an agent that has followed the game does."""
    return make_agent(agent).consider(game, 1).action.id


# --- lies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", SEARCHES)
def test_a_search_lies_at_some_information_sets_and_not_at_others(agent: str) -> None:
    lying = make_agent(agent).consider(mini_bluff("R0", "Y1 Y1", "R0 W4", "draw"), 1)
    assert lying.action.card == WILD_FOUR  # player 1 has shown that it is likely to hold neither red nor black
    honest = make_agent(agent).consider(mini_bluff("R0", "R0 Y1", "R0 W4", "R0"), 1)
    assert honest.action.card == parse_card("R0")
    assert (honest.candidates[0].value or 0.0) > max(
        one.value or 0.0 for one in honest.candidates if one.action.card == WILD_FOUR
    )


@pytest.mark.parametrize("agent", SEARCHES)
def test_a_search_challenges_at_some_information_sets_and_not_at_others(agent: str) -> None:
    """A +4 by who could play nothing a move before was no lie; one by who was shown to hold the colour is."""
    honest = mini_bluff("R0", "Y1 Y1", "R0 R0", "draw R0 W4:R", pile="W4")
    assert chosen(agent, honest) == DRAW
    caught = start("R7", "W4 W4 R1 R2 R3", "Y1 Y2 Y3 Y4 Y8", PILE, wild_four="challenge")
    do(caught, "W4:R challenge")  # shown: R1 R2 R3 and a +4; then player 2 has its turn
    while caught.turn == 1:
        caught.apply(caught.legal_actions()[0])
    assert chosen(agent, do(caught, "W4:B")) == CHALLENGE


@pytest.mark.parametrize("guilty", [True, False])
def test_the_victim_in_a_tree_does_not_learn_from_results_whether_we_lied(guilty: bool) -> None:
    """How often our +4 is challenged in 4,000 walks: as the heuristic states, within four standard errors."""
    hands = ("W4 R1 R2", "B1 B2 B3") if guilty else ("W4 B1 B2", "R1 R2 B3")
    game = start("R7", hands[0], "Y1 Y2 Y3", f"{hands[1]} B4 B5 B6 G3 G4", wild_four="challenge")
    told = do(Game.from_deal(game.rules, game.deal), "W4:B")
    victim = ScriptedAgent(HEURISTIC)
    victim.start(told.rules, told.observation(1), 1)
    rate, walks = float(victim.policy()[CHALLENGE]), 4000
    actions = np.array([action.id for action in game.legal_actions()])
    trial = TreeWalks().make(game.rules, actions, np.random.SeedSequence(4))
    worlds = np.repeat(game.to_state(), walks)  # the victim's own hand counts too, so that it is the same in all
    arm = int(np.flatnonzero(actions == next(a.id for a in game.legal_actions() if str(a) == "W4:B"))[0])
    trial.play(worlds, np.array([arm]), np.empty((walks, 1)))
    edges, visits = trial._edges[: int(trial._tree["edges"][0])], {}
    edge = int(trial._first[int(edges[arm]["child"])])
    while edge >= 0:
        visits[int(edges[edge]["action"])] = int(edges[edge]["visits"])
        edge = int(edges[edge]["next"])
    assert sum(visits.values()) == walks
    assert abs(visits.get(CHALLENGE, 0) / walks - rate) <= 4 * (rate * (1 - rate) / walks) ** 0.5
    assert 0.0 < rate < 1.0


# --- guilt -------------------------------------------------------------------------------------------------


def test_worlds_are_weighed_by_how_often_the_heuristic_lies() -> None:
    """P(guilty) = g β / (g β + 1 − g) with g of the closed form; 8,000 worlds, four standard errors of a quarter."""
    game = do(start("R7", "W4 R1 G2", "Y1 Y2 Y3", PILE, wild_four="challenge"), "W4:G")
    belief, lies, count = ClosedFormBelief.after(game, 1), rate_of_lies(game.observation(1)), 8000
    before = belief.has_colour(RED)
    expected = before * lies / (before * lies + 1 - before)
    worlds = sample_worlds(belief, count, 3)
    share = float(np.mean(worlds["hand_mask"][:, 0] & COLOUR_MASK[RED] != 0))
    assert len(worlds) == count
    assert share == pytest.approx(expected, abs=4 * (expected / count) ** 0.5)
    assert expected < before / 2
    liar = ScriptedAgent(HEURISTIC)
    earlier = Game.from_deal(game.rules, game.deal)
    liar.start(earlier.rules, earlier.observation(0), 1)
    assert lies == pytest.approx(1.0 - liar.policy()[parse_card("R1")], rel=0.2)  # one more card lies open now


def test_a_lie_that_is_certain_is_one_even_where_the_heuristic_never_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where every hand that fits holds red."""
    monkeypatch.setattr(suspicion, "rate_one", lambda *_: 0.0)
    game = do(start("R7", "W4 R1 R2", "Y1 Y2 Y3", PILE, wild_four="challenge"), "W4:G")
    belief = ClosedFormBelief.after(game, 1)
    monkeypatch.setattr(belief, "has_colour", lambda _: 1.0)
    assert belief.lie() == 1.0


def test_other_decisions_and_beliefs_with_a_model_get_their_worlds_as_they_are() -> None:
    game = start("R7", "W4 R1 G2", "Y1 Y2 Y3", PILE, wild_four="challenge")
    ours = ClosedFormBelief.after(game, 0)
    assert record_bytes(sample_worlds(ours, 50, 3)) == record_bytes(ours.sample(50, 3))
    aware = ParticleBelief.after(do(game, "W4:G"), 1, model="heuristic")
    assert record_bytes(sample_worlds(aware, 50, 3)) == record_bytes(aware.sample(50, 3))


# --- what was shown ----------------------------------------------------------------------------------------


def test_what_was_shown_convicts_until_it_is_played() -> None:
    game = start("R7", "W4 W4 R1 R2", "Y3 Y4 B3 G4", PILE, wild_four="challenge")
    shown = ShownCards(0)
    assert not shown.convicts(game.observation(0))
    for action in ("W4:R", "challenge", "draw", "R1", "draw", "R2", "draw"):
        do(game, action)
        shown.follow(game.last_step(0).events)
        if action == "challenge":
            assert shown.known.sum() == 3
        if action == "draw" and shown.known[parse_card("R2")]:
            assert shown.convicts(game.observation(0))
    assert shown.known[WILD_FOUR] == 1
    assert shown.known.sum() == 1
    assert not shown.convicts(game.observation(0))


def test_a_swap_shows_the_whole_hand() -> None:
    game = do(start("R7", "R0 R1 G2", "Y1 Y2 B3", PILE, wild_four="challenge", swap="seven_zero"), "R0")
    shown = ShownCards(1)
    shown.follow(game.last_step(1).events)
    assert shown.known.sum() == 2
    assert shown.convicts(game.observation(1))


def test_who_is_convicted_is_challenged_whatever_the_policy_says() -> None:
    """A +4 in worlds of a caught liar is worth what it is worth once it has been challenged."""
    game = start("R7", "W4 R1 G2", "Y1 Y2 Y3", PILE, wild_four="challenge")
    worlds = ClosedFormBelief.after(game, 0).sample(300, 2)
    action = next(a.id for a in game.legal_actions() if str(a) == "W4:R")
    found = []
    for caught in (False, True):
        results = np.empty((300, 1))
        play_worlds_out(worlds, np.zeros(1, STATE), np.array([action]), BASELINE, WEIGHTS, caught, streams(1), results)
        found.append(results.mean())
    assert found[1] < found[0] - 0.1
