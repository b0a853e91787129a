"""What is typed at a table is understood in many spellings, or answered with one sentence."""

import pytest

from tests.helpers import cards, play_out, start
from uno_pomdp.advise.entries import Entry, parse_cards, parse_entry, parse_first
from uno_pomdp.advise.session import recorded_entry
from uno_pomdp.cards import RED, Cards, parse_card
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import CHALLENGE, DRAW, FORGOT_UNO, KEEP, Action
from uno_pomdp.game.deal import Midgame
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import FIRST, SEATS, SECOND, Seat
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.rules import PRESETS, preset


def table_of(game: Game, seat: Seat) -> ObservedGame:
    table = ObservedGame(game.rules, seat, game.deal.hands[seat], game.deal.top)
    for move in game.moves:
        table.apply(move.action, move.cards)
    return table


def game() -> Game:
    """Return a game in which player 1 has something to play."""
    return start("R1", "R5 G+2 B4", "R2 Y1 W", "B1 B2 W4 G9")


def stuck() -> Game:
    """Return a game in which player 1 has to draw."""
    return start("R1", "B5 G+2 B4", "R2 Y1 W", "B1 B2 W4 G9")


@pytest.mark.parametrize("text", ["me", "I", " first ", "1", "you"])
def test_the_own_seat_is_the_first_if_one_starts(text: str) -> None:
    assert parse_first(text) == FIRST


@pytest.mark.parametrize("text", ["opponent", "he", "OPP", "2", "she"])
def test_the_own_seat_is_the_second_if_the_opponent_starts(text: str) -> None:
    assert parse_first(text) == SECOND


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("r5 gs b+2 w w4", "R5 GS B+2 W W4"),
        ("red 5, green skip, blue +2, wild, wild +4", "R5 GS B+2 W W4"),
        ("R5,R5", "R5 R5"),
        ("red five yellow reverse", "R5 YR"),
        ("w, +4", "W W4"),
        ("w +4", "W4"),
        ("wild draw four y0", "W4 Y0"),
        ("", ""),
    ],
)
def test_cards_are_read_in_words_of_any_length(text: str, meant: str) -> None:
    assert parse_cards(text) == cards(meant)


def test_a_card_among_others_that_is_none_is_named() -> None:
    with pytest.raises(UnoError, match="'x7' is no card: write a card as r5"):
        parse_cards("r5 x7 b2")


def test_cards_that_can_be_read_in_many_ways_are_read_at_once() -> None:
    assert parse_cards("w +4 " * 200) == cards("W4") * 200
    with pytest.raises(UnoError, match="'x' is no card"):
        parse_cards("w +4 " * 200 + "x")


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("r5", Entry(Action.parse("R5"))),
        ("me red 5", Entry(Action.parse("R5"))),
        ("me: played r5", Entry(Action.parse("R5"))),
        ("w:b", Entry(Action.parse("W:B"))),
        ("me w4 blue", Entry(Action.parse("W4:B"))),
        ("plays blue +2", Entry(Action.parse("B+2"))),
        ("drew b1", Entry(DRAW, (parse_card("B1"),))),
        ("I took b1, g9", Entry(DRAW, cards("B1 G9"))),
        ("keep", Entry(KEEP)),
        ("k", Entry(KEEP)),
    ],
)
def test_an_own_action_is_read(text: str, entry: Entry) -> None:
    assert parse_entry(text, table_of(game(), FIRST)) == entry


@pytest.mark.parametrize("text", ["draw", "d", "he draws", "opponent drew a card", "draw 1", "took 1 card"])
def test_a_draw_of_the_opponent_names_no_card(text: str) -> None:
    assert parse_entry(text, table_of(game(), SECOND)) == Entry(DRAW)


def test_a_draw_that_ends_the_game_names_no_card() -> None:
    empty = start("R1", "B5 G2", "Y7 Y8", reshuffle="no")
    assert parse_entry("draw", table_of(empty, FIRST)) == Entry(DRAW)


def test_the_only_colour_need_not_be_declared() -> None:
    one = start("R1", "W R5", "R2 R3", "R4")
    assert parse_entry("wild", table_of(one, FIRST)) == Entry(Action.parse("W:R"))


@pytest.mark.parametrize(
    ("text", "seat", "message"),
    [
        ("he r5", FIRST, "it is your turn, not the opponent's"),
        ("me r5", SECOND, "it is the opponent's turn, not yours"),
        ("", FIRST, "nothing was entered: write what was done, or ? for help"),
        ("me", FIRST, "nothing was entered: write what was done, or ? for help"),
        ("draw", FIRST, "say which you drew: write draw and the cards, as in draw r5 g7"),
        ("draw 1", FIRST, "say which you drew: write draw and the cards, as in draw r5 g7"),
        ("draw r5", SECOND, "you can't see what the opponent draws: write draw alone, or with the number of cards"),
        ("draw 2", SECOND, "the opponent draws 1 here, not 2"),
        ("wild", SECOND, "Which colour? Write it too, as in `wild red` or `wild b`."),
        ("5", FIRST, "'5' is no card: write its colour too, as in r5"),
        ("rr5", FIRST, "'rr5' is nothing that can be done: write a card (r5, gs, yr, b+2, w red, w4 b), draw or keep"),
        ("draw q5", FIRST, "'q5' is no card: write a card as r5, gs (skip), yr (reverse), b+2, w or w4"),
    ],
)
def test_what_is_unclear_is_answered_with_one_sentence(text: str, seat: Seat, message: str) -> None:
    with pytest.raises(UnoError) as caught:
        parse_entry(text, table_of(stuck() if text.startswith("draw") else game(), seat))
    assert str(caught.value) == message


def test_nobody_is_no_answer_to_who_moves_first() -> None:
    with pytest.raises(UnoError, match="'bob' names nobody: write me, or opponent"):
        parse_first("bob")


@pytest.mark.parametrize("rules", PRESETS)
def test_every_move_of_every_preset_can_be_typed(rules: str) -> None:
    """What an observer's record says, as a text, is read as the same entry, and the game goes the same way."""
    for seed in range(6 if rules in ("printed", "party", "stacking") else 2):
        whole = record_of(play_out(Game.new(rules, seed), seed, at_most=150))
        for seat in SEATS:
            record = observed(whole, seat)
            hand = record.hands[seat]
            assert isinstance(hand, Cards)
            table = ObservedGame(whole.rules, seat, hand, record.top)
            for move in record.moves:
                last = record.outcome if move is record.moves[-1] else None
                entry = recorded_entry(move, table, last)
                assert parse_entry(str(entry), table) == entry
                table.apply(entry.action, entry.drawn, shown=entry.shown, count=entry.count, ended=entry.ended)
            assert table.moves == record.moves
            assert table.observation.outcome == record.outcome


def bluffed(other: str) -> Game:
    """Return a game in which player 1 has just played a wild +4 on red, with this left beside a green 2."""
    game = start("R1", f"W4 G2 {other}", "R2 Y1 W", "B1 B2 W4 G9 Y2 Y3 Y4", wild_four="challenge")
    game.play("W4:B")
    return game


def swapping() -> Game:
    """Return a game in which player 1 may swap the hands."""
    return start("R1", "R7 G2", "R2 Y1", "B1 B2 W4 G9", swap="seven_zero")


def fishing() -> Game:
    """Return a game in which player 1 draws until a card fits."""
    return start("R1", "G2 G3", "R2 Y1", "B9 B2 W4 G9", draw="until_playable")


@pytest.mark.parametrize(
    ("position", "seat", "text", "entry"),
    [
        (bluffed("R5"), SECOND, "me: challenge shows r5, g2", Entry(CHALLENGE, (), Cards.parse("R5 G2"))),
        (bluffed("R5"), SECOND, "challenged and saw r5 g2 drew 4", Entry(CHALLENGE, (), Cards.parse("R5 G2"))),
        (
            bluffed("B5"),
            SECOND,
            "doubt, shows b5 g2 draw b1 b2 w4 g9 y2 y3",
            Entry(CHALLENGE, cards("B1 B2 W4 G9 Y2 Y3"), Cards.parse("B5 G2")),
        ),
        (bluffed("R5"), FIRST, "he challenges, draw b1 b2 w4 g9", Entry(CHALLENGE, cards("B1 B2 W4 G9"))),
        (bluffed("B5"), FIRST, "challenge", Entry(CHALLENGE)),
        (swapping(), FIRST, "r7 got r2 y1", Entry(Action.parse("R7"), shown=Cards.parse("R2 Y1"))),
        (swapping(), SECOND, "red 7 for g2", Entry(Action.parse("R7"), shown=Cards.parse("G2"))),
        (fishing(), FIRST, "drew b9 b2 w4", Entry(DRAW, cards("B9 B2 W4"))),
        (fishing(), SECOND, "drew 3 cards", Entry(DRAW, count=3)),
        (fishing(), SECOND, "draw 4, none fits", Entry(DRAW, count=4, ended=True)),
    ],
)
def test_challenges_swaps_and_long_draws_are_read(position: Game, seat: Seat, text: str, entry: Entry) -> None:
    assert parse_entry(text, table_of(position, seat)) == entry


@pytest.mark.parametrize(
    ("position", "seat", "text", "message"),
    [
        (bluffed("R5"), SECOND, "challenge", "say what you saw: write challenge shows and that hand, 2 cards"),
        (
            bluffed("B5"),
            SECOND,
            "challenge shows b5 g2",
            "you draw 6 for it: add draw and those cards, as in challenge … draw r5 g7",
        ),
        (
            bluffed("R5"),
            SECOND,
            "challenge shows r5 g2 draw b1",
            "the opponent draws 4 here, and you can't see which: leave them out",
        ),
        (
            bluffed("R5"),
            FIRST,
            "challenge shows r5 g2",
            "the opponent saw your hand, which is known: write challenge, and draw with what you drew",
        ),
        (swapping(), FIRST, "r7", "the hands are swapped: say what you got, as in r7 got r5 g7"),
        (
            fishing(),
            SECOND,
            "draw",
            "say how many the opponent drew until one fitted, as in draw 3, or draw 3 none if the deck ran out",
        ),
        (
            bluffed("R5"),
            SECOND,
            "what",
            "'what' is nothing that can be done: write a card (r5, gs, yr, b+2, w red, w4 b), draw or challenge",
        ),
    ],
)
def test_what_is_missing_there_is_asked_for(position: Game, seat: Seat, text: str, message: str) -> None:
    with pytest.raises(UnoError) as caught:
        parse_entry(text, table_of(position, seat))
    assert str(caught.value) == message


# --- a forgotten UNO -------------------------------------------------------------------------------------


def with_one_left(own: int = 1, other: int = 2) -> ObservedGame:
    """Return a table of `house`, begun where the players hold so many cards."""
    hand = Cards.of(cards("R5 Y7 G3")[:own])
    return ObservedGame(preset("house"), 0, hand, parse_card("R1"), Midgame(RED, hidden=20), other)


@pytest.mark.parametrize(
    ("text", "own", "other", "meant"),
    [
        ("me forgot uno g1 g2", 1, 2, Entry(FORGOT_UNO, cards("G1 G2"), by_me=True)),
        ("I forgot to say UNO and drew g1, g2", 1, 2, Entry(FORGOT_UNO, cards("G1 G2"), by_me=True)),
        ("forgot uno g1 g2", 1, 2, Entry(FORGOT_UNO, cards("G1 G2"), by_me=True)),
        ("opponent forgot uno", 2, 1, Entry(FORGOT_UNO, by_me=False)),
        ("he forgot uno, draws 2", 2, 1, Entry(FORGOT_UNO, by_me=False)),
        ("forgot uno", 2, 1, Entry(FORGOT_UNO, by_me=False)),
        ("opponent forgot uno", 1, 1, Entry(FORGOT_UNO, by_me=False)),
    ],
)
def test_a_forgotten_uno_is_understood(text: str, own: int, other: int, meant: Entry) -> None:
    table = with_one_left(own, other)
    assert parse_entry(text, table) == meant
    assert parse_entry(str(meant), table) == meant


@pytest.mark.parametrize(
    ("text", "own", "other", "message"),
    [
        ("forgot uno", 1, 1, "say who forgot it: me forgot uno r5 g7, with what you drew, or opponent forgot uno"),
        ("forgot uno", 2, 2, "say who forgot it"),
        ("me forgot uno", 1, 2, "say which 2 you drew for it, as in me forgot uno r5 g7"),
        ("me forgot uno g1 g2", 3, 2, "UNO is said with one card left, but you hold 3"),
        ("opponent forgot uno", 1, 4, "UNO is said with one card left, but the opponent holds 4"),
        ("opponent forgot uno g1 g2", 2, 1, "you can't see what the opponent draws: write opponent forgot uno alone"),
        ("me forgot uno q1", 1, 2, "'q1' is no card"),
    ],
)
def test_a_forgotten_uno_that_can_not_be_is_one_sentence(text: str, own: int, other: int, message: str) -> None:
    with pytest.raises(UnoError) as caught:
        parse_entry(text, with_one_left(own, other))
    assert str(caught.value).startswith(message)


def test_who_forgot_uno_draws_after_what_is_open() -> None:
    rules = preset("printed")
    plus_four = Midgame(RED, owed=4, before=0, hidden=20)
    table = ObservedGame(rules, 0, Cards.parse("R5"), parse_card("W4"), plus_four, 1)
    with pytest.raises(UnoError, match=r"the wild \+4 can still be challenged: first say what is done about that"):
        parse_entry("opponent forgot uno", table)
    assert parse_entry("me forgot uno g1 g2", table).by_me
    drawing = ObservedGame(rules, 0, Cards.parse("Y5"), parse_card("R1"), Midgame(RED, hidden=20), 1)
    drawing.apply(DRAW, cards("Y7"))
    with pytest.raises(UnoError, match="a card was just drawn: first say what is done about that, then who forgot UNO"):
        parse_entry("opponent forgot uno", drawing)
