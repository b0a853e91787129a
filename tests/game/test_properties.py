"""What holds in every game, whatever the rules, the deal and the moves."""

import random
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import any_rules, any_seed, choose, play_out, run_python, state_bytes
from uno_pomdp.cards import DRAW_TWO, WILD, WILD_FOUR, Cards, colour_of, rank_of
from uno_pomdp.game.actions import CHALLENGE, DRAW, KEEP
from uno_pomdp.game.game import Game
from uno_pomdp.game.outcome import Reason
from uno_pomdp.rules import PRESETS, Rules, preset


def positions(rules: Rules, seed: int, at_most: int = 400) -> Iterator[Game]:
    """Yield one game again and again, before each of its moves and at its end."""
    game = Game.new(rules, seed)
    chance = random.Random(seed)
    for _ in range(at_most):
        yield game
        if game.over:
            return
        game.apply(choose(game, chance))


@given(any_rules(), any_seed)
def test_the_four_places_always_add_up_to_the_deck(rules: Rules, seed: int) -> None:
    for game in positions(rules, seed):
        places = Cards.of(game.draw_pile) + Cards.of(game.played_pile)
        assert places + game.hand(0) + game.hand(1) == rules.deck


@given(any_rules(), any_seed)
def test_without_swaps_nobody_empties_his_hand_in_fewer_plays_than_cards_he_was_dealt(rules: Rules, seed: int) -> None:
    game = play_out(Game.new(rules, seed), seed)
    plays = [sum(move.seat == seat and move.action.card is not None for move in game.moves) for seat in (0, 1)]
    drawn = [sum(len(move.drawn) for move in game.moves if move.drawer == seat) for seat in (0, 1)]
    swaps = sum(move.swapped is not None for move in game.moves)
    for seat in (0, 1):
        assert swaps or len(game.hand(seat)) == rules.hand_size + drawn[seat] - plays[seat]
    assert len(game.hand(0)) + len(game.hand(1)) == 2 * rules.hand_size + sum(drawn) - sum(plays)
    if game.outcome is not None and game.outcome.reason == Reason.EMPTIED_HAND:
        assert game.outcome.winner is not None
        assert swaps or plays[game.outcome.winner] >= rules.hand_size
        assert len(game.hand(game.outcome.winner)) == 0
        assert game.moves[-1].seat == game.outcome.winner


@given(any_rules(), any_seed)
def test_a_game_has_legal_actions_exactly_while_it_has_no_outcome(rules: Rules, seed: int) -> None:
    for game in positions(rules, seed):
        assert bool(game.legal_actions()) == (game.outcome is None) == (not game.over)
        assert game.legal_mask == sum(1 << action.id for action in game.legal_actions())
        assert min(len(game.hand(0)), len(game.hand(1))) > 0 or game.over


@given(any_rules(), any_seed)
def test_every_legal_play_is_of_a_card_in_hand_that_matches_and_declares_a_colour_of_the_deck(
    rules: Rules, seed: int
) -> None:
    for game in positions(rules, seed):
        seen = game.observation(game.turn)
        for action in game.legal_actions():
            if action.card is None:
                continue
            assert action.card in seen.hand
            assert action.colour in rules.colours
            if action.card not in (WILD, WILD_FOUR):
                assert colour_of(action.card) == seen.colour or rank_of(action.card) == rank_of(seen.top)
                assert action.colour == colour_of(action.card)


@given(any_rules(), any_seed)
def test_keep_is_legal_exactly_while_the_drawer_decides(rules: Rules, seed: int) -> None:
    owed = 0
    for game in positions(rules, seed):
        last = game.moves[-1] if game.moves else None
        drew = last is not None and last.action == DRAW and not owed and not game.over
        decides = drew and (rules.drawn_card == "may_play" or rules.draw == "until_playable")
        if decides:
            assert last is not None
            assert (game.turn, game.drawn) == (last.seat, last.cards[-1])
            assert {action.card for action in game.legal_actions()} <= {game.drawn, None}
            assert DRAW not in game.legal_actions()
        must_play = decides and rules.draw == "until_playable"
        assert (KEEP in game.legal_actions()) == (decides and not must_play)
        assert not must_play or {action.card for action in game.legal_actions()} == {game.drawn}
        owed = game.observation(0).penalty


@given(any_rules(), any_seed)
def test_what_is_owed_is_drawn_answered_or_challenged_and_by_nobody_else(rules: Rules, seed: int) -> None:
    owed = 2 if rules.first_card == "acts" and rank_of(Game.new(rules, seed).deal.top) == DRAW_TWO else 0
    debtor, before = 0, None
    for game in positions(rules, seed):
        if before is not None:
            move = game.moves[-1]
            assert not owed or move.seat == debtor
            if move.action == CHALLENGE:
                assert (owed, rules.wild_four, before) == (4, "challenge", WILD_FOUR)
                assert len(move.drawn) == (4 if move.guilty else 6) or game.over
            elif move.action == DRAW and owed:
                assert len(move.drawn) == owed or (game.over and not move.drawn)
            elif move.action == DRAW and rules.draw != "until_playable":
                assert len(move.drawn) == 1 or game.over
            assert not (owed and move.action.card is not None and rules.stack == "no")
            card = move.action.card
            debtor, owed = 1 - move.seat, (0 if card is None else owed + OWED.get(rank_of(card), 0))
            assert game.over or game.observation(0).penalty == owed
            assert not owed or game.over or game.turn == debtor
        before = game.played_pile[-1]


OWED = {DRAW_TWO: 2, rank_of(WILD_FOUR): 4}


@given(any_rules(), any_seed)
def test_the_colour_before_a_wild_four_is_public_while_it_can_be_challenged(rules: Rules, seed: int) -> None:
    colour = Game.new(rules, seed).observation(0).colour
    for game in positions(rules, seed):
        seen = game.observation(0)
        open_ = bool(game.moves) and seen.top == WILD_FOUR and seen.penalty > 0 and rules.wild_four == "challenge"
        if not game.over:
            assert seen.before == game.observation(1).before == (colour if open_ else None)
            assert (CHALLENGE in game.legal_actions()) == open_
        colour = seen.colour


@given(any_rules(), any_seed, st.integers(0, 100))
def test_the_same_seed_and_moves_give_the_same_game(rules: Rules, seed: int, players: int) -> None:
    one, two = (play_out(Game.new(rules, seed), players, 300) for _ in range(2))
    assert state_bytes(one) == state_bytes(two)
    assert one.moves == two.moves
    replayed = Game.from_deal(rules, one.deal, seed)
    for move in one.moves:
        replayed.apply(move.action)
    assert state_bytes(replayed) == state_bytes(one)


@given(any_rules(), any_seed)
def test_the_cards_drawn_before_the_first_reshuffle_are_the_pile_of_the_deal_in_order(rules: Rules, seed: int) -> None:
    for players in range(3):
        game = play_out(Game.new(rules, seed), players, 300)
        drawn: list[int] = []
        for move in game.moves:
            if move.reshuffled is not None:
                drawn.extend(move.cards[: move.first])
                break
            drawn.extend(move.cards)
        assert tuple(drawn) == game.deal.pile[: len(drawn)]


@given(any_rules(), any_seed)
def test_a_reshuffle_keeps_the_top_card_and_moves_everything_below_it(rules: Rules, seed: int) -> None:
    game = Game.new(rules, seed)
    chance = random.Random(seed)
    for _ in range(400):
        if game.over:
            break
        played, pile = game.played_pile, game.draw_pile
        game.apply(choose(game, chance))
        move = game.moves[-1]
        if move.reshuffled is None:
            assert len(game.played_pile) == len(played) + (move.action.card is not None)
            continue
        assert rules.reshuffle == "yes"
        assert game.played_pile == played[-1:]
        first, late = move.cards[: move.first], move.cards[move.first :]
        assert first == pile[: move.first]
        assert not first or first == pile  # all that lay there
        assert Cards.of(move.order) == Cards.of(pile[move.first :]) + Cards.of(played[:-1])
        assert game.draw_pile == move.order[len(late) :]
        assert late == move.order[: len(late)]


WHOLE_GAMES = """
from tests.helpers import play_out, state_bytes
from uno_pomdp.game.game import Game
from uno_pomdp.rules import preset
for name in {names}:
    game = play_out(Game.new(preset(name), 11), 12, 60)
    print(name, len(game.moves), game.outcome, state_bytes(game).hex())
    print(game.events(), game.observation(0), game.legal_actions())
"""


def test_games_are_the_same_without_compilation() -> None:
    code = WHOLE_GAMES.format(names=list(PRESETS))
    compiled = run_python(code, NUMBA_DISABLE_JIT="0").stdout
    assert run_python(code, NUMBA_DISABLE_JIT="1").stdout == compiled
    game = play_out(Game.new(preset("mini-10"), 11), 12, 60)
    assert state_bytes(game).hex() in compiled
