"""`uno-pomdp arena`, `tournament` and `agents`: results, JSON, stores, refusals, and the bar on a terminal."""

import json
import os
import re
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from tests.arena.players import Crash
from tests.cli.command import entry_point, uno
from tests.cli.inside import call
from uno_pomdp.agent_kinds import AGENTS, AgentOptions
from uno_pomdp.agents.agent import Agent
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import MatchProgress, run_match
from uno_pomdp.arena.statistics import Finding, Interval, SequentialTest, Verdict
from uno_pomdp.arena.store import read_store
from uno_pomdp.arena.tournament import Tournament, run_tournament
from uno_pomdp.cli.commands.arena import verdict
from uno_pomdp.cli.main import app
from uno_pomdp.cli.ui import progress as progress_module
from uno_pomdp.cli.ui.progress import showing_progress, standing
from uno_pomdp.errors import UnoError
from uno_pomdp.game.notation import load_record, parse_record
from uno_pomdp.rules import preset

ESCAPE = "\x1b["
MATCH = ("arena", "heuristic", "baseline", "--pairs", "200", "--seed", "3")
TABLE = """\
heuristic v baseline, rules house, seed 3
heuristic     points   95 % interval  games  won  drawn  lost
"""


def invoke(*arguments: str) -> Result:
    """Run a command in this process and require that it ends well."""
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def document(*arguments: str) -> Any:
    """Return the JSON that a command prints; anything else there would not parse."""
    return json.loads(invoke(*arguments, "--json").stdout)


# --- arena -----------------------------------------------------------------------------------------------


def test_a_match_of_searches_is_told_with_and_without_luck() -> None:
    shown = invoke("arena", "flat:sims=30", "random", "--pairs", "20", "--processes", "1").stdout
    result = run_match(Match(preset("house"), ("flat:sims=30", "random"), 20, seed=1))
    assert result.adjusted is not None
    assert re.search(rf"without luck +{100 * result.adjusted.points.estimate:.2f} % ", shown)
    assert f"taking luck out is worth {result.adjusted.reduction:.2f} times the games" in shown


def test_a_match_is_told_in_a_table_and_a_sentence() -> None:
    done = uno(*MATCH, COLUMNS="80")
    result = run_match(Match(preset("house"), ("heuristic", "baseline"), 200, seed=3))
    assert done.stdout.startswith(TABLE)
    in_all, first, second, *lengths, time, sentence, speed = done.stdout.splitlines()[2:]
    assert re.split(r"  +", in_all) == [
        "in all",
        f"{100 * result.points.estimate:.2f} %",
        f"{100 * result.points.low:.2f} to {100 * result.points.high:.2f}",
        "400",
        *(str(count) for count in (result.score.wins, result.score.draws, result.score.losses)),
    ]
    for seat, line in enumerate((first, second)):
        score = result.at(seat)
        assert line.split()[-4:] == [str(count) for count in (200, score.wins, score.draws, score.losses)]
        assert line.startswith(f"as player {seat + 1}  {100 * score.points.estimate:.2f} %")
    for line, name in zip(lengths[1:], ("turns", "actions"), strict=True):
        spread = getattr(result.lengths, name)
        low, middle, high = spread.quartiles
        assert re.split(r"  +", line) == [
            name,
            f"{spread.mean:.2f}",
            f"{spread.deviation:.2f}",
            str(spread.shortest),
            f"{low}, {middle}, {high}",
            str(spread.longest),
        ]
    assert re.fullmatch(r"ms for each game: [\d.e-]+, in kernels", time)
    assert sentence == verdict(result)
    assert re.fullmatch(r"400 games played in [\d.]+ s: [\d,]+ games/s", speed)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert ESCAPE not in done.stdout + done.stderr


def test_json_is_one_document_with_the_table_of_the_match() -> None:
    result = run_match(Match(preset("house"), ("heuristic", "baseline"), 200, seed=3))
    told = json.loads(call(*MATCH, "--json").out)
    assert told.pop("milliseconds_per_game") > 0
    assert told == {"rules": "house", "seed": 3} | result.to_json() | {"milliseconds": [None, None]}
    assert told["lengths"]["turns"]["mean"] < told["lengths"]["actions"]["mean"]


def test_the_result_does_not_depend_on_processes() -> None:
    arguments = ("arena", "random", "greedy", "--pairs", "30", "--rules", "mini-9")
    two, one = document(*arguments, "--processes", "2"), document(*arguments)
    assert two | {"milliseconds_per_game": None} == one | {"milliseconds_per_game": None}


def test_a_store_is_carried_on_and_records_are_written(tmp_path: Path) -> None:
    store, records = tmp_path / "results.jsonl", tmp_path / "games"
    arguments = ("arena", "random", "greedy", "--rules", "mini-9", "--store", str(store), "--records", str(records))
    first = invoke(*arguments, "--pairs", "4", "--processes", "1")
    assert "8 games played in" in first.stdout
    assert re.search(r"^ms for each decision: random [\d.]+, greedy [\d.]+$", first.stdout, flags=re.MULTILINE)
    more = invoke(*arguments, "--pairs", "6", "--processes", "1")
    assert "\n4 games played in" in more.stdout
    assert invoke(*arguments, "--pairs", "6").stdout.endswith("\nnothing to play\n")
    assert sorted(read_store(store).pairs["index"].tolist()) == list(range(6))
    assert len([load_record(path) for path in records.iterdir()]) == 12


def test_lengths_are_drawn_as_a_histogram(tmp_path: Path) -> None:
    match = ("arena", "random", "greedy", "--rules", "mini-9", "--pairs", "20", "--plot", str(tmp_path / "a.svg"))
    invoke(*match)
    assert "turns: mean " in (tmp_path / "a.svg").read_text(encoding="utf-8")
    several = ("tournament", "random", "greedy", "baseline", "--rules", "mini-9", "--pairs", "20")
    invoke(*several, "--plot", str(tmp_path / "b.svg"))
    for agent in ("random", "greedy", "baseline"):
        assert f"{agent}: mean " in (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_a_match_ends_when_the_margin_is_shown() -> None:
    arguments = ("arena", "baseline", "random", "--pairs", "100000", "--until-shown", "0.05")
    match = Match(preset("house"), ("baseline", "random"), 100_000, seed=1)
    result = run_match(match, test=SequentialTest(edge1=0.05))
    assert result.finding is not None
    told = document(*arguments)
    assert told["games"] == result.games
    assert told["finding"] == "the first is better"
    assert f"\nbaseline is better: the test needed {result.finding.pairs} pairs.\n" in invoke(*arguments).stdout


@pytest.mark.parametrize(
    ("points", "finding", "says"),
    [
        ((2, 2), None, "heuristic is better: the whole interval lies above 50 %."),
        ((0, 0), None, "baseline is better: the whole interval lies below 50 %."),
        ((2, 0), None, "No difference is shown: the interval has 50 % in it."),
        ((2, 2), Verdict.FIRST_BETTER, "heuristic is better: the test needed 1,000 pairs."),
        ((0, 0), Verdict.SECOND_BETTER, "baseline is better: the test needed 1,000 pairs."),
        ((2, 0), Verdict.NO_EDGE, "Neither is better by that margin: the test needed 1,000 pairs."),
        ((2, 0), Verdict.UNDECIDED, "The test is undecided after 1,000 pairs: give it more."),
    ],
)
def test_the_sentence_says_what_was_found(points: tuple[int, int], finding: Verdict | None, says: str) -> None:
    result = run_match(Match(preset("mini-9"), ("heuristic", "baseline"), 30))
    result.pairs["points"] = points
    found = None if finding is None else Finding(finding, 1_000, 3.0)
    assert verdict(replace(result, finding=found)) == says


class Crashing(AgentOptions, name="crash", about="fails"):
    """An agent that fails."""

    def make(self) -> Agent:
        """Return a new agent."""
        return Crash()


CRASHES: Final = "arena", "crash", "random", "--pairs", "2", "--processes", "1"


def test_an_agent_that_fails_ends_the_command_with_a_sentence_that_says_where_the_game_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(AGENTS, "crash", Crashing)
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path))
    done = call(*CRASHES)
    sentence, file = done.err.split("; the game so far is in ")
    assert sentence.startswith("uno-pomdp: crash failed: as player 1 after 5 moves, ZeroDivisionError: ")
    assert re.search(r"players\.py, line \d+\)$", sentence)
    assert len(load_record(file.strip()).moves) == 5
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert Path(file.strip()).parent == tmp_path / "failed"
    assert call(*CRASHES).err.endswith(".txt, beside 1 older one\n")
    assert call(*CRASHES).err.endswith(".txt, beside 2 older ones\n")
    debugged = call(*CRASHES, "--debug").err
    kinds = (
        "ZeroDivisionError: ",
        "uno_pomdp.agents.failure.AgentFailure: ",
        "uno_pomdp.cli.failed_games.FailedGame: ",
    )
    assert all(f"\n{kind}" in debugged for kind in kinds)
    assert debugged.splitlines()[-1].startswith(sentence)


def test_where_no_file_can_be_written_the_game_that_failed_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "crash", Crashing)
    monkeypatch.setenv("UNO_POMDP_GAMES", "/dev/null/games")
    done = call(*CRASHES)
    game, _, sentence = done.err.partition("uno-pomdp: ")
    assert len(parse_record(game).moves) == 5
    assert sentence.endswith("the game so far is printed above\n")


# --- tournament ------------------------------------------------------------------------------------------

RANKED = """\
3 matches of 300 pairs, rules house, seed 1
#  agent      rating  95 % interval     1     2     3     4
"""


def test_a_tournament_is_told_in_a_cross_table() -> None:
    done = uno("tournament", "random", "greedy", "heuristic", "--against", "baseline", "--pairs", "300", COLUMNS="80")
    wanted = Tournament(preset("house"), ("random", "greedy", "heuristic", "baseline"), 300, 1, "baseline")
    result = run_tournament(wanted)
    assert done.stdout.startswith(RANKED)
    lines = done.stdout.splitlines()
    for number, (line, row) in enumerate(zip(lines[2:6], result.rows()[1:], strict=True), 1):
        assert [cell.strip() for cell in re.split(r"  +", line.strip())][:4] == [str(number), *row[:3]]
    points = result.points(3, 0)
    assert points is not None
    assert f"{100 * points.estimate:.1f}" in lines[3]
    assert lines[6] == "Points in per cent, of the row's agent against the column's."
    lengths = result.lengths(result.ranking()[0])
    assert lines[8].split()[:3] == ["1", f"{lengths.turns.mean:.1f}", f"{lengths.turns.deviation:.1f}"]
    assert re.fullmatch(r"1,800 games played in [\d.]+ s: [\d,]+ games/s", lines[-1])
    assert max(map(len, lines)) <= 80


def test_the_json_of_a_tournament_has_ratings_and_matches(tmp_path: Path) -> None:
    arguments = ("tournament", "random", "greedy", "heuristic", "--pairs", "50", "--folder", str(tmp_path / "kept"))
    told = document(*arguments)
    result = run_tournament(Tournament(preset("house"), ("random", "greedy", "heuristic"), 50, 1))
    times = told.pop("times")
    assert [each["agent"] for each in times] == [result.names[agent] for agent in result.ranking()]
    assert told == {"rules": "house", "seed": 1} | result.to_json()
    assert told["matches"] == [match.to_json() for match in result.matches.values()]
    assert [rating["agent"] for rating in told["ratings"]] == [result.names[agent] for agent in result.ranking()]
    assert told["ratings"][-1] == {"agent": "random", "elo": {"estimate": 0.0, "low": 0.0, "high": 0.0}}
    assert (told["anchor"], told["rules"], told["seed"]) == ("random", "house", 1)
    assert len(list((tmp_path / "kept").iterdir())) == 3
    assert invoke(*arguments).stdout.endswith("nothing to play\n")


def test_a_tournament_writes_records_match_by_match(tmp_path: Path) -> None:
    arguments = ("tournament", "random", "greedy", "--rules", "mini-9", "--pairs", "2", "--processes", "1")
    invoke(*arguments, "--records", str(tmp_path))
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("random-v-greedy-")
    assert len([load_record(path) for path in folder.iterdir()]) == 4


# --- agents ----------------------------------------------------------------------------------------------


def test_the_list_of_agents_has_each_with_its_options() -> None:
    told = document("agents")
    assert [(each["name"], each["about"]) for each in told] == [(name, entry.about) for name, entry in AGENTS.items()]
    flat = next(each for each in told if each["name"] == "flat")
    assert flat["options"]["belief"] == "closed"
    done = uno("agents", COLUMNS="80")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert [line.split()[0] for line in done.stdout.splitlines()[1:] if line[0] != " "] == list(AGENTS)
    wide = uno("agents", COLUMNS="400").stdout
    for each in told:
        assert each["about"] in wide
        for name, value in each["options"].items():
            assert f"{name}={value or '…'}" in wide


# --- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("arena", "heuristic", "nobody"), "no agent is called 'nobody': choose one of random, "),
        (("arena", "greedy:x=1", "random"), "greedy has no option 'x': it has no options"),
        (("arena", "heuristic:x=1", "random"), "heuristic has no option 'x': it has the options noise"),
        (("arena", "random", "greedy", "--rules", "nope"), "no rules are called 'nope'"),
        (("arena", "random", "greedy", "--processes", "2", "--cluster", "tcp://127.0.0.1:1"), "give a number of proce"),
        (("arena", "random", "greedy", "--cluster", "nonsense"), "no scheduler answers at nonsense: start one with"),
        (("arena", "random", "greedy", "--store", "no/such/folder"), "no/such/folder can't be written"),
        (("tournament", "random"), "a tournament needs at least two agents"),
        (("tournament", "random", "random"), "random enters the tournament twice"),
        (("tournament", "random", "--against", "nobody"), "no agent is called 'nobody'"),
    ],
)
def test_what_can_not_be_played_is_refused_in_a_sentence(arguments: tuple[str, ...], says: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert isinstance(done.exception, UnoError)
    assert str(done.exception).startswith(says)
    assert "\n" not in str(done.exception)
    assert done.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("arena", "random"),
        ("arena", "random", "greedy", "--pairs", "0"),
        ("arena", "random", "greedy", "--processes", "0"),
        ("arena", "random", "greedy", "--seed", "-1"),
        ("tournament",),
    ],
)
def test_options_that_can_not_be_end_with_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert done.stdout == ""


def test_a_refusal_reaches_a_person_as_one_line_and_exit_code_2() -> None:
    done = uno("arena", "heuristic", "nobody", code=2, COLUMNS="40")
    assert done.stderr == "uno-pomdp: no agent is called 'nobody': choose one of " + ", ".join(AGENTS) + "\n"


@pytest.mark.parametrize("command", ["arena", "tournament"])
def test_help_has_an_example_that_runs(command: str) -> None:
    text = uno(command, "--help", NO_COLOR="1", COLUMNS="100").stdout
    found = re.search(r"Example: uno-pomdp (.*?)\s*$", text, flags=re.MULTILINE)
    assert found
    assert found[1].startswith(command)
    *words, pairs = found[1].split()
    assert (words[-1], pairs.isdigit()) == ("--pairs", True)
    invoke(*words, "10")


# --- progress --------------------------------------------------------------------------------------------


def stand(done: int, rate: float, left: float) -> MatchProgress:
    return MatchProgress(done, 1_000, 10.0, rate, left, Interval(0.53, 0.51, 0.552), None)


@pytest.mark.parametrize(
    ("progress", "says"),
    [
        (stand(500, 1234.5, 83.4), "53.0 % ± 2.1, 1,234 games/s, 0:01:23 left"),
        (stand(500, 0.72, 100_000), "53.0 % ± 2.1, 0.7 games/s, 1 day, 3:46:40 left"),
        (stand(0, 0.0, float("inf")), "53.0 % ± 2.1, 0.0 games/s, ? left"),
    ],
)
def test_the_standing_has_estimate_rate_and_time_left(progress: MatchProgress, says: str) -> None:
    assert standing(progress) == says


def test_the_bar_fits_80_columns_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    monkeypatch.setattr(progress_module, "err", Console(file=screen, force_terminal=True, width=80, highlight=False))
    with showing_progress() as show:
        show("1/3 flat:ms=10,belief=closed v ismcts:sims=100000,rollout=baseline", stand(500, 1234.5, 83.4))
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    lines = [line for line in re.split(r"[\r\n]+", text) if "games/s" in line]
    assert lines
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("1/3 flat:ms=10")
    assert "53.0 % ± 2.1, 1,234 games/s, 0:01:23 left" in lines[0]
    assert "━" in lines[0]
    assert screen.getvalue().rstrip().endswith(f"{ESCAPE}2K")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_on_a_terminal_the_bar_goes_to_the_error_stream_alone(tmp_path: Path) -> None:
    import pty
    import subprocess

    screen, theirs = pty.openpty()
    arguments = ("arena", "random", "greedy", "--rules", "mini-9", "--pairs", "300", "--processes", "1", "--json")
    run = subprocess.Popen(
        [*entry_point(), *arguments, "--records", str(tmp_path)],
        env=os.environ | {"TERM": "xterm-256color", "PYTHONUTF8": "1", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = bytearray()
    while True:
        try:
            part = os.read(screen, 65_536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    assert run.stdout is not None
    told = json.loads(run.stdout.read())
    run.stdout.close()
    assert run.wait() == 0
    os.close(screen)
    assert told["games"] == 600
    assert "games/s" in shown.decode()
    assert "random v greedy" in shown.decode()
