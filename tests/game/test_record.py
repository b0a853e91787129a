"""Games as data: what is in a record, what an observer's record leaves out, and the replay."""

import random
from dataclasses import replace
from typing import Any, Final

import pytest

from tests.game.records import WHOLE, whole_game
from tests.helpers import ALL_VARIANTS, cards, choose, do, play_out, rules_of, start, state_bytes
from uno_pomdp.cards import Cards
from uno_pomdp.errors import IllegalAction, InvalidRecord
from uno_pomdp.game.actions import CHALLENGE, DRAW, Action
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.move import Hidden, Move
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.record import follow, observed, record_of, replay
from uno_pomdp.rules import PRESETS, preset

# --- the whole -------------------------------------------------------------------------------------------


def test_a_transcript_holds_the_deal_every_move_and_the_result() -> None:
    game = whole_game()
    record = record_of(game, ("one", "two"))
    assert (record.rules, record.seed, record.players, record.observer) == (game.rules, 5, ("one", "two"), None)
    assert (record.top, record.hands, record.pile) == (game.deal.top, game.deal.hands, game.deal.pile)
    assert [(move.seat, move.action) for move in record.moves] == [(move.seat, move.action) for move in game.moves]
    assert record.moves[4] == Move(0, DRAW, cards("Y4 B5"))
    assert record.moves[5] == Move(1, DRAW, cards("R3"), cards("R3 R2 R1 R4"))
    assert record.outcome == game.outcome


def continue_alike(game: Game, twin: Game, seed: int) -> None:
    """Play two games on with the same choices and require that they stay the same to their ends."""
    assert twin == game
    assert state_bytes(twin) == state_bytes(game)
    chance = random.Random(seed)
    for _ in range(400):
        assert twin.legal_mask == game.legal_mask
        if game.over:
            break
        action = choose(game, chance)
        game.apply(action)
        twin.apply(action)
    assert twin == game
    assert twin.moves == game.moves
    assert state_bytes(twin) == state_bytes(game)
    assert [twin.events(seat) for seat in (0, 1, None)] == [game.events(seat) for seat in (0, 1, None)]


@pytest.mark.parametrize("deck", ["mini-12", "one colour", "few of four colours", "all penalties"])
def test_a_replayed_game_goes_on_as_the_original_does(deck: str) -> None:
    for number, variant in enumerate(ALL_VARIANTS[len(deck) % 4 :: 4]):
        moves = (0, 7, 30)[number % 3]
        game = play_out(Game.new(rules_of(deck, variant), number), number, at_most=moves)
        continue_alike(game, replay(parse_record(format_record(record_of(game)))), seed=number)


@pytest.mark.parametrize("name", PRESETS)
def test_a_replayed_game_of_a_preset_goes_on_as_the_original_does(name: str) -> None:
    for seed in range(3):
        game = play_out(Game.new(preset(name), seed), seed, at_most=20 * seed)
        continue_alike(game, replay(record_of(game)), seed)


@pytest.mark.parametrize("moves", [0, 5, 6, 15])
def test_reshuffles_after_a_replay_are_those_of_the_original(moves: int) -> None:
    whole = whole_game()
    record = record_of(whole)
    twin = replay(replace(record, moves=record.moves[:moves], outcome=None))
    for move in whole.moves[moves:]:
        twin.apply(move.action)
    assert [move.reshuffled for move in twin.moves if move.reshuffled] == [cards("R3 R2 R1 R4"), cards("W R+2")]
    assert twin == whole


def test_a_game_that_starts_from_given_cards_is_replayed_from_them() -> None:
    game = play_out(start("R1", "R2 R4 W", "R3 R+2 G8", "Y4 B5", seed=9), 1)
    assert replay(record_of(game)) == game


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (Move(1, Action.parse("R3")), "it is player 1's turn, not player 2's"),
        (Move(0, Action.parse("R3")), "player 1 does not hold R3"),
        (Move(0, Action.parse("R2"), drawn=cards("Y4")), "the cards drawn here are none, not Y4"),
        (Move(0, Action.parse("R2"), reshuffled=cards("Y4")), "R2 reshuffles nothing here"),
    ],
)
def test_a_move_that_can_not_be_followed_is_refused(move: Move, reason: str) -> None:
    game = start("R1", "R2 R4 W", "R3 R+2 G8", "Y4 B5")
    with pytest.raises(InvalidRecord, match=reason):
        follow(game, move)


def test_a_record_with_another_result_is_not_replayed() -> None:
    record = replace(parse_record(WHOLE), outcome=None)
    with pytest.raises(InvalidRecord, match=r"the result is player 2 wins \(emptied hand\), not unfinished"):
        replay(record)


# --- what an observer's record leaves out ----------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_the_record_of_a_seat_can_not_be_replayed(seat: int) -> None:
    record = observed(parse_record(WHOLE), seat)
    message = f"the record of player {seat + 1} hides cards: only a whole record can be replayed"
    with pytest.raises(InvalidRecord, match=message):
        replay(record)
    with pytest.raises(InvalidRecord, match=message):
        replay(parse_record(format_record(record)))


@pytest.mark.parametrize("seat", [0, 1])
def test_the_record_of_a_seat_names_the_own_cards_and_counts_the_others(seat: int) -> None:
    whole = parse_record(WHOLE)
    record = observed(whole, seat)
    assert (record.seed, record.observer) == (None, seat)
    assert record.hands[seat] == whole.hands[seat]
    assert record.hands[1 - seat] == Hidden(3)
    assert record.pile == Hidden(2)
    for seen, done in zip(record.moves, whole.moves, strict=True):
        assert (seen.seat, seen.action) == (done.seat, done.action)
        assert (seen.drawn == done.drawn) == (done.seat == seat or not done.drawn)
        assert isinstance(seen.reshuffled, Hidden) == (done.reshuffled is not None)


def test_the_cards_of_a_guilty_draw_are_not_in_the_challengers_record() -> None:
    game = do(start("R1", "W4 R2 B2", "G1 G2 W", "Y1 Y2 Y3 Y4 Y5", wild_four="challenge"), "W4:G challenge")
    whole = record_of(game).moves[1]
    assert whole == Move(1, CHALLENGE, cards("Y1 Y2 Y3 Y4"), None, 0, True, Cards.parse("R2 B2"))
    assert observed(record_of(game), 0).moves[1] == whole
    assert observed(record_of(game), 1).moves[1] == whole._replace(drawn=Hidden(4))
    assert whole.drawer == 0


def test_what_a_seat_saw_of_its_own_record_is_that_record() -> None:
    record = observed(parse_record(WHOLE), 1)
    assert observed(record, 1) == record
    with pytest.raises(InvalidRecord, match="this is player 2's record: what the other saw is not in it"):
        observed(record, 0)


def test_a_draw_that_could_not_be_made_hides_no_cards() -> None:
    game = do(start("R1", "Y2 G3", "B4 B5", reshuffle="no"), "draw")
    assert "\n1. player 1: draw\n" in format_record(observed(record_of(game), 1))


def never_shown(game: Game, seat: int) -> tuple[list[bool], list[bool]]:
    """Return which places of the other hand and of the pile hold cards that a seat never sees."""
    hand, pile = list(game.deal.hands[1 - seat]), game.deal.pile
    hidden_hand, hidden_pile = [True] * len(hand), [True] * len(pile)
    held = [(hidden_hand, place, card) for place, card in enumerate(hand)]
    drawn = 0
    for move in game.moves:
        if move.seat == seat and move.shown is not None:
            see(held)
        for card in move.cards:
            if move.drawer == seat:
                hidden_pile[drawn] = False
            else:
                held.append((hidden_pile, drawn, card))
            drawn += 1
        if move.seat != seat and move.action.card is not None:
            at = next(at for at in reversed(range(len(held))) if held[at][2] == move.action.card)
            hidden, place, _ = held.pop(at)
            hidden[place] = False
        if move.swapped is not None:
            see(held)
            held = [([True], 0, card) for card in move.swapped[1 - seat]]
    return hidden_hand, hidden_pile


def see(held: list[tuple[list[bool], int, int]]) -> None:
    """Let all these cards be seen."""
    for hidden, place, _ in held:
        hidden[place] = False


def twins(game: Game, seat: int, chance: random.Random, attempts: int = 25) -> list[Game]:
    """Return games that a seat can't tell from this one: cards that it never sees are mixed anew."""
    deal = game.deal
    others = [*deal.hands[1 - seat], *deal.pile]
    in_hand, in_pile = never_shown(game, seat)
    hidden = [card for card, free in zip(others, in_hand + in_pile, strict=True) if free]
    found, moves = [], game.moves
    for _ in range(attempts):
        chance.shuffle(hidden)
        fresh = iter(hidden)
        mixed = [next(fresh) if free else card for card, free in zip(others, in_hand + in_pile, strict=True)]
        hand, pile = Cards.of(mixed[: len(in_hand)]), tuple(mixed[len(in_hand) :])
        hands = (deal.hands[0], hand) if seat == 0 else (hand, deal.hands[1])
        twin = Game.from_deal(game.rules, Deal(deal.top, hands, pile), chance.getrandbits(64))
        try:
            for move in moves:
                twin.apply(move.action)
        except IllegalAction:
            continue  # the other player would have had to do something else with these cards
        if [len(move.drawn) for move in twin.moves] == [len(move.drawn) for move in moves]:
            found.append(twin)  # else more or fewer of them had to be drawn until one was playable
    return found


HIDING: Final = [
    {},
    {"draw": "optional"},
    {"drawn_card": "may_play", "draw": "optional"},
    {"drawn_card": "may_play", "wild_four": "last_resort"},
    {"wild_four": "challenge", "first_card": "acts"},
    {"stack": "rising", "drawn_card": "may_play"},
    {"draw": "until_playable", "swap": "seven_zero"},
]


@pytest.mark.parametrize("variant", HIDING, ids=str)
@pytest.mark.parametrize("deck", ["standard", "mini-10", "few of four colours"])
@pytest.mark.parametrize("seat", [0, 1])
def test_games_that_differ_only_in_what_a_seat_never_sees_have_the_same_record_for_it(
    seat: int, deck: str, variant: dict[str, Any]
) -> None:
    chance = random.Random(seat)
    compared = 0
    for seed in range(12):
        game = Game.new(rules_of(deck, variant), seed)
        while not game.over and not game._needs_reshuffle(action := choose(game, chance)):
            game.apply(action)
        text = format_record(observed(record_of(game), seat))
        for twin in twins(game, seat, chance):
            assert format_record(observed(record_of(twin), seat)) == text
            compared += twin.deal != game.deal
    assert compared > 20


def test_games_that_differ_only_in_a_reshuffle_that_nobody_sees_have_the_same_records() -> None:
    games = [do(start("R1", "R2 R4 Y7", "R3 R5 Y8", seed=seed), "R2 R3 R4 R5 draw") for seed in range(30)]
    assert len({format_record(record_of(game)) for game in games}) == 30
    assert len({game.moves[-1].reshuffled for game in games}) > 5
    assert len({format_record(observed(record_of(game), 1)) for game in games}) == 1
    drawn = {format_record(observed(record_of(game), 0)).splitlines()[-2] for game in games}
    assert drawn == {f"5. player 1: draw {card}" for card in ("R1", "R2", "R3", "R4")}


def test_the_seed_is_in_no_observers_text() -> None:
    game = play_out(Game.new(preset("house"), 1234567890123), 1)
    assert "1234567890123" in format_record(record_of(game))
    for seat in (0, 1):
        assert "1234567890123" not in format_record(observed(record_of(game), seat))
