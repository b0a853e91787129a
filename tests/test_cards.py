"""Cards: the 54 types, their names, multisets and what is refused."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uno_pomdp.cards import (
    BLUE,
    CARD_NAMES,
    CARD_TYPES,
    COLOURS,
    DRAW_TWO,
    GREEN,
    NO_CARDS,
    RED,
    REVERSE,
    SKIP,
    STANDARD_DECK,
    WILD,
    WILD_FOUR,
    YELLOW,
    Cards,
    card_name,
    card_type,
    colour_of,
    is_black,
    parse_card,
    parse_colour,
    rank_of,
)
from uno_pomdp.errors import InvalidCard, UnoError

some_cards = st.lists(st.integers(0, CARD_TYPES - 1), max_size=30)


def test_the_standard_deck_is_the_printed_one() -> None:
    assert len(STANDARD_DECK) == 108
    for colour in COLOURS:
        assert STANDARD_DECK[card_type(colour, 0)] == 1
        assert [STANDARD_DECK[card_type(colour, number)] for number in range(1, 10)] == [2] * 9
        assert [STANDARD_DECK[card_type(colour, rank)] for rank in (SKIP, REVERSE, DRAW_TWO)] == [2] * 3
    assert (STANDARD_DECK[WILD], STANDARD_DECK[WILD_FOUR]) == (4, 4)


def test_there_are_52_coloured_types_and_2_black_ones() -> None:
    coloured = [card for card in range(CARD_TYPES) if not is_black(card)]
    assert len(coloured) == 52
    assert len({(colour_of(card), rank_of(card)) for card in coloured}) == 52
    assert [colour_of(card) for card in (WILD, WILD_FOUR)] == [None, None]
    assert rank_of(WILD) != rank_of(WILD_FOUR)
    assert not {rank_of(WILD), rank_of(WILD_FOUR)} & {rank_of(card) for card in coloured}


def test_every_type_has_a_name_of_its_own_that_parses_in_either_case() -> None:
    assert len(set(CARD_NAMES)) == CARD_TYPES
    for card in range(CARD_TYPES):
        assert parse_card(card_name(card)) == parse_card(f" {card_name(card).lower()} ") == card


@pytest.mark.parametrize(
    ("text", "colour", "rank"),
    [("R5", RED, 5), ("GS", GREEN, SKIP), ("YR", YELLOW, REVERSE), ("B+2", BLUE, DRAW_TWO), ("RR", RED, REVERSE)],
)
def test_a_name_is_a_colour_letter_and_a_rank(text: str, colour: int, rank: int) -> None:
    assert parse_card(text) == card_type(colour, rank)


@pytest.mark.parametrize("text", ["", "R", "R10", "X5", "5R", "W5", "W:R", "+2", "R 5"])
def test_a_text_that_names_no_card_is_refused(text: str) -> None:
    message = f"{text.strip()!r} is no card: write a colour (R, Y, G, B) and a rank (0-9, S skip, R reverse, +2)"
    with pytest.raises(InvalidCard, match=re.escape(message)):
        parse_card(text)


def test_colours_parse_from_letters_and_names() -> None:
    for colour, names in enumerate([("r", "red"), ("Y", "Yellow"), ("g ", "GREEN"), ("B", "blue")]):
        assert [parse_colour(name) for name in names] == [colour, colour]


@pytest.mark.parametrize("text", ["", "x", "re", "black"])
def test_a_text_that_names_no_colour_is_refused(text: str) -> None:
    with pytest.raises(InvalidCard, match=f"'{text}' is no colour: write red, yellow, green or blue, or R, Y, G or B"):
        parse_colour(text)


@given(some_cards)
def test_cards_are_a_multiset_of_types(cards: list[int]) -> None:
    value = Cards.of(cards)
    assert list(value) == sorted(cards)
    assert len(value) == len(cards)
    assert list(value.types()) == sorted(set(cards))
    assert value.mask == sum(1 << card for card in set(cards))
    assert [value[card] for card in range(CARD_TYPES)] == [cards.count(card) for card in range(CARD_TYPES)]
    assert [card in value for card in range(CARD_TYPES)] == [card in cards for card in range(CARD_TYPES)]
    assert value.array().tolist() == [cards.count(card) for card in range(CARD_TYPES)]


@given(some_cards)
def test_cards_come_back_from_text_counts_repr_and_pickle(cards: list[int]) -> None:
    value = Cards.of(cards)
    again = [
        Cards.parse(str(value)),
        Cards.from_counts(value.array()),
        eval(repr(value)),
        pickle.loads(pickle.dumps(value)),
    ]
    assert again == [value] * 4
    assert len({hash(copy) for copy in [value, *again]}) == 1


@given(some_cards, some_cards)
def test_cards_add_and_take_away_type_by_type(some: list[int], more: list[int]) -> None:
    both = Cards.of(some) + Cards.of(more)
    assert both == Cards.of(some + more)
    assert both - Cards.of(more) == Cards.of(some)
    assert both - both == NO_CARDS


def test_an_array_of_cards_is_a_copy() -> None:
    value = Cards.parse("R5 R5")
    value.array()[5] = 0
    assert value == Cards.parse("R5, R5")


def test_things_that_are_no_types_are_in_no_cards() -> None:
    assert "R5" not in STANDARD_DECK
    assert -1 not in STANDARD_DECK
    assert 54 not in STANDARD_DECK


@pytest.mark.parametrize("card", [-1, 54, 255])
def test_a_number_that_is_no_type_is_refused(card: int) -> None:
    with pytest.raises(InvalidCard, match=f"{card} is no card type: types are numbered 0 to 53"):
        Cards.of([card])


def test_more_of_one_type_than_a_deck_can_hold_is_refused() -> None:
    assert len(Cards.of([5] * 108)) == 108
    with pytest.raises(InvalidCard, match="more than 108 cards of type R5"):
        Cards.of([5] * 109)


@pytest.mark.parametrize("count", [-1, 109, 256])
def test_a_count_that_can_not_be_is_refused(count: int) -> None:
    with pytest.raises(InvalidCard, match="a count of cards lies between 0 and 108"):
        Cards.from_counts([count] + [0] * 53)


def test_a_sum_that_is_larger_than_any_deck_is_refused() -> None:
    with pytest.raises(InvalidCard, match="a count of cards lies between 0 and 108"):
        Cards.of([5] * 60) + Cards.of([5] * 60)


@pytest.mark.parametrize("length", [0, 53, 55])
def test_a_wrong_number_of_counts_is_refused(length: int) -> None:
    message = f"{length} counts given: cards are one count for each of 54 types"
    with pytest.raises(InvalidCard, match=message):
        Cards.from_counts(np.zeros(length, np.uint8))
    with pytest.raises(InvalidCard, match=message):
        Cards(bytes(length))


def test_taking_a_card_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidCard, match="can't take 2 R5 from cards that hold 1"):
        Cards.parse("R5 W") - Cards.parse("R5 R5")


def test_a_bad_word_in_a_list_of_cards_is_named() -> None:
    with pytest.raises(InvalidCard, match="'Q5' is no card"):
        Cards.parse("R5 Q5 W")


def test_every_refusal_is_one_family_of_errors_and_a_value_error() -> None:
    with pytest.raises(UnoError):
        parse_card("?")
    with pytest.raises(ValueError, match="is no card"):
        parse_card("?")
