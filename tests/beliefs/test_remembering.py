"""Beliefs under an opponent model with a memory: particles against enumeration, enumeration against the process."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.experiments.belief_quality import hand_total_variation
from tests.equilibrium.games import tree_of
from uno_pomdp.agents.tabular import TableModel
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs import particle_filter
from uno_pomdp.beliefs.enumerated import CannotEnumerate, EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.sequence_form import uniform_policy
from uno_pomdp.equilibrium.tree_policies import table_of
from uno_pomdp.errors import InvalidBelief
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import DEALT, SEAT, TOP, Token, tokens_told
from uno_pomdp.game.layout import Observations
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import Memory, OpponentModel, PolicyModel
from uno_pomdp.pomdp.model import StateBelief, UnoPOMDP
from uno_pomdp.registry import as_model
from uno_pomdp.rules import Rules, preset
from uno_pomdp.testing import check_belief


class Moody(OpponentModel):
    """Greedy after an even number of tokens, random after an odd one, by a memory that depends on its own cards too."""

    name = "moody"

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return the sum of what it was dealt."""
        del rules
        return int(seen["hand"][0] @ np.arange(54))

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return the sum of all that it was told."""
        assert isinstance(memory, int)
        return memory + token

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return one policy or the other."""
        assert isinstance(memory, int)
        return PolicyModel(GREEDY if memory % 3 else RANDOM).probabilities(seen, 0)


def games_of(model: OpponentModel, rules: Rules, count: int) -> Iterator[tuple[Game, int]]:
    """Yield games of a random player at seat 0 against the model, after every action; and the number of moves seen."""
    process = UnoPOMDP(rules, model)
    for seed in range(count):
        game, chance = Game.new(rules, seed), random.Random(seed)
        memory = model.start(rules, process._seen_by_opponent(game.to_state()))
        yield game, 0
        while not game.over:
            game.apply(chosen(game, model, memory, process, chance))
            if not game.over:
                for token in tokens_told(game.last_step(1)[0], 1):
                    memory = model.follow(memory, token)
            yield game, len(game.moves)


def chosen(game: Game, model: OpponentModel, memory: Memory, process: UnoPOMDP, chance: random.Random) -> Action:
    """Return a random action at seat 0, and one of the model's at seat 1."""
    legal = game.legal_actions()
    if game.turn == 0 or len(legal) == 1:
        return chance.choice(legal)
    said = model.probabilities(process._seen_by_opponent(game.to_state()), memory)
    return ACTIONS[chance.choices(range(len(said)), said.tolist())[0]]


def models() -> dict[str, OpponentModel]:
    tree = tree_of("mini-7")
    return {
        "moody, mini-9": Moody(),
        "champion, mini-9": as_model("champion"),
        "table, mini-7": TableModel(table_of(tree, uniform_policy(tree), {})),
    }


@pytest.mark.parametrize("name", ["moody, mini-9", "champion, mini-9", "table, mini-7"])
def test_enumeration_with_memories_is_the_filter_of_the_process(name: str) -> None:
    model, rules = models()[name], preset(name.split()[1])
    process, compared = UnoPOMDP(rules, model), 0
    for game, moves in games_of(model, rules, 3):
        if moves == 0:
            exact, done = EnumeratedBelief(rules, game.observation(0), model), 0
            belief = process.initial_belief((SEAT, TOP | game.deal.top, *(DEALT | card for card in game.hand(0))))
        elif not game.over:
            exact.update(*game.last_step(0))
            if game.turn == 0:  # a step of the process has ended
                told = tuple(tokens_told(game.events(0, done), 0))
                belief, done = process.update(belief, game.moves[done].action, told), moves
                for hand, chance in hands_of(belief).items():
                    assert exact.hand_probability(Cards(hand)) == pytest.approx(chance, abs=1e-5)
                    compared += 1
    assert compared > 5


def hands_of(belief: StateBelief) -> dict[bytes, float]:
    """Return how likely each hand of seat 1 is."""
    found: dict[bytes, float] = {}
    for state, chance in belief.items():
        hand = state.record()["hand"][0, 1].tobytes()
        found[hand] = found.get(hand, 0.0) + chance
    return found


@pytest.mark.parametrize("way", ["hybrid", "moves alone"])
@pytest.mark.parametrize("name", ["moody, mini-9", "champion, mini-9", "table, mini-7"])
def test_particles_with_memories_agree_with_enumeration(name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Total variation of whole hands, by that of as many independent draws: Σ √(p (1 − p) / 2 π n) (see MATH.md)."""
    if way != "hybrid":
        monkeypatch.setattr(particle_filter, "WORTH", 2.0)  # no fresh history is good enough
    model, rules = models()[name], preset(name.split()[1])
    gaps, errors = [], []
    for game, moves in games_of(model, rules, 8):
        if moves == 0:
            exact = EnumeratedBelief(rules, game.observation(0), model)
            belief = ParticleBelief(rules, game.observation(0), model, 500, seed=4, doubt=0.0)
        elif not game.over:
            exact.update(*game.last_step(0))
            belief.update(*game.last_step(0))
            gaps.append(hand_total_variation(belief, exact))
            shares = [exact.hand_probability(Cards(hand)) for hand in {row.tobytes() for row in exact.hypotheses.hands}]
            errors.append(sum((p * (1 - p) / (1000 * np.pi)) ** 0.5 for p in shares))
    assert sum(error > 0.0 for error in errors) > 10
    assert np.mean(gaps) < 1.6 * np.mean(errors)


@pytest.mark.parametrize("name", ["moody, mini-9", "champion, mini-9"])
def test_beliefs_with_memories_conform(name: str) -> None:
    model, rules = models()[name], name.split()[1]
    check_belief(lambda rules, seen: ParticleBelief(rules, seen, model, 40), rules, games=2, seed=2)
    check_belief(lambda rules, seen: EnumeratedBelief(rules, seen, model), rules, games=1, seed=2)


def test_a_model_that_remembers_has_to_see_the_game_from_the_deal() -> None:
    game = Game.new(preset("mini-9"), 1)
    while len(game.observation(0).played) == 1:
        game.apply(game.legal_actions()[0])
    with pytest.raises(InvalidBelief, match="moody remembers the whole game: let the belief begin at the deal"):
        ParticleBelief(game.rules, game.observation(0), Moody(), 10)
    with pytest.raises(CannotEnumerate, match="moody remembers the whole game"):
        EnumeratedBelief(game.rules, game.observation(0), Moody())
