"""A game told from one seat is that seat's view of the game: the same observations, events and record."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import (
    ALL_VARIANTS,
    DECKS,
    PAIRS_OF_VALUES,
    VARIANTS,
    any_rules,
    any_seed,
    cards,
    choose,
    do,
    rules_of,
    start,
)
from uno_pomdp.cards import DRAW_TWO, WILD_FOUR, Cards, is_black, parse_card, rank_of
from uno_pomdp.errors import GameOver, IllegalAction, InvalidDeal, UnoError
from uno_pomdp.game.actions import ACTIONS, CHALLENGE, DRAW, KEEP, Action
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
    move, seen = game.last_move, table.observation
    own, drawn = move.seat == table.seat, move.cards if move.drawer == table.seat else ()
    shown = move.shown if own else None
    until = not own and move.action == DRAW and not seen.penalty and game.rules.draw == "until_playable"
    table.apply(
        move.action,
        drawn,
        shown=shown if move.swapped is None else move.swapped[table.seat],
        count=len(move.drawn) if until else None,
        ended=until and game.over,
    )


def possible(table: ObservedGame) -> list[Action]:
    """Return what the player to move may do by what the seat sees: of the other, any unseen card that fits."""
    seen = table.observation
    if seen.turn == seen.seat or table.over:
        return [*seen.legal_actions()]
    if seen.penalty and table.rules.stack == "no":
        return [DRAW] if seen.before is None else [DRAW, CHALLENGE]
    unseen, colours = table.rules.deck - seen.hand - seen.played, table.rules.colours
    fitting = [
        action
        for action in ACTIONS
        if action.card is not None
        and action.card in unseen
        and action.colour in colours
        and (is_black(action.card) or action.colour == seen.colour or rank_of(action.card) == rank_of(seen.top))
        and (not seen.penalty or answers(table.rules, action.card, seen.top))
    ]
    if seen.deciding:
        return fitting if table.rules.draw == "until_playable" else [*fitting, KEEP]
    return [*fitting, DRAW]


def answers(rules: Rules, card: int, top: int) -> bool:
    """Return whether a card answers what is owed for the top card."""
    same = rank_of(card) == rank_of(top)
    return same or (rules.stack == "rising" and card == WILD_FOUR and rank_of(top) == DRAW_TWO)


def follow(rules: Rules, seed: int, at_most: int = 60) -> Game:
    """Play a random game, told to a table at each seat, and compare after every move."""
    game, chance = Game.new(rules, seed), random.Random(seed)
    tables = [table_of(game, seat) for seat in SEATS]
    for number in range(at_most):
        if game.over:
            break
        for table in tables:
            assert set(game.legal_actions()) <= set(possible(table))
        action, table = choose(game, chance), tables[0]
        expected, until = table.drawing, table.draws_until_playable
        owed = [table.challenge_drawing(guilty) for guilty in (False, True)]
        game.apply(action)
        count = len(game.last_move.drawn)
        assert action != DRAW or (count <= expected if until else count == expected)
        assert action != CHALLENGE or count == owed[game.last_move.guilty]
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


@pytest.mark.parametrize("deck", DECKS)
def test_every_legal_combination_of_values(deck: str) -> None:
    number = list(DECKS).index(deck)
    for variant in ALL_VARIANTS[number :: len(DECKS)]:
        follow(rules_of(deck, variant), seed=number, at_most=40)


@pytest.mark.parametrize("deck", DECKS)
def test_every_deck_under_every_pair_of_values(deck: str) -> None:
    for number, variant in enumerate(PAIRS_OF_VALUES):
        follow(rules_of(deck, variant), seed=100 + number, at_most=40)


def test_challenges_long_draws_and_swaps_are_among_the_games() -> None:
    bluffs = [follow(rules_of("hands of 6", {"wild_four": "challenge"}), seed) for seed in range(12)]
    bluffs += [follow(rules_of("standard", {"wild_four": "challenge"}), seed) for seed in range(6)]
    called = [move for game in bluffs for move in game.moves if move.action == CHALLENGE]
    assert {move.guilty for move in called} == {False, True}
    assert {len(move.drawn) for move in called} >= {4, 6}
    until = [follow(rules_of("few of four colours", {"draw": "until_playable"}), seed) for seed in range(12)]
    drawn = [move for game in until for move in game.moves if move.drawn]
    assert any(move.first for move in drawn)
    assert any(len(move.drawn) > 4 for move in drawn)
    swapped = [follow(rules_of("mini-12", {"swap": "seven_zero"}), seed) for seed in range(4)]
    assert any(move.swapped for game in swapped for move in game.moves)


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


def refusal(table: ObservedGame, action: str, drawn: str = "", shown: str | None = None, **told: Any) -> str:
    """Return the sentence that refuses an action."""
    before, hand = table.observation, None if shown is None else Cards.parse(shown)
    with pytest.raises(UnoError) as caught:
        table.apply(Action.parse(action), cards(drawn), shown=hand, **told)
    assert table.observation == before
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
    assert refusal(table, "B1") == "you can't play B1: first draw 2 cards"
    assert refusal(table, "draw", "G5") == "2 cards have to be drawn here, not 1"
    assert refusal(table, "draw", "G5 G5") == (
        "you can't have drawn G5: the deck has 1 G5, of which 0 in your hand and 0 on the pile"
    )
    assert refusal(table, "draw", "G5 B1").startswith("you can't have drawn B1: the deck has 1 B1, of which 1 in your")
    table = at(0, start("G1", "G+2 R1 R2", "B1 B2 W", "G5 G6 G7 G8"), "G+2")
    assert refusal(table, "W:R") == "the opponent can't play W:R: first draw 2 cards"


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


# --- under the other rules -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("top", "skip", "turn", "penalty"),
    [("RS", "again", 1, 0), ("RR", "again", 1, 0), ("RS", "pass", 0, 0), ("R+2", "again", 0, 2), ("R5", "again", 0, 0)],
)
def test_a_first_card_that_acts_is_seen_from_both_seats(top: str, skip: str, turn: int, penalty: int) -> None:
    game = start(top, "R1 Y1", "R3 Y3", "Y7 Y8", skip=skip, first_card="acts")
    for seat in SEATS:
        seen = at(seat, game).observation
        assert seen == game.observation(seat)
        assert (seen.turn, seen.penalty) == (turn, penalty)


def test_an_answer_to_a_debt_has_to_be_one() -> None:
    game = start("G1", "G+2 R1 R2", "B+2 B2 W4", "G5 G6 G7 G8", stack="same")
    table = at(1, game, "G+2")
    assert refusal(table, "B2") == "B2 is no answer to G+2 (green), for which you owe 2 cards"
    assert refusal(table, "W4:R") == "W4 is no answer to G+2 (green), for which you owe 2 cards"
    table.apply(Action.parse("B+2"))
    assert table.observation.penalty == 4
    assert refusal(table, "R1").endswith("R1 is no answer to B+2 (blue), for which the opponent owes 4 cards")
    assert refusal(table, "W4:B").endswith("for which the opponent owes 4 cards")
    table.apply(DRAW)
    assert table.observation.opponent_size == 6


def bluffed(seat: Seat) -> ObservedGame:
    """Return a seat's table after a wild +4 on red of player 1, who holds a red card."""
    return at(seat, start("R1", "W4 R2 B2", "G1 G2 W", "Y1 Y2 Y3 Y4 Y5 Y6 Y7", wild_four="challenge"), "W4:G")


def test_a_challenge_of_ones_own_needs_the_hand_that_it_shows() -> None:
    table = bluffed(1)
    assert refusal(table, "challenge") == "name the hand that your challenge shows: 2 cards"
    assert refusal(table, "challenge", shown="R2").endswith("the hand that challenge shows has 2 cards, not 1")
    assert refusal(table, "challenge", shown="R2 G1") == (
        "the opponent can't have 1 G1: the deck has 1 G1, of which 1 in your hand and 0 on the pile"
    )
    assert refusal(table, "challenge", "Y1", shown="R2 B2") == "the opponent draws here, and you do not see the cards"
    assert refusal(table, "challenge", "Y1", shown="Y1 B2") == "6 cards have to be drawn here, not 1"
    assert refusal(table, "challenge", "Y1 Y2 Y3 Y4 Y5 B2", shown="Y6 B2").startswith("you can't have drawn B2")
    table.apply(CHALLENGE, shown=Cards.parse("R2 B2"))
    assert (table.observation.turn, table.observation.penalty, table.observation.opponent_size) == (1, 0, 6)


def test_a_challenge_against_us_is_decided_by_the_own_hand() -> None:
    table = bluffed(0)
    assert refusal(table, "challenge") == "4 cards have to be drawn here, not 0"
    assert refusal(table, "challenge", "Y1 Y2 Y3 Y4", shown="R2 B2") == "challenge shows no hand to player 1 here"
    table.apply(CHALLENGE, cards("Y1 Y2 Y3 Y4"))
    assert (table.observation.turn, table.observation.hand) == (1, Cards.parse("R2 B2 Y1 Y2 Y3 Y4"))


def test_without_a_wild_four_there_is_nothing_to_challenge() -> None:
    table = at(0, start("R1", "R2 B2", "G1 G2", "Y1", wild_four="challenge"))
    assert refusal(table, "challenge") == "there is no wild +4 to challenge"


def test_a_draw_of_ones_own_until_playable_ends_with_the_first_card_that_fits() -> None:
    table = at(0, start("R1", "B2 B3", "R4 Y5", "G6 G7 R8 G9", draw="until_playable"))
    assert refusal(table, "draw") == "you draw until a card fits on R1 (red): name all of them, in order"
    assert refusal(table, "draw", "G6 G7").startswith("you draw until a card fits")
    assert refusal(table, "draw", "G6 R8 G7") == "R8 fits on R1 (red): you draw no more after it"
    assert refusal(table, "draw", "G6 G6 R8").startswith("you can't have drawn G6: the deck has 1 G6")
    table.apply(DRAW, cards("G6 G7 R8"))
    assert table.observation.drawn == parse_card("R8")
    assert refusal(table, "keep").startswith("there is nothing to keep")
    assert refusal(table, "B2") == "you can't play B2 now: of a card just drawn, R8, you play that"
    assert refusal(table, "draw", "G9") == "you have drawn already: that card is played"


def test_what_is_drawn_after_a_reshuffle_was_on_the_played_pile() -> None:
    game = start("R1", "R2 B2", "R3 Y3", "G6", draw="until_playable")
    table = at(0, game, "R2 R3")
    assert refusal(table, "draw", "G6") == "you draw until a card fits on R3 (red): name all of them, in order"
    assert refusal(table, "draw", "G6 Y3 R2") == "Y3 fits on R3 (red): you draw no more after it"
    assert refusal(table, "draw", "G6 R3") == "you can't have drawn R3 after the reshuffle: R1 R2 went back"
    table.apply(DRAW, cards("G6 R2"))
    assert len(table.events[-1]) == 3
    assert table.moves[-1].first == 1


def test_of_a_draw_of_the_other_until_playable_the_number_is_told() -> None:
    table = at(1, start("R1", "B2 B3", "R4 Y5", "G6 G7 R8 G9", draw="until_playable"))
    sentence = "tell how many cards the opponent drew until one was playable, at most 4"
    assert refusal(table, "draw") == refusal(table, "draw", count=5) == refusal(table, "draw", count=-1) == sentence
    assert refusal(table, "draw", count=0).startswith("how many cards player 1 drew has to be told")
    assert refusal(table, "draw", count=3, ended=True).endswith("none of these is, but more are to be had")
    over = at(1, start("R1", "B2 B3", "R4 Y5", "G6 G7 R8 G9", draw="until_playable"))
    over.apply(DRAW, count=4, ended=True)
    assert str(over.observation.outcome) == "player 2 wins (deck exhausted)"
    table.apply(DRAW, count=4)
    assert (table.observation.deciding, table.observation.opponent_size) == (True, 6)


def test_a_swap_needs_the_hand_that_comes_with_it() -> None:
    table = at(0, start("R1", "R7 B2", "R4 Y5", "G6 G7", swap="seven_zero"))
    assert refusal(table, "R7") == "R7 shows the other hand to player 1: tell all of it, 2 cards"
    assert refusal(table, "R7", shown="R4").startswith("the hand that R7 shows has 2 cards, not 1")
    assert refusal(table, "R7", shown="R4 B2").startswith("the opponent can't have 1 B2")
    table.apply(Action.parse("R7"), shown=Cards.parse("R4 Y5"))
    assert (table.observation.hand, table.observation.opponent_size) == (Cards.parse("R4 Y5"), 1)


@pytest.mark.parametrize(
    ("hand", "top", "message"),
    [
        ("W W W W W R1 R2", "R5", "you can't hold 5 W: the deck has 4"),
        ("R5 R5 R5 G1 G2 G3 G4", "R6", "you can't hold 3 R5: the deck has 2"),
        ("R1 R2 R3 R4 R5 R6", "R7", "you are dealt 7 cards, but name 6"),
        ("R1 R2 R3 R4 R5 R6 R7 R8", "R9", "you are dealt 7 cards, but name 8"),
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
