"""The benchmarks run, and their harness says the truth about bars, peers and exit codes."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as everything
from benchmarks import harness
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, shown

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _any_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tests run on every core: a fake benchmark must not bind them to one."""
    monkeypatch.setattr(harness, "_stay_on_one_core", lambda: None)


def fake(*claims: Claim, peer: str | None = None) -> Benchmark:
    return Benchmark("fake", (Part("a fake part", lambda _: claims, peer=peer),))


def report_of(benchmark: Benchmark, folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    path = folder / "report.json"
    code = harness.run(benchmark, ["--json", str(path), *options])
    return code, json.loads(path.read_text(encoding="utf-8"))


def check_shape(report: dict[str, Any]) -> None:
    assert list(report) == ["claims", "machine", "versions"]
    assert report["claims"]
    for claim in report["claims"]:
        assert list(claim) == ["name", "value", "bar", "holds"]
        assert isinstance(claim["holds"], bool)
    assert list(report["machine"]) == ["cpu", "cores", "python", "os"]
    assert {"numpy", "numba", "uno-pomdp"} <= set(report["versions"])


# --- the scripts -----------------------------------------------------------------------------------------


AS_A_PROCESS = "oracle"
"""The script that is started as a person does; the others run in this process, which has started once."""


PICTURES = {
    "particle_filter": {
        f"particles-{name}.svg" for name in ("log-loss-house", "log-loss-mini-12", "strength", "course", "time")
    },
    "bluffing": {f"bluffing-{name}.svg" for name in ("bluffs-mixing", "challenges-mixing", "habits", "decks")},
}
"""What scripts draw where they are told to."""


@pytest.mark.parametrize("name", [name for name in everything.names() if name != AS_A_PROCESS])
def test_every_script_runs_quickly_and_draws_where_it_is_told_to(name: str, tmp_path: Path) -> None:
    script = importlib.import_module(f"benchmarks.{name}")
    own = name in ("belief_quality", "bluffing", "filter", "particle_filter")  # these have options of their own
    main = script.main if own else partial(harness.run, script.BENCHMARK)
    path, folder = tmp_path / "report.json", tmp_path / "pictures"
    folder.mkdir()
    pictures = ["--pictures", str(folder)] if name in PICTURES else []
    assert main(["--quick", "--json", str(path), *pictures]) == harness.HOLDS
    report = json.loads(path.read_text(encoding="utf-8"))
    check_shape(report)
    assert all(claim["bar"] is None for claim in report["claims"])
    assert {path.name for path in folder.glob("*")} == PICTURES.get(name, set())


def test_a_script_runs_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    command = [sys.executable, "-m", f"benchmarks.{AS_A_PROCESS}", "--quick", "--json", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == harness.HOLDS, done.stderr
    report = json.loads(path.read_text(encoding="utf-8"))
    check_shape(report)
    assert report["claims"][0]["value"] == 0, done.stderr  # without a bar a difference would go by in silence


def test_the_scripts_are_found_by_listing() -> None:
    assert {"engine", "oracle"} <= set(everything.names())
    assert not {"harness", "__init__", "__main__"} & set(everything.names())


# --- claims ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (at_least("speed", 3.0, 2.0, "×"), True),
        (at_least("speed", 2.0, 2.0, "×"), True),
        (at_least("speed", 1.9, 2.0, "×"), False),
        (at_least("speed", float("nan"), 2.0, "×"), False),
        (at_most("time", 1.9, 2.0, "s"), True),
        (at_most("time", 2.0, 2.0, "s"), True),
        (at_most("time", 3.0, 2.0, "s"), False),
        (at_most("time", float("nan"), 2.0, "s"), False),
        (shown("size", 3.0, "cards"), True),
    ],
)
def test_a_claim_holds_on_the_right_side_of_its_bar(claim: Claim, holds: bool) -> None:
    assert claim.holds is holds


def test_a_bar_that_is_missed_makes_the_run_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = report_of(fake(at_least("speed", 1, 2, "×"), at_most("time", 1, 2, "s")), tmp_path)
    assert code == harness.BROKEN
    check_shape(report)
    assert report["claims"] == [
        {"name": "speed [×, at least]", "value": 1.0, "bar": 2.0, "holds": False},
        {"name": "time [s, at most]", "value": 1.0, "bar": 2.0, "holds": True},
    ]
    assert "at least 2" in capsys.readouterr().out


def test_bars_that_are_reached_make_the_run_pass(tmp_path: Path) -> None:
    code, report = report_of(fake(at_least("speed", 2, 2, "×"), shown("size", 7, "cards")), tmp_path)
    assert code == harness.HOLDS
    assert [claim["bar"] for claim in report["claims"]] == [2.0, None]


def test_a_quick_run_has_no_bars(tmp_path: Path) -> None:
    code, report = report_of(fake(at_least("speed", 1, 2, "×")), tmp_path, "--quick")
    assert code == harness.HOLDS
    assert report["claims"] == [{"name": "speed [×]", "value": 1.0, "bar": None, "holds": True}]


def test_what_a_part_raises_is_not_swallowed(tmp_path: Path) -> None:
    def broken(_: Run) -> Iterator[Claim]:
        raise ZeroDivisionError
        yield

    with pytest.raises(ZeroDivisionError):
        harness.run(Benchmark("fake", (Part("broken", broken),)), ["--json", str(tmp_path / "report.json")])
    assert not list(tmp_path.iterdir())


# --- peers -----------------------------------------------------------------------------------------------


def test_a_full_run_without_its_peer_names_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    code = harness.run(fake(shown("size", 1, "cards"), peer="no_such_peer"), ["--json", str(path)])
    assert code == harness.UNABLE
    assert capsys.readouterr().err == "fake needs no_such_peer: run `make bench`.\n"
    assert not path.exists()


def test_a_quick_run_without_its_peer_skips_what_needs_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = (
        Part("needs a peer", lambda _: [shown("never", 1, "×")], peer="no_such_peer"),
        Part("needs none", lambda _: [shown("size", 7, "cards")]),
    )
    code, report = report_of(Benchmark("fake", parts), tmp_path, "--quick")
    assert code == harness.HOLDS
    check_shape(report)
    assert [claim["value"] for claim in report["claims"]] == [None, 7.0]
    assert report["claims"][0]["name"].startswith("needs a peer [skipped")
    assert "skipped" in capsys.readouterr().out
    assert "no_such_peer" not in report["versions"]


# --- measuring -------------------------------------------------------------------------------------------


def test_sides_are_measured_in_turn() -> None:
    order = []

    def side(name: str, value: float) -> Any:
        def measure(repeat: int) -> float:
            order.append(f"{name}{repeat}")
            return value

        return measure

    assert Run().interleaved(side("A", 1), side("B", 2)) == ([1] * 5, [2] * 5)
    assert order == ["A0", "B0", "A1", "B1", "A2", "B2", "A3", "B3", "A4", "B4"]


def test_a_slow_spell_on_both_sides_leaves_the_ratio_alone() -> None:
    assert harness.median_ratio([10, 5, 10, 1, 2], [5, 2.5, 5, 0.5, 1]) == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "skipped"), (0, "0"), (0.01234, "0.0123"), (50.812, "50.81"), (700.0, "700"), (1234567.8, "1,234,568")],
)
def test_figures_are_written_for_people(value: float | None, text: str) -> None:
    assert harness.figure(value) == text


# --- the page --------------------------------------------------------------------------------------------


def report(*claims: Claim) -> dict[str, Any]:
    return harness.report(claims, peers=[])


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a page of its own, written from scripts that need not run."""
    reports = {
        "engine": report(at_least("speed", 1, 2, "×"), shown("size", 7, "cards")),
        "oracle": report(at_most("differences", 0, 0, "games")),
    }
    monkeypatch.setattr(everything, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(everything, "names", lambda: ["engine", "oracle"])
    monkeypatch.setattr(everything, "run_script", lambda name, _: reports[name])
    return tmp_path / "benchmarks.md"


def test_the_page_has_a_command_beside_each_table(page: Path) -> None:
    assert everything.main([]) == harness.BROKEN
    text = page.read_text(encoding="utf-8")
    assert "```sh\npython -m benchmarks.engine\n```" in text
    assert "| speed [×, at least] | 1 | 2 | **no** |" in text
    assert "Does not hold: speed [×, at least]." in text
    assert "| size [cards] | 7 |  |  |" in text
    assert "| differences [games, at most] | 0 | 0 | yes |" in text
    assert f"numpy {harness.versions([])['numpy']}" in text


def test_one_benchmark_alone_leaves_the_other_sections_as_they_are(page: Path) -> None:
    everything.main([])
    before = page.read_text(encoding="utf-8")
    page.write_text(before.replace("| speed [×, at least] | 1 |", "| speed [×, at least] | 1.5 |"), encoding="utf-8")
    assert everything.main(["--only", "oracle"]) == harness.HOLDS
    after = page.read_text(encoding="utf-8")
    assert "| speed [×, at least] | 1.5 |" in after
    assert everything.main(["--only", "engine"]) == harness.BROKEN
    assert page.read_text(encoding="utf-8") == before


def test_a_section_of_a_script_that_is_gone_is_dropped(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything.main([])
    monkeypatch.setattr(everything, "names", lambda: ["oracle"])
    everything.main([])
    assert list(everything.sections_of(page.read_text(encoding="utf-8"))) == ["oracle"]


def test_a_script_that_gives_no_result_keeps_its_section(monkeypatch: pytest.MonkeyPatch, page: Path) -> None:
    everything.main([])
    before = page.read_text(encoding="utf-8")
    monkeypatch.setattr(everything, "run_script", lambda *_: None)
    assert everything.main([]) == harness.UNABLE
    assert page.read_text(encoding="utf-8") == before


def test_a_quick_run_of_everything_writes_no_page(page: Path) -> None:
    everything.main(["--quick"])
    assert not page.exists()


def test_reports_asked_for_as_json_are_not_written_into_the_page(page: Path, tmp_path: Path) -> None:
    path = tmp_path / "reports.json"
    assert everything.main(["--json", str(path)]) == harness.BROKEN
    assert not page.exists()
    reports = json.loads(path.read_text(encoding="utf-8"))
    assert list(reports) == ["engine", "oracle"]
    check_shape(reports["engine"])


def test_an_unknown_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        everything.main(["--only", "nonesuch"])
    assert refused.value.code == harness.UNABLE
    assert "engine" in capsys.readouterr().err
