"""The example with a masked PPO runs as the page has it, for a moment instead of twenty minutes."""

import re
import warnings

import pytest
import torch

from tests.test_docs import blocks, output_of, page


def test_the_example_learns_and_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    code = blocks(page("docs/gymnasium.md"), "python")[1]
    short = re.sub(r"^SECONDS, .*$", "SECONDS, GAMES, JUDGED = 0.1, 32, 64", code, flags=re.MULTILINE)
    short = short.replace("16 * 32 * GAMES", "32 * GAMES")
    assert short.count("32 * GAMES") == 1
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch and of Stable-Baselines3
        before, *after = output_of(short, capsys)
    assert re.fullmatch(r"untrained: \d+\.\d % v random", before)
    assert after
    assert all(re.fullmatch(r"[\d,]+ choices, \d+ s: \d+\.\d % v random", line) for line in after)
