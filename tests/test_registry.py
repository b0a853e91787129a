"""Texts become agents, or a sentence that says what would be right."""

import pickle
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.agents.agent import Agent, Budget, InvalidAgent
from uno_pomdp.agents.plugin import OwnAgent
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.default_agents import coach_for, opponent_for
from uno_pomdp.nets.onnx.onnx_net import ENCODINGS
from uno_pomdp.nets.position_features import OPPONENTS
from uno_pomdp.policies.kernels import BASELINE, is_policy
from uno_pomdp.registry import AgentSpec, BeliefSpec, make_agent
from uno_pomdp.rules import PRESETS, preset
from uno_pomdp.search.pomcp.pomcp import LEAVES
from uno_pomdp.search.search import Search
from uno_pomdp.search.trials.playouts import Playouts


@pytest.mark.parametrize("name", sorted(AGENTS.keys() - {"onnx", "policy", "py"}))  # which need a file
def test_every_agent_can_be_made_by_its_name_and_keeps_it(name: str) -> None:
    assert make_agent(name).name == name
    assert AGENTS[name].about


def test_options_reach_the_agent() -> None:
    agent = make_agent("flat:sims=300,belief=uniform,rollout=baseline,halving=no")
    assert isinstance(agent, Search)
    assert agent.budget == Budget(simulations=300)
    assert agent.name == "flat:sims=300,belief=uniform,rollout=baseline,halving=no"
    assert (agent.trial, agent.halving, agent.prior, agent.threads) == (Playouts(BASELINE), False, None, None)
    assert make_agent("ismcts:ms=2.5").budget == Budget(milliseconds=2.5)


# --- what a text says ------------------------------------------------------------------------------------


def test_options_are_read_once_and_have_their_types() -> None:
    spec = AgentSpec.parse(" flat:sims=300, rollout=baseline,halving=no ")
    assert (spec.name, str(spec)) == ("flat", "flat:sims=300, rollout=baseline,halving=no")
    assert spec.options == {
        "ms": None, "sims": 300, "belief": BeliefSpec.parse("closed"), "rollout": BASELINE, "halving": False,
        "threads": 1, "endgame": True,
    }  # fmt: skip
    assert spec.given == {"sims": "300", "rollout": "baseline", "halving": "no"}
    assert spec.make().name == str(spec)
    assert spec == AgentSpec.parse(str(spec))
    assert spec != AgentSpec.parse("flat:sims=300")
    assert pickle.loads(pickle.dumps(spec)).options == spec.options


@pytest.mark.parametrize(
    "text",
    [
        *sorted(AGENTS.keys() - {"onnx", "policy", "py"}),
        "heuristic:noise=0.1",
        "flat:sims=9",
        "champion:ms=5",
        "champion:sims=9",
        "champion:temperature=2",
    ],
)
def test_a_text_says_what_its_agent_says(text: str) -> None:
    spec, agent = AgentSpec.parse(text), make_agent(text)
    assert spec.can == replace(agent.can, kernel_policy=spec.can.kernel_policy)
    assert spec.can.in_kernels == agent.can.in_kernels == is_policy(text)
    assert (spec.budget, spec.timed) == (agent.budget, agent.timed)
    assert agent.can.has_policy == (type(agent).policy is not Agent.policy)
    assert agent.can.values_moves == hasattr(agent, "move_values")


def test_what_a_text_says_without_any_agent_being_made() -> None:
    missing = AgentSpec.parse("policy:file=there/is none.npz")
    assert (missing.file, missing.can) == (Path("there/is none.npz"), Abilities(has_policy=True, looked_up=True))
    assert AgentSpec.parse("champion").file is None
    search = AgentSpec.parse("champion:ms=5,file=a.npz,positions=b.npz,belief=uniform")
    assert search.reads == (Path("a.npz"), Path("b.npz"))
    assert search.without_numbers == "champion:ms=,file=a.npz,positions=b.npz,belief=uniform"
    assert AgentSpec.parse("py:mine.Careful,depth=3").reads == (Path("3"), Path("mine.py"))
    assert AgentSpec.parse("baseline").without_numbers == "baseline:"
    found = AgentSpec.parse("baseline").can.kernel_policy
    assert found is not None
    assert found.policy == BASELINE


def test_kernels_stand_in_for_no_agent_that_builds_on_one_of_theirs_unless_it_says_so() -> None:
    class Bold(ScriptedAgent):
        """May decide otherwise."""

    class Same(ScriptedAgent):
        """Says that it does not."""

        can = ScriptedAgent.can

    assert ScriptedAgent(BASELINE).can.in_kernels
    assert Bold(BASELINE).can == Abilities(has_policy=True)
    assert Same(BASELINE).can.in_kernels


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_to_be_written_after_a_colon_is_not_refused_for_its_form(name: str) -> None:
    with pytest.raises(InvalidAgent, match="nothing stands after the colon") as caught:
        AgentSpec.parse(f"{name}:")
    hint = str(caught.value).rpartition("write ")[2]
    values = {"ms": "5", "noise": "0.1", "file": "x.npz", "gamma": "0.9"}
    written = re.sub(r"(\w+)=…", lambda found: f"{found[1]}={values[found[1]]}", hint)
    assert AgentSpec.parse(written).name == name
    assert "…" not in written


@pytest.mark.parametrize("text", ["pomcp:model=", "pomcp:model=(pomcp:model="])
def test_models_of_models_have_an_end(text: str) -> None:
    wrapped = text * 3_000 + "greedy" + ")" * (3_000 * text.count("("))
    with pytest.raises(InvalidAgent, match="a model may have a model, but not more than 8 deep"):
        AgentSpec.parse(wrapped)
    deep = "pomcp:model=" * 8 + "greedy"
    assert AgentSpec.parse(deep).text == deep


def test_names_that_options_take_are_those_of_what_they_configure() -> None:
    for kind, key, names in (
        ("champion", "opponent", OPPONENTS),
        ("pomcp", "leaf", LEAVES),
        ("onnx", "encoding", ENCODINGS),
    ):
        assert AGENTS[kind].options()[key].takes == ", ".join(f"`{name}`" for name in names)


# --- wrong texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "no agent is called 'nobody': choose one of random, greedy, baseline, heuristic, flat, ismcts"),
        ("greedy:ms=1", "greedy has no option 'ms': it has no options"),
        ("flat:speed=1", "flat has no option 'speed': it has the options ms, sims, belief, particles, model"),
        ("flat:ms", "'ms' is no option of flat: write name=value"),
        ("flat:ms=soon", "ms: 'soon' is not a number above 0 and up to 86,400,000"),
        ("flat:ms=1,sims=2", "give ms=… or sims=…, not both"),
        ("flat:sims=1.5", "sims: '1.5' is not a whole number from 1 to 1,000,000,000"),
        ("flat:sims=0", "sims: 0 is not a whole number from 1 to 1,000,000,000"),
        ("flat:sims=99999999999999999999", "sims: 99999999999999999999 is not a whole number from 1 to 1,000,000,000"),
        ("flat:", "nothing stands after the colon of flat: write flat:ms=…"),
        ("flat:ms=1,ms=2", "flat is given ms=… twice: give it once"),
        ("flat:ms=1,", "'' is no option of flat: write name=value"),
        ("flat:=1", "'=1' is no option of flat: write name=value"),
        ("flat:ms= ", "'ms=' is no option of flat: write name=value"),
        ("flat:belief=none", "no belief is called 'none': choose one of closed, uniform, enumerated, particles"),
        ("flat:belief=greedy", "no belief is called 'greedy': write belief=particles,model=greedy"),
        ("flat:model=greedy", "closed has no option 'model': it has none; write belief=particles,model=greedy"),
        ("ismcts:belief=uniform,particles=9", "uniform has no option 'particles': it has none; write belief=particles"),
        (
            "flat:belief=enumerated,resample=1",
            "enumerated has no option 'resample': it has model, limit; write",
        ),
        ("flat:belief=particles,particles=0", "particles: 0 is not a whole number from 1 to 1,000,000"),
        ("flat:belief=particles,resample=1.5", "resample: '1.5' is not a number from 0 to 1"),
        ("flat:belief=particles,model=greedy,doubt=2", "doubt: '2' is not a number from 0 to 1"),
        ("flat:belief=particles,model=(greedy", "the parentheses of 'belief=particles,model=(greedy' do not match"),
        ("flat:belief=particles,model=flat", "flat does not state its policy, so nothing can be inferred from its"),
        ("flat:belief=particles,model=nobody", "no agent is called 'nobody': choose one of random, greedy, baseline"),
        ("value:model=champion", "value looks ahead with a scripted policy, not champion: write model=heuristic"),
        ("pomcp:model=champion,belief=closed", "champion remembers the game, so that its worlds are particles"),
        ("champion:particles=5", "closed has no option 'particles': it has none; write belief=particles,particles=5"),
        ("heuristic:noise=-1", "noise: '-1' is not a number from 0 to 1"),
        ("flat:rollout=heuristic:noise=2", "noise: '2' is not a number from 0 to 1"),
        ("flat:rollout=none", "no policy is called 'none': choose one of random, greedy, baseline, heuristic"),
        ("flat:halving=maybe", "halving=maybe: write yes or no"),
        ("ismcts:rollout=greedy", "ismcts needs a rollout policy that prefers some actions"),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_right(text: str, message: str) -> None:
    with pytest.raises(InvalidAgent) as caught:
        make_agent(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "belief"),
    [
        ("flat", "closed"),
        ("flat:belief=particles", "particles"),
        ("flat:resample=0.3,belief=particles,model=greedy", "particles,model=greedy,resample=0.3"),
        ("flat:doubt=0,belief=particles,model=greedy", "particles,model=greedy,doubt=0"),
        ("ismcts:belief=enumerated,limit=9", "enumerated,limit=9"),
        ("champion:ms=5,belief=particles,model=champion", "particles,model=champion"),
        (
            "flat:belief=particles,model=(champion:file=x.npz,temperature=0.5),ms=2",
            "particles,model=(champion:file=x.npz,temperature=0.5)",
        ),
        ("pomcp:model=greedy,particles=50", "particles,particles=50,model=greedy"),
        ("pomcp:model=greedy,belief=closed", "closed"),
        ("value:model=baseline,belief=particles", "particles,model=baseline"),
    ],
)
def test_a_belief_is_read_with_its_options(text: str, belief: str) -> None:
    found = AgentSpec.parse(text).options["belief"]
    assert found == BeliefSpec.parse(belief)
    assert str(found) == belief


def test_the_files_of_a_model_are_read_too() -> None:
    nested = "flat:belief=particles,model=(champion:file=x.npz,temperature=0.5)"
    assert AgentSpec.parse(nested).reads == (Path("x.npz"),)
    assert BeliefSpec.parse("particles,model=policy:file=y.npz").reads == (Path("y.npz"),)
    assert AgentSpec.parse("pomcp").options["belief"] is None


def test_a_budget_is_one_of_two_things() -> None:
    with pytest.raises(InvalidAgent, match="a budget is a number of simulations or of milliseconds, one of the two"):
        Budget()
    with pytest.raises(InvalidAgent, match="one of the two"):
        Budget(simulations=1, milliseconds=1.0)


# --- an agent of one's own -------------------------------------------------------------------------------

MINE = """
from uno_pomdp.agents.agent import Agent, Budget, Decision

class First(Agent):
    def __init__(self, depth="1"):
        self.depth = int(depth)

    def begin(self, seed):
        pass

    def decide(self):
        return Decision(self.observation.legal_actions()[0])

def maker():
    return First("7")

def nothing():
    return None

number = 3

class Undecided(Agent):
    pass

class Needy(First):
    def __init__(self, depth):
        pass

class Leaver(First):
    def __init__(self):
        raise SystemExit(3)

class Told(First):
    budget = Budget(milliseconds=5)

    def policy(self):
        return None
"""
BROKEN = {
    "lacking": ("import a_module_that_is_not_there\n", 1, "ModuleNotFoundError: No module named 'a_module_that"),
    "misspelt": ("x = 1\nclass First(:\n", 2, "SyntaxError: invalid syntax"),
    "raising": ("x = 1\n\n1 / 0\n", 3, "ZeroDivisionError: division by zero"),
    "leaving": ("import sys\nsys.exit(1)\n", 2, "SystemExit: 1"),
}
"""Modules that can't be loaded: their text, the line at fault, what is said of it."""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Stand in a folder with a module that holds an agent; return the module's name."""
    name = "agents_for_test_registry"
    (tmp_path / f"{name}.py").write_text(MINE)
    for broken, (text, _, _) in BROKEN.items():
        (tmp_path / f"{broken}_for_test.py").write_text(text)
    (tmp_path / "random.py").write_text("raise AssertionError('a file in the folder hides the standard library')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def test_an_agent_of_ones_own_comes_from_the_present_folder_with_its_options(mine: str) -> None:
    agent = make_agent(f"py:{mine}.First,depth=3")
    assert agent.name == f"py:{mine}.First,depth=3"
    assert isinstance(agent, OwnAgent)
    assert (vars(agent.own)["depth"], agent.own.name) == (3, agent.name)
    made = make_agent(f"py:{mine}.maker")
    assert isinstance(made, OwnAgent)
    assert vars(made.own)["depth"] == 7
    assert sys.path[0] != str(Path.cwd())  # what is installed comes first


def test_an_agent_of_ones_own_says_itself_what_it_can_do(mine: str) -> None:
    assert AgentSpec.parse(f"py:{mine}.First").can == Abilities()
    told = AgentSpec.parse(f"py:{mine}.Told,depth=3")
    assert told.can == Abilities(has_policy=True)
    assert told.timed
    assert told.without_numbers == f"py:{mine}.Told,depth=3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("py", "py plays an agent of your own: write py:module.Class, as in py:mine.Careful"),
        ("py:First", "py plays an agent of your own: write py:module.Class"),
        ("py:..First", "py plays an agent of your own: write py:module.Class"),
        ("py:depth=3", "py plays an agent of your own: write py:module.Class"),
        ("py:nowhere.at_all.First", "there is no module 'nowhere.at_all', neither in this folder nor installed"),
        ("py:", "nothing stands after the colon of py: write py:module.Class"),
        ("py:MINE.Second", "the module MINE has no class or function 'Second' that makes an agent"),
        ("py:MINE.number", "the module MINE has no class or function 'number' that makes an agent"),
        ("py:MINE.nothing", "MINE.nothing makes no agent (MINE.py, line 17): it has to return a uno_pomdp.Agent"),
        ("py:MINE.First,speed=3", "First has no option 'speed' (MINE.py, line 4): it has the options depth"),
        ("py:MINE.maker,speed=3", "maker has no option 'speed' (MINE.py, line 14): it has no options"),
        ("py:MINE.First,depth=3,depth=4", "py is given depth=… twice: give it once"),
        ("py:MINE.First,depth=deep", "MINE.First can't be made (MINE.py, line 6): ValueError: invalid literal for"),
        ("py:MINE.Undecided", "MINE.Undecided can't be made (MINE.py, line 22): TypeError: Can't instantiate abstract"),
        ("py:builtins.dict", "builtins.dict makes no agent: it has to return a uno_pomdp.Agent"),
        ("py:MINE.Needy", "Needy needs the option depth=… (MINE.py, line 25)"),
        ("py:MINE.Leaver", "MINE.Leaver can't be made (MINE.py, line 31): SystemExit: 3"),
        ("py:MINE.First,depth", "'depth' is no option of py: write name=value"),
    ],
)
def test_a_wrong_agent_of_ones_own_is_refused_with_the_reason(mine: str, text: str, message: str) -> None:
    with pytest.raises(InvalidAgent) as caught:
        make_agent(text.replace("MINE", mine))
    assert str(caught.value).startswith(message.replace("MINE", mine))


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("broken", BROKEN)
def test_a_module_that_fails_itself_is_a_sentence_with_file_and_line_and_the_error_as_its_cause(broken: str) -> None:
    _, line, reason = BROKEN[broken]
    with pytest.raises(InvalidAgent) as caught:
        make_agent(f"py:{broken}_for_test.First")
    file = f"{broken}_for_test"
    assert str(caught.value).startswith(f"the module {file} can't be loaded ({file}.py, line {line}): {reason}")
    assert caught.value.__cause__ is not None


# --- who plays and advises unless another is named -------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_whoever_stands_in_can_play_these_rules(name: str) -> None:
    rules = preset(name)
    make_agent(opponent_for(rules)).check_game(rules)
    assert make_agent(coach_for(rules)).can.values_moves
    make_agent(coach_for(rules)).check_game(rules)


def test_a_search_plays_where_there_is_no_champion() -> None:
    assert opponent_for(preset("house")).startswith("champion")
    for name in ("printed", "stacking", "party", "mini-bluff"):
        assert opponent_for(preset(name)).startswith("flat")
        assert coach_for(preset(name)).startswith("flat")
