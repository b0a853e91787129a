"""The engine against the oracle: everything, after every action, over whole games of every variant."""

from typing import Any

import numpy as np
import pytest

from tests import differential
from tests.differential import Difference, compare
from tests.helpers import ALL_VARIANTS, DECKS, rules_of
from uno_pomdp.game.bindings import apply_noting_one
from uno_pomdp.game.layout import MOVE, STATE, Moves, States
from uno_pomdp.rules import CHOICES, PRESETS, Rules, preset

GAMES = 3
"""Of each deck and legal combination: 14 × 560 × 3 games, with those of the presets more than 25,000."""


@pytest.mark.parametrize("wild_four", CHOICES["wild_four"])
@pytest.mark.parametrize("deck", DECKS)
def test_engine_and_oracle_agree_after_every_action(deck: str, wild_four: str) -> None:
    place = 1000 * list(DECKS).index(deck)
    for number, variant in enumerate(ALL_VARIANTS):
        if variant["wild_four"] == wild_four:
            assert compare(rules_of(deck, variant), place + number, GAMES).games == GAMES


@pytest.mark.parametrize("name", PRESETS)
def test_engine_and_oracle_agree_on_every_preset(name: str) -> None:
    assert compare(preset(name), seed=7, games=200).games == 200


def test_engine_and_oracle_agree_when_voluntary_draws_are_as_likely_as_plays() -> None:
    done = compare(preset("printed"), seed=8, games=8, voluntary_draws=1.0)
    assert done.actions > 1000
    assert done.reshuffles > 8


def test_the_compared_games_reach_every_kind_of_ending_and_reshuffles() -> None:
    small = {"drawn_card": "may_play", "draw": "optional"}
    done = [compare(rules_of(deck, small), 9, 150) for deck in ("all penalties", "few of four colours")]
    assert sum(one.reshuffles for one in done) > 100
    assert sum(one.exhausted for one in done) > 50
    assert sum(one.games - one.exhausted for one in done) > 50
    assert sum(one.draws for one in done) > 3


@pytest.mark.parametrize("field", [name for name in STATE.names or () if name != "rng"])
def test_a_wrong_value_in_any_field_is_noticed(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = apply_noting_one

    def spoilt(states: States, action: int, moves: Moves, number: int) -> Any:
        legal = sound(states, action, moves, number)
        first = states[field].reshape(-1)
        first[0] = first[0] ^ first.dtype.type(1)
        return legal

    monkeypatch.setattr(differential, "apply_noting_one", spoilt)
    with pytest.raises(AssertionError):
        compare(preset("house"), seed=1)


def test_the_compared_games_reach_what_the_rules_add() -> None:
    bluffs = compare(preset("mini-bluff"), seed=1, games=300)
    assert (bluffs.guilty > 20, bluffs.challenges - bluffs.guilty > 20) == (True, True)
    debts = compare(rules_of("all penalties", {"stack": "rising"}), seed=2, games=300)
    assert debts.most_owed >= 8
    party = compare(preset("party"), seed=3, games=60)
    assert party.longest_draw > 10
    assert party.split_draws > 3


@pytest.mark.parametrize("field", [name for name in MOVE.names or () if name != "pile"])
def test_a_wrong_report_on_a_move_is_noticed(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = apply_noting_one

    def spoilt(states: States, action: int, moves: Moves, number: int) -> Any:
        legal = sound(states, action, moves, number)
        moves[field].reshape(-1)[0] ^= 1
        return legal

    monkeypatch.setattr(differential, "apply_noting_one", spoilt)
    with pytest.raises(AssertionError):
        compare(preset("party" if field == "hands" else "house"), seed=1, games=5)


def test_a_missing_legal_action_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = apply_noting_one

    def spoilt(states: States, action: int, moves: Moves, number: int) -> Any:
        mask = int(sound(states, action, moves, number))
        return np.uint64(mask & mask - 1)

    monkeypatch.setattr(differential, "apply_noting_one", spoilt)
    with pytest.raises(Difference, match="legal: oracle"):
        compare(preset("house"), seed=1)


def test_games_that_swaps_turn_in_a_circle_are_left() -> None:
    """Two players without a choice: each draws the only 0s that are left, one by one, and has to swap the hands."""
    rules = Rules.parse("mini-bluff,wild_four=always,draw=until_playable,swap=seven_zero,reshuffle=yes")
    done = compare(rules, seed=0, games=250)
    assert 0 < done.circles < 25
    assert done.games + done.circles == 250
