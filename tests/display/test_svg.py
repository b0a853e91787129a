"""Elements: text is escaped, numbers are short, and the card colours can be told apart and written on."""

from itertools import combinations

import pytest

from tests.display.reading import checked, said, texts
from tests.helpers import run_python
from uno_pomdp.display.svg import (
    BLACK_CARD,
    CARD_FILLS,
    CARD_INKS,
    element,
    escaped,
    group,
    number,
    picture,
    shortened,
    text,
)

NASTY = "<script>alert(\"1\")</script> & 'co' \x00\x1b]]>"


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as the guidelines for accessible pages define it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def as_deuteranope(colour: str) -> tuple[float, ...]:
    """Return what is left of a colour without the green cones (Viénot, Brettel, Mollon 1999)."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    yellow = 0.29275 * red + 0.70725 * green
    return yellow, -0.02234 * red + 0.02234 * green + blue


def test_text_of_any_kind_is_written_and_breaks_nothing() -> None:
    root = checked(picture(2000, 100, NASTY, [NASTY, "b"], [group([text(10, 20, NASTY)], NASTY)]))
    told = NASTY.replace("\x00", "\\x00").replace("\x1b", "\\x1b")
    assert texts(root) == [told]
    assert said(root) == f"{told}; {told}; b"


def test_attributes_are_escaped_too() -> None:
    assert element("rect", fill='"><b>', stroke_width=2.0) == '<rect fill="&quot;&gt;&lt;b&gt;" stroke-width="2"/>'


def test_an_element_without_content_closes_itself() -> None:
    assert element("g") == "<g/>"
    assert element("g", "x") == "<g>x</g>"


@pytest.mark.parametrize(("value", "shown"), [(1.0, "1"), (1.25, "1.2"), (-0.01, "0"), (12.34, "12.3"), (-3.0, "-3")])
def test_lengths_are_short(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_long_text_is_cut_to_its_room() -> None:
    assert shortened("flat:sims=10", 200) == "flat:sims=10"
    assert shortened("a" * 100, 72) == "a" * 9 + "…"


def test_what_is_written_on_cards_can_be_read() -> None:
    for fill, ink in [*zip(CARD_FILLS, CARD_INKS, strict=True), (BLACK_CARD, "#ffffff")]:
        assert contrast(fill, ink) >= 4.5, fill


def test_card_colours_differ_for_people_without_green_cones() -> None:
    for one, other in combinations((*CARD_FILLS, BLACK_CARD), 2):
        apart = sum((a - b) ** 2 for a, b in zip(as_deuteranope(one), as_deuteranope(other), strict=True)) ** 0.5
        assert apart > 0.2, (one, other)


def test_nothing_of_it_is_loaded_before_something_is_shown() -> None:
    code = (
        "import sys, uno_pomdp.arena.tournament, uno_pomdp.equilibrium.nash_report; "
        "print([name for name in sys.modules if name.startswith('uno_pomdp.display')])"
    )
    assert run_python(code).stdout.strip() == "[]"


def test_escaping_leaves_other_signs() -> None:
    assert escaped("½ – é ±") == "½ – é ±"
