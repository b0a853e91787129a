"""The mixture's numbers stay in the range of floating point, however long a game is and however it is written."""

import numpy as np
import pytest

from uno_pomdp.beliefs.mixture.mixture import Mixtures, begin, mixture_dtype, prune
from uno_pomdp.beliefs.mixture.queries import expected_counts
from uno_pomdp.beliefs.mixture.updates import opponent_plays
from uno_pomdp.cards import CARD_TYPES, Cards, parse_card


def two_groups(scale: float = 1.0) -> Mixtures:
    """Return a mixture of three configurations of six cards in two groups, with all α times a number."""
    mixtures = np.zeros(2, mixture_dtype())
    begin(mixtures, Cards.parse("R1 R1 R2 Y1 Y2 Y3 G1 G2 G3 B1 B2 B3").array(), 6)
    m = mixtures[0]
    m["configurations"], m["groups"] = 3, 2
    m["layers"][0, 1] = Cards.parse("G5 G6").array()
    m["layers"][0, 2] = Cards.parse("B5").array()
    m["sizes"][:3, :2] = [[6, 0], [5, 1], [4, 2]]
    m["alpha"][:3] = scale * np.array([1.0, 3.0, 0.5])
    return mixtures


# --- the range of floating point -------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e290])
def test_pruning_brings_multiplicities_of_any_size_back_near_one(scale: float) -> None:
    mixtures, plain = two_groups(scale), two_groups()
    for each in (mixtures, plain):
        prune(each[0])
    found, expected = mixtures[0], plain[0]
    assert found["configurations"] == 3
    assert 1e-100 <= found["alpha"][:3].max() <= 1e100
    np.testing.assert_allclose(found["alpha"][:3] / found["alpha"][0], [1.0, 3.0, 0.5], rtol=1e-12)
    np.testing.assert_allclose(found["weights"][:3], expected["weights"][:3], rtol=1e-9)


def test_a_hundred_plays_in_a_row_keep_every_number_finite() -> None:
    """A hand of 100 of 108 equal cards: each play multiplies α by slots times copies, by 1e328 in all."""
    red = parse_card("R1")
    unseen = np.zeros(CARD_TYPES, np.uint8)
    unseen[red] = 108
    mixtures, front, expected = np.zeros(2, mixture_dtype()), 0, np.zeros(CARD_TYPES)
    begin(mixtures, unseen, 100)
    for left in range(99, 0, -1):
        front = opponent_plays(mixtures, front, red, np.uint64(0), True)
        m = mixtures[front]
        assert m["configurations"] == 1
        assert 1e-100 <= m["alpha"][0] <= 1e100
        assert m["weights"][0] == pytest.approx(1.0)
        expected_counts(mixtures, front, expected)
        assert expected[red] == pytest.approx(left)
