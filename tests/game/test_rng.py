"""Random numbers: the published generator, without bias. Each chi-square test errs once in 1,000 seeds."""

import numpy as np
import pytest
from scipy import stats

from uno_pomdp.game.rng import Seed, advance, below, below_from, mix, player_seed, seeds, streams, uniform

ERROR = 1e-3
"""The probability with which a sound generator fails one of these tests, were its seed not fixed."""


def is_uniform(counts: "np.typing.NDArray[np.int64]") -> bool:
    return bool(stats.chisquare(counts).pvalue > ERROR)


def test_the_generator_is_splitmix64_as_published() -> None:
    # Steele, Lea, Flood (2014); the values are those of Vigna's splitmix64.c for the seed 1234567.
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    state = np.uint64(1234567)
    found = []
    for _ in published:
        state = np.uint64(advance(state))
        found.append(int(mix(state)))
    assert found == published


@pytest.mark.parametrize("bound", [2, 3, 5, 7, 54, 100, 108])
def test_below_is_uniform_over_small_bounds(bound: int) -> None:
    stream = streams(bound)[0]
    counts = np.bincount([below(stream, bound) for _ in range(300 * bound)], minlength=bound)
    assert len(counts) == bound
    assert is_uniform(counts)


@pytest.mark.parametrize("bound", [3 << 30, 5 << 29])
def test_below_is_without_bias_where_a_plain_product_is_far_from_uniform(bound: int) -> None:
    stream = streams(1)[0]
    odd = bound & -bound
    values = np.array([below(stream, bound) for _ in range(6000)])
    assert values.min() >= 0
    assert values.max() < bound
    assert is_uniform(np.bincount(values % (bound // odd)))
    assert is_uniform(np.bincount(values * 10 // bound))


def test_below_one_is_always_zero() -> None:
    stream = streams(1)[0]
    assert {below(stream, 1) for _ in range(100)} == {0}


def test_pairs_of_numbers_are_independent() -> None:
    stream = streams(2)[0]
    pairs = [6 * below(stream, 6) + below(stream, 6) for _ in range(36 * 300)]
    assert is_uniform(np.bincount(pairs, minlength=36))


def test_the_two_forms_are_one_generator() -> None:
    stream = streams(3)[0]
    state = np.uint64(stream["state"])
    for bound in range(1, 109):
        state, value = below_from(np.uint64(state), bound)
        assert below(stream, bound) == value
        assert int(stream["state"]) == int(state)


def test_uniform_lies_in_the_half_open_unit_interval_and_is_uniform() -> None:
    stream = streams(4)[0]
    values = np.array([uniform(stream) for _ in range(20_000)])
    assert values.min() >= 0
    assert values.max() < 1
    assert stats.kstest(values, "uniform").pvalue > ERROR


def test_uniform_reaches_zero_and_never_one() -> None:
    largest = (2**64 - 1 >> 11) * 2.0**-53
    assert largest < 1
    stream = streams(5)[0]
    stream["state"] = np.uint64(2**64 - 0x9E3779B97F4A7C15)
    assert uniform(stream) == 0.0


def test_streams_from_one_seed_differ_and_are_the_same_again() -> None:
    many = streams(6, 1000)
    assert len(set(many["state"].tolist())) == 1000
    assert many.tolist() == streams(6, 1000).tolist()
    assert not set(many["state"].tolist()) & set(streams(7, 1000)["state"].tolist())


def test_streams_from_one_seed_are_independent() -> None:
    first, second = streams(8, 2)
    pairs = [6 * below(first, 6) + below(second, 6) for _ in range(36 * 300)]
    assert is_uniform(np.bincount(pairs, minlength=36))


def test_fewer_seeds_are_the_beginning_of_more() -> None:
    assert seeds(9, 100)[:10].tolist() == seeds(9, 10).tolist()


def test_a_seed_sequence_is_not_used_up() -> None:
    sequence = np.random.SeedSequence(10)
    assert seeds(sequence, 5).tolist() == seeds(sequence, 5).tolist() == seeds(10, 5).tolist()


def test_the_seed_of_a_player_is_the_same_every_time_and_another_for_every_seed() -> None:
    given: list[Seed] = [0, 1, 2**64 - 1, np.random.SeedSequence(0, spawn_key=(0,)), np.random.SeedSequence(2**100)]
    found = [player_seed(seed) for seed in given]
    assert found[0].entropy == 254764576225281385847790148890091664613
    assert len({each.entropy for each in found}) == len(given)
    assert [each.spawn_key for each in found] == [()] * len(given)
    assert [player_seed(seed).entropy for seed in given] == [each.entropy for each in found]
