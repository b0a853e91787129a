"""Rules: defaults, presets, and the field that is named when they can't be dealt."""

import itertools
import json
import pickle
import re
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from tests.helpers import ALL_VARIANTS, PAIRS_OF_VALUES, VARIANTS, is_legal, pairs_of_values
from uno_pomdp.cards import BLUE, RED, STANDARD_DECK, YELLOW, Cards
from uno_pomdp.errors import InvalidRules, UnoError
from uno_pomdp.rules import CHOICES, FIELDS, PRESETS, Rules, as_rules, preset

DEFAULTS = {
    "skip": "again",
    "drawn_card": "keep",
    "wild_four": "always",
    "draw": "forced",
    "stack": "no",
    "first_card": "plain",
    "swap": "no",
    "reshuffle": "yes",
}
OTHERS = {
    "skip": ("pass",),
    "drawn_card": ("may_play",),
    "wild_four": ("last_resort", "challenge"),
    "draw": ("optional", "until_playable"),
    "stack": ("same", "rising"),
    "first_card": ("acts",),
    "swap": ("seven_zero",),
    "reshuffle": ("no",),
}
OLD_FIELDS = ("deck", "hand_size", "skip", "drawn_card", "wild_four", "draw", "reshuffle")
"""What files of the first version name."""


def test_the_defaults_are_the_first_values_of_the_rules_page() -> None:
    assert Rules() == Rules(deck=STANDARD_DECK, hand_size=7, **DEFAULTS)  # type: ignore[arg-type]
    assert {name: values[0] for name, values in CHOICES.items()} == DEFAULTS
    assert {name: values[1:] for name, values in CHOICES.items()} == OTHERS
    assert list(FIELDS) == ["deck", "hand_size", *DEFAULTS]


def test_the_presets_with_the_standard_deck_are_what_the_rules_page_says() -> None:
    assert preset("house") == Rules()
    assert preset("pass") == Rules(skip="pass")
    assert preset("printed") == Rules(drawn_card="may_play", wild_four="challenge", draw="optional", first_card="acts")
    assert preset("stacking") == Rules(drawn_card="may_play", draw="optional", stack="rising", wild_four="always")
    assert preset("party") == Rules(draw="until_playable", stack="rising", swap="seven_zero")


def test_mini_bluff_is_what_the_rules_page_says() -> None:
    deck = Cards.parse("R0 " * 5 + "Y1 " * 5 + "W4 W4")
    assert preset("mini-bluff") == Rules(deck=deck, hand_size=2, wild_four="challenge", reshuffle="no")


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
    names = ["house", "pass", "printed", "stacking", "party", "mini-7", "mini-9", "mini-10", "mini-12", "mini-bluff"]
    assert list(PRESETS) == names
    for name, entry in PRESETS.items():
        assert entry.rules.name == name
        assert entry.about


def test_an_unknown_preset_is_refused_with_the_known_names() -> None:
    names = "house, pass, printed, stacking, party, mini-7, mini-9, mini-10, mini-12, mini-bluff"
    with pytest.raises(InvalidRules, match=f"no rules are called 'hous': choose one of {names}"):
        preset("hous")


@pytest.mark.parametrize("field", DEFAULTS)
@pytest.mark.parametrize("value", ["maybe", None, True, ""])
def test_an_unknown_value_of_a_variant_field_is_refused(field: str, value: Any) -> None:
    message = f"{field}: {value!r} is none of {', '.join([DEFAULTS[field], *OTHERS[field]])}"
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
    assert len(set(values)) == len(VARIANTS) == 32
    assert pickle.loads(pickle.dumps(values)) == values


# --- values that do not go together ----------------------------------------------------------------------


@pytest.mark.parametrize("stack", ["same", "rising"])
def test_challenges_together_with_stacking_are_refused(stack: Any) -> None:
    message = f"stack: no rules know stack={stack} and wild_four=challenge at once: choose one of them"
    with pytest.raises(InvalidRules, match=re.escape(message)):
        Rules(wild_four="challenge", stack=stack)


def test_a_draw_until_playable_together_with_a_choice_about_the_card_is_refused() -> None:
    with pytest.raises(InvalidRules, match="draw: until_playable leaves nothing to decide: choose drawn_card=keep"):
        Rules(draw="until_playable", drawn_card="may_play")


@pytest.mark.parametrize("stack", ["same", "rising"])
def test_a_deck_whose_debts_could_pass_255_is_refused_where_they_add_up(stack: Any) -> None:
    most = Cards.parse("W4 " * 62 + "R+2 " * 3 + "R0 R1 R2")
    assert Rules(deck=most, hand_size=1, stack=stack).deck == most  # 254: what is owed fits into a byte
    more = most + Cards.parse("R+2")
    with pytest.raises(InvalidRules, match="deck: stacked, its cards add up to 256 owed, but at most 255 can be"):
        Rules(deck=more, hand_size=1, stack=stack)
    assert Rules(deck=more, hand_size=1).deck == more


def test_all_other_values_go_together() -> None:
    for values in itertools.product(*CHOICES.values()):
        variant: dict[str, Any] = dict(zip(CHOICES, values, strict=True))
        if is_legal(variant):
            Rules(**variant)
        else:
            with pytest.raises(InvalidRules):
                Rules(**variant)


def test_the_small_set_of_variants_has_every_pair_of_values_that_is_legal() -> None:
    assert len(PAIRS_OF_VALUES) < 24
    found = set().union(*map(pairs_of_values, PAIRS_OF_VALUES))
    for (one, first), (other, second) in itertools.combinations(CHOICES.items(), 2):
        for values in itertools.product(first, second):
            pair = ((one, values[0]), (other, values[1]))
            assert (pair in found) == is_legal(DEFAULTS | dict(pair))


# --- as JSON ---------------------------------------------------------------------------------------------


def test_rules_become_json_with_their_fields_in_order_and_the_deck_as_its_cards() -> None:
    assert json.dumps(preset("mini-7").to_json()) == (
        '{"deck": "R0 R1 RS Y0 Y1 YS W", "hand_size": 2, "skip": "again", "drawn_card": "keep", '
        '"wild_four": "always", "draw": "forced", "stack": "no", "first_card": "plain", '
        '"swap": "no", "reshuffle": "no"}'
    )
    assert len(Rules().to_json()["deck"].split()) == 108


def test_rules_come_back_from_json() -> None:
    for rules in [known.rules for known in PRESETS.values()] + [Rules(hand_size=5, draw="optional")]:
        assert Rules.from_json(json.loads(json.dumps(rules.to_json()))) == rules
    assert Rules.from_json(Rules(skip="pass").to_json() | {"deck": "standard"}) == preset("pass")


@pytest.mark.parametrize(
    "change",
    [{"deck": 5}, {"deck": "XX"}, {"skip": []}, {"skip": {}}, {"hand_size": "7"}, {"hand_size": None}, {"more": 1}],
)
def test_json_that_holds_no_rules_is_refused(change: dict[str, object]) -> None:
    sound = preset("mini-7").to_json()
    with pytest.raises(UnoError):
        Rules.from_json(sound | change)
    others: list[object] = [None, [], {}]
    others += [{name: value for name, value in sound.items() if name != left_out} for left_out in ("deck", "hand_size")]
    for other in others:
        with pytest.raises(InvalidRules, match=r"rules have the fields deck, hand_size, skip, .*, the deck as a text"):
            Rules.from_json(other)


def test_json_that_names_too_much_says_what() -> None:
    with pytest.raises(InvalidRules, match="no field of rules is called 'more': choose one of deck, hand_size, skip"):
        Rules.from_json(preset("mini-7").to_json() | {"more": 1})


def test_a_field_that_json_does_not_name_has_its_default() -> None:
    for variant in VARIANTS:
        rules = Rules(**variant)  # type: ignore[arg-type]
        old = {name: value for name, value in rules.to_json().items() if name in OLD_FIELDS}
        assert len(old) == 7
        assert Rules.from_json(old) == rules
    assert Rules.from_json({"deck": "standard", "hand_size": 7, "swap": "seven_zero"}) == Rules(swap="seven_zero")


def test_printed_of_an_older_file_is_what_its_fields_say() -> None:
    fields = {"skip": "again", "drawn_card": "may_play", "wild_four": "last_resort", "draw": "optional"}
    old = Rules.from_json({"deck": "standard", "hand_size": 7, **fields, "reshuffle": "yes"})
    assert old == Rules.parse("printed,wild_four=last_resort,first_card=plain")
    assert old != preset("printed")


# --- as a text -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("house", Rules()),
        (" printed ", preset("printed")),
        ("house,skip=pass", preset("pass")),
        ("house, draw = optional , wild_four=challenge,drawn_card=may_play,first_card=acts", preset("printed")),
        (
            "printed,wild_four=last_resort,stack=same",
            replace(preset("printed"), wild_four="last_resort", stack="same"),
        ),
        ("mini-9,hand_size=3", replace(preset("mini-9"), hand_size=3)),
        ("mini-12,reshuffle=no", replace(preset("mini-12"), reshuffle="no")),
        ("mini-7,deck=R0 R1 Y0 Y1 W W4", replace(preset("mini-7"), deck=Cards.parse("R0 R1 Y0 Y1 W W4"))),
        ("mini-7,hand_size=7,deck=standard", Rules(reshuffle="no")),  # all at once: 7 cards are no hands of 7
    ],
)
def test_a_text_names_a_preset_and_what_is_changed(text: str, rules: Rules) -> None:
    assert Rules.parse(text) == rules
    assert as_rules(text) == as_rules(rules) == rules


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hous,skip=pass", "no rules are called 'hous': choose one of house, pass,"),
        ("", "no rules are called ''"),
        ("skip=pass", "'skip=pass' changes no rules that are named before it: write house,skip=pass"),
        ("house,pass", "'pass' is no change of a field: write it as in skip=pass"),
        ("house,", "'' is no change of a field"),
        ("house,skipp=pass", "no field of rules is called 'skipp': choose one of deck, hand_size, skip,"),
        ("house,skip=pass,skip=again", "skip is given twice: give it once"),
        ("house,skip=maybe", "skip: 'maybe' is none of again, pass"),
        ("house,hand_size=few", "hand_size: 'few' is no number of cards of at least 1"),
        ("house,hand_size=0", "hand_size: 0 is no number of cards of at least 1"),
        ("house,hand_size=\u00b2", "hand_size: '\u00b2' is no number of cards"),
        ("mini-9,hand_size=5", "hand_size: two hands of 5 and a top card are 11 cards, but the deck has 9"),
        ("house,deck=R0 X1", "deck: 'X1'"),
        ("house,deck=", "deck: no coloured card"),
        ("printed,stack=same", "stack: no rules know stack=same and wild_four=challenge"),
        ("party,drawn_card=may_play", "draw: until_playable leaves nothing to decide"),
    ],
)
def test_a_text_that_names_no_rules_is_refused_in_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(InvalidRules, match=re.escape(reason)):
        Rules.parse(text)


def test_the_name_of_rules_is_the_preset_that_needs_the_fewest_changes_with_them() -> None:
    assert Rules(hand_size=6).name == "house,hand_size=6"
    assert Rules(skip="pass", hand_size=5).name == "pass,hand_size=5"
    assert Rules(skip="pass", wild_four="challenge").name == "pass,wild_four=challenge"
    assert replace(preset("mini-9"), hand_size=3, reshuffle="yes").name == "mini-9,hand_size=3,reshuffle=yes"
    assert replace(preset("printed"), wild_four="last_resort").name == "printed,wild_four=last_resort"
    assert Rules(draw="optional", drawn_card="may_play", stack="same").name == "stacking,stack=same"


def test_among_presets_with_as_few_changes_the_name_takes_the_first_of_the_rules_page() -> None:
    assert Rules(drawn_card="may_play", draw="optional").name == "stacking,stack=no"
    assert Rules(drawn_card="may_play").name == "house,drawn_card=may_play"
    assert Rules(draw="optional", first_card="acts").name == "house,draw=optional,first_card=acts"
    with_both = Rules(drawn_card="may_play", draw="optional", first_card="acts", wild_four="last_resort")
    assert with_both.name == "printed,wild_four=last_resort"
    old = replace(preset("printed"), wild_four="last_resort", first_card="plain")
    assert old.name == "printed,wild_four=last_resort,first_card=plain"


def test_changed_fields_are_named_in_the_order_of_the_rules_page() -> None:
    changed = {"skip": "pass", "reshuffle": "no", "swap": "seven_zero", "stack": "same", "hand_size": 3}
    text = "mini-7,hand_size=3,skip=pass,stack=same,swap=seven_zero,reshuffle=no"
    wanted = replace(preset("mini-7"), **changed)  # type: ignore[arg-type]
    assert wanted.name == text.removesuffix(",reshuffle=no")
    assert Rules.parse(text) == wanted


def test_rules_with_a_deck_of_no_preset_have_no_name_but_a_text() -> None:
    rules = replace(preset("mini-7"), deck=Cards.parse("R0 R1 Y0 Y1 W"))
    assert rules.name == "custom"
    assert str(rules) == "mini-7,deck=R0 R1 Y0 Y1 W"


def test_every_legal_combination_is_read_back_from_its_name() -> None:
    for name in ("house", "mini-12", "mini-bluff"):
        for variant in ALL_VARIANTS:
            rules = replace(preset(name), **variant)  # type: ignore[arg-type]
            assert rules.name == str(rules)
            assert Rules.parse(rules.name) == rules
