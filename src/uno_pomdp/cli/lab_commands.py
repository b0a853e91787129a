"""Rules, agents and experiments: matches, equilibria, training, benchmarks. Nothing here may bring Numba."""

from pathlib import Path
from typing import Annotated

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.commands import engine, schema
from uno_pomdp.cli.options import (
    SEAT,
    AsJson,
    ClusterAddress,
    Force,
    LengthsPlot,
    Pairs,
    Processes,
    Records,
    RulesName,
    Seed,
    agent_argument,
    agent_option,
    complete_agent,
    complete_config,
    complete_rules,
    complete_solver,
    number,
)
from uno_pomdp.quantities import (
    DISCOUNT,
    FITTED_GAMES,
    ITERATIONS,
    MILLISECONDS,
    PAIRS,
    SECONDS,
    SEED,
    SIMULATIONS,
    STEP_PENALTY,
    THREADS,
    Real,
    Whole,
)
from uno_pomdp.rules import as_rules


def complete_benchmark(incomplete: str) -> list[str]:
    """Return the benchmarks of this source tree whose names begin so, for the shell."""
    from uno_pomdp.cli.commands.bench import names

    return [name for name in names() if name.startswith(incomplete)]


@app.command("rules", epilog="Example: uno-pomdp rules printed; uno-pomdp rules house,stack=same")
def list_rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only these rules, in full.", autocompletion=complete_rules)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the rules that have a name, or all fields of those that are named."""
    from uno_pomdp.cli.commands.rules import show_all, show_one

    show_all(as_json) if name is None else show_one(name, as_json)


@app.command("agents", epilog="Examples: uno-pomdp agents · uno-pomdp agents flat")
def list_agents(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only this agent.", autocompletion=complete_agent)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents with their options; `flat:ms=50,belief=uniform` is an agent with two options."""
    from uno_pomdp.cli.commands.agents import agents

    agents(name, as_json)


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
    from uno_pomdp.cli.commands.demo import demo as run_demo  # kernels load only for commands that need them

    run_demo(as_rules(rules), pairs, sims, seed, folder, as_json, force)


@app.command(epilog="Example: uno-pomdp arena heuristic baseline --pairs 20000")
def arena(
    a: Annotated[str, agent_argument("A", "An agent, such as `flat:ms=10`; see `uno-pomdp agents`.")],
    b: Annotated[str, agent_argument("B", "Another.")],
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
        number(
            Real(0.0, 0.5, above=True, below=True),
            "Stop as soon as one agent is shown to be better, or the gap to be under MARGIN: 0.02 is 52 % to 48 %.",
            metavar="MARGIN",
        ),
    ] = None,
    plot: LengthsPlot = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Play two agents against each other and say who is better."""
    from uno_pomdp.cli.commands.arena import arena as run_arena

    run_arena(
        as_rules(rules), (a, b), pairs, seed, processes, cluster, store, records, until_shown, as_json, force, plot
    )


@app.command(epilog="Example: uno-pomdp tournament random greedy heuristic --against baseline --pairs 5000")
def tournament(
    agents: Annotated[list[str], agent_argument("AGENT…", "The agents; see `uno-pomdp agents`.")],
    against: Annotated[str | None, agent_option("All meet this agent alone; its rating is 0.")] = None,
    pairs: Pairs = 1_000,
    seed: Seed = 1,
    rules: RulesName = "house",
    processes: Processes = None,
    cluster: ClusterAddress = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    records: Records = None,
    plot: LengthsPlot = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Play many agents against each other, or all against one, and rate them."""
    from uno_pomdp.cli.commands.tournament import tournament as run_all

    run_all(
        as_rules(rules), tuple(agents), pairs, seed, against, processes, cluster, folder, records, as_json, force, plot
    )


@app.command(epilog="Examples: uno-pomdp nash heuristic --rules mini-9 --plot heuristic.svg · uno-pomdp nash --all")
def nash(
    agent: Annotated[
        str | None, agent_argument("AGENT", "Who plays both seats; see `uno-pomdp agents`. Or give --all.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="One table of an agent of every kind, each against itself.")
    ] = False,
    rules: RulesName = "house",
    pairs: Annotated[
        int | None,
        number(
            PAIRS, "Deals of each match, each played twice.", show_default="200 on mini decks, else 80, with --all 20"
        ),
    ] = None,
    sims: Annotated[
        int | None,
        number(
            SIMULATIONS,
            "Simulations of a challenger's decision.",
            show_default="300 on mini decks, else 500, with --all 200",
        ),
    ] = None,
    ms: Annotated[float | None, number(MILLISECONDS, "Milliseconds of a challenger's decision instead.")] = None,
    seed: Seed = 1,
    processes: Processes = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the margins: .svg, .png or .pdf; needs `plots`.")
    ] = None,
    population: Annotated[
        bool, typer.Option("--population", help="Also the mixture of known agents that is hardest to beat.")
    ] = False,
    learn: Annotated[
        float | None,
        number(Real(1.0, SECONDS.most), "Also train a best response for so long; needs `train`.", metavar="SECONDS"),
    ] = None,
    responses: Annotated[
        list[Path] | None,
        typer.Option("--response", metavar="FILE", help="Also a net that was trained before; may be repeated."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Is an agent against itself an equilibrium? Best-response attempts, and exact values on mini decks."""
    from uno_pomdp.cli.commands.nash import nash as run_nash
    from uno_pomdp.cli.commands.nash_all import asked_about, nash_all

    asked = asked_about(agent, every, population=population, learn=learn, response=responses)
    if asked is None:
        nash_all(as_rules(rules), pairs, sims, ms, seed, processes, folder, plot, as_json, force)
        return
    run_nash(
        as_rules(rules), asked, pairs, sims, ms, seed, processes, folder, plot, population, learn, responses or (),
        as_json, force,
    )  # fmt: skip


@app.command(epilog="Example: uno-pomdp solve mini-9 --save mini-9.npz")
def solve(
    deck: Annotated[
        str | None,
        typer.Argument(
            metavar="RULES",
            help="A mini deck without reshuffle: mini-7, mini-9, …; with --against any rules.",
            show_default="mini-9",
            autocompletion=complete_rules,
        ),
    ] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="RULES", help="The same by name.", autocompletion=complete_rules)
    ] = None,
    solver: Annotated[
        str, typer.Option(metavar="SOLVER", help="cfr, cfr+, dcfr or pcfr+.", autocompletion=complete_solver)
    ] = "pcfr+",
    until: Annotated[float, number(Real(0.0, 2.0), "Stop below this exploitability, of results from −1 to 1.")] = 1e-3,
    iterations: Annotated[int, number(ITERATIONS, "Stop after so many in any case.")] = 100_000,
    against: Annotated[
        str | None,
        agent_option(
            "Not an equilibrium, but the best response to this policy, by value iteration; fitted on a full deck."
        ),
    ] = None,
    seat: Annotated[int | None, number(SEAT, "With --against on a mini deck: who responds.", show_default="1")] = None,
    gamma: Annotated[
        float | None, number(DISCOUNT, "With --against: the discount of a step.", show_default="1")
    ] = None,
    step_cost: Annotated[
        float | None, number(STEP_PENALTY, "With --against: what a step costs.", show_default="0")
    ] = None,
    games: Annotated[
        int | None, number(FITTED_GAMES, "With --against on a full deck: games to fit to.", show_default="4000")
    ] = None,
    seed: Annotated[
        int | None, number(SEED, "With --against on a full deck: same seed, same result.", show_default="1")
    ] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write what is found here, as .npz.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Solve a mini deck to an equilibrium, or any rules against one policy; `--save` makes it an agent.

    `policy:file=FILE` plays what was found on a mini deck. Against one policy a full deck gives a value function, which
    `value:file=…` plays.
    """
    from uno_pomdp.cli.commands.best_response import respond
    from uno_pomdp.cli.commands.solve import check_alone, chosen, solve_rules

    if against is not None:
        who = None if seat is None else seat - 1
        respond(chosen(deck, rules), against, who, gamma, step_cost, games, seed, save, as_json, force)
        return
    check_alone({"seat": seat, "gamma": gamma, "step-cost": step_cost, "games": games, "seed": seed})
    solve_rules(chosen(deck, rules), solver, until, iterations, save, as_json, force)


@app.command(epilog="Example: uno-pomdp train runs/small --config small --seconds 100")
def train(
    folder: Annotated[Path, typer.Argument(help="For checkpoint, curve and net; goes on if it has a checkpoint.")],
    config: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="champion, mirror, small, mini or mini-mirror.", autocompletion=complete_config
        ),
    ] = "champion",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Another value of one setting.")
    ] = None,
    against: Annotated[str, agent_option("Learn a best response to this agent, or net in a file.")] = "",
    seconds: Annotated[
        float | None,
        number(
            SECONDS,
            "End with the iteration in which this time is over, all runs in the folder together; starting and the last "
            "measurement come on top.",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="cpu or cuda.", show_default="cuda where there is one")
    ] = "",
    threads: Annotated[int, number(Whole(0, THREADS.most), "Threads for games.", show_default="one a core")] = 0,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="RULES",
            help="The rules by name.",
            show_default="the configuration's",
            autocompletion=complete_rules,
        ),
    ] = None,
    seed: Annotated[int | None, number(SEED, "Same seed, same run.", show_default="0")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Train a champion by self-play, or a best response to a frozen player; needs the extra `train`."""
    from uno_pomdp.cli.commands.train import train as run_training

    run_training(folder, config, settings or (), against, seconds, device, threads, rules, seed, as_json, force=force)


@app.command(epilog="Example: uno-pomdp bench engine --quick")
def bench(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="One benchmark; without it, all.", autocompletion=complete_benchmark),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only show that they work: tiny sizes, no bars.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the benchmarks of a source tree; exit code 1 if a claim does not hold."""
    from uno_pomdp.cli.commands.bench import bench as run_bench

    raise typer.Exit(run_bench(name, quick, as_json))


for _module, _function in ((engine, engine.engine), (schema, schema.schema)):  # their options stand beside what they do
    app.command(epilog=_module.EPILOG)(_function)
