"""Make the picture in docs/review.md: the page of a review at its costliest move, in Debian's Chromium.

python tools/screenshot_review.py        writes docs/pictures/review.png
"""

import shutil
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import sync_playwright

import uno_pomdp as uno
from uno_pomdp.review.page import page

PICTURE: Final = Path(__file__).parents[1] / "docs" / "pictures" / "review.png"
COACH: Final = "flat:sims=3000"
COLOURS: Final = 160
"""Of the picture: a small file, and no difference to see."""


def main() -> None:
    """Review a game and write the picture."""
    record = uno.play_game("printed", 4, ("heuristic", "random"), (1, 2), record=True).record
    assert record is not None
    review = uno.review_game(record, coach=COACH)
    worst = max(review.moves, key=lambda move: move.loss or 0.0)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "review.html"
        path.write_text(page(review), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": 1200, "height": 860})
        window.goto(f"{path.as_uri()}#move-{worst.number}")
        taken = window.screenshot()
        browser.close()
    Image.open(BytesIO(taken)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE, kmeans=2).save(
        PICTURE, optimize=True
    )


if __name__ == "__main__":
    main()
