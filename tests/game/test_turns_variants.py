"""The rules page on challenges, draws until playable, debts, first cards and swaps, a position for each sentence."""

from typing import Any

import pytest

from tests.helpers import cards, do, legal, start
from uno_pomdp.cards import BLUE, GREEN, RED, YELLOW, Cards
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Challenged, Drew, Event, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.game import Game
from uno_pomdp.game.outcome import Outcome, Reason

WON = Outcome(0, Reason.EMPTIED_HAND)
PILE = "Y1 Y2 Y3 Y4 Y5 Y6 Y7"


def kinds(events: tuple[Event, ...]) -> list[str]:
    """Return the kinds of events in order."""
    return [type(event).__name__ for event in events]


# --- challenge -------------------------------------------------------------------------------------------


def bluff(hand: str = "W4 R2 B2", pile: str = PILE, **variant: Any) -> Game:
    """Return a game in which player 1 has played a wild +4 on a red card, declaring green."""
    return do(start("R1", hand, "G1 G2 W", pile, wild_four="challenge", **variant), "W4:G")


def test_a_wild_four_is_always_legal_and_its_victim_draws_or_challenges() -> None:
    assert legal(start("R1", "W4 R2 B2", "G1 G2 W", PILE, wild_four="challenge")) == "R2 W4:R W4:Y W4:G W4:B"
    assert legal(bluff()) == "draw challenge"
    game = do(bluff(), "draw")
    assert (game.turn, game.hand(1)) == (0, Cards.parse("G1 G2 W Y1 Y2 Y3 Y4"))


def test_a_guilty_player_draws_four_and_the_challenger_has_an_ordinary_turn_in_the_declared_colour() -> None:
    game = do(bluff(), "challenge")
    assert (game.turn, game.hand(0), game.hand(1)) == (1, Cards.parse("R2 B2 Y1 Y2 Y3 Y4"), Cards.parse("G1 G2 W"))
    assert (game.observation(1).penalty, game.observation(1).colour) == (0, GREEN)
    assert legal(game) == "G1 G2 W:R W:Y W:G W:B"


def test_a_challenger_who_is_wrong_draws_six_and_the_turn_passes() -> None:
    game = do(bluff("W4 G3 B2"), "challenge")
    assert (game.turn, game.hand(0)) == (0, Cards.parse("G3 B2"))
    assert game.hand(1) == Cards.parse("G1 G2 W Y1 Y2 Y3 Y4 Y5 Y6")
    assert (game.observation(0).penalty, legal(game)) == (0, "G3")


@pytest.mark.parametrize(
    ("hand", "guilty"),
    [
        ("W4 R2 B2", True),
        ("W4 B1 B2", False),  # the rank of the card below is no matter
        ("W4 W B2", False),  # nor is a black card
        ("W4 W4 B2", False),
        ("W4 G2 B2", False),  # nor is the colour that was declared
        ("W4 RS B2", True),
    ],
)
def test_guilty_is_who_holds_a_card_of_the_colour_before(hand: str, guilty: bool) -> None:
    game = do(bluff(hand), "challenge")
    assert game.events()[1] == Challenged(1, guilty)
    assert game.last_move.guilty == guilty


@pytest.mark.parametrize(("colour", "guilty"), [("R", False), ("B", True)])
def test_the_colour_before_is_the_declared_one_of_a_black_card_below(colour: str, guilty: bool) -> None:
    game = start("R1", "W Y8 Y9", "W4 B2 B3", f"{PILE} G5", wild_four="challenge")
    do(game, f"W:{colour} W4:G")
    assert game.observation(0).before == {"R": RED, "B": BLUE}[colour]
    assert do(game, "challenge").last_move.guilty == guilty


def test_a_wild_four_that_empties_the_hand_ends_the_game() -> None:
    game = do(start("R1", "W4", "G1", PILE, wild_four="challenge"), "W4:G")
    assert (game.outcome, legal(game), game.observation(1).before) == (WON, "", None)


@pytest.mark.parametrize("pile", ["", "Y1", PILE])
@pytest.mark.parametrize("reshuffle", ["yes", "no"])
def test_a_challenge_is_legal_whatever_the_pile_holds(pile: str, reshuffle: str) -> None:
    deck: dict[str, Any] = {"pile": pile, "reshuffle": reshuffle}
    assert legal(bluff(**deck)) == legal(bluff("W4 B1 B2", **deck)) == "draw challenge"


def test_a_wild_four_just_drawn_can_be_challenged_and_the_whole_remaining_hand_counts() -> None:
    variant: dict[str, Any] = {"wild_four": "challenge", "drawn_card": "may_play", "draw": "optional"}
    game = do(start("R1", "R2 B2", "G1 G2", f"W4 {PILE}", **variant), "draw")
    assert legal(game) == "W4:R W4:Y W4:G W4:B keep"
    do(game, "W4:G challenge")
    assert game.events()[-2:] == (Shown(0, Cards.parse("R2 B2")), Drew(0, 4, True, cards("Y1 Y2 Y3 Y4")))


@pytest.mark.parametrize(("hand", "drawer", "count"), [("W4 R2 B2", 0, 4), ("W4 G3 B2", 1, 6)])
def test_the_events_of_a_challenge_are_challenged_shown_and_drew(hand: str, drawer: int, count: int) -> None:
    game = do(bluff(hand), "challenge")
    shown = Shown(0, Cards.parse(hand.removeprefix("W4 ")))
    assert game.events(since=1) == (
        Challenged(1, drawer == 0),
        shown,
        Drew(drawer, count, True, cards(PILE)[:count]),
    )
    for seat in (0, 1):
        assert game.events(seat, 1)[:2] == (Challenged(1, drawer == 0), shown)


def test_the_guilty_draw_is_not_the_movers_and_its_cards_are_hidden_from_the_challenger() -> None:
    game = do(bluff(), "challenge")
    assert game.last_move.drawer == 0
    assert game.events(1)[-1] == Drew(0, 4, True, None)
    assert game.events(0)[-1] == Drew(0, 4, True, cards("Y1 Y2 Y3 Y4"))


def test_a_reshuffle_comes_after_the_showing_and_before_the_draw() -> None:
    game = do(bluff("W4 R2 B2", "Y1 Y2 Y3"), "challenge")
    assert kinds(game.events(since=1)) == ["Challenged", "Shown", "Reshuffled", "Drew"]
    assert game.events()[3] == Reshuffled(Cards.parse("R1"), game.last_move.order)
    assert (len(game.hand(0)), game.played_pile) == (6, cards("W4"))


@pytest.mark.parametrize(("hand", "drawer"), [("W4 R2 B2", 0), ("W4 G3 B2", 1)])
def test_a_challenge_whose_draw_can_not_be_made_shows_the_hand_and_ends_the_game_by_hand_sizes(
    hand: str, drawer: int
) -> None:
    game = do(bluff(hand, "Y1 Y2 Y3", reshuffle="no"), "challenge")
    assert kinds(game.events(since=1)) == ["Challenged", "Shown", "Drew"]
    assert game.events()[-1] == Drew(drawer, 0, True, ())
    assert game.outcome == Outcome(0, Reason.DECK_EXHAUSTED)  # two cards to three, whoever had to draw
    assert game.turn == 1


def test_the_guilty_can_win_an_exhausted_deck() -> None:
    game = do(bluff("W4 R2 B2", ""), "challenge")
    assert (game.last_move.guilty, game.outcome) == (True, Outcome(0, Reason.DECK_EXHAUSTED))


def test_the_colour_before_is_public_until_the_debt_is_settled() -> None:
    for action in ("draw", "challenge"):
        game = bluff()
        assert [game.observation(seat).before for seat in (0, 1)] == [RED, RED]
        do(game, action)
        assert [game.observation(seat).before for seat in (0, 1)] == [None, None]
    assert start("R1", "W4 R2", "G1 G2", PILE, wild_four="always").observation(0).before is None


def test_a_plus_two_can_not_be_challenged() -> None:
    assert legal(do(start("R1", "R+2 R2", "G1 G2", PILE, wild_four="challenge"), "R+2")) == "draw"


def test_a_second_wild_four_can_be_challenged_after_the_first_was_paid() -> None:
    game = do(start("R1", "W4 W4 B2", "G1 G2 W", f"{PILE} Y8", wild_four="challenge"), "W4:Y draw W4:R")
    assert (legal(game), game.observation(0).before) == ("draw challenge", YELLOW)


# --- until playable --------------------------------------------------------------------------------------


def until(pile: str, first: str = "B2 B3", second: str = "R8 Y9", **variant: Any) -> Game:
    """Return a game in which player 1 can play nothing on a red 1."""
    return start("R1", first, second, pile, draw="until_playable", **variant)


def test_cards_are_drawn_until_one_is_playable_which_has_to_be_played() -> None:
    game = do(until("G6 G7 R5 G8"), "draw")
    assert (game.turn, game.hand(0), game.draw_pile) == (0, Cards.parse("B2 B3 G6 G7 R5"), cards("G8"))
    assert legal(game) == "R5"
    assert game.events() == (Drew(0, 3, False, cards("G6 G7 R5")),)
    do(game, "R5")
    assert game.events()[-1] == Played(0, Action.parse("R5"), just_drawn=True)
    assert game.turn == 1


def test_only_the_card_that_ended_the_draw_is_legal_and_not_another_of_its_colour() -> None:
    assert legal(do(until("G1 R5"), "draw")) == "G1"
    assert legal(do(until("B1 R5"), "draw")) == "B1"


@pytest.mark.parametrize(("black", "plays"), [("W", "W:R W:Y W:G W:B"), ("W4", "W4:R W4:Y W4:G W4:B")])
def test_a_black_card_that_ends_the_draw_is_played_in_a_colour_of_the_players_choice(black: str, plays: str) -> None:
    game = do(until(f"G6 {black} G8 G9 G7 Y2 Y3"), "draw")
    assert legal(game) == plays
    assert game.observation(0).drawn == cards(black)[0]
    assert game.hand(0) == Cards.parse(f"B2 B3 G6 {black}")


def test_until_it_is_played_the_card_is_hidden_and_that_it_is_there_is_not() -> None:
    one, two = do(until("G6 W R5"), "draw"), do(until("R5 W G6", "B2 B3"), "draw")
    assert one.observation(1).deciding
    assert one.observation(1).drawn is None
    assert one.events(1) == (Drew(0, 2, False, None),)
    assert two.events(1) == (Drew(0, 1, False, None),)
    assert do(until("G6 R5 W"), "draw").observation(1) == one.observation(1)


def test_with_something_playable_drawing_is_not_legal() -> None:
    assert legal(until("G6 R5", "R2 B3")) == "R2"


@pytest.mark.parametrize("wild_four", ["last_resort", "challenge"])
def test_a_wild_four_that_ends_the_draw_is_always_playable_and_never_a_lie(wild_four: str) -> None:
    game = do(until(f"G6 W4 {PILE}", wild_four=wild_four), "draw")
    assert legal(game) == "W4:R W4:Y W4:G W4:B"
    do(game, "W4:G")
    assert legal(game) == ("draw challenge" if wild_four == "challenge" else "draw")
    if wild_four == "challenge":
        assert not do(game, "challenge").last_move.guilty


def test_the_played_pile_is_reshuffled_on_the_way_and_drawing_goes_on() -> None:
    game = do(until("G6 G7", "R2 B3", "R8 Y9"), "R2 R8 draw")
    first, reshuffled, second = game.events(since=2)
    assert first == Drew(0, 2, False, cards("G6 G7"))
    assert isinstance(reshuffled, Reshuffled)
    assert (reshuffled.returned, Cards.of(reshuffled.pile or ())) == (Cards.parse("R1 R2"), Cards.parse("R1 R2"))
    assert second == Drew(0, 1, False, (reshuffled.pile or ())[:1])
    assert game.played_pile == cards("R8")
    assert game.last_move.first == 2
    assert legal(game) in ("R1", "R2")


def test_with_an_empty_pile_the_reshuffle_comes_first() -> None:
    game = do(until("", "R2 B3", "R8 Y9"), "R2 R8 draw")
    assert kinds(game.events(since=2)) == ["Reshuffled", "Drew"]
    assert game.last_move.first == 0


def test_there_is_at_most_one_reshuffle_in_a_draw_and_with_nothing_left_the_game_ends() -> None:
    game = do(until("G6 G7", "W Y3", "B2 G3"), "W:Y draw")
    assert game.events(since=1) == (
        Drew(1, 2, False, cards("G6 G7")),
        Reshuffled(Cards.parse("R1"), cards("R1")),
        Drew(1, 1, False, cards("R1")),
    )
    assert game.hand(1) == Cards.parse("B2 G3 G6 G7 R1")
    assert game.outcome == Outcome(0, Reason.DECK_EXHAUSTED)


def test_an_exhausted_deck_ends_the_game_with_the_cards_drawn_in_hand() -> None:
    game = do(until("G6 G7"), "draw")
    assert game.events() == (Drew(0, 2, False, cards("G6 G7")),)
    assert game.hand(0) == Cards.parse("B2 B3 G6 G7")
    assert game.outcome == Outcome(1, Reason.DECK_EXHAUSTED)
    assert do(until("", second="R8 Y9"), "draw").outcome == Outcome(None, Reason.DECK_EXHAUSTED)


def test_penalties_are_drawn_as_always_and_the_turn_passes() -> None:
    game = do(start("R1", "R+2 R3", "B2 B3", "R5 R6 R7", draw="until_playable"), "R+2")
    assert legal(game) == "draw"
    do(game, "draw")
    assert (game.turn, game.hand(1), game.drawn) == (0, Cards.parse("B2 B3 R5 R6"), None)


# --- stacking --------------------------------------------------------------------------------------------

DEBTS = "R1", "R+2 W4 B2 B3", "Y+2 W4 G2 G3", "G0 G1 G4 G5 G6 G7 G8 G9 B0 B1 B4 B5 B6"


@pytest.mark.parametrize(
    ("stack", "expected"),
    [("no", "draw"), ("same", "Y+2 draw"), ("rising", "Y+2 W4:R W4:Y W4:G W4:B draw")],
)
def test_a_plus_two_is_answered_by_a_plus_two_and_if_it_may_rise_by_a_wild_four(stack: str, expected: str) -> None:
    assert legal(do(start(*DEBTS, stack=stack), "R+2")) == expected


@pytest.mark.parametrize("stack", ["same", "rising"])
def test_a_wild_four_is_answered_by_a_wild_four_alone(stack: str) -> None:
    game = do(start(*DEBTS, stack=stack), "W4:Y")
    assert legal(game) == "W4:R W4:Y W4:G W4:B draw"


def test_debts_add_up_and_are_handed_on_and_drawn_whole() -> None:
    game = do(start(*DEBTS, stack="rising"), "R+2 Y+2")
    assert (game.turn, game.observation(0).penalty) == (0, 4)
    do(game, "W4:R W4:G")
    assert (game.turn, game.observation(0).penalty, legal(game)) == (0, 12, "draw")
    do(game, "draw")
    assert game.events()[-1] == Drew(0, 12, True, cards("G0 G1 G4 G5 G6 G7 G8 G9 B0 B1 B4 B5"))
    assert (game.turn, game.observation(1).penalty, len(game.hand(0))) == (1, 0, 14)


def test_while_cards_are_owed_nothing_else_is_legal_even_a_skip_or_a_card_that_fits() -> None:
    game = do(start("R1", "R+2 B2 B3 B4", "RS R5 W R+2", PILE, stack="rising"), "R+2")
    assert legal(game) == "R+2 draw"


@pytest.mark.parametrize("draw", ["forced", "optional", "until_playable"])
def test_what_is_owed_may_be_drawn_under_every_draw_rule(draw: str) -> None:
    game = do(start(*DEBTS, stack="same", draw=draw), "R+2")
    assert legal(game) == "Y+2 draw"
    assert do(game, "draw").turn == 0
    assert len(game.hand(1)) == 6


def test_a_last_resort_holds_for_answers_too() -> None:
    variant: dict[str, Any] = {"stack": "rising", "wild_four": "last_resort"}
    assert legal(do(start("R1", "R+2 B2 B3", "R5 W4 G3", PILE, **variant), "R+2")) == "draw"
    assert legal(do(start("R1", "R+2 B2 B3", "Y5 W4 G3", PILE, **variant), "R+2")) == "W4:R W4:Y W4:G W4:B draw"


@pytest.mark.parametrize("last", ["Y+2", "W4:Y"])
def test_who_empties_his_hand_wins_whatever_is_owed(last: str) -> None:
    card = last.partition(":")[0]
    game = do(start("Y1", "Y+2", card, "G0 G1 G2 G3 G4 G5 G6", stack="rising"), "Y+2")
    assert game.outcome == WON
    game = do(start("Y1", "Y+2 B1", f"{card} B2", "G0 G1 G2 G3 G4 G5 G6 B7", stack="rising"), f"Y+2 {last}")
    assert game.outcome is None
    game = do(
        start("Y1", "B2", card, "Y+2 G1 G2 G3 G4 G5 G6", stack="rising", drawn_card="may_play"), f"draw Y+2 {last}"
    )
    assert game.outcome == Outcome(1, Reason.EMPTIED_HAND)


def test_a_debt_that_can_not_be_drawn_exhausts_the_deck() -> None:
    game = do(start("R1", "R+2 B2 B3", "Y+2 G2 G3", "G0", stack="same", reshuffle="no"), "R+2 Y+2 draw")
    assert game.outcome == Outcome(None, Reason.DECK_EXHAUSTED)
    assert (game.events()[-1], len(game.draw_pile)) == (Drew(0, 0, True, ()), 1)


def test_the_answer_just_drawn_is_of_no_avail_for_debts_are_drawn_not_played() -> None:
    game = do(start("R1", "R+2 B2", "G2 G3", "R+2 Y1 Y2", stack="same", drawn_card="may_play"), "R+2 draw")
    assert (game.turn, game.drawn) == (0, None)


# --- the first card --------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", ["RS", "RR"])
def test_a_first_skip_or_reverse_that_acts_lets_player_2_begin(top: str) -> None:
    game = start(top, "R1 Y1", "R3 Y3", "Y7", first_card="acts")
    assert (game.turn, legal(game)) == (1, "R3")
    assert (game.observation(0).turn, game.observation(1).penalty) == (1, 0)


@pytest.mark.parametrize("top", ["RS", "RR"])
def test_under_pass_a_first_skip_or_reverse_does_nothing(top: str) -> None:
    game = start(top, "R1 Y1", "R3 Y3", "Y7", first_card="acts", skip="pass")
    assert (game.turn, legal(game)) == (0, "R1")


@pytest.mark.parametrize("skip", ["again", "pass"])
def test_after_a_first_plus_two_that_acts_player_1_owes_two(skip: str) -> None:
    game = start("R+2", "R1 Y1", "R3 Y3", "Y7 Y8 Y9", first_card="acts", skip=skip)
    assert (game.turn, game.observation(0).penalty, legal(game)) == (0, 2, "draw")
    do(game, "draw")
    assert game.events() == (Drew(0, 2, True, cards("Y7 Y8")),)
    assert (game.turn, legal(game)) == (1, "R3")


def test_player_1_may_answer_a_first_plus_two() -> None:
    game = start("R+2", "Y+2 Y1", "R3 Y3", "Y7 Y8 Y9 Y5 Y6", first_card="acts", stack="same")
    assert legal(game) == "Y+2 draw"
    assert do(game, "Y+2").observation(1).penalty == 4


@pytest.mark.parametrize("top", ["R5", "R0", "R7"])
def test_a_number_as_first_card_does_nothing(top: str) -> None:
    game = start(top, "R1 Y1", "R3 Y3", "Y7", first_card="acts", swap="seven_zero")
    assert (game.turn, game.observation(0).penalty) == (0, 0)
    assert (game.hand(0), game.hand(1)) == (Cards.parse("R1 Y1"), Cards.parse("R3 Y3"))


# --- swaps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["R7", "R0"])
def test_after_a_seven_or_a_zero_the_hands_are_swapped_before_the_next_turn(card: str) -> None:
    game = do(start("R1", f"{card} B2 B3", "R3 Y3 Y4", "G6", swap="seven_zero"), card)
    assert (game.hand(0), game.hand(1)) == (Cards.parse("R3 Y3 Y4"), Cards.parse("B2 B3"))
    assert (game.turn, legal(game)) == (1, "draw")
    for seat in (None, 0, 1):  # both have seen both
        assert game.events(seat) == (
            Played(0, Action.parse(card)),
            Swapped((Cards.parse("R3 Y3 Y4"), Cards.parse("B2 B3"))),
        )


@pytest.mark.parametrize(("card", "swap"), [("R7", "no"), ("R0", "no"), ("R6", "seven_zero"), ("W", "seven_zero")])
def test_other_cards_and_other_rules_swap_nothing(card: str, swap: str) -> None:
    play = f"{card}:R" if card == "W" else card
    game = do(start("R1", f"{card} B2 B3", "R3 Y3 Y4", "G6", swap=swap), play)
    assert (game.hand(0), game.hand(1)) == (Cards.parse("B2 B3"), Cards.parse("R3 Y3 Y4"))
    assert kinds(game.events()) == ["Played"]


@pytest.mark.parametrize("card", ["R7", "R0"])
def test_a_play_that_empties_the_hand_swaps_nothing(card: str) -> None:
    game = do(start("R1", card, "Y3", "G6", swap="seven_zero"), card)
    assert (game.outcome, len(game.hand(0)), game.hand(1)) == (WON, 0, Cards.parse("Y3"))
    assert kinds(game.events()) == ["Played"]


@pytest.mark.parametrize(
    ("variant", "drawn"), [({"drawn_card": "may_play"}, "R7"), ({"draw": "until_playable"}, "G9 R7")]
)
def test_a_seven_just_drawn_swaps_too(variant: dict[str, Any], drawn: str) -> None:
    game = do(start("R1", "B2 B3", "R3 Y3", f"{drawn} G6", swap="seven_zero", **variant), "draw R7")
    held = Cards.parse("B2 B3" + (" G9" if "G9" in drawn else ""))
    assert (game.hand(0), game.hand(1)) == (Cards.parse("R3 Y3"), held)


def test_a_swap_is_mandatory() -> None:
    assert legal(start("R1", "R7 B2", "R3 Y3 ", "G6", swap="seven_zero")) == "R7"


def test_with_swaps_a_hand_can_be_emptied_in_fewer_plays_than_cards_dealt() -> None:
    game = do(start("R1", "R7 B7", "R3 Y3", "G6 G8", swap="seven_zero"), "R7 B7")
    assert game.outcome == Outcome(1, Reason.EMPTIED_HAND)
