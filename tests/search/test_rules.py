"""Searches under challenges, debts, long draws, swaps: each plays them or says that it does not; nothing is proved."""

from dataclasses import replace

import pytest

from tests.helpers import PAIRS_OF_VALUES, named, rules_of, start
from uno_pomdp.agents.agent import Budget, InvalidAgent
from uno_pomdp.arena.match import play_game
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import MAY_CHALLENGE, STACK, SWAP, UNTIL_PLAYABLE
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules
from uno_pomdp.search.endgame.endgame import Endgame, winning_runs

NEW = ["wild_four=challenge", "draw=until_playable", "stack=same", "stack=rising", "swap=seven_zero"]
NOT_YET_A_RULE = 1 << 15
REFUSED = {
    "pomcp:sims=20,model=(champion)": [*NEW, "first_card=acts"],
    "champion": [*NEW, "first_card=acts"],
    "champion:sims=20": [*NEW, "first_card=acts"],
}
"""By agent: what it does not know."""


@pytest.mark.parametrize("bit", [MAY_CHALLENGE, UNTIL_PLAYABLE, STACK, SWAP, NOT_YET_A_RULE])
def test_nothing_is_proved_under_rules_that_the_lemmas_do_not_cover(bit: int) -> None:
    """Positions in which a run and a race are proved, and the same seen under the other rule."""
    run = start("R7", "R+2 R1", "Y1 Y2", "B1 B2 B3 B4 B5 B6").observation(0)
    assert winning_runs(run)
    assert not winning_runs(replace(run, variant=run.variant | bit))
    game = start("R7", "R1 G2", "Y1 Y2", "B1 B2 B3 B4 R3 G4")
    race, endgame, budget = game.observation(0), Endgame(), Budget(simulations=100_000)
    belief = UniformBelief(game.rules, race)
    assert endgame.bounds(race, belief, budget) is not None
    other = replace(race, variant=race.variant | bit)
    assert endgame.bounds(other, belief, budget) is None
    assert endgame.prove(other, belief, budget).decision is None


@pytest.mark.parametrize("rule", [*NEW, "first_card=acts"])
@pytest.mark.parametrize("agent", REFUSED)
def test_a_search_that_does_not_know_a_rule_says_which(agent: str, rule: str) -> None:
    rules = Rules.parse(f"house,{rule}")
    if rule in REFUSED[agent]:
        with pytest.raises(InvalidAgent, match=rf"do(es)? not know the rule {rule} yet.*(flat|scripted)"):
            make_agent(agent).check_game(rules)
        with pytest.raises(InvalidAgent, match=rf"do(es)? not know the rule {rule} yet"):
            make_agent(agent).consider(Game.new(rules, 3))
    else:
        make_agent(agent).check_game(rules)


def play_some(rules: Rules, seed: int, texts: tuple[str, str], moves: int = 60) -> None:
    """Let two agents play so many moves: what they do is legal, and they follow the game."""
    game, agents = Game.new(rules, seed), [make_agent(text) for text in texts]
    for seat, agent in enumerate(agents):
        agent.start(rules, game.observation(seat), seed)
    for _ in range(moves):
        if game.over:
            break
        game.apply(agents[game.turn].decide().action)
        for seat, agent in enumerate(agents):
            agent.update(*game.last_step(seat))


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_every_search_plays_whole_games_under_every_pair_of_rules(variant: dict[str, str]) -> None:
    for seed, deck in enumerate(["standard, hands of 4", "all penalties", "skips"]):
        rules = rules_of(deck, variant)
        play_some(rules, seed, ("pomcp:sims=8,belief=closed", "value:sims=12"))
        assert play_game(rules, seed, ("flat:sims=12", "ismcts:sims=12"), (1, 2)).actions > 0
