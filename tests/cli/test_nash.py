"""`uno-pomdp nash` and `solve`: reports, JSON, files, refusals."""

import json
from pathlib import Path

import pytest

from tests.cli.command import uno
from tests.cli.inside import call
from tests.nets.following import untrained
from uno_pomdp import extras
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.cli.commands.nash import print_report
from uno_pomdp.equilibrium.attempts import Attempt
from uno_pomdp.equilibrium.nash_report import ExactMargin, NashReport
from uno_pomdp.equilibrium.sequence_form import Bracket, Exploitability
from uno_pomdp.nets.net_file import NetFile
from uno_pomdp.rules import preset

NASH = ("nash", "baseline", "--rules", "mini-7", "--pairs", "3", "--sims", "20", "--processes", "1")


def test_a_report_for_people_ends_with_its_verdict(tmp_path: Path) -> None:
    done = uno(*NASH, "--plot", str(tmp_path / "p.svg"), COLUMNS="80", NO_COLOR="1")
    assert done.stdout.startswith("Is baseline an equilibrium? Rules mini-7, seed 1\n")
    assert "exact best response" in done.stdout
    text = " ".join(done.stdout.split())
    assert "over the whole game tree the best responses gain 4.26 points of 100." in text
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert (tmp_path / "p.svg").exists()


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
