"""`uno-pomdp nash` and `solve`: reports, JSON, files, refusals."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pytest

from tests.cli.command import uno
from tests.cli.inside import call
from tests.nets.following import untrained
from uno_pomdp import exploitability, extras
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.cli.commands.nash import print_report
from uno_pomdp.equilibrium.attempts import Attempt
from uno_pomdp.equilibrium.nash_report import ExactMargin, NashReport, nash_report
from uno_pomdp.equilibrium.nash_table import NashTable
from uno_pomdp.equilibrium.sequence_form import Bracket, Exploitability
from uno_pomdp.errors import CannotWrite
from uno_pomdp.nets.net_file import NetFile
from uno_pomdp.rules import Rules, preset

NASH = ("nash", "baseline", "--rules", "mini-7", "--pairs", "3", "--sims", "20", "--processes", "1")


def test_a_report_for_people_ends_with_its_verdict(tmp_path: Path) -> None:
    done = uno(*NASH, "--plot", str(tmp_path / "p.svg"), COLUMNS="80", NO_COLOR="1")
    assert done.stdout.startswith("Is baseline an equilibrium? Rules mini-7, seed 1\n")
    assert "exact best response" in done.stdout
    text = " ".join(done.stdout.split())
    assert "over the whole game tree the best responses gain 4.26 points of 100." in text
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert (tmp_path / "p.svg").exists()


def test_rules_may_be_a_preset_with_changed_fields() -> None:
    """The report names them so that the same text asks for them again."""
    text = "mini-7,draw=until_playable,swap=seven_zero"
    found = json.loads(call("nash", "baseline", "--rules", text, *NASH[4:], "--json").out)
    assert found["rules"] == text
    assert found["exact"]["margin"] == pytest.approx(exploitability("baseline", text).points, abs=1e-9)
    deck = "mini-bluff,deck=R0 R0 R0 R0 Y1 Y1 Y1 Y1 W4 W4"
    assert json.loads(call("nash", "baseline", "--rules", deck, *NASH[4:], "--json").out)["rules"] == deck
    assert json.loads(call("solve", text, "--json").out)["exploitability"] < 1e-3


def test_a_report_is_in_points_of_100_where_values_are_from_minus_one_to_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A value v is 50 (1 + v) points of 100, a margin m of points is 100 m."""
    margin, joint = Interval(0.0625, -0.03, 0.155), Interval(0.0625, -0.0875, 0.2)
    bound = Attempt("flat", "plays out by its policy", True, 1234, margin, joint)
    exact = ExactMargin(Exploitability(0.1, (0.5, 0.2)), Bracket(0.25, 0.26))
    print_report(NashReport("mini-7", "baseline", 1, Interval(0.55, 0.5, 0.6), (bound,), exact))
    text = " ".join(capsys.readouterr().out.split())
    assert "player 1 has 55.00 % of the points (50.00 to 60.00)" in text
    assert "1,234 +6.25 -3.00 to +15.50 -8.75 36 %" in text  # of 17.5 points, half of the mean gain
    assert "exact best response +17.50 exact 100 %" in text
    assert "has 75.00 % as player 1 and 60.00 % as player 2; perfect play gives player 1 62.50 to 63.00 %" in text


def test_a_report_for_machines_is_one_document_and_the_same_each_time() -> None:
    first = json.loads(uno(*NASH, "--population", "--json").stdout)
    assert json.loads(call(*NASH, "--population", "--json").out) == first
    assert first["exact"]["margin"] == pytest.approx(0.0425926, abs=1e-6)
    assert len(first["bounds"]) == 3
    for bound in first["bounds"]:
        assert bound["joint"]["low"] < bound["margin"]["low"] < bound["margin"]["high"] < bound["joint"]["high"]
    assert set(first["self_play_of_player_1"]) == {"estimate", "low", "high"}
    assert first["exact"]["value_of_the_game"]["low"] <= first["exact"]["value_of_the_game"]["high"]
    assert first["nothing_exact_because"] is None
    assert sum(first["population"]["mixture"]) == pytest.approx(1.0)
    assert first["population"]["agents"][:4] == ["random", "greedy", "baseline", "heuristic"]


# --- every agent against itself --------------------------------------------------------------------------

ALL: Final = ("nash", "--all", "--rules", "mini-7", "--pairs", "2", "--sims", "5", "--processes", "1")
FEW: Final = "greedy", "flat:sims=3", "baseline"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ask about three agents alone, in a folder of one's own."""
    monkeypatch.setattr("uno_pomdp.equilibrium.nash_table.AGENTS", FEW)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("few")
def test_all_agents_are_told_in_one_table_and_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = call(*ALL, "--plot", "all.svg")
    assert done.code == 0, done.err
    title, heads, *rows = done.out.splitlines()
    assert title == "Every agent against itself: rules mini-7, seed 1"
    assert heads.split() == ["agent", "player", "1", ":", "2", "margin", "95", "%", "together", "exact", "verdict"]
    assert [row.split()[0] for row in rows[:3]] == list(FEW)
    assert rows[0].rstrip().endswith("+4.9  no equilibrium")
    assert max(map(len, done.out.splitlines())) <= 80
    assert "flat:sims=3" in Path("all.svg").read_text(encoding="utf-8")


@pytest.mark.usefixtures("few")
def test_each_report_of_all_is_what_one_agent_is_told_with_the_same_seed() -> None:
    told = json.loads(call(*ALL, "--json").out)
    assert told["unfinished"] == []
    for report in told["reports"]:
        alone = ("nash", report["agent"], *ALL[2:], "--json")
        assert json.loads(call(*alone).out) == report


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("kept", [(), ("--folder", "kept")])
def test_rows_that_are_finished_are_told_though_the_rest_is_stopped(kept: tuple[str, ...]) -> None:
    whole = json.loads(call(*ALL, "--json").out)
    for json_too in ((), ("--json",)):
        with mock.patch("uno_pomdp.equilibrium.nash_table.nash_report", _stopping_at("flat:sims=3")):
            done = call(*ALL, *kept, *json_too, "--plot", "all.svg")
        assert done.code == 130
        rest = "of the rest finished pairs are kept in kept" if kept else "of the rest nothing is kept: for that give"
        assert f"; 1 finished row printed, and {rest}" in done.err
        assert done.err.count("\n") == 1
        assert not Path("all.svg").exists()
        if json_too:
            told = json.loads(done.out)
            assert (told["reports"], told["unfinished"]) == (whole["reports"][:1], list(FEW[1:]))
        else:
            assert "\ngreedy " in done.out
            assert "\nNot finished: flat:sims=3, baseline.\n" in done.out
    if kept:
        assert json.loads(call(*ALL, *kept, "--json").out) == whole


@pytest.mark.usefixtures("few")
def test_nothing_is_printed_where_no_row_was_finished() -> None:
    with mock.patch("uno_pomdp.equilibrium.nash_table.nash_report", _stopping_at("greedy")):
        done = call(*ALL, "--json")
    assert (done.code, done.out) == (130, "")
    assert done.err == "uno-pomdp: stopped before a pair was finished; nothing is kept: for that give --folder DIR\n"


@pytest.mark.usefixtures("few")
def test_rows_are_told_though_the_rest_or_the_picture_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    full = CannotWrite("kept", "No space left on device")
    with mock.patch("uno_pomdp.equilibrium.nash_table.nash_report", _stopping_at("baseline", full)):
        done = call(*ALL)
    assert (done.code, done.err) == (2, "uno-pomdp: kept can't be written: No space left on device\n")
    assert "\nNot finished: baseline.\n" in done.out
    monkeypatch.setattr(NashTable, "draw", mock.Mock(side_effect=full))
    done = call(*ALL, "--plot", "all.svg", "--json")
    assert (done.code, done.err) == (2, "uno-pomdp: kept can't be written: No space left on device\n")
    assert len(json.loads(done.out)["reports"]) == 3


def _stopping_at(
    agent: str, error: BaseException | type[BaseException] = KeyboardInterrupt
) -> Callable[..., NashReport]:
    def function(rules: Rules, asked: str, *words: Any, **options: Any) -> NashReport:
        if asked == agent:
            raise error
        return nash_report(rules, asked, *words, **options)

    return function


def test_nets_that_were_trained_before_are_further_attempts(tmp_path: Path) -> None:
    net = untrained(preset("mini-7"))
    net.save(tmp_path / "any.npz")
    answering = NetFile(net.rules, {"answers": "baseline", "decisions": 1234}, untrained(net.rules, 2).net)
    answering.save(tmp_path / "response.npz")
    files = [word for name in ("any", "response") for word in ("--response", str(tmp_path / f"{name}.npz"))]
    told = json.loads(call(*NASH, *files, "--json").out)
    assert len(told["bounds"]) == 5
    nets = {bound["about"]: bound for bound in told["bounds"] if bound["challenger"].startswith("learned")}
    assert set(nets) == {"any.npz: learnt, but not against it", "response.npz: learnt against it on 1,234 choices"}
    assert [nets[about]["true_model"] for about in sorted(nets)] == [False, True]
    assert {bound["pairs"] for bound in nets.values()} == {60}


def test_learning_needs_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    monkeypatch.chdir(Path(__file__).parents[2])  # a clone
    done = call(*NASH, "--learn", "1")
    assert done.err == "uno-pomdp: training needs torch: install it with pip install '.[train]'\n"
    assert (done.code, done.out) == (2, "")


def test_a_solution_is_saved_and_can_be_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "mini-7.npz"
    told = json.loads(call("solve", "mini-7", "--until", "1e-5", "--save", str(file), "--json").out)
    assert told["exploitability"] < 1e-5
    assert told["value_of_the_game"] == pytest.approx({"low": 47 / 135, "high": 47 / 135}, abs=1e-4)
    assert told["curve"][-1]["iterations"] == told["iterations"]
    asked = uno("nash", f"policy:file={file}", "--rules", "mini-7", "--pairs", "2", "--sims", "5", COLUMNS="300")
    assert "is an equilibrium within 0.000 points of 100" in asked.stdout
    assert "heuristic, which is not its policy" in asked.stdout


def test_the_curve_of_a_solver_is_printed_and_a_bar_that_was_missed_is_said() -> None:
    done = uno("solve", "mini-7", "--solver", "cfr", "--iterations", "60", "--until", "1e-9", COLUMNS="200")
    assert done.stdout.startswith("mini-7: ")
    assert [line.split()[0] for line in done.stdout.splitlines()[3:6]] == ["25", "50", "60"]
    assert "The bar of 1e-09 was not reached: give more --iterations." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nash", "nobody"), "uno-pomdp: no agent is called 'nobody'"),
        (("nash", "random", "--sims", "5", "--ms", "5"), "uno-pomdp: give the challengers --sims or --ms, not both"),
        (("nash", "random", "--plot", "a.txt"), "uno-pomdp: a.txt is no file for a picture"),
        (("solve", "house"), "uno-pomdp: a game with reshuffles has no finite tree"),
        (("solve", "mini-7", "--solver", "x"), "uno-pomdp: no solver is called 'x': choose one of cfr, "),
        (("solve", "mini-7", "--save", "a.txt"), "uno-pomdp: a.txt is no file for a policy"),
    ],
)
def test_refusals_are_one_sentence(arguments: tuple[str, ...], says: str) -> None:
    done = call(*arguments)
    assert says in done.err
    assert (done.code, done.out) == (2, "")
