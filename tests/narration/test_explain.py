"""The words of `?`, `why` and hints: of what a seat has seen alone, true, one sentence, the same whatever is hidden."""

import re
from collections.abc import Callable

import pytest

from tests.cli.test_play_screens import found, free_to_draw, just_drawn, nothing_fits, opening, random_game, twins, view
from tests.helpers import SMALL_RULES, do, moves_under, start
from uno_pomdp.cards import card_name
from uno_pomdp.game.actions import CHALLENGE, DRAW, Action
from uno_pomdp.game.events import Challenged, Drew, Played
from uno_pomdp.game.layout import PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.narration.explain import effect_of, last_of_opponent, position_in_words, public_reason
from uno_pomdp.narration.rule_words import rules_in_words
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import PRESETS, Rules, preset


def words(rules: str, wanted: Callable[[Observation], bool], moves: int = 0) -> str:
    """Return the explanation of the first position of random games that is wanted."""
    return position_in_words(found(rules, wanted, moves).history)


@pytest.mark.parametrize(
    ("rules", "wanted", "said"),
    [
        ("house", nothing_fits, r"Nothing in your hand fits .* so you have to draw a card, and the turn passes; the"),
        ("party", nothing_fits, r"Nothing in your hand fits .* you have to draw until a card fits, and play that; "),
        ("house", lambda seen: seen.penalty == 4, r"You owe 4 cards for W4: all you can do is draw them, and the turn"),
        (
            "printed",
            lambda seen: seen.before is not None,
            r"or challenge: if the opponent still holds (red|yellow|green|blue), it dr",
        ),
        (
            "printed",
            just_drawn,
            r"You have just drawn \w+\+?\d?, which fits: play it, or keep it and the turn passes; ",
        ),
        ("printed", free_to_draw, r"is asked for; .* fits?: play (it|one of them), or draw instead; the opponent"),
        ("party", lambda seen: seen.deciding, r"You drew until \S+ fitted, and that has to be played; the opponent"),
        (
            "stacking",
            lambda seen: seen.penalty > 2 and len(seen.legal_actions()) > 1,
            r"answer with .*, which hands all of it on, or draw them and lose the turn; the opponent",
        ),
        (
            "house",
            lambda seen: seen.opponent_size == 1 and not seen.penalty,
            r"the opponent has one card left, and wins with it if it fits\.$",
        ),
        ("house", opening, r"is asked for; .* has to be played; the opponent holds 7 cards\.$"),
    ],
)
def test_a_position_is_explained_in_a_sentence(rules: str, wanted: Callable[[Observation], bool], said: str) -> None:
    assert re.search(said, words(rules, wanted))


@pytest.mark.parametrize("rules", PRESETS)
def test_every_position_and_every_move_has_a_sentence_that_names_what_can_be_done(rules: str) -> None:
    for seed in range(12):
        for game in random_game(preset(rules), seed, 60):
            for seat in (0, 1):
                history = game.history(seat) if len(game.moves) % 3 == 0 or game.over else None
                if history is None:
                    continue
                told, reason = position_in_words(history), public_reason(history)
                for sentence in (told, reason):
                    assert re.fullmatch(r"[A-Z0-9][^\n]*[^ .]\.", sentence), sentence
                    assert ".." not in sentence
                    assert len(sentence) < 240
                legal = history.now.legal_actions()
                cards = {card_name(one.card) for one in legal if one.card is not None}
                if history.now.turn == seat and not game.over and len(cards) <= 6:
                    assert all(re.search(rf"(?<![\w+]){re.escape(card)}(?![\w+])", told) for card in cards), told
                for action in legal:
                    assert effect_of(action, history.now)


def test_what_is_said_of_a_move_is_so() -> None:
    checked = dict.fromkeys(("colour", "rank", "drew", "left"), 0)
    for seed in range(15):
        for game in random_game(preset("house"), seed, 40):
            if not game.moves or game.over:
                continue
            seat = 1 - game.last_move.seat
            history, reason = game.history(seat), public_reason(game.history(seat))
            number = last_of_opponent(history)
            assert number == len(history.steps) - 1
            before, deed = history.before(number), history.steps[-1].deed
            if isinstance(deed, Drew) and not before.penalty:
                held = game.earlier(1).hand(1 - seat)
                assert "nothing that it held fitted" in reason
                assert not held.mask & int(PLAYABLE[before.colour, before.top])
                checked["drew"] += 1
            elif isinstance(deed, Played):
                same = deed.action.colour == before.colour
                if "fits by colour" in reason:
                    assert same
                    checked["colour"] += 1
                if "fits by rank" in reason:
                    assert not same
                    checked["rank"] += 1
                size = len(game.hand(1 - seat))
                assert re.search(rf"; {size} (card remains|cards remain) in its hand\.$", reason)
                checked["left"] += 1
    assert min(checked.values()) > 5, checked


@pytest.mark.parametrize("rules", ["house", "printed", "party"])
def test_games_that_differ_in_hidden_cards_alone_are_explained_by_the_same_words(rules: str) -> None:
    compared = 0
    for seed in range(14):
        game = list(random_game(preset(rules), seed, 6 + seed))[-1]
        if game.over:
            continue
        for seat in (0, 1):
            mine = view(game, seat).history
            for twin in twins(game, seat, 3, seed):
                other = view(twin, seat).history
                assert twin.hand(1 - seat) != game.hand(1 - seat)
                assert public_reason(other) == public_reason(mine)
                assert position_in_words(other) == position_in_words(mine)
                compared += 1
    assert compared >= 12


def test_a_challenge_is_explained_by_what_was_shown() -> None:
    told = set()
    for seed in range(200):
        for game in random_game(preset("printed"), seed, 60):
            event = game.events(since=len(game.moves) - 1)[:1] if game.moves else ()
            if event and isinstance(event[0], Challenged):
                reason = public_reason(game.history(1 - event[0].seat))
                assert ("rightly" in reason) == event[0].guilty
                told.add(event[0].guilty)
        if len(told) == 2:
            return
    raise AssertionError("no game has both")


def test_before_its_first_move_nothing_is_explained() -> None:
    history = found("house", opening).history
    assert public_reason(history) == "The opponent has not moved yet."


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("G5", "it fits by rank and makes the colour green"),
        ("R+2", "it fits by colour and leaves the opponent owing 2 cards"),
        ("RS", "it fits by colour and costs the opponent the turn"),
        ("W4:B", "a black card always fits, makes the colour blue and leaves the opponent owing 4 cards"),
        ("R5", "it fits by colour and rank"),
    ],
)
def test_what_comes_of_a_move(action: str, said: str) -> None:
    def top_is_red_five(seen: Observation) -> bool:
        return card_name(seen.top) == "R5" and not seen.penalty and len(seen.hand) > 1

    assert effect_of(Action.parse(action), found("house", top_is_red_five).now) == said


def test_an_answer_hands_all_on_that_is_owed() -> None:
    game = do(start("R1", "R+2 R3 R4", "G+2 Y1 Y2", "Y3 Y4 B1 B2 B3 B4", stack="same"), "R+2")
    told = effect_of(Action.parse("G+2"), game.observation(1))
    assert told == ("it answers the 2 that were owed, makes the colour green and leaves the opponent owing 4 cards")


def test_after_a_swap_it_is_told_how_many_cards_the_opponent_got() -> None:
    game = do(start("R1", "R7 R3 R4 R5", "R2 Y1 Y2 Y3", "Y4 Y5 B1 B2 B3 B4", swap="seven_zero"), "R7")
    assert public_reason(game.history(1)).endswith("; it got your 4 cards for its own.")
    assert (len(game.hand(0)), len(game.hand(1))) == (4, 3)


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_what_comes_of_a_move_is_what_comes_of_it_under_all_rules(rules: Rules) -> None:
    for before, move, after in moves_under(rules):
        seen = before.observation(before.turn)
        said, ended = effect_of(move.action, seen), after.outcome is not None
        if move.action == DRAW and seen.draws_until():
            assert said == "you draw until a card fits, and play that"
        elif move.action == DRAW and not ended:
            assert said.startswith(("you draw a card,", f"you draw {count_of(len(move.drawn), 'card')},"))
            assert ("a card," in said) == (len(move.drawn) == 1 and not seen.penalty)
            assert ("the turn passes" in said) == (after.turn != before.turn)
            assert ("may play that" in said) == (after.drawn is not None)
        elif move.action == CHALLENGE and not ended:
            who = "it draws" if move.guilty else "you draw"
            assert re.search(rf"{who} {len(move.drawn)}\b", said)
        elif move.action.card is not None and not ended:
            now = after.observation(after.turn)
            assert ("swaps the hands" in said) == (move.swapped is not None)
            assert (f"owing {count_of(now.penalty, 'card')}" in said) == (now.penalty > 0)
            assert ("costs the opponent the turn" in said) == (after.turn == before.turn)


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_the_rules_in_words_name_as_many_cards_as_are_drawn(rules: Rules) -> None:
    told = dict(rules_in_words(rules))
    for before, move, after in moves_under(rules):
        seen, drawn = before.observation(0), len(move.drawn)
        if not drawn or after.outcome is not None:
            continue
        if move.action == CHALLENGE:
            assert re.search(rf"draws {drawn}\b" if move.guilty else rf"else you {drawn}\b", told["challenge +4"])
        elif not seen.penalty:
            assert ("one card" if drawn == 1 else f"{drawn} cards") in told["draw"] or seen.draws_until()
