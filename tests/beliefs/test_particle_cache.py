"""Particle sets by information state: found again when the state is met again, and the same as without a cache."""

from collections.abc import Iterator

import numpy as np
import pytest

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.particle_cache import ParticleCache, limit_of, particle_cache
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.errors import UnoError
from uno_pomdp.game.game import Game
from uno_pomdp.registry import AgentSpec, BeliefSpec, make_agent
from uno_pomdp.rules import preset
from uno_pomdp.session.analysis import analyse, aware_of

FILTER = "particles,model=heuristic,particles=100"


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    """Begin and end with an empty cache."""
    particle_cache.clear()
    yield
    particle_cache.clear()


def played(rules: str, moves: int, seed: int = 3) -> Game:
    """Return a game of the heuristic against itself after so many moves."""
    game, agent = Game.new(preset(rules), seed), make_agent("heuristic")
    while len(game.moves) < moves and not game.over:
        game.apply(agent.consider(game, len(game.moves)).action)
    return game


def followed(game: Game, text: str) -> Belief:
    """Return a belief of player 1 that has followed a game."""
    history = game.history(0)
    belief = BeliefSpec.parse(text).maker()(history.rules, history.first)
    history.follow(belief)
    return belief


@pytest.mark.parametrize("rules", ["house", "printed", "party"])
def test_what_comes_from_the_cache_is_what_would_be_worked_out(rules: str) -> None:
    game = played(rules, 16)
    plain, first, again = (followed(game, text) for text in (FILTER, f"{FILTER},cache=yes", f"{FILTER},cache=yes"))
    for belief in (first, again):
        assert np.array_equal(belief.expected_counts(), plain.expected_counts())
        assert np.array_equal(belief.sample_hands(50, 1)[0], plain.sample_hands(50, 1)[0])
    assert (plain.diagnostics().cached, first.diagnostics().cached) == (0, 0)
    assert again.diagnostics().cached == len(game.moves)
    assert (particle_cache.hits, particle_cache.misses) == (len(game.moves), len(game.moves))


def test_a_game_that_goes_another_way_shares_the_way_so_far() -> None:
    game = played("house", 12)
    followed(game, f"{FILTER},cache=yes")
    back = next(back for back in range(2, 10) if len(game.earlier(back).legal_actions()) > 1)
    other = game.earlier(back)
    other.apply(next(action for action in other.legal_actions() if action != game.moves[-back].action))
    belief = followed(other, f"{FILTER},cache=yes")
    assert belief.diagnostics().cached == len(game.moves) - back


@pytest.mark.parametrize("change", ["particles=101", "model=greedy", "resample=0.4", "model=(heuristic:noise=0.1)"])
def test_other_options_are_other_states(change: str) -> None:
    game = played("house", 4)
    followed(game, f"{FILTER},cache=yes")
    options = dict(part.split("=", 1) for part in FILTER.split(",")[1:]) | dict([change.split("=", 1)])
    text = ",".join(["particles", *(f"{key}={value}" for key, value in options.items()), "cache=yes"])
    assert followed(game, text).diagnostics().cached == 0


def test_another_hand_deck_or_seed_is_another_state() -> None:
    game, other = played("house", 3), played("house", 3, seed=4)
    followed(game, f"{FILTER},cache=yes")
    assert followed(other, f"{FILTER},cache=yes").diagnostics().cached == 0
    beliefs = [ParticleBelief.after(game, 0, model="heuristic", seed=seed, cache_limit=1 << 20) for seed in (1, 2, 2)]
    assert [belief.diagnostics().cached for belief in beliefs] == [0, 0, 3]


def test_coach_and_panel_beside_it_share_their_particles() -> None:
    whole = played("printed", 40)
    moves = next(n for n, move in enumerate(whole.moves) if n >= 8 and move.seat == 0 and move.action.card is not None)
    game = whole.earlier(len(whole.moves) - moves)
    history, coach = game.history(0), f"flat:sims=50,belief={FILTER},cache=yes"
    analyse(history, coach, 1, aware=aware_of(history, "human", coach=coach))
    assert particle_cache.hits >= len(history.steps)


def test_the_least_recently_used_goes_and_no_more_is_kept_than_the_limit() -> None:
    cache: ParticleCache[tuple[np.ndarray, ...]] = ParticleCache()
    for name in (b"a", b"b", b"c"):
        cache.put(name, (np.zeros(1000, np.uint8),), 3000)
    assert cache.get(b"a") is not None
    cache.put(b"d", (np.zeros(1000, np.uint8),), 3000)
    assert cache.get(b"b") is None
    assert all(cache.get(name) is not None for name in (b"a", b"c", b"d"))
    assert (cache.held, len(cache)) == (3000, 3)
    cache.put(b"large", (np.zeros(5000, np.uint8),), 3000)
    assert cache.get(b"large") is None
    assert (cache.hits, cache.misses) == (4, 2)


def test_a_small_limit_keeps_the_last_states_alone() -> None:
    followed(played("house", 20), f"{FILTER},cache=1")
    assert 0 < particle_cache.held <= limit_of("1")
    assert len(particle_cache) < 20 or particle_cache.held < limit_of("1")


def test_limits_are_yes_no_unlimited_or_megabytes() -> None:
    assert [limit_of(text) for text in ("no", "yes", "64")] == [0, 256 << 20, 64 << 20]
    assert limit_of("unlimited") > 1 << 60
    assert AgentSpec.parse("flat:belief=particles,cache=unlimited").options["belief"].options["cache"] == "unlimited"
    for text in ("particles,cache=maybe", "particles,cache=0", "closed,cache=yes"):
        with pytest.raises(UnoError):
            BeliefSpec.parse(text)
