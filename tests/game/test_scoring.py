"""Points of a round, worked out by hand, and where a match stands, as data and as lines of a record."""

from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.records import FULL, NAMED, PLAYERS, comes_back, edited, refused, whole_game, written
from tests.helpers import any_rules, any_seed, do, play_out, start
from uno_pomdp.cards import NO_CARDS, STANDARD_DECK, Cards
from uno_pomdp.errors import IllegalAction, InvalidRecord
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import PENALTY
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.outcome import Reason
from uno_pomdp.game.record import record_of
from uno_pomdp.game.scoring import MatchRound, RoundScore, points_of, round_score
from uno_pomdp.rules import Rules

# --- points ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "points"),
    [("", 0), ("R0", 0), ("G9", 9), ("R1 R1 B7", 9), ("YS", 20), ("BR", 20), ("R+2", 20), ("W", 50), ("W4", 50)],
)
def test_a_card_counts_its_number_twenty_or_fifty(cards: str, points: int) -> None:
    assert points_of(Cards.parse(cards)) == points


def test_all_cards_together_count_1240() -> None:
    # a colour has 2 · (1 + … + 9) = 90 and six of twenty; there are four of these, and eight of fifty
    assert points_of(STANDARD_DECK) == 4 * (90 + 120) + 400 == 1240


def scored(actions: str, top: str, first: str, second: str, pile: str = "", **options: Any) -> RoundScore:
    """Return what a game scores that begins with these cards and goes so to its end."""
    return round_score(do(start(top, first, second, pile, **options), actions))


def score(winner: int, points: int, hand: str, drawn: str = "") -> RoundScore:
    """Return a score by its text."""
    return RoundScore(winner, points, Cards.parse(hand), Cards.parse(drawn))


def test_who_empties_the_hand_scores_the_other_hand() -> None:
    assert scored("R2", "R1", "R2", "G7", "Y1 Y2") == score(0, 7, "G7")
    assert scored("R2 R3 draw R4", "R1", "R2 B9", "R3 R4", "Y1 Y2") == score(1, 10, "B9 Y1")


def test_a_last_card_plus_two_is_drawn_for_before_it_counts() -> None:
    assert scored("R+2", "R1", "R+2", "G7", "YS Y2 W") == score(0, 29, "G7 YS Y2", "YS Y2")


def test_a_last_card_plus_four_is_drawn_for_whatever_is_challenged() -> None:
    found = scored("W4:G", "R1", "W4", "G7", "YS Y2 W B0 B1", wild_four="challenge")
    assert found == score(0, 7 + 20 + 2 + 50 + 0, "G7 YS Y2 W B0", "YS Y2 W B0")


def test_of_a_stacked_debt_all_is_drawn() -> None:
    cards = "R1", "R+2 G+2", "Y+2 G7", "Y1 Y2 Y3 Y4 Y5 Y6 Y7"
    # two owed, four after the answer, six after the last card, which empties the hand
    found = scored("R+2 Y+2 G+2", *cards, stack="same")
    assert found == score(0, 7 + 1 + 2 + 3 + 4 + 5 + 6, "G7 Y1 Y2 Y3 Y4 Y5 Y6", "Y1 Y2 Y3 Y4 Y5 Y6")
    rising = scored("R+2 Y+2 W4:G", "R1", "R+2 W4", "Y+2 G7", "Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9", stack="rising")
    assert rising.drawn == Cards.parse("Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8")
    assert rising.points == 7 + 36


def test_a_debt_that_was_paid_is_not_paid_again() -> None:
    assert scored("R+2 draw R2", "R1", "R+2 R2", "Y8 Y9", "Y1 Y2 Y3 Y4") == score(0, 20, "Y1 Y2 Y8 Y9")


def test_a_short_pile_is_reshuffled_for_the_last_draw_where_the_rules_allow() -> None:
    # the pile has Y1; of the played R1 R2 R3 R+2 all but the top go back; four cards, of which two are drawn
    cards, actions = ("R1", "R2 R+2", "R3 G7", "Y1"), "R2 R3 R+2"
    found = scored(actions, *cards, seed=3)
    there = Cards.parse("Y1 R1 R2 R3")
    assert len(found.drawn) == 2
    assert found.hand == found.drawn + Cards.parse("G7")
    assert all(found.drawn[card] <= there[card] for card in found.drawn)
    assert found.points == 7 + points_of(found.drawn)
    assert found == scored(actions, *cards, seed=3)
    assert len({str(scored(actions, *cards, seed=seed).drawn) for seed in range(60)}) == 6
    assert scored(actions, *cards, reshuffle="no") == score(0, 8, "G7 Y1", "Y1")


def test_what_is_left_is_drawn_where_even_a_reshuffle_gives_too_little() -> None:
    assert scored("W4:G", "R1", "W4", "G7", "Y1 Y2").drawn == Cards.parse("Y1 Y2 R1")
    assert scored("W4:G", "R1", "W4", "G7", "", reshuffle="no") == score(0, 7, "G7")


def test_an_exhausted_round_scores_nothing() -> None:
    found = scored("draw", "R1", "Y2 G3", "B4 B5", reshuffle="no")
    assert found == RoundScore(None, 0, NO_CARDS, NO_CARDS)


def test_a_game_that_goes_on_is_not_scored_and_a_scored_one_is_not_changed() -> None:
    with pytest.raises(IllegalAction, match="a round is scored when it is over, but this game goes on"):
        round_score(start("R1", "R2", "G7"))
    game = do(start("R1", "R2 R+2", "R3 G7", "Y1", seed=3), "R2 R3 R+2")
    before = game.copy()
    round_score(game)
    assert game == before
    assert game.draw_pile == before.draw_pile


@given(any_rules(), any_seed)
def test_a_round_scores_cards_of_the_deck_and_all_that_is_owed_or_all_there_is(rules: Rules, seed: int) -> None:
    game = play_out(Game.new(rules, seed), seed % 1000, at_most=400)
    if not game.over:
        return
    found, outcome = round_score(game), game.outcome
    assert outcome is not None
    if outcome.reason == Reason.DECK_EXHAUSTED:
        assert (found.winner, found.points) == (None, 0)
        return
    assert found.winner == outcome.winner
    assert found.hand == game.hand(1 - game.turn) + found.drawn
    debt = 0
    for move in reversed(game.moves):  # the last cards that nobody drew for
        card = move.action.card
        if card is None or not PENALTY[card] or (debt and rules.stack == "no"):
            break
        debt += int(PENALTY[card])
    back = len(game.played_pile) - 1 if rules.reshuffle == "yes" else 0
    assert len(found.drawn) == min(debt, len(game.draw_pile) + back)


# --- the match -------------------------------------------------------------------------------------------


def test_a_match_stands_where_the_rounds_have_led() -> None:
    match = MatchRound(500, 3, (120, 85))
    assert match.score_after(score(1, 44, "W4")) == (120, 129)
    assert match.score_after(score(0, 400, "")) == (520, 85)
    assert match.score_after(RoundScore(None, 0, NO_CARDS, NO_CARDS)) == (120, 85)
    assert MatchRound() == MatchRound(500, 1, (0, 0))


WRONG: Final = [
    ((0, 1, (0, 0)), "a match to 0 points is none: give at least 1"),
    ((500, 0, (0, 0)), "0 is no number of a round: they are counted from 1"),
    ((500, 2, (0, -5)), "-5 is no number of points: give 0 or more"),
    ((500, 2, (20, 500)), "player 2 has 500 points: the match to 500 is over"),
    ((500, 1, (20, 0)), "nobody has points before the first round: the score has to be 0 0"),
]


@pytest.mark.parametrize(("values", "reason"), WRONG)
def test_a_match_that_can_not_be_is_refused(values: tuple[int, int, tuple[int, int]], reason: str) -> None:
    with pytest.raises(InvalidRecord, match=f"^{reason}$"):
        MatchRound(*values)


ROUND: Final = edited({15: "player 2: Zoë\nmatch: to 500\nround: 3\nscore: 120 85"}, NAMED)


def test_the_lines_of_a_round_are_read_and_written_and_do_not_change_the_game() -> None:
    record = parse_record(ROUND)
    assert record.match == MatchRound(500, 3, (120, 85))
    assert format_record(record) == written(ROUND)
    assert replace(record, match=None) == parse_record(FULL)
    comes_back(record)
    comes_back(record_of(whole_game(), PLAYERS, match=MatchRound(), practice=True))


DAMAGE: Final = [
    ("no round", {17: None}, 17, "'round: …' belongs here, not 'score'"),
    ("no score", {18: None}, 18, "'score: …' belongs here, not 'top'"),
    ("no match", {16: None}, 16, "'top: …' belongs here, not 'round'"),
    ("another order", {16: "round: 3", 17: "match: to 500"}, 16, "'top: …' belongs here, not 'round'"),
    ("no end", {16: "match:"}, 16, "as in 'match: to 500'"),
    ("a bare number", {16: "match: 500"}, 16, "as in 'match: to 500', not '500'"),
    ("no number", {16: "match: to win"}, 16, "'win' is no whole number"),
    ("a round in words", {17: "round: three"}, 17, "'three' is no whole number"),
    ("one score", {18: "score: 120"}, 18, "a score is two numbers, player 1's first, but 1 are given"),
    ("three scores", {18: "score: 1 2 3"}, 18, "a score is two numbers, player 1's first, but 3 are given"),
    ("a negative score", {18: "score: 120 -5"}, 18, "'-5' is no whole number"),
    ("a match that is over", {18: "score: 500 0"}, 18, "player 1 has 500 points: the match to 500 is over"),
    ("a first round with points", {17: "round: 1"}, 18, "nobody has points before the first round"),
    ("practice behind it", {18: "score: 120 85\npractice: yes"}, 19, "'top: …' belongs here, not 'practice'"),
]


@pytest.mark.parametrize(("edits", "line", "reason"), [pytest.param(*case[1:], id=case[0]) for case in DAMAGE])
def test_damage_is_refused_with_its_line_and_reason(edits: dict[int, str | None], line: int, reason: str) -> None:
    refused(edited(edits, ROUND), line, reason)


@given(st.integers(1, 2000), st.integers(1, 30), st.integers(0, 1999), st.integers(0, 1999))
def test_any_match_comes_back(to: int, number: int, first: int, second: int) -> None:
    try:
        match = MatchRound(to, number, (first, second))
    except InvalidRecord:
        return
    record = replace(record_of(whole_game(), PLAYERS), match=match)
    assert parse_record(format_record(record)) == record
