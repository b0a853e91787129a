"""Nets as attempts at a best response: whom they know, what their matches show, which are refused."""

from pathlib import Path

import numpy as np
import pytest

from tests.equilibrium.games import tree_of
from tests.equilibrium.test_nash_report import FAR, error_of
from tests.nets.following import untrained
from uno_pomdp.agents.agent import Budget, InvalidAgent
from uno_pomdp.arena.match import make
from uno_pomdp.equilibrium.attempts import InvalidResponse, attempt_all, challengers_of, frozen_mark, handed_in, learnt
from uno_pomdp.equilibrium.sequence_form import value_of
from uno_pomdp.equilibrium.tree_policies import policy_of, scripted_policy
from uno_pomdp.errors import UnusableFile
from uno_pomdp.nets.net_file import NetFile
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.pretrained import WEIGHTS_FOLDER
from uno_pomdp.policies.kernels import BASELINE
from uno_pomdp.rules import preset

MINI, HOUSE = preset("mini-7"), preset("house")
SEARCHES = ["pomcp:sims=9,model=heuristic", "flat:sims=9,rollout=heuristic", "ismcts:sims=9,rollout=heuristic"]


@pytest.mark.parametrize(
    "agent", ["champion", f"champion:file={WEIGHTS_FOLDER / 'house.npz'}"], ids=["by name", "by its file"]
)
def test_the_package_s_champion_meets_its_learnt_response_beside_the_searches(agent: str) -> None:
    *searches, own, response = challengers_of(agent, Budget(simulations=9), HOUSE)
    assert [each.maker for each in searches] == SEARCHES
    assert not any(each.knows for each in searches)
    assert (own.maker, own.knows) == ("champion:sims=9,opponent=champion", True)
    assert response.knows
    assert response.times > max(each.times for each in searches)
    player = make(response.maker)
    assert isinstance(player, PolicyNetAgent)
    about = player.champion_for(HOUSE).about
    assert about["answers"] == PolicyNetAgent().champion_for(HOUSE).checksum
    assert response.about == f"learnt against it on {about['decisions']:,} choices"
    assert about["decisions"] > 500_000_000


@pytest.mark.parametrize(
    ("agent", "rules", "taken_for", "knows"),
    [
        ("champion:temperature=0.5", "house", "champion", False),
        ("champion", "mini-9", "champion", True),
        ("flat:ms=1", "house", "champion", False),
        ("heuristic", "house", "heuristic", True),
    ],
)
def test_nobody_else_does_but_the_champion_s_search_tries(agent: str, rules: str, taken_for: str, knows: bool) -> None:
    *searches, own = challengers_of(agent, Budget(simulations=9), preset(rules))
    assert [each.maker for each in searches] == SEARCHES
    assert (own.maker, own.knows) == (f"champion:sims=9,opponent={taken_for}", knows)


def test_where_there_is_no_champion_no_champion_tries() -> None:
    assert [each.maker for each in challengers_of("flat:ms=1", Budget(simulations=9), MINI)] == SEARCHES


def test_a_net_knows_the_player_that_it_has_learnt_to_answer_and_no_other() -> None:
    frozen = untrained(MINI, 3)
    to_net = NetFile(MINI, {"answers": frozen.checksum, "decisions": 50_000}, untrained(MINI, 4).net)
    to_policy = NetFile(MINI, {"answers": "baseline"}, untrained(MINI, 5).net)
    known = learnt(to_net, lambda: PolicyNetAgent(frozen), MINI)
    assert (known.knows, known.about) == (True, "learnt against it on 50,000 choices")
    assert learnt(to_policy, "baseline", MINI).about == "learnt against it"
    others = [
        learnt(to_net, "baseline", MINI),
        learnt(to_net, lambda: PolicyNetAgent(frozen, temperature=2.0), MINI),
        learnt(to_policy, "greedy", MINI),
        learnt(to_policy, "flat:ms=1", MINI),
        learnt(frozen, "flat:ms=1", MINI),
    ]
    assert not any(each.knows for each in others)
    assert {each.about for each in others} == {"learnt, but not against it"}
    assert frozen_mark("flat:ms=1", MINI) is None


def test_the_margin_of_a_net_is_that_of_the_tree() -> None:
    tree, champion = tree_of("mini-7"), untrained(MINI, 2)
    middle = tree.sequence_start[1]
    one, other = policy_of(tree, lambda: PolicyNetAgent(champion)), scripted_policy(tree, BASELINE)
    values = [value_of(tree, np.append(a[:middle], b[middle:])) for a, b in ((one, other), (other, one))]
    (bound,) = attempt_all(MINI, "baseline", [learnt(champion, "baseline", MINI)], 50, seed=5)
    assert bound.pairs == 1_000
    assert bound.margin.estimate == pytest.approx((values[0] - values[1]) / 4, abs=FAR * error_of(bound.margin))


def test_two_nets_do_not_share_the_results_of_a_folder(tmp_path: Path) -> None:
    nets = [learnt(untrained(MINI, seed), "baseline", MINI) for seed in (1, 2)]
    apart = [attempt_all(MINI, "baseline", [net], 3)[0].margin for net in nets]
    kept = [attempt_all(MINI, "baseline", [net], 3, folder=tmp_path)[0].margin for net in nets]
    assert apart == kept
    assert apart[0] != apart[1]
    assert len(list(tmp_path.iterdir())) == 2


def test_files_are_refused_that_hold_no_net_for_the_rules(tmp_path: Path) -> None:
    untrained(MINI).save(tmp_path / "mini.npz")
    assert handed_in(tmp_path / "mini.npz", "baseline", MINI).about == "mini.npz: learnt, but not against it"
    with pytest.raises(InvalidResponse, match=r"mini\.npz is a net for the rules mini-7, not house: train one"):
        handed_in(tmp_path / "mini.npz", "baseline", HOUSE)
    (tmp_path / "text.npz").write_text("a text")
    with pytest.raises(UnusableFile, match=r"text\.npz holds no net"):
        handed_in(tmp_path / "text.npz", "baseline", HOUSE)
    with pytest.raises(InvalidAgent, match="no champion comes with the package for the rules mini-7"):
        handed_in(tmp_path / "mini.npz", "champion", MINI)


@pytest.mark.parametrize("rules", ["mini-bluff", "printed", "stacking", "party"])
def test_every_search_tries_under_every_rule(rules: str) -> None:
    names = [each.maker for each in challengers_of("baseline", Budget(simulations=9), preset(rules))]
    wanted = ["pomcp:sims=9,model=baseline", "flat:sims=9,rollout=baseline", "ismcts:sims=9,rollout=baseline"]
    assert names == wanted
