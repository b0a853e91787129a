"""The course of a belief through a finished game, beside the truth, which may then be shown."""

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.game.layout import Seat
from uno_pomdp.game.record import GameRecord, follow_openly, start
from uno_pomdp.registry import BeliefSpec


def filter_course(record: GameRecord, seat: Seat, spec: BeliefSpec) -> RenderableType:
    """Return, after each action of the opponent, a belief's diagnostics and its mean probability of the types held."""
    game = start(record)
    belief = spec.maker()(game.rules, game.observation(seat))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("#", "ESS", "of", "distinct", "in truth"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for number, move in enumerate(record.moves, 1):
        follow_openly(game, move)
        if game.over:
            break
        belief.update(*game.last_step(seat))
        if move.seat != seat:
            found = belief.diagnostics()
            held = belief.probabilities()[np.flatnonzero(game.hand(1 - seat).array())].mean()
            cells = f"{found.ess:,.0f}", f"{found.size:,}", f"{found.support:,}", f"{100 * held:.0f} %", found.did
            table.add_row(str(number), *cells)
    about = "in truth: the mean probability that the belief gave to the types that the opponent held"
    return Group(Text(f"The belief {spec} after each move of the opponent:"), table, Text(about, "dim"))
