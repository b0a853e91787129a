"""The cache keeps what was used last, works out nothing twice, and counts."""

import pytest

from tests.beliefs.games import follow, random_game
from uno_pomdp.beliefs.cache import Cache
from uno_pomdp.beliefs.particle_filter import ParticleBelief, ParticleState
from uno_pomdp.errors import UnoError
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.rules import preset


def test_asking_twice_costs_once() -> None:
    cache: Cache[int] = Cache(4)
    worked: list[str] = []

    def work_out() -> int:
        worked.append("once")
        return 7

    assert [cache.get("a", work_out), cache.get("a", work_out)] == [7, 7]
    assert (worked, cache.hits, cache.misses, cache.hit_rate) == (["once"], 1, 1, 0.5)


def test_the_value_unused_for_longest_goes_first() -> None:
    cache: Cache[str] = Cache(2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, key.upper)
    assert len(cache) == 2
    before = cache.hits
    cache.get("a", lambda: "anew")
    assert cache.hits == before + 1
    assert cache.get("b", lambda: "anew") == "anew"


def test_a_cache_without_room_is_refused_and_an_unused_one_has_no_hits() -> None:
    with pytest.raises(UnoError, match="a cache of 0 values keeps nothing: give a capacity of at least 1"):
        Cache(0)
    assert Cache(1).hit_rate == 0.0


def test_a_second_belief_about_the_same_game_is_served_from_the_cache_and_is_the_same() -> None:
    seen = random_game(preset("house"), 2)[0]
    cache: Cache[ParticleState] = Cache()
    beliefs = [ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), 200, seed=3, cache=cache) for _ in range(2)]
    beliefs.append(ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), 200, seed=3))
    for belief in beliefs:
        for _ in follow(belief, seen):
            pass
    assert (cache.hits, cache.misses) == (len(seen.moments), len(seen.moments))
    first, second, without = (belief.expected_counts().tolist() for belief in beliefs)
    assert first == second == without


def test_other_games_models_sizes_and_seeds_share_nothing() -> None:
    seen = random_game(preset("mini-12"), 2)[0]
    cache: Cache[ParticleState] = Cache()
    for model, size, seed in (
        (None, 50, 1),
        (PolicyModel(GREEDY), 50, 1),
        (PolicyModel(GREEDY), 60, 1),
        (PolicyModel(GREEDY), 60, 2),
    ):
        belief = ParticleBelief(seen.rules, seen.first, model, size, seed, cache)
        belief.update(seen.moments[0].events, seen.moments[0].observation)
    assert cache.hits == 0
