"""Rules: defaults, presets, and the field that is named when they can't be dealt."""

import pickle
import re
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from tests.helpers import VARIANTS
from uno_pomdp.cards import BLUE, RED, STANDARD_DECK, YELLOW, Cards
from uno_pomdp.errors import InvalidRules
from uno_pomdp.rules import CHOICES, FIELDS, PRESETS, Rules, preset

DEFAULTS = {
    "skip": "again",
    "drawn_card": "keep",
    "wild_four": "always",
    "draw": "forced",
    "reshuffle": "yes",
}
OTHERS = {
    "skip": "pass",
    "drawn_card": "may_play",
    "wild_four": "last_resort",
    "draw": "optional",
    "reshuffle": "no",
}


def test_the_defaults_are_the_first_values_of_the_rules_page() -> None:
    assert Rules() == Rules(deck=STANDARD_DECK, hand_size=7, **DEFAULTS)  # type: ignore[arg-type]
    assert {name: values[0] for name, values in CHOICES.items()} == DEFAULTS
    assert {name: values[1:] for name, values in CHOICES.items()} == {name: (other,) for name, other in OTHERS.items()}
    assert list(FIELDS) == ["deck", "hand_size", *DEFAULTS]


def test_house_pass_and_printed_are_what_the_rules_page_says() -> None:
    assert preset("house") == Rules()
    assert preset("pass") == Rules(skip="pass")
    assert preset("printed") == Rules(drawn_card="may_play", wild_four="last_resort", draw="optional")


@pytest.mark.parametrize(
    ("name", "deck", "reshuffle"),
    [
        ("mini-7", "R0 R1 RS Y0 Y1 YS W", "no"),
        ("mini-9", "R0 R1 RS R+2 Y0 Y1 YS Y+2 W", "no"),
        ("mini-10", "R0 R1 RS R+2 Y0 Y1 YS Y+2 W W4", "no"),
        ("mini-12", "R0 R0 R1 R1 RS RS Y0 Y0 Y1 Y1 YS YS", "yes"),
    ],
)
def test_mini_decks_are_what_the_rules_page_says(name: str, deck: str, reshuffle: Any) -> None:
    assert preset(name) == Rules(deck=Cards.parse(deck), hand_size=2, reshuffle=reshuffle)
    assert len(preset(name).deck) == int(name.removeprefix("mini-"))


def test_every_preset_knows_its_name_and_says_what_it_is() -> None:
    assert set(PRESETS) == {"house", "pass", "printed", "mini-7", "mini-9", "mini-10", "mini-12"}
    for name, entry in PRESETS.items():
        assert entry.rules.name == name
        assert entry.about
    assert Rules(hand_size=6).name == "custom"
    for left_out in ("challenge", "calling UNO", "scoring", "first card"):
        assert left_out in PRESETS["printed"].about


def test_an_unknown_preset_is_refused_with_the_known_names() -> None:
    names = "house, pass, printed, mini-7, mini-9, mini-10, mini-12"
    with pytest.raises(InvalidRules, match=f"no rules are called 'hous': choose one of {names}"):
        preset("hous")


@pytest.mark.parametrize("field", DEFAULTS)
@pytest.mark.parametrize("value", ["maybe", None, True, ""])
def test_an_unknown_value_of_a_variant_field_is_refused(field: str, value: Any) -> None:
    message = f"{field}: {value!r} is none of {DEFAULTS[field]}, {OTHERS[field]}"
    with pytest.raises(InvalidRules, match=re.escape(message)):
        Rules(**{field: value})


def test_a_deck_that_is_no_cards_value_is_refused() -> None:
    with pytest.raises(InvalidRules, match=re.escape("deck: give the cards as a Cards value, such as Cards.parse('R0")):
        Rules(deck=[2] * 54)  # type: ignore[arg-type]


def test_a_deck_without_a_coloured_card_is_refused() -> None:
    with pytest.raises(InvalidRules, match="deck: no coloured card, but the first top card has to be one"):
        Rules(deck=Cards.parse("W W W W4 W4 W4"), hand_size=2)


def test_an_empty_deck_is_refused() -> None:
    with pytest.raises(InvalidRules, match="deck: no coloured card"):
        Rules(deck=Cards.parse(""), hand_size=1)


def test_a_deck_of_more_than_108_cards_is_refused() -> None:
    with pytest.raises(InvalidRules, match="deck: 109 cards, but at most 108 are allowed"):
        Rules(deck=STANDARD_DECK + Cards.parse("R5"))


@pytest.mark.parametrize("size", [0, -1, 1.0, "7", None, True])
def test_a_hand_size_that_is_no_positive_number_is_refused(size: Any) -> None:
    with pytest.raises(InvalidRules, match=re.escape(f"hand_size: {size!r} is no number of cards of at least 1")):
        Rules(hand_size=size)


@pytest.mark.parametrize(("size", "needed"), [(54, 109), (100, 201)])
def test_a_hand_size_that_the_deck_can_not_deal_is_refused(size: int, needed: int) -> None:
    message = f"hand_size: two hands of {size} and a top card are {needed} cards, but the deck has 108"
    with pytest.raises(InvalidRules, match=message):
        Rules(hand_size=size)


def test_the_smallest_and_the_largest_deal_are_allowed() -> None:
    assert Rules(deck=Cards.parse("R0 W W4"), hand_size=1).hand_size == 1
    assert Rules(hand_size=53).hand_size == 53


def test_the_colours_are_those_in_the_deck() -> None:
    assert Rules().colours == (0, 1, 2, 3)
    assert preset("mini-7").colours == (RED, YELLOW)
    assert Rules(deck=Cards.parse("B1 B2 R5 W W4"), hand_size=2).colours == (RED, BLUE)


def test_rules_are_frozen_hashable_and_pickle() -> None:
    rules = Rules()
    with pytest.raises(FrozenInstanceError):
        rules.skip = "pass"  # type: ignore[misc]
    values = [replace(rules, **variant) for variant in VARIANTS]  # type: ignore[arg-type]
    assert len(set(values)) == 32
    assert pickle.loads(pickle.dumps(values)) == values
