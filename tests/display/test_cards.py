"""Cards: each has its name, hands fit their room, piles say how many they are."""

from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest

from tests.display.reading import SVG, checked, texts, titles
from uno_pomdp.cards import BLUE, CARD_NAMES, CARD_TYPES, RED, STANDARD_DECK, WILD, card_name
from uno_pomdp.display import cards
from uno_pomdp.display.svg import CARD_FILLS, picture


def drawn(part: str, height: float = 400) -> Element:
    """Return a part of a picture in a frame of its own."""
    return checked(picture(640, height, "test", ["in words"], [part]))


def boxes(root: Element) -> list[tuple[float, float]]:
    """Return the left upper corners of all cards."""
    found = [each for each in root.iter(f"{SVG}rect") if each.get("width") == "40"]
    return [(float(each.attrib["x"]), float(each.attrib["y"])) for each in found]


@pytest.mark.parametrize("kind", range(CARD_TYPES), ids=CARD_NAMES)
def test_every_card_bears_its_name(kind: int) -> None:
    root = drawn(cards.card(kind, 10, 10))
    assert titles(root) == [card_name(kind)]
    assert texts(root)[0] == card_name(kind)


def test_no_two_cards_look_alike_without_their_colours() -> None:
    pictures = [cards.card(kind, 0, 0) for kind in range(CARD_TYPES)]
    for fill in CARD_FILLS:
        pictures = [one.replace(fill, "") for one in pictures]
    assert len(set(pictures)) == CARD_TYPES


def test_a_black_card_shows_what_it_declares_and_a_coloured_one_does_not() -> None:
    assert titles(drawn(cards.card(WILD, 10, 10, declared=BLUE))) == ["W, declares blue"]
    assert cards.card(WILD, 10, 10, declared=BLUE) != cards.card(WILD, 10, 10, declared=RED)
    assert cards.card(0, 10, 10, declared=RED) == cards.card(0, 10, 10)


def test_a_card_that_may_be_played_stands_out() -> None:
    root = drawn(cards.hand([0, 1, 0], 10, 10, 600, legal={0}))
    assert titles(root) == ["R0, legal", "R1", "R0, legal"]
    raised, usual, again = boxes(root)
    assert raised[1] == again[1] < usual[1]


@pytest.mark.parametrize("count", [0, 1, 7, 24, 25, 52, 107])
def test_a_hand_of_any_size_fits_its_room(count: int) -> None:
    kinds = [*STANDARD_DECK][:count]
    height = cards.height_of(count)
    for part in (cards.hand(kinds, 20, 20, 600, legal=set(kinds)), cards.face_down(count, 20, 20, 600)):
        places = boxes(drawn(part, 1000))
        assert len(set(places)) == count
        for x, y in places:
            assert 20 <= x <= 620 - cards.WIDTH + 0.1
            assert 20 <= y <= 20 + height - cards.HEIGHT
    names = [card_name(kind) for kind in kinds]
    assert [title.removesuffix(", legal") for title in titles(drawn(cards.hand(kinds, 20, 20, 600), 1000))] == names


def test_the_name_of_a_covered_card_can_be_read() -> None:
    for count in (20, 24, 52, 107):
        xs = sorted({x for x, _ in boxes(drawn(cards.face_down(count, 20, 20, 608), 1000))})
        assert min(b - a for a, b in pairwise(xs)) >= 20


@pytest.mark.parametrize(("count", "backs"), [(0, 1), (1, 1), (2, 2), (93, 3)])
def test_a_pile_says_how_many_it_has(count: int, backs: int) -> None:
    root = drawn(cards.pile(count, 30, 30))
    assert texts(root) == [f"{count} to draw"]
    assert len(boxes(root)) == backs
