"""Colours of the board that axe does not judge, on gradients or by the data: text has a contrast of 4.5 or more."""

import re
from typing import Final

import pytest

from uno_pomdp.pages.rendering import asset

LEAST: Final = 4.5
COLOUR: Final = r"#[0-9a-f]{6}"
PAIR: Final = rf"light-dark\(({COLOUR}), ({COLOUR})\)"


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def felt(name: str) -> tuple[str, str]:
    """Return a colour of the table in light and dark."""
    text = asset("site.css").decode()
    found = re.search(rf"{name}: (?:{PAIR}|({COLOUR}))", text)
    assert found is not None, name
    return (found[1], found[2]) if found[3] is None else (found[3], found[3])


def test_the_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("ink", ["--felt-ink", "--felt-quiet", "--gold"])
@pytest.mark.parametrize("ground", ["--felt", "--felt-deep"])
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_on_the_felt_can_be_read(ink: str, ground: str, theme: int) -> None:
    assert contrast(felt(ink)[theme], felt(ground)[theme]) >= LEAST


def test_figures_in_the_heat_map_can_be_read() -> None:
    shades = re.findall(rf"\.shade-(\d+) {{ background: {PAIR}; color: {PAIR}; }}", asset("coach.css").decode())
    assert [int(shade[0]) for shade in shades] == list(range(11))
    for number, *colours in shades:
        for theme in (0, 1):
            assert contrast(colours[theme], colours[2 + theme]) >= LEAST, (number, theme)


def test_shades_grow_step_by_step() -> None:
    shades = re.findall(rf"\.shade-\d+ {{ background: {PAIR};", asset("coach.css").decode())
    light, dark = zip(*shades, strict=True)
    assert [luminance(each) for each in light] == sorted(map(luminance, light), reverse=True)
    assert [luminance(each) for each in dark] == sorted(map(luminance, dark))


def test_the_ink_of_a_coloured_card_can_be_read() -> None:
    found = re.findall(rf'fill: "({COLOUR})", ink: "({COLOUR})"', asset("cards.js").decode())
    assert len(found) == 4
    assert min(contrast(*pair) for pair in found) >= LEAST
