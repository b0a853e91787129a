"""The server for longer than `make test` has time for: more games, more nonsense, more kills."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from tests.web_server import fuzzing, traffic
from tests.web_server.test_process import killed_in_mid_move
from uno_pomdp.rules import PRESETS

Found = TypeVar("Found")


def apart(deed: Callable[[], Found]) -> Found:
    """Do something in a thread of its own: in this one the browser's driver has an event loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(deed).result()


@pytest.mark.parametrize("rules", PRESETS)
def test_the_traffic_of_many_games_names_no_hidden_card(rules: str) -> None:
    assert apart(lambda: traffic.campaign(20, rules, seed=1)) > 40


def test_much_that_makes_no_sense_breaks_nothing() -> None:
    apart(lambda: fuzzing.campaign(5000, seed=2))


def test_a_server_that_is_killed_again_and_again_loses_nothing(tmp_path: Path) -> None:
    opponents = ("flat:ms=200", "flat:sims=200", "greedy", "champion:ms=50")
    assert killed_in_mid_move(tmp_path / "board.sqlite", opponents, 5, random.Random(5)) >= 5
