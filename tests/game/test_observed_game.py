"""A game told from one seat is that seat's view of the game: the same observations, events and record."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import DECKS, VARIANTS, any_rules, any_seed, cards, choose, do, named, rules_of, start
from uno_pomdp.cards import Cards, is_black, parse_card, rank_of
from uno_pomdp.errors import GameOver, IllegalAction, InvalidDeal, UnoError
from uno_pomdp.game.actions import ACTIONS, DRAW, KEEP, Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.rules import Rules, preset


def table_of(game: Game, seat: Seat) -> ObservedGame:
    """Return the table game that a seat begins at the deal of a game."""
    return ObservedGame(game.rules, seat, game.deal.hands[seat], game.deal.top)


def tell(table: ObservedGame, game: Game) -> None:
    """Tell a seat's table the last move of a game, as that seat saw it."""
    move = game.last_move
    table.apply(move.action, move.drawn if move.seat == table.seat else ())


def possible(table: ObservedGame) -> list[Action]:
    """Return what the player to move may do by what the seat sees: of the other, any unseen card that fits."""
    seen = table.observation
    if seen.turn == seen.seat or table.over:
        return [*seen.legal_actions()]
    if seen.penalty:
        return [DRAW]
    unseen = table.rules.deck - seen.hand - seen.played
    fitting = [
        action
        for action in ACTIONS
        if action.card is not None
        and action.card in unseen
        and action.colour in table.rules.colours
        and (is_black(action.card) or action.colour == seen.colour or rank_of(action.card) == rank_of(seen.top))
    ]
    return [*fitting, KEEP if seen.deciding else DRAW]


def follow(rules: Rules, seed: int, at_most: int = 60) -> Game:
    """Play a random game, told to a table at each seat, and compare after every move."""
    game, chance = Game.new(rules, seed), random.Random(seed)
    tables = [table_of(game, seat) for seat in SEATS]
    for number in range(at_most):
        if game.over:
            break
        for table in tables:
            assert set(game.legal_actions()) <= set(possible(table))
        expected = tables[0].drawing
        action = choose(game, chance)
        game.apply(action)
        assert action != DRAW or expected == len(game.last_move.drawn)
        for table in tables:
            tell(table, game)
            assert table.observation == game.observation(table.seat)
            assert table.events[number] == game.events(table.seat, number)
    for table in tables:
        assert table.over == game.over
        record = table.record(("A", "B"))
        assert record == observed(record_of(game, ("A", "B")), table.seat)
        assert parse_record(format_record(record)) == record
    return game


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_every_deck_under_every_variant(variant: dict[str, str]) -> None:
    for deck in DECKS:
        follow(rules_of(deck, variant), seed=len(deck))


def test_reshuffles_and_exhausted_decks_are_among_the_games() -> None:
    games = [follow(rules_of(deck, VARIANTS[0]), seed) for deck in ("all penalties", "skips") for seed in range(8)]
    assert any(move.reshuffled for game in games for move in game.moves)
    games = [follow(rules_of("all penalties", VARIANTS[1]), seed) for seed in range(8)]
    assert any(str(game.outcome).endswith("(deck exhausted)") for game in games)


@given(any_rules(), any_seed, st.sampled_from(SEATS), st.data())
def test_what_is_not_possible_is_refused_and_changes_nothing(
    rules: Rules, seed: int, seat: Seat, data: st.DataObject
) -> None:
    game, chance = Game.new(rules, seed), random.Random(seed)
    table = table_of(game, seat)
    for _ in range(data.draw(st.integers(0, 12))):
        if game.over:
            break
        game.apply(choose(game, chance))
        tell(table, game)
    action = data.draw(st.sampled_from(ACTIONS))
    before = table.observation, table.events, table.moves
    if action in possible(table):
        return
    with pytest.raises(IllegalAction):
        table.apply(action)
    assert (table.observation, table.events, table.moves) == before


def at(seat: Seat, game: Game, moves: str = "") -> ObservedGame:
    """Return a seat's table after the moves that a text lists."""
    table = table_of(game, seat)
    for word in moves.split():
        do(game, word)
        tell(table, game)
    return table


def refusal(table: ObservedGame, action: str, drawn: str = "") -> str:
    """Return the sentence that refuses an action."""
    with pytest.raises(UnoError) as caught:
        table.apply(Action.parse(action), cards(drawn))
    return str(caught.value)


FIVE = "R5 R7 Y1 G+2 W4", "R5 B8 B9 G1 G2", "B1 B2 B3 Y5 Y6 Y7"


def test_a_play_of_ones_own_is_refused_with_the_reason() -> None:
    table = at(0, start("R1", *FIVE, wild_four="last_resort"))
    assert refusal(table, "B1") == "you don't hold B1: your hand is R5 R7 Y1 G+2 W4"
    assert refusal(table, "G+2") == "G+2 does not fit on R1 (red): you can't play it"
    assert refusal(table, "W4:R") == "W4 is a last resort in these rules, and you hold a card of the colour red"
    assert refusal(table, "draw", "B1") == "you may draw only with nothing to play, but you can play R5, R7, Y1"
    assert refusal(table, "keep").startswith("there is nothing to keep")


def test_a_play_of_the_opponent_is_refused_with_the_reason() -> None:
    table = at(0, start("R1", *FIVE), "R5")
    assert refusal(table, "W:R") == "the opponent can't have W: there is no W in the deck"
    assert (
        refusal(table, "R7")
        == "the opponent can't have R7: the deck has 1 R7, of which 1 in your hand and 0 on the pile"
    )
    assert refusal(table, "R1").endswith("the deck has 1 R1, of which 0 in your hand and 1 on the pile")
    assert refusal(table, "B8") == "B8 does not fit on R5 (red): the opponent can't play it"


def test_a_penalty_comes_first_and_its_cards_are_counted() -> None:
    table = at(1, start("G1", "G+2 R1 R2", "B1 B2 W", "G5 G6 G7 G8"), "G+2")
    assert refusal(table, "B1") == "you can't play B1: 2 cards have to be drawn first"
    assert refusal(table, "draw", "G5") == "2 cards have to be drawn here, not 1"
    assert refusal(table, "draw", "G5 G5") == (
        "you can't have drawn G5: the deck has 1 G5, of which 0 in your hand and 0 on the pile"
    )
    assert refusal(table, "draw", "G5 B1").startswith("you can't have drawn B1: the deck has 1 B1, of which 1 in your")
    table = at(0, start("G1", "G+2 R1 R2", "B1 B2 W", "G5 G6 G7 G8"), "G+2")
    assert refusal(table, "W:R") == "the opponent can't play W:R: 2 cards have to be drawn first"


def test_a_card_just_drawn_is_played_or_kept() -> None:
    own = at(0, start("R1", "B2 B3", "R4 R5", "R6 R7", drawn_card="may_play"), "draw")
    assert refusal(own, "B2") == "you can't play B2 now: of a card just drawn, R6, you play that or keep"
    assert refusal(own, "draw", "R7") == "you have drawn already: that card is played or kept"
    other = at(1, start("R1", "B2 B3", "R4 R5", "R6 R7", drawn_card="may_play"), "draw")
    assert refusal(other, "draw") == "the opponent has drawn already: that card is played or kept"


def test_a_deck_that_gives_nothing_is_told_apart() -> None:
    table = at(0, start("R1", "R2 B3", "R4 R5", drawn_card="keep", draw="optional", reshuffle="no"))
    assert refusal(table, "draw", "R6") == "no card is left to draw: play one of R2"
    table = at(0, start("R1", "B2 B3", "R4 R5", reshuffle="no"))
    assert refusal(table, "draw", "R6") == "no card can be drawn here, not 1"
    table.apply(DRAW)
    assert str(table.observation.outcome) == "draw (deck exhausted)"
    with pytest.raises(GameOver, match="the game is over, draw"):
        table.apply(DRAW)


def test_a_colour_that_is_not_in_the_deck_can_not_be_declared() -> None:
    table = at(0, start("R1", "W B3", "R4 R5", "W R6"))
    assert refusal(table, "W:G") == "W:G declares a colour that is not in the deck: red, blue are"


@pytest.mark.parametrize(
    ("hand", "top", "message"),
    [
        ("W W W W W R1 R2", "R5", "you can't hold 5 W: the deck has 4"),
        ("R5 R5 R5 G1 G2 G3 G4", "R6", "you can't hold 3 R5: the deck has 2"),
        ("R1 R2 R3 R4 R5 R6", "R7", "you are dealt 7 cards, but 6 are named"),
        ("R1 R2 R3 R4 R5 R6 R7 R8", "R9", "you are dealt 7 cards, but 8 are named"),
        ("R1 R2 R3 R4 R5 R6 R7", "W4", "the first top card is W4, but it has to be a coloured card: deal again"),
        ("R0 R2 R3 R4 R5 R6 R7", "R0", "R0 can't be the top card: the deck has 1 R0, in your hand 1"),
    ],
)
def test_a_deal_that_does_not_add_up_is_refused(hand: str, top: str, message: str) -> None:
    with pytest.raises(InvalidDeal) as caught:
        ObservedGame(preset("house"), 0, Cards.parse(hand), parse_card(top))
    assert str(caught.value) == message


def test_a_top_card_that_the_deck_has_not_is_refused() -> None:
    with pytest.raises(InvalidDeal, match="B9 can't be the top card: the deck has 0 B9"):
        ObservedGame(preset("mini-7"), 0, Cards.parse("R0 R1"), parse_card("B9"))
