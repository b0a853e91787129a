"""Write docs/pictures/watch.svg, a screen of `uno-pomdp watch`: `python tools/screenshot_watch.py`."""

import re
from io import StringIO
from pathlib import Path
from typing import Final

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from uno_pomdp.agents.agent import Decision
from uno_pomdp.cli.ui.annotated_game import play_annotated
from uno_pomdp.cli.watch.screen import Look, screen
from uno_pomdp.cli.watch.viewer import PAUSED
from uno_pomdp.game.game import Game
from uno_pomdp.review.game import Reviewer
from uno_pomdp.rules import preset
from uno_pomdp.session.watched import WatchedGame

TARGET: Final = Path(__file__).parents[1] / "docs" / "pictures" / "watch.svg"
AGENTS: Final = ("flat:sims=2000", "heuristic")
SEED: Final = 4
MOVE: Final = 22
"""After this move the picture is taken."""


def main() -> None:
    """Play the game up to the move, let the coach judge it, and take the picture."""
    console = Console(record=True, file=StringIO(), width=80, height=24, force_terminal=True, highlight=False)
    watched: WatchedGame | None = None

    def look(game: Game, decision: Decision | None) -> None:
        nonlocal watched
        if watched is None:
            watched = WatchedGame.of_deal(game, AGENTS)
        elif watched.timeline.last < MOVE:
            watched.grow(game, decision)

    play_annotated(preset("house"), AGENTS, SEED, look)
    assert watched is not None
    reviewer = Reviewer(watched.timeline)
    while reviewer.behind:
        reviewer.judge_next()
    console.print(screen(watched, reviewer, Look(MOVE, footer=PAUSED), console), end="")
    template = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)  # nothing from elsewhere
    title = "uno-pomdp watch " + " ".join(AGENTS) + f" --seed {SEED}"
    svg = console.export_svg(title=title, code_format=template, unique_id="watch")
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
