"""How a training is configured: rules as texts, and how they are written."""

import pytest

from uno_pomdp.errors import InvalidRules
from uno_pomdp.learning.config import TrainConfig
from uno_pomdp.learning.vector_games import InvalidTraining


@pytest.mark.parametrize("version", [None, 1, 3])
def test_a_configuration_of_another_version_is_refused(version: int | None) -> None:
    written = {name: value for name, value in TrainConfig().to_json().items() if name != "version"}
    with pytest.raises(InvalidTraining, match="can't go on, only one of 2: train anew"):
        TrainConfig.from_json(written if version is None else written | {"version": version})


def test_rules_are_any_text_that_names_some_and_kept_in_one_form() -> None:
    assert TrainConfig(rules="house, skip = pass,hand_size=5").rules == "pass,hand_size=5"
    assert TrainConfig(rules="house,skip=pass,hand_size=5") == TrainConfig(rules="pass,hand_size=5")
    with pytest.raises(InvalidRules, match="no rules are called 'hous'"):
        TrainConfig(rules="hous")
