"""The engine against the oracle: everything, after every action, over whole games of every variant."""

from typing import Any

import numpy as np
import pytest

from tests import differential
from tests.differential import Difference, compare
from tests.helpers import DECKS, VARIANTS, named, rules_of
from uno_pomdp.game.bindings import apply_one
from uno_pomdp.game.layout import STATE, States
from uno_pomdp.rules import PRESETS, preset

GAMES = 48
"""Of each deck and variant: 14 × 32 × 48 games, with those of the presets more than 22,000."""


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
@pytest.mark.parametrize("deck", DECKS)
def test_engine_and_oracle_agree_after_every_action(deck: str, variant: dict[str, str]) -> None:
    seed = 1000 * list(DECKS).index(deck) + VARIANTS.index(variant)
    assert compare(rules_of(deck, variant), seed, GAMES).games == GAMES


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
    sound = apply_one

    def spoilt(states: States, action: int) -> Any:
        told = sound(states, action)
        first = states[field].reshape(-1)
        first[0] = first[0] ^ first.dtype.type(1)
        return told

    monkeypatch.setattr(differential, "apply_one", spoilt)
    with pytest.raises(AssertionError):
        compare(preset("house"), seed=1)


@pytest.mark.parametrize("bit", [0, 32, 35, 36])
def test_a_wrong_report_on_a_draw_is_noticed(bit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = apply_one

    def spoilt(states: States, action: int) -> Any:
        mask, told = sound(states, action)
        return mask, told ^ 1 << bit

    monkeypatch.setattr(differential, "apply_one", spoilt)
    with pytest.raises(AssertionError):
        compare(preset("house"), seed=1)


def test_a_missing_legal_action_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = apply_one

    def spoilt(states: States, action: int) -> Any:
        mask, told = sound(states, action)
        return np.uint64(int(mask) & int(mask) - 1), told

    monkeypatch.setattr(differential, "apply_one", spoilt)
    with pytest.raises(Difference, match="legal: oracle"):
        compare(preset("house"), seed=1)
