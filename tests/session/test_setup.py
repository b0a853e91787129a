"""Matches of several rounds and rematches: seats, deals, scores, and how a match goes on from any record of it."""

import random

import pytest

from uno_pomdp.cards import Cards
from uno_pomdp.cli.play.session import new_game
from uno_pomdp.errors import UnusableFile
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.outcome import Reason
from uno_pomdp.game.record import GameRecord, record_of
from uno_pomdp.game.scoring import MatchRound, RoundScore, points_of, round_score
from uno_pomdp.rules import preset
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import SavedGame, Setup, saved_game


def played(setup: Setup, chance: random.Random) -> Session:
    """Play a game at random to its end."""
    session = Session(setup)
    while not session.over:
        if session.awaits_person:
            session.move(chance.choice(session.game.legal_actions()))
        else:
            session.answer()
    return session


@pytest.mark.parametrize("rules", ["house", "printed", "party", "mini-9"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_is_rounds_with_swapped_seats_until_one_has_enough_points(rules: str, seat: int) -> None:
    chance, to = random.Random(seat), 120 if rules == "mini-9" else 250
    setup: Setup | None = Setup(preset(rules), 5, seat, "random", MatchRound(to))
    mine = other = rounds = 0
    seeds = set()
    while setup is not None:
        rounds += 1
        assert setup.match is not None
        assert setup.seat == (seat + rounds + 1) % 2
        assert setup.match.round == rounds
        assert setup.score(setup.match.score) == (mine, other)
        seeds.add(setup.seed)
        session = played(setup, chance)
        scored = session.scored
        assert scored is not None
        assert scored.points == points_of(scored.hand)
        outcome = session.game.outcome
        assert outcome is not None
        if outcome.reason is Reason.DECK_EXHAUSTED:
            assert (scored.points, scored.winner) == (0, None)
        elif outcome.result(setup.seat) > 0:
            mine += scored.points
        else:
            other += scored.points
        setup = session.next_round
        assert (setup is None) == (max(mine, other) >= to)
    assert len(seeds) == rounds > 1


def test_a_match_is_the_same_from_its_first_deal_on_and_goes_on_from_any_round() -> None:
    first = Setup(preset("mini-9"), 8, 0, "greedy", MatchRound(1000))
    session = played(first, random.Random(3))
    following = session.next_round
    assert following is not None
    found = saved_game(parse_record(format_record(session.record)))
    assert found.setup == following
    assert found.after == session.record
    assert found.record.moves == ()
    assert found.record.match == following.match
    left = Session(following)
    while not left.awaits_person:
        left.answer()
    again = saved_game(parse_record(format_record(left.record)))
    assert (again.setup, again.after, again.record) == (following, None, left.record)


def test_a_match_that_is_over_and_a_single_game_have_no_next_round() -> None:
    over = played(Setup(preset("house"), 1, 0, "greedy", MatchRound(1)), random.Random(1))
    single = played(Setup(preset("house"), 1, 0, "greedy"), random.Random(1))
    for session in (over, single):
        assert session.next_round is None
        with pytest.raises(UnusableFile, match="is over"):
            saved_game(session.record)
    assert single.scored is None
    assert round_score(over.game) == over.scored


@pytest.mark.parametrize(("to", "over"), [(99, True), (100, True), (101, False)])
@pytest.mark.parametrize("winner", [0, 1])
def test_a_match_is_over_with_exactly_the_points_that_win_it(to: int, over: bool, winner: int) -> None:
    score = (80, 10) if winner == 0 else (10, 80)
    setup = Setup(preset("house"), 1, 0, "greedy", MatchRound(to, 3, score))
    scored = RoundScore(winner, 20, Cards.parse("RS"), Cards.parse(""))
    assert (setup.next_round(scored) is None) == over


def test_a_rematch_swaps_the_seats_and_keeps_the_cards_or_deals_new_ones() -> None:
    setup = Setup(preset("printed"), 7, 0, "greedy", MatchRound(200, 3, (10, 20)), practice=True)
    same, new = setup.rematch(same_deal=True), setup.rematch(same_deal=False)
    assert (same.seed, same.seat, same.match, same.practice) == (7, 1, MatchRound(200), True)
    assert (new.seat, new.match, new.rules, new.opponent) == (1, MatchRound(200), setup.rules, "greedy")
    assert new.seed != 7
    assert Setup(preset("house"), 7, 1, "greedy").rematch(same_deal=True).match is None
    assert Session(same).game.deal == Session(setup).game.deal


def altered(record: GameRecord) -> GameRecord:
    """Return the same text with two cards of the draw pile in another order."""
    lines = format_record(record).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("draw pile:"))
    head, *cards = lines[place].split()[1:]
    other = next(n for n, card in enumerate(cards) if card != cards[-1])
    cards[other], cards[-1] = cards[-1], cards[other]
    lines[place] = " ".join(("draw", head, *cards))
    return parse_record("\n".join(lines) + "\n")


def test_other_cards_than_the_seeds_are_refused() -> None:
    setup = Setup(preset("house"), 7, 0, "greedy")
    with pytest.raises(UnusableFile, match="the cards in the record are not those of its seed"):
        saved_game(altered(setup.record(())))
    with pytest.raises(UnusableFile, match="has to be called human"):
        saved_game(record_of(Game.new(setup.rules, 7), ("a", "b")), "game.txt")


def test_a_deal_that_nobody_named_is_one_of_all_so_that_no_agent_can_try_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbits", lambda bits: (1 << bits) - 1)
    begun = new_game("random", 0, None, "mini-9")
    assert begun.seed == 2**64 - 1
    assert begun.rematch(same_deal=False).seed == 2**64 - 1
    assert load(begun).setup == begun
    assert new_game("random", 0, 5, "mini-9").seed == 5
    assert Setup(preset("mini-9"), 5, 0, "random").rematch(same_deal=True).seed == 5


def load(setup: Setup) -> SavedGame:
    """Return a game after its record was written and read."""
    return saved_game(parse_record(format_record(setup.record(()))))
