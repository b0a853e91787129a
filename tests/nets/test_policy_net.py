"""A policy net beside a seat: it takes the belief that is there if that is the closed form, and else keeps its own."""

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from tests.nets.following import untrained
from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.policy_net import PolicyNet
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.rules import Rules, preset


@pytest.mark.parametrize("belief", ["closed", "uniform", "particles,particles=50,model=heuristic"])
@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN, "pass"])
def test_beside_any_belief_it_says_what_the_agent_says_that_has_its_own(rules: str, belief: str) -> None:
    chosen, chance, choices = Rules.parse(rules), np.random.default_rng(3), 0
    game = Game.new(chosen, 4)
    agents = [PolicyNetAgent(untrained(chosen)) for _ in SEATS]
    nets = [PolicyNet(untrained(chosen)) for _ in SEATS]
    beliefs = [BeliefSpec.parse(belief).maker()(chosen, game.observation(seat)) for seat in SEATS]
    for seat in SEATS:
        agents[seat].start(chosen, game.observation(seat), 0)
        nets[seat].start(chosen, game.observation(seat), beliefs[seat])
    while not game.over:
        turn, number, legal = game.turn, len(game.moves), game.legal_actions()
        said = nets[turn].policy(game.observation(turn), beliefs[turn])
        assert np.array_equal(said, agents[turn].policy())
        choices += len(legal) > 1
        game.apply(legal[int(chance.integers(len(legal)))])
        for seat in SEATS:
            events, seen = game.events(seat, number), game.observation(seat)
            agents[seat].update(events, seen)
            if seen.outcome is None:
                beliefs[seat].update(events, seen)
            nets[seat].follow(events, seen)
    assert choices > 3


def test_beside_the_closed_form_it_looks_at_that_and_at_nothing_of_its_own() -> None:
    house = preset("house")
    game, other = Game.new(house, 4), Game.new(house, 9)
    belief = ClosedFormBelief(house, game.observation(0))
    net = PolicyNet(untrained(house))
    net.start(house, game.observation(0), belief)
    assert not np.array_equal(
        net.policy(game.observation(0), belief),
        net.policy(game.observation(0), ClosedFormBelief(house, other.observation(0))),
    )


def test_rules_that_it_was_not_trained_with_are_refused() -> None:
    house = preset("house")
    seen = Game.new(house, 1).observation(0)
    with pytest.raises(InvalidAgent, match="trained with the rules mini-12 and can't play house"):
        PolicyNet(untrained(preset("mini-12"))).start(house, seen, ClosedFormBelief(house, seen))
