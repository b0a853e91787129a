"""What is left of a budget, by a clock that a test turns."""

import sys

import pytest

from uno_pomdp.agents.agent import Budget
from uno_pomdp.search.meter import BudgetMeter


class Dial:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.at = 5.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.at


def test_time_goes_down_from_one_and_below_zero() -> None:
    dial = Dial()
    meter = BudgetMeter.start(Budget(milliseconds=10.0), dial)
    assert (meter.left(), meter.milliseconds()) == (1.0, 0.0)
    dial.at += 0.004
    assert meter.left() == pytest.approx(0.6)
    dial.at += 0.008
    assert meter.left() == pytest.approx(-0.2)
    assert meter.milliseconds() == pytest.approx(12.0)


def test_half_of_what_is_left_is_asked_for_at_the_rate_so_far() -> None:
    dial = Dial()
    meter = BudgetMeter.start(Budget(milliseconds=10.0), dial)
    assert meter.fitting(0) == 0  # nothing is known yet
    dial.at += 0.002
    assert meter.fitting(1_000) == pytest.approx(2_000, abs=1)  # 8 ms are left, 500 in a millisecond
    assert meter.fitting(1_000, share=0.5) == pytest.approx(750, abs=1)
    assert meter.fitting(1_000, share=0.1) == 0


def test_simulations_take_no_time() -> None:
    dial = Dial()
    meter = BudgetMeter.start(Budget(simulations=9), dial)
    dial.at += 1_000
    assert (meter.left(), meter.fitting(5)) == (1.0, sys.maxsize)
