"""The course of a win probability in one line of a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

LEVELS: Final = "▁▂▃▄▅▆▇█"
AHEAD: Final = ("cyan", "magenta")
"""The colours in which player 1 and player 2 are ahead."""


def strip(chances: Sequence[float], width: int) -> Text:
    """Return a bar for each probability of player 1, the higher the likelier; of too many, evenly chosen ones."""
    if len(chances) > width:
        last = len(chances) - 1
        chances = [chances[round(place * last / (width - 1))] for place in range(width)]
    line = Text()
    for chance in chances:
        level = LEVELS[min(int(chance * len(LEVELS)), len(LEVELS) - 1)]
        line.append(level, AHEAD[chance < 0.5])
    return line
