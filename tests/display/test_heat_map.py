"""Beliefs as heat maps: every type of the deck with its probability, and the lines above them."""

import pytest

from tests.display.reading import checked, said, texts, titles
from tests.helpers import do, start
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import CARD_TYPES, COLOUR_NAMES, card_name
from uno_pomdp.display.heat_map import heat_map
from uno_pomdp.game.game import Game
from uno_pomdp.policies.kernels import HEURISTIC
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.quantities import percent
from uno_pomdp.rules import preset


def after(rules: str = "house", seed: int = 5, moves: int = 12) -> Belief:
    """Return the belief of player 1 after some moves."""
    game = Game.new(preset(rules), seed)
    belief = ClosedFormBelief(game.rules, game.observation(0))
    for number in range(moves):
        if game.over:
            break
        game.apply(game.legal_actions()[0])
        belief.update(game.events(0, number), game.observation(0))
    return belief


@pytest.mark.parametrize("rules", ["house", "printed", "mini-7", "mini-10", "mini-12"])
def test_every_type_of_the_deck_is_there_with_its_probability(rules: str) -> None:
    belief = after(rules, moves=4 if rules.startswith("mini") else 14)
    shown = titles(checked(belief._repr_svg_()))
    chances = belief.probabilities()
    for kind in range(CARD_TYPES):
        told = [title for title in shown if title.startswith(f"{card_name(kind)}:")]
        assert told == [f"{card_name(kind)}: {percent(chances[kind])}"] * (kind in belief.rules.deck)
    for colour in belief.rules.colours:
        assert f"any {COLOUR_NAMES[colour]} card: {percent(belief.has_colour(colour))}" in shown
    assert ("any black card" in " ".join(shown)) == any(kind in belief.rules.deck for kind in (52, 53))


def test_the_lines_say_whose_belief_it_is_and_whether_something_fits() -> None:
    belief = after()
    written = texts(checked(belief._repr_svg_()))
    seen = belief.observation
    assert f"ClosedFormBelief of player 1 at age 12: the opponent holds {seen.opponent_size}" in written
    assert f"{percent(belief.nothing_playable())}: nothing in the hand fits {card_name(seen.top)}" in " ".join(written)
    assert said(checked(belief._repr_svg_())).count(" %") >= 5


def test_what_was_inferred_is_seen() -> None:
    game = start("R0", "R1 Y1", "G5 B9", "Y5 Y6 G7 G8 B5 R9 W", reshuffle="no")
    belief = ClosedFormBelief(game.rules, game.observation(0))
    for number, action in enumerate(["R1", "draw"]):
        do(game, action)
        belief.update(game.events(0, number), game.observation(0))
    shown = titles(checked(belief._repr_svg_()))
    assert "R9: 11 %" not in shown
    before = titles(checked(ClosedFormBelief(game.rules, game.observation(0))._repr_svg_()))
    assert before != shown


def test_every_kind_of_belief_has_a_picture() -> None:
    game = Game.new(preset("mini-9"), 3)
    first = game.observation(0)
    model = PolicyModel(HEURISTIC)
    kinds: list[Belief] = [
        ClosedFormBelief(game.rules, first),
        UniformBelief(game.rules, first),
        EnumeratedBelief(game.rules, first),
        ParticleBelief(game.rules, first, model, seed=1),
    ]
    for belief in kinds:
        assert type(belief).__name__ in said(checked(belief._repr_svg_()))
        assert belief._repr_svg_() == belief._repr_svg_()


def test_a_larger_probability_is_a_deeper_colour_and_stays_legible() -> None:
    levels = [0.0, 0.01, 0.1, 0.3, 0.5, 0.8, 1.0]
    markup = heat_map("t", ["l"], dict(enumerate(levels)), {0: 1.0})
    cells = [group for group in checked(markup).iter() if (group.findtext("{*}title") or "").startswith("R")]
    fills = [cell[1].attrib["fill"] for cell in cells]
    lightness = [sum(int(fill[place : place + 2], 16) for place in (1, 3, 5)) for fill in fills]
    assert lightness == sorted(lightness, reverse=True)
    assert len(set(lightness)) == len(levels)


def test_a_deck_without_some_ranks_and_colours_has_no_place_for_them() -> None:
    written = texts(checked(after("mini-7", moves=0)._repr_svg_()))
    assert {"0", "1", "S", "red", "yellow", "black", "W"} <= set(written)
    assert not {"5", "+2", "green", "blue", "W4"} & set(written)
