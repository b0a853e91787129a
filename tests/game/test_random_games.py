"""Random self-play inside kernels: its tally is that of its games."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.kernels.random_games import Tally, play_random_games
from tests.helpers import rules_of
from uno_pomdp.game.actions import ACTIONS, DRAW
from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.game import Game
from uno_pomdp.game.outcome import Reason
from uno_pomdp.game.rng import seeds, streams
from uno_pomdp.rules import Rules, preset

RULES = {
    "house": preset("house"),
    "mini-10": preset("mini-10"),
    "tight": rules_of("few of four colours", {"drawn_card": "may_play"}),
}


def tally_by_hand(rules: Rules, games: int, seed: int) -> Tally:
    """Play the same games one by one with `Game`, a random number for each move that is not the draw alone."""
    deals, moves = np.random.SeedSequence(seed).spawn(2)
    stream = streams(moves)[0]
    counts: Counter[object] = Counter()
    for deal_seed in seeds(deals, games):
        game = Game.new(rules, int(deal_seed))
        while not game.over:
            legal = game.legal_actions()
            game.apply(DRAW if legal == (DRAW,) else ACTIONS[random_bit(np.uint64(game.legal_mask), stream)])
        assert game.outcome is not None
        counts[game.outcome.winner] += 1
        counts[game.outcome.reason] += 1
        counts["decisions"] += len(game.moves)
        counts["reshuffles"] += sum(move.reshuffled is not None for move in game.moves)
    return Tally(
        counts[0], counts[1], counts[None], counts[Reason.DECK_EXHAUSTED], counts["decisions"], counts["reshuffles"]
    )


@pytest.mark.parametrize("name", RULES)
def test_the_tally_is_that_of_the_same_games_played_one_by_one(name: str) -> None:
    assert play_random_games(RULES[name], 60, 3) == tally_by_hand(RULES[name], 60, 3)


def test_the_compared_tallies_have_reshuffles_exhaustion_and_draws() -> None:
    tallies = [play_random_games(rules, 60, 3) for rules in RULES.values()]
    assert min(sum(tally.reshuffles for tally in tallies), sum(tally.exhausted for tally in tallies)) > 0
    assert sum(tally.draws for tally in tallies) > 0


@pytest.mark.parametrize("name", ["house", "pass", "mini-7", "mini-9", "mini-10", "mini-12"])
def test_a_tally_adds_up_and_is_the_same_again(name: str) -> None:
    tally = play_random_games(preset(name), 500, 4)
    assert tally.games == 500 == tally.first_wins + tally.second_wins + tally.draws
    assert tally.draws <= tally.exhausted <= 500
    assert tally.decisions >= 500 * (2 * preset(name).hand_size - 1) / 2
    assert tally == play_random_games(preset(name), 500, 4)
    assert tally != play_random_games(preset(name), 500, 5)
