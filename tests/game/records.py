"""A record for the tests of records: one whole game as text, and a way to change its lines."""

from typing import Final

from tests.helpers import do, start
from uno_pomdp.game.game import Game

WHOLE: Final = """\
uno-pomdp game, version 2
rules: custom
deck: R1 R2 R3 R4 R+2 Y4 G8 B5 W
hand_size: 3
skip: again
drawn_card: may_play
wild_four: always
draw: forced
reshuffle: yes
seed: 5
player 1: random, seed 1
player 2: Zoë
top: R1
hand 1: R2 R4 W
hand 2: R3 R+2 G8
draw pile: Y4 B5
1. player 1: R2
2. player 2: R3
3. player 1: R4
4. player 2: R+2
5. player 1: draw Y4 B5
reshuffle: R3 R2 R1 R4
6. player 2: draw R3
7. player 2: keep
8. player 1: W:G
9. player 2: G8
10. player 1: draw R2
11. player 1: keep
12. player 2: draw R1
13. player 2: keep
14. player 1: draw R4
15. player 1: keep
reshuffle: W R+2
16. player 2: draw W
17. player 2: W:R
18. player 1: R4
19. player 2: R1
20. player 1: R2
21. player 2: R3
result: player 2 wins (emptied hand)
"""
"""A game with a penalty, two reshuffles, a wild, cards kept and a card played that was just drawn; of the fields of its
rules some are not named, and have their defaults."""
FULL: Final = WHOLE.replace("draw: forced\n", "draw: forced\nstack: no\nfirst_card: plain\nswap: no\n")
"""The same as it is written: every field is named."""

PLAYERS: Final = ("random, seed 1", "Zoë")
LINES: Final = WHOLE.splitlines()


def whole_game() -> Game:
    """Return the game of `WHOLE`, played."""
    game = start("R1", "R2 R4 W", "R3 R+2 G8", "Y4 B5", seed=5, drawn_card="may_play")
    do(game, "R2 R3 R4 R+2 draw draw keep W:G G8 draw keep draw keep draw keep draw")
    return do(game, "W:R R4 R1 R2 R3")


def edited(edits: dict[int, str | None], text: str = WHOLE) -> str:
    """Return a text with some lines, counted from 1, replaced by others or taken out."""
    lines = [edits.get(number, line) for number, line in enumerate(text.splitlines(), 1)]
    return "".join(f"{line}\n" for line in lines if line is not None)
