"""`uno-pomdp demo`: one game with comments, a small tournament, and how far the heuristic is from an equilibrium."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.text import Text

from uno_pomdp.cli.app import app
from uno_pomdp.cli.commands.arena import how_many
from uno_pomdp.cli.commands.nash import print_report
from uno_pomdp.cli.commands.tournament import print_tables
from uno_pomdp.cli.options import AsJson, Force, Pairs, RulesName, Seed, number
from uno_pomdp.cli.stopping import telling
from uno_pomdp.cli.ui.console import hushed, out, print_json, showing_compilation
from uno_pomdp.quantities import SIMULATIONS, Whole, count_of
from uno_pomdp.rules import Rules, as_rules, preset

if TYPE_CHECKING:
    from uno_pomdp.arena.tournament import Tournament, TournamentResult
    from uno_pomdp.equilibrium.nash_report import NashReport

GAME: Final = "game.txt"
"""The file of the game; the lock on it is that of the folder."""
TOURNAMENT: Final = "tournament"
"""The folder of the tournament's matches."""
MINI: Final = "mini-9"
"""The mini deck whose exact values stand beside what play shows."""
ASKED: Final = "heuristic"
"""The agent whose reports are shown."""
AHEAD: Final = f"nash {ASKED} --rules {MINI} --pairs 1 --sims 5 --processes 1".split()
"""A command that needs the same kernels as the later parts."""


@app.command(epilog="Example: uno-pomdp demo --pairs 10 --sims 200")
def demo(
    rules: RulesName = "house",
    pairs: Pairs = 40,
    sims: Annotated[
        int,
        number(Whole(1, SIMULATIONS.most // 4), "Simulations of a decision; of the first game four times that."),
    ] = 500,
    seed: Seed = 1,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where the files go.")] = Path("uno-pomdp-demo"),
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Show what there is, in about a minute: a game with comments, a tournament, two Nash reports."""
    from uno_pomdp.arena.tournament import Tournament
    from uno_pomdp.cli.files import claim_all
    from uno_pomdp.cli.precompile import compiling_ahead
    from uno_pomdp.files import Held

    played = as_rules(rules)
    tournament = Tournament(played, ("baseline", ASKED, f"flat:sims={sims}"), pairs, seed)
    claim_all(folder, outputs(folder, tournament), force)
    told = telling(lambda: f"in the demo; {left_in(folder)}")
    with Held(folder / GAME), hushed(as_json), compiling_ahead(AHEAD), told:
        found = run_all(tournament, sims, folder)
    if as_json:
        print_json({"rules": played.name, "seed": seed} | found)


def outputs(folder: Path, tournament: "Tournament") -> list[Path]:
    """Return the files that a demo writes."""
    reports = [report_file(folder, rules) for rules in (MINI, tournament.rules.name)]
    pictures = [report.with_suffix(".svg") for report in reports]
    return [folder / GAME, *stores(folder / TOURNAMENT, tournament), *reports, *pictures]


def run_all(tournament: "Tournament", sims: int, folder: Path) -> dict[str, Any]:
    """Play, measure and print; return what was found for machines."""
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.ui.annotated_game import play_annotated, print_game
    from uno_pomdp.game.notation import format_record, save_record

    rules, pairs, seed = tournament.rules, tournament.pairs, tournament.seed
    strong = f"ismcts:sims={4 * sims}", f"flat:sims={4 * sims}"
    with showing_failures(), showing_compilation():
        commented = play_annotated(rules, strong, seed)
    print_game(commented)
    save_record(folder / GAME, commented.record)

    print_section("A small tournament")
    result = play_tournament(tournament, folder / TOURNAMENT)

    reports = []
    for deck, title in ((preset(MINI), "exactly: a mini deck"), (rules, "at least: these rules")):
        print_section(f"How far from an equilibrium, {title}")
        reports.append(report_on(deck, pairs, sims, seed, folder))
        write_report(reports[-1], folder)

    print_section("Files")
    files = [str(path) for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    for path in files:
        out.print(path, markup=False, soft_wrap=True)
    return {
        "game": format_record(commented.record),
        "tournament": result.to_json(),
        "reports": [report.to_json() for report in reports],
        "files": files,
    }


def left_in(folder: Path) -> str:
    """Return what is left of a demo that is stopped."""
    return f"what was finished is in {folder}, and the same command with --force begins anew"


def print_section(title: str) -> None:
    """Print what comes next."""
    out.print(Text(f"\n{title}", "bold underline"))


def stores(folder: Path, tournament: "Tournament") -> list[Path]:
    """Return the files in which the matches of a tournament are kept."""
    from uno_pomdp.arena.tournament import store_name

    meetings = tournament.meetings()
    return [folder / store_name(*(tournament.names[agent] for agent in meeting)) for meeting in meetings]


def play_tournament(wanted: "Tournament", folder: Path) -> "TournamentResult":
    """Play it anew and print it; its stores stay in the folder."""
    from uno_pomdp.arena.tournament import run_tournament
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.ui.progress import showing_progress
    from uno_pomdp.files import remove

    for store in stores(folder, wanted):  # of an earlier demo: results of other sources are not to be gone on with
        remove(store)
    with showing_failures(), showing_compilation(), showing_progress(lambda: left_in(folder.parent)) as show:
        result = run_tournament(
            wanted,
            how_many(None, None, short=False),
            folder,
            lambda meeting, at: show(" v ".join(wanted.names[agent] for agent in meeting), at),
        )
    played = f"{count_of(len(result.matches), 'match')} of {count_of(wanted.pairs, 'pair')}"
    print_tables(result, f"{played}, rules {wanted.rules.name}")
    return result


def report_on(rules: Rules, pairs: int, sims: int, seed: int, folder: Path) -> "NashReport":
    """Measure the heuristic, and print what was found."""
    from uno_pomdp.agents.agent import Budget
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.ui.progress import showing_progress
    from uno_pomdp.equilibrium.attempts import challengers_of
    from uno_pomdp.equilibrium.nash_report import nash_report

    with showing_failures(), showing_compilation(), showing_progress(lambda: left_in(folder)) as show:
        report = nash_report(
            rules,
            ASKED,
            challengers_of(ASKED, Budget(simulations=sims), rules),
            pairs,
            seed,
            report=show,
            processes=how_many(None, None, short=False),
        )
    print_report(report)
    return report


def report_file(folder: Path, rules: str) -> Path:
    """Return the file of the report on the rules of a name."""
    return folder / f"nash-{rules}.json"


def write_report(report: "NashReport", folder: Path) -> None:
    """Leave a report as JSON and, where Matplotlib is installed, as a picture."""
    from uno_pomdp.files import write_text

    text = json.dumps(report.to_json(), ensure_ascii=False, indent=2)
    file = report_file(folder, report.rules)
    write_text(file, text + "\n")
    if find_spec("matplotlib") is not None:
        report.draw(file.with_suffix(".svg"))
