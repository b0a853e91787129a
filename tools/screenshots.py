"""The screenshot of `play` for the pages: `python tools/screenshots.py` writes docs/pictures/play.svg.

A real screen: a game with a fixed seed, its moves typed, the hint asked for; the same file each time.
"""

import re
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from uno_pomdp.cli.play.answers import hint_by
from uno_pomdp.cli.play.screen import PROMPTS, fitting, screen
from uno_pomdp.cli.play.view import SeatView, seen_by
from uno_pomdp.game.game import Game
from uno_pomdp.game.rng import player_seed
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.session.coach import Coach
from uno_pomdp.session.setup import Setup

TARGET: Final = Path(__file__).parents[1] / "docs" / "pictures" / "play.svg"
SETUP: Final = Setup(preset("house"), seed=38, seat=0, opponent="heuristic")
GREY: Final = (200, 200, 200)
HUES: Final = [(0, 0, 0), (226, 62, 62), (74, 190, 92), (236, 200, 60), (84, 144, 255), (200, 120, 230), GREY, GREY]
THEME: Final = TerminalTheme((18, 18, 18), (225, 225, 225), HUES, HUES)
"""The colours of the cards, as a terminal may show them."""
MOVES: Final = 26
"""Moves of both players before the picture."""


def position(setup: Setup, moves: int) -> SeatView:
    """Return what the person sees after so many moves of two scripted players, when there is something to choose."""
    game = Game.new(setup.rules, setup.seed)
    agents = make_agent("heuristic"), make_agent("heuristic")
    for seat, agent in enumerate(agents):
        agent.start(setup.rules, game.observation(seat), player_seed(setup.chance(seat)))
    while not game.over and (len(game.moves) < moves or game.turn != setup.seat or len(game.legal_actions()) < 3):
        len(game.moves)
        game.apply(agents[game.turn].decide().action)
        for seat, agent in enumerate(agents):
            agent.update(*game.last_step(seat))
    assert not game.over, "choose another seed: this game is too short for the picture"
    return seen_by(setup.seat, setup.record([move.action for move in game.moves]), setup.opponent)


def picture(view: SeatView) -> str:
    """Return the screen with a hint under it, as SVG."""
    console = Console(file=StringIO(), record=True, width=80, force_terminal=True, color_system="truecolor")
    console.print(
        screen(view, 80),
        hint_by(Coach.of(SETUP))(view, 80),
        fitting(PROMPTS, 80),
        "> ",
        sep="\n",
        highlight=False,
    )
    svg = console.export_svg(title="uno-pomdp play", theme=THEME, unique_id="play")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # fonts from elsewhere: any monospaced one does


if __name__ == "__main__":
    TARGET.write_text(picture(position(SETUP, MOVES)), encoding="utf-8")
