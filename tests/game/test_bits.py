"""Masks as sets: each function against the plain way to say it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from uno_pomdp.game.bits import bytes_below, lowest_bit, nth_bit, popcount, random_bit
from uno_pomdp.game.rng import streams

sets = st.one_of(st.sets(st.integers(0, 63)), st.sampled_from([set(range(64)), {0}, {63}, {0, 63}, set(range(62))]))


def mask_of(members: set[int]) -> np.uint64:
    return np.uint64(sum(1 << member for member in members))


@given(sets)
def test_popcount_is_the_size_of_the_set(members: set[int]) -> None:
    assert popcount(mask_of(members)) == len(members)


@given(sets)
def test_bytes_below_counts_members_up_to_each_byte(members: set[int]) -> None:
    sums = int(bytes_below(mask_of(members))).to_bytes(8, "little")
    assert list(sums) == [sum(member < 8 * end for member in members) for end in range(1, 9)]


@given(sets)
def test_lowest_bit_is_the_least_member_and_64_of_none(members: set[int]) -> None:
    assert lowest_bit(mask_of(members)) == min(members, default=64)


@given(sets)
def test_nth_bit_gives_the_members_in_order(members: set[int]) -> None:
    mask = mask_of(members)
    assert [nth_bit(mask, rank) for rank in range(len(members))] == sorted(members)


@given(sets.filter(bool))
def test_a_random_bit_is_a_member(members: set[int]) -> None:
    stream = streams(len(members))[0]
    assert {random_bit(mask_of(members), stream) for _ in range(20)} <= members


def test_a_random_bit_is_uniform_over_the_members() -> None:
    members = [0, 7, 8, 31, 32, 61, 63]
    stream = streams(1)[0]
    drawn = [random_bit(mask_of(set(members)), stream) for _ in range(7000)]
    counts = [drawn.count(member) for member in members]
    assert sum(counts) == 7000
    assert stats.chisquare(counts).pvalue > 1e-3  # errs once in 1,000 seeds; the seed is fixed
