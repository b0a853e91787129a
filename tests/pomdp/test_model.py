"""The model's probabilities add up, the sampler follows them, and beliefs are those of the exact filter."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.equilibrium.games import GAMES, tree_of
from uno_pomdp.agents.tabular import TableModel
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.cards import Cards, parse_card
from uno_pomdp.equilibrium.sequence_form import uniform_policy
from uno_pomdp.equilibrium.tree_policies import table_of
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game.actions import DRAW, KEEP
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import DEALT, SEAT, TOP, Token, history_text, tokens_told
from uno_pomdp.game.layout import SEATS, Observations
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import BASELINE, GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import Memory, OpponentModel, PolicyModel
from uno_pomdp.pomdp.deals import TooLarge
from uno_pomdp.pomdp.model import InvalidModel, State, StateBelief, TokenObservation, UnoPOMDP
from uno_pomdp.rules import Rules, preset

ROUND = replace(GAMES["copies printed"], reshuffle="yes")
"""A small game in which cards come round."""


class Wrapped(OpponentModel):
    """A policy that no kernel knows; its memory counts what it was told."""

    name = "wrapped"

    def __init__(self, policy: int) -> None:
        self.inner = PolicyModel(policy)

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return 1: it was dealt its cards."""
        del rules, seen
        return 1

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return one more."""
        assert token
        assert isinstance(memory, int)
        return memory + 1

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return those of the policy."""
        assert memory
        return self.inner.probabilities(seen, 0)


def some_states(model: UnoPOMDP, count: int) -> list[State]:
    """Return states in which the seat has to act, from games that are drawn."""
    stream, chance = streams(5), random.Random(5)
    found: list[State] = []
    while len(found) < count:
        state = model.sample_initial(stream)
        while not model.over(state) and len(found) < count:
            found.append(state)
            state = model.sample(state, chance.choice(model.legal_actions(state)), stream).state
    return found


CASES: dict[str, tuple[Rules, OpponentModel]] = {
    "mini-7, greedy": (preset("mini-7"), PolicyModel(GREEDY)),
    "mini-12, random": (preset("mini-12"), PolicyModel(RANDOM)),
    "printed with reshuffles, baseline": (ROUND, PolicyModel(BASELINE)),
    "printed with reshuffles, any": (ROUND, Wrapped(RANDOM)),
    "mini-7, table": (
        preset("mini-7"),
        TableModel(table_of(tree_of("mini-7"), uniform_policy(tree_of("mini-7")), {})),
    ),
}


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", CASES)
def test_successors_add_up_to_one_and_samples_are_among_them_as_often(name: str, seat: int) -> None:
    model = UnoPOMDP(*CASES[name], seat=seat)
    stream, draws, misses, looks = streams(7), 200, 0.0, 0
    for state in some_states(model, 5):
        for action in model.legal_actions(state):
            listed = model.successors(state, action)
            assert sum(listed.values()) == pytest.approx(1.0, abs=1e-12)
            samples = [model.sample(state, action, stream) for _ in range(draws)]
            counted = Counter(step.state for step in samples)
            assert set(counted) <= set(listed)
            # the square of a standardised count has mean 1
            for found, chance in listed.items():
                if chance < 1.0:
                    misses += (counted[found] - draws * chance) ** 2 / (draws * chance * (1 - chance))
                    looks += 1
    # counts of one step hang together, so allow for a variance of the mean of 20 / looks: 5 deviations, p < 1e-5
    assert misses / looks == pytest.approx(1.0, abs=5 * (20 / looks) ** 0.5)


@pytest.mark.parametrize("name", CASES)
def test_an_observation_follows_from_the_state_and_the_reward_from_the_end(name: str) -> None:
    model = UnoPOMDP(*CASES[name], step_cost=0.125)
    stream = streams(2)
    for state in some_states(model, 8):
        for action in model.legal_actions(state):
            step = model.sample(state, action, stream)
            assert step.observation == model.observation(step.state) == step.state.told
            assert model.observation_probability(step.observation, step.state) == 1.0
            assert model.observation_probability((*step.observation, 1), step.state) == 0.0
            ended = model.over(step.state)
            assert step.reward == model.reward(state, action, step.state)
            assert step.reward + 0.125 in ((-1.0, 0.0, 1.0) if ended else (0.0,))
            assert model.legal_actions(step.state) == () if ended else model.legal_actions(step.state)


def test_states_are_equal_whatever_order_their_piles_have() -> None:
    model = UnoPOMDP(preset("mini-12"), PolicyModel(RANDOM))
    stream = streams(9)
    drawing = next(state for state in some_states(model, 60) if model.legal_actions(state) == (DRAW,))
    found = {model.sample(drawing, DRAW, stream).state for _ in range(300)}
    assert found <= set(model.successors(drawing, DRAW))
    for state in found:
        record = state.record()[0]
        pile = record["draw_pile"][: record["draw_size"]].tolist()
        assert pile == sorted(pile)


@pytest.mark.parametrize("policy", [RANDOM, GREEDY])
def test_beliefs_are_those_of_the_exact_filter(policy: int) -> None:
    model = UnoPOMDP(preset("mini-9"), PolicyModel(policy))
    chance = random.Random(3)
    for seed in range(4):
        game = Game.new(model.rules, seed)
        filtered = EnumeratedBelief(model.rules, game.observation(0), PolicyModel(policy))
        first: TokenObservation = (SEAT, TOP | game.deal.top, *(DEALT | card for card in game.hand(0)))
        belief = model.initial_belief(first)
        while not game.over:
            assert hands(belief, 1) == pytest.approx(
                {hand: filtered.hand_probability(Cards(hand)) for hand in hands(belief, 1)}, abs=1e-9
            )
            done = len(game.moves)
            chosen = chance.choice(game.legal_actions())
            game.apply(chosen)
            while not game.over and game.turn == 1:
                chances = model.opponent.probabilities(model._seen_by_opponent(game.to_state()), 0)
                game.apply(chance.choice([a for a in game.legal_actions() if chances[a.id] > 0]))
            twin = replay(game, done)
            for number in range(done, len(game.moves)):
                twin.apply(game.moves[number].action)
                if not twin.over:
                    filtered.update(*twin.last_step(0))
            belief = model.update(belief, chosen, tuple(tokens_told(game.events(0, done), 0)))


def hands(belief: StateBelief, seat: int) -> dict[bytes, float]:
    """Return how likely each hand of a seat is."""
    found: dict[bytes, float] = {}
    for state, chance in belief.items():
        hand = state.record()["hand"][0, seat].tobytes()
        found[hand] = found.get(hand, 0.0) + chance
    return found


def replay(game: Game, moves: int) -> Game:
    """Return the game after its first moves."""
    twin = Game.from_deal(game.rules, game.deal, game.seed)
    for move in game.moves[:moves]:
        twin.apply(move.action)
    return twin


@pytest.mark.parametrize("seat", SEATS)
def test_the_first_belief_knows_the_own_hand_alone(seat: int) -> None:
    model = UnoPOMDP(preset("mini-7"), PolicyModel(RANDOM), seat=seat)
    states = model.initial_states()
    assert sum(states.values()) == pytest.approx(1.0)
    if seat == 0:
        belief = model.initial_belief((SEAT, TOP | parse_card("R0"), DEALT | parse_card("R1"), DEALT | parse_card("W")))
        assert len(belief) == 6  # two of the four cards left
        assert list(belief.values()) == [pytest.approx(1 / 6)] * 6
    assert all(state.told[0] == SEAT | seat for state in states)


def test_a_step_on_the_full_deck_is_sampled_and_its_successors_are_too_many() -> None:
    model = UnoPOMDP(preset("house"), PolicyModel(GREEDY))
    stream, chance, results = streams(1), random.Random(1), Counter[float]()
    for _ in range(20):
        state = model.sample_initial(stream)
        reward = 0.0
        while not model.over(state):
            state, _, reward = model.sample(state, chance.choice(model.legal_actions(state)), stream)
        results[reward] += 1
    assert set(results) == {1.0, -1.0}
    with pytest.raises(TooLarge, match="first hands are too many"):
        model.initial_states()
    penalised = next(s for s in some_states(model, 300) if s.record()["penalty"][0] == 4)
    with pytest.raises(TooLarge, match="more than 20,000"):
        model.successors(penalised, DRAW)


def test_a_history_is_told_in_words() -> None:
    game = Game.new(preset("mini-9"), 0)
    for seed in range(50):
        game = Game.new(preset("mini-9"), seed)
        while not game.over and not any(move.drawn for move in game.moves):
            game.apply(game.legal_actions()[0])
        if game.moves[-1].drawn:
            break
    for seat in SEATS:
        hand = game.deal.hands[seat]
        opening = [SEAT | seat, TOP | game.deal.top, *(DEALT | card for card in hand)]
        text = history_text([*opening, *tokens_told(game.events(seat), seat)])
        assert text.startswith(f"player {seat + 1}, {hand} on {Cards.of([game.deal.top])}: ")
        drawer = game.moves[-1].seat
        drawn = Cards.of(game.moves[-1].cards)
        assert text.endswith(f"draw {drawn}" if drawer == seat else f"draw {len(drawn)} hidden")


# --- refusals --------------------------------------------------------------------------------------------


def test_what_the_model_can_not_be_is_refused() -> None:
    rules, opponent = preset("mini-7"), PolicyModel(RANDOM)
    with pytest.raises(InvalidModel, match="0 is no discount: give a number above 0 and at most 1"):
        UnoPOMDP(rules, opponent, discount=0)
    with pytest.raises(InvalidModel, match="-1 is no cost of a step"):
        UnoPOMDP(rules, opponent, step_cost=-1)
    with pytest.raises(InvalidModel, match="there is no seat 2"):
        UnoPOMDP(rules, opponent, seat=2)


def test_what_can_not_be_done_or_seen_is_refused() -> None:
    model = UnoPOMDP(preset("mini-7"), PolicyModel(RANDOM))
    state = some_states(model, 1)[0]
    with pytest.raises(IllegalAction, match="keep is not legal in this state: legal is "):
        model.sample(state, KEEP, streams(1))
    with pytest.raises(InvalidModel, match="can't follow here"):
        model.update({state: 1.0}, model.legal_actions(state)[0], (1, 2, 3))
    with pytest.raises(IllegalAction, match="legal is nothing: the game is over"):
        model.sample(ended(model), DRAW, streams(1))


def ended(model: UnoPOMDP) -> State:
    """Return a state in which the game is over."""
    stream = streams(3)
    state = model.sample_initial(stream)
    while not model.over(state):
        state = model.sample(state, model.legal_actions(state)[0], stream).state
    return state


def test_successors_of_the_two_ways_to_ask_are_the_same() -> None:
    kernel, python = (UnoPOMDP(preset("mini-7"), opponent) for opponent in (PolicyModel(GREEDY), Wrapped(GREEDY)))
    states = some_states(kernel, 6)
    for state in states:
        for action in kernel.legal_actions(state):
            mine = kernel.successors(state, action)
            theirs = python.successors(replace(state, memory=1), action)
            assert {(s.packed, s.told): p for s, p in mine.items()} == {
                (s.packed, s.told): p for s, p in theirs.items()
            }
    assert np.isclose(sum(kernel.initial_states().values()), 1.0)
