"""How a training is configured: rules as texts, and configurations that were written before."""

import pytest

from uno_pomdp.errors import InvalidRules
from uno_pomdp.learning.config import TrainConfig
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.rules import Rules, preset

OLD_PRINTED = Rules(drawn_card="may_play", wild_four="last_resort", draw="optional")
"""What `printed` was before there were challenges and first cards that act."""


def written_before(config: TrainConfig) -> dict[str, object]:
    """Return a configuration as it was written without a version."""
    return {name: value for name, value in config.to_json().items() if name != "version"}


def test_an_older_training_of_printed_goes_on_with_the_rules_it_had() -> None:
    older = TrainConfig.from_json(written_before(TrainConfig()) | {"rules": "printed"})
    assert older.rules == "printed,wild_four=last_resort,first_card=plain"
    assert older.game_rules == OLD_PRINTED
    assert TrainConfig.from_json(older.to_json()) == older


def test_printed_of_today_is_not_taken_for_the_former() -> None:
    config = TrainConfig()
    with pytest.raises(InvalidTraining, match="training does not know the rules wild_four=challenge, first_card=acts"):
        TrainConfig.from_json(config.to_json() | {"rules": "printed"})


@pytest.mark.parametrize("name", ["house", "pass", "mini-9"])
def test_an_older_training_of_other_rules_is_read_as_it_stands(name: str) -> None:
    config = TrainConfig(rules=name)
    assert TrainConfig.from_json(written_before(config)) == config
    assert config.game_rules == preset(name)


def test_rules_are_any_text_that_names_some_and_kept_in_one_form() -> None:
    assert TrainConfig(rules="house, skip = pass,hand_size=5").rules == "pass,hand_size=5"
    assert TrainConfig(rules="house,skip=pass,hand_size=5") == TrainConfig(rules="pass,hand_size=5")
    with pytest.raises(InvalidRules, match="no rules are called 'hous'"):
        TrainConfig(rules="hous")
