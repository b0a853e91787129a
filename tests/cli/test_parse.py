"""What a person types: every card and action in many spellings, and refusals that say what is wrong."""

import re
from itertools import product

import pytest

from uno_pomdp.cards import CARD_NAMES, COLOUR_NAMES, WILD, WILD_FOUR, Cards, card_name
from uno_pomdp.errors import IllegalAction, UnoError
from uno_pomdp.game.actions import ACTIONS, DRAW, KEEP, Action
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.rules import Rules
from uno_pomdp.session.parse import (
    BLACK_WORDS,
    RANK_WORDS,
    ColourWanted,
    Unclear,
    choices,
    listed,
    parse_action,
    parse_card,
)

CHOICES = tuple(map(Action.parse, ["R5", "G5", "W:R", "W:Y", "W:G", "W:B", "W4:R", "W4:Y", "W4:G", "W4:B"]))


@pytest.mark.parametrize("name", CARD_NAMES)
def test_every_card_is_known_by_its_own_name_in_either_case(name: str) -> None:
    assert card_name(parse_card(name)) == name
    assert card_name(parse_card(f"  {name.lower()} ")) == name


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_every_action_is_known_by_the_text_of_records(action: Action) -> None:
    assert parse_action(str(action), ACTIONS) == action
    assert parse_action(str(action).lower(), ACTIONS) == action


def test_no_spelling_means_two_things() -> None:
    meant: dict[str, set[str]] = {}
    for colour, name in enumerate(COLOUR_NAMES):
        named = [*((words, f"{name[0].upper()}{rank}") for rank, words in enumerate(RANK_WORDS))]
        named += [(words, f"{card}:{colour}") for card, words in BLACK_WORDS.items()]
        for words, what in named:
            for own, word in product((name[0], name), words):
                for text in (own + word, f"{own} {word}", word + own, f"{word} {own}"):
                    meant.setdefault(text, set()).add(what)
    for card, words in BLACK_WORDS.items():
        for word in words:
            meant.setdefault(word, set()).add(str(card))
    assert {text: what for text, what in meant.items() if len(what) > 1} == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("red 5", "R5"),
        ("5 red", "R5"),
        ("5r", "R5"),
        ("red five", "R5"),
        ("green skip", "GS"),
        ("skip green", "GS"),
        ("rr", "RR"),
        ("r r", "RR"),
        ("reverse blue", "BR"),
        ("rev b", "BR"),
        ("+2 blue", "B+2"),
        ("blue draw two", "B+2"),
        ("y+2", "Y+2"),
        ("yd2", "Y+2"),
        ("wild", "W"),
        ("+4", "W4"),
        ("wild +4", "W4"),
        ("Wild Draw Four", "W4"),
        ("b4", "B4"),
        ("r-5", "R5"),
    ],
)
def test_cards_as_people_write_them(text: str, name: str) -> None:
    assert card_name(parse_card(text)) == name


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("1", "R5"),
        ("2", "G5"),
        ("play g5", "G5"),
        ("wild red", "W:R"),
        ("w r", "W:R"),
        ("wr", "W:R"),
        ("red wild", "W:R"),
        ("w:g", "W:G"),
        ("+4 blue", "W4:B"),
        ("b+4", "W4:B"),
        ("w4 y", "W4:Y"),
        ("wild +4, green", "W4:G"),
        ("wild draw four yellow", "W4:Y"),
    ],
)
def test_actions_as_people_write_them(text: str, action: str) -> None:
    assert str(parse_action(text, CHOICES)) == action


@pytest.mark.parametrize("text", ["d", "draw", "take", "draw 2", "draw a card", "pick up", "1", "DRAW"])
def test_a_draw_as_people_write_it(text: str) -> None:
    assert parse_action(text, [DRAW]) == DRAW


@pytest.mark.parametrize("text", ["k", "keep", "pass", "2"])
def test_keeping_as_people_write_it(text: str) -> None:
    assert parse_action(text, [Action.parse("R5"), KEEP]) == KEEP


def test_numbers_count_cards_and_then_draw_or_keep_not_the_colours_of_a_black_card() -> None:
    legal = (*CHOICES, DRAW)
    assert listed(legal) == "1 R5, 2 G5, 3 W, 4 W4, 5 draw"
    assert choices(legal)[2:] == (WILD, WILD_FOUR, DRAW)


@pytest.mark.parametrize(("text", "card"), [("w", WILD), ("3", WILD), ("+4", WILD_FOUR), ("4", WILD_FOUR)])
def test_a_black_card_without_its_colour_asks_for_it(text: str, card: int) -> None:
    with pytest.raises(ColourWanted, match="Which colour") as asked:
        parse_action(text, CHOICES)
    assert asked.value.card == card


def test_a_black_card_with_one_colour_to_declare_needs_none() -> None:
    assert str(parse_action("wild", [Action.parse("W:R")])) == "W:R"


@pytest.mark.parametrize("text", ["", "foo", "r", "red", "r10", "11 red", "²", "٣", "-1", "r5 r6", "w w", "wild pink"])
def test_what_names_nothing_is_refused_with_what_could_be_written(text: str) -> None:
    with pytest.raises(Unclear, match="You can: 1 R5, 2 G5, 3 W, 4 W4"):
        parse_action(text, CHOICES)


@pytest.mark.parametrize("text", ["foo", "wild red", "red", "", "5"])
def test_what_is_no_card_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(Unclear, match="write "):
        parse_card(text)


@pytest.mark.parametrize("text", ["0", "5", "99", "1" * 5000])
def test_a_number_that_is_not_shown_is_refused(text: str) -> None:
    with pytest.raises(Unclear, match="numbers go from 1 to 4"):
        parse_action(text, CHOICES)


def position(hand: str, rules: str = "") -> Game:
    """Return a game in which player 1 holds these cards on a red 3."""
    deck = Cards.parse(hand + " R3 B1 B2 B3 B9 Y9 R9 Y1 Y2 Y3 Y4 W4 G+2")
    given = Cards.parse(hand)
    size = len(given)
    rest = list(deck - given - Cards.parse("R3"))
    values = {"wild_four": "last_resort"} if rules == "last_resort" else {}
    made = Rules(deck=deck, hand_size=size, **values)  # type: ignore[arg-type]
    return Game.from_deal(
        made, Deal(Cards.parse("R3").mask.bit_length() - 1, (given, Cards.of(rest[:size])), tuple(rest[size:]))
    )


@pytest.mark.parametrize(
    ("hand", "rules", "text", "why"),
    [
        ("R5 G7", "", "g7", "G7 does not fit on R3 (red). You can: 1 R5."),
        ("R5 G7", "", "b4", "You don't hold B4. You can: 1 R5."),
        ("R5 G7", "", "draw", "You can't draw: a card fits. You can: 1 R5."),
        ("R5 G7", "", "keep", "You can't keep: no card was just drawn. You can: 1 R5."),
        ("R5 W4", "last_resort", "+4 red", "W4 is for a hand without red, and you have some. You can: 1 R5."),
        ("R5 G7", "", "2", "There is no number 2: the only number is 1"),
    ],
)
def test_a_refusal_says_why(hand: str, rules: str, text: str, why: str) -> None:
    seen = position(hand, rules).observation(0)
    with pytest.raises(UnoError, match=re.escape(why)):
        parse_action(text, seen.legal_actions(), seen)


def test_a_penalty_comes_first() -> None:
    game = position("R+2 G7")
    game.apply(Action.parse("R+2"))
    seen = game.observation(1)
    held = card_name(next(seen.hand.types()))
    with pytest.raises(IllegalAction, match=rf"^{held} has to wait: you owe 2 cards\. You can: 1 draw\.$"):
        parse_action(held, seen.legal_actions(), seen)


def test_a_long_list_is_shortened() -> None:
    assert len(listed(ACTIONS)) < 120
    assert listed(ACTIONS).endswith("…, 57 challenge")
