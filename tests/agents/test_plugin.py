"""Agents of one's own: whatever they do wrong, in whatever method, is one failure that says who, how and where."""

import pickle
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tests.agents.wrong import FIGURES, RAISED, RETURNED
from uno_pomdp.agents.agent import Agent, Candidate, Decision, InvalidAgent
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.agents.plugin import OwnCoach
from uno_pomdp.agents.progress import Progress, SearchStopped
from uno_pomdp.arena.match import play_game
from uno_pomdp.errors import Interrupted
from uno_pomdp.game.game import Game
from uno_pomdp.registry import AgentSpec, as_model, make_agent
from uno_pomdp.search.move_values import MoveValues

MODULE: Final = "py:tests.agents.wrong"
THERE: Final = r"tests/agents/wrong\.py, line \d+\)"
"""A place in that module."""


HEIR: Final = """import numpy as np

from tests.agents.wrong import Wrong


class Heir(Wrong):
    pass


class Lost(Wrong):
    def decide(self):
        return np.zeros(3).reshape(2, 2)


class Deep(Wrong):
    def decide(self):
        return thought()


class Unmade(Wrong):
    def __init__(self):
        thought()


def thought():
    raise ValueError("too deep")
"""
"""Agents whose errors come from elsewhere."""


def opened(agent: Agent) -> Game:
    """Begin a game with this agent as player 1, to move."""
    game = Game.new("house", 5)
    agent.check_game(game.rules, 0)
    agent.start(game.rules, game.observation(0), 1)
    return game


def told(agent: Agent) -> None:
    """Tell it of a move."""
    game = opened(agent)
    game.apply(game.legal_actions()[0])
    agent.update(*game.last_step(0))


def decided(agent: Agent) -> None:
    """Let it decide."""
    opened(agent)
    agent.decide()


def valued(agent: Agent) -> None:
    """Let it value moves."""
    opened(agent)
    assert isinstance(agent, OwnCoach)
    agent.move_values()


def stated(agent: Agent) -> None:
    """Let it state its policy."""
    opened(agent)
    agent.policy()


ASKED: Final[dict[str, Callable[[Agent], object]]] = {
    "check_game": opened,
    "begin": opened,
    "follow": told,
    "decide": decided,
    "move_values": valued,
    "policy": stated,
}
"""What calls each method."""
WRONG: Final = [
    *((kind, method) for kind in RAISED if kind != "interrupts" for method in ASKED),
    *((kind, method) for kind in (*FIGURES, *RETURNED) for method in ("decide", "move_values")),
    *((kind, method) for kind in ("nan", "inf", "above", "below", "illegal", "number") for method in ("policy",)),
]


@pytest.mark.parametrize(("kind", "method"), WRONG)
def test_whatever_an_agent_does_wrong_is_a_failure_that_names_it_its_method_file_and_line(
    kind: str, method: str
) -> None:
    text = f"{MODULE}.WrongPolicy,kind={kind},method={method}"
    with pytest.raises(AgentFailure) as caught:
        ASKED[method](make_agent(text))
    assert re.fullmatch(rf"{re.escape(text)} failed: \w+(: .+)?, in {method} \({THERE}", str(caught.value))
    assert (caught.value.agent, caught.value.record) == (text, "")
    assert isinstance(caught.value.__cause__, BaseException)
    assert "\n" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.agent, again.reason, str(again)) == (text, caught.value.reason, str(caught.value))


@pytest.mark.parametrize("kind", RAISED)
def test_an_agent_that_can_not_be_made_is_refused_whatever_it_raises(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uno_pomdp.agents.failure._may_be_pressed", lambda: False)  # as in the command
    with pytest.raises(InvalidAgent, match=rf"^tests\.agents\.wrong\.Wrong can't be made \({THERE}: \w+"):
        make_agent(f"{MODULE}.Wrong,kind={kind},method=__init__")


def test_the_line_is_the_agents_own_where_another_library_or_another_file_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "heir_for_test.py").write_text(HEIR)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AgentFailure, match=r"cannot reshape .*, in decide \(heir_for_test\.py, line 12\)$"):
        decided(make_agent("py:heir_for_test.Lost"))
    with pytest.raises(AgentFailure, match=rf"no idea.*, in decide \(\S*{THERE}$"):
        decided(make_agent("py:heir_for_test.Heir"))
    with pytest.raises(AgentFailure, match=r"too deep, in decide \(heir_for_test\.py, line 26\)$"):
        decided(make_agent("py:heir_for_test.Deep"))
    with pytest.raises(
        InvalidAgent, match=r"Unmade can't be made \(heir_for_test\.py, line 26\): ValueError: too deep$"
    ):
        make_agent("py:heir_for_test.Unmade")


@pytest.mark.parametrize("about", ["can", "budget"])
def test_an_agent_that_says_of_itself_what_can_not_be_has_failed(about: str) -> None:
    with pytest.raises(AgentFailure, match=f"Stated failed: TypeError: {about} is int, but has to be "):
        make_agent(f"{MODULE}.Stated,about={about}")


def test_a_failure_in_a_game_says_when_and_has_its_record() -> None:
    text = f"{MODULE}.Wrong,kind=exits"
    with pytest.raises(AgentFailure, match=f"as player 2 after 1 move, SystemExit: 0, in decide .{THERE}$") as caught:
        play_game("house", 5, ("random", text))
    assert caught.value.record.count("\n") > 3


def test_exits_of_agents_that_are_given_as_objects_are_failures_too() -> None:
    class Leaver(Agent):
        name = "leaver"

        def decide(self) -> Decision:
            sys.exit(0)

    with pytest.raises(AgentFailure, match=r"leaver failed: as player 1 after 0 moves, SystemExit: 0, in decide \("):
        play_game("house", 5, (Leaver(), "random"))


def test_a_failing_model_is_named_beside_the_agent_that_asks_it() -> None:
    model = f"{MODULE}.WrongPolicy,kind=raises,method=policy"
    text = f"flat:sims=20,belief=particles,model=({model})"
    with pytest.raises(AgentFailure, match=rf"flat.* failed: as player \d after \d+ moves?, {re.escape(model)} failed"):
        play_game("mini-9", 2, (text, "random"))


@pytest.mark.parametrize(
    ("name", "kind", "method"),
    [
        ("Modelled", "exits", "as_model"),
        ("Modelled", "exits", "start"),
        ("Modelled", "exits", "follow"),
        ("Modelled", "exits", "probabilities"),
        ("Modelled", "above", "probabilities"),
        ("MemorylessModelled", "exits", "log_probabilities"),
        ("MemorylessModelled", "above", "log_probabilities"),
    ],
)
def test_a_model_of_ones_own_is_asked_in_the_same_way(name: str, kind: str, method: str) -> None:
    text = f"{MODULE}.{name},kind={kind},method={method}"
    with pytest.raises(AgentFailure, match=rf"{re.escape(text)} failed: .*, in {method} .{THERE}"):
        play_game("mini-9", 2, (f"flat:sims=20,belief=particles,model=({text})", "random"))


def test_a_sound_model_of_ones_own_is_the_model() -> None:
    for name in ("Modelled", "MemorylessModelled"):
        model = as_model(f"{MODULE}.{name},kind=fine,method=nothing")
        assert model.name == f"{MODULE}.{name},kind=fine,method=nothing"
        play_game("mini-9", 2, (f"flat:sims=20,belief=particles,model=({model.name})", "random"))


# --- who stops the program is no failure ----------------------------------------------------------------


def test_ctrl_c_in_a_program_of_ones_own_goes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        decided(make_agent(f"{MODULE}.Wrong,kind=interrupts"))
    with pytest.raises(KeyboardInterrupt):
        decided(make_agent(f"{MODULE}.Wrong,kind=pressed"))


def test_an_interrupt_that_no_person_can_have_pressed_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, failures = make_agent(f"{MODULE}.Wrong,kind=interrupts"), []

    def ask() -> None:
        try:
            decided(agent)
        except AgentFailure as failure:
            failures.append(str(failure))

    beside = threading.Thread(target=ask)
    beside.start()
    beside.join()
    monkeypatch.setattr("signal.getsignal", lambda _: len)  # the command has a handler of its own
    ask()
    assert len(failures) == 2
    assert all("failed: KeyboardInterrupt, in decide" in said for said in failures)


class Stops(Agent):
    """Raises what is no fault of its own, behind an error of its own."""

    name = "stops"

    def __init__(self, why: BaseException, told: bool) -> None:
        self.why, self.told = why, told

    def decide(self) -> Decision:
        """Stop."""
        try:
            raise self.why
        except BaseException as error:
            if self.told:
                raise RuntimeError("tidying up failed") from error
            raise RuntimeError("tidying up failed")  # noqa: B904  # as one does who does not mean to


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("why", [Interrupted(), SearchStopped()])
def test_who_stops_it_counts_and_not_what_the_agent_makes_of_it(why: BaseException, told: bool) -> None:
    agent = Stops(why, told)
    with pytest.raises(type(why)):
        play_game("house", 5, (agent, "random"))


# --- what goes through unharmed --------------------------------------------------------------------------


def test_an_agent_without_fault_is_asked_as_it_is() -> None:
    agent = make_agent(f"{MODULE}.WrongPolicy,kind=fine,method=nothing")
    game = opened(agent)
    legal = game.legal_actions()
    assert agent.decide() == Decision(legal[0], tuple(Candidate(action, 0.5, 0.1, 5) for action in legal))
    stated = agent.policy()
    assert stated is not None
    assert stated.sum() == pytest.approx(1.0)
    assert isinstance(agent, OwnCoach)
    values = agent.move_values()
    assert isinstance(values, MoveValues)
    assert [one.action for one in values.candidates] == list(legal)
    assert (agent.can.values_moves, agent.can.has_policy, agent.timed, agent.as_model()) == (True, True, False, None)
    for ask in (agent.decide, agent.move_values):
        agent.progress = Progress()
        ask()
        assert agent.own.progress is agent.progress
    assert agent.consider(game).action == legal[0]
    assert AgentSpec.parse(f"{MODULE}.Wrong,kind=fine").can.values_moves


def test_figures_of_other_kinds_of_numbers_are_written_as_json_has_them() -> None:
    action = Game.new("house", 5).legal_actions()[0]
    one: Any = Candidate(action, np.float32(0.5), np.float64(0.25), np.int64(3))  # type: ignore[arg-type]
    one.check()
    figures = one.to_json()
    assert [type(figures[name]) for name in ("value", "error", "simulations")] == [float, float, int]


def test_what_an_agent_prints_goes_to_the_error_output(capsys: pytest.CaptureFixture[str]) -> None:
    for method in ("__init__", *ASKED):
        agent = make_agent(f"{MODULE}.WrongPolicy,kind=prints,method={method}")
        if method in ASKED:
            ASKED[method](agent)
        said = capsys.readouterr()
        assert (said.out, said.err) == ("", f"I am {method}\n")
