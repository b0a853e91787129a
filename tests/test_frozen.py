"""Frozen values: games of all rules give the values that were written down, here a sample (`tools/freeze.py`)."""

import pytest

from tests.helpers import PAIRS_OF_VALUES, pairs_of_values
from tools.freeze import GAMES, HOWS, Row, differences, saved_games, spread
from tools.frozen_values import KINDS
from uno_pomdp.rules import CHOICES, PRESETS, Rules

ROWS = saved_games()
SAMPLE = spread(ROWS, 20)


@pytest.mark.parametrize("row", SAMPLE, ids=lambda row: row.name)
def test_a_game_has_the_values_that_were_written_down(row: Row) -> None:
    assert differences(row, KINDS) == [], "python -m tools.freeze --check looks at all games"


def test_every_preset_every_legal_pair_of_values_every_way_to_play_and_every_kind_is_frozen() -> None:
    assert len({row.name for row in ROWS}) == GAMES
    rules = [Rules.parse(row.rules) for row in ROWS]
    assert {entry.rules for entry in PRESETS.values()} <= set(rules)
    met = set().union(*(pairs_of_values({field: getattr(one, field) for field in CHOICES}) for one in rules))
    assert set().union(*map(pairs_of_values, PAIRS_OF_VALUES)) <= met
    assert {row.how for row in ROWS} == set(HOWS)
    for rows in (ROWS, SAMPLE):
        assert {kind for row in rows for kind in row.digests} == set(KINDS)


def test_what_differs_is_named() -> None:
    row = SAMPLE[0]
    wrong = Row(row.rules, row.seed, row.how, row.digests | {"tokens": "0" * 12, "events": "0" * 12})
    assert differences(wrong, ["tokens", "events", "observed"]) == ["tokens", "events"]
    assert differences(wrong, ["observed"]) == []
