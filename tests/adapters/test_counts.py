"""Plain counts say what a seat sees, field by field, and nothing that it does not see."""

import re

import numpy as np
import pytest

from tests.test_docs import page, tables
from uno_pomdp.cards import COLOURS, WILD, WILD_FOUR, Cards, rank_of
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import OBSERVATION
from uno_pomdp.nets import policy_features
from uno_pomdp.nets.count_features import BITS, FIELDS, WIDTH, counts_one, highest, start_of
from uno_pomdp.rules import CHOICES, PRESETS, Rules, as_rules

PLAIN_RULES = ("house", "house,drawn_card=may_play,draw=optional,wild_four=last_resort", "mini-12,skip=pass")


def row_of(game: Game, seat: int) -> np.ndarray:
    row = np.full(WIDTH, 77, np.uint8)
    counts_one(game.to_state(), seat, np.zeros(1, OBSERVATION), row)
    return row


def parts(row: np.ndarray) -> dict[str, list[int]]:
    return {field.name: row[start_of(field.name) : start_of(field.name) + field.size].tolist() for field in FIELDS}


def one(place: int | None, size: int) -> list[int]:
    return [int(number == place) for number in range(size)]


def in_words(game: Game, seat: int) -> dict[str, list[int]]:
    """Return the same from the typed observation."""
    seen = game.observation(seat)
    rank = {WILD: 13, WILD_FOUR: 14}.get(seen.top, rank_of(seen.top))
    return {
        "own": list(seen.hand.data),
        "played": list(seen.played.data),
        "drawn": one(seen.drawn, 54),
        "rank": one(rank, 15),
        "colour": one(seen.colour, 4),
        "before": one(seen.before, 4),
        "debt": [seen.penalty],
        "sizes": [len(seen.hand), seen.opponent_size, seen.draw_size, len(seen.played)],
        "to_move": [int(seen.turn == seat)],
        "deciding": [int(seen.deciding)],
        "in_deck": [int(colour in game.rules.colours) for colour in COLOURS],
        "rules": rules_in_words(game.rules),
    }


def rules_in_words(rules: Rules) -> list[int]:
    return [
        int(asked)
        for asked in (
            rules.skip == "again",
            rules.drawn_card == "may_play",
            rules.wild_four == "last_resort",
            rules.draw == "optional",
            rules.reshuffle == "yes",
            rules.wild_four == "challenge",
            rules.draw == "until_playable",
            rules.stack != "no",
            rules.stack == "rising",
            rules.first_card == "acts",
            rules.swap == "seven_zero",
        )
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_each_field_says_what_the_observation_says_and_keeps_its_bounds(name: str) -> None:
    rules, chance = as_rules(name), np.random.default_rng(3)
    most = highest(rules)
    for seed in range(4):
        game = Game.new(rules, seed)
        while True:
            for seat in range(2):
                row = row_of(game, seat)
                assert parts(row) == in_words(game, seat)
                assert (row <= most).all()
            if game.over:
                break
            game.apply(game.legal_actions()[chance.integers(len(game.legal_actions()))])


def test_what_is_hidden_from_a_seat_changes_nothing() -> None:
    game, chance = Game.new("printed", 8), np.random.default_rng(8)
    while not game.over:
        guessed = game.copy()
        hidden = [*game.hand(1), *game.draw_pile]
        chance.shuffle(hidden)
        size = len(game.hand(1))
        if game.drawn is None or game.turn == 0:
            guessed.guess(1, Cards.of(hidden[:size]), hidden[size:])
        assert np.array_equal(row_of(game, 0), row_of(guessed, 0))
        game.apply(game.legal_actions()[chance.integers(len(game.legal_actions()))])


def test_the_field_of_rules_has_every_variant() -> None:
    assert len(BITS) == len(set(BITS)) == sum(len(values) - 1 for values in CHOICES.values())


def test_the_page_lists_every_field_in_its_place() -> None:
    rows = [row for row in tables(section("Plain counts")) if re.fullmatch(r"\d+", row[0])]
    told = [(int(row[0]), int(row[1]), row[2].strip("`"), row[3]) for row in rows]
    assert told == [(start_of(field.name), field.size, field.name, field.about) for field in FIELDS]
    assert f"{WIDTH} numbers" in section("Plain counts")


def test_the_page_lists_every_field_of_the_champions_encoding_in_its_place() -> None:
    rows = [row for row in tables(section("The champion's encoding")) if re.fullmatch(r"\d+", row[0])]
    starts = {row[2].strip("`").replace(" ", "_").upper(): (int(row[0]), int(row[1])) for row in rows}
    ends = [*[start for start, _ in starts.values()][1:], policy_features.FEATURES]
    assert starts
    for (name, (start, size)), end in zip(starts.items(), ends, strict=True):
        assert getattr(policy_features, name) == start
        assert start + size == end
    assert f"{policy_features.FEATURES} numbers" in section("The champion's encoding")


def section(title: str) -> str:
    return page("docs/gymnasium.md").partition(f"## {title}\n")[2].partition("\n## ")[0]
