"""The command `uno-pomdp`."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from uno_pomdp import __version__
from uno_pomdp.cli.console import err, out
from uno_pomdp.cli.options import AsJson, ClusterAddress, Pairs, Processes, Records, RulesName, Seed
from uno_pomdp.errors import UnoError
from uno_pomdp.rules import PRESETS, preset

app = typer.Typer(
    help="The solver, laboratory and analysis board for two-player UNO.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"uno-pomdp {__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options of all commands; `run` looks at `--debug` itself, for errors reach it first."""
    del debug, version


@app.command()
def demo(
    rules: RulesName = "house",
    pairs: Pairs = 40,
    sims: Annotated[
        int, typer.Option(min=1, help="Simulations of a decision; of the first game four times that.")
    ] = 500,
    seed: Seed = 1,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where the files go.")] = Path("uno-pomdp-demo"),
) -> None:
    """Show what there is, in about a minute: a game with comments, a tournament, two Nash reports."""
    from uno_pomdp.cli.demo import demo as run_demo  # kernels load only for commands that need them

    run_demo(preset(rules), pairs, sims, seed, folder)


@app.command("rules")
def list_rules() -> None:
    """List the rules that have a name."""
    table = Table(box=None, pad_edge=False)
    for title in ("name", "cards", "hands", "what"):
        table.add_column(title, justify="right" if title in ("cards", "hands") else "left")
    for name, known in PRESETS.items():
        table.add_row(name, str(len(known.rules.deck)), str(known.rules.hand_size), known.about)
    out.print(table)


@app.command("agents")
def list_agents(as_json: AsJson = False) -> None:
    """List the agents with their options; `flat:ms=50,belief=particles` is an agent with two options."""
    from uno_pomdp.cli.agents import agents

    agents(as_json)


@app.command(epilog="Example: uno-pomdp arena heuristic baseline --pairs 20000")
def arena(
    a: Annotated[str, typer.Argument(metavar="A", help="An agent, such as `flat:ms=10`; see `uno-pomdp agents`.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    pairs: Pairs = 1_000,
    seed: Seed = 1,
    rules: RulesName = "house",
    processes: Processes = None,
    cluster: ClusterAddress = None,
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    records: Records = None,
    until_shown: Annotated[
        float | None,
        typer.Option(
            metavar="MARGIN", help="Stop once one is shown better, or neither by MARGIN points: 0.02 is 52 % to 48 %."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play two agents against each other and say who is better."""
    from uno_pomdp.cli.arena import arena as run_arena

    run_arena(preset(rules), (a, b), pairs, seed, processes, cluster, store, records, until_shown, as_json)


@app.command(epilog="Example: uno-pomdp tournament random greedy heuristic --against baseline --pairs 5000")
def tournament(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT…", help="The agents; see `uno-pomdp agents`.")],
    against: Annotated[
        str | None, typer.Option(metavar="AGENT", help="All meet this agent alone; its rating is 0.")
    ] = None,
    pairs: Pairs = 1_000,
    seed: Seed = 1,
    rules: RulesName = "house",
    processes: Processes = None,
    cluster: ClusterAddress = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    records: Records = None,
    as_json: AsJson = False,
) -> None:
    """Play many agents against each other, or all against one, and rate them."""
    from uno_pomdp.cli.tournament import tournament as run_all

    run_all(preset(rules), tuple(agents), pairs, seed, against, processes, cluster, folder, records, as_json)


@app.command(epilog="Example: uno-pomdp nash heuristic --rules mini-9 --picture heuristic.svg")
def nash(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Who plays both seats; see `uno-pomdp agents`.")],
    rules: RulesName = "house",
    pairs: Annotated[
        int | None,
        typer.Option(min=1, help="Deals of each match, each played twice.", show_default="200 on mini decks, else 80"),
    ] = None,
    sims: Annotated[
        int | None,
        typer.Option(min=1, help="Simulations of a challenger's decision.", show_default="300 on mini decks, else 500"),
    ] = None,
    ms: Annotated[float | None, typer.Option(help="Milliseconds of a challenger's decision instead.")] = None,
    seed: Seed = 1,
    processes: Processes = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the margins: .svg, .png or .pdf; needs `plots`.")
    ] = None,
    population: Annotated[
        bool, typer.Option("--population", help="Also the mixture of known agents that is hardest to beat.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Is an agent against itself an equilibrium? Best-response attempts, and exact values on mini decks."""
    from uno_pomdp.cli.nash import nash as run_nash

    run_nash(preset(rules), agent, pairs, sims, ms, seed, processes, folder, picture, population, as_json)


@app.command(epilog="Example: uno-pomdp solve mini-9 --save mini-9.npz")
def solve(
    rules: Annotated[str, typer.Argument(metavar="RULES", help="A mini deck without reshuffle: mini-7, mini-9, …")],
    solver: Annotated[str, typer.Option(help="cfr, cfr+, dcfr or pcfr+.")] = "pcfr+",
    until: Annotated[float, typer.Option(help="Stop below this exploitability, of results from −1 to 1.")] = 1e-3,
    iterations: Annotated[int, typer.Option(min=1, help="Stop after so many in any case.")] = 100_000,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the policy here, as .npz.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a mini deck to an equilibrium, which `policy:file=FILE` then plays."""
    from uno_pomdp.cli.solve import solve_rules

    solve_rules(preset(rules), solver, until, iterations, save, as_json)


@app.command(epilog="Example: uno-pomdp train runs/small --config small --seconds 100")
def train(
    folder: Annotated[Path, typer.Argument(help="For checkpoint, curve and net; goes on if it has a checkpoint.")],
    config: Annotated[str, typer.Option(help="champion, mirror, small, mini or mini-mirror.")] = "champion",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Another value of one setting.")
    ] = None,
    against: Annotated[str, typer.Option(help="Learn a best response to this simple policy, or net in a file.")] = "",
    seconds: Annotated[float | None, typer.Option(help="End after this time, all runs in the folder together.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.", show_default="cuda where there is one")] = "",
    threads: Annotated[int, typer.Option(min=0, help="Threads for games.", show_default="one a core")] = 0,
) -> None:
    """Train a champion by self-play, or a best response to a frozen player; needs the extra `train`."""
    from uno_pomdp.cli.train import train as run_training

    run_training(folder, config, settings or (), against, seconds, device, threads)


def run() -> None:
    """Run the command; a request that can't be met ends with one sentence and exit code 2."""
    try:
        app()
    except UnoError as error:
        if "--debug" in sys.argv[1:]:
            raise
        err.print(f"uno-pomdp: {error}", markup=False, soft_wrap=True)
        sys.exit(2)
