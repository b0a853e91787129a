"""For the tests of records: one whole game as text, ways to change its lines, and games of the rarer kinds."""

import random
import re
from typing import Final

import pytest

from tests.helpers import choose, do, start
from uno_pomdp.cards import Cards
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.game.deal import Deal, Midgame
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import NO_COLOUR
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.record import GameRecord, Undone, observed, record_of, replay, take_back
from uno_pomdp.rules import Rules

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
rules some are named although they have their defaults, others are not."""


def written(text: str) -> str:
    """Return a text of `WHOLE`'s rules as it is written: without the fields that have their defaults."""
    return re.sub(
        r"^(skip: again|wild_four: always|draw: forced|stack: no|first_card: plain|swap: no|reshuffle: yes)\n",
        "",
        text,
        flags=re.M,
    )


NAMED: Final = WHOLE.replace("draw: forced\n", "draw: forced\nstack: no\nfirst_card: plain\nswap: no\n")
"""The same with lines for fields at their defaults, as they were written once; its lines stay where they are."""
FULL: Final = written(WHOLE)
"""The same as it is written: fields of the rules that have their defaults are not named."""

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


def line_of(text: str, start: str) -> int:
    """Return the number of the first line of a text that begins so, counted from 1."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def refused(text: str, line: int, reason: str) -> None:
    """Require that a text is refused at this line, in one sentence, for this reason."""
    with pytest.raises(InvalidRecord) as caught:
        parse_record(text)
    assert (caught.value.line, reason in caught.value.reason) == (line, True), caught.value
    assert str(caught.value) == f"line {line}: {caught.value.reason}"
    assert "\n" not in str(caught.value)


def comes_back(record: GameRecord) -> None:
    """Require that a record comes back from its text, whole and as each seat saw it, and that its text is one text."""
    for each in (record, observed(record, 0), observed(record, 1)):
        text = format_record(each)
        assert parse_record(text) == each
        assert format_record(parse_record(text)) == text
    again = replay(record)
    extras = {"match": record.match, "undone": record.undone, "practice": record.practice}
    assert record_of(again, record.players, **extras) == record  # type: ignore[arg-type]


def can_forget(game: Game) -> list[int]:
    """Return who may be made to draw for a forgotten UNO now."""
    state = game.to_state()[0]
    if game.over or game.drawn is not None:
        return []
    return [s for s in (0, 1) if len(game.hand(s)) == 1 and (state["before"] == NO_COLOUR or s == game.turn)]


def wandered(game: Game, seed: int, steps: int = 40, undo: float = 0.15, forget: float = 0.5) -> GameRecord:
    """Return the record of a game played on at random, in which moves are taken back and UNO is forgotten at random."""
    chance = random.Random(seed)
    undone: tuple[Undone, ...] = ()
    for _ in range(steps):
        stand = len(game.moves)
        if stand and chance.random() < undo:
            count = chance.randint(1, min(stand, 5))
            undone = take_back(record_of(game, undone=undone), count).undone
            game = game.earlier(count)
        elif game.over:
            break
        elif (forgetful := can_forget(game)) and chance.random() < forget:
            game.forget_uno(chance.choice(forgetful))
        else:
            game.apply(choose(game, chance))
    return record_of(game, PLAYERS, undone=undone)


def position_of(game: Game) -> Deal:
    """Return where a running game stands, as the beginning of another."""
    state, played = game.to_state()[0], game.played_pile
    before = None if state["before"] == NO_COLOUR else int(state["before"])
    midgame = Midgame(int(state["colour"]), game.turn, int(state["penalty"]), before, Cards.of(played[:-1]))
    return Deal(played[-1], (game.hand(0), game.hand(1)), game.draw_pile, midgame)


def begun_in_the_middle(rules: Rules, seed: int, moves: int) -> Game:
    """Return a game that begins where a random one stands after so many moves, or one more or fewer."""
    game = Game.new(rules, seed)
    chance = random.Random(seed)
    start = None if game.over else position_of(game)
    for _ in range(moves):
        game.apply(choose(game, chance))
        if game.over:
            break
        if game.drawn is None:
            start = position_of(game)
    assert start is not None
    return Game.from_deal(rules, start, seed)
