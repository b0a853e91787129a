"""Pictures read back: well-formed, self-contained, with their texts inside the frame; and what they say."""

from typing import Final
from xml.etree.ElementTree import Element, fromstring

from uno_pomdp.display.svg import LETTER

SVG: Final = "{http://www.w3.org/2000/svg}"
FORBIDDEN: Final = ("script", "image", "use", "link", "iframe", "foreignObject", "object", "embed", "img")
"""What could run, or bring something from elsewhere."""


def checked(markup: str) -> Element:
    """Return the root of well-formed markup that needs nothing else and can be read aloud."""
    root = fromstring(markup)
    for each in root.iter():
        assert each.tag.removeprefix(SVG) not in FORBIDDEN
        for name, value in each.attrib.items():
            assert not name.lower().startswith("on")
            assert not name.endswith("href")
            assert "url(" not in value
    assert "@import" not in markup
    assert "url(" not in markup
    for picture in (root, *root.iter(f"{SVG}svg")):
        if picture.tag == f"{SVG}svg":
            assert picture.get("role") == "img"
            assert picture[0].tag == f"{SVG}title"
            assert picture[0].text
            if picture.get("width") is not None:
                inside(picture)
    return root


def inside(picture: Element) -> None:
    """Require every text to end within the frame; letters are taken to be `LETTER` wide."""
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    for each in picture.iter(f"{SVG}text"):
        long = LETTER * float(each.attrib["font-size"]) * len(each.text or "")
        left = float(each.attrib["x"]) - (long / 2 if each.get("text-anchor") == "middle" else 0.0)
        assert left >= 0.0
        assert left + long <= width + 1e-6, each.text
        assert 0.0 <= float(each.attrib["y"]) <= height


def said(root: Element) -> str:
    """Return what a screen reader says of a picture: its title, and all of it in words."""
    return f"{root.findtext(f'{SVG}title')}; {root.findtext(f'{SVG}desc')}"


def titles(root: Element) -> list[str]:
    """Return what a pointer over each part of a picture says."""
    return [each.findtext(f"{SVG}title") or "" for each in root.iter(f"{SVG}g")]


def texts(root: Element) -> list[str]:
    """Return all that is written in a picture."""
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def cells(root: Element) -> list[list[str]]:
    """Return the rows of all tables."""
    return [[(cell.text or "").strip() for cell in row] for row in root.iter("tr")]
