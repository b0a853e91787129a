"""The vectorised environment is the game: move by move, row by row, and nothing hidden gets into a row."""

import numpy as np
import numpy.typing as npt
import pytest

from tests.helpers import PRINTED_PLAIN
from tests.nets.following import action_at, colours_in_order, untrained
from uno_pomdp.game.game import Game
from uno_pomdp.game.kernels import legal_mask, set_draw_pile, set_hand
from uno_pomdp.game.layout import SEATS, States
from uno_pomdp.game.rng import GOLDEN, mix
from uno_pomdp.jit import kernel
from uno_pomdp.learning.vector_game_kernels import (
    BOTH,
    CHOICES,
    DRAWS,
    FIRST_WINS,
    GAMES,
    LEARNER_POINTS,
    MOVES,
    SECOND_WINS,
    GameTables,
    Rows,
    write_row,
)
from uno_pomdp.learning.vector_games import InvalidTraining, VectorGames
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.policy_features import ACTIONS, LEGAL
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.rules import Rules, preset


def random_choices(environment: VectorGames, chance: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Return a random legal action for each table."""
    legal = environment.rows.features[:, LEGAL : LEGAL + ACTIONS]
    return np.asarray((legal * chance.random(legal.shape)).argmax(1), np.uint8)


class Shadow:
    """A table followed by an ordinary game and ordinary agents."""

    def __init__(self, name: str, key: np.uint64) -> None:
        self.rules = Rules.parse(name)
        self.key = key
        self.dealt = 0
        self.champion = untrained(self.rules)

    def deal(self) -> None:
        """Deal the next game of the table."""
        self.dealt += 1
        with np.errstate(over="ignore"):
            seed = int(mix(self.key + GOLDEN * np.uint64(self.dealt)))
        self.game = Game.new(self.rules, seed)
        self.agents = [PolicyNetAgent(self.champion) for _ in SEATS]
        for seat, agent in enumerate(self.agents):
            agent.start(self.rules, self.game.observation(seat), 0)

    def apply(self, action: int) -> None:
        """Carry out an action."""
        self.game.apply(next(each for each in self.game.legal_actions() if each.id == action))
        for seat, agent in enumerate(self.agents):
            agent.update(*self.game.last_step(seat))

    def to_choice(self) -> int | None:
        """Play forced moves; return the result for player 1 if the game has ended, after dealing the next one."""
        result = None
        while self.game.over or len(self.game.legal_actions()) == 1:
            if self.game.outcome is not None:
                result = self.game.outcome.result() if result is None else result
                self.deal()
            else:
                self.apply(self.game.legal_actions()[0].id)
        return result


@pytest.mark.parametrize("name", ["house", PRINTED_PLAIN, "mini-9", "mini-12"])
def test_a_table_is_the_game_move_by_move(name: str) -> None:
    environment, chance = VectorGames(Rules.parse(name), 3, 11, threads=1), np.random.default_rng(2)
    shadows = [Shadow(name, key) for key in environment.keys]
    for shadow in shadows:
        shadow.deal()
        shadow.to_choice()
    endings = 0
    for _ in range(60):
        for table, shadow in enumerate(shadows):
            seat = shadow.game.turn
            shadow.agents[seat].policy()
            assert environment.rows.mover[table] == seat
            np.testing.assert_allclose(environment.rows.features[table], shadow.agents[seat].net.features, atol=1e-5)
            order = colours_in_order(shadow.rules, shadow.game.observation(seat))
            hand = shadow.game.hand(1 - seat)
            wanted = [hand.data[card if card >= 52 else 13 * order[card // 13] + card % 13] for card in range(54)]
            assert environment.rows.hidden[table].tolist() == wanted
        actions = random_choices(environment, chance)
        for table, shadow in enumerate(shadows):
            order = colours_in_order(shadow.rules, shadow.game.observation(shadow.game.turn))
            shadow.apply(action_at(int(actions[table]), order))
        environment.act(actions)
        for table, shadow in enumerate(shadows):
            result = shadow.to_choice()
            assert bool(environment.rows.ended[table]) == (result is not None)
            assert environment.rows.result[table] == (result or 0)
            endings += result is not None
    assert endings > 2 or name == PRINTED_PLAIN  # where drawing is a choice, random games are long
    assert environment.forgotten == 0


@kernel
def hide(states: States, seat: int, hand: npt.NDArray[np.uint8], pile: npt.NDArray[np.uint8]) -> None:
    """Replace what the other seat of the first game can't see."""
    set_hand(states[0], seat, hand)
    set_draw_pile(states[0], pile)


@kernel
def write_again(tables: GameTables, rows: Rows) -> None:
    """Write the row of the first table once more."""
    write_row(tables, rows, 0, tables.states[0], legal_mask(tables.states[0]))


def test_hidden_cards_permuted_change_no_row() -> None:
    environment, chance, changed = VectorGames(preset("house"), 1, 3, threads=1), np.random.default_rng(2), 0
    for _ in range(40):
        block = environment.blocks[0]
        row, hidden = environment.rows.features.copy(), environment.rows.hidden.copy()
        state, seat = block.tables.states, int(environment.rows.mover[0])
        pile = state["draw_pile"][0, : state["draw_size"][0]].copy()
        held = np.repeat(np.arange(54, dtype=np.uint8), state["hand"][0, 1 - seat])
        cards = chance.permutation(np.concatenate([held, pile]))
        saved = state.copy()
        hand = np.bincount(cards[: len(held)], minlength=54).astype(np.uint8)
        hide(state, 1 - seat, hand, np.ascontiguousarray(cards[len(held) :]))
        write_again(block.tables, block.rows)
        np.testing.assert_array_equal(environment.rows.features, row)
        changed += int((environment.rows.hidden != hidden).any())
        state[:] = saved
        environment.act(random_choices(environment, chance))
    assert changed > 30


def test_threads_change_nothing_but_the_time() -> None:
    chances = [np.random.default_rng(1) for _ in range(2)]
    environments = [VectorGames(preset("house"), 24, 5, threads=threads) for threads in (1, 3)]
    for _ in range(30):
        for environment, chance in zip(environments, chances, strict=True):
            environment.act(random_choices(environment, chance))
        for mine, other in zip(environments[0].rows, environments[1].rows, strict=True):
            np.testing.assert_array_equal(mine, other)
    np.testing.assert_array_equal(environments[0].counts, environments[1].counts)
    environments[1].close()


def test_counts_add_up() -> None:
    environment, chance = VectorGames(preset("mini-9"), 16, 5, threads=1), np.random.default_rng(1)
    for _ in range(50):
        environment.act(random_choices(environment, chance))
    counts = environment.counts
    assert counts[GAMES] == counts[FIRST_WINS] + counts[SECOND_WINS] + counts[DRAWS] == environment.finished.sum()
    assert counts[CHOICES] == 16 * 50
    assert counts[MOVES] > counts[CHOICES]
    assert (environment.learner == BOTH).all()


def test_duplicate_tables_have_the_same_deals_with_seats_changed() -> None:
    environment = VectorGames(
        preset("house"), 8, 5, "none", script=POLICY_NAMES.index("baseline"), single=True, threads=1, duplicate=True
    )
    assert environment.learner.tolist() == [0, 1] * 4
    tables = environment.blocks[0].tables
    np.testing.assert_array_equal(tables.keys[::2], tables.keys[1::2])
    assert (environment.rows.mover == environment.learner).all()


def test_a_random_learner_earns_what_random_earns() -> None:
    """6,000 games: the share of points of a player that chooses at random against `random` is one half ± 4σ."""
    environment = VectorGames(
        preset("house"), 500, 9, "none", script=0, single=True, threads=1, duplicate=True, limit=12
    )
    chance = np.random.default_rng(3)
    while environment.finished.min() < 12:
        environment.act(random_choices(environment, chance))
    share = environment.points.sum() / (2 * 12 * 500)
    assert share == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(6000))
    assert environment.counts[LEARNER_POINTS] == environment.points.sum()


def test_what_can_t_be_played_is_refused() -> None:
    with pytest.raises(InvalidTraining, match="give at least 1"):
        VectorGames(preset("house"), 0, 1)
    with pytest.raises(InvalidTraining, match="say single=True"):
        VectorGames(preset("house"), 2, 1, script=0)
    with pytest.raises(InvalidTraining, match="choose one of exact, approximate, none"):
        VectorGames(preset("house"), 2, 1, "vague")  # type: ignore[arg-type]
