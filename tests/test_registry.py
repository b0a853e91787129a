"""Texts become agents, or a sentence that says what would be right."""

import sys
from pathlib import Path

import pytest

from uno_pomdp.agents.agent import Budget, InvalidAgent
from uno_pomdp.registry import AGENTS, make_agent
from uno_pomdp.search.search import Planner


@pytest.mark.parametrize("name", sorted(AGENTS.keys() - {"policy", "py"}))  # which need a file
def test_every_agent_can_be_made_by_its_name_and_keeps_it(name: str) -> None:
    assert make_agent(name).name == name
    assert AGENTS[name].about


def test_options_reach_the_agent() -> None:
    agent = make_agent("flat:sims=300,belief=uniform,rollout=baseline,halving=no")
    assert isinstance(agent, Planner)
    assert agent.budget == Budget(simulations=300)
    assert agent.name == "flat:sims=300,belief=uniform,rollout=baseline,halving=no"
    timed = make_agent("ismcts:ms=2.5")
    assert isinstance(timed, Planner)
    assert timed.budget == Budget(milliseconds=2.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "no agent is called 'nobody': choose one of random, greedy, baseline, heuristic, flat, ismcts"),
        ("greedy:ms=1", "greedy has no option 'ms': it has no options"),
        ("flat:speed=1", "flat has no option 'speed': it has the options ms, sims, belief, rollout, halving"),
        ("flat:ms", "'ms' is no option of flat: write name=value"),
        ("flat:ms=soon", "ms: 'soon' is not a number above 0 and up to 86,400,000"),
        ("flat:ms=1,sims=2", "give ms=… or sims=…, not both"),
        ("flat:sims=1.5", "sims: '1.5' is not a whole number from 1 to 1,000,000,000"),
        ("flat:sims=0", "sims: 0 is not a whole number from 1 to 1,000,000,000"),
        ("flat:sims=99999999999999999999", "sims: 99999999999999999999 is not a whole number from 1 to 1,000,000,000"),
        ("flat:", "nothing stands after the colon of flat: write flat, or flat:name=value"),
        ("flat:ms=1,ms=2", "flat is given ms=… twice: give it once"),
        ("flat:ms=1,", "'' is no option of flat: write name=value"),
        ("flat:=1", "'=1' is no option of flat: write name=value"),
        ("flat:ms= ", "'ms=' is no option of flat: write name=value"),
        ("flat:belief=none", "no belief is called 'none': choose one of closed, uniform, random, greedy"),
        ("flat:rollout=none", "no policy is called 'none': choose one of random, greedy, baseline, heuristic"),
        ("flat:halving=maybe", "halving=maybe: write yes or no"),
        ("ismcts:rollout=greedy", "ismcts needs a rollout policy that prefers some actions"),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_right(text: str, message: str) -> None:
    with pytest.raises(InvalidAgent) as caught:
        make_agent(text)
    assert str(caught.value).startswith(message)


def test_a_budget_is_one_of_two_things() -> None:
    with pytest.raises(InvalidAgent, match="a budget is a number of simulations or of milliseconds, one of the two"):
        Budget()
    with pytest.raises(InvalidAgent, match="one of the two"):
        Budget(simulations=1, milliseconds=1.0)


# --- an agent of one's own -------------------------------------------------------------------------------

MINE = """
from uno_pomdp.agents.agent import Agent, Decision

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
    assert vars(agent)["depth"] == 3
    assert vars(make_agent(f"py:{mine}.maker"))["depth"] == 7
    assert sys.path[0] != str(Path.cwd())  # what is installed comes first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("py", "py plays an agent of your own: write py:module.Class, as in py:mine.Careful"),
        ("py:First", "py plays an agent of your own: write py:module.Class"),
        ("py:..First", "py plays an agent of your own: write py:module.Class"),
        ("py:depth=3", "py plays an agent of your own: write py:module.Class"),
        ("py:nowhere.at_all.First", "there is no module 'nowhere.at_all', neither in this folder nor installed"),
        ("py:", "nothing stands after the colon of py"),
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
