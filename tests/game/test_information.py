"""What a move tells a seat, as tokens: a noted move and the events of the game say the same, under all rules."""

import random

import pytest

from tests.helpers import PAIRS_OF_VALUES, choose, do, named, rules_of, start
from uno_pomdp.game.bindings import apply_noting_one
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import (
    DREW,
    DREW_MORE,
    EMPTY,
    Notes,
    history_after,
    new_notes,
    new_trie,
    tell,
    tokens_told,
)
from uno_pomdp.game.layout import CHALLENGE, SEATS, ActionId, Seat


def tokens_noted(game: Game, action: ActionId, seat: Seat, own: bool = True) -> list[int]:
    """Return what an action would tell a seat, by the record of the move."""
    notes = new_notes()
    apply_noting_one(game.to_state(), action, notes.moves, 0)
    tokens: list[int] = notes.tokens[: tell(notes, seat, own)].tolist()
    return tokens


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_a_noted_move_tells_what_its_events_tell(variant: dict[str, str]) -> None:
    chance = random.Random(3)
    for seed, deck in enumerate(["standard, hands of 4", "all penalties", "skips"]):
        game = Game.new(rules_of(deck, variant), seed)
        for _ in range(60):
            if game.over:
                break
            action = choose(game, chance)
            noted = [[tokens_noted(game, action.id, seat, own) for own in (True, False)] for seat in SEATS]
            game.apply(action)
            for seat in SEATS:
                said = game.last_step(seat).events
                assert noted[seat] == [tokens_told(said, seat, own) for own in (True, False)], (action, seat)


def test_the_two_cards_for_a_forgotten_uno_are_told_alike() -> None:
    game = do(start("R7", "R1 R2", "Y1 Y2", "B1 B2 B3 B4"), "R1")
    game.forget_uno(0)
    notes = Notes(game.to_moves()[1:], new_notes().tokens)
    for seat in SEATS:
        said = tokens_told(game.last_step(seat).events, seat)
        assert notes.tokens[: tell(notes, seat, True)].tolist() == said


def test_a_challenge_a_swap_and_a_long_draw_tell_several_things() -> None:
    pile = "B1 B2 B3 B4 B5 B6 G3 G4"
    challenged = do(start("R7", "W4 R1 R2", "Y1 Y2 Y3", pile, wild_four="challenge"), "W4:R")
    assert len(tokens_noted(challenged, CHALLENGE, 1)) == 1 + 2 + 1  # challenged, shown two, other drew
    assert len(tokens_noted(challenged, CHALLENGE, 0)) == 1 + 1  # challenged, four cards drawn
    swap = start("R5", "R7 R1 G2", "Y1 Y2 Y3", pile, swap="seven_zero")
    assert len(tokens_noted(swap, swap.legal_actions()[-1].id, 1)) == 1 + 2
    long = start("R7", "Y1 Y2 Y3", "G1 G2 G5", "B1 B2 B5 B6 R3 B4", draw="until_playable")
    assert [token >> 24 << 24 for token in tokens_noted(long, long.legal_actions()[0].id, 0)] == [DREW, DREW_MORE]
    assert len(tokens_noted(long, long.legal_actions()[0].id, 1)) == 1


def test_the_same_history_is_found_again() -> None:
    """Two orders of the same cards are one history; another hand shown is another one."""
    found, histories, notes = [], new_trie(), new_notes()
    for hand, pile in (("W4 R1", "B1 B2 B3 B4 G2"), ("W4 R1", "B4 B3 B2 B1 G2"), ("W4 G2", "B1 B2 B3 B4 R1")):
        game = do(start("R7", hand, "Y1 Y2", f"{pile} Y3 Y4 Y5 Y6 Y7", wild_four="challenge"), "W4:B")
        apply_noting_one(game.to_state(), CHALLENGE, notes.moves, 0)
        found.append(history_after(histories, EMPTY, 1, notes))
    assert found[0] == found[1] != found[2]
