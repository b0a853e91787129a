"""What all commands share: an example in the help, JSON, names that the shell completes, a light start."""

import json
import re
import sys
from pathlib import Path

import pytest
import typer

from benchmarks import __main__ as everything
from tests.cli.command import uno
from tests.cli.inside import call
from tests.helpers import run_python
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.cli.commands import bench as benchmarks
from uno_pomdp.cli.main import app
from uno_pomdp.cli.options import complete_agent, complete_rules
from uno_pomdp.equilibrium.sequence_form import exploitability
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.errors import UnoError
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import CHOICES, MEANINGS, PRESETS, Rules, preset

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group has them


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_help_of_every_command_has_an_example_of_it(name: str) -> None:
    assert re.search(rf"Examples?: uno-pomdp {name}\b", call(name, "--help").out)


@pytest.mark.parametrize(
    "name", sorted(set(COMMANDS) - {"play", "engine"})
)  # a person plays, an engine speaks JSON alone
def test_every_command_can_speak_to_machines(name: str) -> None:
    assert "--json" in call(name, "--help").out


@pytest.mark.parametrize(
    "name",
    sorted(set(COMMANDS) - {"agents", "rules", "bench", "solve", "analyze", "games", "serve", "engine", "schema"}),
)
def test_every_command_with_chance_and_cards_takes_a_seed_and_rules(name: str) -> None:
    text = call(name, "--help").out
    assert "--seed" in text
    assert "--rules" in text


@pytest.mark.parametrize("name", ["", *sorted(COMMANDS)])
def test_the_help_names_no_value_for_an_option_that_takes_none(name: str) -> None:
    shown = call(*[name] * bool(name), "--help").out
    assert "--help" in shown
    assert "bool" not in shown.lower()


def test_help_is_a_command_too() -> None:
    assert call("help").out == call("--help").out
    assert call("help", "play").out == call("play", "--help").out
    assert "Usage: uno-pomdp play" in call("help", "play").out


def test_one_agent_is_listed_with_or_without_options() -> None:
    for name in ("flat", "flat:ms=10"):
        assert [one["name"] for one in json.loads(call("agents", name, "--json").out)] == ["flat"]
    shown = call("agents", "policy").out
    assert "tabular policy from a file" in " ".join(shown.split())
    assert "greedy" not in shown
    assert "file    a file  the policy file" in shown


def test_rules_as_json() -> None:
    listed = json.loads(call("rules", "--json").out)
    assert [one["name"] for one in listed] == list(PRESETS)
    assert listed[0]["deck"] == "standard"
    assert json.loads(call("rules", "printed", "--json").out) == listed[2]
    assert listed[2]["drawn_card"] == "may_play"
    for told in listed:
        fields = {name: value for name, value in told.items() if name not in ("name", "about")}
        assert Rules.from_json(fields) == preset(told["name"])


def test_one_of_the_rules_in_full() -> None:
    text = call("rules", "printed").out
    for name in (*CHOICES, "deck", "hand_size"):
        assert f"\n{name} " in text
    assert "may_play" in text


@pytest.mark.parametrize("name", PRESETS)
def test_every_field_of_the_rules_is_explained_in_words(name: str) -> None:
    told = " ".join(call("rules", name).out.split())
    for field, values in CHOICES.items():
        about, words = MEANINGS[field]
        assert f"{about} {words[getattr(preset(name), field)]}" in told
        assert all(
            f"{other} would be: {words[other]}" in told for other in values if other != getattr(preset(name), field)
        )
    assert f"{len(preset(name).deck)} cards" in told
    assert "cards dealt to each player" in told


def test_every_value_of_every_field_has_words_of_its_own() -> None:
    assert {field: set(words) for field, (_, words) in MEANINGS.items()} == {
        field: set(values) for field, values in CHOICES.items()
    }
    assert all(len(set(words.values())) == len(words) for _, words in MEANINGS.values())


def test_solve_takes_its_rules_either_way() -> None:
    one = json.loads(call("solve", "mini-7", "--json", "--iterations", "50").out)
    other = json.loads(call("solve", "--rules", "mini-7", "--json", "--iterations", "50").out)
    assert one == other
    tree = build_tree(preset("mini-7"))
    assert (one["rules"], one["nodes"], one["information_sets"]) == ("mini-7", tree.size, tree.sets)


@pytest.mark.parametrize("seat", ["1", "2"])
def test_value_iteration_finds_the_exact_best_response(seat: str, tmp_path: Path) -> None:
    tree = build_tree(preset("mini-7"))
    best = exploitability(tree, scripted_policy(tree, GREEDY)).best[int(seat) - 1]
    path = str(tmp_path / "best.npz")
    words = "solve", "--rules", "mini-7", "--against", "greedy", "--seat", seat
    told = json.loads(call(*words, "--json").out)
    assert told["value"] == pytest.approx(best, abs=1e-9)
    assert (told["rules"], told["against"], told["seat"]) == ("mini-7", "greedy", f"player {seat}")
    assert (told["information_states"] > 100, told["file"]) == (True, None)
    text = call(*words, "--save", path).out
    assert f"The best response of player {seat} has {50 * (1 + best):.3f} % of the points." in text
    assert make_agent(f"policy:file={path}").name


# --- the shell -------------------------------------------------------------------------------------------


def test_the_names_of_rules_and_agents_complete() -> None:
    assert [name for name, _ in complete_rules("mini-")] == ["mini-7", "mini-9", "mini-10", "mini-12", "mini-bluff"]
    assert [name for name, _ in complete_rules("house,s")] == ["house,skip=", "house,stack=", "house,swap="]
    assert [name for name, _ in complete_rules("house,stack=")] == [
        "house,stack=no",
        "house,stack=same",
        "house,stack=rising",
    ]
    assert [name for name, _ in complete_rules("pass,stack=same,draw=o")] == ["pass,stack=same,draw=optional"]
    assert complete_rules("house,nothing=") == []
    assert [name for name, _ in complete_agent("")] == list(AGENTS)
    assert [name for name, _ in complete_agent("fl")] == ["flat"]


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("tour", ["tournament"]),
        ("games o", ["open"]),
        ("games ", ["open", "watch", "delete", "export"]),
        ("solve --solver pc", ["pcfr+"]),
        ("solve --solver ", ["cfr", "cfr+", "dcfr", "pcfr+"]),
        ("solve --rules mini-9", ["mini-9"]),
        ("train runs/a --config mi", ["mirror", "mini", "mini-mirror"]),
        ("train runs/a --against gr", ["greedy"]),
        ("bench eng", ["engine"]),
        ("agents is", ["ismcts"]),
        ("play ba", ["baseline"]),
        ("schema ar", ["arena"]),
    ],
)
def test_what_is_typed_completes(typed: str, completed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask as bash does."""
    words = f"uno-pomdp {typed}"
    asked = {"_UNO_POMDP_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert call().out.split() == completed


def test_the_options_of_an_agent_complete() -> None:
    assert [name for name, _ in complete_agent("flat:ms=10,b")] == ["flat:ms=10,belief="]
    assert dict(complete_agent("ismcts:"))["ismcts:explore="].startswith("the exploration constant")
    assert complete_agent("nobody:") == []


def test_a_shell_is_answered() -> None:
    """Ask as zsh does; its answer has one line for each completion, with what it is."""
    done = uno(_UNO_POMDP_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS="uno-pomdp arena --rules mini-")
    assert "mini-9" in done.stdout
    assert "house" not in done.stdout


# --- bench -----------------------------------------------------------------------------------------------


def test_bench_hands_over_what_is_asked_and_prints_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def measured(command: list[str], **_: object) -> int:
        asked.extend(command)
        Path(command[-1]).write_text('{"engine": {"claims": []}}')
        return 1

    monkeypatch.setattr(benchmarks, "run_child", measured)
    done = call("bench", "engine", "--quick", "--json")
    assert done.code == 1  # that of the benchmark: a claim does not hold
    assert json.loads(done.out) == {"engine": {"claims": []}}
    assert asked[:-1] == [sys.executable, "-m", "benchmarks", "--only", "engine", "--quick", "--json"]


def test_bench_knows_every_benchmark() -> None:
    assert benchmarks.names() == everything.names()


def test_bench_without_a_source_tree_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks, "ROOT", tmp_path)
    with pytest.raises(UnoError, match="the benchmarks are not installed with the package: run them in a source tree"):
        benchmarks.bench(quick=True)


# --- a light start ---------------------------------------------------------------------------------------

HEAVY = "numba", "scipy", "matplotlib", "distributed", "dask", "joblib", "pandas", "torch", "rlcard"


@pytest.mark.parametrize(
    "module",
    ["uno_pomdp", "uno_pomdp.rules", "uno_pomdp.registry", "uno_pomdp.cli.main", "uno_pomdp.cli.commands.agents"],
)
def test_what_everybody_imports_brings_nothing_heavy(module: str) -> None:
    run_python(f"import sys, {module}; found = set({HEAVY!r}) & set(sys.modules); assert not found, found")


def test_agents_and_games_bring_no_extra() -> None:
    extras = {*HEAVY, "scipy.optimize", "scipy.sparse"} - {"numba", "scipy"}  # Numba looks whether SciPy is there
    run_python(
        "import sys, uno_pomdp.search.trials.tree, uno_pomdp.game.notation; "
        f"found = {extras!r} & set(sys.modules); assert not found, found"
    )


def test_help_is_shown_without_kernels() -> None:
    code = "import sys; sys.argv[1:] = ['arena', '--help']; from uno_pomdp.cli.main import run\n"
    code += "try: run()\nexcept SystemExit: assert 'numba' not in sys.modules"
    assert "--pairs" in run_python(code).stdout


@pytest.mark.parametrize(
    "line",
    [
        "arena random greedy --pairs 2 --processes 1 --json",
        "tournament random greedy --pairs 2 --processes 1 --json",
        "watch random greedy --json",
        "nash random --pairs 2 --sims 2 --processes 1 --json",
        "rules",
    ],
)
def test_a_preset_with_changed_fields_is_taken_everywhere(line: str) -> None:
    rules = "mini-7,drawn_card=may_play,swap=seven_zero"
    words = line.split()
    done = call(*words, rules, "--json") if line == "rules" else call(*words, "--rules", rules)
    assert done.code == 0, done.err
    assert rules in done.out


def test_changed_rules_that_are_none_are_refused_with_what_would_be_right() -> None:
    done = call("arena", "random", "greedy", "--rules", "printed,stack=same")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err == "uno-pomdp: stack: no rules know stack=same and wild_four=challenge at once: choose one of them\n"
    )
